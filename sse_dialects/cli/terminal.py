"""`read` and `post` on a terminal: reasoning dimmed, tool calls as they build, the wait, and a last line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .channel import Channel, harmless
from .cursor import Cursor
from .printer import Printer
from .wait import Wait

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["TerminalPrinter"]

_DIM, _CALL, _REFUSAL = "2", "36", "33"


class TerminalPrinter(Printer):
    """Choice 0 as it grows, in sections: a new one for each run of reasoning, text or refusal and for each tool call.

    Only the text goes to standard output. Everything is made harmless: see `harmless`.
    """

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._cursor = Cursor()
        self._section: tuple[str, int] | None = None  # what the cursor is in, and its part
        self._stream: sd.EventStream | None = None
        self._wait = Wait(notes, lambda: self._cursor.column, self._heard)
        self._arrived: int | None = None  # comments and frames when the silence was first seen
        self._calls: dict[int, str] = {}  # names by part
        self._show: dict[str, Callable[[Any], None]] = {
            sd.TextDelta.type: self._text_delta,
            sd.ReasoningDelta.type: self._reasoning_delta,
            sd.RefusalDelta.type: self._refusal_delta,
            sd.ToolCallStarted.type: self._tool_call_started,
            sd.ToolCallDelta.type: self._tool_call_delta,
        }

    def __enter__(self) -> TerminalPrinter:
        self._wait.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._wait.__exit__(kind, error, trace)
        self._break_line()

    def watch(self, stream: sd.EventStream) -> None:
        """From now on the wait tells of keep-alives."""
        self._stream = stream

    def event(self, event: sd.Event) -> None:
        """Prints what the event adds to choice 0."""
        super().event(event)
        show = self._show.get(event.type)
        if show and getattr(event, "choice", 0) == 0:
            with self._wait.over():
                self._arrived = None
                show(event)

    def finish(self, answer: sd.Answer) -> None:
        """Prints the other choices, whole, and the last line."""
        with self._wait.over():
            for choice in answer.choices[1:]:
                self._enter(("choice", choice.index), f"choice {choice.index}: ")
                self._text(choice.text or choice.refusal)
            self._enter(("last line", 0))
            self._sum_up(answer)

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the error under what came."""
        with self._wait.over():
            self._enter(("last line", 0))
            self._complain(error)

    def _text_delta(self, event: sd.TextDelta) -> None:
        self._enter(("text", 0))
        self._text(event.text)

    def _reasoning_delta(self, event: sd.ReasoningDelta) -> None:
        self._enter(("reasoning", event.part))
        self._note(_DIM, event.text)

    def _refusal_delta(self, event: sd.RefusalDelta) -> None:
        self._enter(("refusal", 0), "refusal: ")
        self._note(_REFUSAL, event.text)

    def _tool_call_started(self, event: sd.ToolCallStarted) -> None:
        self._calls[event.part] = event.name or "?"
        self._call(event.part)

    def _tool_call_delta(self, event: sd.ToolCallDelta) -> None:
        self._call(event.part)
        self._note("", event.arguments)

    def _call(self, part: int) -> None:
        self._enter(("tool call", part), f"tool call {self._calls.get(part, '?')} ")

    def _enter(self, section: tuple[str, int], heading: str = "") -> None:
        """Goes on in a section, or starts it: on a new line, after an empty one unless both are tool calls."""
        if section == self._section:
            return
        self._break_line()
        if self._section and not self._section[0] == section[0] == "tool call":
            self._notes.write("\n")
        self._section = section
        self._note(_CALL, heading)

    def _text(self, text: str) -> None:
        shown = harmless(text)
        self._cursor.moved(shown, self._out)  # first: Ctrl-C between the two then costs an empty line, not a lost break
        self._out.write(shown)

    def _note(self, style: str, text: str) -> None:
        shown = harmless(text)
        self._cursor.moved(shown, self._notes)
        self._notes.write(self._notes.style(style, shown) if style else shown)

    def _break_line(self) -> None:
        if line := self._cursor.open_line:
            line.write("\n")
            self._cursor.moved("\n", line)

    def _heard(self) -> str:
        """Keep-alives of this silence: all that comes and is no event. Called in the wait's thread; it only looks at counters."""
        if self._stream is None:
            return ""
        stats = self._stream.stats
        arrived = stats.comments + stats.frames
        if self._arrived is None:
            self._arrived = arrived
        number = arrived - self._arrived
        return f"{number} keep-alive{'' if number == 1 else 's'}" if number else ""
