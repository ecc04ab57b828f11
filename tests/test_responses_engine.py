"""OpenAI Responses as a whole: the response object, the four ends, failures, and what the answer is made of."""

from __future__ import annotations

import json

import pytest
from shapes import by_decoder
from told import of_type, stream_of, told

from sse_dialects import (
    Decoder,
    Extra,
    Finished,
    LimitExceededError,
    Limits,
    MalformedStreamError,
    ResponsesAccumulator,
    Started,
    TextDelta,
    ToolCallFinished,
    TruncatedStreamError,
    UpstreamError,
    UsageReported,
)

CREATED = {
    "type": "response.created",
    "response": {"id": "r", "object": "response", "model": "m", "status": "in_progress", "output": []},
}
TEXT = {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"}


def ended(name="completed", **response):
    return {"type": f"response.{name}", "response": {"id": "r", "status": name, **response}}


def call(name="f"):
    return {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}", "name": name, "call_id": "c"}


# ---- a plain one


def test_a_plain_stream():
    outcome = told("responses", CREATED, TEXT, {**TEXT, "delta": "!"}, ended(usage={"input_tokens": 1, "output_tokens": 2}))
    assert outcome.events == [
        Started("r", "m"),
        TextDelta("Hi", 0, 0),
        TextDelta("!", 0, 0),
        UsageReported(outcome.answer.usage),
        Finished("stop", "completed", 0),
    ]
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi!"}]}
    assert outcome.answer.native == {
        "id": "r",
        "object": "response",
        "model": "m",
        "status": "completed",
        "output": [message],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    assert outcome.answer.turn == [message]


def test_logprobs_that_come_again_with_every_delta_are_told_again():
    logprobs = [{"token": "a"}]
    outcome = told("responses", *({**TEXT, "delta": text, "logprobs": logprobs} for text in ("", "", "a", "b")), ended())
    assert of_type(outcome, Extra) == [Extra("logprobs", logprobs, 0, 0)] * 4
    assert outcome.answer.native["output"][0]["content"][0]["logprobs"] == logprobs * 4


@pytest.mark.parametrize("name", ["created", "queued", "in_progress"])
def test_any_snapshot_of_the_response_starts_it(name):
    assert told("responses", {**CREATED, "type": f"response.{name}"}, ended()).events[0] == Started("r", "m")


def test_the_type_comes_from_the_payload_else_from_the_event():
    payload = {"output_index": 0, "delta": "Hi"}
    for kind in ({}, {"type": None}, {"type": ""}, {"type": 3}):
        outcome = told("responses", ("response.output_text.delta", {**payload, **kind}), ended())
        assert outcome.answer.text == "Hi"
    assert told("responses", ("wrong.event", TEXT), ended()).answer.text == "Hi"


def test_the_last_id_and_model_that_say_something_bind():
    later = {"type": "response.in_progress", "response": {"id": "r2", "model": "m-0101"}}
    outcome = told("responses", CREATED, later, ended(id="", model=None))
    assert (outcome.answer.id, outcome.answer.model) == ("r2", "m-0101")
    assert outcome.answer.native["model"] == "m-0101"


def test_null_members_erase_nothing_and_stay_where_nothing_was():
    first = {"type": "response.created", "response": {"id": "r", "temperature": 1.0}}
    native = told("responses", first, ended(temperature=None, user=None)).answer.native
    assert native["temperature"] == 1.0
    assert native["user"] is None


def test_an_echo_of_the_request_stands_in_native_alone_and_a_providers_own_member_is_told_once():
    rows = [
        {"type": f"response.{name}", "response": {"id": "r", "instructions": "long", "cost": 1}} for name in ("created", "queued")
    ]
    outcome = told("responses", *rows, ended(cost=2))
    assert of_type(outcome, Extra) == [Extra("cost", 1, 0), Extra("cost", 2, 0)]
    assert outcome.answer.extra == {"cost": 2}
    assert outcome.answer.native["instructions"] == "long"


def test_an_event_type_newer_than_this_library_is_kept_under_its_type_as_a_list():
    new = [{"type": "response.new.event", "x": number} for number in (1, 2)]
    outcome = told("responses", *new, ended())
    assert outcome.answer.extra == {"response.new.event": new}
    assert of_type(outcome, Extra) == [Extra("response.new.event", [each], 0) for each in new]


def test_an_empty_unnamed_object_is_nothing():
    assert told("responses", "{}", "null", "[]", "7", ended()).events == [Started("r", None), Finished("stop", "completed", 0)]


# ---- the ends


@pytest.mark.parametrize(
    ("ending", "reason", "native"),
    [
        (ended(), "stop", "completed"),
        (ended("incomplete", incomplete_details={"reason": "max_output_tokens"}), "length", "max_output_tokens"),
        (ended("incomplete", incomplete_details={"reason": "content_filter"}), "content_filter", "content_filter"),
        (ended("incomplete"), "length", "incomplete"),
        (ended("incomplete", incomplete_details={"reason": ""}), "length", "incomplete"),
        (ended("incomplete", incomplete_details="odd"), "length", "incomplete"),
        (ended("cancelled"), "cancelled", "cancelled"),
        (ended("completed", status=None), "stop", "completed"),
        (ended("incomplete", status="in_progress"), "length", "incomplete"),
        (ended("completed", status="incomplete"), "length", "incomplete"),
        (ended("incomplete", incomplete_details={"reason": "new"}), "other", "new"),
        (ended("done", status="completed"), "stop", "completed"),
        (ended("done", status="incomplete"), "length", "incomplete"),
        (ended("done", status="cancelled"), "cancelled", "cancelled"),
        (ended("done", status=None), "stop", "completed"),
        (ended("done", status="queued"), "stop", "completed"),
        ({"type": "response.done"}, "stop", "completed"),
        (("response.done", ""), "stop", "completed"),
        (("response.done", {"response": {"status": "incomplete"}}), "length", "incomplete"),
        (
            ended("completed", status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "length",
            "max_output_tokens",
        ),
        ({"type": "response.completed"}, "stop", "completed"),
    ],
)
def test_the_native_reason_is_the_incomplete_details_or_the_status(ending, reason, native):
    outcome = told("responses", TEXT, ending)
    assert outcome.events[-1] == Finished(reason, native, 0)
    assert (outcome.answer.finish_reason, outcome.answer.native_finish_reason) == (reason, native)


def test_what_follows_the_end_is_ignored():
    outcome = told("responses", TEXT, ended(), {**TEXT, "delta": "late"}, "[DONE]")
    assert outcome.answer.text == "Hi"


@pytest.mark.parametrize("payloads", [[CREATED, TEXT], [TEXT, "[DONE]"], [CREATED]], ids=["closed", "done instead", "only begun"])
def test_without_a_terminating_event_it_is_truncated(payloads):
    outcome = told("responses", *payloads)
    assert isinstance(outcome.error, TruncatedStreamError)
    assert "response.completed" in outcome.error.expected
    assert not of_type(outcome, Finished)
    assert not outcome.partial.complete


def test_require_done_changes_nothing_here():
    assert told("responses", CREATED, TEXT, require_done=False).status == "truncated"


def test_what_follows_response_done_is_ignored():
    assert told("responses", TEXT, ended("done", status="completed"), ended(), TEXT).answer.text == "Hi"


def test_an_error_beside_a_response_that_goes_on_is_kept():
    error = {"code": "x", "message": "m"}
    outcome = told("responses", {**CREATED, "error": error}, {**CREATED, "error": {}}, TEXT, ended())
    assert outcome.answer.extra == {"error": error}


def test_a_call_still_open_is_whole_only_in_a_completed_response():
    whole = told("responses", call(), ended())
    cut = told("responses", call(), ended("incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert [each.tool_call.complete for each in of_type(whole, ToolCallFinished)] == [True]
    assert not of_type(cut, ToolCallFinished)
    assert [each.complete for each in cut.answer.tool_calls] == [False]
    assert (whole.answer.finish_reason, cut.answer.finish_reason) == ("tool_calls", "length")


def test_a_call_that_never_had_a_name_is_announced_at_the_end():
    nameless = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}"}
    outcome = told("responses", nameless, ended())
    assert [(each.name, each.arguments) for each in outcome.answer.tool_calls] == [(None, "{}")]
    assert [event.type for event in outcome.events] == [
        "started",
        "tool_call_started",
        "tool_call_delta",
        "finished",
    ]


def test_half_a_pair_left_alone_is_told_at_the_end():
    rows = [{**TEXT, "delta": "a\ud83d"}, {"type": "response.reasoning_text.delta", "output_index": 1, "delta": "b\ud83d"}]
    outcome = told("responses", *rows, ended())
    assert (outcome.answer.text, outcome.answer.reasoning) == ("a\ufffd", "b\ufffd")
    assert outcome.answer.turn[1]["content"] == [{"type": "reasoning_text", "text": "b\ufffd"}]


# ---- failures


@pytest.mark.parametrize(
    "payload",
    [
        ended("failed", error={"code": "server_error", "message": "It broke"}),
        {"type": "response.failed", "response": {"id": "r"}, "error": {"code": "server_error", "message": "It broke"}},
        ended("completed", status="failed", error={"code": "server_error", "message": "It broke"}),
        ended("done", status="failed", error={"code": "server_error", "message": "It broke"}),
        {"type": "error", "code": "server_error", "message": "It broke", "param": None},
        {"type": "error", "error": {"code": "server_error", "message": "It broke"}},
        {"error": {"code": "server_error", "message": "It broke"}},
        {"object": "error", "code": "server_error", "message": "It broke"},
    ],
    ids=[
        "failed",
        "envelope beside",
        "status failed",
        "done and failed",
        "error event",
        "error event with a member",
        "bare",
        "bare object",
    ],
)
def test_a_failure_is_an_upstream_error_with_the_partial_answer(payload):
    outcome = told("responses", CREATED, TEXT, payload)
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.type, outcome.error.code, outcome.error.message) == (None, "server_error", "It broke")
    assert outcome.error.payload == payload
    assert outcome.error.partial.text == "Hi"
    assert outcome.error.delivered
    assert not of_type(outcome, Finished)


def test_a_failure_without_words_is_still_one():
    outcome = told("responses", ended("failed"))
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.type, outcome.error.code, outcome.error.message) == (None, None, None)
    assert outcome.partial.native_finish_reason == "failed"
    assert outcome.partial.finish_reason == "error"


def test_a_null_error_of_a_completed_response_is_nothing():
    assert told("responses", TEXT, ended(error=None)).status == "complete"


@pytest.mark.parametrize(
    "payload",
    [{"type": "response.completed", "response": "x"}, {"type": "response.created", "response": ["x"]}, ended(output={"0": {}})],
    ids=["string", "array", "output"],
)
def test_a_response_of_another_shape_is_malformed(payload):
    assert isinstance(told("responses", TEXT, payload).error, MalformedStreamError)


# ---- usage


def test_usage_is_told_when_it_holds_a_count_and_only_when_it_changes():
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 15,
    }
    early = {"type": "response.in_progress", "response": {"usage": usage}}
    empty = {"type": "response.created", "response": {"usage": {"input_tokens": None}}}
    outcome = told("responses", empty, early, ended(usage=usage))
    [reported] = of_type(outcome, UsageReported)
    counts = reported.usage
    assert (counts.input_tokens, counts.output_tokens, counts.total_tokens) == (10, 5, 15)
    assert (counts.cached_input_tokens, counts.reasoning_tokens) == (4, 2)
    assert outcome.answer.usage == counts


def test_usage_of_another_shape_is_nothing():
    assert told("responses", TEXT, ended(usage="many")).answer.usage is None


# ---- bounds, bodies, partial answers


def test_a_limit_is_held_against_payload_bytes():
    outcome = by_decoder([stream_of(TEXT, TEXT, ended())], "responses", limits=Limits(max_answer_bytes=200))
    assert isinstance(outcome.error, LimitExceededError)
    assert outcome.error.limit == "max_answer_bytes"


def whole_response(**members):
    """The events of a JSON body in place of a stream, and the decoder that has read it."""
    decoder = Decoder("responses")
    decoder.feed(json.dumps({"object": "response", **members}).encode())
    return decoder.close(), decoder


def test_a_whole_response_in_place_of_a_stream():
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
    tool = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    events, decoder = whole_response(id="r", model="m", status="completed", output=[item, tool])
    assert events[:2] == [Started("r", "m"), TextDelta("Hi", 0, 0)]
    assert events[-1] == Finished("tool_calls", "completed", 0)
    assert decoder.answer().turn == [item, tool]
    assert decoder.answer().tool_calls[0].complete


def test_a_whole_response_without_a_status_is_completed():
    _, decoder = whole_response(output=[])
    assert decoder.answer().native_finish_reason == "completed"


def test_what_a_response_in_progress_says_of_its_text_and_of_what_is_null_waits_for_its_end():
    progress = {"type": "response.in_progress", "response": {"id": "r", "output_text": "Hi", "usage": None}}
    outcome = told("responses", progress, TEXT)
    assert outcome.partial.text == told("responses", TEXT).partial.text
    assert "usage" not in outcome.partial.native


@pytest.mark.parametrize("status", ["incomplete", "cancelled"])
def test_an_error_beside_a_status_that_says_why_is_no_failure(status):
    outcome = told("responses", TEXT, ended(status, error={"message": "It was stopped"}))
    assert (outcome.answer.text, outcome.answer.native_finish_reason) == ("Hi", status)


def test_a_whole_response_that_failed_is_a_failure():
    with pytest.raises(UpstreamError, match="It broke"):
        whole_response(status="failed", error={"message": "It broke"})


def test_nothing_has_no_choices():
    assert ResponsesAccumulator().partial().choices == []


# ---- what an event names, and what stands beside it


@pytest.mark.parametrize("name", [{"output_index": 1}, {"item_id": "w"}, {"call_id": "k"}])
def test_a_new_event_is_told_of_the_item_that_it_names(name):
    item = {"type": "web_search_call", "id": "w", "call_id": "k", "status": "completed"}
    new = {"type": "response.something.new", **name}
    outcome = told("responses", TEXT, {"type": "response.output_item.done", "output_index": 1, "item": item}, new, ended())
    assert of_type(outcome, Extra)[-1] == Extra("response.something.new", [new], 0, 1)


def test_a_new_event_that_names_nothing_is_told_of_no_part():
    new = {"type": "response.something.new"}
    assert of_type(told("responses", TEXT, new, ended()), Extra) == [Extra("response.something.new", [new])]


def test_an_own_member_beside_the_final_response_is_told():
    outcome = told("responses", TEXT, {**ended(), "own": 1})
    assert of_type(outcome, Extra) == [Extra("own", 1)]
    assert outcome.answer.extra == {"own": 1}


@pytest.mark.parametrize("name", ["completed", "incomplete", "cancelled"])
def test_without_a_status_the_event_says_how_it_ended(name):
    outcome = told("responses", TEXT, {"type": f"response.{name}", "response": {"id": "r"}})
    assert outcome.answer.native_finish_reason == name


def test_text_alone_in_the_final_response_counts_where_no_text_came():
    assert told("responses", ended(output_text="Hi")).answer.text == "Hi"
    assert told("responses", TEXT, ended(output_text="other")).answer.text == "Hi"
    assert told("responses", ended(output_text=7)).answer.text == ""


def test_an_error_event_has_its_envelope_in_a_member_or_is_one():
    inner = {"type": "server_error", "message": "m"}
    for payload in ({"type": "error", "error": inner}, {"type": "error", "code": None, "message": "m", "param": None}):
        error = told("responses", TEXT, payload).error
        assert (error.message, error.payload) == ("m", payload)
        assert error.raw == (inner if "error" in payload else payload)
