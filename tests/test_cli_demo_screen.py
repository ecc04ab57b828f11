from __future__ import annotations

import io

import pytest

from sse_dialects.cli.console import Channel
from sse_dialects.cli.demo import DemoScreen


@pytest.fixture
def file() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def screen(file: io.StringIO) -> DemoScreen:
    return DemoScreen(Channel(file, vital=True))


def test_pieces_grow_one_row_until_something_else_comes(screen: DemoScreen, file: io.StringIO) -> None:
    screen.piece("text", "one ")
    screen.piece("text", "")
    screen.piece("text", "two")
    screen.piece("call", "f")
    screen.row("finished", "stop")
    assert file.getvalue() == "  text          one two\n  call          f\n  finished      stop\n"


def test_rows_and_paragraphs_wrap_within_80_columns(screen: DemoScreen, file: io.StringIO) -> None:
    screen.say("word " * 40)
    screen.row("raised", "word " * 40)
    screen.clipped("wire", "x" * 200)
    screen.beside(["left"] * 2, ["right"], ("31", "32"))
    screen.head("1  title", "note")
    screen.code("pass")
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) < 80
    assert "                word word" in file.getvalue()
    assert sum("..." in line for line in lines) == 1
    assert "  left                                   right" in lines
    assert lines[-4:] == ["", "1  title  note", "", "    pass"]


class Narrow(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_narrow_terminal_gets_shorter_lines(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    file = Narrow()
    with DemoScreen(Channel(file, vital=True)) as screen:
        screen.say("word " * 40)
        screen.head("4  messages, and the provider fails", "HTTP said 200 long ago")
        for _ in range(30):
            screen.piece("text", "some wor")
            screen.piece("text", "ds here ")
        screen.row("raised", "word " * 40)
        screen.clipped("wire", "x" * 200)
        screen.beside(["left and"] * 3, ["right and"] * 2, ("31", "32"))
        screen.piece("text", "unfinished")
    assert file.getvalue().endswith("unfinished\n")
    assert max(len(line.rstrip()) for line in file.getvalue().splitlines()) < min(columns, 80)
    assert ("  left and left" in file.getvalue()) is (columns < 80)


def test_a_row_that_grows_is_ended_whatever_happens(screen: DemoScreen, file: io.StringIO) -> None:
    def interrupted() -> None:
        with screen:
            screen.piece("text", "half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.getvalue().endswith("half\n")


def test_a_short_row_is_not_clipped(screen: DemoScreen, file: io.StringIO) -> None:
    screen.clipped("wire", "data: [DONE]")
    assert file.getvalue() == "  wire          data: [DONE]\n"
