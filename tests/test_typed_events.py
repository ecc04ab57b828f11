"""Events without a row of their own in messages and responses: which are failures, and what is kept of the others."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ToolCallFinished, UpstreamError

ENDS = {
    "messages": {"type": "message_stop"},
    "responses": {"type": "response.completed", "response": {"status": "completed", "output": []}},
}
BEGUN = {
    "messages": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    "responses": {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"},
}

both = pytest.mark.parametrize("dialect", ["messages", "responses"])


@both
@pytest.mark.parametrize(
    ("payload", "type", "message"),
    [
        ({"type": "error", "error": {"type": "api_error", "message": "m"}}, "api_error", "m"),
        ({"type": "error", "message": "m", "code": None, "param": None}, None, "m"),
        ({"type": "error", "response": {"error": {"code": "x", "message": "m"}}}, None, "m"),
        ({"type": "response.error", "error": {"type": "server_error", "message": "m"}}, "server_error", "m"),
        ({"type": "response.error", "response": {"id": "r", "error": {"message": "m"}}}, None, "m"),
        ({"type": "response.error", "message": "m"}, None, "m"),
        ({"type": "overloaded_error", "message": "m"}, "overloaded_error", "m"),
        ({"type": "overloaded_error", "error": {"message": "m"}}, "overloaded_error", "m"),
        ({"type": "overloaded_error", "error": {"type": "api_error", "message": "m"}}, "api_error", "m"),
        ({"type": "BadRequestError", "object": "error", "message": "m"}, "BadRequestError", "m"),
        ({"type": "ThrottlingException", "message": "m"}, "ThrottlingException", "m"),
        (("overloaded_error", {"message": "m"}), "overloaded_error", "m"),
        (("error", {"message": "m"}), None, "m"),
        (("error", {"type": "about:blank", "title": "t", "detail": "m"}), "about:blank", "m"),
        ({"error": {"type": "server_error", "message": "m"}}, "server_error", "m"),
        ({"error": "m"}, None, "m"),
        ({"detail": "m"}, None, "m"),
        ({"detail": [{"loc": ["body"], "msg": "m"}]}, None, "m"),
        ({"errors": [{"message": "m"}]}, None, "m"),
        ({"object": "error", "message": "m", "code": 400}, None, "m"),
        ({"error": {"message": "m"}, "item_id": "i", "output_index": 0}, None, "m"),
    ],
)
def test_a_failure_by_its_type_or_without_one(dialect, payload, type, message):
    outcome = told(dialect, BEGUN[dialect], payload, ENDS[dialect])
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.type, outcome.error.message) == (type, message)
    assert outcome.error.payload == (payload[1] if isinstance(payload, tuple) else payload)
    assert outcome.partial.text == "Hi"


@both
@pytest.mark.parametrize(
    "payload",
    [
        {"type": "context_notice", "detail": "compacted"},
        {"type": "notice", "errors": [{"message": "m"}]},
        {"type": "notice", "error": {"type": "overloaded_error", "message": "m"}},
        {"type": "response.steer.failed", "error": {"code": "x", "message": "m"}},
        {"type": "response.tool_error", "message": "m"},
        {"type": "two words_error", "message": "m"},
        {"type": "errors", "message": "m"},
        {"type": "notice", "code": "x", "message": "m"},
        {"type": "SoftException"},
    ],
)
def test_any_other_type_is_kept_whatever_members_it_has(dialect, payload):
    outcome = told(dialect, BEGUN[dialect], payload, ENDS[dialect])
    assert (outcome.answer.text, outcome.answer.extra) == ("Hi", {payload["type"]: [payload]})


@both
def test_a_failures_type_decides_whether_to_send_the_request_again(dialect):
    assert not told(dialect, {"type": "authentication_error", "error": {"message": "m"}}).error.retryable
    assert told(dialect, {"type": "overloaded_error", "error": {"message": "m"}}).error.retryable


@both
def test_what_has_no_type_is_told_member_by_member(dialect):
    frames = [{"_gateway": {"cost": 1}, "id": "x", "role": "r"}, {"_gateway": {"cost": 1}, "note": None}, {"sequence_number": 3}]
    outcome = told(dialect, BEGUN[dialect], *frames, ENDS[dialect])
    assert of_type(outcome, Extra) == [Extra("_gateway", {"cost": 1})]
    assert outcome.answer.extra == {"_gateway": {"cost": 1}}


@both
def test_an_event_line_is_a_type(dialect):
    outcome = told(dialect, BEGUN[dialect], ("notice", {"detail": "d"}), ENDS[dialect])
    assert outcome.answer.extra == {"notice": [{"detail": "d", "type": "notice"}]}


def test_half_a_pair_in_a_type_is_settled():
    outcome = told("messages", '{"type": "a\\ud83d", "x": "\\ud83d"}', ENDS["messages"])
    assert outcome.answer.extra == {"a\ufffd": [{"type": "a\ufffd", "x": "\ufffd"}]}


def test_none_of_them_settles_a_call():
    call = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}},
        {"type": "content_block_stop", "index": 0},
    ]
    for payload in ({"type": "notice"}, {"own": 1}):
        assert not of_type(told("messages", *call, payload), ToolCallFinished)
