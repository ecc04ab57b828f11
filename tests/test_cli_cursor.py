from __future__ import annotations

import io

import pytest

from sse_dialects.cli.console import Channel, Cursor, width


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")


@pytest.fixture
def channel() -> Channel:
    return Channel(io.StringIO(), vital=True)


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("", 0), ("é", 1), ("e\u0301", 1), ("東京", 4), ("\uff21", 2), ("a\u200db", 2)],
)
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells


@pytest.mark.parametrize(
    ("pieces", "column"),
    [
        (["abc"], 3),
        (["abc", "de"], 5),
        (["abc\nd"], 1),
        (["abc\n"], 0),
        (["a\tb"], 9),
        (["\t"], 8),
        (["x" * 20], 20),
        (["x" * 20, "y"], 1),
        (["x" * 45], 5),
        (["東京"], 4),
        ([""], 0),
    ],
)
def test_column(pieces: list[str], column: int, channel: Channel) -> None:
    cursor = Cursor()
    for piece in pieces:
        cursor.moved(piece, channel)
    assert cursor.column == column


def test_the_open_line_is_the_last_writers(channel: Channel) -> None:
    cursor, other = Cursor(), Channel(io.StringIO(), vital=False)
    assert cursor.open_line is None
    cursor.moved("text", channel)
    assert cursor.open_line is channel
    cursor.moved("note", other)
    assert cursor.open_line is other
    cursor.moved("\n", other)
    assert cursor.open_line is None
