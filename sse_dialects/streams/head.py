"""What the first pieces of a body show that the decoder can't see: lines without their ends, and a compression left as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sse_dialects.body import foreign
from sse_dialects.sources.misuse import lines_without_ends

if TYPE_CHECKING:
    from sse_dialects.errors import NotAnEventStreamError

__all__ = ["BodyHead", "is_text"]

_KEPT = 512  # bytes of a body with a Content-Encoding, to see afterwards whether the client undid it


class BodyHead:
    """Looks at the first pieces of one body.

    Args:
        encoding: the Content-Encoding, None where none was applied.
    """

    __slots__ = ("_encoding", "_first", "_lines")

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._first = b""
        self._lines = 0  # pieces that look like a line without its end; -1 once a line end has come

    def feed(self, piece: bytes) -> bool:
        """Look at a piece. Returns whether to look at the next one, too.

        Raises:
            MisuseError: these are lines without their ends.
        """
        if self._encoding is not None:
            self._first = (self._first + piece[:_KEPT])[:_KEPT]
        if b"\n" in piece or b"\r" in piece:
            self._lines = -1
        elif self._lines >= 0 and piece.startswith((b"data:", b"event:")):
            self._lines += 1
            if self._lines == 2:
                raise lines_without_ends()
        return self._lines >= 0 or (self._encoding is not None and len(self._first) < _KEPT)

    def undecoded(self) -> NotAnEventStreamError | None:
        """The error for a compressed body that the client left as it was. Not every compression has magic bytes."""
        if self._encoding is None or not self._first or is_text(self._first):
            return None
        return foreign(self._encoding, self._first)


def is_text(data: bytes) -> bool:
    """Whether bytes, which may end inside a character, can be the beginning of a text."""
    if re.search(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]", data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True
