"""The rows of async sources, with stand-ins for what is not installed here: clients, streams, a browser."""

from __future__ import annotations

import asyncio
import functools
import io

import httpx
import pytest
from bodies import CHAT
from loops import both

from sse_dialects.errors import MisuseError
from sse_dialects.sources import open_async_source


async def pieces_of(source):
    opened = open_async_source(source)
    pieces = [piece async for piece in opened.iterator]
    for close in opened.closers:
        closing = close()
        if closing is not None:
            await closing
    return pieces


class Reader:
    """Something with an async method that reads."""

    def __init__(self, name, pieces=CHAT):
        self.pieces = [*pieces]
        setattr(self, name, self._read)

    async def _read(self, size):
        assert size > 0
        return self.pieces.pop(0) if self.pieces else b""


@both
def test_readers(loop):
    for name in ("read", "read1", "receive_some"):
        assert loop.run(lambda name=name: pieces_of(Reader(name))) == CHAT
    assert loop.run(lambda: pieces_of(io.BytesIO(b"ab"))) == [b"ab"]


def test_a_stream_reader():
    async def main():
        reader = asyncio.StreamReader()
        reader.feed_data(b"ab")
        reader.feed_eof()
        return await pieces_of(reader)

    assert asyncio.run(main()) == [b"ab"]


@both
def test_iterables(loop):
    closed = []

    def generator():
        try:
            yield from CHAT
        finally:
            closed.append(True)

    async def early():
        opened = open_async_source(generator())
        await opened.iterator.__anext__()
        for close in opened.closers:
            close()

    assert loop.run(lambda: pieces_of(iter([b"a", b"", b"b"]))) == [b"a", b"", b"b"]
    assert loop.run(lambda: pieces_of(b"ab")) == [b"ab"]
    loop.run(early)
    assert closed == [True]
    assert open_async_source([b"a"]).closers == []


class Promise:
    """niquests: an iterator that has to be awaited itself."""

    status_code = 200

    async def iter_content(self):
        async def pieces():
            for piece in CHAT:
                yield piece

        return pieces()


@both
def test_an_iterator_that_has_to_be_awaited(loop):
    assert loop.run(lambda: pieces_of(Promise())) == CHAT

    async def unused():
        opened = open_async_source(Promise())
        for close in opened.closers:
            await close()  # and no warning of a coroutine that was never awaited

    loop.run(unused)


@both
def test_an_async_iterator_under_a_sync_name(loop):
    class SDKResponse:
        status_code = 200

        async def iter_bytes(self):
            for piece in CHAT:
                yield piece

    assert loop.run(lambda: pieces_of(SDKResponse())) == CHAT


class Content:
    """aiohttp's body."""

    total_bytes = 1

    def __init__(self, pieces):
        self.pieces = pieces

    def at_eof(self):
        return not self.pieces

    async def iter_any(self):
        while self.pieces:
            yield self.pieces.pop(0)


class ClientResponse:
    """aiohttp."""

    status = 200

    def __init__(self, pieces):
        self.content = Content(pieces)
        self.closed = False

    def close(self):
        self.closed = True


@both
def test_content(loop):
    response = ClientResponse([*CHAT])
    assert loop.run(lambda: pieces_of(response)) == CHAT
    assert response.closed
    with pytest.raises(MisuseError, match="read or closed before"):
        open_async_source(response)
    assert loop.run(lambda: pieces_of(Content([*CHAT]))) == CHAT


# ---- a browser, as Pyodide shows it


class JS:
    def __init__(self, **members):
        self.__dict__.update(members)


class ReadableStream:
    def __init__(self, pieces):
        self.pieces = [*pieces]
        self.cancelled = False

    def getReader(self):  # noqa: N802
        return self

    async def read(self):
        if not self.pieces:
            return JS(done=True, value=None)
        piece = self.pieces.pop(0)
        return JS(done=False, value=JS(to_bytes=lambda: piece))

    async def cancel(self):
        self.cancelled = True


def js_response(body, **members):
    return JS(status=200, body=body, bodyUsed=False, arrayBuffer=None, **members)


@both
def test_a_browsers_response(loop):
    for wrap in (lambda body: body, js_response, lambda body: JS(status=200, js_response=js_response(body))):
        body = ReadableStream(CHAT)
        assert loop.run(functools.partial(pieces_of, wrap(body))) == CHAT
        assert body.cancelled
    assert loop.run(lambda: pieces_of(js_response(None))) == []
    used = js_response(ReadableStream(CHAT))
    used.bodyUsed = True
    with pytest.raises(MisuseError, match="read or closed before"):
        open_async_source(used)


# ---- sync clients


def test_sync_responses_block():
    class Requests:
        status_code = 200

        def iter_content(self, size=1):
            yield b""

        def __iter__(self):
            return self.iter_content()

    class HTTPClient(io.BytesIO):
        status = 200

    class SDKResponse:
        status_code = 200

        def iter_bytes(self):
            yield b""

    for response in (Requests(), HTTPClient(), SDKResponse(), httpx.Response(200, content=iter([b""]))):
        with pytest.raises(MisuseError, match=r"use stream\(\)"):
            open_async_source(response)


def test_content_that_is_no_body():
    class Other:
        content = b"not a stream"

    with pytest.raises(MisuseError, match="can't be read"):
        open_async_source(Other())


def test_a_response_that_a_task_fills_is_not_waited_for():
    """A stand-in for curl_cffi's, whose ``aclose`` waits for the end of the transfer."""

    class Curl:
        status_code = 200
        stream_task = None

        def __init__(self):
            self.queue = asyncio.Queue()
            self.astream_task = asyncio.create_task(self._fill())

        async def _fill(self):
            self.queue.put_nowait(CHAT[0])
            await asyncio.sleep(60)

        async def aiter_content(self):
            while True:
                yield await self.queue.get()

        async def aclose(self):
            await self.astream_task

    async def main():
        response = Curl()
        opened = open_async_source(response)
        assert await anext(opened.iterator) == CHAT[0]
        transfer = response.astream_task
        for close in opened.closers:
            await close()
        assert transfer.cancelled()
        await response.aclose()  # its user's own context does this
        await asyncio.gather(*(close() for close in opened.closers))
        with pytest.raises(MisuseError, match="has been read or closed before"):
            open_async_source(response)

    asyncio.run(main())
