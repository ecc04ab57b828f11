"""Async streams over real HTTP and iterables, on asyncio and on trio: answers, errors, closing, cancellation, timeouts."""

from __future__ import annotations

import asyncio
import functools
import gc
import io
import ssl
import sys
import time
import warnings

import httpx
import httpx_sse
import pytest
import trio
from bodies import CHAT, DIALECTS, DONE, PING, SHORT, frame
from loops import both
from server import FOREVER, FaultServer, Reply

from sse_dialects.decoder import Decoder
from sse_dialects.errors import (
    MisuseError,
    NotAnEventStreamError,
    RequestRejectedError,
    StalledStreamError,
    TruncatedStreamError,
    UpstreamError,
)
from sse_dialects.events import Finished, Started, TextDelta
from sse_dialects.streams import astream

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # made at once; nothing here speaks TLS
SLOW = [*CHAT[:2], FOREVER]


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


def with_client(test=None, **options):
    """Runs ``async def test(loop, server, client, ask)`` on both loops; ``ask`` gives the open response to a reply."""
    if test is None:
        return functools.partial(with_client, **options)

    @both
    def runs(loop, server):
        async def main():
            async with httpx.AsyncClient(trust_env=False, verify=PLAIN, **options) as client:

                def ask(reply):
                    return client.stream("POST", server.serve(reply), json={})

                await test(loop, server, client, ask)

        loop.run(main)
        assert server.wait_until_closed()

    runs.__name__ = test.__name__
    runs.__doc__ = test.__doc__
    return runs


def idle(client) -> list[str]:
    """What the client's pool says of each of its connections."""
    return [str(connection.info()) for connection in client._transport._pool.connections]


async def listed(events) -> list:
    return [event async for event in events]


# ---- answers


@with_client
async def test_the_same_as_through_the_decoder(loop, server, client, ask):
    for name, frames in DIALECTS.items():
        body = b"".join(frames)
        decoder = Decoder()
        expected = [*decoder.feed(body), *decoder.close()]
        for size in (7, 10_000):
            pieces = [body[start : start + size] for start in range(0, len(body), size)]
            async with ask(Reply(pieces)) as response, astream(response) as events:
                assert await listed(events) == expected
                assert await events.answer() == decoder.answer()
                assert events.complete
                assert events.dialect == name
                assert events.response is response


@with_client
async def test_text(loop, server, client, ask):
    other = frame({"choices": [{"index": 1, "delta": {"content": "another choice"}}]})
    async with ask(Reply([*CHAT[:1], other, *CHAT[1:]])) as response, astream(response) as events:
        assert await listed(events.text()) == ["Hel", "lo"]


@with_client
async def test_break_does_not_close(loop, server, client, ask):
    async with ask(Reply(CHAT)) as response, astream(response) as events:
        assert aiter(events) is events
        async for first in events:
            assert first == Started("c", None)
            break
        assert await anext(events) == TextDelta("Hel")
        assert not response.is_closed
        async for piece in events.text():
            assert piece == "lo"
            break
        assert isinstance(await anext(events), Finished)
        assert await anext(events, None) is None
        assert await anext(events, None) is None
        assert (await events.answer()).text == "Hello"


@with_client
async def test_everything_asked_after_closing(loop, server, client, ask):
    async with ask(Reply(CHAT)) as response, astream(response) as events:
        await anext(events)
        assert (await events.answer()).text == "Hello"
    assert (await events.answer()).text == events.partial().text == "Hello"
    assert events.complete
    assert events.stats.frames == len(CHAT)
    assert await listed(events) == []
    assert "chat, complete" in repr(events)
    assert "Hello" not in repr(events)


@with_client
async def test_an_event_source_is_its_response(loop, server, client, ask):
    async with ask(Reply(CHAT)) as response, astream(httpx_sse.EventSource(response)) as events:
        assert (await events.answer()).text == "Hello"
        assert events.response is response


@both
def test_iterables_and_files(loop, tmp_path):
    async def pieces():
        for piece in CHAT:
            await loop.sleep(0)
            yield piece

    async def main():
        path = tmp_path / "recorded.sse"
        path.write_bytes(b"".join(CHAT))
        for source in (
            pieces(),
            CHAT,
            iter(CHAT),
            (piece for piece in CHAT),
            b"".join(CHAT),
            path.open("rb"),
            io.BytesIO(b"".join(CHAT)),
        ):
            async with astream(source) as events:
                assert (await events.answer()).text == "Hello"
                assert events.response is None

    loop.run(main)


# ---- cuts and errors


@pytest.mark.parametrize("reset", [False, True], ids=["FIN", "RST"])
def test_every_cut(reset, server):
    @with_client
    async def cuts(loop, server, client, ask):
        body = b"".join(SHORT)
        for cut_at in range(len(body) + 1):
            reply = Reply(SHORT, cut_at=cut_at, reset=reset)
            async with ask(reply) as response, astream(response) as events:
                if cut_at >= len(body) - 2:
                    assert (await events.answer()).text == "Hi"
                    continue
                with pytest.raises(TruncatedStreamError) as caught:
                    await listed(events)
                error = caught.value
                assert isinstance(error.cause, httpx.TransportError)
                assert error.__cause__ is error.cause
                assert error.delivered == (cut_at >= len(SHORT[0]) - 2)
                assert response.is_closed
                with pytest.raises(TruncatedStreamError):
                    await events.answer()
                assert await listed(events) == []

    for mark in cuts.pytestmark:
        for loop in mark.args[1]:
            cuts(loop, server)


@with_client
async def test_errors_in_the_stream_close_it(loop, server, client, ask):
    bad = [CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}}), FOREVER]
    async with ask(Reply(bad)) as response, astream(response) as events:
        with pytest.raises(UpstreamError) as caught:
            await listed(events)
        assert response.is_closed
    assert caught.value.delivered
    assert caught.value.partial.text == "Hel"


@with_client
async def test_bodies_in_place_of_a_stream(loop, server, client, ask):
    async with ask(Reply(b"<p>", headers={"Content-Type": "text/html"})) as response, astream(response) as events:
        with pytest.raises(NotAnEventStreamError, match="text/html"):
            await events.answer()
    for reply in (Reply(b""), Reply(b"", status=204, framing="raw")):
        async with ask(reply) as response, astream(response) as events:
            with pytest.raises(TruncatedStreamError):
                await events.answer()


@with_client
async def test_rejections(loop, server, client, ask):
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
    async with ask(Reply(body, status=529)) as response:
        with pytest.raises(RequestRejectedError, match="Overloaded") as caught:
            async with astream(response):
                pytest.fail("not entered")
        assert response.is_closed
    assert (caught.value.status, caught.value.type, caught.value.retryable) == (529, "overloaded_error", True)
    async with ask(Reply(body, status=529)) as response:
        events = astream(response)
        with pytest.raises(RequestRejectedError):
            await anext(events)
        assert await listed(events) == []
        with pytest.raises(RequestRejectedError):
            await events.answer()
    async with ask(Reply([b"cut", b"off"], status=500, cut_at=4, reset=True)) as response:
        with pytest.raises(RequestRejectedError, match="cut"):
            await astream(response).answer()


@both
def test_a_rejection_whose_body_never_ends(loop, server, monkeypatch):
    monkeypatch.setattr("sse_dialects.streams.driver.REJECTION_S", 0.1)

    async def main():
        async with (
            httpx.AsyncClient(trust_env=False, verify=PLAIN) as client,
            client.stream("GET", server.serve(Reply([b"wait", FOREVER], status=503))) as response,
        ):
            started = time.monotonic()
            with pytest.raises(RequestRejectedError, match="wait"):
                async with astream(response):
                    pass
            assert time.monotonic() - started < 0.5

    loop.run(main)


@with_client
async def test_misuse(loop, server, client, ask):
    async with ask(Reply(CHAT)) as response:
        await response.aread()
        async with astream(response) as events:
            assert (await events.answer()).text == "Hello"  # loaded is fine
    async with ask(Reply(CHAT)) as response:
        [piece async for piece in response.aiter_bytes()]
        with pytest.raises(MisuseError, match="StreamConsumed"):
            await anext(astream(response))
    with pytest.raises(MisuseError, match="iter_bytes"):
        await astream(["text"]).answer()
    with pytest.raises(MisuseError, match="idle_timeout"):
        astream([], idle_timeout=0)


@both
def test_the_sources_own_errors_go_on_to_the_caller(loop):
    async def broken():
        yield CHAT[0]
        raise LookupError("a bug of the caller's")

    async def main():
        events = astream(broken())
        with pytest.raises(LookupError):
            await listed(events)
        with pytest.raises(TruncatedStreamError) as caught:
            await anext(events)
        assert isinstance(caught.value.cause, LookupError)
        assert caught.value.delivered
        assert await anext(events, None) is None

    loop.run(main)


# ---- closing


@with_client
async def test_closes_whatever_the_reason(loop, server, client, ask):
    for leave in ("break", "exception"):
        async with ask(Reply(SLOW)) as response:
            started = time.monotonic()
            try:
                async with astream(response) as events:
                    async for _ in events:
                        if leave == "break":
                            break
                        raise ZeroDivisionError
            except ZeroDivisionError:
                assert leave == "exception"
            assert response.is_closed
            assert time.monotonic() - started < 1
            await events.close()
            await events.aclose()
            assert await listed(events) == []
            with pytest.raises(MisuseError, match="left before its end"):
                await events.answer()


@with_client
async def test_one_connection_for_many_requests(loop, server, client, ask):
    before = server.connections
    url, late = server.serve(Reply(CHAT)), server.serve(Reply([*CHAT, 0.02]))
    for number in range(50):
        async with client.stream("POST", url if number % 5 else late, json={}) as response, astream(response) as events:
            assert (await events.answer()).text == "Hello"
    assert server.connections - before == 1
    assert "IDLE" in idle(client)[0]


@with_client
async def test_a_server_that_never_closes(loop, server, client, ask):
    async with ask(Reply(CHAT, hold_s=FOREVER)) as response:
        async with astream(response) as events:
            await anext(events)
            started = time.monotonic()
            assert isinstance((await listed(events))[-1], Finished)
            assert (await events.answer()).text == "Hello"
            answered = time.monotonic()
            assert answered - started < 0.2
        assert time.monotonic() - answered < 0.5
    assert idle(client) == []


@with_client
async def test_draining_stops_at_a_number_of_bytes(loop, server, client, ask):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sse_dialects.streams.async_stream.DRAIN_S", 60.0)
        async with ask(Reply([*CHAT, b": x" * 50_000, FOREVER])) as response:
            started = time.monotonic()
            async with astream(response) as events:
                await events.answer()
            assert time.monotonic() - started < 2
    assert idle(client) == []


@with_client
async def test_cancelled_while_it_waits(loop, server, client, ask):
    async with ask(Reply(SLOW)) as response:
        events = astream(response)

        async def reads():
            async with events:
                await listed(events)

        await loop.cancelled_after(0.05, reads, again=False)  # a second time in its own read is the client's matter
        assert response.is_closed
        with pytest.raises(MisuseError, match="left before its end"):
            await events.answer()
    assert idle(client) == []
    assert server.wait_until_closed()


@with_client
async def test_cancelled_while_it_drains(loop, server, client, ask):
    async with ask(Reply(CHAT, hold_s=FOREVER)) as response:

        async def reads():
            async with astream(response) as events:
                await events.answer()

        await loop.cancelled_after(0.05, reads)
        assert response.is_closed
    assert idle(client) == []


@both
def test_a_close_that_takes_its_time_is_not_cut_short_by_cancellation(loop):
    closed = []

    async def main():
        async def reads():
            async with astream(SlowToClose(loop, closed)) as events:
                await listed(events)

        await loop.cancelled_after(0.02, reads)

    loop.run(main)
    assert closed == ["generator", "response"]


class SlowToClose:
    """A response whose closing can be cancelled."""

    status_code = 200

    def __init__(self, loop, closed):
        self.loop = loop
        self.closed = closed

    async def aiter_bytes(self):
        try:
            yield CHAT[0]
            await self.loop.sleep(10)
        finally:
            self.closed.append("generator")

    async def aclose(self):
        for _ in range(5):
            await self.loop.sleep(0.01)
        self.closed.append("response")


@both
def test_a_close_that_never_ends_is_given_up(loop, monkeypatch):
    monkeypatch.setattr("sse_dialects.streams.runtimes.CLOSE_S", 0.05)

    class Stuck(SlowToClose):
        async def aclose(self):
            await self.loop.sleep(10)

    async def main():
        started = time.monotonic()
        async with astream(Stuck(loop, [])) as events:
            await anext(events)
        assert time.monotonic() - started < 1
        await loop.sleep(0)

    loop.run(main)


@with_client
async def test_close_from_another_task(loop, server, client, ask):
    async with ask(Reply(SLOW)) as response:
        events = astream(response)
        seen = []

        async def reads():
            async for event in events:
                seen.append(event)

        async def closes():
            while len(seen) < 3:
                await loop.sleep(0.005)
            started = time.monotonic()
            await events.close()
            assert time.monotonic() - started < 0.5
            assert response.is_closed

        await loop.together(reads, closes)
        with pytest.raises(MisuseError, match="left before its end"):
            await events.answer()


@with_client
async def test_two_tasks_at_once(loop, server, client, ask):
    async with ask(Reply(SLOW)) as response, astream(response) as events:
        seen = []

        async def reads():
            async for event in events:
                seen.append(event)

        async def intrudes():
            while len(seen) < 3:
                await loop.sleep(0.005)
            await loop.sleep(0.02)
            with pytest.raises(MisuseError, match="another task"):
                await anext(events)
            await events.close()

        await loop.together(reads, intrudes)


def test_dropped_before_its_end_it_warns_and_the_loop_closes(server):
    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as client:
            response = await client.send(client.build_request("GET", server.serve(Reply(SLOW))), stream=True)
            events = astream(response)
            await anext(events)
            held = [events]
            del events
            with pytest.warns(ResourceWarning, match="dropped before its end"):
                held.clear()
            for _ in range(200):
                if not idle(client):
                    break
                await asyncio.sleep(0.005)
            assert not idle(client)
            await response.aclose()

    asyncio.run(main())


@both
def test_dropped_after_its_end_it_is_silent(loop):
    async def main():
        async for event in astream(CHAT):
            assert event
        assert (await astream(iter(CHAT)).answer()).text == "Hello"
        gc.collect()

    loop.run(main)


@both
def test_generators_of_the_callers_are_closed_in_his_task(loop):
    tasks = []

    def current():
        return trio.lowlevel.current_task() if loop.name == "trio" else asyncio.current_task()

    async def pieces():
        try:
            yield CHAT[0]
        finally:
            tasks.append(current())

    async def main():
        async with astream(pieces()) as events:
            await anext(events)
        assert tasks == [current()]

    loop.run(main)


@both
def test_a_failing_close_is_heard_once_all_is_closed(loop):
    closed = []

    class Response:
        status_code = 200

        async def aiter_bytes(self):
            try:
                yield CHAT[0]
            finally:
                raise LookupError("in a finally of the caller's")

        async def aclose(self):
            closed.append(True)
            raise OSError("already gone")

    async def main():
        with pytest.raises(LookupError):
            async with astream(Response()) as events:
                await anext(events)

    loop.run(main)
    assert closed


# ---- timeouts


@with_client
async def test_idle_timeout(loop, server, client, ask):
    trickle = [part for piece in CHAT for part in (0.05, piece)]
    async with ask(Reply(trickle)) as response, astream(response, idle_timeout=0.2) as events:
        assert (await events.answer()).text == "Hello"
    async with ask(Reply(SLOW)) as response, astream(response, idle_timeout=0.1) as events:
        started = time.monotonic()
        with pytest.raises(StalledStreamError, match="idle_timeout") as caught:
            await listed(events)
        assert 0.1 <= time.monotonic() - started < 1
        assert response.is_closed
        with pytest.raises(StalledStreamError):
            await events.answer()
    error = caught.value
    assert (error.waited_s, error.delivered, error.frame_count, error.dialect, error.partial.text) == (
        0.1,
        True,
        2,
        "chat",
        "Hello",
    )
    assert idle(client) == []


@with_client
async def test_content_timeout(loop, server, client, ask):
    pings = [part for _ in range(100) for part in (PING, 0.02)]
    async with (
        ask(Reply([*CHAT[:2], *pings])) as response,
        astream(response, idle_timeout=1.0, content_timeout=0.1) as events,
    ):
        started = time.monotonic()
        with pytest.raises(StalledStreamError, match="content_timeout") as caught:
            await listed(events)
        assert 0.1 <= time.monotonic() - started < 1
    assert caught.value.waited_s >= 0.1
    async with ask(Reply(SLOW)) as response, astream(response, content_timeout=0.1) as events:
        with pytest.raises(StalledStreamError, match="content_timeout"):
            await events.answer()


BEGUN = frame({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
STALLS = [
    ("first_token_timeout", [BEGUN, *[part for _ in range(100) for part in (BEGUN, 0.02)]]),
    ("first_token_timeout", [BEGUN, FOREVER]),
    ("content_timeout", [*CHAT[:2], FOREVER]),
    ("total_timeout", [part for _ in range(100) for part in (CHAT[0], 0.02)]),
    ("total_timeout", [*CHAT[:2], FOREVER]),
    ("idle_timeout", [*CHAT[:2], FOREVER]),
]


@with_client
async def test_timeouts_are_exact(loop, server, client, ask):
    for name, pieces in STALLS:
        async with ask(Reply(pieces)) as response, astream(response, **{name: 0.15}) as events:
            started = time.monotonic()
            with pytest.raises(StalledStreamError) as caught:
                await listed(events)
            assert 0.15 <= time.monotonic() - started < 1, name
            assert response.is_closed
        assert (caught.value.setting, caught.value.retryable) == (name, True)
        assert caught.value.waited_s == pytest.approx(0.15, abs=0.05)
    assert idle(client) == []


@with_client
async def test_an_answer_in_time_meets_no_timeout(loop, server, client, ask):
    timeouts = {"idle_timeout": 0.5, "first_token_timeout": 0.5, "content_timeout": 0.5, "total_timeout": 2.0}
    for body in DIALECTS.values():
        reply = Reply([part for piece in body for part in (0.02, piece)])
        async with ask(reply) as response, astream(response, **timeouts) as events:
            assert (await events.answer()).text == "Hello"


@with_client
async def test_the_callers_own_time_counts_for_total_timeout_alone(loop, server, client, ask):
    async with ask(Reply(CHAT)) as response, astream(response, total_timeout=0.1) as events:
        with pytest.raises(StalledStreamError, match="total_timeout"):
            [await loop.sleep(0.12) async for _ in events]


@with_client
async def test_the_callers_own_time_is_no_silence(loop, server, client, ask):
    async with (
        ask(Reply([*CHAT[:1], PING, PING, *CHAT[1:]])) as response,
        astream(response, content_timeout=0.1, idle_timeout=0.1) as events,
    ):
        async for _ in events:
            await loop.sleep(0.12)
        assert events.complete


@with_client(timeout=httpx.Timeout(5, read=0.1))
async def test_the_clients_read_timeout(loop, server, client, ask):
    async with ask(Reply(SLOW)) as response, astream(response) as events:
        with pytest.raises(StalledStreamError, match=r"httpx\.Timeout\(read=\.\.\.\)") as caught:
            await listed(events)
    assert isinstance(caught.value.cause, httpx.ReadTimeout)
    assert caught.value.waited_s == pytest.approx(0.1, abs=0.09)


@with_client
async def test_a_terminating_frame_without_its_blank_line_before_a_stall(loop, server, client, ask):
    async with ask(Reply([*CHAT[:-1], DONE[:-1], FOREVER])) as response, astream(response, idle_timeout=0.1) as events:
        assert (await events.answer()).text == "Hello"


@with_client
async def test_a_timeout_of_the_callers_is_his(loop, server, client, ask):
    async with ask(Reply([*CHAT[:2], 0.3, *CHAT[2:]])) as response, astream(response, idle_timeout=5.0) as events:
        started = time.monotonic()
        if loop.name == "trio":
            with pytest.raises(trio.TooSlowError), trio.fail_after(0.1):
                await events.answer()
        else:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(events.answer(), 0.1)
        assert time.monotonic() - started < 0.3
        with pytest.raises(TruncatedStreamError) as caught:
            await events.answer()
    assert isinstance(caught.value.cause, trio.Cancelled if loop.name == "trio" else asyncio.CancelledError)


def test_a_cancellation_goes_on_where_a_source_survives_it():
    async def main():
        reader = asyncio.StreamReader()
        reader.feed_data(CHAT[0])
        events = astream(reader)
        await anext(events)
        await anext(events)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(events), 0.05)
        reader.feed_data(b"".join(CHAT[1:]))
        assert (await events.answer()).text == "Hello"

    asyncio.run(main())


@with_client
async def test_stats(loop, server, client, ask):
    async with ask(Reply([PING, 0.1, *CHAT[:2], 0.05, *CHAT[2:]])) as response, astream(response) as events:
        await events.answer()
        stats = events.stats
    assert stats.bytes == len(b"".join(CHAT)) + len(PING)
    assert (stats.frames, stats.comments) == (4, 1)
    assert 0 < stats.time_to_first_byte_s <= stats.time_to_first_event_s <= stats.time_to_first_text_s <= stats.duration_s
    assert 0 < stats.longest_gap_s < stats.duration_s


def test_the_interpreter_may_exit_with_an_open_stream():
    """In a process of its own: no traceback, no hang."""
    import subprocess

    code = (
        "import asyncio\n"
        "from sse_dialects.streams import astream, stream\n"
        "async def pieces():\n"
        f"    yield {CHAT[0]!r}\n"
        "    await asyncio.sleep(10)\n"
        "async def main():\n"
        "    global events\n"
        "    events = astream(pieces())\n"
        "    print(await anext(events))\n"
        "asyncio.run(main())\n"
        f"other = stream(iter([{CHAT[0]!r}]))\n"
        "print(next(other))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.count("Started") == 2
    assert done.stderr == ""
    assert warnings.filters
