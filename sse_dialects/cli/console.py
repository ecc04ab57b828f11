"""The standard streams: UTF-8 into pipes, harmless text and styles on terminals, and where a terminal's cursor stands."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

from .exit_codes import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO, TextIO

__all__ = [
    "DIRECTIONS",
    "Channel",
    "Cursor",
    "ReaderLeft",
    "harmless",
    "harmless_name",
    "standard_error",
    "standard_input",
    "standard_output",
    "width",
]

# Windows reports a pipe without a reader as EINVAL.
_LEFT = frozenset({errno.EPIPE, errno.EINVAL})

_TAB = 8


class ReaderLeft(Exception):  # noqa: N818  # `| head` is no error
    """Whoever read our stdout wants no more of it."""


class Channel:
    """Standard output or standard error.

    Args:
        file: the text stream; None where the process was started without one: writes then go nowhere.
        vital: whether a write that fails ends the command. Nobody misses notes to a standard error that is gone.
    """

    __slots__ = ("_file", "_vital", "is_terminal", "movable", "styled")

    def __init__(self, file: TextIO | None, *, vital: bool) -> None:
        self._file = file
        self._vital = vital
        self.is_terminal = file is not None and file.isatty()
        self.movable = self.is_terminal and _obeys(os.environ, windows=os.name == "nt")
        self.styled = self.movable and not os.environ.get("NO_COLOR")  # https://no-color.org

    def write(self, text: str) -> None:
        """Hands ``text`` on at once.

        Raises:
            ReaderLeft: the pipe has no reader any more.
            CommandError: the text can't be written, because the disk is full for one.
        """
        if self._file is None:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            self._abandon()
            if not self._vital:
                return
            if error.errno in _LEFT:
                raise ReaderLeft from None
            raise CommandError(f"can't write to standard output: {error.strerror}") from None

    def joins(self, other: Channel) -> bool:
        """Whether both go into the same pipe or file, as after ``2>&1``."""
        try:
            return os.path.sameopenfile(self._file.fileno(), other._file.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            return False  # one of them has no descriptor

    def wipe_line(self) -> None:
        """Empties the line that the cursor is in, where this is a terminal: Ctrl-C is echoed there as ``^C``."""
        if self.movable:
            self.write("\r\x1b[K")

    def style(self, codes: str, text: str) -> str:
        """``text`` in the SGR style ``codes`` ("2" is dim, "31" red) where colour is wanted, else as it is.

        The style ends with the text, so that no interruption leaves a terminal coloured.
        """
        return f"\x1b[{codes}m{text}\x1b[0m" if self.styled and text else text

    def _abandon(self) -> None:
        """Sends what the buffer still holds to nowhere, or the interpreter would complain about it while it exits."""
        file, self._file = self._file, None
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, file.fileno())  # type: ignore[union-attr]
            os.close(nowhere)
        except OSError:
            pass  # a stream without a descriptor has nothing to flush at exit


def standard_output() -> Channel:
    """Standard output as a channel. In a pipe it is UTF-8 with line ends as they come, whatever the locale says."""
    return Channel(_configured(sys.stdout), vital=True)


def standard_input() -> BinaryIO:
    """Standard input as bytes.

    Raises:
        CommandError: the process was started without one.
    """
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise CommandError("there is no standard input to read from; name a file")
    return sys.stdin.buffer


def standard_error() -> Channel:
    """Standard error as a channel."""
    return Channel(_configured(sys.stderr), vital=False)


def _configured(file: TextIO | None) -> TextIO | None:
    """What a terminal's encoding has no character for is escaped; JSON can then still be read back."""
    reconfigure = getattr(file, "reconfigure", None)
    if file is not None and reconfigure is not None:
        if file.isatty():
            reconfigure(errors="backslashreplace")
        else:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return file


def _obeys(environment: Mapping[str, str], *, windows: bool) -> bool:
    """Whether a terminal follows escape sequences; an old Windows console, which sets neither variable, prints them."""
    if windows and not environment.keys() & {"WT_SESSION", "TERM"}:
        return False
    return environment.get("TERM") != "dumb"


# What changes the direction of writing, so that text seems to say something else (https://trojansource.codes).
DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
# Everything that a terminal obeys, as pictures: C0 but newline and tab, DEL, and C1, whose U+009B opens a sequence like ESC [.
_PICTURES: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: 0x2421,
    **{code: f"\\x{code:02x}" for code in range(0x80, 0xA0)},
    **{code: f"\\u{code:04x}" for code in DIRECTIONS},
}
# What ends a line, or leaves a gap that looks like a column's, has no place in a name.
_NAME_PICTURES = {**_PICTURES, 0x09: 0x2409, 0x0A: 0x240A, 0x2028: "\\u2028", 0x2029: "\\u2029"}


def harmless(text: str) -> str:
    """``text`` with its control and direction characters made visible.

    A model must not be able to move, recolour or retitle a terminal, nor to turn the order of what is shown.
    """
    return text.replace("\r\n", "\n").translate(_PICTURES)


def harmless_name(name: str) -> str:
    """A ``name`` (of a model, a tool, a reason) as a piece of one line: as `harmless`, and nothing in it begins a line."""
    return name.translate(_NAME_PICTURES)


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
