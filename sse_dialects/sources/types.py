"""What type checkers take for a source. They refuse what can't be read: a str, a file open as text, a response that has to be
entered or awaited first. Which of the methods is used, the tables of `for_sync` and `for_async` say."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator
from typing import Any, Protocol

__all__ = ["AsyncSource", "SyncSource"]

_Bytes = bytes | bytearray | memoryview


class _HasIterBytes(Protocol):
    """httpx, httpx2, the raw responses of SDKs."""

    def iter_bytes(self) -> Iterator[bytes]: ...


class _HasIterContent(Protocol):
    """requests, curl_cffi, niquests."""

    def iter_content(self) -> Any: ...


class _HasRead(Protocol):
    """Files open in binary mode, urllib3, http.client."""

    def read(self, size: int, /) -> bytes: ...


class _HasResponse(Protocol):
    """httpx-sse's EventSource, an SDK's stream."""

    @property
    def response(self) -> Any: ...


class _HasAiterBytes(Protocol):
    """httpx, httpx2."""

    def aiter_bytes(self) -> AsyncIterator[bytes]: ...


class _HasAiterContent(Protocol):
    """curl_cffi."""

    def aiter_content(self) -> Any: ...


class _HasAsyncIterBytes(Protocol):
    """The raw async responses of SDKs."""

    def iter_bytes(self) -> AsyncIterator[bytes]: ...


class _Reader(Protocol):
    """aiohttp's StreamReader."""

    def iter_any(self) -> Any: ...


class _HasContent(Protocol):
    """aiohttp's responses."""

    @property
    def content(self) -> _Reader: ...


class _HasAsyncRead(Protocol):
    """asyncio.StreamReader, asynchronous files."""

    def read(self, size: int, /) -> Awaitable[bytes]: ...


class _HasReceiveSome(Protocol):
    """trio's streams."""

    def receive_some(self) -> Awaitable[_Bytes]: ...


SyncSource = _Bytes | Iterable[_Bytes] | _HasIterBytes | _HasIterContent | _HasRead | _HasResponse
AsyncSource = (
    _Bytes
    | AsyncIterable[_Bytes]
    | Iterable[_Bytes]
    | _HasAiterBytes
    | _HasAiterContent
    | _HasAsyncIterBytes
    | _HasIterContent
    | _Reader
    | _HasContent
    | _HasAsyncRead
    | _HasRead
    | _HasReceiveSome
    | _HasResponse
)
