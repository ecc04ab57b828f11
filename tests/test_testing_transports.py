"""The mock transport, sync and async, of httpx and, where it is installed, of httpx2."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from loops import both

import sse_dialects as sd
from sse_dialects.testing import Provider, reply

URL = "https://host/v1/chat/completions"
HELLO = reply("Hello").as_chat()


@pytest.fixture(params=["httpx", "httpx2"])
def module(request):
    return pytest.importorskip(request.param)


@pytest.fixture
def transport(module):
    return lambda *scripts: getattr(Provider(*scripts), f"{module.__name__}_transport")()


def read(module, transport, **options):
    with (
        module.Client(transport=transport, **options) as client,
        client.stream("POST", URL) as response,
        sd.stream(response) as events,
    ):
        return events.answer()


async def aread(module, transport, **options):
    async with module.AsyncClient(transport=transport, **options) as client, client.stream("POST", URL) as response:
        async with sd.astream(response) as events:
            return await events.answer()


@both
def test_a_whole_stream(module, transport, loop):
    assert read(module, transport(HELLO)).text == "Hello"
    assert loop.run(lambda: aread(module, transport(HELLO))).text == "Hello"


@both
def test_reads_arrive_as_scripted(module, transport, loop):
    stream = HELLO.reads(seed=3)
    with module.Client(transport=transport(stream)) as client, client.stream("POST", URL) as response:
        assert list(response.iter_raw()) == stream.pieces()

    async def pieces():
        async with module.AsyncClient(transport=transport(stream)) as client, client.stream("POST", URL) as response:
            return [piece async for piece in response.aiter_raw()]

    assert loop.run(pieces) == stream.pieces()


@both
def test_faults(module, transport, loop):
    for made in (
        lambda stream: read(module, transport(stream)),
        lambda stream: loop.run(lambda: aread(module, transport(stream))),
    ):
        with pytest.raises(sd.TruncatedStreamError) as caught:
            made(HELLO.cut())
        assert caught.value.cause is None
        with pytest.raises(sd.TruncatedStreamError) as caught:
            made(HELLO.cut(reset=True))
        assert isinstance(caught.value.cause, module.ReadError)
        with pytest.raises(sd.UpstreamError):
            made(HELLO.error())
        with pytest.raises(sd.RequestRejectedError):
            made(HELLO.answered(500))


@both
def test_a_stall_keeps_to_the_read_timeout(module, transport, loop):
    stream = HELLO.stall(5)
    started = time.monotonic()
    with pytest.raises(sd.StalledStreamError, match=rf"{module.__name__}\.Timeout\(read"):
        read(module, transport(stream), timeout=0.05)
    with pytest.raises(sd.StalledStreamError):
        loop.run(lambda: aread(module, transport(stream), timeout=0.05))
    assert 0.09 < time.monotonic() - started < 3
    assert read(module, transport(HELLO.stall(0.05)), timeout=None).text == "Hello"


def test_the_request_is_seen(module):
    provider = Provider(HELLO)
    transport = getattr(provider, f"{module.__name__}_transport")()
    with module.Client(transport=transport) as client:
        client.post("https://host/v1/chat/completions?x=1", json={"stream": True}, headers={"X-Key": "k"})
    (seen,) = provider.requests
    assert (seen.method, seen.path, seen.headers["x-key"], seen.json()) == ("POST", "/v1/chat/completions", "k", {"stream": True})


def test_the_status_and_the_headers(module, transport):
    with module.Client(transport=transport(HELLO.answered(503, {"retry-after": "7"}))) as client:
        response = client.post(URL)
    assert (response.status_code, response.headers["retry-after"]) == (503, "7")


def test_no_client_is_loaded_before_it_is_asked_for():
    code = (
        "import sys, sse_dialects.testing as testing; testing.Provider(testing.reply('x')); "
        "print([name for name in sys.modules if name.startswith(('httpx', 'pytest', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
