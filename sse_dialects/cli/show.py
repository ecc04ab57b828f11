"""What `read` and `post` print into pipes and files: text, JSON or events. `terminal` has what they print for people."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import sse_dialects as sd

from .channel import Channel, harmless, standard_error, standard_output
from .printer import Printer
from .terminal import TerminalPrinter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["EventsPrinter", "JsonPrinter", "TextPrinter", "json_line", "printer_for"]


class TextPrinter(Printer):
    """The text of choice 0 and nothing else on standard output, byte for byte, so that a file of text stays one."""

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._in_line = False

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


# They can only stand inside JSON strings, and json.dumps lets them pass: DEL and C1, which drive terminals, and with U+0085
# the separators at which many readers of lines would cut an event in two.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}


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
