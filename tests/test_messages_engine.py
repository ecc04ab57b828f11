"""Anthropic Messages as a whole: the message's members, usage, what is survived, when a call is whole, and failures."""

from __future__ import annotations

import json

import pytest
from told import of_type, told

from sse_dialects import (
    Decoder,
    Extra,
    Finished,
    MalformedStreamError,
    MessagesAccumulator,
    Started,
    TextDelta,
    ToolCallFinished,
    TruncatedStreamError,
    UpstreamError,
    UsageReported,
)

STOP = {"type": "message_stop"}
PING = {"type": "ping"}


def begun(id="m1", **more):
    message = {"id": id, "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None, **more}
    return {"type": "message_start", "message": message}


def start(index=0, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def text(piece, index=0):
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}


def stop(index=0):
    return {"type": "content_block_stop", "index": index}


def reason(word, **more):
    return {"type": "message_delta", "delta": {"stop_reason": word, "stop_sequence": None}, **more}


TOOL = [
    start(type="tool_use", id="t", name="f", input={}),
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
]


# ---- a plain one


def test_a_plain_stream():
    usage = {"input_tokens": 3, "output_tokens": 1}
    outcome = told(
        "messages",
        begun(usage=usage),
        start(type="text", text=""),
        PING,
        text("Hi"),
        text("!"),
        stop(),
        reason("end_turn", usage={"output_tokens": 2}),
        STOP,
    )
    first, last = of_type(outcome, UsageReported)
    assert outcome.events == [
        Started("m1", "claude"),
        first,
        TextDelta("Hi", 0, 0),
        TextDelta("!", 0, 0),
        last,
        Finished("stop", "end_turn", 0),
    ]
    assert outcome.answer.native == {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": "Hi!"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    assert outcome.answer.turn == [{"role": "assistant", "content": [{"type": "text", "text": "Hi!"}]}]


def test_the_type_comes_from_the_payload_else_from_the_event():
    """A missing ``event:`` line and a missing ``type`` are survived, not both."""
    payload = {"index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    for kind in ({}, {"type": None}, {"type": ""}, {"type": 3}):
        assert told("messages", ("content_block_delta", {**payload, **kind}), ("message_stop", {})).answer.text == "Hi"
    assert told("messages", ("", text("Hi")), ("", STOP)).answer.text == "Hi"
    assert told("messages", ("wrong", text("Hi")), STOP).answer.text == "Hi"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "pause"),
        ("new_reason", "other"),
        (None, None),
        ("", None),
        (7, None),
    ],
)
def test_the_finish_reason_is_in_our_words_and_the_providers(word, expected):
    outcome = told("messages", begun(), start(type="text", text="x"), reason(word), STOP)
    native = word if isinstance(word, str) and word else None
    assert outcome.events[-1] == Finished(expected, native, 0)
    assert (outcome.answer.finish_reason, outcome.answer.native_finish_reason) == (expected, native)


def test_a_members_value_is_told_when_it_arrives_or_changes():
    more = {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "container": {"id": "b"}},
        "context_management": {"edits": []},
    }
    outcome = told("messages", begun(container={"id": "a"}), more, more, STOP)
    assert of_type(outcome, Extra) == [
        Extra("container", {"id": "a"}, 0),
        Extra("container", {"id": "b"}, 0),
        Extra("context_management", {"edits": []}, 0),
    ]
    assert outcome.answer.native["container"] == {"id": "b"}
    assert outcome.answer.extra == {"container": {"id": "b"}, "context_management": {"edits": []}}


def test_an_event_type_newer_than_this_library_is_kept_under_its_type_as_a_list():
    new = [{"type": "new_event", "x": number} for number in (1, 2)]
    outcome = told("messages", begun(), *new, STOP)
    assert outcome.answer.extra == {"new_event": new}
    assert of_type(outcome, Extra) == [Extra("new_event", [each], 0) for each in new]


# ---- what is survived


@pytest.mark.parametrize("kind", ["", 7, None, ["x"]])
def test_a_type_that_says_nothing_leaves_it_to_the_event(kind):
    assert told("messages", ("content_block_delta", {**text("Hi"), "type": kind}), STOP).answer.text == "Hi"


def test_an_object_without_a_type_is_told_member_by_member_but_for_its_envelope():
    outcome = told("messages", begun(), "{}", text("Hi"), STOP)
    assert not of_type(outcome, Extra)
    rows = ['{"own": 1, "id": "x", "object": "o", "null": null, "error": {}}', '{"own": 1}', '{"own": 2, "created": 3}']
    outcome = told("messages", begun(), *rows, STOP)
    assert of_type(outcome, Extra) == [Extra("own", 1), Extra("own", 2)]
    assert outcome.answer.extra == {"own": 2}


def test_an_events_own_members_are_told_of_its_part():
    def own(value, row):
        return {**row, "own": value}

    rows = [
        own(1, begun()),
        text("a"),
        own(2, start(1, type="text", text="")),
        own(3, text("b", 1)),
        own(4, stop(1)),
        own(5, STOP),
    ]
    outcome = told("messages", *rows)
    assert of_type(outcome, Extra) == [
        Extra("own", value, 0, part) for value, part in ((1, None), (2, 1), (3, 1), (4, 1), (5, None))
    ]
    assert outcome.answer.extra == {"own": 5}


def test_blocks_of_the_message_start_go_on_by_their_index():
    opened = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    outcome = told("messages", begun(content=opened), text("d", 1), text("c", 0), STOP)
    assert [block["text"] for block in outcome.answer.native["content"]] == ["ac", "bd"]
    assert outcome.answer.choices[0].index == 0


def test_a_delta_before_any_block_opens_the_first():
    outcome = told("messages", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}, text("b", 0), STOP)
    assert [block["text"] for block in outcome.answer.native["content"]] == ["ab"]


def test_deltas_of_another_kind_have_one_block_each_index():
    def thought(piece, index):
        return {"type": "content_block_delta", "index": index, "delta": {"type": "thinking_delta", "thinking": piece}}

    rows = [text("x", 0), text("y", 1), thought("a", 0), thought("b", 0), thought("c", 1), text("z", 0)]
    content = told("messages", *rows, STOP).answer.native["content"]
    assert [block.get("text", block.get("thinking")) for block in content] == ["xz", "y", "ab", "c"]


@pytest.mark.parametrize(
    ("again", "count"),
    [
        ({"type": "tool_use", "id": "t", "name": "f", "input": {}}, 1),
        ({"id": "t", "name": "f"}, 1),
        ({"type": "tool_use", "id": "u", "name": "f", "input": {}}, 2),
        ({"type": "server_tool_use", "id": "t", "name": "f", "input": {}}, 2),
    ],
)
def test_a_block_announced_again_is_the_same(again, count):
    first = start(type="tool_use", id="t", name="f", input={})
    outcome = told("messages", first, start(**again), stop(), reason("tool_use"), STOP)
    assert len(outcome.answer.native["content"]) == count


def test_an_error_in_any_other_event_is_kept_and_padding_is_nothing():
    failure = {"type": "overloaded_error", "message": "busy"}
    assert told("messages", {**text("x"), "error": failure}, STOP).answer.extra == {"error": failure}
    new = {"type": "new", "error": failure, "detail": "d", "errors": [failure]}
    assert told("messages", new, STOP).answer.extra == {"new": [new]}
    for padding in (None, "", {}, {"message": "", "type": None}):
        outcome = told("messages", {**text("x"), "error": padding}, STOP)
        assert (outcome.answer.text, outcome.answer.extra) == ("x", {})


def test_members_of_block_events_that_have_no_word_are_told():
    rows = [
        {**start(type="text", text=""), "delta": 1},
        {**text("Hi"), "content_block": {"type": "text"}},
        {**stop(), "message": "m"},
        {"type": "content_block_start", "index": 1, "content_block": None, "own": 2},
    ]
    outcome = told("messages", *rows, STOP)
    assert outcome.answer.extra == {"delta": 1, "content_block": {"type": "text"}, "message": "m", "own": 2}
    assert [each.part for each in of_type(outcome, Extra)] == [0, 0, 0, None]


def test_usage_counts_on_whatever_event_it_stands():
    for row in (begun(), start(type="text", text=""), text("Hi"), stop()):
        outcome = told("messages", start(type="text", text=""), {**row, "usage": {"output_tokens": 7}}, STOP)
        assert (outcome.answer.usage.output_tokens, outcome.answer.extra) == (7, {})


def fallback(to, **more):
    return start(type="fallback", **{"from": {"model": "claude"}, "to": to}, **more)


@pytest.mark.parametrize(
    ("payloads", "model"),
    [
        ([begun(), fallback({"model": "b"}), stop()], "b"),
        ([begun(), fallback({"model": "b"}), stop(), start(1, type="fallback", to={"model": "c"})], "c"),
        ([begun(content=[fallback({"model": "b"})["content_block"]])], "b"),
        ([fallback({"model": "b"})], "b"),
        ([begun(), fallback(None)], "claude"),
        ([begun(), fallback("b")], "claude"),
        ([begun(), fallback({"model": ""})], "claude"),
        ([begun(), fallback({"model": "b"}), begun()], "b"),
    ],
)
def test_the_model_is_the_one_that_a_fallback_names(payloads, model):
    outcome = told("messages", *payloads, text("Hi", 5), reason("end_turn"), STOP)
    assert (outcome.answer.model, outcome.answer.native["model"]) == (model, model)
    assert outcome.answer.text == "Hi"


def test_a_missing_message_start_is_survived():
    outcome = told("messages", text("Hi"), reason("end_turn"), STOP)
    assert outcome.events[0] == Started(None, None)
    assert outcome.answer.text == "Hi"
    assert "id" not in outcome.answer.native


def test_a_second_message_start_with_the_same_id_is_ignored():
    outcome = told("messages", begun(usage={"input_tokens": 1}), text("Hi"), begun(usage={"input_tokens": 99}), text("!"), STOP)
    assert outcome.answer.text == "Hi!"
    assert outcome.answer.usage.input_tokens == 1
    assert len(of_type(outcome, Started)) == 1


@pytest.mark.parametrize(("first", "second"), [("m1", None), (None, "m2"), ("", "m2"), ("m1", "")])
def test_a_second_message_start_that_names_no_other_answer_is_ignored(first, second):
    assert told("messages", begun(first), text("Hi"), begun(second), STOP).answer.text == "Hi"


def test_a_second_message_start_with_another_id_is_two_answers_spliced_into_one():
    outcome = told("messages", begun("m1"), text("Hi"), begun("m2"), STOP)
    assert isinstance(outcome.error, MalformedStreamError)
    assert outcome.error.frame_number == 3
    assert outcome.partial.text == "Hi"


def test_indexes_that_skip_are_names():
    outcome = told("messages", start(10**9, type="text", text=""), text("a", 10**9), text("b", 7), text("c", 10**9), STOP)
    assert [part.text for part in outcome.answer.parts] == ["ac", "b"]


def piece(index, **delta):
    return {"type": "content_block_delta", "index": index, "delta": delta}


def test_a_block_that_waits_goes_on_under_an_index_that_is_nobodys():
    outcome = told(
        "messages",
        *(start(0, type="thinking", thinking=""), piece(1, type="thinking_delta", thinking="h"), stop(1)),
        *(
            start(2, type="server_tool_use", id="s", name="g", input={}),
            piece(3, type="input_json_delta", partial_json="[]"),
            stop(3),
        ),
        *(
            start(4, type="tool_use", id="t", name="f", input={}),
            piece(5, type="input_json_delta", partial_json="{"),
            text("x", 6),
        ),
        *(piece(5, type="input_json_delta", partial_json="}"), stop(5), STOP),
    )
    assert [block.get("thinking", block.get("input", block.get("text"))) for block in outcome.answer.native["content"]] == [
        "h",
        [],
        {},
        "x",
    ]
    assert [call.complete for call in outcome.answer.tool_calls] == [True]


def test_a_block_that_has_been_closed_or_has_something_waits_for_nothing():
    outcome = told(
        "messages",
        *(start(0, type="thinking", thinking="", signature="S"), stop(0), piece(1, type="thinking_delta", thinking="h")),
        *(
            start(2, type="tool_use", id="t", name="f", input={"a": 1}),
            piece(3, type="input_json_delta", partial_json="{}"),
            STOP,
        ),
    )
    assert [block.get("thinking", block.get("input")) for block in outcome.answer.native["content"]] == ["", "h", {"a": 1}, {}]


def test_several_message_deltas_are_merged_and_the_last_reason_counts():
    outcome = told("messages", begun(), reason(None, usage={"output_tokens": 1}), reason("max_tokens"), reason(None), STOP)
    assert outcome.answer.native_finish_reason == "max_tokens"


def test_a_block_stop_for_a_block_that_never_was_is_nothing():
    assert told("messages", begun(), stop(4), STOP).events == [Started("m1", "claude"), Finished(None, None, 0)]


def test_a_message_start_may_bring_content():
    outcome = told("messages", begun(content=[{"type": "text", "text": "Hi"}, "odd"]), text("!"), STOP)
    assert outcome.answer.text == "Hi!"


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "message_start", "message": "x"},
        {"type": "message_delta", "delta": ["x"]},
        {"type": "content_block_start", "content_block": 1},
        {"type": "content_block_delta", "index": 0, "delta": "x"},
        begun(content={"0": {}}),
    ],
)
def test_another_shape_than_the_types_is_malformed(payload):
    assert isinstance(told("messages", payload, STOP).error, MalformedStreamError)


# ---- usage


def test_usage_merges_by_member():
    """Later values replace earlier ones, null erases nothing."""
    outcome = told(
        "messages",
        begun(usage={"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": None, "output_tokens": 1}),
        reason("end_turn", usage={"input_tokens": None, "output_tokens": 7, "cache_creation_input_tokens": 2}),
        STOP,
    )
    usage = outcome.answer.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (17, 7, 24)
    assert (usage.cached_input_tokens, usage.cache_write_tokens) == (5, 2)
    assert usage.native == {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
        "output_tokens": 7,
    }
    assert len(of_type(outcome, UsageReported)) == 2


def test_usage_may_stand_in_the_delta_or_in_the_last_frame():
    inside = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "usage": {"output_tokens": 7}}}
    assert told("messages", begun(), inside, STOP).answer.usage.output_tokens == 7
    assert told("messages", begun(), {**STOP, "usage": {"output_tokens": 8}}).answer.usage.output_tokens == 8


@pytest.mark.parametrize("usage", ["many", None, [], {"service_tier": "standard"}])
def test_usage_without_a_count_is_told_nowhere(usage):
    outcome = told("messages", begun(usage=usage), STOP)
    assert outcome.answer.usage is None
    assert not of_type(outcome, UsageReported)


def test_usage_that_grows_for_ever_is_malformed():
    """Each report is whole, so it would cost the square of its size."""
    rows = [reason(None, usage={"output_tokens": 1, **{f"x{part}-{n}": 1 for n in range(40)}}) for part in (1, 2)]
    outcome = told("messages", *rows, STOP)
    assert isinstance(outcome.error, MalformedStreamError)
    assert "64 members" in outcome.error.reason
    most = {"output_tokens": 1, **{f"x{n}": 1 for n in range(63)}}
    assert len(told("messages", reason(None, usage=most), STOP).answer.usage.native) == 64


def test_usage_that_is_no_object_is_nothing():
    assert "usage" not in told("messages", begun(usage=7), text("Hi"), reason("end_turn"), STOP).answer.native


# ---- when a call is whole


def names(outcome):
    return [event.type for event in outcome.events]


def test_a_call_is_finished_at_the_first_frame_but_a_ping_after_its_blocks_end():
    ended = told("messages", *TOOL, stop())
    pinged = told("messages", *TOOL, stop(), PING)
    certain = told("messages", *TOOL, stop(), PING, start(1, type="text", text="x"))
    assert not of_type(ended, ToolCallFinished)
    assert not of_type(pinged, ToolCallFinished)
    assert [each.complete for each in pinged.partial.tool_calls] == [False]
    assert len(of_type(certain, ToolCallFinished)) == 1
    assert names(certain).index("tool_call_finished") < names(certain).index("text_delta")


CUTS = ["max_tokens", "model_context_window_exceeded", "refusal"]

# Frames that settle no call.
NOTHING_SETTLED = [
    PING,
    {"type": "keepalive"},
    ("heartbeat", {}),
    {"type": "new_event", "index": 0},
    '{"own": 1}',
    {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 2}},
    {"type": "message_delta", "delta": None},
    {"type": "message_delta", "delta": {"stop_reason": ""}},
]


@pytest.mark.parametrize("word", CUTS)
@pytest.mark.parametrize("between", [[], *([each] for each in NOTHING_SETTLED), NOTHING_SETTLED])
def test_a_call_that_a_stop_reason_says_was_cut_is_not_whole(word, between):
    outcome = told("messages", *TOOL, stop(), *between, reason(word), STOP)
    assert not of_type(outcome, ToolCallFinished)
    assert [each.complete for each in outcome.answer.tool_calls] == [False]
    assert outcome.answer.finish_reason == ("refusal" if word == "refusal" else "length")


@pytest.mark.parametrize("word", CUTS)
def test_nor_is_one_whose_block_ends_after_that_reason(word):
    for ending in ([], [reason("tool_use")], [start(1, type="text", text="x")]):
        assert not of_type(told("messages", *TOOL, reason(word), stop(), *ending, STOP), ToolCallFinished)


@pytest.mark.parametrize(
    "settling",
    [
        begun(),
        start(1, type="text", text=""),
        text("x", 1),
        stop(1),
        reason("tool_use"),
        reason("pause_turn"),
        reason("new"),
        STOP,
    ],
)
def test_a_call_is_finished_by_the_dialects_own_frames(settling):
    outcome = told("messages", begun(), *TOOL, stop(), *NOTHING_SETTLED, settling)
    assert len(of_type(outcome, ToolCallFinished)) == 1


def test_a_stop_reason_may_stand_beside_the_delta():
    beside = {"type": "message_delta", "stop_reason": "max_tokens"}
    assert not of_type(told("messages", *TOOL, stop(), beside, STOP), ToolCallFinished)


def test_a_call_is_not_finished_in_a_stream_that_fails_or_is_cut_behind_its_block():
    for ending in (("error", {"message": "no"}), {"type": "overloaded_error"}, "[DONE]"):
        assert not of_type(told("messages", *TOOL, stop(), ending), ToolCallFinished)


def test_a_call_that_was_certain_before_the_cut_stays_whole():
    outcome = told("messages", *TOOL, stop(), start(1, type="text", text="x"), reason("max_tokens"), STOP)
    assert len(of_type(outcome, ToolCallFinished)) == 1


@pytest.mark.parametrize("word", ["tool_use", "end_turn", "max_tokens", None, "refusal"])
def test_a_call_whose_block_nobody_closed_is_not_certain_to_be_whole(word):
    outcome = told("messages", *TOOL, reason(word), STOP)
    assert not of_type(outcome, ToolCallFinished)
    assert [each.complete for each in outcome.answer.tool_calls] == [False]


def test_a_second_end_of_a_block_finishes_its_call_once():
    assert len(of_type(told("messages", *TOOL, stop(), stop(), reason("tool_use"), STOP), ToolCallFinished)) == 1


def test_two_calls_that_end_side_by_side_are_both_whole():
    tools = [start(index, type="tool_use", id=f"t{index}", name="f", input={}) for index in (0, 1)]
    outcome = told("messages", *tools, stop(0), stop(1), reason("tool_use"), STOP)
    assert [each.tool_call.id for each in of_type(outcome, ToolCallFinished)] == ["t0", "t1"]
    assert outcome.answer.finish_reason == "tool_calls"


def test_a_call_without_a_name_leaves_the_reason_in_the_event_and_in_the_answer():
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "input": {}}}
    outcome = told("messages", begun(), start, reason("end_turn"), STOP)
    assert of_type(outcome, Finished) == [Finished("stop", "end_turn", 0)]
    assert outcome.answer.finish_reason == "stop"


def test_calls_present_and_end_turn_is_tool_calls():
    assert told("messages", *TOOL, stop(), reason("end_turn"), STOP).answer.finish_reason == "tool_calls"


# ---- the end


@pytest.mark.parametrize("payloads", [[begun(), text("Hi"), stop(), reason("end_turn")], [text("Hi"), "[DONE]"], [PING]])
def test_without_message_stop_it_is_truncated(payloads):
    outcome = told("messages", *payloads)
    assert isinstance(outcome.error, TruncatedStreamError)
    assert "message_stop" in outcome.error.expected
    assert not of_type(outcome, Finished)


def test_require_done_lets_a_stream_end_after_its_stop_reason():
    outcome = told("messages", begun(), text("Hi"), stop(), reason("end_turn"), require_done=False)
    assert (outcome.status, outcome.answer.text, outcome.answer.finish_reason) == ("complete", "Hi", "stop")
    assert outcome.events[-1] == Finished("stop", "end_turn", 0)
    called = told("messages", *TOOL, reason("tool_use"), stop(), require_done=False)
    assert [each.complete for each in called.answer.tool_calls] == [True]
    cut = told("messages", *TOOL, reason("max_tokens"), stop(), require_done=False)
    assert [each.complete for each in cut.answer.tool_calls] == [False]


@pytest.mark.parametrize(
    "payloads",
    [[begun(), text("Hi"), stop()], [begun(), text("Hi"), reason(None)], [begun(stop_reason="end_turn"), text("Hi")], [PING]],
)
def test_and_at_no_other_place(payloads):
    outcome = told("messages", *payloads, require_done=False)
    assert outcome.status == "truncated"
    assert "require_done" not in str(outcome.error)


def test_the_error_names_the_switch_where_it_would_have_helped():
    assert "pass require_done=False" in str(told("messages", text("Hi"), reason("end_turn")).error)
    assert "require_done" not in str(told("messages", text("Hi")).error)


def test_what_follows_the_end_is_ignored():
    assert told("messages", text("Hi"), STOP, "[DONE]", text("late"), "not json").answer.text == "Hi"


def test_half_a_pair_left_alone_is_told_at_the_end():
    outcome = told("messages", begun(), text("a\ud83d"), text("\ude00b\ud83d"), STOP)
    assert outcome.answer.text == "a\U0001f600b\ufffd"
    assert [each.text for each in of_type(outcome, TextDelta)] == ["a", "\U0001f600b", "\ufffd"]


# ---- failures


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"type": "error", "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}},
        {"error": {"type": "overloaded_error", "message": "Overloaded"}},
    ],
)
def test_a_failure_is_an_upstream_error_with_the_partial_answer(payload):
    outcome = told("messages", begun(), text("Hi"), payload)
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.type, outcome.error.message) == ("overloaded_error", "Overloaded")
    assert outcome.error.payload == payload
    assert outcome.error.retryable
    assert outcome.error.delivered
    assert outcome.partial.text == "Hi"


def test_a_failure_without_a_type_has_none():
    outcome = told("messages", begun(), {"object": "error", "message": "It broke", "code": 400})
    assert (outcome.error.type, outcome.error.code, outcome.error.message) == (None, 400, "It broke")


def test_an_error_event_is_one_whatever_its_data():
    outcome = told("messages", begun(), ("error", "Bad Gateway"))
    assert isinstance(outcome.error, UpstreamError)
    assert outcome.error.message == "Bad Gateway"
    assert isinstance(told("messages", begun(), ("error", {"message": "x"})).error, UpstreamError)


# ---- bodies


def whole(stop_reason, *content):
    """A decoder that has read this message as a JSON body, and its events."""
    message = {"type": "message", "id": "m", "role": "assistant", "content": list(content), "stop_reason": stop_reason}
    decoder = Decoder("messages")
    events = [*decoder.feed(json.dumps(message).encode()), *decoder.close()]
    return decoder.answer(), events


def test_a_whole_message_in_place_of_a_stream():
    content = [{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]
    answer, events = whole("tool_use", *content)
    assert events[:2] == [Started("m", None), TextDelta("Hi", 0, 0)]
    assert events[-1] == Finished("tool_calls", "tool_use", 0)
    assert answer.turn == [{"role": "assistant", "content": content}]
    assert answer.tool_calls[0].arguments == '{"a":1}'
    assert answer.tool_calls[0].complete


def test_a_call_of_a_whole_message_that_was_cut_is_not_whole():
    answer, events = whole("max_tokens", {"type": "tool_use", "id": "t", "name": "f", "input": {}})
    assert [each.complete for each in answer.tool_calls] == [False]
    assert not [event for event in events if isinstance(event, ToolCallFinished)]


def test_nothing_has_no_choices():
    assert MessagesAccumulator().partial().choices == []


def test_a_delta_without_an_index_goes_on_with_the_block_opened_last():
    from sse_dialects import Decoder

    lines = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "He"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "llo"}},
        {"type": "message_stop"},
    ]
    decoder = Decoder("messages")
    decoder.feed("".join(f"data: {json.dumps(line)}\n\n" for line in lines).encode())
    decoder.close()
    assert [part.text for part in decoder.answer().parts] == ["Hello"]
