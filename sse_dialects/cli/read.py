"""``sse-dialects read``: a stream from a file or a pipe, with or without the response heads that ``curl -i`` writes."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO

import sse_dialects as sd
from sse_dialects.recording import replay

from .console import CommandError, standard_error, standard_input
from .printers import play, printer_for

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from sse_dialects.recording import Replay

_HINT = "reading what you type; end it with Ctrl-D, or pipe a stream in: curl -sSN ... | sse-dialects read\n"
_BEGINNING = b"HTTP/"
_HEAD = re.compile(rb"HTTP/[0-9.]{1,8} +([0-9]{3})[^\r\n]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n")
_MAX_HEAD = 1 << 16  # bytes; servers and curl itself allow far less


def read(options: argparse.Namespace) -> int:
    """Decodes ``options.file`` ("-" is standard input): a raw stream, with or without the response heads that ``curl -i`` writes,
    or a recording, played at ``options.speed``.

    Returns:
        The exit status.

    Raises:
        CommandError: the file can't be read.
    """
    with _opened(options.file) as file:
        source = _replayed(file, options.speed) if file.seekable() else pieces(file, options.speed)
        return play(
            lambda: sd.stream(_response(source), options.dialect, **options.stream),
            printer_for(options),
        )


def _response(source: Iterable[bytes]) -> Iterable[bytes]:
    """Returns a recording that knows its response as it is. Otherwise the bytes may begin with the heads of responses."""
    return source if getattr(source, "status_code", None) is not None else SavedResponse(source)


def pieces(pipe: BinaryIO, speed: float | None = None) -> Iterator[bytes]:
    """Yields bytes of a pipe as they arrive. Nothing is read before the iteration begins, so that the printer shows the wait."""
    yield from _replayed(pipe, speed)


def _replayed(file: BinaryIO, speed: float | None) -> Replay:
    try:
        return replay(file, speed=speed)
    except (OSError, sd.MisuseError) as error:
        raise CommandError(f"can't read the recording: {error}") from None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    """Opens the file. Standard input is not closed at the end."""
    if name != "-":
        try:
            return open(name, "rb")
        except OSError as error:
            if "://" in name:  # not repeated: there may be a key in it
                raise CommandError("`read` sends no request: use `post`, or curl -sSN ... | sse-dialects read") from None
            raise CommandError(f"can't read {name}: {error.strerror}") from None
    source = standard_input()
    if source.isatty():
        standard_error().write(_HINT)
    return nullcontext(source)


class SavedResponse:
    """A source for `sse_dialects.stream`: bytes that may begin with the heads of responses, as ``curl -i`` writes them.

    A proxy, a ``100 Continue`` and each redirection that curl followed add a head; the last one counts. The constructor reads up
    to the first byte of the body.

    Attributes:
        status_code: the HTTP status, or None without a head.
        headers: the values by lower-case name.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.status_code: int | None = None
        self.headers: dict[str, str] = {}
        self._pieces = iter(pieces)
        self._first = b""
        self._failure: Exception | None = None
        self._read_heads()

    def __iter__(self) -> Iterator[bytes]:
        if self._first:
            yield self._first
        if self._failure is not None:
            raise self._failure
        yield from self._pieces

    def _read_heads(self) -> None:
        """Removes heads until a body begins. An exception of the source is raised later, by `__iter__`."""
        try:
            for piece in self._pieces:
                self._first += piece
                while head := _HEAD.match(self._first):
                    self._take(head)
                if not _may_begin(self._first) or len(self._first) > _MAX_HEAD:
                    return
        except Exception as error:
            self._failure = error
        if (head := _HEAD.match(self._first.rstrip() + b"\r\n\r\n")) is not None:  # the stream was cut inside a head
            self._take(head)

    def _take(self, head: re.Match[bytes]) -> None:
        self.status_code = int(head[1])
        self.headers = {}
        for line in head[2].decode("latin-1").splitlines():
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self._first = self._first[head.end() :]


def _may_begin(data: bytes) -> bool:
    return data.startswith(_BEGINNING) or _BEGINNING.startswith(data)
