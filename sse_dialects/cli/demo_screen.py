"""The demonstration's screen: labelled rows that grow piece by piece, within 80 columns."""

from __future__ import annotations

import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .console import Channel

__all__ = ["DemoScreen"]

_WIDTH = 79
_LABEL = 16  # with the two spaces before it
_COLUMN = 38
_HEAD = 24  # characters of a clipped row before the gap
_BOLD, _DIM, _CODE = "1", "2", "36"


class DemoScreen:
    """Prints to ``out``. A row that grows is ended by whatever is printed next."""

    def __init__(self, out: Channel) -> None:
        self._out = out
        self._growing = ""  # the label of the row that grows

    def say(self, text: str, style: str = "") -> None:
        """A paragraph after an empty line."""
        self._end_row()
        self._out.write("\n")
        for line in textwrap.wrap(text, _WIDTH):
            self._out.write(self._styled(style, line) + "\n")

    def code(self, *lines: str) -> None:
        """Lines of a program."""
        self._end_row()
        self._out.write("\n" + "".join(f"    {self._styled(_CODE, line)}\n" for line in lines))

    def head(self, title: str, note: str) -> None:
        """Begins a scene."""
        self._end_row()
        self._out.write(f"\n{self._styled(_BOLD, title)}{self._styled(_DIM, f'  {note}')}\n")

    def row(self, label: str, text: str, style: str = "") -> None:
        """A whole row, wrapped beside its label."""
        self._end_row()
        for number, line in enumerate(textwrap.wrap(text, _WIDTH - _LABEL)):
            self._out.write(f"{self._label('' if number else label)}{self._styled(style, line)}\n")

    def clipped(self, label: str, text: str, style: str = "") -> None:
        """A row of one line, "..." in its middle where it is too long."""
        over = len(text) - (_WIDTH - _LABEL)
        self.row(label, text if over <= 0 else f"{text[:_HEAD]}...{text[_HEAD + over + 3 :]}", style)

    def piece(self, label: str, text: str, style: str = "") -> None:
        """The next piece of a row that grows; its maker keeps it within the width."""
        if not text:
            return
        if label != self._growing:
            self._end_row()
            self._out.write(self._label(label))
            self._growing = label
        self._out.write(self._styled(style, text))

    def beside(self, left: Sequence[str], right: Sequence[str], styles: tuple[str, str]) -> None:
        """Two columns, each line at most half the width."""
        self._end_row()
        self._out.write("\n")
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
