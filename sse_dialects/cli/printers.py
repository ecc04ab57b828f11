"""What `read` and `post` print: text, JSON or events into pipes and files, and what people see on a terminal."""

from __future__ import annotations

import json
import re
import time
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import sse_dialects as sd

from .console import (
    COMPLETE,
    DIRECTIONS,
    STATUS_OF_KIND,
    USAGE,
    Channel,
    Cursor,
    Spinner,
    harmless,
    harmless_name,
    standard_error,
    standard_output,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_DIM, _CALL, _REFUSAL = "2", "36", "33"
# The events that a terminal shows.
_Shown = sd.TextDelta | sd.ReasoningDelta | sd.RefusalDelta | sd.ToolCallStarted | sd.ToolCallDelta
# An extra with one of these names means that the answer differs from the sum of the deltas.
_REVISIONS = frozenset({"snapshot", "think_tags"})
_REVISED = "the provider revised the answer after it was shown: --json prints what counts\n"
# Advice for programs in an error's message, and its replacement on the command line, where there is no `error`, no argument
# to pass and no HTTP client to set up.
_FOR_PROGRAMS = (
    (re.compile(r"; error\.partial holds what came"), ""),
    (re.compile(r"pass require_done=False"), "add --no-require-done"),
    (re.compile(r'pass that or "auto"'), "use --dialect auto"),
    (re.compile(r'name the dialect "(\w+)"'), r"use --dialect \1"),
    (re.compile(r"larger than Limits\((\w+)=([\d,]+)\) allows\..*"), r"larger than \1 (\2); --limit \1=N allows more."),
    (re.compile(r"httpx\.Timeout\(read=\.\.\.\) ran out"), "--timeout ran out"),
    (re.compile(r"first_token_timeout ran out"), "--first-token-timeout ran out"),
    (re.compile(r"(content|total)_timeout ran out"), r"--\1-timeout ran out"),
    (re.compile(r"; let the client follow redirects \(httpx: follow_redirects=True\)"), "; send the request there"),
    (re.compile(r"let the HTTP client decode the body, or send Accept-Encoding: identity"), "send Accept-Encoding: identity"),
)


class Printer:
    """The base of the printers. It writes what all of them send to standard error.

    Args:
        out: the channel for the answer.
        notes: the channel for everything else.
        hide: removes secrets from an error's text.
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

    def __exit__(self, *raised: object) -> None:
        """Releases what `__enter__` acquired."""

    def watch(self, stream: sd.EventStream) -> None:
        """The stream is open. The printer may read its ``stats`` from now on."""
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
    """Writes the text of choice 0, unchanged, to standard output, and nothing else."""

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._in_line = False

    def __exit__(self, *raised: object) -> None:
        if raised[0] is KeyboardInterrupt:
            self._leave_line()

    def event(self, event: sd.Event) -> None:
        """Prints a piece of text."""
        super().event(event)
        if isinstance(event, sd.TextDelta) and event.choice == 0:
            self._out.write(event.text)
            self._in_line = not event.text.endswith("\n")

    def finish(self, answer: sd.Answer) -> None:
        """Writes a refusal and the summary to standard error."""
        self._leave_line()
        if answer.refusal:
            self._notes.write(f"refusal: {harmless(answer.refusal)}\n")
        self._sum_up(answer)

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Writes the error to standard error."""
        self._leave_line()
        self._complain(error)

    def _leave_line(self) -> None:
        """Ends the line if notes follow it on the same terminal (``| tee file``) or in the same pipe (``2>&1``)."""
        if self._in_line and (self._notes.is_terminal or self._notes.joins(self._out)):
            self._notes.write("\n")
            self._in_line = False


class JsonPrinter(Printer):
    """Writes one JSON object at the end: the answer (after an error the partial one), and the error or null."""

    def finish(self, answer: sd.Answer) -> None:
        """Prints the answer."""
        self._out.write(json_line({**answer.to_dict(), "error": None}))

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the partial answer beside the error."""
        self._out.write(json_line({**partial.to_dict(), "error": _report(error, self._hide)}))
        self._complain(error)


class EventsPrinter(Printer):
    """Writes one JSON object per line: each event as it arrives, and an error as the last line."""

    def event(self, event: sd.Event) -> None:
        """Prints the event on a line of its own."""
        self._out.write(json_line(event.to_dict()))

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the error in the member ``error``, because errors have a ``type`` of their own."""
        self._out.write(json_line({"type": "error", "error": _report(error, self._hide)}))
        self._complain(error)


class TerminalPrinter(Printer):
    """Shows choice 0 as it grows, in sections: one for each run of reasoning, text or refusal, and one for each tool call.

    Only the text goes to standard output. Control characters are made visible; see `harmless`.
    """

    def __init__(self, out: Channel, notes: Channel, hide: Callable[[str], str] = str) -> None:
        super().__init__(out, notes, hide)
        self._cursor = Cursor()
        self._section: tuple[str, int] | None = None  # the open section: its kind and part
        self._stream: sd.EventStream | None = None
        self._spinner = Spinner(notes, lambda: self._cursor.column, self._heard)
        self._arrived: int | None = None  # comments and frames received when the silence began
        self._names: dict[int, str] = {}  # tool names by part

    def __enter__(self) -> TerminalPrinter:
        self._spinner.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._spinner.__exit__(*raised)
        self._break_line()

    def watch(self, stream: sd.EventStream) -> None:
        """From now on the spinner counts the stream's keep-alives."""
        self._stream = stream

    def event(self, event: sd.Event) -> None:
        """Prints what the event adds to choice 0."""
        super().event(event)
        if isinstance(event, _Shown) and event.choice == 0:
            with self._spinner.over():
                self._arrived = None
                self._show(event)

    def finish(self, answer: sd.Answer) -> None:
        """Prints the other choices and the summary."""
        with self._spinner.over():
            for choice in answer.choices[1:]:
                self._enter(("choice", choice.index), f"choice {choice.index}: ")
                self._text(choice.text or choice.refusal)
            self._enter(("last line", 0))
            self._sum_up(answer)

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        """Prints the error below the partial answer."""
        with self._spinner.over():
            self._enter(("last line", 0))
            self._complain(error)

    def _show(self, event: _Shown) -> None:
        if isinstance(event, sd.TextDelta):
            self._enter(("text", 0))
            self._text(event.text)
        elif isinstance(event, sd.ReasoningDelta):
            self._enter(("reasoning", event.part))
            self._note(_DIM, event.text)
        elif isinstance(event, sd.RefusalDelta):
            self._enter(("refusal", 0), "refusal: ")
            self._note(_REFUSAL, event.text)
        else:
            if isinstance(event, sd.ToolCallStarted):
                self._names[event.part] = event.name or "?"
            self._enter(("tool call", event.part), f"tool call {harmless_name(self._names.get(event.part, '?'))} ")
            if isinstance(event, sd.ToolCallDelta):
                self._note("", event.arguments)

    def _enter(self, section: tuple[str, int], heading: str = "") -> None:
        """Starts a section unless it is open already. An empty line separates sections, but not two tool calls."""
        if section == self._section:
            return
        self._break_line()
        if self._section and not self._section[0] == section[0] == "tool call":
            self._notes.write("\n")
        self._section = section
        self._note(_CALL, heading)

    def _text(self, text: str) -> None:
        shown = harmless(text)
        # Before the write: Ctrl-C between the two then adds an empty line instead of losing one.
        self._cursor.moved(shown, self._out)
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
        """The number of keep-alives in this silence. The spinner's thread calls this; it only reads counters."""
        if self._stream is None:
            return ""
        stats = self._stream.stats
        arrived = stats.comments + stats.frames
        if self._arrived is None:
            self._arrived = arrived
        number = arrived - self._arrived
        return f"{number} keep-alive{'' if number == 1 else 's'}" if number else ""


def printer_for(options: argparse.Namespace, hide: Callable[[str], str] = str) -> Printer:
    """Returns the printer for the options; without one of them, standard output decides: terminal or not."""
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
            return STATUS_OF_KIND.get(error.kind, USAGE)  # misuse, for example lines without line ends
    return COMPLETE


# Characters inside JSON strings that json.dumps does not escape: DEL and C1 drive terminals, the DIRECTIONS reorder a line, and
# many line readers split at U+0085, U+2028 and U+2029.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *DIRECTIONS, 0x2028, 0x2029)}


def json_line(value: dict[str, Any]) -> str:
    """``value`` as one line of standard JSON. NaN and the infinities become null."""
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
    """Returns a copy of plain JSON with ``change`` applied to every name and every leaf."""
    if isinstance(value, dict):
        return {change(name): _mapped(item, change) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast("list[object]", value)]
    return change(value)


def sentence(error: sd.SSEDialectsError) -> str:
    """The error's message, naming options of this command line in place of a program's arguments."""
    words = str(error)
    for pattern, replacement in _FOR_PROGRAMS:
        words = pattern.sub(replacement, words)
    return words


def advice(error: sd.SSEDialectsError) -> str:
    """A hint for the user of a pipe, or ""."""
    if isinstance(error, sd.TruncatedStreamError) and not error.byte_count:
        return "Behind a pipe, the command before it may say why."
    return ""


def summary(answer: sd.Answer, elapsed_s: float) -> str:
    """One line with finish reason, dialect, model, token counts, parts other than text, and the time."""
    source = " ".join(harmless_name(word) for word in (answer.dialect, answer.model) if word)
    fields = [_finish(answer), source, tokens(answer.usage), *_other_parts(answer), f"{elapsed_s:.1f} s"]
    return " | ".join(field for field in fields if field)


def tokens(usage: sd.Usage | None) -> str:
    """For example "tokens 14 in (10 cached), 6 out (4 reasoning)"; "" without counts."""
    if usage is None:
        return ""
    counts = [
        _counted(usage.input_tokens, "in", usage.cached_input_tokens, "cached"),
        _counted(usage.output_tokens, "out", usage.reasoning_tokens, "reasoning"),
    ]
    known = ", ".join(count for count in counts if count)
    return f"tokens {known}" if known else ""


def _counted(number: int | None, word: str, of_which: int | None, name: str) -> str:
    if number is None:
        return ""
    return f"{number:,} {word}" + (f" ({of_which:,} {name})" if of_which else "")


def _finish(answer: sd.Answer) -> str:
    native = harmless_name(answer.native_finish_reason or "")
    reason = answer.finish_reason or "no finish reason"
    return f"{reason} ({native})" if native and native != reason else reason


def _other_parts(answer: sd.Answer) -> list[str]:
    """What the answer holds besides choice 0's text."""
    others = sum(isinstance(part, sd.OtherPart) for part in answer.parts)
    counts = {"tool call": len(answer.tool_calls), "other part": others, "more choice": max(len(answer.choices) - 1, 0)}
    fields = [f"{number} {noun}{'' if number == 1 else 's'}" for noun, number in counts.items() if number]
    cut_calls = sum(not call.complete for call in answer.tool_calls)
    if cut_calls:
        fields.append(f"{cut_calls} tool call{'' if cut_calls == 1 else 's'} cut short: not to be executed")
    if answer.refusal:
        fields.append("refusal")
    return fields
