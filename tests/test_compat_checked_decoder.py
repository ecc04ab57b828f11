"""The decoder that is put under SDKs, driven as they drive it, without one."""

from __future__ import annotations

import asyncio
import json

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
    return told, None if error is None else (type(error), str(error))


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


@pytest.mark.parametrize("own", [ReadTimeout("slow"), RuntimeError("read before")], ids=lambda error: type(error).__name__)
def test_timeouts_and_misuse_stay_the_clients(own):
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


def test_failures_inside_a_stream_are_left_to_the_sdk():
    events, error = driven([CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})])
    assert (len(events), error) == (2, None)
    failed = frame({"type": "response.failed", "response": {"id": "r", "status": "failed", "error": {"code": "server_error"}}})
    assert driven([failed])[1] is None


def test_two_answers_spliced_into_one():
    other = frame({"type": "message_start", "message": {"id": "another", "role": "assistant", "content": []}}, "message_start")
    _, error = driven([*MESSAGES[:3], other, *MESSAGES[3:]])
    assert isinstance(error, sd.MalformedStreamError)


def test_a_stream_in_no_dialect_of_ours_passes():
    audio = [frame({"type": "speech.audio.delta", "audio": "aGk="})] * 2
    assert driven([PING, *audio])[1] is None
    broken = ConnectionResetError("gone")
    assert driven([*audio, broken])[1] is broken


def test_limits():
    _, error = driven([CHAT[0]], limits=sd.Limits(max_frame_bytes=20))
    assert isinstance(error, sd.LimitExceededError)
    _, error = driven(CHAT, limits=sd.Limits(max_answer_bytes=20))
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
