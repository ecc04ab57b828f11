from __future__ import annotations

import io
import re
import time

import pytest

from sse_dialects.cli import console
from sse_dialects.cli.console import Channel, Spinner


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_DELAY_S", 0.05)
    monkeypatch.setattr(console, "_TICK_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")


def left_on(shown: str) -> str:
    """What stands on a line after backspaces and erasures."""
    line: list[str] = []
    at = 0
    for token in re.findall(r"\x1b\[K|\x08|[^\x1b]", shown):
        if token == "\x1b[K":
            del line[at:]
        elif token == "\b":
            at -= 1
        else:
            line[at : at + 1] = [token]
            at += 1
    return "".join(line)


def waited(screen: io.StringIO, *, column: int = 0, heard: str = "") -> str:
    """What the wait has drawn when it first drew, and then wiped."""
    with Spinner(Channel(screen, vital=False), lambda: column, lambda: heard):
        deadline = time.monotonic() + 5
        while not screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        drawn = left_on(screen.getvalue())
    assert left_on(screen.getvalue()) == ""
    return drawn


def test_silence_is_shown_and_wiped() -> None:
    assert re.fullmatch(r"[-|/\\] 0 s of silence", waited(Screen()))


def test_what_was_heard_is_told_where_there_is_room() -> None:
    assert waited(Screen(), heard="2 keep-alives").endswith("0 s of silence, 2 keep-alives")
    assert re.fullmatch(r" [-|/\\] 0 s", waited(Screen(), column=20, heard="2 keep-alives"))


def test_no_room_no_clock() -> None:
    screen = Screen()
    with Spinner(Channel(screen, vital=False), lambda: 38, lambda: ""):
        time.sleep(0.1)
    assert left_on(screen.getvalue()) == ""


def test_what_comes_wipes_the_clock_and_starts_the_wait_anew() -> None:
    screen = Screen()
    with Spinner(Channel(screen, vital=False), lambda: 0, lambda: "") as wait:
        while not screen.getvalue():
            time.sleep(0.01)
        with wait.over():
            assert left_on(screen.getvalue()) == ""
            time.sleep(0.1)
            assert left_on(screen.getvalue()) == ""


def test_only_a_terminal_that_can_move_its_cursor_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setenv("TERM", "dumb")
    dumb = Screen()
    for file in (pipe, dumb):
        with Spinner(Channel(file, vital=False), lambda: 0, lambda: "") as wait:
            time.sleep(0.1)
            with wait.over():
                pass
        assert file.getvalue() == ""
