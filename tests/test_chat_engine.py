"""Chat Completions as a whole: chunks, choices, usage, the end, failures, and what the answer is made of."""

from __future__ import annotations

import json

import pytest
from shapes import by_decoder
from told import of_type, stream_of, told

from sse_dialects import (
    ChatAccumulator,
    Extra,
    Finished,
    LimitExceededError,
    Limits,
    MalformedStreamError,
    Started,
    TextDelta,
    ToolCallFinished,
    TruncatedStreamError,
    UpstreamError,
    UsageReported,
)


def chunk(content=None, finish=None, index=0, **more):
    choice = {"index": index, "delta": {} if content is None else {"content": content}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [choice], **more}


def choice(**fields):
    return {"choices": [{"index": 0, "delta": {}, **fields}]}


# ---- a plain one


def test_a_plain_stream():
    outcome = told("chat", chunk("Hi"), chunk("!"), chunk(finish="stop"), "[DONE]")
    assert outcome.events == [Started("c", "m"), TextDelta("Hi", 0, 0), TextDelta("!", 0, 0), Finished("stop", "stop", 0)]
    assert outcome.answer.native == {
        "id": "c",
        "created": 7,
        "model": "m",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": "Hi!"}, "finish_reason": "stop"}],
    }
    assert outcome.answer.turn == [{"role": "assistant", "content": "Hi!"}]


def test_frames_without_id_are_normal_and_the_first_that_say_something_bind():
    rows = [
        {"id": "", "model": None, **choice()},
        {"id": "c1", "model": "m1", **choice()},
        {"id": "c2", "model": "m2", **choice()},
    ]
    outcome = told("chat", *rows, "[DONE]")
    assert (outcome.answer.id, outcome.answer.model) == ("c1", "m1")
    assert outcome.events[0] == Started(None, None)
    assert "id" not in told("chat", choice(), "[DONE]").answer.native


def test_what_wraps_the_chunks_and_says_nothing_stands_in_native_until_something_does():
    def native(*created):
        return told("chat", *({"id": "", "model": "", "created": each, **choice()} for each in created), "[DONE]").answer.native

    assert {name: native(0)[name] for name in ("id", "model", "created")} == {"id": "", "model": "", "created": 0}
    assert [native(*created)["created"] for created in ((None, 0, 7), (7, 8), (0, 7, 0), (7, None))] == [7] * 4
    assert "created" not in native(None)
    for known, unknown in (("id", "model"), ("model", "id")):
        row = {known: "x", unknown: "", "created": 7, **choice()}
        assert told("chat", row, "[DONE]").answer.native[unknown] == ""


@pytest.mark.parametrize(
    "row", [{"id": "c"}, {"id": "c", "choices": None}, {"id": "c", "choices": []}, {"id": "c", "choices": [None, {}]}]
)
def test_choices_may_be_missing_null_or_empty(row):
    assert told("chat", row, chunk("x"), row, "[DONE]").answer.text == "x"


def test_wrapping_members_stand_in_native_alone_and_a_providers_own_is_told():
    own = {"provider": "p", "obfuscation": "abc", "service_tier": None}
    outcome = told("chat", chunk("x", **own), chunk("y", **own), chunk(provider="q"), "[DONE]")
    assert of_type(outcome, Extra) == [Extra("provider", "p", 0), Extra("provider", "q", 0)]
    assert outcome.answer.extra == {"provider": "q"}
    assert outcome.answer.native["provider"] == "q"


def test_objects_of_the_chunks_are_merged_natively_and_the_last_is_extra():
    outcome = told("chat", chunk(meta={"a": 1}), chunk(meta={"b": 2}), chunk(meta={"b": 3}), "[DONE]")
    assert outcome.answer.native["meta"] == {"a": 1, "b": 3}
    assert outcome.answer.extra["meta"] == {"b": 3}


# ---- choices


def test_several_choices_stay_apart():
    outcome = told("chat", chunk("b", index=1), chunk("a"), chunk("B", "length", index=1), chunk("A", "stop"), "[DONE]")
    assert [(each.index, each.text, each.finish_reason) for each in outcome.answer.choices] == [
        (0, "aA", "stop"),
        (1, "bB", "length"),
    ]
    assert of_type(outcome, Finished) == [Finished("stop", "stop", 0), Finished("length", "length", 1)]
    assert outcome.answer.text == "aA"


def test_choices_of_one_chunk_stay_apart():
    def both(first, second):
        return {"choices": [{"index": 0, "delta": {"content": first}}, {"index": 1, "delta": {"content": second}}]}

    outcome = told("chat", both("", "x"), both("", "x"), both("y", "x"), both("z", ""), "[DONE]")
    assert [each.text for each in outcome.answer.choices] == ["yz", "xxx"]


def test_a_choices_own_members_stand_in_extra_of_choice_0_and_of_their_choice_elsewhere():
    rows = [choice(own=1, index=0), choice(own=2, index=1)]
    outcome = told("chat", *rows, "[DONE]")
    assert of_type(outcome, Extra) == [Extra("own", 1, 0), Extra("own", 2, 1)]
    assert outcome.answer.extra == {"own": 1}
    assert [each.extra for each in outcome.answer.choices] == [{}, {"own": 2}]
    assert [each["own"] for each in outcome.answer.native["choices"]] == [1, 2]


@pytest.mark.parametrize("index", [None, "0", 0.0, True, "x", -0])
def test_an_odd_index_is_choice_0(index):
    assert [each.index for each in told("chat", choice(index=index, delta={"content": "x"}), "[DONE]").answer.choices] == [0]


def test_choices_are_bounded():
    outcome = told("chat", *(chunk(index=index) for index in range(3)), "[DONE]", limits=Limits(max_choices=2))
    assert isinstance(outcome.error, LimitExceededError)
    assert outcome.error.limit == "max_choices"
    assert told("chat", *(chunk(index=index) for index in range(2)), "[DONE]", limits=Limits(max_choices=2)).error is None


def test_think_tags_are_told_apart_where_asked_for():
    row = chunk("<think>a</think>b")
    assert told("chat", row, "[DONE]").answer.text == "<think>a</think>b"
    assert (told("chat", row, "[DONE]", think_tags=True).answer.reasoning) == "a"


@pytest.mark.parametrize("member", [{"delta": {"content": "a"}}, {"message": {"content": "a"}}, {"delta": None}])
def test_text_is_content_where_nothing_else_is(member):
    outcome = told("chat", {"choices": [{"index": 0, "text": "a", **member}]}, "[DONE]")
    assert outcome.answer.text == "a"
    assert [event.text for event in of_type(outcome, TextDelta)] == ["a"]


def test_a_choice_with_calls_stopped_for_them():
    tool = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
    outcome = told("chat", choice(delta={"tool_calls": [tool]}, finish_reason="stop"), "[DONE]")
    assert of_type(outcome, Finished) == [Finished("tool_calls", "stop", 0)]
    cut = told("chat", choice(delta={"tool_calls": [tool]}, finish_reason="length"), "[DONE]")
    assert [each.complete for each in cut.answer.tool_calls] == [False]


def test_the_first_finish_reason_binds_and_text_after_it_still_counts():
    rows = [chunk("a", ""), chunk("b", "null"), chunk("c", "stop"), chunk("d", "length"), chunk("e", 7)]
    outcome = told("chat", *rows, "[DONE]")
    assert (outcome.answer.text, outcome.answer.native_finish_reason) == ("abcde", "stop")


def test_text_beside_a_delta_is_kept_and_not_told_twice():
    choice = {"index": 0, "text": "a", "delta": {"content": "a"}}
    outcome = told("chat", {"choices": [choice]}, "[DONE]")
    assert outcome.answer.text == "a"
    assert outcome.answer.extra == {"text": "a"}
    assert outcome.answer.native["choices"][0]["text"] == "a"


def test_logprobs_are_joined():
    def row(*tokens):
        return choice(logprobs={"content": [{"token": token} for token in tokens], "refusal": None})

    outcome = told("chat", row("a"), row(), row("b", "c"), "[DONE]")
    tokens = [{"token": token} for token in "abc"]
    assert of_type(outcome, Extra) == [
        Extra("logprobs", {"content": tokens[:1]}, 0),
        Extra("logprobs", {"content": tokens[1:]}, 0),
    ]
    assert outcome.answer.extra == {"logprobs": {"content": tokens}}
    assert outcome.answer.native["choices"][0]["logprobs"] == {"content": tokens}


def test_logprobs_of_another_shape_are_kept_as_they_came():
    outcome = told("chat", choice(logprobs=[0.1]), "[DONE]")
    assert outcome.answer.extra == {"logprobs": [0.1]}
    assert outcome.answer.native["choices"][0]["logprobs"] == [0.1]


@pytest.mark.parametrize(
    "row", [{"choices": {"0": {}}}, choice(delta="x"), choice(delta={"content": 7}), choice(delta={"tool_calls": {"0": 1}})]
)
def test_another_shape_is_malformed(row):
    outcome = told("chat", chunk("kept"), row, "[DONE]")
    assert isinstance(outcome.error, MalformedStreamError)
    assert outcome.partial.text == "kept"


# ---- usage

USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


@pytest.mark.parametrize(
    "row",
    [
        *({"choices": [], "usage": USAGE}, {"usage": USAGE}, choice(usage=USAGE), {**choice(), "x_gateway": {"usage": USAGE}}),
        {**choice(), "x_request": {"id": "r"}, "x_note": "n", "x_gateway": {"usage": USAGE}},
    ],
    ids=["chunk", "without choices", "choice", "a member of its own", "one of several"],
)
def test_usage_is_found_where_it_stands(row):
    outcome = told("chat", chunk("x", usage=None), row, "[DONE]")
    assert [event.usage for event in of_type(outcome, UsageReported)] == [outcome.answer.usage]
    assert outcome.answer.usage.total_tokens == 7
    assert outcome.answer.native["usage"] == USAGE


def test_the_last_usage_that_holds_a_count_replaces_earlier_ones_whole():
    rows = [
        chunk(usage={"prompt_tokens": 1, "cached_tokens": 1}),
        chunk(usage=USAGE),
        chunk(usage=USAGE),
        chunk(usage={"prompt_tokens": None}),
    ]
    outcome = told("chat", *rows, "[DONE]")
    assert len(of_type(outcome, UsageReported)) == 2
    assert outcome.answer.usage.cached_input_tokens is None


# ---- the end


def test_the_terminating_frame_is_done_or_a_chunk_that_says_so():
    assert told("chat", chunk("x"), {"object": "chat.completion.done"}).status == "complete"
    assert told("chat", chunk("x"), {"object": "chat.completion.done"}, "not json").answer.text == "x"


def test_done_may_be_the_second_payload_under_one_blank_line():
    assert told("chat", '{"choices": [{"index": 0, "delta": {"content": "x"}}]}\n[DONE]').answer.text == "x"


def test_a_stream_of_nothing_but_its_end_is_an_empty_answer():
    outcome = told("chat", "[DONE]")
    assert outcome.events == [Started(None, None)]
    assert (outcome.answer.choices, outcome.answer.turn, outcome.answer.text) == ([], [], "")


def test_without_the_terminating_frame_it_is_truncated_and_the_switch_is_named_where_it_would_have_helped():
    finished, cut = told("chat", chunk("x", "stop")), told("chat", chunk("x"))
    assert isinstance(finished.error, TruncatedStreamError)
    assert "require_done=False" in str(finished.error)
    assert "require_done=False" not in str(cut.error)
    assert not of_type(finished, Finished)


def test_require_done_false_lets_a_stream_end_after_every_choice_finished():
    rows = [chunk("a", "stop"), chunk("b", index=1)]
    assert told("chat", rows[0], require_done=False).answer.finish_reason == "stop"
    assert told("chat", *rows, require_done=False).status == "truncated"
    assert told("chat", *rows, chunk(finish="stop", index=1), require_done=False).status == "complete"
    assert told("chat", require_done=False).status == "truncated"


# ---- failures

ERROR = {"message": "It broke", "type": "server_error", "code": 500}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"error": ERROR}, ("server_error", 500, "It broke")),
        ({"error": "It broke"}, (None, None, "It broke")),
        ({**chunk(), "error": ERROR}, ("server_error", 500, "It broke")),
        ({"error": {"error": ERROR}}, ("server_error", 500, "It broke")),
        ({"object": "error", "message": "It broke", "code": 400}, (None, 400, "It broke")),
        ({"detail": "It broke"}, (None, None, "It broke")),
        (("error", {"message": "It broke"}), (None, None, "It broke")),
        (choice(error=ERROR), ("server_error", 500, "It broke")),
    ],
)
def test_a_failure_is_an_upstream_error_with_the_partial_answer(payload, expected):
    outcome = told("chat", chunk("x"), payload, "[DONE]")
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.type, outcome.error.code, outcome.error.message) == expected
    assert outcome.error.payload == (payload[1] if isinstance(payload, tuple) else payload)
    assert outcome.partial.text == "x"
    assert not of_type(outcome, Finished)


def test_the_text_beside_an_error_counts():
    assert told("chat", {**chunk("x"), "error": ERROR}).partial.text == "x"


def test_an_error_in_a_delta_or_a_vendors_member_is_a_failure_and_padding_is_none():
    for row in (choice(delta={"content": "x", "error": ERROR}), {**chunk("x"), "x_gateway": {"error": ERROR}}):
        outcome = told("chat", row)
        assert (outcome.status, outcome.error.raw, outcome.partial.text) == ("upstream", ERROR, "x")
    padding = {"message": "", "code": None}
    for row in (choice(delta={"content": "x", "error": padding}), {**chunk("x"), "x_gateway": {"error": padding}}):
        padded = told("chat", row, "[DONE]")
        assert padded.answer.text == "x"
        assert "error" not in padded.answer.extra


def test_a_choice_that_finished_with_error_failed():
    outcome = told("chat", chunk("x", "error"), "[DONE]")
    assert isinstance(outcome.error, UpstreamError)
    assert outcome.partial.text == "x"
    assert outcome.error.payload == chunk("x", "error")


@pytest.mark.parametrize("error", [None, "", {}, False, {"message": "", "code": None}])
def test_an_empty_error_on_a_normal_chunk_is_nothing(error):
    assert told("chat", {**chunk("x"), "error": error}, choice(error=error), "[DONE]").answer.text == "x"


# ---- bodies and partial answers


def test_a_whole_completion_in_place_of_a_stream():
    tool = {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "Hi", "tool_calls": [tool]}
    body = {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    outcome = by_decoder([json.dumps(body).encode()], "chat")
    assert outcome.events[:2] == [Started("c", None), TextDelta("Hi", 0, 0)]
    assert [type(event) for event in outcome.events[-2:]] == [ToolCallFinished, Finished]
    assert outcome.answer.turn == [message]
    assert outcome.answer.finish_reason == "tool_calls"


def test_a_whole_completion_with_a_failed_choice_is_a_failure():
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "error"}]}
    outcome = by_decoder([json.dumps(body).encode()], "chat")
    assert isinstance(outcome.error, UpstreamError)
    assert outcome.error.payload == body


def test_a_partial_answer_stays_as_it_was():
    state = ChatAccumulator()
    state.add(Line('{"choices": [{"index": 0, "delta": {"content": "a", "own": ["x"]}}]}'))
    early = state.partial()
    before = early.to_dict()
    state.add(Line('{"choices": [{"index": 0, "delta": {"content": "b", "own": ["y"]}}]}'))
    assert early.to_dict() == before
    assert state.partial().text == "ab"


class Line:
    """A frame of nobody's."""

    event = "message"

    def __init__(self, data):
        self.data = data


# ---- reasons that mean failure


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("error", "error"),
        ("network_error", "network_error"),
        ("overloaded_error", "overloaded_error"),
        ("TIMEOUT", "TIMEOUT"),
        ("insufficient_system_resource", "insufficient_system_resource"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("upstream, Some_New_Error!", "Some_New_Error"),
    ],
)
@pytest.mark.parametrize("index", [0, 1])
def test_a_reason_that_means_failure_is_raised_with_its_word(reason, word, index):
    text = {"choices": [{"index": 0, "delta": {"content": "Half"}}, {"index": 1, "delta": {"content": "Half"}}]}
    last = {"choices": [{"index": index, "delta": {"content": " an"}, "finish_reason": reason}]}
    outcome = told("chat", text, last, "[DONE]")
    assert (outcome.status, outcome.error.type) == ("upstream", word)
    assert repr(reason) in outcome.error.message
    assert outcome.error.partial.choices[index].text == "Half an"
    assert by_decoder([stream_of(text, last)], "chat", require_done=False).status == "upstream"


def test_it_is_raised_where_another_reason_came_first_and_in_a_whole_answer():
    rows = [{"choices": [{"index": 0, "delta": {}, "finish_reason": word}]} for word in ("stop", "server_error")]
    assert told("chat", *rows, "[DONE]").status == "upstream"
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"timeout"}]}'
    assert by_decoder([body], "chat").error.type == "timeout"


def test_half_a_pair_in_the_first_chunk_behind_frames_that_were_held_back():
    outcome = told(
        "chat", {"foo": 1}, {"model": "m\ud83d", "own": "\ud83d", "choices": [{"index": 0, "delta": {"content": "a"}}]}, "[DONE]"
    )
    assert outcome.answer.model == "m\ufffd"
    assert outcome.answer.extra["own"] == "\ufffd"
