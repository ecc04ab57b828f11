"""What people see: in memory for each event, and from real processes on a pseudo-terminal."""

from __future__ import annotations

import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

import sse_dialects as sd
from sse_dialects.cli.console import Channel
from sse_dialects.cli.printers import TerminalPrinter, play

COLUMNS = 60


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def chunk(delta: dict[str, Any], index: int = 0, finish_reason: str | None = None, **members: Any) -> bytes:
    choice = {"index": index, "delta": delta, "finish_reason": finish_reason}
    return b"data: %b\n\n" % json.dumps({"id": "c-1", "model": "m-1", "choices": [choice], **members}).encode()


def call(index: int, arguments: str, name: str | None = None) -> bytes:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    opened = {"id": f"call-{index}", "type": "function"} if name else {}
    return chunk({"tool_calls": [{"index": index, **opened, "function": function}]})


DONE = b"data: [DONE]\n\n"
TURN = [
    chunk({"reasoning_content": "Let me "}),
    chunk({"reasoning_content": "think."}),
    chunk({"content": "Hello "}),
    chunk({"content": "world."}),
    call(0, "", name="look_up"),
    call(0, '{"term": '),
    call(1, "{", name="count"),
    call(0, '"sky"}'),
    call(1, "}"),
    chunk({}, finish_reason="tool_calls", usage={"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}),
    DONE,
]
TURN_SHOWN = """\
Let me think.

Hello world.

tool call look_up {"term": 
tool call count {
tool call look_up "sky"}
tool call count }

tool_calls | chat m-1 | tokens 5 in, 9 out | 2 tool calls | 0.0 s
"""  # noqa: W291


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.delenv("NO_COLOR", raising=False)


def shown(source: list[bytes], *, notes: io.StringIO | None = None) -> str:
    screen = Screen()
    printer = TerminalPrinter(Channel(screen, vital=True), Channel(notes or screen, vital=False))
    play(lambda: sd.stream(iter(source)), printer)
    return screen.getvalue()


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def without_time(text: str) -> str:
    return text.rpartition(" | ")[0]


def test_a_turn_in_sections() -> None:
    text = shown(TURN)
    assert without_time(plain(text)) == without_time(TURN_SHOWN)
    assert "\x1b[2mLet me \x1b[0m\x1b[2mthink.\x1b[0m" in text
    assert "Hello world." in text


def test_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert without_time(shown(TURN)) == without_time(TURN_SHOWN)


def test_text_is_all_that_goes_to_standard_output() -> None:
    notes = io.StringIO()
    assert shown(TURN, notes=notes) == "Hello world.\n"
    assert notes.getvalue().startswith("Let me think.\n")


def test_an_error_stands_under_what_came() -> None:
    text = plain(shown(TURN[:3]))
    assert text.startswith("Let me think.\n\nHello \n\nerror: the stream closed before its terminating frame")
    assert shown([]).startswith("\x1b[1;31merror:\x1b[0m ")


def test_a_model_can_not_drive_the_terminal() -> None:
    attack = "\x1b]0;title\x07\x1b[2J\x9b31m\b\b\r\u202e\u2066"
    source = [chunk({"reasoning_content": attack}), chunk({"content": attack}), call(0, "{}", name=attack)]
    failure = b"data: %b\n\n" % json.dumps({"error": {"message": attack}}).encode()
    text = plain(shown([*source, chunk({"refusal": attack}), failure]))
    assert not set(text) & {"\x1b", "\x07", "\x9b", "\b", "\r", "\u202e", "\u2066"}
    assert (text.count("␛]0;title␇"), text.count("\\x1b]0;title\\x07")) == (4, 1)


def test_a_tools_name_forges_no_line() -> None:
    text = plain(shown([call(0, "{}", name="f\nerror: \u202eno"), *TURN[-2:]]))
    assert "tool call f␊error: \\u202eno {}" in text.splitlines()


def test_other_choices_follow_whole() -> None:
    source = [chunk({"content": "one"}), chunk({"content": "t"}, 1), chunk({"content": "wo"}, 1)]
    ends = [chunk({}, 0, "stop"), chunk({}, 1, "stop"), DONE]
    assert plain(shown(source + ends)).startswith("one\n\nchoice 1: two\n\nstop | ")


def test_a_refusal() -> None:
    source = [chunk({"refusal": "I "}), chunk({"refusal": "can't."}), chunk({}, finish_reason="stop"), DONE]
    assert plain(shown(source)).startswith("refusal: I can't.\n\n")


def test_silence_is_shown_before_there_is_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sse_dialects.cli.console._DELAY_S", 0.05)
    monkeypatch.setattr("sse_dialects.cli.console._TICK_S", 0.01)
    screen = Screen()

    def slow_to_connect() -> sd.EventStream:
        deadline = time.monotonic() + 5
        while "of silence" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        return sd.stream(iter(TURN))

    channels = Channel(screen, vital=True), Channel(screen, vital=False)
    assert play(slow_to_connect, TerminalPrinter(*channels)) == 0
    assert "0 s of silence" in screen.getvalue()
    left = "\n".join(Emulator().feed(screen.getvalue()))
    assert without_time(left) == without_time(TURN_SHOWN)


# ---- real processes


class Emulator:
    """The little of a terminal that the command line uses: text, newlines, backspaces, erasing to the end of the line."""

    def __init__(self) -> None:
        self.lines = [""]
        self.column = 0

    def feed(self, output: str) -> list[str]:
        for token in re.findall(r"\x1b\[[0-9;]*[mK]|.", output, re.DOTALL):
            self._take(token)
        return self.lines

    def _take(self, token: str) -> None:
        line = self.lines[-1]
        if token == "\n":
            self.lines.append("")
            self.column = 0
        elif token == "\b":
            self.column -= 1
        elif token == "\r":
            self.column = 0
        elif token.endswith("K") and token != "K":
            self.lines[-1] = line[: self.column]
        elif len(token) == 1:
            self.lines[-1] = line[: self.column] + token + line[self.column + 1 :]
            self.column += 1


class Terminal:
    """A process on a pseudo-terminal, its standard input a pipe."""

    def __init__(self, *arguments: str, command: list[str] | None = None) -> None:
        pty = pytest.importorskip("pty")
        self._ours, theirs = pty.openpty()
        command = [sys.executable, *(command or ["-m", "sse_dialects", *arguments])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.output = b""

    def send(self, piece: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(piece)
        self.process.stdin.flush()

    def read_until(self, wanted: bytes, seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while wanted not in self.output:
            waiting_s = deadline - time.monotonic()
            if not select.select([self._ours], [], [], max(waiting_s, 0))[0]:
                self.process.kill()
                pytest.fail(f"no {wanted!r} in {self.output!r}")
            self._read()

    def end(self) -> tuple[int, str]:
        assert self.process.stdin
        self.process.stdin.close()
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(20), self.output.decode()

    def _read(self) -> bool:
        try:
            piece = os.read(self._ours, 1 << 16)
        except OSError:  # Linux's way to say that no process has the terminal any more
            return False
        self.output += piece
        return bool(piece)


def test_a_pipe_is_shown_as_it_arrives_and_its_silence_too() -> None:
    terminal = Terminal("read")
    terminal.send(TURN[0] + TURN[2])
    terminal.read_until(b"Hello ")
    terminal.read_until(b" 1 s of silence")
    terminal.send(b": keep-alive\n\n: keep-alive\n\n")
    terminal.read_until(b"2 keep-alives")
    terminal.send(b"".join(TURN[3:]))
    status, output = terminal.end()
    assert status == 0
    lines = Emulator().feed(output)
    assert lines[:5] == ["Let me ", "", "Hello world.", "", 'tool call look_up {"term": ']
    assert re.fullmatch(r"tool_calls \| chat m-1 \| tokens 5 in, 9 out \| 2 tool calls \| [1-9]\.\d s", lines[-2])
    assert lines[-1] == ""


def test_ctrl_c_leaves_a_clean_line() -> None:
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from sse_dialects.cli import main; sys.exit(main(['read']))"
    terminal = Terminal(command=["-c", code])
    terminal.send(TURN[2])
    terminal.read_until(b"Hello ")
    terminal.process.send_signal(signal.SIGINT)
    status, output = terminal.end()
    assert status == 130
    assert Emulator().feed(output) == ["Hello ", "sse-dialects: interrupted; what came is not the whole answer", ""]


def test_silence_before_the_first_word_is_wiped() -> None:
    terminal = Terminal("read", "-")
    terminal.read_until(b"of silence")
    status, output = terminal.end()
    assert status == 3
    assert Emulator().feed(output)[0].startswith("error: ")
