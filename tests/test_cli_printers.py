from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import sse_dialects as sd
from sse_dialects.cli.console import Channel
from sse_dialects.cli.printers import EventsPrinter, JsonPrinter, Printer, TextPrinter, json_line, play

if TYPE_CHECKING:
    from collections.abc import Iterator


def chunk(delta: dict[str, Any], **members: Any) -> bytes:
    index = members.pop("index", 0)
    choice = {"index": index, "delta": delta, "finish_reason": members.pop("finish_reason", None)}
    return b"data: %b\n\n" % json.dumps({"id": "c-1", "model": "m-1", "choices": [choice], **members}).encode()


USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
HELLO = [
    chunk({"content": "Hel"}),
    chunk({"content": "lo\x1b[1m"}),
    chunk({}, finish_reason="stop", usage=USAGE),
    b"data: [DONE]\n\n",
]
KEY = "key-12345"
FAILURE = b'data: {"error": {"type": "server_error", "message": "the key %b is tired"}}\n\n' % KEY.encode()


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shown:
    """What one stream makes a printer print."""

    def __init__(self, printer: type[Printer], source: list[bytes], notes: io.StringIO | None = None) -> None:
        out, notes = io.StringIO(), notes or io.StringIO()
        channels = Channel(out, vital=True), Channel(notes, vital=False)
        shown = printer(*channels, lambda text: text.replace(KEY, "[hidden]"))
        self.status = play(lambda: sd.stream(iter(source)), shown)
        self.out = out.getvalue()
        self.notes = notes.getvalue()


def test_text_alone_and_raw() -> None:
    shown = Shown(TextPrinter, HELLO)
    assert (shown.status, shown.out) == (0, "Hello\x1b[1m")
    assert shown.notes.startswith("stop | chat m-1 | tokens 5 in, 2 out | ")
    assert shown.notes.endswith(" s\n")


@pytest.mark.parametrize("printer", [TextPrinter, JsonPrinter])
def test_the_request_is_named_in_the_last_line(printer: type[Printer]) -> None:
    headers = {"x-request-id": "req\x1b[1m_1"}
    out, notes = io.StringIO(), io.StringIO()
    for body, last in ((HELLO, "req\\x1b[1m_1\n"), (HELLO[:2], "request req\\x1b[1m_1\n")):
        shown = printer(Channel(out, vital=True), Channel(notes, vital=False))
        play(lambda body=body: sd.stream(httpx.Response(200, headers=headers, content=b"".join(body))), shown)
        if printer is TextPrinter or body is not HELLO:
            assert notes.getvalue().endswith(last)


def test_text_is_choice_0s() -> None:
    source = [chunk({"content": "first"}), chunk({"content": "second"}, index=1)]
    ends = [chunk({}, finish_reason="stop"), chunk({}, finish_reason="stop", index=1), b"data: [DONE]\n\n"]
    shown = Shown(TextPrinter, source + ends)
    assert shown.out == "first"
    assert "1 more choice" in shown.notes


def test_a_cut_leaves_the_text_on_stdout_and_the_error_beside_it() -> None:
    shown = Shown(TextPrinter, HELLO[:2])
    assert (shown.status, shown.out) == (3, "Hello\x1b[1m")
    assert shown.notes.startswith("error: the stream closed before its terminating frame")
    assert shown.notes.count("\n") == 1


def test_the_switch_that_would_have_helped_is_named_as_an_option() -> None:
    shown = Shown(TextPrinter, HELLO[:3])
    assert shown.status == 3
    assert "--no-require-done" in shown.notes


def test_notes_on_a_terminal_start_on_a_line_of_their_own() -> None:
    assert Shown(TextPrinter, HELLO, Screen()).notes.startswith("\n")
    ended = [chunk({"content": "line\n"}), *HELLO[2:]]
    assert not Shown(TextPrinter, ended, Screen()).notes.startswith("\n")


def test_a_refusal_is_no_text() -> None:
    shown = Shown(TextPrinter, [chunk({"refusal": "I \x1b[1mcan't."}), *HELLO[2:]])
    assert shown.out == ""
    assert "refusal: I ␛[1mcan't.\n" in shown.notes


def test_a_revised_answer_is_announced() -> None:
    choice = {"index": 0, "delta": {}, "message": {"role": "assistant", "content": "other"}}
    snapshot = b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()
    assert "revised" in Shown(TextPrinter, [*HELLO[:2], snapshot, *HELLO[2:]]).notes


def test_what_a_server_says_is_harmless_and_keeps_the_key_to_itself() -> None:
    escape = FAILURE.replace(b"tired", b"\\u001b[31mtired")
    shown = Shown(TextPrinter, [*HELLO[:2], escape])
    assert shown.status == 4
    assert "the key [hidden] is \\x1b[31mtired" in shown.notes


def test_ctrl_c_ends_the_line() -> None:
    out, notes = io.StringIO(), Screen()

    def source() -> Iterator[bytes]:
        yield HELLO[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(lambda: sd.stream(source()), TextPrinter(Channel(out, vital=True), Channel(notes, vital=False)))
    assert (out.getvalue(), notes.getvalue()) == ("Hel", "\n")


FORGED = "m\nstop | chat gpt\u202e | \x1b[1m"
SHOWN = "m␊stop | chat gpt\\u202e | ␛[1m"


def test_a_models_name_forges_no_line() -> None:
    source = [chunk({"content": "Hi"}, model=FORGED, finish_reason=FORGED), b"data: [DONE]\n\n"]
    (line,) = Shown(TextPrinter, source).notes.splitlines()
    assert line.startswith(f"stop ({SHOWN}) | chat {SHOWN} | ")


def test_json_is_one_object_with_null_for_the_error() -> None:
    shown = Shown(JsonPrinter, HELLO)
    assert (shown.status, shown.notes, shown.out.count("\n")) == (0, "", 1)
    answer = json.loads(shown.out)
    assert answer["text"] == "Hello\x1b[1m"
    assert answer["complete"] is True
    assert answer["error"] is None
    assert set(answer) == {*sd.Answer(None).to_dict(), "error"}


def test_json_of_a_failure_holds_the_partial_answer() -> None:
    shown = Shown(JsonPrinter, [*HELLO[:2], FAILURE])
    answer = json.loads(shown.out)
    assert shown.status == 4
    assert (answer["text"], answer["complete"]) == ("Hello\x1b[1m", False)
    assert (answer["error"]["kind"], answer["error"]["type"]) == ("upstream", "server_error")
    assert answer["error"]["message"] == "the key [hidden] is tired"
    assert shown.notes.startswith("error: ")


def test_json_before_anything_came() -> None:
    answer = json.loads(Shown(JsonPrinter, []).out)
    assert (answer["text"], answer["dialect"], answer["error"]["kind"]) == ("", None, "truncated")


def test_events_are_lines_that_arrive_one_by_one() -> None:
    out = io.StringIO()
    seen: list[int] = []

    def source() -> Iterator[bytes]:
        for piece in HELLO:
            seen.append(out.getvalue().count("\n"))
            yield piece

    printer = EventsPrinter(Channel(out, vital=True), Channel(io.StringIO(), vital=False))
    assert play(lambda: sd.stream(source()), printer) == 0
    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [event["type"] for event in events] == ["started", "text_delta", "text_delta", "usage_reported", "finished"]
    assert seen[1:3] == [2, 3]


def test_an_error_is_the_last_line_and_keeps_its_own_type() -> None:
    shown = Shown(EventsPrinter, [*HELLO[:2], FAILURE])
    last = json.loads(shown.out.splitlines()[-1])
    assert (last["type"], last["error"]["kind"], last["error"]["type"]) == ("error", "upstream", "server_error")


def test_nan_and_infinity_become_null() -> None:
    line = json_line({"a": [float("nan"), {"b": float("-inf")}], "c": 1e300})
    assert json.loads(line, parse_constant=pytest.fail) == {"a": [None, {"b": None}], "c": 1e300}


def test_a_json_line_is_one_line_for_every_reader_and_harmless() -> None:
    text = "one\u2028two\u0085three\x1b\x9b\x7f\n\r"
    line = json_line({"text": text})
    assert len(line.splitlines()) == 1
    assert line.isprintable() or line[:-1].isprintable()
    assert json.loads(line) == {"text": text}


def test_half_a_surrogate_pair_is_still_json() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace")
    Channel(file, vital=True).write(json_line({"\ud83d": 1}))
    assert json.loads(raw.getvalue()) == {"\ud83d": 1}
