"""The body of an HTTP error: read in full within bounds, and made into `RequestRejectedError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sse_dialects.errors import RequestRejectedError, rejection_of

if TYPE_CHECKING:
    from sse_dialects.sources.response import ResponseHead

__all__ = ["REJECTION_S", "Rejection"]

_MAX_BODY = 1 << 20  # bytes. Error pages stay below 100 KB; validation errors that echo the request reach a few hundred KB
# Seconds for the whole body: the status alone says what to do, and a server in trouble may never finish its page.
REJECTION_S = 5.0


class Rejection:
    """Collects the body that follows a status outside 2xx."""

    __slots__ = ("_body", "_head")

    def __init__(self, head: ResponseHead) -> None:
        self._head = head
        self._body = bytearray()

    def feed(self, piece: bytes | bytearray | memoryview) -> bool:
        """Takes a piece; returns whether enough is in."""
        self._body += memoryview(piece)[: _MAX_BODY - len(self._body)]
        return len(self._body) >= _MAX_BODY

    def error(self) -> RequestRejectedError:
        """What the server said, as far as it said it."""
        return rejection_of(self._head.status or 0, self._head.headers, bytes(self._body))
