"""What `read` and `post` print: text, JSON or events into pipes and files, and what people see on a terminal."""

from __future__ import annotations

import json
import time
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import sse_dialects as sd

from .console import DIRECTIONS, Channel, Cursor, harmless, harmless_name, standard_error, standard_output
from .exit_codes import COMPLETE, STATUS_OF_KIND, USAGE
from .spinner import Spinner
from .summary import advice, sentence, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from types import TracebackType

__all__ = [
    "EventsPrinter",
    "JsonPrinter",
    "Printer",
    "TerminalPrinter",
    "TextPrinter",
    "json_line",
    "play",
    "printer_for",
]

_DIM, _CALL, _REFUSAL = "2", "36", "33"
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
        self._request_id: str | None = None

    def __enter__(self) -> Printer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return

    def watch(self, stream: sd.EventStream) -> None:
        """The stream is open; ``stream.stats`` may be looked at from now on."""
        self._request_id = stream.request_id

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
        self._notes.write(f"{label} {harmless_name(self._hide(sentence(error)))}\n")
        if switch := advice(error):
            self._notes.write(f"{switch}\n")
        if error.request_id:
            self._notes.write(f"request {harmless_name(self._hide(error.request_id))}\n")

    def _sum_up(self, answer: sd.Answer) -> None:
        if self._revised:
            self._notes.write(_REVISED)
        line = summary(answer, time.monotonic() - self._started)
        if self._request_id:
            line += f" | request {harmless_name(self._hide(self._request_id))}"
        self._notes.write(f"{self._notes.style('2', line)}\n")


class TextPrinter(Printer):
    """The text of choice 0 and nothing else on standard output, byte for byte, so that a file of text stays one."""

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._in_line = False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is KeyboardInterrupt:
            self._leave_line()

    def event(self, event: sd.Event) -> None:
        """Prints a piece of text."""
        super().event(event)
        if isinstance(event, sd.TextDelta) and event.choice == 0:
            self._out.write(event.text)
            self._in_line = not event.text.endswith("\n")

    def finish(self, answer: sd.Answer) -> None:
        """The last line, and before it a refusal, go to standard error."""
        self._leave_line()
        if answer.refusal:
            self._notes.write(f"refusal: {harmless(answer.refusal)}\n")
        self._sum_up(answer)

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """The error goes to standard error."""
        self._leave_line()
        self._complain(error)

    def _leave_line(self) -> None:
        """`| tee file` brings the text to the same terminal as the notes, and `2>&1` into the same pipe."""
        if self._in_line and (self._notes.is_terminal or self._notes.joins(self._out)):
            self._notes.write("\n")
            self._in_line = False


class JsonPrinter(Printer):
    """One JSON object at the end: the answer, or as much as came of it, and the error or null."""

    def finish(self, answer: sd.Answer) -> None:
        """Prints the whole answer."""
        self._out.write(json_line({**answer.to_dict(), "error": None}))

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the partial answer beside the error."""
        self._out.write(json_line({**partial.to_dict(), "error": _report(error, self._hide)}))
        self._complain(error)


class EventsPrinter(Printer):
    """One JSON object a line for each event as it arrives, and a last one for an error."""

    def event(self, event: sd.Event) -> None:
        """Prints the event on a line of its own."""
        self._out.write(json_line(event.to_dict()))

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the error as the last line. It stands in a member of its own because errors have a ``type`` too."""
        self._out.write(json_line({"type": "error", "error": _report(error, self._hide)}))
        self._complain(error)


class TerminalPrinter(Printer):
    """Choice 0 as it grows, in sections: a new one for each run of reasoning, text or refusal and for each tool call.

    Only the text goes to standard output. Everything is made harmless: see `harmless`.
    """

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._cursor = Cursor()
        self._section: tuple[str, int] | None = None  # what the cursor is in, and its part
        self._stream: sd.EventStream | None = None
        self._spinner = Spinner(notes, lambda: self._cursor.column, self._heard)
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
        self._spinner.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._spinner.__exit__(kind, error, trace)
        self._break_line()

    def watch(self, stream: sd.EventStream) -> None:
        """From now on the wait tells of keep-alives."""
        self._stream = stream

    def event(self, event: sd.Event) -> None:
        """Prints what the event adds to choice 0."""
        super().event(event)
        show = self._show.get(event.type)
        if show and getattr(event, "choice", 0) == 0:
            with self._spinner.over():
                self._arrived = None
                show(event)

    def finish(self, answer: sd.Answer) -> None:
        """Prints the other choices, whole, and the last line."""
        with self._spinner.over():
            for choice in answer.choices[1:]:
                self._enter(("choice", choice.index), f"choice {choice.index}: ")
                self._text(choice.text or choice.refusal)
            self._enter(("last line", 0))
            self._sum_up(answer)

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the error under what came."""
        with self._spinner.over():
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
        self._enter(("tool call", part), f"tool call {harmless_name(self._calls.get(part, '?'))} ")

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


def printer_for(options: argparse.Namespace, hide: Callable[[str], str] = str) -> Printer:
    """The printer that the options and the kind of standard output ask for."""
    out, notes = standard_output(), standard_error()
    if options.json:
        return JsonPrinter(out, notes, hide)
    if options.events:
        return EventsPrinter(out, notes, hide)
    if out.is_terminal:
        return TerminalPrinter(out, notes, hide)
    return TextPrinter(out, notes, hide)


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
            return STATUS_OF_KIND.get(error.kind, USAGE)  # misuse: lines without their ends, for one
    return COMPLETE


# They can only stand inside JSON strings, and json.dumps lets them pass: DEL and C1, which drive terminals, what turns the
# order of a line, and with U+0085 the separators at which many readers of lines would cut an event in two.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *DIRECTIONS, 0x2028, 0x2029)}


def json_line(value: dict[str, Any]) -> str:
    """``value`` as one line of JSON that any parser takes: NaN and the infinities, which JSON has no word for, become null."""
    try:
        line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        line = json.dumps(_mapped(value, _finite), ensure_ascii=False, allow_nan=False)
    return line.translate(_ESCAPES) + "\n"


def _report(error: sd.SSEDialectsError, hide: Callable[[str], str]) -> dict[str, Any]:
    report: dict[str, Any] = _mapped(error.to_dict(), lambda leaf: hide(leaf) if isinstance(leaf, str) else leaf)
    return report


def _finite(leaf: Any) -> Any:
    return None if isinstance(leaf, float) and not isfinite(leaf) else leaf


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Plain JSON with every name, string, number and literal in it changed."""
    if isinstance(value, dict):
        return {change(name): _mapped(item, change) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[object]", value)]
    return change(value)
