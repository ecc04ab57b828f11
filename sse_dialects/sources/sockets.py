"""What the socket under a sync response allows, where the transport exposes it (httpx and httpx2, over HTTP/1.1): to bound each
read, to drain a finished body in bounded time, and to wake a thread that waits for bytes."""

from __future__ import annotations

from _thread import get_ident  # `threading` takes 3 ms to import
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any

__all__ = ["DRAIN_BYTES", "DRAIN_S", "BoundedReads", "bounded_reads", "drain", "wake"]

# What may follow a terminating frame is the end of the body, a stray `[DONE]` or keep-alives. More is not worth a connection.
DRAIN_BYTES = 1 << 16
DRAIN_S = 0.25  # seconds. Opening a connection anew costs about as much
_SHORTEST_S = 0.001  # a timeout of 0 would switch the socket to non-blocking


class BoundedReads:
    """Takes the place of a transport's ``read``, and gives each read no more time than is left until a moment.

    The body takes its timeout from the request and asks for it at each read, so the transport is the place to shorten it. The
    connection goes back to its pool inside the last step of the body, where another thread may take it before `remove` is
    called, and bound its reads in its turn: so only reads of the thread that called `until` are bounded.
    """

    __slots__ = ("_thread", "_transport", "_until", "unbounded")

    def __init__(self, transport: Any) -> None:
        self.unbounded = getattr(transport.read, "unbounded", transport.read)
        self._transport = transport
        self._thread = 0
        self._until = inf
        transport.read = self

    def __call__(self, max_bytes: int, timeout: float | None = None) -> Any:
        """Reads as the transport does."""
        if self._thread == get_ident():
            left = max(self._until - monotonic(), _SHORTEST_S)
            timeout = left if timeout is None else min(left, timeout)
        return self.unbounded(max_bytes, timeout=timeout)

    def until(self, moment: float) -> None:
        """Let this thread's reads end by ``moment``, of `time.monotonic`; infinity for no bound."""
        self._thread = get_ident() if moment < inf else 0
        self._until = moment

    def remove(self) -> None:
        """Restores the transport's own ``read``. Later calls do nothing."""
        self._thread = 0
        own: Any = self._transport.__dict__
        if own.get("read") is self:
            own.pop("read", None)


def bounded_reads(response: Any) -> BoundedReads | None:
    """The reads under ``response``, bounded from now on; None where its transport does not expose them."""
    transport = _transport(response)
    return None if transport is None else BoundedReads(transport)


def drain(response: Any, pieces: Any) -> None:
    """Reads ``pieces`` to their end, so that the connection can be used again, for no longer than `DRAIN_S`; where that can't be
    made sure, reads nothing."""
    reads = bounded_reads(response)
    if reads is None:
        return
    deadline = monotonic() + DRAIN_S
    reads.until(deadline)
    left = DRAIN_BYTES
    try:
        for piece in pieces:
            left -= len(piece)
            if left <= 0 or monotonic() >= deadline:
                break
    except Exception:  # nothing that happens after the terminating frame matters; closing follows
        pass
    finally:
        reads.remove()


def wake(response: Any) -> bool:
    """Shuts the connection down, so that a thread that waits for its bytes comes back at once. Whether that was possible."""
    transport = _transport(response)
    if transport is None:
        return False
    from socket import SHUT_RDWR

    with suppress(OSError):  # not connected any more: then nobody waits
        transport.get_extra_info("socket").shutdown(SHUT_RDWR)
    return True


def _transport(response: Any) -> Any:
    extensions: Any = getattr(response, "extensions", {})
    if not hasattr(extensions, "get") or extensions.get("http_version") not in {b"HTTP/1.1", b"HTTP/1.0"}:
        return None
    transport = extensions.get("network_stream")
    if not hasattr(transport, "read") or not hasattr(transport, "get_extra_info"):
        return None
    return transport if transport.get_extra_info("socket") is not None else None
