"""The decoder that is put under SDKs, driven as they drive it, without one."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from bodies import CHAT, DIALECTS, DONE, MESSAGES, PING, frame

import sse_dialects as sd
from sse_dialects.compat.checked_decoder import CheckedDecoder


def driven(pieces, **options):
    """``(events, error)`` of a stream, the same for both iterators. An exception among the pieces is raised there."""
    sync = _sync(pieces, options)
    assert (facts(*sync)) == facts(*asyncio.run(_async(pieces, options)))
    return sync


def facts(events, error):
    told = [(event.event, event.data, event.id, event.retry) for event in events]
    return told, None if error is None else (type(error), re.sub(r" after \S+ s\)", "", str(error)))  # not how long it waited


def _source(pieces):
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        yield piece


def _sync(pieces, options):
    events = []
    try:
        for event in CheckedDecoder(**options).iter_bytes(_source(pieces)):
            events.append(event)
    except Exception as error:
        return events, error
    return events, None


async def _async(pieces, options):
    async def source():
        for piece in _source(pieces):
            yield piece

    events = []
    try:
        async for event in CheckedDecoder(**options).aiter_bytes(source()):
            events.append(event)
    except Exception as error:
        return events, error
    return events, None


@pytest.mark.parametrize("name", DIALECTS)
def test_whole(name):
    events, error = driven(DIALECTS[name])
    assert error is None
    assert [event.data for event in events] == [piece.decode().partition("data: ")[2].strip() for piece in DIALECTS[name]]
    assert [event.event for event in events if event.event] == [json.loads(event.data)["type"] for event in events if event.event]


@pytest.mark.parametrize("name", DIALECTS)
def test_cut_after_each_frame(name):
    frames = DIALECTS[name]
    for count in range(len(frames)):
        events, error = driven(frames[:count])
        assert len(events) == count
        assert isinstance(error, sd.TruncatedStreamError)
        assert (error.frame_count, error.cause) == (count, None)


def test_the_partial_answer_is_on_the_error():
    _, error = driven(CHAT[:2])
    assert (error.partial.text, error.partial.complete, error.delivered) == ("Hello", False, True)


def test_a_connection_that_breaks_is_the_cause():
    broken = ConnectionResetError("gone")
    events, error = driven([*MESSAGES[:3], broken])
    assert (len(events), type(error), error.cause, error.__cause__) == (3, sd.TruncatedStreamError, broken, broken)


def test_nothing_matters_after_the_terminating_frame():
    events, error = driven([*MESSAGES, ConnectionResetError("gone")])
    assert (len(events), error) == (len(MESSAGES), None)


class ReadTimeout(Exception):
    """Named as clients name theirs."""


def test_a_read_timeout_of_the_client_is_a_stall():
    slow = ReadTimeout("slow")
    events, error = driven([*CHAT[:2], slow])
    assert (len(events), type(error), error.cause, error.__cause__) == (2, sd.StalledStreamError, slow, slow)
    assert (error.partial.text, error.dialect, error.frame_count, error.retryable) == ("Hello", "chat", 2, True)
    assert (error.setting, error.waited_s < 5) == ("the client's timeout=", True)
    assert isinstance(driven([slow])[1], sd.StalledStreamError)  # before the first frame


def test_misuse_stays_the_clients():
    own = RuntimeError("read before")
    assert driven([CHAT[0], own])[1] is own


def test_a_whole_last_frame_needs_no_blank_line():
    events, error = driven([*MESSAGES[:-1], MESSAGES[-1].rstrip(b"\n")])
    assert (len(events), error) == (len(MESSAGES), None)
    events, error = driven([*CHAT[:-1], DONE.rstrip()])
    assert (events[-1].data, error) == ("[DONE]", None)


def test_half_a_last_frame_is_not_passed_on():
    events, error = driven([CHAT[0], CHAT[1][:-9]])
    assert len(events) == 1
    assert isinstance(error, sd.TruncatedStreamError)


def test_no_done():
    _, error = driven(CHAT[:-1])
    assert "require_done=False" in str(error)
    assert driven(CHAT[:-1], require_done=False)[1] is None
    for cause, kind in ((ConnectionResetError("gone"), sd.TruncatedStreamError), (ReadTimeout("slow"), sd.StalledStreamError)):
        assert isinstance(driven([*CHAT[:-1], cause], require_done=False)[1], kind)  # no clean end


FAILURES = {
    "chat": frame({"error": {"message": "overloaded", "type": "server_error"}}),
    "messages": frame({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}, "error"),
    "responses": frame(
        {
            "type": "response.failed",
            "response": {"id": "r", "status": "failed", "error": {"code": "server_error", "message": "overloaded"}},
        },
        "response.failed",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("joined", [False, True], ids=["a read for each frame", "one read"])
def test_a_failure_in_the_stream_is_raised_in_place_of_its_frame(name, joined):
    pieces = [*DIALECTS[name][:3], FAILURES[name]]
    for after in ([], [DONE]):  # servers end a failed chat politely
        events, error = driven([b"".join([*pieces, *after])] if joined else [*pieces, *after])
        assert (len(events), type(error), error.message) == (3, sd.UpstreamError, "overloaded")
        assert (error.dialect, error.partial.text) == (name, {"chat": "Hello", "messages": "Hel", "responses": "Hello"}[name])


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_alone(name):
    events, error = driven([FAILURES[name]])
    assert (events, type(error)) == ([], sd.UpstreamError)
    events, error = driven([FAILURES[name].rstrip()])  # cut behind it
    assert (events, type(error)) == ([], sd.UpstreamError)


def test_two_answers_spliced_into_one():
    other = frame({"type": "message_start", "message": {"id": "another", "role": "assistant", "content": []}}, "message_start")
    events, error = driven([*MESSAGES[:3], other, *MESSAGES[3:]])
    assert (len(events), type(error)) == (3, sd.MalformedStreamError)


def test_a_stream_in_no_dialect_of_ours_passes():
    audio = [frame({"type": "speech.audio.delta", "audio": "aGk="})] * 2
    assert driven([PING, *audio])[1] is None
    for own in (ConnectionResetError("gone"), ReadTimeout("slow")):
        assert driven([*audio, own])[1] is own
    events, error = driven([*audio, FAILURES["chat"]])
    assert (len(events), error) == (3, None)


def test_limits():
    _, error = driven([CHAT[0]], limits=sd.Limits(max_frame_bytes=20))
    assert isinstance(error, sd.LimitExceededError)
    _, error = driven(CHAT, limits=sd.Limits(max_answer_bytes=len(CHAT[0]) + 20))
    assert isinstance(error, sd.LimitExceededError)


def test_bodies_of_another_kind():
    whole = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]}
    for body, kind in (
        (json.dumps(whole).encode(), sd.NotAnEventStreamError),
        (b'{"error": {"message": "no"}}', sd.UpstreamError),
        (b"<html>", sd.NotAnEventStreamError),
    ):
        events, error = driven([body])
        assert events == []
        assert type(error) is kind


def test_the_members_of_an_event():
    (event,) = driven([b'event: x\nid: 7\nretry: 5\ndata: {"a": 1}\n\n'])[0]
    assert (event.event, event.id, event.retry, event.json(), event.raw) == ("x", "7", 5, {"a": 1}, [])
