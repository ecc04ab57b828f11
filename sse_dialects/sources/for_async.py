"""The sources that async code can read. Reading files and plain iterables blocks the event loop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .misuse import blocking, read_before, refuse_unreadable, unread
from .response import head_of
from .source import READ_BYTES, Source, background_task, is_bytes, opened_by, slices, sync_or_async, unwrapped

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

__all__ = ["open_async_source"]


def open_async_source(source: Any) -> Source:
    """Opens what an async stream can read.

    Raises:
        MisuseError: it can't be read, or would block the event loop, or has been read before; the text says what to pass instead.
    """
    if is_bytes(source):
        return Source(_Steps(slices(source)), None, ())
    refuse_unreadable(source)
    origin = unwrapped(source)
    iterator = opened_by(_ROWS, origin)
    if iterator is None:
        raise unread(source) if head_of(origin).status is None else blocking(origin)
    opened = Source(iterator, origin, _closers(iterator, origin))
    if opened.response is not None and sync_or_async(origin) == "sync":
        raise blocking(origin)
    return opened


def _closers(iterator: Any, origin: Any) -> list[Callable[[], Any]]:
    names = ("aclose", "close")
    holders = (iterator, origin) if iterator is not origin else (origin,)
    found = (next((getattr(holder, name) for name in names if hasattr(holder, name)), None) for holder in holders)
    closers = [closer for closer in found if closer is not None]
    return closers if background_task(origin) is None else [partial(_stop_background_task, origin), *closers]


async def _stop_background_task(response: Any) -> None:
    """Ends the task that fills a response, and leaves one that has ended in its place: curl_cffi's own ``aclose``, which its user
    may call as well, waits until the server has sent all, and would pass on the cancellation."""
    import asyncio

    task = response.astream_task
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))
        response.astream_task = asyncio.get_running_loop().create_future()
        response.astream_task.set_result(None)


class _Reads:
    """The pieces of something with a method that reads: asyncio, trio and anyio streams, async files; also plain files, whose
    read returns bytes and no awaitable. Empty bytes are the end."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    def __aiter__(self) -> _Reads:
        return self

    async def __anext__(self) -> Any:
        piece = self._read()
        if hasattr(piece, "__await__"):
            piece = await piece
        if piece == b"":
            raise StopAsyncIteration
        return piece


class _Steps:
    """Yields the pieces of a plain iterable."""

    __slots__ = ("_iterator", "close")

    def __init__(self, iterator: Any) -> None:
        self._iterator: Iterator[Any] = iterator
        if hasattr(iterator, "close"):
            self.close: Callable[[], Any] = iterator.close

    def __aiter__(self) -> _Steps:
        return self

    async def __anext__(self) -> Any:
        for piece in self._iterator:
            return piece
        raise StopAsyncIteration


class _Browser:
    """The pieces of a ReadableStream, the body of a browser's Response, as Pyodide shows it."""

    __slots__ = ("_reader",)

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __aiter__(self) -> _Browser:
        return self

    async def __anext__(self) -> Any:
        result = await self._reader.read()
        if result.done:
            raise StopAsyncIteration
        return result.value.to_bytes()

    async def aclose(self) -> None:
        await self._reader.cancel()


class _Promised:
    """Yields the pieces of an async iterator that must itself be awaited, as in niquests."""

    __slots__ = ("_iterator", "_promise")

    def __init__(self, promise: Awaitable[Any]) -> None:
        self._promise = promise
        self._iterator: Any = None

    def __aiter__(self) -> _Promised:
        return self

    async def __anext__(self) -> Any:
        if self._iterator is None:
            self._iterator = await self._promise
        return await self._iterator.__anext__()

    async def aclose(self) -> None:
        if self._iterator is None:
            self._promise.close()  # type: ignore[attr-defined]  # a coroutine that nobody awaited
        else:
            await self._iterator.aclose()


def _iter_bytes(response: Any) -> Any:
    """The SDKs' raw async responses name their async iterator like the sync one of others."""
    pieces = response.iter_bytes()
    return pieces if hasattr(pieces, "__anext__") else None


def _iter_content(response: Any) -> Any:
    pieces = response.iter_content()
    return _Promised(pieces) if hasattr(pieces, "__await__") else None


def _body(response: Any) -> Any:
    """A response without a body (204) has none to read from; Pyodide shows JavaScript's null as something false."""
    if response.bodyUsed:
        raise read_before()
    return _Browser(response.body.getReader()) if response.body else _Reads(bytes)


def _content(response: Any) -> Any:
    content = response.content
    if not hasattr(content, "iter_any"):
        return None
    if content.at_eof() and content.total_bytes:
        raise read_before()
    return content.iter_any()


def _reads(file: Any) -> _Reads:
    read = file.read1 if hasattr(file, "read1") else file.read
    return _Reads(lambda: read(READ_BYTES))


# The first name that the source has decides. Looking a name up may do work (requests reads the whole body for `content`), so a
# names that cost nothing come before such ones.
_ROWS: dict[str, Callable[[Any], Any]] = {
    "aiter_bytes": lambda response: response.aiter_bytes(),  # httpx, httpx2
    "aiter_content": lambda response: response.aiter_content(),  # curl_cffi
    "iter_bytes": _iter_bytes,  # raw async responses of the OpenAI and Anthropic SDKs
    "iter_content": _iter_content,  # niquests
    "js_response": lambda response: _body(response.js_response),  # Pyodide's FetchResponse
    "getReader": lambda stream: _Browser(stream.getReader()),  # a browser's ReadableStream
    "arrayBuffer": _body,  # a browser's Response
    "content": _content,  # aiohttp
    "iter_any": lambda reader: reader.iter_any(),  # aiohttp's StreamReader
    "receive_some": lambda stream: _Reads(lambda: stream.receive_some(READ_BYTES)),  # trio
    "read1": _reads,  # anyio's files; buffered files and pipes
    "read": _reads,  # asyncio.StreamReader, aiofiles; unbuffered files
    "__aiter__": lambda iterable: iterable.__aiter__(),
    "__iter__": lambda iterable: _Steps(iter(iterable)),
}
