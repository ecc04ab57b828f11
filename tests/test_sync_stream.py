"""Sync streams over real HTTP, files and iterables: answers, errors, closing."""

from __future__ import annotations

import io
import itertools
import os
import ssl
import threading
import time
import weakref

import httpx
import httpx_sse
import pytest
from bodies import CHAT, DIALECTS, DONE, PING, SHORT, frame
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
from sse_dialects.streams import stream


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


# A context without certificates is made at once; nothing here speaks TLS.
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
def client():
    with httpx.Client(trust_env=False, verify=PLAIN) as opened:
        yield opened


@pytest.fixture
def ask(server, client):
    """The open response to a reply."""

    def asked(reply):
        return client.stream("POST", server.serve(reply), json={})

    return asked


def idle(client) -> list[str]:
    """What the client's pool says of each of its connections."""
    return [str(connection.info()) for connection in client._transport._pool.connections]


# ---- answers


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_same_as_through_the_decoder(ask, name, size):
    body = b"".join(DIALECTS[name])
    decoder = Decoder()
    expected = [*decoder.feed(body), *decoder.close()]
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    with ask(Reply(pieces)) as response, stream(response) as events:
        assert list(events) == expected
        assert events.answer() == decoder.answer()
        assert events.complete
        assert events.dialect == name
        assert events.response is response


def test_text(ask):
    other = frame({"choices": [{"index": 1, "delta": {"content": "another choice"}}]})
    with ask(Reply([*CHAT[:1], other, *CHAT[1:]])) as response, stream(response) as events:
        assert list(events.text()) == ["Hel", "lo"]


def test_break_does_not_close(ask):
    with ask(Reply(CHAT)) as response, stream(response) as events:
        assert iter(events) is events
        for first in events:
            assert first == Started("c", None)
            break
        assert events.partial().text in {"", "Hel", "Hello"}
        assert next(events) == TextDelta("Hel")
        assert not response.is_closed
        for piece in events.text():
            assert piece == "lo"
            break
        assert isinstance(next(events), Finished)
        assert next(events, None) is None
        assert next(events, None) is None


def test_answer_after_break(ask):
    with ask(Reply(CHAT)) as response, stream(response) as events:
        next(events)
        assert events.answer().text == "Hello"
        assert list(events) == []
        assert events.answer().text == "Hello"


def test_everything_asked_after_closing(ask):
    with ask(Reply(CHAT)) as response, stream(response) as events:
        events.answer()
    assert events.answer().text == events.partial().text == "Hello"
    assert events.complete
    assert events.stats.frames == len(CHAT)
    assert list(events) == []
    assert "chat, complete" in repr(events)
    assert "Hello" not in repr(events)


def test_an_event_source_is_its_response(ask):
    with ask(Reply(CHAT)) as response, stream(httpx_sse.EventSource(response)) as events:
        assert events.answer().text == "Hello"
        assert events.response is response


def test_files_and_iterables(tmp_path):
    path = tmp_path / "recorded.sse"
    path.write_bytes(b"".join(CHAT))
    for opened in (path.open("rb"), path.open("rb", buffering=0), io.BytesIO(b"".join(CHAT))):
        with stream(opened) as events:
            assert events.answer().text == "Hello"
            assert events.response is None
        assert opened.closed
    for source in (
        CHAT,
        iter(CHAT),
        (piece for piece in CHAT),
        b"".join(CHAT),
        [bytearray(CHAT[0]), b"", memoryview(b"".join(CHAT[1:]))],
    ):
        with stream(source) as events:
            assert events.answer().text == "Hello"


def test_a_pipe_gives_what_is_there():
    reading, writing = os.pipe()
    with stream(open(reading, "rb")) as events, open(writing, "wb", buffering=0) as pipe:
        pipe.write(CHAT[0])
        assert next(events) == Started("c", None)
        assert next(events) == TextDelta("Hel")
        pipe.write(b"".join(CHAT[1:]))
        assert events.answer().text == "Hello"  # with the pipe still open


def test_compression_is_undone_by_the_client(ask):
    import gzip

    body = gzip.compress(b"".join(CHAT))
    with ask(Reply([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})) as response, stream(response) as events:
        assert events.answer().text == "Hello"
    with (
        ask(Reply(body[:-30], headers={"Content-Encoding": "gzip"})) as response,
        stream(response) as events,
        pytest.raises(TruncatedStreamError),
    ):
        events.answer()


# ---- cuts


@pytest.mark.parametrize("reset", [False, True], ids=["FIN", "RST"])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_every_cut(ask, framing, reset):
    """An undispatched last frame counts where its payload is whole, so cuts in the last two bytes lose nothing."""
    body = b"".join(SHORT)
    whole = len(body) - 2
    for cut_at in range(len(body) + 1):
        with ask(Reply(SHORT, framing=framing, cut_at=cut_at, reset=reset)) as response, stream(response) as events:
            if cut_at >= whole:
                assert events.answer().text == "Hi"
                continue
            with pytest.raises(TruncatedStreamError) as caught:
                list(events)
            error = caught.value
            clean = framing == "close" and not reset
            assert isinstance(error.cause, type(None) if clean else httpx.TransportError)
            assert error.__cause__ is error.cause
            assert error.delivered == (cut_at >= len(SHORT[0]) - 2)
            assert error.partial.text == ("Hi" if error.delivered else "")
            assert events.partial() == error.partial
            assert response.is_closed
            with pytest.raises(TruncatedStreamError):
                events.answer()
            assert list(events) == []


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\ndata: {}\r\n",
        b"5\r\ndata: [DONE]\n\n\r\n",
        b"400\r\n" + SHORT[0],
        b"-1\r\n",
    ],
)
def test_broken_chunks(ask, body):
    reply = Reply(body, framing="raw", headers={"Transfer-Encoding": "chunked"})
    with ask(reply) as response, stream(response) as events, pytest.raises(TruncatedStreamError) as caught:
        events.answer()
    assert isinstance(caught.value.cause, httpx.RemoteProtocolError)


@pytest.mark.parametrize(("length", "complete"), [(-1, False), (0, True), (1, True)])
def test_a_wrong_length(ask, length, complete):
    """What comes after too short a length is not part of the body; too long a one is a transport error after the answer."""
    size = len(b"".join(CHAT)) + length
    size -= 2 if length < 0 else 0
    with ask(Reply(CHAT, framing="length", length=size, keep_alive=False)) as response, stream(response) as events:
        if complete:
            assert events.answer().text == "Hello"
        else:
            with pytest.raises(TruncatedStreamError):
                events.answer()


def test_an_error_frame_after_some_text(ask):
    with ask(Reply([CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})])) as response:
        with stream(response) as events, pytest.raises(UpstreamError) as caught:
            list(events)
        assert response.is_closed
    assert caught.value.delivered
    assert caught.value.partial.text == "Hel"


def test_nothing_is_delivered_by_answer(ask):
    with ask(Reply(CHAT[:2])) as response, stream(response) as events, pytest.raises(TruncatedStreamError) as caught:
        events.answer()
    assert not caught.value.delivered


# ---- bodies in place of a stream


@pytest.mark.parametrize("reply", [Reply(b""), Reply(b"", framing="length"), Reply(b"", status=204, framing="raw")])
def test_an_empty_body(ask, reply):
    with ask(reply) as response, stream(response) as events, pytest.raises(TruncatedStreamError):
        events.answer()


def test_html_names_its_content_type(ask):
    reply = Reply(b"<!doctype html><p>no</p>", headers={"Content-Type": "text/html"})
    with ask(reply) as response, stream(response) as events, pytest.raises(NotAnEventStreamError, match="text/html") as caught:
        events.answer()
    assert caught.value.content_type == "text/html"


def test_the_bytes_decide_and_not_the_label(ask):
    with ask(Reply(CHAT, headers={"Content-Type": "application/json"})) as response, stream(response) as events:
        assert events.answer().text == "Hello"
    whole = b'{"object": "chat.completion", "choices": [{"message": {"content": "cached"}, "finish_reason": "stop"}]}'
    with ask(Reply(whole)) as response, stream(response) as events:
        assert events.answer().text == "cached"


@pytest.mark.parametrize("encoding", ["br", "deflate", "x-unknown"])
def test_what_the_client_does_not_decode_is_named(encoding):
    body = b"\x0b\x80\xff" + bytes(range(256)) + b"\n\n" + bytes(range(256))
    response = RawResponse([body], {"Content-Encoding": encoding, "Content-Type": "text/event-stream"})
    with stream(response) as events, pytest.raises(NotAnEventStreamError, match=f"{encoding} data") as caught:
        events.answer()
    assert caught.value.content_type == "text/event-stream"
    with pytest.raises(NotAnEventStreamError):
        events.answer()


def test_a_decoded_encoding_is_no_excuse():
    with stream(RawResponse(CHAT[:2], {"content-encoding": "br"})) as events, pytest.raises(TruncatedStreamError):
        events.answer()
    with (
        stream(RawResponse([b"data: cut in the first frame"], {"content-encoding": "br"})) as events,
        pytest.raises(TruncatedStreamError),
    ):
        events.answer()


class RawResponse:
    """A response of a client that leaves the body as it came."""

    status_code = 200

    def __init__(self, pieces, headers):
        self.pieces = pieces
        self.headers = headers

    def iter_bytes(self):
        yield from self.pieces


# ---- HTTP errors


def test_a_rejection_on_entering(ask):
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error", "code": "rpm"}}'
    with ask(Reply(body, status=429, headers={"Retry-After": "3"})) as response:
        with pytest.raises(RequestRejectedError) as caught, stream(response):
            pytest.fail("not entered")
        assert response.is_closed
    error = caught.value
    assert (error.status, error.type, error.code, error.message) == (429, "rate_limit_error", "rpm", "slow down")
    assert (error.retryable, error.retry_after, error.delivered) == (True, 3.0, False)
    assert error.headers["retry-after"] == "3"


@pytest.mark.parametrize("use", [next, lambda events: events.answer(), lambda events: list(events.text())])
def test_a_rejection_without_a_with(ask, use):
    with ask(Reply(b"nope", status=403)) as response:
        events = stream(response)
        with pytest.raises(RequestRejectedError, match="nope"):
            use(events)
        assert list(events) == []
        with pytest.raises(RequestRejectedError):
            events.answer()
        assert not events.partial().complete


def test_a_rejection_whose_body_is_cut(ask):
    with (
        ask(Reply([b"half a ", b"word"], status=500, cut_at=7, reset=True)) as response,
        pytest.raises(RequestRejectedError, match="half a"),
        stream(response),
    ):
        pass


def test_a_rejection_whose_body_never_ends(ask, monkeypatch):
    monkeypatch.setattr("sse_dialects.streams.driver.REJECTION_S", 0.1)
    trickle = [part for _ in range(200) for part in (b"x", 0.02)]
    with (
        ask(Reply(trickle, status=503)) as response,
        pytest.raises(RequestRejectedError, match="status 503: xxx"),
        stream(response),
    ):
        pass


def test_a_redirect(ask):
    with (
        ask(Reply(b"", status=307, headers={"Location": "https://x.example/v1?key=secret"})) as response,
        pytest.raises(RequestRejectedError, match=r"redirected to https://x\.example/v1; let the client follow") as caught,
    ):
        next(stream(response))
    assert "secret" not in str(caught.value)


# ---- what the caller does wrong


def test_a_response_that_was_read_before(ask):
    with ask(Reply(CHAT)) as response:
        list(response.iter_bytes())
        with pytest.raises(MisuseError, match="StreamConsumed"):
            next(stream(response))
    with ask(Reply(CHAT)) as response:
        pass
    with pytest.raises(MisuseError, match="StreamClosed"):
        stream(response).answer()


def test_a_response_that_was_loaded_is_fine(server, client):
    response = client.post(server.serve(Reply(CHAT)), json={})
    assert stream(response).answer().text == "Hello"


def test_pieces_that_are_no_bytes():
    for piece, word in (("data: 1", "iter_bytes"), (None, "non-blocking"), (7, "bytes are needed")):
        with pytest.raises(MisuseError, match=word):
            stream([piece]).answer()


@pytest.mark.parametrize("seconds", [0, -1, True, "1", float("nan")])
def test_a_timeout_that_is_none(seconds):
    with pytest.raises(MisuseError, match="content_timeout"):
        stream([], content_timeout=seconds)


def test_the_sources_own_errors_go_on_to_the_caller():
    def broken():
        yield CHAT[0]
        raise LookupError("a bug of the caller's")

    events = stream(broken())
    assert list(itertools.islice(events, 2))
    with pytest.raises(LookupError):
        next(events)
    with pytest.raises(TruncatedStreamError) as caught:
        next(events)
    assert isinstance(caught.value.cause, LookupError)
    assert caught.value.partial.text == "Hel"
    assert next(events, None) is None


def test_an_interrupt_goes_on_to_the_caller():
    def interrupted():
        yield CHAT[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), stream(interrupted()) as events:
        events.answer()
    with pytest.raises(MisuseError, match="left before its end"):
        events.answer()


# ---- closing


def test_closes_whatever_the_reason(ask):
    for leave in ("end", "break", "exception"):
        with ask(Reply([*CHAT[:2], 5.0, *CHAT[2:]] if leave != "end" else CHAT)) as response:
            started = time.monotonic()
            with pytest.raises(ZeroDivisionError) if leave == "exception" else stream(b""), stream(response) as events:
                for _ in events:
                    if leave == "break":
                        break
                    if leave == "exception":
                        raise ZeroDivisionError
            assert response.is_closed
            assert time.monotonic() - started < 1
            events.close()
            assert list(events) == []


def test_closed_before_the_end(ask):
    with ask(Reply([*CHAT[:2], 5.0, *CHAT[2:]])) as response:
        events = stream(response)
        next(events)
        events.close()
        events.close()
        assert list(events) == []
        assert events.partial().text in {"Hel", "Hello"}
        with pytest.raises(MisuseError, match="left before its end"):
            events.answer()


def test_closed_early_but_received_whole():
    events = stream([b"".join(CHAT)])
    next(events)
    events.close()
    assert list(events) == []
    assert events.answer().text == "Hello"


def test_one_connection_for_many_requests(server):
    before = server.connections
    url = server.serve(Reply(CHAT))
    late = server.serve(Reply([*CHAT, 0.02]))
    with httpx.Client(trust_env=False, verify=PLAIN) as client:
        for number in range(50):
            with client.stream("POST", url if number % 5 else late, json={}) as response, stream(response) as events:
                assert events.answer().text == "Hello"
        assert server.connections - before == 1
        assert "IDLE" in idle(client)[0]


def test_a_server_that_never_closes(ask, client):
    with ask(Reply(CHAT, hold_s=FOREVER)) as response, stream(response) as events:
        assert len(list(itertools.islice(events, 3))) == 3
        started = time.monotonic()
        assert isinstance(list(events)[-1], Finished)
        assert events.answer().text == "Hello"
        answered = time.monotonic()
        assert answered - started < 0.2
    assert time.monotonic() - answered < 0.5
    assert idle(client) == []


def test_a_stream_left_early_is_dropped_at_once(ask, server):
    with ask(Reply([*CHAT[:2], FOREVER])) as response, stream(response) as events:
        next(events)
        started = time.monotonic()
    assert time.monotonic() - started < 1
    assert server.wait_until_closed()


def test_draining_stops_at_a_number_of_bytes(ask, client, monkeypatch):
    monkeypatch.setattr("sse_dialects.sources.sockets.DRAIN_S", 60.0)
    with ask(Reply([*CHAT, b": x" * 50_000, FOREVER])) as response:
        started = time.monotonic()
        with stream(response) as events:
            events.answer()
        assert time.monotonic() - started < 2
    assert idle(client) == []


def test_dropping_closes(ask):
    with ask(Reply([*CHAT[:2], FOREVER])) as response:
        events = stream(response)
        next(events)
        gone = weakref.ref(events)
        held = [events]
        del events
        with pytest.warns(ResourceWarning, match="dropped before its end"):
            held.clear()
        assert gone() is None
        assert response.is_closed


def test_a_failing_close_is_heard_once_all_is_closed():
    class Response:
        status_code = 200
        closed = 0

        def iter_bytes(self):
            try:
                yield from CHAT
            finally:
                raise LookupError("in a finally of the caller's")

        def close(self):
            self.closed += 1
            raise OSError("already gone")

    response = Response()
    with pytest.raises(LookupError), stream(response) as events:
        next(events)
    assert response.closed == 1


# ---- threads


def test_two_threads_at_once():
    entered, release = threading.Event(), threading.Event()

    def slow():
        entered.set()
        release.wait(5)
        yield from CHAT

    events = stream(slow())
    reader = threading.Thread(target=list, args=(events,))
    reader.start()
    entered.wait(5)
    with pytest.raises(MisuseError, match="another thread"):
        next(events)
    with pytest.raises(MisuseError, match="another thread"):
        events.answer()
    release.set()
    reader.join()
    assert events.complete


def test_close_from_another_thread_wakes_the_reader(ask):
    with ask(Reply([*CHAT[:2], FOREVER])) as response:
        events = stream(response)
        seen = []
        reader = threading.Thread(target=lambda: seen.extend(events))
        reader.start()
        while len(seen) < 3:
            time.sleep(0.005)
        started = time.monotonic()
        events.close()
        reader.join(5)
        assert time.monotonic() - started < 0.5
        assert response.is_closed
        with pytest.raises(MisuseError, match="left before its end"):
            events.answer()


def test_close_from_another_thread_where_nothing_can_be_woken():
    entered, release = threading.Event(), threading.Event()
    closed = []

    def slow():
        try:
            yield CHAT[0]
            entered.set()
            release.wait(5)
            yield CHAT[1]
        finally:
            closed.append(True)

    events = stream(slow())
    reader = threading.Thread(target=list, args=(events,))
    reader.start()
    entered.wait(5)
    events.close()
    assert not closed
    release.set()
    reader.join(5)
    assert closed


# ---- timeouts


def test_the_clients_read_timeout(server):
    with httpx.Client(trust_env=False, verify=PLAIN, timeout=httpx.Timeout(5, read=0.1)) as client:
        url = server.serve(Reply([*CHAT[:2], FOREVER]))
        with (
            client.stream("POST", url, json={}) as response,
            stream(response) as events,
            pytest.raises(StalledStreamError, match=r"httpx\.Timeout\(read=\.\.\.\)") as caught,
        ):
            list(events)
    error = caught.value
    assert error.waited_s == pytest.approx(0.1, abs=0.09)
    assert isinstance(error.cause, httpx.ReadTimeout)
    assert (error.retryable, error.delivered, error.frame_count, error.dialect) == (True, True, 2, "chat")
    assert error.partial.text == "Hello"


def test_content_timeout(ask):
    pings = [part for _ in range(100) for part in (PING, 0.02)]
    with ask(Reply([*CHAT[:2], *pings, *CHAT[2:]])) as response, stream(response, content_timeout=0.1) as events:
        started = time.monotonic()
        with pytest.raises(StalledStreamError, match="content_timeout") as caught:
            list(events)
        assert 0.1 <= time.monotonic() - started < 1
    assert caught.value.waited_s >= 0.1


def stalled(ask, pieces, **timeouts):
    """The error of a stream over these pieces, and after how many seconds it came."""
    with ask(Reply(pieces)) as response, stream(response, **timeouts) as events:
        started = time.monotonic()
        with pytest.raises(StalledStreamError) as caught:
            list(events)
        assert response.is_closed
        return caught.value, time.monotonic() - started


BEGUN = frame({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("first_token_timeout", [BEGUN, *[part for _ in range(100) for part in (BEGUN, 0.02)]]),
        ("first_token_timeout", [BEGUN, FOREVER]),
        ("content_timeout", [*CHAT[:2], FOREVER]),
        ("total_timeout", [part for _ in range(100) for part in (CHAT[0], 0.02)]),
        ("total_timeout", [*CHAT[:2], FOREVER]),
    ],
)
def test_timeouts_are_exact_where_the_socket_is_exposed(ask, name, pieces):
    error, seconds = stalled(ask, pieces, **{name: 0.15})
    assert 0.14 <= seconds < 1
    assert (error.setting, error.retryable, error.cause) == (name, True, None)
    assert error.waited_s == pytest.approx(0.15, abs=0.1)


def test_timeouts_do_not_stay_on_the_connection(server):
    before = server.connections
    url, slow = server.serve(Reply(CHAT)), server.serve(Reply([*CHAT[:1], 0.3, *CHAT[1:]]))
    with httpx.Client(trust_env=False, verify=PLAIN) as client:
        for _ in range(3):
            with client.stream("POST", url, json={}) as response, stream(response, total_timeout=0.2) as events:
                assert events.answer().text == "Hello"
            with client.stream("POST", slow, json={}) as response, stream(response) as events:
                assert events.answer().text == "Hello"
    assert server.connections - before == 1


def test_a_timeout_elsewhere_is_looked_at_when_bytes_arrive():
    def pieces():
        for _ in range(50):
            time.sleep(0.02)
            yield BEGUN

    for name in ("first_token_timeout", "total_timeout"):
        with stream(pieces(), **{name: 0.1}) as events, pytest.raises(StalledStreamError) as caught:
            events.answer()
        assert caught.value.setting == name
        assert 0.1 <= caught.value.waited_s < 0.5


def test_an_answer_in_time_meets_no_timeout(ask):
    timeouts = {"first_token_timeout": 0.5, "content_timeout": 0.5, "total_timeout": 2.0}
    for body in DIALECTS.values():
        with ask(Reply([part for piece in body for part in (0.02, piece)])) as response, stream(response, **timeouts) as events:
            assert events.answer().text == "Hello"


def test_the_callers_own_time_counts_for_total_timeout_alone(ask):
    with ask(Reply(CHAT)) as response, stream(response, total_timeout=0.1) as events:
        with pytest.raises(StalledStreamError, match="total_timeout"):
            [time.sleep(0.12) for _ in events]


def test_a_long_frame_that_arrives_is_content(ask):
    long = frame({"choices": [{"index": 0, "delta": {"content": "x" * 1000}}]})
    pieces = [part for start in range(0, len(long), 100) for part in (long[start : start + 100], 0.03)]
    with ask(Reply([*pieces, *CHAT[2:]])) as response, stream(response, content_timeout=0.15) as events:
        assert len(events.answer().text) == 1000


def test_the_callers_own_time_is_no_silence(ask):
    with ask(Reply([*CHAT[:1], PING, PING, *CHAT[1:]])) as response, stream(response, content_timeout=0.1) as events:
        for _ in events:
            time.sleep(0.12)
        assert events.complete


def test_a_terminating_frame_without_its_blank_line_before_a_stall(server):
    with httpx.Client(trust_env=False, verify=PLAIN, timeout=httpx.Timeout(5, read=0.1)) as client:
        url = server.serve(Reply([*CHAT[:-1], DONE[:-1], FOREVER]))
        with client.stream("POST", url, json={}) as response, stream(response) as events:
            assert events.answer().text == "Hello"


# ---- stats


def test_stats(ask):
    body = b"".join(CHAT)
    with ask(Reply([PING, 0.1, *CHAT[:2], 0.05, *CHAT[2:]])) as response, stream(response) as events:
        assert events.stats.bytes == 0
        assert events.stats.time_to_first_byte_s is None
        events.answer()
        time.sleep(0.02)
        stats = events.stats
    assert stats.bytes == len(body) + len(PING)
    assert (stats.frames, stats.comments) == (4, 1)
    assert stats.time_to_first_byte_s <= stats.time_to_first_event_s <= stats.time_to_first_text_s <= stats.duration_s
    assert 0 < stats.longest_gap_s < stats.duration_s
    assert stats.duration_s == events.stats.duration_s


def test_a_stream_closed_early_ends_iteration_also_after_its_answer_was_asked_for():
    reading = stream([b'data: {"choices": [{"index": 0, "delta": {"content": "a"}}]}\n\n'] * 3)
    next(reading)
    reading.close()
    with pytest.raises(MisuseError, match="left before its end"):
        reading.answer()
    assert list(reading) == []
