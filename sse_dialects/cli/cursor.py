"""Where a terminal's cursor stands after what was printed, as well as that can be told from outside."""

from __future__ import annotations

import shutil
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .channel import Channel

__all__ = ["Cursor", "width"]

_TAB = 8


class Cursor:
    """Follows what is written to two channels that may be one terminal."""

    __slots__ = ("_channel", "column")

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self.column = 0  # cells from the left edge; 0 is the start of a line

    @property
    def open_line(self) -> Channel | None:
        """The channel whose line is not ended yet, or None at the start of a line."""
        return self._channel if self.column else None

    def moved(self, text: str, channel: Channel) -> None:
        """Takes in that ``text``, without control characters but newlines and tabs, was written to ``channel``."""
        if not text:
            return
        _, newline, last = text.rpartition("\n")
        column = 0 if newline else self.column
        for run, tab in _runs(last):
            column += width(run)
            if tab:
                column += _TAB - column % _TAB
        columns = shutil.get_terminal_size().columns
        # A full line stays open: the terminal wraps only before the next character.
        self.column = (column - 1) % columns + 1 if column else 0
        self._channel = channel


def _runs(line: str) -> list[tuple[str, bool]]:
    """The line's runs between tabs, each with whether a tab follows."""
    *ended, last = line.split("\t")
    return [*((run, True) for run in ended), (last, False)]


def width(text: str) -> int:
    """Cells that ``text`` takes: two for East Asian wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
