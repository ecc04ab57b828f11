"""Frames that only say that the connection is alive: under which names, and what is none of them."""

from __future__ import annotations

import pytest
from shapes import by_decoder
from told import stream_of, told

from sse_dialects import Decoder, Extra
from sse_dialects.dialects.keep_alive import KEEP_ALIVES, is_keep_alive, is_metadata, own_members

STREAMS = {
    "chat": [{"choices": [{"index": 0, "delta": {"content": "a"}}]}, "[DONE]"],
    "messages": [
        {"type": "message_start", "message": {"id": "m"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
        {"type": "message_stop"},
    ],
    "responses": [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "a"},
        {"type": "response.completed", "response": {"status": "completed"}},
    ],
}
each = pytest.mark.parametrize("dialect", STREAMS)


@pytest.mark.parametrize(
    ("event", "payload", "alive"),
    [
        *((name, {}, True) for name in sorted(KEEP_ALIVES)),
        *(("message", {"type": name}, True) for name in sorted(KEEP_ALIVES)),
        ("other", {"type": "ping"}, True),
        ("ping", {"type": ""}, True),
        ("ping", {"type": 7}, True),
        ("ping", None, True),
        ("ping", "text", True),
        ("message", None, False),
        ("message", {}, False),
        ("ping", {"type": "message_stop"}, False),
        ("ping", {"choices": []}, False),
        ("message", {"type": "ping", "choices": None}, False),
        ("ping", {"error": "no"}, False),
        ("ping", {"type": "ping", "error": {"message": "no"}}, False),
        ("ping", {"detail": "no"}, False),
        ("ping", {"type": "ping", "error": {}}, True),
        ("error", {"type": "ping"}, False),
    ],
)
def test_the_payloads_type_decides_and_the_events_name_where_there_is_none(event, payload, alive):
    assert is_keep_alive(event, payload) is alive


def test_members_that_name_or_number_the_frame_say_nothing():
    assert own_members({"type": "ping", "id": "p", "sequence_number": 1, "obfuscation": "x", "n": None, "cost": 0}) == {"cost": 0}
    assert own_members("text") == {}


@pytest.mark.parametrize(
    ("payload", "metadata"),
    [({"_a": 1}, True), ({"x_a": 1, "_b": 2}, True), ({"_a": 1, "b": 2}, False), ({}, False), ("_", False)],
)
def test_metadata_is_an_object_of_members_beside_the_dialect(payload, metadata):
    assert is_metadata(payload) is metadata


@each
@pytest.mark.parametrize("name", sorted(KEEP_ALIVES))
def test_keep_alives_anywhere_change_nothing(dialect, name):
    plain = told(dialect, *STREAMS[dialect])
    for alive in ((name, "still here"), (name, "{}"), (name, "7"), ("", f'{{"type": "{name}"}}')):
        rows = [row for payload in STREAMS[dialect] for row in (alive, payload)]
        outcome = told(dialect, *rows)
        assert (outcome.events, outcome.answer.to_dict()) == (plain.events, plain.answer.to_dict())
        assert by_decoder([stream_of(*rows)], "auto").events == plain.events


@each
@pytest.mark.parametrize("asked", ["named", "auto"])
def test_their_own_members_are_told_once_the_answer_has_started(dialect, asked):
    rows = [("ping", '{"cost": 1}'), *STREAMS[dialect][:-1], {"type": "ping", "cost": 2}, {"type": "ping", "cost": 2}]
    outcome = by_decoder([stream_of(*rows, STREAMS[dialect][-1])], dialect if asked == "named" else "auto")
    assert outcome.events[0].type == "started"
    assert [event for event in outcome.events if isinstance(event, Extra)] == [Extra("cost", 1), Extra("cost", 2)]
    assert outcome.answer.extra == {"cost": 2}


@each
@pytest.mark.parametrize("asked", ["named", "auto"])
def test_they_count_as_no_content(dialect, asked):
    decoder = Decoder(dialect if asked == "named" else "auto")
    list(decoder.feed(stream_of(*((name, "on") for name in sorted(KEEP_ALIVES)), {"type": "heartbeat", "n": 1})))
    assert (decoder.frame_count, decoder.content_count) == (6, 0)
    list(decoder.feed(stream_of(STREAMS[dialect][0])))
    assert decoder.content_count == 1
