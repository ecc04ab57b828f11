"""The events: one vocabulary, for `match` and for type strings."""

from __future__ import annotations

import copy
import json
import pickle
import typing

import pytest

from sse_dialects import events
from sse_dialects.answer import ToolCall, Usage
from sse_dialects.events import (
    Event,
    Extra,
    Finished,
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)

CALL = ToolCall("call_1", "get_weather", "function", '{"city": "Oslo"}', True)
USAGE = Usage(5, 2, 7, None, None, None, {"prompt_tokens": 5})

EXAMPLES = [
    (Started("a1", "m"), {"type": "started", "id": "a1", "model": "m"}),
    (TextDelta("Hi", 1, 2), {"type": "text_delta", "text": "Hi", "choice": 1, "part": 2}),
    (ReasoningDelta("Hm", 0, 1), {"type": "reasoning_delta", "text": "Hm", "choice": 0, "part": 1}),
    (RefusalDelta("No", 0, 0), {"type": "refusal_delta", "text": "No", "choice": 0, "part": 0}),
    (
        ToolCallStarted("call_1", "get_weather", "function", 0, 3),
        {"type": "tool_call_started", "id": "call_1", "name": "get_weather", "kind": "function", "choice": 0, "part": 3},
    ),
    (ToolCallDelta('{"ci', 0, 3), {"type": "tool_call_delta", "arguments": '{"ci', "choice": 0, "part": 3}),
    (ToolCallFinished(CALL, 0, 3), {"type": "tool_call_finished", "tool_call": CALL.to_dict(), "choice": 0, "part": 3}),
    (UsageReported(USAGE), {"type": "usage_reported", "usage": USAGE.to_dict()}),
    (Finished("stop", "end_turn", 1), {"type": "finished", "finish_reason": "stop", "native": "end_turn", "choice": 1}),
    (
        Extra("annotations", [{"url": "https://example.org"}], 0, None),
        {"type": "extra", "name": "annotations", "value": [{"url": "https://example.org"}], "choice": 0, "part": None},
    ),
]
each = pytest.mark.parametrize(("event", "expected"), EXAMPLES, ids=lambda value: getattr(value, "type", ""))


@each
def test_to_dict_is_plain_json_with_the_type_first(event, expected):
    assert event.to_dict() == expected
    assert next(iter(event.to_dict())) == "type"
    json.dumps(event.to_dict())


@each
def test_events_are_values(event, expected):
    for copied in (copy.copy(event), copy.deepcopy(event), pickle.loads(pickle.dumps(event))):
        assert copied is not event
        assert (copied, hash(copied), type(copied)) == (event, hash(event), type(event))
    assert repr(event).startswith(f"{type(event).__name__}(")
    with pytest.raises(AttributeError):
        event.unknown = 1


def test_every_event_is_in_the_union_and_has_an_example():
    union = typing.get_args(Event)
    assert [type(event) for event, _ in EXAMPLES] == list(union)
    assert {kind.__name__ for kind in union} | {"Event"} == set(events.__all__)
    assert len({kind.type for kind in union}) == len(union)


@pytest.mark.parametrize("kind", typing.get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_says_where_it_belongs(kind):
    placed = set(kind.__match_args__) & {"choice", "part"}
    if kind in (Started, UsageReported):
        assert placed == set()
    elif kind is Finished:
        assert placed == {"choice"}
    else:
        assert placed == {"choice", "part"}


@pytest.mark.parametrize("kind", typing.get_args(Event), ids=lambda kind: kind.__name__)
def test_the_type_is_a_constant_that_checkers_narrow_by(kind):
    hints = typing.get_type_hints(kind, {**vars(events), "ClassVar": typing.ClassVar})
    assert hints["type"] == typing.ClassVar[typing.Literal[kind.type]]


def test_events_match_by_position():
    match ToolCallStarted("c", "f", "function", 0, 1):
        case ToolCallStarted(id, name, "function"):
            assert (id, name) == ("c", "f")


def test_one_place_is_the_default():
    assert TextDelta("a") == TextDelta("a", choice=0, part=0)
    assert Extra("x", 1) == Extra("x", 1, choice=0, part=None)
