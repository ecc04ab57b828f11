"""The head that ``curl -i`` writes ahead of a body: its status line and headers, once for each response on the way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["SavedResponse"]

_BEGINNING = b"HTTP/"
_HEAD = re.compile(rb"HTTP/[0-9.]{1,8} +([0-9]{3})[^\r\n]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n")
_MAX_HEAD = 1 << 16  # bytes; servers and curl itself allow far less


class SavedResponse:
    """A source for `sse_dialects.stream`: pieces of bytes which may begin with the heads of responses.

    A proxy, a ``100 Continue`` and each redirection that curl followed have a head of their own; the last one counts. The first
    pieces are read at once, up to the first byte of the body.

    Attributes:
        status_code: the status, None where there is no head: then this is no response.
        headers: pairs, in a mapping with names in lower case.
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
        """Take heads off until a body begins. What a source raises here, it raises when it is iterated."""
        try:
            for piece in self._pieces:
                self._first += piece
                while head := _HEAD.match(self._first):
                    self._take(head)
                if not _may_begin(self._first) or len(self._first) > _MAX_HEAD:
                    return
        except Exception as error:
            self._failure = error
        if (head := _HEAD.match(self._first.rstrip() + b"\r\n\r\n")) is not None:  # cut within the head
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
