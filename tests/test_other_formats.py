"""Streams of which nothing is of the dialect: no empty answer, and no cut that is worth a second try."""

from __future__ import annotations

import httpx
import pytest
from shapes import by_accumulator, by_decoder
from told import stream_of, told

import sse_dialects as sd

DONE = "[DONE]"
FOREIGN = {
    "another format": {"candidates": [{"content": "Hi"}]},
    "an empty object": {},
    "a string": '"{\\"choices\\": []}"',
    "a number": "7",
    "null": "null",
    "an empty array": "[]",
    "metadata and more": {"_cost": 1, "text": "Hi"},
}
DIALECTS = ["chat", "messages", "responses", "auto"]
each = pytest.mark.parametrize("dialect", DIALECTS)


@each
@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("end", ["done", "input"])
def test_payloads_of_another_format_are_malformed(dialect, kind, count, end):
    rows = [FOREIGN[kind]] * count + ([DONE] if end == "done" else [])
    outcome = by_decoder([stream_of(*rows)], dialect)
    assert (outcome.status, outcome.events) == ("malformed", [])
    assert not outcome.error.retryable
    assert "none of " in outcome.error.reason
    if dialect != "auto":
        assert by_accumulator([stream_of(*rows)], dialect).status == "malformed"


@each
@pytest.mark.parametrize("kind", FOREIGN)
def test_where_the_transport_broke_they_are_truncated(dialect, kind):
    cause = httpx.ReadError("reset")

    def body():
        yield stream_of(FOREIGN[kind])
        raise cause

    with sd.stream(body(), dialect) as stream, pytest.raises(sd.TruncatedStreamError) as caught:
        stream.answer()
    assert caught.value.cause is cause
    decoder = sd.Decoder(dialect)
    list(decoder.feed(stream_of(FOREIGN[kind])))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        list(decoder.finish(cause))
    assert caught.value.cause is caught.value.__cause__ is cause


@each
def test_an_end_alone_is_an_empty_answer_in_chat_only(dialect):
    outcome = by_decoder([b": hi\n\n", stream_of(("ping", "{}"), ("heartbeat", "x"), ""), stream_of(DONE)], dialect)
    assert outcome.status == ("complete" if dialect in ("chat", "auto") else "truncated")


@each
def test_metadata_does_not_count_and_is_kept(dialect):
    rows = [{"_cost": 1}, {"x_region": "eu"}]
    assert by_decoder([stream_of(*rows)], dialect).status == "truncated"
    if dialect in ("chat", "auto"):
        outcome = by_decoder([stream_of(*rows, DONE)], dialect)
        assert (outcome.status, outcome.answer.extra) == ("complete", {"_cost": 1, "x_region": "eu"})


def test_one_payload_of_the_dialect_is_enough_wherever_it_stands():
    foreign, usage = {"response": "Hi"}, {"usage": {"prompt_tokens": 1}}
    for payload in ({"choices": []}, usage, {"object": "chat.completion.chunk"}):
        for rows in ([payload, foreign], [foreign, payload], [foreign, payload, foreign]):
            outcome = told("chat", *rows, DONE)
            assert (outcome.status, outcome.answer.extra["response"]) == ("complete", "Hi")
            assert outcome.events[0].type == "started"


def test_what_came_first_is_told_first_and_with_its_own_halves():
    half = '{"note": "\\ud83d"}'
    outcome = told("chat", half, {"choices": [{"delta": {"content": "a"}}]}, DONE)
    assert [event.type for event in outcome.events] == ["started", "extra", "text_delta", "finished"]
    assert outcome.answer.extra == {"note": "\ufffd"}


@each
def test_an_error_is_raised_at_once_behind_what_came_before(dialect):
    outcome = by_decoder([stream_of({"_cost": 1}, {"error": "no"})], dialect)
    assert (outcome.status, outcome.error.message) == ("upstream", "no")


@each
def test_frames_kept_back_are_content_and_bounded(dialect):
    decoder = sd.Decoder(dialect)
    list(decoder.feed(stream_of({"note": 1}) * 1000))
    assert (decoder.frame_count, decoder.content_count) == (1000, 1000)
    with pytest.raises(sd.MalformedStreamError):
        list(decoder.feed(stream_of({"note": 1})))
    decoder = sd.Decoder("chat")
    list(decoder.feed(stream_of({"note": 1}, {"note": 1}, {"choices": []}, DONE)))
    assert (decoder.frame_count, decoder.content_count) == (4, 4)


@pytest.mark.parametrize("dialect", DIALECTS[:3])
def test_the_sentence_names_what_to_try(dialect):
    outcome = by_decoder([stream_of({"x": 1})], dialect)
    assert f'another dialect than "{dialect}", pass that or "auto"' in str(outcome.error)
