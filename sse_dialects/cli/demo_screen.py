"""The demonstration's screen: labelled rows that grow piece by piece, within 80 columns or a narrower terminal."""

from __future__ import annotations

import re
import shutil
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .console import Channel

__all__ = ["DemoScreen"]

from .console import width

_WIDTH = 79
_NARROWEST = 30  # in less, a row would be a word a line
_LABEL = 16  # with the two spaces before it
_COLUMN = 38
_HEAD = 24  # characters of a clipped row before the gap
_BOLD, _DIM, _CODE = "1", "2", "36"


class DemoScreen:
    """Prints to ``out``. A row that grows is ended by whatever is printed next."""

    def __init__(self, out: Channel) -> None:
        self._out = out
        self._width = _WIDTH
        if out.is_terminal:
            self._width = max(min(_WIDTH, shutil.get_terminal_size().columns - 1), _NARROWEST)
        self._growing = ""  # the label of the row that grows
        self._column = 0  # where that row's text ends

    def __enter__(self) -> DemoScreen:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end_row()

    def say(self, text: str, style: str = "") -> None:
        """A paragraph after an empty line."""
        self._end_row()
        self._out.write("\n")
        for line in textwrap.wrap(text, self._width):
            self._out.write(self._styled(style, line) + "\n")

    def code(self, *lines: str) -> None:
        """Lines of a program."""
        self._end_row()
        self._out.write("\n" + "".join(f"    {self._styled(_CODE, line)}\n" for line in lines))

    def head(self, title: str, note: str) -> None:
        """Begins a scene."""
        self._end_row()
        gap = "  " if len(title) + 2 + len(note) <= self._width else "\n   "
        self._out.write(f"\n{self._styled(_BOLD, title)}{gap}{self._styled(_DIM, note)}\n")

    def row(self, label: str, text: str, style: str = "") -> None:
        """A whole row, wrapped beside its label."""
        self._end_row()
        for number, line in enumerate(textwrap.wrap(text, self._width - _LABEL)):
            self._out.write(f"{self._label('' if number else label)}{self._styled(style, line)}\n")

    def clipped(self, label: str, text: str, style: str = "") -> None:
        """A row of one line, "..." in its middle where it is too long."""
        room = self._width - _LABEL
        head = min(_HEAD, room // 2 - 3)
        over = len(text) - room
        self.row(label, text if over <= 0 else f"{text[:head]}...{text[head + over + 3 :]}", style)

    def piece(self, label: str, text: str, style: str = "") -> None:
        """The next piece of a row that grows. A word that does not fit goes on in the next line."""
        if not text:
            return
        if label != self._growing:
            self._end_row()
            self._out.write(self._label(label))
            self._growing = label
            self._column = _LABEL
        for word in re.findall(r"\S+\s*|\s+", text):
            if self._column + width(word.rstrip()) > self._width and self._column > _LABEL:
                self._out.write(f"\n{self._label('')}")
                self._column = _LABEL
            self._out.write(self._styled(style, word))
            self._column += width(word)

    def beside(self, left: Sequence[str], right: Sequence[str], styles: tuple[str, str]) -> None:
        """Two columns, each line at most half the width; below each other where there is not room for both."""
        self._end_row()
        self._out.write("\n")
        if self._width < _WIDTH:
            for lines, style in zip((left, right), styles, strict=True):
                for line in textwrap.wrap(" ".join(lines), self._width - 2):
                    self._out.write(f"  {self._styled(style, line)}\n")
                self._out.write("\n" if lines is left else "")
            return
        for one, other in zip_longest(left, right, fillvalue=""):
            gap = " " * (_COLUMN - len(one))
            self._out.write(f"  {self._styled(styles[0], one)}{gap} {self._styled(styles[1], other)}\n")

    def _end_row(self) -> None:
        if self._growing:
            self._out.write("\n")
            self._growing = ""

    def _label(self, label: str) -> str:
        return f"  {label:<{_LABEL - 2}}"

    def _styled(self, style: str, text: str) -> str:
        return self._out.style(style, text) if style else text
