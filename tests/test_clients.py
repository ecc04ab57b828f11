"""Every client that is installed, over real HTTP: whole, cut, failed and rejected streams, timeouts, and bodies read before.

httpx has test_sync_stream.py and test_async_stream.py to itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gzip
import http.client
import importlib
import importlib.util
import time
import urllib.error
import urllib.request

import pytest
from bodies import CHAT, frame
from server import FOREVER, FaultServer, Reply

from sse_dialects.errors import MisuseError, RequestRejectedError, StalledStreamError, TruncatedStreamError, UpstreamError
from sse_dialects.streams import astream, stream

READ_S = 0.5  # every client's read timeout here


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


# ---- one context manager a client, which gives the open response; its module is imported where the test needs it


@contextlib.contextmanager
def with_httpx2(module, url):
    with (
        module.Client(trust_env=False, verify=False, timeout=module.Timeout(5, read=READ_S)) as client,  # speaks no TLS here
        client.stream("POST", url, json={}) as response,
    ):
        yield response


@contextlib.contextmanager
def with_requests(module, url):
    with module.Session() as session, session.post(url, json={}, stream=True, timeout=(5, READ_S)) as response:
        yield response


@contextlib.contextmanager
def with_urllib3(module, url):
    with module.PoolManager(retries=False, timeout=module.Timeout(connect=5, read=READ_S)) as pool:
        response = pool.request("POST", url, body=b"{}", preload_content=False, redirect=False)
        yield response
        response.close()


@contextlib.contextmanager
def with_curl_cffi(module, url):
    with importlib.import_module("curl_cffi.requests").Session() as session:
        response = session.post(url, data=b"{}", stream=True, timeout=5)
        yield response
        response.close()


@contextlib.contextmanager
def with_http_client(module, url):
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=READ_S)
    path = "/" + url.rpartition("/")[2]
    connection.request("POST", path, b"{}")
    yield connection.getresponse()
    connection.close()


@contextlib.contextmanager
def with_urllib_request(module, url):
    try:
        response = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, b"{}", timeout=READ_S)
    except urllib.error.HTTPError as error:
        response = error  # is a response as well
    with response:
        yield response


SYNC = {
    "httpx2": (with_httpx2, r"httpx2\.Timeout\(read=\.\.\.\)"),
    "requests": (with_requests, "requests' timeout"),
    "niquests": (with_requests, "niquests' timeout"),
    "urllib3": (with_urllib3, r"urllib3\.Timeout\(read=\.\.\.\)"),
    "curl_cffi": (with_curl_cffi, None),
    "http.client": (with_http_client, "timeout= of urlopen"),
    "urllib.request": (with_urllib_request, "timeout= of urlopen"),
}


def is_future():
    """Whether urllib3-future, on which niquests is built, stands in urllib3's place: it takes a reset for the end of a body
    that only closing ends."""
    return importlib.util.find_spec("urllib3_future") is not None


@pytest.fixture(params=SYNC)
def opened(request, server):
    """``opened(reply)``: the open response of a sync client to that reply, as a context manager."""
    module = pytest.importorskip(request.param)
    with_client, setting = SYNC[request.param]

    def opens(reply):
        return with_client(module, server.serve(reply))

    opens.setting = setting
    opens.client = request.param
    return opens


def waits_for_the_server(opens):
    """Left out: curl_cffi has a thread of its own, which looks up only when the server sends more or its timeout runs out; and
    that takes no less than seven seconds."""
    if opens.setting is None:
        pytest.skip("this client waits for the server")


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_whole(opened, framing):
    with opened(Reply(CHAT, framing=framing)) as response, stream(response) as events:
        assert list(events.text()) == ["Hel", "lo"]
        assert events.answer().text == "Hello"
        assert events.response is response


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_events_come_as_they_arrive(opened, framing):
    with opened(Reply([*CHAT[:2], 0.3, *CHAT[2:]], framing=framing)) as response, stream(response) as events:
        started = time.monotonic()
        assert [next(events).type for _ in range(3)] == ["started", "text_delta", "text_delta"]
        assert time.monotonic() - started < 0.28
        assert events.answer().text == "Hello"


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_cut(opened, framing, reset):
    body = b"".join(CHAT)
    for cut_at in (len(CHAT[0]) + 1, len(body) - 16):
        with opened(Reply(CHAT, framing=framing, cut_at=cut_at, reset=reset)) as response, stream(response) as events:
            with pytest.raises(TruncatedStreamError) as caught:
                events.answer()
        assert not reset or caught.value.cause is not None or (framing == "close" and is_future())


def test_nothing_matters_after_the_terminating_frame(opened):
    with (
        opened(Reply(CHAT, framing="length", length=9999, cut_at=len(b"".join(CHAT)), reset=True)) as response,
        stream(response) as events,
    ):
        assert events.answer().text == "Hello"
    waits_for_the_server(opened)
    with opened(Reply(CHAT, hold_s=FOREVER)) as response:
        started = time.monotonic()
        with stream(response) as events:
            assert events.answer().text == "Hello"
        assert time.monotonic() - started < 0.5


def test_failed(opened):
    bad = [CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})]
    with opened(Reply(bad)) as response, stream(response) as events, pytest.raises(UpstreamError, match="overloaded"):
        list(events)


def test_rejected(opened):
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'
    with opened(Reply(body, status=429, headers={"Retry-After": "3"})) as response:
        with pytest.raises(RequestRejectedError, match="slow down") as caught:
            next(stream(response))
    assert (caught.value.status, caught.value.retry_after) == (429, 3.0)
    assert caught.value.headers["retry-after"] == "3"


def test_stalled(opened):
    waits_for_the_server(opened)
    with opened(Reply([*CHAT[:2], FOREVER])) as response, stream(response) as events:
        with pytest.raises(StalledStreamError, match=opened.setting) as caught:
            events.answer()
    assert caught.value.partial.text == "Hello"


def check_stall(error):
    assert isinstance(error, StalledStreamError)
    assert "curl_cffi's timeout" in str(error)
    assert error.partial.text == "Hello"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curl_cffi"])
def test_stalled_by_an_average(name, server):
    """Silence is counted in whole seconds, and noticed by an average over five of them."""
    requests = pytest.importorskip(f"{name}.requests")
    with requests.Session() as session:
        response = session.post(server.serve(Reply([*CHAT[:2], FOREVER])), data=b"{}", stream=True, timeout=0.5)
        with stream(response) as events, pytest.raises(StalledStreamError) as caught:
            events.answer()
    check_stall(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curl_cffi"])
def test_async_stalled_by_an_average(name, server):
    requests = pytest.importorskip(f"{name}.requests")

    async def read():
        async with requests.AsyncSession() as session:
            url = server.serve(Reply([*CHAT[:2], FOREVER]))
            async with astream(await session.post(url, data=b"{}", stream=True, timeout=(0.2, 0.3))) as events:
                await events.answer()

    with pytest.raises(StalledStreamError) as caught:
        asyncio.run(read())
    check_stall(caught.value)


def test_a_timeout_is_for_the_silence_and_not_for_the_answer(opened):
    with opened(Reply([CHAT[0], 0.35, CHAT[1], 0.35, *CHAT[2:]])) as response, stream(response) as events:
        assert events.answer().text == "Hello"
        assert events.stats.duration_s > READ_S


def test_left_early(opened, server):
    """Its connection is closed at once, so that generation stops, though the client is still open."""
    if opened.client == "http.client":
        pytest.skip("its response knows nothing of the connection, which its user closes")
    waiting = 0.2 if opened.setting is None else FOREVER  # see `waits_for_the_server`
    left = server.left
    with opened(Reply([*CHAT[:2], waiting, *CHAT[2:], FOREVER])) as response:
        started = time.monotonic()
        with stream(response) as events:
            next(events)
        assert time.monotonic() - started < 0.4
        assert server.wait_until_left(left + 1)


def test_whichever_is_left_first(opened):
    with opened(Reply(CHAT)) as response:
        events = stream(response)
        next(events)
    events.close()
    assert events.partial().text in {"", "Hel", "Hello"}


@pytest.mark.parametrize("name", ["httpx2", "requests", "niquests", "curl_cffi"])
def test_the_session_stays_the_callers(name, server):
    module = pytest.importorskip("curl_cffi.requests" if name == "curl_cffi" else name)
    with module.Client() if name == "httpx2" else module.Session() as session:
        for cut in (True, False, False):
            url = server.serve(Reply(CHAT, cut_at=200 if cut else None))
            asked = session.stream("POST", url, json={}) if name == "httpx2" else session.post(url, json={}, stream=True)
            with asked if hasattr(asked, "__enter__") else contextlib.nullcontext(asked) as response, stream(response) as events:
                if cut:
                    with pytest.raises(TruncatedStreamError):
                        events.answer()
                else:
                    assert events.answer().text == "Hello"


def test_compressed(opened):
    body = gzip.compress(b"".join(CHAT))
    with opened(Reply([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})) as response, stream(response) as events:
        if opened.client.startswith(("http.", "urllib.")):
            with pytest.raises(MisuseError.__bases__[0], match="gzip data"):
                events.answer()
        else:
            assert events.answer().text == "Hello"


def test_read_before(opened):
    with opened(Reply(CHAT)) as response:
        with stream(response) as events:
            events.answer()
        with pytest.raises((MisuseError, TruncatedStreamError)):
            stream(response).answer()


def test_sync_responses_are_not_for_async_code(opened):
    with opened(Reply(CHAT)) as response:
        with pytest.raises(MisuseError, match=r"use stream\(\)"):
            astream(response)


# ---- async clients


@contextlib.asynccontextmanager
async def with_httpx2_async(module, url):
    async with module.AsyncClient(trust_env=False, verify=False, timeout=module.Timeout(5, read=READ_S)) as client:
        async with client.stream("POST", url, json={}) as response:
            yield response


@contextlib.asynccontextmanager
async def with_aiohttp(module, url):
    timeout = module.ClientTimeout(sock_read=READ_S)
    async with module.ClientSession(timeout=timeout) as session, session.post(url, json={}) as response:
        yield response


@contextlib.asynccontextmanager
async def with_niquests_async(module, url):
    async with module.AsyncSession() as session:
        response = await session.post(url, json={}, stream=True, timeout=(5, READ_S))
        yield response
        await response.close()


@contextlib.asynccontextmanager
async def with_curl_cffi_async(module, url):
    async with importlib.import_module("curl_cffi.requests").AsyncSession() as session:
        response = await session.post(url, data=b"{}", stream=True, timeout=5)
        yield response
        await response.aclose()


ASYNC = {
    "httpx2": (with_httpx2_async, r"httpx2\.Timeout\(read=\.\.\.\)"),
    "aiohttp": (with_aiohttp, r"aiohttp\.ClientTimeout"),
    "niquests": (with_niquests_async, "niquests' timeout"),
    "curl_cffi": (with_curl_cffi_async, None),
}


@pytest.fixture(params=ASYNC)
def aopened(request, server):
    """``aopened(reply)``: the open response of an async client to that reply, as an async context manager."""
    module = pytest.importorskip(request.param)
    with_client, setting = ASYNC[request.param]

    def opens(reply):
        return with_client(module, server.serve(reply))

    opens.setting = setting
    return opens


def on_asyncio(test):
    @functools.wraps(test)
    def runs(*arguments, **keywords):
        asyncio.run(test(*arguments, **keywords))

    return runs


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@on_asyncio
async def test_async_whole(aopened, framing):
    async with aopened(Reply([*CHAT[:2], 0.3, *CHAT[2:]], framing=framing)) as response, astream(response) as events:
        started = time.monotonic()
        assert [(await anext(events)).type for _ in range(3)] == ["started", "text_delta", "text_delta"]
        assert time.monotonic() - started < 0.28
        assert (await events.answer()).text == "Hello"
        assert events.response is response


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@on_asyncio
async def test_async_cut(aopened, framing, reset):
    body = b"".join(CHAT)
    for cut_at in (len(CHAT[0]) + 1, len(body) - 16):
        async with aopened(Reply(CHAT, framing=framing, cut_at=cut_at, reset=reset)) as response, astream(response) as events:
            with pytest.raises(TruncatedStreamError) as caught:
                await events.answer()
        assert not reset or framing == "close" or caught.value.cause is not None


@on_asyncio
async def test_async_nothing_matters_after_the_terminating_frame(aopened):
    whole = len(b"".join(CHAT))
    async with (
        aopened(Reply(CHAT, framing="length", length=9999, cut_at=whole, reset=True)) as response,
        astream(response) as events,
    ):
        assert (await events.answer()).text == "Hello"
    async with aopened(Reply(CHAT, hold_s=FOREVER)) as response:
        started = time.monotonic()
        async with astream(response) as events:
            assert (await events.answer()).text == "Hello"
        assert time.monotonic() - started < 0.5


@on_asyncio
async def test_async_failed_and_rejected(aopened):
    bad = [CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})]
    async with aopened(Reply(bad)) as response, astream(response) as events:
        with pytest.raises(UpstreamError, match="overloaded"):
            await events.answer()
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'
    async with aopened(Reply(body, status=429, headers={"Retry-After": "3"})) as response:
        with pytest.raises(RequestRejectedError, match="slow down") as caught:
            await anext(astream(response))
    assert (caught.value.status, caught.value.retry_after) == (429, 3.0)


@on_asyncio
async def test_async_stalled(aopened):
    if aopened.setting is not None:
        async with aopened(Reply([*CHAT[:2], FOREVER])) as response, astream(response) as events:
            with pytest.raises(StalledStreamError, match=aopened.setting):
                await events.answer()
    async with aopened(Reply([*CHAT[:2], FOREVER])) as response, astream(response, idle_timeout=0.05) as events:
        with pytest.raises(StalledStreamError, match="idle_timeout"):
            await events.answer()


@on_asyncio
async def test_async_left_early(aopened, server):
    left = server.left
    async with aopened(Reply([*CHAT[:2], FOREVER])) as response:
        started = time.monotonic()
        async with astream(response) as events:
            await anext(events)
        assert time.monotonic() - started < 0.3
        assert await asyncio.to_thread(server.wait_until_left, left + 1)


@on_asyncio
async def test_async_whichever_is_left_first(aopened):
    async with aopened(Reply(CHAT)) as response:
        events = astream(response)
        await anext(events)
    await events.close()
    assert events.partial().text in {"", "Hel", "Hello"}


@pytest.mark.parametrize("name", ["httpx2", "aiohttp", "niquests", "curl_cffi"])
@on_asyncio
async def test_async_the_session_stays_the_callers(name, server):
    module = pytest.importorskip("curl_cffi.requests" if name == "curl_cffi" else name)
    async with getattr(module, {"httpx2": "AsyncClient", "aiohttp": "ClientSession"}.get(name, "AsyncSession"))() as session:
        for cut in (True, False, False):
            url = server.serve(Reply(CHAT, cut_at=200 if cut else None))
            if name == "aiohttp":
                asked = session.post(url, json={})
            elif name == "httpx2":
                asked = session.stream("POST", url, json={})
            else:
                asked = contextlib.nullcontext(await session.post(url, json={}, stream=True))
            async with asked as response, astream(response) as events:
                if cut:
                    with pytest.raises(TruncatedStreamError):
                        await events.answer()
                else:
                    assert (await events.answer()).text == "Hello"


@on_asyncio
async def test_async_compressed(aopened):
    body = gzip.compress(b"".join(CHAT))
    async with aopened(Reply([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})) as response:
        async with astream(response) as events:
            assert (await events.answer()).text == "Hello"


@on_asyncio
async def test_async_read_before(aopened):
    async with aopened(Reply(CHAT)) as response:
        async with astream(response) as events:
            await events.answer()
        with pytest.raises((MisuseError, TruncatedStreamError)):
            await astream(response).answer()


@on_asyncio
async def test_async_responses_are_not_for_sync_code(aopened):
    async with aopened(Reply(CHAT)) as response:
        with pytest.raises(MisuseError, match=r"astream\(\.\.\.\)"):
            stream(response)


@on_asyncio
async def test_one_connection_for_many_requests(server):
    aiohttp = pytest.importorskip("aiohttp")
    before = server.connections
    async with aiohttp.ClientSession() as session:
        for _ in range(5):
            async with session.post(server.serve(Reply([*CHAT, 0.01])), json={}) as response, astream(response) as events:
                assert (await events.answer()).text == "Hello"
    assert server.connections - before == 1


@on_asyncio
async def test_a_stream_reader(server):
    url = server.serve(Reply(CHAT, framing="close"))
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET /{url.rpartition('/')[2]} HTTP/1.0\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    async with astream(reader) as events:
        assert (await events.answer()).text == "Hello"
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("kind", ["anyio on asyncio", "anyio on trio", "trio"])
def test_a_byte_stream(kind, server):
    anyio, trio = pytest.importorskip("anyio"), pytest.importorskip("trio")
    url = server.serve(Reply(CHAT, framing="close"))

    async def read():
        if kind == "trio":
            connection = await trio.open_tcp_stream("127.0.0.1", server.port)
            send, receive = connection.send_all, connection.receive_some
        else:
            connection = await anyio.connect_tcp("127.0.0.1", server.port)
            send, receive = connection.send, connection.receive
        await send(f"GET /{url.rpartition('/')[2]} HTTP/1.0\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += await receive(1)
        async with astream(connection) as events:
            return await events.answer()

    answer = trio.run(read) if kind == "trio" else anyio.run(read, backend=kind.rpartition(" ")[2])
    assert answer.text == "Hello"
