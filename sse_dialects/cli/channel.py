"""The standard streams: UTF-8 into pipes, harmless text and styles on terminals, and a reader who may leave."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from .status import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO, TextIO

__all__ = ["Channel", "ReaderLeft", "harmless", "standard_error", "standard_input", "standard_output"]

# Windows reports a pipe without a reader as EINVAL.
_LEFT = frozenset({errno.EPIPE, errno.EINVAL})


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


# Everything that a terminal obeys, as pictures: C0 but newline and tab, DEL, and C1, whose U+009B opens a sequence like ESC [.
_PICTURES: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: 0x2421,
    **{code: f"\\x{code:02x}" for code in range(0x80, 0xA0)},
}


def harmless(text: str) -> str:
    """``text`` with its control characters made visible: a model must not be able to move, recolour or retitle a terminal."""
    return text.replace("\r\n", "\n").translate(_PICTURES)
