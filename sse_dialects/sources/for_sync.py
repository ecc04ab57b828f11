"""The sources that sync code can read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .misuse import only_asynchronous, refuse_unreadable
from .source import READ_BYTES, Source, background_task, is_bytes, opened_by, slices, sync_or_async, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["open_source"]


def open_source(source: Any) -> Source:
    """Opens what a sync stream can read.

    Raises:
        MisuseError: it can't be read, or only by async code, or has been read before; the text says what to pass instead.
    """
    if is_bytes(source):
        return Source(slices(source), None, ())
    refuse_unreadable(source)
    origin = unwrapped(source)
    iterator = None if sync_or_async(origin) == "async" else opened_by(_ROWS, origin)
    if iterator is None:
        raise only_asynchronous(origin)
    if hasattr(iterator, "__await__") or hasattr(iterator, "__anext__"):
        raise only_asynchronous(iterator)
    holders = (iterator, origin) if iterator is not origin else (origin,)
    return Source(iterator, origin, [holder.close for holder in holders if hasattr(holder, "close")])


def _iter_bytes(response: Any) -> Any:
    return response.iter_bytes()


def _iter_content(response: Any) -> Any:
    """Reads the urllib3 response inside a requests response: it returns the bytes at hand, while requests waits for a full block.

    That one is closed where the client has read the body already; the pieces then come from memory.
    """
    raw: Any = getattr(response, "raw", None)
    if hasattr(raw, "decode_content") and hasattr(raw, "read1") and not raw.isclosed():
        return _decoded_reads(raw)
    background_task(response)
    return response.iter_content(None)


def _read_chunked(response: Any) -> Iterator[bytes]:
    """Before urllib3 2, only chunked bodies came as they arrived; others wait until a number of bytes is full."""
    return _decoded_reads(response) if hasattr(response, "read1") else response.stream(READ_BYTES, decode_content=True)


def _decoded_reads(response: Any) -> Iterator[bytes]:
    """``read1`` as files have it, which also undoes Content-Encoding. urllib3-future gives b"" also where a decompressor has
    taken bytes and not given any yet; that is no end while the response is open."""
    while True:
        if piece := response.read1(READ_BYTES, decode_content=True):
            yield piece
        elif response.isclosed():
            return


def _reads(file: Any) -> Iterator[bytes]:
    read = file.read1 if hasattr(file, "read1") else file.read
    return iter(partial(read, READ_BYTES), b"")


# The first name that the source has decides.
_ROWS: dict[str, Callable[[Any], Any]] = {
    "iter_bytes": _iter_bytes,  # httpx, httpx2, the raw responses of the OpenAI and Anthropic SDKs
    "oheaders": lambda response: response.iter_content(),  # niquests: as requests, but gives what is there
    "iter_content": _iter_content,  # requests, curl_cffi
    "read_chunked": _read_chunked,  # urllib3
    "read1": _reads,  # http.client and urllib.request responses, buffered files and pipes
    "read": _reads,  # unbuffered files
    "__iter__": iter,
}
