"""What the socket under a sync response allows, where the transport exposes it (httpx and httpx2, over HTTP/1.1): to drain a
finished body in bounded time, and to wake a thread that waits for bytes."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Any

__all__ = ["DRAIN_BYTES", "DRAIN_S", "drain", "wake"]

# What may follow a terminating frame is the end of the body, a stray `[DONE]` or keep-alives. More is not worth a connection.
DRAIN_BYTES = 1 << 16
DRAIN_S = 0.25  # seconds. Opening a connection anew costs about as much
_SHORTEST_S = 0.001  # a timeout of 0 would switch the socket to non-blocking


def drain(response: Any, pieces: Any) -> None:
    """Reads ``pieces`` to their end, so that the connection can be used again, for no longer than `DRAIN_S`; where that can't be
    made sure, reads nothing."""
    transport = _transport(response)
    if transport is None:
        return
    from threading import get_ident

    deadline = monotonic() + DRAIN_S
    read = getattr(transport.read, "unbounded", transport.read)
    ours = get_ident()

    def read_until(max_bytes: int, timeout: float | None = None) -> Any:
        return read(max_bytes, timeout=max(deadline - monotonic(), _SHORTEST_S) if get_ident() == ours else timeout)

    # The body has its timeout from the request and asks for it at each read. The connection goes back to its pool inside the last
    # step of ``pieces``, where another thread may take it before we are back, and drain it too: hence the ownership.
    read_until.unbounded = read  # type: ignore[attr-defined]
    transport.read = read_until
    left = DRAIN_BYTES
    try:
        for piece in pieces:
            left -= len(piece)
            if left <= 0 or monotonic() >= deadline:
                break
    except Exception:  # nothing that happens after the terminating frame matters; closing follows
        pass
    finally:
        own: Any = transport.__dict__
        if own.get("read") is read_until:
            own.pop("read", None)


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
