"""What `stream` and `astream` refuse to resume, and what they say to do; `test_resume_streams` has what they do resume."""

from __future__ import annotations

import httpx
import pytest
from bodies import CHAT, DIALECTS

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.sources.source import Source
from sse_dialects.streams.driver import StreamDriver
from sse_dialects.streams.sync_stream import EventStream

STREAM = testing.reply("Because of Rayleigh scattering.", id="resp_1").as_responses(background=True)
BODY = STREAM.bytes()


def ended(source, *, error=sd.SSEDialectsError, **options):
    events = sd.stream(source, **options)
    with pytest.raises(error):
        events.answer()
    return events


def cut():
    return ended([BODY[:1000]], error=sd.TruncatedStreamError)


def refused(events, match, **options):
    for open_stream in (sd.stream, sd.astream):
        with pytest.raises(sd.MisuseError, match=match):
            open_stream([b""], resume=events, **options)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"dialect": "responses"}, "dialect"),
        ({"think_tags": True}, "think_tags"),
        ({"limits": sd.Limits()}, "limits"),
        ({"require_done": False}, "require_done"),
        ({"dialect": "chat", "limits": None}, "dialect and limits"),
    ],
)
def test_options_that_are_the_earlier_streams(options, names):
    events = cut()
    refused(events, rf"has that one's {names}: leave out {names}$", **options)
    with sd.stream(STREAM.source(), resume=events) as whole:  # which has not been spent by that
        assert whole.answer().text == "Because of Rayleigh scattering."


def test_options_of_one_connection(tmp_path):
    events = cut()
    options = {"first_token_timeout": 5.0, "content_timeout": 5.0, "total_timeout": 5.0, "record": tmp_path / "rest.jsonl"}
    with sd.stream(STREAM.source(), resume=events, **options) as whole:
        assert whole.answer().text == "Because of Rayleigh scattering."
    assert b"".join(sd.recording.replay(tmp_path / "rest.jsonl")) == BODY


def test_limits_hold_over_both_connections():
    events = ended([BODY[:2000]], error=sd.TruncatedStreamError, limits=sd.Limits(max_answer_bytes=3000))
    with sd.stream(STREAM.source(), resume=events) as second, pytest.raises(sd.LimitExceededError):
        second.answer()


@pytest.mark.parametrize("value", [BODY, httpx.Response(200), sd.Decoder("responses"), False])
def test_what_is_no_stream(value):
    refused(value, "resume takes the EventStream or AsyncEventStream that was cut; got ")


@pytest.mark.parametrize("dialect", ["chat", "messages"])
def test_other_dialects(dialect):
    pieces = DIALECTS[dialect]
    refused(ended(pieces[:-2]), f'a stream of the dialect "{dialect}" can\'t be resumed: send the request again')
    assert not ended(pieces[:-2]).resumable


def test_a_stream_whose_dialect_is_not_known():
    refused(ended([b": alive\n\n"]), "was cut before its dialect was known can't be resumed: send the request again")


def test_a_named_dialect_needs_no_frame():
    """Who knows the response's id from elsewhere may ask for all of it."""
    with sd.stream(STREAM.source(), resume=ended([b": alive\n\n"], dialect="responses")) as whole:
        assert whole.answer().text == "Because of Rayleigh scattering."


def test_a_stream_that_is_still_being_read():
    events = sd.stream(STREAM.source())
    refused(events, "still being read: read it until it raises, or close it, before")
    next(events)
    refused(events, "still being read")
    list(events)
    refused(events, "is complete, so there is nothing to resume: take its answer")
    events.close()
    refused(events, "is complete")


def test_a_cut_that_has_not_been_raised():
    events = sd.stream([BODY[:1000]])
    events._driver.piece = BODY[:1000]
    events._driver.on_bytes()
    events._driver.on_end()
    refused(events, "still being read")
    assert events.resumable


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ([BODY[:1000], b"data: {\n\n"], "MalformedStreamError"),
        (STREAM.error("Busy").source(), "UpstreamError"),
        (httpx.Response(503), "RequestRejectedError"),
        ([b"<html>"], "NotAnEventStreamError"),
        ([BODY[:1000], "text"], "MisuseError"),
    ],
)
def test_streams_that_ended_in_another_error(source, kind):
    events = ended(source)
    refused(events, f"ended in {kind}, which no other connection can continue: send the request again")
    assert not events.resumable


def test_another_error_that_has_not_been_raised():
    with sd.stream([b"".join(STREAM.frames()[:5]) + b"data: {\n\n"]) as events:
        next(events)
    refused(events, "ended in MalformedStreamError")


def test_only_once():
    events = cut()
    sd.stream([BODY], resume=events).answer()
    refused(events, "has been resumed before: resume the stream that resumed it")


def test_a_source_that_can_not_be_read_spends_nothing():
    events = cut()
    with pytest.raises(sd.MisuseError, match="bytes"):
        sd.stream("text", resume=events)
    with pytest.raises(FileNotFoundError):
        sd.stream([BODY], resume=events, record="/nowhere/at/all")
    assert events.resumable
    assert sd.stream([BODY], resume=events).answer().text == "Because of Rayleigh scattering."


class Interrupted(sd.Decoder):
    """Is interrupted in the middle of decoding."""

    def feed(self, data):
        if data:
            super().feed(data[:1000])
            raise KeyboardInterrupt
        return super().feed(data)


@pytest.mark.parametrize("read_on", [False, True])
def test_a_stream_whose_decoding_was_interrupted(read_on):
    source = Source(iter([BODY]), None, ())
    with EventStream(source, StreamDriver(source, Interrupted())) as events:
        with pytest.raises(KeyboardInterrupt):
            next(events)
        if read_on:
            with pytest.raises(sd.TruncatedStreamError) as caught:
                list(events)
            assert not caught.value.resumable
            assert not events.resumable
    refused(events, "was interrupted, so it can't be resumed: send the request again")


def test_an_event_that_another_thread_took_away():
    events = sd.stream([BODY[:1000]])
    next(events)
    events._driver.close()  # as if between the event and its reader
    events._attention = True
    events._pump = iter([sd.TextDelta("x")])
    with pytest.raises(StopIteration):
        events.__next__()
    refused(events, "was interrupted")


def test_chat_streams_are_left_as_they_were():
    events = ended(CHAT[:-1])
    refused(events, "can't be resumed")
    with pytest.raises(sd.TruncatedStreamError):
        events.answer()
    assert events.partial().text
