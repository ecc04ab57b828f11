"""The terminal side of the command line: exit statuses, the standard streams, harmless text, the cursor, the spinner."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
import time
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import BinaryIO, TextIO

COMPLETE = 0  # also when the reader of stdout left
NOT_CONNECTED = 1
USAGE = 2  # also a file that can't be read; argparse uses the same number
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it

# By the `kind` of the error that ended the stream.
STATUS_OF_KIND = {
    "truncated": 3,
    "stalled": 3,
    "upstream": 4,
    "rejected": 4,
    "malformed": 5,
    "limit": 5,
    "not_event_stream": 5,
}

# Windows reports a pipe without a reader as EINVAL.
_LEFT = frozenset({errno.EPIPE, errno.EINVAL})

_TAB = 8

_DELAY_S = 1.0  # shorter pauses are normal for a model
_TICK_S = 0.2
_FRAMES = "|/-\\"


class CommandError(Exception):
    """The command can't do its work, for a reason outside the stream.

    Attributes:
        status: the exit status of the process.
    """

    def __init__(self, sentence: str, status: int = USAGE) -> None:
        super().__init__(sentence)
        self.status = status


class ReaderLeft(Exception):  # noqa: N818  # `| head` is not an error
    """The program that read our standard output closed the pipe."""


class Channel:
    """Standard output or standard error.

    Args:
        file: the text stream. None if the process was started without one; writes then do nothing.
        vital: whether a failed write ends the command. For standard error it does not.
    """

    __slots__ = ("_file", "_vital", "is_terminal", "movable", "styled")

    def __init__(self, file: TextIO | None, *, vital: bool) -> None:
        self._file = file
        self._vital = vital
        self.is_terminal = file is not None and file.isatty()
        self.movable = self.is_terminal and _obeys(os.environ, windows=os.name == "nt")
        self.styled = self.movable and not os.environ.get("NO_COLOR")  # https://no-color.org

    def write(self, text: str) -> None:
        """Writes and flushes ``text``.

        Raises:
            ReaderLeft: the pipe no longer has a reader.
            CommandError: the write failed for another reason, for example a full disk.
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
        """Whether both channels write to the same pipe or file, as after ``2>&1``."""
        try:
            return os.path.sameopenfile(self._file.fileno(), other._file.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            return False  # one of them has no descriptor

    def wipe_line(self) -> None:
        """On a terminal, clears the line of the cursor. Ctrl-C is echoed there as ``^C``."""
        if self.movable:
            self.write("\r\x1b[K")

    def style(self, codes: str, text: str) -> str:
        """Returns ``text`` in the SGR style ``codes`` ("2" is dim, "31" red) if this channel shows colour, otherwise unchanged.

        The style is reset after the text, so that an interruption never leaves the terminal coloured.
        """
        return f"\x1b[{codes}m{text}\x1b[0m" if self.styled and text else text

    def _abandon(self) -> None:
        """Redirects the buffered rest to the null device. Otherwise the interpreter reports an error when it flushes at exit."""
        file, self._file = self._file, None
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, file.fileno())  # type: ignore[union-attr]
            os.close(nowhere)
        except OSError:
            pass  # a stream without a descriptor has nothing to flush at exit


def standard_output() -> Channel:
    """Standard output as a channel. In a pipe it is UTF-8 with unchanged line ends, independent of the locale."""
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
    """Escapes characters that the encoding can't represent, in a way that JSON parsers read back."""
    reconfigure = getattr(file, "reconfigure", None)
    if file is not None and reconfigure is not None:
        if file.isatty():
            reconfigure(errors="backslashreplace")
        else:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return file


def _obeys(environment: Mapping[str, str], *, windows: bool) -> bool:
    """Whether the terminal supports escape sequences. An old Windows console sets neither variable, and prints them."""
    if windows and not environment.keys() & {"WT_SESSION", "TERM"}:
        return False
    return environment.get("TERM") != "dumb"


# Characters that change the direction of writing, and so how a text reads (https://trojansource.codes).
DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
# Visible replacements of control characters: C0 except newline and tab, DEL, and C1, whose U+009B begins a sequence like ESC [.
_PICTURES: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: 0x2421,
    **{code: f"\\x{code:02x}" for code in range(0x80, 0xA0)},
    **{code: f"\\u{code:04x}" for code in DIRECTIONS},
}
# In names, line ends and tabs are replaced too: they could imitate another line or column.
_NAME_PICTURES = {**_PICTURES, 0x09: 0x2409, 0x0A: 0x240A, 0x2028: "\\u2028", 0x2029: "\\u2029"}


def harmless(text: str) -> str:
    """Returns ``text`` with its control and direction characters made visible.

    A model's text must not move the cursor, change colours or the window title, or reorder what is shown.
    """
    return text.replace("\r\n", "\n").translate(_PICTURES)


def harmless_name(name: str) -> str:
    """Returns the name of a model, a tool or a reason, made `harmless` and kept on one line."""
    return name.translate(_NAME_PICTURES)


class Cursor:
    """Tracks the cursor of a terminal that two channels may share."""

    __slots__ = ("_channel", "column")

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self.column = 0  # cells from the left edge

    @property
    def open_line(self) -> Channel | None:
        """The channel that wrote the unfinished line, or None at the start of a line."""
        return self._channel if self.column else None

    def moved(self, text: str, channel: Channel) -> None:
        """Updates the position after ``text`` was written to ``channel``. Its only control characters are newlines and tabs."""
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
    """The runs of text between tabs, each with whether a tab follows it."""
    *ended, last = line.split("\t")
    return [*((run, True) for run in ended), (last, False)]


def width(text: str) -> int:
    """The number of terminal cells of ``text``: two per East Asian wide character, none per combining mark."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Spinner:
    """Shows behind the cursor how long the model has been silent. It runs in a thread of its own, on terminals only.

    Args:
        notes: the channel to draw on.
        column: returns the cursor's column, so that the spinner never wraps onto another line.
        heard: returns what arrived during the silence, for example "3 keep-alives", or "".
    """

    def __init__(self, notes: Channel, column: Callable[[], int], heard: Callable[[], str]) -> None:
        self._notes = notes
        self._column = column
        self._heard = heard
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._since = time.monotonic()
        self._shown = 0  # characters of the spinner on the screen
        self._turns = 0
        self._thread = threading.Thread(target=self._run, name="sse-dialects spinner", daemon=True) if notes.movable else None

    def __enter__(self) -> Spinner:
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()
        self._wipe()

    @contextmanager
    def over(self) -> Generator[None, None, None]:
        """Removes the spinner while the caller prints. Afterwards the silence is measured from zero."""
        with self._lock:
            self._wipe()
            yield
            self._since = time.monotonic()

    def _run(self) -> None:
        while not self._ended.wait(_TICK_S):
            with self._lock:
                silent_s = time.monotonic() - self._since
                if silent_s >= _DELAY_S:
                    self._draw(silent_s)

    def _draw(self, silent_s: float) -> None:
        self._wipe()
        column = self._column()
        room = shutil.get_terminal_size().columns - 1 - column
        frame = _FRAMES[self._turns % len(_FRAMES)]
        heard = self._heard()
        clock = f"{' ' if column else ''}{frame} {silent_s:.0f} s"
        whole = f"{clock} of silence{f', {heard}' if heard else ''}"
        face = next((text for text in (whole, clock) if len(text) <= room), "")
        self._notes.write(self._notes.style("2", face))
        self._shown = len(face)
        self._turns += 1

    def _wipe(self) -> None:
        if self._shown:
            self._notes.write("\b" * self._shown + "\x1b[K")
            self._shown = 0
