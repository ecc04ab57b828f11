"""A response that goes on over another connection: what is skipped, what is not, and who may be resumed."""

from __future__ import annotations

from collections import deque

import pytest

import sse_dialects as sd
from sse_dialects.detect import ENGINES
from sse_dialects.dialects.responses.engine import ResponsesEngine

BACKGROUND = {
    "id": "r",
    "object": "response",
    "model": "m",
    "status": "in_progress",
    "background": True,
    "store": True,
    "output": [],
}


def numbered(number, kind, /, **members):
    return {"type": f"response.{kind}", "sequence_number": number, **members}


def delta(number, text):
    return numbered(number, "output_text.delta", output_index=0, content_index=0, item_id="m", delta=text)


def begun(*payloads, **response):
    """An engine that has taken the beginning of a response."""
    engine = ResponsesEngine(sd.Limits(), deque())
    for payload in (numbered(0, "created", response=BACKGROUND | response), *payloads):
        engine.take(payload, payload["type"])
    return engine


def resumed(engine, *payloads):
    """What another connection adds to it."""
    engine.resume()
    engine.out.clear()
    for payload in payloads:
        engine.take(payload, payload["type"])
    return list(engine.out)


COMPLETED = numbered(9, "completed", response=BACKGROUND | {"status": "completed"})


def test_frames_that_were_taken_are_skipped_by_number():
    engine = begun(delta(1, "a"), delta(2, "b"))
    events = resumed(engine, numbered(0, "created", response=BACKGROUND), delta(1, "a"), delta(2, "b"), delta(3, "c"), COMPLETED)
    assert events == [sd.TextDelta("c", 0, 0), sd.Finished("stop", "completed", 0)]
    assert engine.answer().text == "abc"
    assert engine.last_sequence_number == 9


def test_nothing_is_skipped_behind_the_first_new_frame_and_deltas_are_hot_again():
    engine = begun(delta(1, "a"), delta(2, "b"))
    engine.resume()
    taken = [engine.take(delta(number, "x"), "") for number in (2, 3, 1, 2)]
    assert [buffer is not None for buffer in taken] == [False, False, True, True]
    engine.take(numbered(1, "output_text.done", output_index=0, content_index=0, item_id="m", text="abxxxy"), "")
    assert engine.answer().text == "abxxxy"


def test_a_frame_without_a_number_is_taken():
    engine = begun(delta(1, "a"))
    assert resumed(engine, delta("1", "b"), delta(True, "c")) == [sd.TextDelta("b", 0, 0), sd.TextDelta("c", 0, 0)]
    assert resumed(engine, {"type": "ping"}, delta(1, "d"), delta(2, "e")) == [sd.TextDelta("e", 0, 0)]


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "error", "message": "It broke", "sequence_number": 0},
        numbered(0, "failed", response={"id": "r", "status": "failed", "error": {"message": "It broke"}}),
    ],
)
def test_a_failure_is_never_skipped(payload):
    with pytest.raises(sd.UpstreamError, match="It broke"):
        resumed(begun(delta(1, "a")), payload)


@pytest.mark.parametrize("number", [0, 7])
def test_another_response_is_no_continuation(number):
    with pytest.raises(sd.MalformedStreamError, match="another response"):
        resumed(begun(delta(1, "a")), numbered(number, "in_progress", response={"id": "other"}))


def test_half_a_surrogate_pair_waits_over_the_cut():
    engine = begun()
    for payload in (delta(1, "a"), delta(2, "b\ud83d")):
        engine._emit.has_surrogates = True
        engine.take(payload, "")
    engine._emit.has_surrogates = True
    assert resumed(engine, delta(3, "\ude00")) == [sd.TextDelta("\U0001f600", 0, 0)]


@pytest.mark.parametrize(
    ("response", "expected"),
    [({}, True), ({"store": None}, True), ({"store": False}, False), ({"background": None}, False), ({"id": ""}, False)],
)
def test_a_stored_background_response_may_be_resumed(response, expected):
    assert begun(**response).resumable is expected


def test_a_response_without_numbers_cannot_be_resumed():
    engine = ResponsesEngine(sd.Limits(), deque())
    engine.take({"type": "response.created", "response": BACKGROUND}, "")
    assert not engine.resumable


@pytest.mark.parametrize("dialect", ["chat", "messages"])
def test_the_other_dialects_cannot_be_resumed(dialect):
    engine = ENGINES[dialect](sd.Limits(), deque())
    assert (engine.resumable, engine.last_sequence_number) == (False, None)
    with pytest.raises(sd.MisuseError, match="cannot be resumed"):
        engine.resume()
