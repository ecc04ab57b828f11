"""Closing through what callers put around a stream: generators thrown into, closed or dropped, an interpreter that exits."""

from __future__ import annotations

import asyncio
import gc
import ssl
import subprocess
import sys
import time

import httpx
import pytest
from bodies import CHAT, DIALECTS
from loops import both
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # made at once; nothing here speaks TLS
SLOW = [*CHAT[:2], FOREVER]
REQUESTS = 200


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


def pool(client):
    """What the pool says of each of its connections."""
    return [str(connection.info()) for connection in client._transport._pool.connections]


# ---- generators of the caller's around a stream


def words(client, url):
    with client.stream("POST", url, json={}) as response, sd.stream(response) as events:
        yield from events.text()


async def async_words(client, url):
    async with client.stream("POST", url, json={}) as response, sd.astream(response) as events:
        async for word in events.text():
            yield word


@pytest.mark.parametrize("end", ["throw", "close", "drop"])
def test_a_generator_around_a_stream(server, end):
    with httpx.Client(trust_env=False, verify=PLAIN) as client:
        generator = words(client, server.serve(Reply(SLOW)))
        assert next(generator) == "Hel"
        began = time.monotonic()
        if end == "throw":
            with pytest.raises(ZeroDivisionError):
                generator.throw(ZeroDivisionError())
        elif end == "close":
            generator.close()
        del generator
        assert time.monotonic() - began < 0.5  # before a collection, which takes as long as there is memory to look at
        gc.collect()
        assert pool(client) == []
        assert server.wait_until_closed()


@both
@pytest.mark.parametrize("end", ["athrow", "aclose"])
def test_an_async_generator_around_a_stream(server, loop, end):
    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            generator = async_words(client, server.serve(Reply(SLOW)))
            assert await anext(generator) == "Hel"
            began = time.monotonic()
            if end == "athrow":
                with pytest.raises(ZeroDivisionError):
                    await generator.athrow(ZeroDivisionError())
            else:
                await generator.aclose()
            assert time.monotonic() - began < 0.5
            assert pool(client) == []

    loop.run(main)
    assert server.wait_until_closed()


def test_an_async_generator_that_is_dropped(server):
    """The loop's finalizer closes it in a task of its own."""

    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            generator = async_words(client, server.serve(Reply(SLOW)))
            assert await anext(generator) == "Hel"
            del generator
            gc.collect()
            for _ in range(200):
                if not pool(client):
                    break
                await asyncio.sleep(0.005)
            assert pool(client) == []

    asyncio.run(main(), debug=True)
    assert server.wait_until_closed()


@both
def test_an_exception_thrown_into_a_waiting_reader(server, loop):
    """Cancellation in the middle of a wait, while an ``except`` of the caller's tries to go on with the stream."""

    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            seen = []

            async def reads():
                async with client.stream("POST", server.serve(Reply(SLOW)), json={}) as response:
                    async with sd.astream(response) as events:
                        try:
                            async for event in events:
                                seen.append(event)
                        finally:
                            with pytest.raises(sd.TruncatedStreamError):
                                await events.answer()

            await loop.cancelled_after(0.1, reads, again=False)  # a second time in its own read is the client's matter
            assert len(seen) == 3
            assert pool(client) == []

    loop.run(main)
    assert server.wait_until_closed()


# ---- connections


@pytest.mark.slow
def test_many_requests_over_one_connection(server):
    before = server.connections
    url = server.serve(Reply(CHAT))
    with httpx.Client(trust_env=False, verify=PLAIN) as client:
        for _ in range(REQUESTS):
            with client.stream("POST", url, json={}) as response, sd.stream(response) as events:
                assert "".join(events.text()) == "Hello"
    assert server.connections - before == 1


@pytest.mark.slow
@both
def test_many_async_requests_over_one_connection(server, loop):
    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            for _ in range(REQUESTS):
                async with client.stream("POST", url, json={}) as response, sd.astream(response) as events:
                    assert "".join([word async for word in events.text()]) == "Hello"

    before = server.connections
    url = server.serve(Reply(CHAT))
    loop.run(main)
    assert server.connections - before == 1


# ---- the terminating frame, of a server that then says nothing more


def quickest(measure):
    """The best of five times: a busy machine is no fault."""
    times = []
    while len(times) < 5 and not (times and times[-1][0] < 0.1 and times[-1][1] < 0.5):
        times.append(measure())
    return min(time[0] for time in times), min(time[1] for time in times)


@pytest.mark.alone
def test_a_server_that_never_closes_holds_nothing_up(server):
    url = server.serve(Reply([*CHAT[:-1], 0.05, CHAT[-1]], hold_s=FOREVER))

    def measure():
        with httpx.Client(trust_env=False, verify=PLAIN) as client, client.stream("POST", url, json={}) as response:
            with sd.stream(response) as events:
                for event in events:
                    if event == sd.TextDelta("lo"):
                        began = time.monotonic()
                assert events.answer().text == "Hello"
                answered = time.monotonic()
            return answered - began - 0.05, time.monotonic() - answered

    answered, left = quickest(measure)
    assert answered < 0.1
    assert left < 0.5


@pytest.mark.alone
@both
def test_a_server_that_never_closes_holds_nothing_up_in_async_code(server, loop):
    url = server.serve(Reply([*CHAT[:-1], 0.05, CHAT[-1]], hold_s=FOREVER))

    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            async with client.stream("POST", url, json={}) as response:
                async with sd.astream(response) as events:
                    async for event in events:
                        if event == sd.TextDelta("lo"):
                            began = time.monotonic()
                    assert (await events.answer()).text == "Hello"
                    answered = time.monotonic()
                return answered - began - 0.05, time.monotonic() - answered

    answered, left = quickest(lambda: loop.run(main))
    assert answered < 0.1
    assert left < 0.5


# ---- exit

EXITS = {
    "sync": """
        client = httpx.Client(trust_env=False)
        response = client.send(client.build_request("POST", URL), stream=True)
        events = sd.stream(response)
        print(next(events).type, next(events).text)
    """,
    "a generator": """
        def words():
            with httpx.stream("POST", URL) as response, sd.stream(response) as events:
                yield from events.text()
        generator = words()
        print(next(generator))
    """,
    "a thread": """
        import threading
        events = sd.stream(httpx.Client(trust_env=False).send(httpx.Request("POST", URL), stream=True))
        threading.Thread(target=lambda: list(events), daemon=True).start()
        print("begun")
    """,
    "async": """
        import asyncio
        async def main():
            global events
            client = httpx.AsyncClient(trust_env=False)
            response = await client.send(client.build_request("POST", URL), stream=True)
            events = sd.astream(response)
            print((await anext(events)).type, (await anext(events)).text)
        asyncio.run(main())
    """,
}


@pytest.mark.alone
@pytest.mark.parametrize("code", EXITS)
def test_an_interpreter_that_exits_with_an_open_stream(server, code):
    """No traceback, no warning, no hang."""
    if code == "a generator" and sys.version_info[:2] == (3, 13):
        pytest.skip("CPython 3.13.0 crashes where httpx alone closes a response at exit: its datetime is gone by then")
    lines = ["import httpx, sse_dialects as sd", f"URL = {server.serve(Reply(SLOW))!r}"]
    source = "\n".join([*lines, *(line[8:] for line in EXITS[code].splitlines())])
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert done.stderr == ""
    assert server.wait_until_closed()


# ---- what a stream that ended leaves to the garbage collector


async def _each(items):
    for item in items:
        yield item


async def _answers(body, count):
    for _ in range(count):
        async with sd.astream(_each(body)) as events:
            await events.answer()


def _sync_answers(body, count):
    for _ in range(count):
        with sd.stream(iter(body)) as events:
            events.answer()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_stream_that_ends_whole_leaves_no_cycle(dialect, way):
    """So a program that can't afford the collector's runs does without, as the benchmarks' page says."""
    body = DIALECTS[dialect]

    def run(count):
        if way == "sync":
            _sync_answers(body, count)
        else:
            asyncio.run(_answers(body, count))

    run(1)  # what is made once may hold anything
    gc.collect()
    gc.disable()
    try:
        run(100)
        assert gc.collect() < 100  # the loop's own, but none a stream
    finally:
        gc.enable()
