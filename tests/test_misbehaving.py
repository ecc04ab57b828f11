"""A server that misbehaves in every way that plain HTTP/1.1 allows, against httpx sync, on asyncio (in debug mode) and on trio.

Each time: the right answer or the right error, and nothing left: no response or stream that somebody still holds, no connection
that the pool thinks busy, no task, thread or file descriptor. Warnings are errors, so nothing was unclosed or un-awaited.
"""

from __future__ import annotations

import gc
import gzip
import os
import ssl
import threading
import time
import weakref
import zlib

import httpx
import pytest
from bodies import CHAT, DONE, PING, SHORT, frame
from loops import Loop
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # made at once; nothing here speaks TLS
BODY = b"".join(CHAT)
HTML = b"<!doctype html><html><head><title>Bad gateway</title></head><body>" + b"x" * 600 + b"</body></html>"
CHUNKED = {"Transfer-Encoding": "chunked"}
GZIPPED = {"Content-Encoding": "gzip"}


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


@pytest.fixture(autouse=True, scope="module")
def _quick_collections():
    """What was there before is not looked at again each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


class Fault:
    """What a server does, and what is to come of it: ``kind`` is the error's, or "complete" for the answer "Hello"."""

    def __init__(self, reply, kind="complete", *, client=None, stream=None, **facts):
        self.reply = reply
        self.kind = kind
        self.client = client or {}
        self.stream = stream or {}
        self.facts = facts


def raw(*pieces):
    """Chunks as they stand, right or wrong."""
    return Reply(b"".join(pieces), framing="raw", headers=CHUNKED)


def as_chunk(data, size=None):
    return b"%x\r\n%b\r\n" % (len(data) if size is None else size, data)


def rejected(body, status, **headers):
    return Reply(body, status=status, headers={"Content-Type": "application/json", **headers})


ZIPPED = gzip.compress(BODY, mtime=0)
FAULTS = {
    # ---- the end of the body
    "a chunk size that is none": Fault(raw(as_chunk(CHAT[0]), b"zz\r\n" + BODY), "truncated"),
    "a negative chunk size": Fault(raw(as_chunk(CHAT[0]), b"-5\r\n" + BODY), "truncated"),
    "a chunk longer than its size": Fault(raw(as_chunk(CHAT[0], 5), as_chunk(BODY)), "truncated"),
    "a chunk shorter than its size": Fault(raw(as_chunk(CHAT[0], 5_000)), "truncated"),
    "chunks without the last one, answer whole": Fault(raw(as_chunk(BODY))),
    "chunks that end early": Fault(raw(as_chunk(CHAT[0]), b"0\r\n\r\n", as_chunk(CHAT[1])), "truncated"),
    "chunks that end at once": Fault(raw(b"0\r\n\r\n"), "truncated"),
    "chunks and a trailer": Fault(raw(as_chunk(BODY), b"0\r\nX-Trailer: 1\r\n\r\n")),
    "chunks with extensions": Fault(raw(b"%x;name=value\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY))),
    "a length that is too small": Fault(Reply(BODY, framing="length", length=len(BODY) - 20, keep_alive=False), "truncated"),
    "a length that is too large": Fault(Reply(BODY, framing="length", length=len(BODY) + 20, keep_alive=False)),
    "a length that is too large, and a cut": Fault(
        Reply(CHAT[0], framing="length", length=5_000, keep_alive=False), "truncated", cause="RemoteProtocolError"
    ),
    "a length of nothing": Fault(Reply(BODY, framing="length", length=0, keep_alive=False), "truncated", cause=None),
    "no length, closed before the end": Fault(Reply(CHAT[:2], framing="close"), "truncated", cause=None),
    "no length, closed after the end": Fault(Reply(CHAT, framing="close")),
    "reset after the end": Fault(Reply(CHAT, cut_at=len(BODY), reset=True)),
    "no close after the terminating frame": Fault(Reply(CHAT, hold_s=FOREVER)),
    "more and more after the terminating frame": Fault(Reply([BODY, *[PING * 2_000] * 20])),
    "another answer after the terminating frame": Fault(Reply([BODY, *SHORT])),
    # ---- time
    "a trickle": Fault(Reply([part for byte in BODY for part in (bytes([byte]), 0.0)])),
    "a stall": Fault(Reply([*CHAT[:2], FOREVER]), "stalled", client={"timeout": httpx.Timeout(5, read=0.4)}, cause="ReadTimeout"),
    "a stall with keep-alives": Fault(
        Reply([*CHAT[:2], *[PING, 0.02] * 100]), "stalled", stream={"content_timeout": 0.1}, setting="content_timeout"
    ),
    "a stall with pings": Fault(
        Reply([*CHAT[:2], *[frame({"type": "ping"}, "ping"), 0.02] * 100]),
        "stalled",
        stream={"content_timeout": 0.1},
        setting="content_timeout",
    ),
    "a stall before the first byte": Fault(
        Reply([FOREVER]), "stalled", client={"timeout": httpx.Timeout(5, read=0.4)}, frame_count=0
    ),
    "a stall in the terminating frame's line end": Fault(
        Reply([*CHAT[:-1], DONE[:-2], FOREVER]), client={"timeout": httpx.Timeout(5, read=0.4)}
    ),
    # ---- compression
    "gzip": Fault(Reply(ZIPPED, headers=GZIPPED)),
    "gzip, byte by byte": Fault(Reply([bytes([byte]) for byte in ZIPPED], headers=GZIPPED)),
    "gzip, truncated": Fault(Reply(ZIPPED[:-30], headers=GZIPPED), "truncated"),
    "gzip, only its checksum missing": Fault(Reply(ZIPPED[:-8], headers=GZIPPED)),
    "gzip, broken": Fault(Reply(ZIPPED[:30] + b"\xff" * 30, headers=GZIPPED), "truncated", cause="DecodingError"),
    "gzip that is none": Fault(Reply(BODY, headers=GZIPPED), "truncated", cause="DecodingError"),
    "gzip that nobody says is": Fault(Reply(ZIPPED), "not_event_stream"),
    "deflate": Fault(Reply(zlib.compress(BODY), headers={"Content-Encoding": "deflate"})),
    # ---- other bodies
    "HTML with 200": Fault(Reply(HTML, headers={"Content-Type": "text/html"}), "not_event_stream", content_type="text/html"),
    "HTML that never ends": Fault(Reply([HTML, FOREVER]), "not_event_stream", content_type="text/event-stream"),
    "JSON of another kind": Fault(Reply(b'{"object": "list", "data": []}'), "not_event_stream"),
    "an error with 200": Fault(Reply(b'{"error": {"message": "no", "code": "invalid_api_key"}}'), "upstream", retryable=False),
    "an empty body": Fault(Reply(b""), "truncated", cause=None),
    "an empty body of length 0": Fault(Reply(b"", framing="length"), "truncated", cause=None),
    "204": Fault(Reply(b"", status=204, framing="raw"), "truncated"),
    # ---- rejections
    "401": Fault(
        rejected(b'{"error": {"message": "bad key", "type": "invalid_request_error", "code": "invalid_api_key"}}', 401),
        "rejected",
        status=401,
        code="invalid_api_key",
        retryable=False,
    ),
    "429 with a header": Fault(
        rejected(b'{"error": {"message": "slow"}}', 429, **{"Retry-After": "7"}), "rejected", retry_after=7.0, retryable=True
    ),
    "404 as a page": Fault(rejected(HTML, 404), "rejected", message="Bad gateway", retryable=False),
    "413 without a body": Fault(rejected(b"", 413), "rejected", message=None),
    "422 as FastAPI says it": Fault(
        rejected(b'{"detail": [{"loc": ["n"], "msg": "no number"}]}', 422), "rejected", message="no number"
    ),
    "500 as text": Fault(rejected(b"oh no", 500), "rejected", message="oh no", retryable=True),
    "502 as a page": Fault(rejected(HTML, 502), "rejected", message="Bad gateway"),
    "503 as a stream": Fault(
        Reply([frame({"error": {"message": "full"}}), DONE], status=503), "rejected", message="full", retryable=True
    ),
    "503 that is cut": Fault(Reply([b"half a ", b"word"], status=503, cut_at=7, reset=True), "rejected", message="half a"),
    "500 in gzip": Fault(rejected(gzip.compress(b'{"error": "x"}'), 500, **GZIPPED), "rejected", message="x"),
    "500 in gzip that is none": Fault(rejected(b"plain", 500, **GZIPPED), "rejected", message=None),
    "500 in bytes of any kind": Fault(rejected(bytes(range(256)), 500), "rejected", message=None),
    "529 in the words of messages": Fault(
        rejected(b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}', 529),
        "rejected",
        type="overloaded_error",
        retryable=True,
    ),
    **{
        f"redirected by {status}": Fault(
            Reply(b"", status=status, headers={"Location": "http://127.0.0.1:9/x?key=k"}),
            "rejected",
            status=status,
            retryable=False,
        )
        for status in (301, 302, 303, 307, 308)
    },
    "304": Fault(Reply(b"", status=304, framing="raw"), "rejected", status=304),
}


class Left:
    """What there is before and after: descriptors, threads, and what was made in between."""

    def __init__(self, server):
        self._server = server
        assert server.wait_until_closed()
        self._descriptors = self._count()
        self._threads = threading.active_count()
        self._made = []

    def watch(self, *made):
        self._made += map(weakref.ref, made)

    def check(self):
        """Nothing; the server's own thread of a connection may need a moment to end."""
        gc.collect()
        assert [made() for made in self._made if made() is not None] == []
        assert self._server.wait_until_closed()
        deadline = time.monotonic() + 2
        while threading.active_count() > self._threads and time.monotonic() < deadline:
            time.sleep(0.002)
        assert threading.active_count() <= self._threads
        assert self._count() <= self._descriptors

    def _count(self):
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def busy(client):
    """Connections that the pool takes for anything but idle."""
    return [info for connection in client._transport._pool.connections if "IDLE" not in (info := str(connection.info()))]


def read_sync(url, fault, left):
    with httpx.Client(trust_env=False, verify=PLAIN, **fault.client) as client:
        try:
            with client.stream("POST", url, json={}) as response:
                events = sd.stream(response, **fault.stream)
                left.watch(response, events)
                with events:
                    text = "".join(events.text())
                    assert events.answer().text == text
                    return "complete", text, {}
        except sd.SSEDialectsError as error:
            return told(error)
        finally:
            assert busy(client) == []
            assert response.is_closed


def read_async(loop, url, fault, left):
    async def main():
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN, **fault.client) as client:
            try:
                async with client.stream("POST", url, json={}) as response:
                    events = sd.astream(response, **fault.stream)
                    left.watch(response, events)
                    async with events:
                        text = "".join([piece async for piece in events.text()])
                        assert (await events.answer()).text == text
                        return "complete", text, {}
            except sd.SSEDialectsError as error:
                return told(error)
            finally:
                assert busy(client) == []
                assert response.is_closed

    return loop.run(main)


def told(error):
    """An error's facts, without the frames that it holds."""
    facts = {**vars(error), "cause": type(error.cause).__name__ if getattr(error, "cause", None) else None}
    json_facts = error.to_dict()
    text = error.partial.text if isinstance(error, sd.StreamError) else ""
    return error.kind, text, {**facts, **json_facts}


WAYS = {
    "sync": read_sync,
    "asyncio": lambda *arguments: read_async(Loop("asyncio"), *arguments),
    "trio": lambda *arguments: read_async(Loop("trio"), *arguments),
}
every_way = pytest.mark.parametrize("read", WAYS.values(), ids=WAYS)


@every_way
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_right_outcome_and_nothing_left(server, fault, read):
    left = Left(server)
    kind, text, facts = read(server.serve(fault.reply), fault, left)
    assert kind == fault.kind
    if kind == "complete":
        assert text == "Hello"
    assert {name: facts[name] for name in fault.facts} == fault.facts
    left.check()


@every_way
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_that_the_client_follows(server, status, read):
    left = Left(server)
    target = server.serve(Reply(CHAT))
    moved = Reply(b"", status=status, headers={"Location": target})
    kind, text, _ = read(server.serve(moved), Fault(moved, client={"follow_redirects": True}), left)
    assert (kind, text) == ("complete", "Hello")
    left.check()


# ---- cuts

# The shortest stream of each dialect that says something.
SHORTEST = {
    "chat": SHORT,
    "messages": [
        frame({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}),
        frame({"type": "message_stop"}),
    ],
    "responses": [frame({"type": "response.output_text.delta", "delta": "Hi"}), frame({"type": "response.completed"})],
}


@pytest.mark.slow
@every_way
@pytest.mark.parametrize("dialect", SHORTEST)
def test_cuts_at_every_byte(server, dialect, read):
    """By FIN and by RST, in each framing. An undispatched last frame counts where its payload is whole."""
    frames = SHORTEST[dialect]
    body = b"".join(frames)
    left = Left(server)
    for cut_at in range(len(body) + 1):
        for reset in (False, True):
            framing = ("chunked", "length", "close")[cut_at % 3]
            reply = Reply(frames, framing=framing, cut_at=cut_at, reset=reset)
            kind, text, facts = read(server.serve(reply), Fault(reply), left)
            assert kind == ("complete" if cut_at >= len(body) - 2 else "truncated"), cut_at
            assert text == ("Hi" if cut_at >= len(frames[0]) - 2 else ""), cut_at
            if kind == "truncated":
                assert facts["byte_count"] == cut_at
                assert (facts["cause"] is None) == (framing == "close" and not reset)
    left.check()
