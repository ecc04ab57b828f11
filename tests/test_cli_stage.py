from __future__ import annotations

import io

import pytest

from sse_dialects.cli.channel import Channel
from sse_dialects.cli.stage import Stage


@pytest.fixture
def file() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def stage(file: io.StringIO) -> Stage:
    return Stage(Channel(file, vital=True))


def test_pieces_grow_one_row_until_something_else_comes(stage: Stage, file: io.StringIO) -> None:
    stage.piece("text", "one ")
    stage.piece("text", "")
    stage.piece("text", "two")
    stage.piece("call", "f")
    stage.row("finished", "stop")
    assert file.getvalue() == "  text          one two\n  call          f\n  finished      stop\n"


def test_rows_and_paragraphs_wrap_within_80_columns(stage: Stage, file: io.StringIO) -> None:
    stage.say("word " * 40)
    stage.row("raised", "word " * 40)
    stage.clipped("wire", "x" * 200)
    stage.beside(["left"] * 2, ["right"], ("31", "32"))
    stage.head("1  title", "note")
    stage.code("pass")
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) < 80
    assert "                word word" in file.getvalue()
    assert sum("..." in line for line in lines) == 1
    assert "  left                                   right" in lines
    assert lines[-4:] == ["", "1  title  note", "", "    pass"]


def test_a_short_row_is_not_clipped(stage: Stage, file: io.StringIO) -> None:
    stage.clipped("wire", "data: [DONE]")
    assert file.getvalue() == "  wire          data: [DONE]\n"
