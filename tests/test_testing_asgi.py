"""The ASGI application, called as servers call it."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest
from loops import both

import sse_dialects as sd
from sse_dialects.testing import Provider, reply

HELLO = reply("Hello").as_chat()


class Server:
    """Calls an application for one request, as an ASGI server would."""

    def __init__(self, *, path="/v1/chat/completions", body=(b"{}",), leaves_after_s=None, sleep=None):
        self.scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"x-key", b"k")]}
        self.sent = []
        self.leaving = False
        self._incoming = [
            {"type": "http.request", "body": piece, "more_body": number < len(body)} for number, piece in enumerate(body, 1)
        ]
        self._leaves_after_s = leaves_after_s
        self._sleep = sleep

    async def receive(self):
        if self._incoming:
            return self._incoming.pop(0)
        if self._leaves_after_s is None:
            await self._sleep(60)
        elif not self.leaving:
            self.leaving = True
            return {"type": "http.request", "body": b"", "more_body": False}  # nothing new
        else:
            await self._sleep(self._leaves_after_s)
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.sent.append(message)

    async def run(self, provider):
        await provider(self.scope, self.receive, self.send)


@both
def test_what_a_server_is_given(loop):
    provider = Provider(HELLO)
    server = Server(body=[b'{"stream":', b" true}"])
    loop.run(lambda: server.run(provider))
    start, *pieces, end = server.sent
    assert start == {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")],
    }
    assert [piece["body"] for piece in pieces] == HELLO.pieces()
    assert all(piece["more_body"] for piece in pieces)
    assert end == {"type": "http.response.body", "body": b"", "more_body": False}
    (seen,) = provider.requests
    assert (seen.method, seen.path, seen.headers, seen.json()) == (
        "POST",
        "/v1/chat/completions",
        {"x-key": "k"},
        {"stream": True},
    )


@both
def test_pauses_are_kept(loop):
    server = Server(sleep=loop.sleep)
    started = time.monotonic()
    loop.run(lambda: server.run(Provider(HELLO.stall(0.05))))
    assert time.monotonic() - started > 0.045
    assert server.sent[-1]["more_body"] is False


@both
def test_a_client_that_leaves_is_not_waited_for(loop):
    server = Server(leaves_after_s=0.05, sleep=loop.sleep)
    started = time.monotonic()
    loop.run(lambda: server.run(Provider(HELLO.stall(30))))
    assert time.monotonic() - started < 5
    assert server.sent[-1]["more_body"] is True


@both
def test_a_reset_is_an_exception_in_the_application(loop):
    server = Server()
    with pytest.raises(ConnectionResetError):
        loop.run(lambda: server.run(Provider(HELLO.cut(reset=True))))
    assert server.sent[-1]["more_body"] is True


@both
def test_a_server_may_start_and_stop_it(loop):
    incoming = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent = []

    async def receive():
        return incoming.pop(0)

    async def send(message):
        sent.append(message["type"])

    loop.run(lambda: Provider(HELLO)({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


@both
def test_web_sockets_are_not_for_it(loop):
    with pytest.raises(sd.MisuseError, match="no websocket"):
        loop.run(lambda: Provider(HELLO)({"type": "websocket"}, None, None))


def test_in_the_process_of_the_client():
    async def read():
        transport = httpx.ASGITransport(app=Provider(reply("Hello")))
        async with httpx.AsyncClient(transport=transport, base_url="http://host") as client:
            async with client.stream("POST", "/v1/responses", json={}) as response, sd.astream(response) as events:
                return await events.answer()

    answer = asyncio.run(read())
    assert (answer.dialect, answer.text) == ("responses", "Hello")


@pytest.mark.parametrize("fault", ["whole", "cut", "reset"])
def test_under_a_real_server(fault):
    uvicorn = pytest.importorskip("uvicorn")
    stream = {"whole": HELLO, "cut": HELLO.cut(), "reset": HELLO.cut(reset=True)}[fault]

    async def read():
        server = uvicorn.Server(uvicorn.Config(Provider(stream), port=0, log_level="critical", lifespan="on"))
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110  # uvicorn has no event for it
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            async with httpx.AsyncClient(trust_env=False) as client:
                async with client.stream("POST", f"http://127.0.0.1:{port}/") as response, sd.astream(response) as events:
                    return await events.answer()
        finally:
            server.should_exit = True
            await serving

    if fault == "whole":
        assert asyncio.run(read()).text == "Hello"
    else:
        with pytest.raises(sd.TruncatedStreamError) as caught:
            asyncio.run(read())
        assert isinstance(caught.value.cause, httpx.RemoteProtocolError) == (fault == "reset")
