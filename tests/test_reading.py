"""What both kinds of streams have in common, driven by hand, without anything to wait for."""

from __future__ import annotations

import httpx
import pytest
from bodies import CHAT, DONE, PING

from sse_dialects.decoder import Decoder
from sse_dialects.errors import (
    MisuseError,
    NotAnEventStreamError,
    RequestRejectedError,
    StalledStreamError,
    TruncatedStreamError,
)
from sse_dialects.sources.source import Source
from sse_dialects.streams.patience import patience
from sse_dialects.streams.reading import Reading, is_text


class Response:
    def __init__(self, status_code=200, **headers):
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def reading_of(origin=None, content=None, idle=None) -> Reading:
    return Reading(Source(iter(()), origin, ()), Decoder(), patience(content, idle))


def taken(reading) -> list[str]:
    types = []
    while (event := reading.take()) is not None:
        reading.handed(event)
        types.append(event.type)
    return types


def test_a_whole_stream():
    reading = reading_of()
    assert reading.wants_bytes()
    for piece in CHAT[:-1]:
        reading.fed(piece)
        taken(reading)
        assert reading.wants_bytes()
    reading.fed(CHAT[-1])
    assert taken(reading) == ["finished"]
    assert not reading.wants_bytes()
    assert reading.ended
    assert reading.complete
    assert reading.delivered
    reading.settle()
    assert reading.answer().text == "Hello"
    assert reading.dialect == "chat"
    reading.fed(b"data: what comes now is nobody's")
    reading.finish(OSError())
    assert reading.failure is None


def test_the_end_of_the_source_hands_out_what_it_finds_and_then_fails():
    reading = reading_of()
    reading.fed(CHAT[0][:-1])
    assert taken(reading) == []
    cause = ConnectionResetError()
    reading.finish(cause)
    assert not reading.ended
    assert taken(reading) == ["started", "text_delta"]
    assert not reading.wants_bytes()
    with pytest.raises(TruncatedStreamError) as caught:
        reading.settle()
    reading.settle()
    assert caught.value.cause is caught.value.__cause__ is cause
    assert caught.value.delivered
    with pytest.raises(TruncatedStreamError):
        reading.answer()


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (httpx.ReadError("x"), TruncatedStreamError),
        (httpx.ReadTimeout("x"), StalledStreamError),
        (httpx.StreamConsumed(), MisuseError),
    ],
)
def test_faults_in_our_own_words(error, ours):
    reading = reading_of(Response())
    reading.fed(CHAT[0])
    taken(reading)
    assert reading.broke(error)
    taken(reading)
    with pytest.raises(ours) as caught:
        reading.settle()
    assert caught.value.__cause__ is error
    assert caught.value.delivered


def test_faults_of_the_callers_own():
    reading = reading_of(Response())
    assert not reading.broke(LookupError())
    assert reading.wants_bytes()
    error = KeyError()
    assert not reading.broke(error)
    reading.finish()
    taken(reading)
    with pytest.raises(TruncatedStreamError) as caught:
        reading.settle()
    assert caught.value.cause is error


def test_after_the_caller_closed():
    reading = reading_of()
    reading.fed(CHAT[0])
    reading.close()
    assert taken(reading) == []
    assert not reading.wants_bytes()
    assert reading.broke(OSError())
    assert not reading.broke(LookupError())
    assert not reading.broke(KeyboardInterrupt())
    reading.settle()
    assert reading.partial().text == "Hel"
    with pytest.raises(MisuseError) as caught:
        reading.answer()
    assert not caught.value.delivered
    with pytest.raises(MisuseError):
        reading.answer()


def test_a_stall_knows_where_it_was():
    reading = reading_of(idle=2.0)
    reading.fed(PING + CHAT[0])
    taken(reading)
    assert reading.patience() == 2.0
    reading.timed_out()
    taken(reading)
    with pytest.raises(StalledStreamError) as caught:
        reading.settle()
    error = caught.value
    assert (error.frame_count, error.byte_count, error.dialect, error.partial.text) == (1, len(PING + CHAT[0]), "chat", "Hel")
    assert (error.waited_s, error.setting, error.delivered) == (2.0, "idle_timeout", True)


def test_a_stall_with_the_terminating_frame_all_but_received():
    reading = reading_of(idle=2.0)
    reading.fed(b"".join(CHAT[:-1]) + DONE[:-2])
    reading.patience()
    reading.timed_out()
    assert taken(reading)[-1] == "finished"
    assert reading.answer().text == "Hello"


def test_a_rejection_takes_the_body_and_no_more_than_its_time(monkeypatch):
    reading = reading_of(Response(503, retry_after="2"), idle=60.0)
    assert reading.rejected
    assert reading.patience() <= 5
    reading.fed(b"wait")
    assert reading.wants_bytes()
    reading.timed_out()
    with pytest.raises(RequestRejectedError, match="wait") as caught:
        reading.settle()
    assert caught.value.retry_after == 2.0
    with pytest.raises(RequestRejectedError):
        reading.answer()
    monkeypatch.setattr("sse_dialects.streams.reading.REJECTION_S", 0.0)
    late = reading_of(Response(503))
    late.fed(b"wait")
    assert late.ended


def test_a_content_type_is_told():
    reading = reading_of(Response(content_type="text/html"))
    reading.fed(b"<html>")
    reading.finish()
    taken(reading)
    with pytest.raises(NotAnEventStreamError, match="Content-Type: text/html"):
        reading.settle()


def test_a_content_encoding_is_told_where_it_is_to_blame():
    body = b"\x8b\x03\x80data: \n\n\x00\xff"
    for pieces in ([body], [body[index : index + 1] for index in range(len(body))]):
        reading = reading_of(Response(content_encoding="br"))
        for piece in pieces:
            reading.fed(piece)
        reading.finish()
        taken(reading)
        with pytest.raises(NotAnEventStreamError, match="br data") as caught:
            reading.settle()
        assert caught.value.preview
    innocent = reading_of(Response(content_encoding="br"))
    innocent.fed(b"".join(CHAT))
    taken(innocent)
    assert innocent.answer().text == "Hello"


@pytest.mark.parametrize("piece", ["text", 7, None, ["nested"]])
def test_pieces_that_are_no_bytes(piece):
    reading = reading_of()
    reading.fed(piece)
    with pytest.raises(MisuseError, match=type(piece).__name__):
        reading.settle()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", True),
        (b"data: x\r\n\t\x0c\x1b[0m", True),
        ("é".encode()[:1], True),
        ("\U0001f600".encode()[:3], True),
        ("é".encode()[1:], False),
        (b"\xff\xfe", False),
        (b"\x00", False),
        (b"\x1f\x8b", False),
    ],
)
def test_what_is_text(data, text):
    assert is_text(data) == text
