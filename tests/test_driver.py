"""What both kinds of streams have in common, driven by hand, without anything to wait for."""

from __future__ import annotations

from time import monotonic

import httpx
import pytest
from bodies import CHAT, DONE, PING, frame

from sse_dialects.decoder import Decoder
from sse_dialects.errors import (
    MisuseError,
    NotAnEventStreamError,
    RequestRejectedError,
    SSEDialectsError,
    StalledStreamError,
    TruncatedStreamError,
)
from sse_dialects.sources.source import Source
from sse_dialects.streams.driver import NOTHING, StreamDriver
from sse_dialects.streams.timeouts import TimeoutRanOutError, Timeouts


class Response:
    def __init__(self, status_code=200, **headers):
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def driver_of(origin=None, **seconds) -> StreamDriver:
    timeouts = Timeouts(**seconds) if seconds else None
    driver = StreamDriver(Source(iter(()), origin, ()), Decoder(), timeouts)
    if driver.timeouts is not None:
        driver.timeouts.start()
    return driver


def feed(driver, piece):
    """What a stream does around a read that brings ``piece``."""
    if driver.timeouts is not None:
        try:
            driver.timeouts.read_begins()
        except TimeoutRanOutError as error:
            driver.on_error(error)
            return
    driver.piece = piece
    driver.on_bytes()


def taken(driver) -> list[str]:
    types = []
    try:
        for event in driver.events:
            driver.hand_out(event)
            types.append(event.type)
    except SSEDialectsError as error:
        driver.on_failure(error)
    return types


def failure(driver, kind, match=None):
    taken(driver)
    with pytest.raises(kind, match=match) as caught:
        driver.raise_failure()
    driver.raise_failure()
    assert driver.failure is caught.value
    assert not driver.open
    with pytest.raises(kind):
        driver.answer()
    return caught.value


def test_a_whole_stream():
    driver = driver_of()
    for piece in CHAT[:-1]:
        assert driver.open
        feed(driver, piece)
        taken(driver)
    assert not driver.is_over
    feed(driver, CHAT[-1])
    assert not driver.open
    assert taken(driver) == ["finished"]
    assert driver.complete
    assert driver.delivered
    driver.raise_failure()
    assert driver.is_over
    assert driver.answer().text == "Hello"
    assert driver.decoder.dialect == "chat"
    driver.on_end(OSError())
    assert driver.failure is None


def test_the_end_of_the_source_hands_out_what_it_finds_and_then_fails():
    driver = driver_of()
    feed(driver, CHAT[0][:-1])
    assert taken(driver) == []
    cause = ConnectionResetError()
    driver.on_end(cause)
    assert not driver.open
    assert not driver.is_over
    assert taken(driver) == ["started", "text_delta"]
    error = failure(driver, TruncatedStreamError)
    assert error.cause is error.__cause__ is cause
    assert error.delivered
    assert driver.is_over


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (httpx.ReadError("x"), TruncatedStreamError),
        (httpx.ReadTimeout("x"), StalledStreamError),
        (httpx.StreamConsumed(), MisuseError),
    ],
)
def test_transport_errors_become_ours(error, ours):
    driver = driver_of(Response())
    feed(driver, CHAT[0])
    taken(driver)
    assert driver.on_error(error)
    caught = failure(driver, ours)
    assert caught.__cause__ is error
    assert caught.delivered


def test_errors_of_the_callers_own():
    driver = driver_of(Response())
    assert not driver.on_error(LookupError())
    assert driver.open
    error = KeyError()
    assert not driver.on_error(error)
    driver.on_end()
    assert failure(driver, TruncatedStreamError).cause is error


def test_the_end_of_an_async_source():
    driver = driver_of()
    assert driver.on_error(StopAsyncIteration())
    failure(driver, TruncatedStreamError)


def test_a_broken_transport_is_no_clean_end():
    """require_done=False lets a stream end cleanly after its finish_reason, and not by a reset or a silence."""
    for cause in (None, ConnectionResetError(), httpx.ReadTimeout("x")):
        driver = StreamDriver(Source(iter(()), Response(), ()), Decoder(require_done=False))
        for piece in CHAT[:-1]:
            feed(driver, piece)
            taken(driver)
        if cause is None:
            driver.on_end()
            assert taken(driver) == ["finished"]
            assert driver.answer().text == "Hello"
        else:
            driver.on_error(cause)
            assert taken(driver) == []
            error = failure(driver, StalledStreamError if isinstance(cause, httpx.ReadTimeout) else TruncatedStreamError)
            assert error.cause is cause
            assert "require_done" not in str(error)


def test_after_the_caller_closed():
    driver = driver_of()
    feed(driver, CHAT[0])
    driver.close()
    assert taken(driver) == []
    assert not driver.open
    feed(driver, CHAT[1])  # which another thread was reading
    assert taken(driver) == []
    assert driver.on_error(OSError())
    assert not driver.on_error(LookupError())
    assert not driver.on_error(KeyboardInterrupt())
    driver.raise_failure()
    assert driver.is_over
    assert driver.partial().text == "Hel"
    for _ in range(2):
        with pytest.raises(MisuseError, match="left before its end") as caught:
            driver.answer()
    assert not caught.value.retryable


def test_a_stall_knows_where_it_was():
    driver = driver_of(idle=2.0)
    feed(driver, PING + CHAT[0])
    taken(driver)
    driver.on_timeout()
    error = failure(driver, StalledStreamError)
    assert (error.frame_count, error.byte_count, error.dialect, error.partial.text) == (1, len(PING + CHAT[0]), "chat", "Hel")
    assert (error.waited_s, error.setting, error.delivered) == (2.0, "idle_timeout", True)


def test_a_stall_with_the_terminating_frame_all_but_received():
    driver = driver_of(idle=2.0)
    feed(driver, b"".join(CHAT[:-1]) + DONE[:-2])
    taken(driver)
    driver.on_timeout()
    assert taken(driver)[-1] == "finished"
    assert driver.answer().text == "Hello"


# ---- what counts for a timeout; the clock is that of the timeouts and of the driver


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    for module in ("timeouts", "driver", "stats"):
        monkeypatch.setattr(f"sse_dialects.streams.{module}.monotonic", lambda: Clock.now)
    return Clock


def slowly(driver, clock, *pieces):
    """Feed pieces that take a second each; the setting of the timeout that ran out, or None."""
    for piece in pieces:
        taken(driver)
        if not driver.open:
            break
        if driver.timeouts is not None:
            try:
                driver.timeouts.read_begins()
            except TimeoutRanOutError as error:
                driver.on_error(error)
                continue
        clock.now += 1.0
        driver.piece = piece
        driver.on_bytes()
    taken(driver)
    return getattr(driver.failure, "setting", None)


OPENED = frame({"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}})
SEARCH = frame(
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "web_search_call", "id": "w", "status": "in_progress"},
    }
)
LONG = frame({"choices": [{"index": 0, "delta": {"content": "x" * 2000}}]})
PIECES = [LONG[start : start + 200] for start in range(0, len(LONG), 200)]
NAMES = ("ping", "keepalive", "keep-alive", "keep_alive", "heartbeat")
PINGS = (
    PING,
    b"\n\n",
    b"event: ping\ndata: {}\n\n",
    *(frame({"type": name}) for name in NAMES),
    *(b"event: %b\ndata: {}\n\n" % name.encode() for name in NAMES),
    frame({"type": "ping", "sequence_number": 3, "cost": "0"}),
)


@pytest.mark.parametrize("ping", PINGS)
def test_keep_alives_are_no_content(clock, ping):
    driver = driver_of(content=2.5)
    assert slowly(driver, clock, *CHAT[:2], *[ping] * 2, CHAT[1], *[ping] * 2, CHAT[1]) is None
    assert slowly(driver, clock, *[ping] * 4) == "content_timeout"
    assert driver.failure.waited_s == 3.0


def test_a_long_frame_that_arrives_is_content(clock):
    driver = driver_of(content=1.5)
    assert slowly(driver, clock, *PIECES, *PIECES) is None
    driver = driver_of(content=1.5)
    assert slowly(driver, clock, *PIECES, *[PING] * 3) == "content_timeout"


def test_what_ends_the_first_token_timeout(clock):
    reasoning = frame({"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]})
    begun = frame({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
    for piece in (CHAT[0], reasoning, SEARCH):
        driver = driver_of(first_token=2.5)
        first = OPENED if piece is SEARCH else begun
        assert slowly(driver, clock, first, PING, piece, *[PING] * 5) is None
    for piece in (begun, PING, OPENED):
        driver = driver_of(first_token=2.5)
        assert slowly(driver, clock, *[piece] * 4) == "first_token_timeout"


def test_the_whole_answer_is_timed(clock):
    driver = driver_of(total=2.5)
    assert slowly(driver, clock, *[CHAT[0]] * 4) == "total_timeout"
    driver = driver_of(total=2.5)
    slowly(driver, clock, CHAT[0])
    clock.now += 60  # the caller's own
    assert slowly(driver, clock, CHAT[0]) == "total_timeout"
    driver = driver_of(total=2.5)
    assert slowly(driver, clock, CHAT[0], CHAT[1], CHAT[2] + DONE, PING) is None
    assert driver.complete


def test_a_clients_timeout_that_is_ours(clock):
    driver = driver_of(Response(), content=2.0)
    driver.timeouts.read_begins()
    clock.now += 1.0
    driver.on_error(httpx.ReadTimeout("x"))
    assert "httpx" in failure(driver, StalledStreamError).setting
    driver = driver_of(Response(), content=2.0)
    driver.timeouts.read_begins()
    clock.now += 2.0
    driver.on_error(httpx.ReadTimeout("x"))
    error = failure(driver, StalledStreamError)
    assert (error.setting, error.cause, error.waited_s) == ("content_timeout", None, 2.0)


# ---- interrupts


def test_a_piece_that_was_not_decoded_is_decoded_later():
    driver = driver_of()
    driver.piece = CHAT[0]
    driver.resume()
    assert taken(driver) == ["started", "text_delta"]
    driver.resume()
    assert taken(driver) == []
    assert driver.piece is NOTHING


class Interrupted(Decoder):
    """Is interrupted in the middle of decoding."""

    def feed(self, data):
        super().feed(data[:100])
        raise KeyboardInterrupt


@pytest.mark.parametrize("broken", [False, True])
def test_decoding_that_was_cut_off_is_no_answer(broken, monkeypatch):
    driver = StreamDriver(Source(iter(()), None, ()), Interrupted())
    with pytest.raises(KeyboardInterrupt):
        feed(driver, b"".join(CHAT))
    if broken:
        monkeypatch.setattr(Interrupted, "finish", lambda *_: {}["broken"], raising=False)
    driver.resume()
    error = failure(driver, TruncatedStreamError)
    assert (error.retryable, error.partial.complete) == (True, False)


# ---- bodies that are none


def test_a_rejection_takes_the_body_and_no_more_than_its_time(monkeypatch):
    driver = driver_of(Response(503, retry_after="2"), idle=60.0)
    assert driver.rejected
    assert driver.timeouts.read_begins() - monotonic() <= 5
    feed(driver, b"wait")
    assert driver.open
    driver.on_timeout()
    error = failure(driver, RequestRejectedError, "wait")
    assert error.retry_after == 2.0
    assert driver.stats().bytes == 4
    monkeypatch.setattr("sse_dialects.streams.driver.REJECTION_S", 0.0)
    late = driver_of(Response(503))
    late.piece = b"wait"
    late.on_bytes()
    failure(late, RequestRejectedError, "wait")


def test_a_content_type_is_told():
    driver = driver_of(Response(content_type="text/html"))
    feed(driver, b"<html>")
    driver.on_end()
    failure(driver, NotAnEventStreamError, "Content-Type: text/html")


def test_a_content_encoding_is_told_where_it_is_to_blame():
    body = b"\x8b\x03\x80data: \n\n\x00\xff"
    for pieces in ([body], [body[index : index + 1] for index in range(len(body))]):
        driver = driver_of(Response(content_encoding="br"))
        for piece in pieces:
            feed(driver, piece)
        driver.on_end()
        assert failure(driver, NotAnEventStreamError, "br data").preview
    innocent = driver_of(Response(content_encoding="br"))
    feed(innocent, b"".join(CHAT))
    taken(innocent)
    assert innocent.answer().text == "Hello"


@pytest.mark.parametrize("piece", ["text", 7, None, ["nested"]])
def test_pieces_that_are_no_bytes(piece):
    driver = driver_of()
    feed(driver, piece)
    failure(driver, MisuseError, type(piece).__name__)
    later = driver_of()
    feed(later, CHAT[0])
    feed(later, piece)
    failure(later, MisuseError, type(piece).__name__)


def test_lines_without_their_ends():
    lines = [line for piece in CHAT for line in piece.split(b"\n")]
    driver = driver_of()
    for line in lines[:4]:
        feed(driver, line)
    failure(driver, MisuseError, "lines without their ends")


@pytest.mark.parametrize(
    "pieces", [[b"data", b": 1", b"data: 2"], [b"data: 1\n", b"data: 2", b"data: 3"], [b"", b"data: 1", b""]]
)
def test_pieces_that_are_no_lines(pieces):
    driver = driver_of()
    for piece in pieces:
        feed(driver, piece)
    taken(driver)
    assert driver.failure is None
