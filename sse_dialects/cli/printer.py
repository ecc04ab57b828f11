"""The frame of every printer, and the loop that reads a stream into one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import sse_dialects as sd

from .channel import Channel, harmless
from .status import COMPLETE, STATUS_OF_KIND
from .summary import advice, sentence, summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["Printer", "play"]

# Extras that say: the answer is no longer what the deltas added up to.
_REVISIONS = frozenset({"snapshot", "think_tags"})
_REVISED = "the provider revised the answer after it was shown: --json prints what counts\n"


class Printer:
    """The frame of a printer: what goes to standard error is the same for all of them.

    Args:
        out: where the answer goes.
        notes: where everything else goes.
        hide: takes what must not be shown out of an error's words.
    """

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        self._out = out
        self._notes = notes
        self._hide = hide
        self._started = time.monotonic()
        self._revised = False

    def __enter__(self) -> Printer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return

    def watch(self, stream: sd.EventStream) -> None:
        """The stream is open; ``stream.stats`` may be looked at from now on."""

    def event(self, event: sd.Event) -> None:
        """The next event, as it arrives."""
        if isinstance(event, sd.Extra) and event.name in _REVISIONS:
            self._revised = True

    def finish(self, answer: sd.Answer) -> None:
        """The answer is complete."""

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """The stream ended in ``error`` after ``partial``."""

    def _complain(self, error: sd.SSEDialectsError) -> None:
        label = self._notes.style("1;31", "error:")
        self._notes.write(f"{label} {harmless(self._hide(sentence(error)))}\n")
        if switch := advice(error):
            self._notes.write(f"{switch}\n")

    def _sum_up(self, answer: sd.Answer) -> None:
        if self._revised:
            self._notes.write(_REVISED)
        line = harmless(summary(answer, time.monotonic() - self._started))
        self._notes.write(f"{self._notes.style('2', line)}\n")


def play(opened: Callable[[], sd.EventStream], printer: Printer) -> int:
    """Opens a stream, prints all of it and closes it.

    Returns:
        The exit status.
    """
    stream: sd.EventStream | None = None
    with printer:
        try:
            with opened() as stream:
                printer.watch(stream)
                for event in stream:
                    printer.event(event)
                printer.finish(stream.answer())
        except sd.SSEDialectsError as error:
            printer.fail(error, stream.partial() if stream is not None else sd.Answer(None))
            return STATUS_OF_KIND[error.kind]
    return COMPLETE
