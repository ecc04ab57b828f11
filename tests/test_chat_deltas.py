"""The members of a chat delta, each with its rule, and those without a word of ours."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta, RefusalDelta, RefusalPart, TextDelta, TextPart
from sse_dialects.dialects.chat.deltas import DELTA_MEMBERS


def streamed(*deltas, **options):
    return told("chat", *({"choices": [{"index": 0, "delta": delta}]} for delta in deltas), "[DONE]", **options)


def message(outcome):
    return outcome.answer.native["choices"][0]["message"]


@pytest.mark.parametrize("name", sorted(DELTA_MEMBERS))
def test_null_members_are_nothing(name):
    outcome = streamed({name: None}, {"content": "x"})
    assert outcome.answer.text == "x"
    assert not of_type(outcome, Extra)


def test_role_is_the_last_that_says_something():
    outcome = streamed({"role": "assistant"}, {"role": ""}, {"role": 7})
    assert message(outcome) == {"role": "assistant", "content": None}


@pytest.mark.parametrize(
    ("deltas", "content"), [([{"content": ""}], ""), ([{"role": "assistant"}], None), ([{"content": "a"}, {"content": ""}], "a")]
)
def test_empty_content_is_content_and_none_is_null(deltas, content):
    outcome = streamed(*deltas)
    assert message(outcome)["content"] == content
    assert outcome.answer.turn[0]["content"] == content


def test_parts_keep_the_order_of_arrival_and_a_run_goes_on_until_something_else_comes():
    outcome = streamed({"content": "a"}, {"content": "b"}, {"refusal": "no"}, {"refusal": "!"}, {"content": "c"})
    assert outcome.answer.parts == [TextPart("ab"), RefusalPart("no!"), TextPart("c")]
    assert (outcome.answer.text, outcome.answer.refusal) == ("abc", "no!")
    assert message(outcome) == {"content": "abc", "refusal": "no!"}
    assert of_type(outcome, RefusalDelta) == [RefusalDelta("no", 0, 1), RefusalDelta("!", 0, 1)]


def test_an_empty_refusal_stands_in_native_and_not_in_the_turn():
    outcome = streamed({"content": "a", "refusal": ""})
    assert message(outcome)["refusal"] == ""
    assert outcome.answer.turn == [{"role": "assistant", "content": "a"}]


def test_half_a_pair_waits_in_each_member_for_itself():
    outcome = streamed({"content": "a\ud83d"}, {"reasoning": "r\ud83d"}, {"content": "\ude00"})
    assert [(type(event), event.text) for event in of_type(outcome, TextDelta, ReasoningDelta)] == [
        (TextDelta, "a"),
        (TextDelta, "\ufffd"),  # nothing follows in that run
        (ReasoningDelta, "r"),
        (ReasoningDelta, "\ufffd"),
        (TextDelta, "\ufffd"),
    ]
    assert message(outcome)["reasoning"] == "r\ufffd"


def test_a_half_meets_its_other_half_in_the_next_delta_of_that_part():
    outcome = streamed({"content": "a\ud83d"}, {"content": "\ude00"}, {"reasoning": "\ud83d"}, {"reasoning": "\ude00"})
    assert (outcome.answer.text, outcome.answer.reasoning) == ("a\U0001f600", "\U0001f600")
    assert message(outcome)["reasoning"] == "\U0001f600"


def test_a_half_left_alone_in_reasoning_is_no_content_with_think_tags_either():
    outcome = streamed({"reasoning": "r\ud83d"}, {"content": "a\ud83d"}, think_tags=True)
    assert (outcome.answer.reasoning, outcome.answer.text) == ("r\ufffd", "a\ufffd")


def test_what_an_orphan_tag_made_reasoning_goes_on_in_its_place():
    rows = [{"choices": [{"index": 1, "delta": delta}]} for delta in ({"content": "a</think>"}, {"reasoning": "b"})]
    outcome = told("chat", *rows, "[DONE]", think_tags=True)
    assert of_type(outcome, Extra, ReasoningDelta) == [
        Extra("think_tags", {"moved_to_reasoning": 1}, 1),
        ReasoningDelta("b", 1, 0),
    ]
    assert outcome.answer.choices[0].reasoning == "ab"


def test_what_is_told_is_told_of_its_choice():
    note, entry, sound = {"url": "a"}, {"type": "reasoning.text", "text": "why"}, {"id": "a", "data": "QQ=="}
    delta = {"annotations": [note], "reasoning_details": [entry], "audio": sound, "own": 1, "refusal": "no"}
    logprobs = {"content": [{"token": "a"}]}
    outcome = told("chat", {"choices": [{"index": 2, "delta": delta, "logprobs": logprobs}]}, "[DONE]")
    assert {event.name: event.choice for event in of_type(outcome, Extra)} == dict.fromkeys(
        ["annotations", "reasoning_details", "audio", "own", "logprobs"], 2
    )
    assert of_type(outcome, RefusalDelta, ReasoningDelta) == [ReasoningDelta("why", 2, 0), RefusalDelta("no", 2, 1)]


# ---- members without a word of ours


def test_strings_are_joined_natively_and_extra_has_the_last_value():
    outcome = streamed({"own": "a"}, {"own": "b"}, {"own": "b"})
    assert message(outcome)["own"] == "abb"
    assert outcome.answer.extra == {"own": "b"}
    assert of_type(outcome, Extra) == [Extra("own", "a", 0), Extra("own", "b", 0)]
    assert "own" not in outcome.answer.turn[0]


@pytest.mark.parametrize("name", ["reasoning_opaque", "thinking_signature", "thought", "extra_content"])
def test_a_member_that_carries_reasoning_goes_back_under_its_own_name(name):
    assert streamed({name: "a"}, {name: "b"}).answer.turn[0][name] == "ab"


def test_annotations_are_joined():
    outcome = streamed({"annotations": [{"url": "a"}]}, {"annotations": []}, {"annotations": [{"url": "b"}]})
    assert outcome.answer.extra == {"annotations": [{"url": "a"}, {"url": "b"}]}
    assert message(outcome)["annotations"] == [{"url": "a"}, {"url": "b"}]
    assert of_type(outcome, Extra) == [Extra("annotations", [{"url": name}], 0) for name in "ab"]


def test_audio_is_gathered_and_the_turn_refers_to_it():
    outcome = streamed(
        {"audio": {"id": "a", "data": "QQ=="}}, {"audio": {"data": "Qg==", "transcript": "x"}}, {"audio": {"transcript": "y"}}
    )
    assert outcome.answer.extra["audio"] == {"id": "a", "data": ["QQ==", "Qg=="], "transcript": "xy"}
    assert outcome.answer.turn[0]["audio"] == {"id": "a"}
    assert len(of_type(outcome, Extra)) == 3


def test_audio_that_is_no_object_is_kept_as_any_other_member():
    outcome = streamed({"audio": "QQ=="})
    assert outcome.answer.extra == {"audio": "QQ=="}
    assert "audio" not in outcome.answer.turn[0]


def test_a_thinking_parts_own_parts_and_members_are_told():
    part = {"type": "thinking", "thinking": [{"type": "text", "text": "a"}, {"type": "reference", "ids": [1]}], "closed": True}
    outcome = streamed({"content": [part, {"type": "text", "text": "b", "note": 1}]})
    assert of_type(outcome, ReasoningDelta, TextDelta) == [ReasoningDelta("a", 0, 0), TextDelta("b", 0, 1)]
    assert of_type(outcome, Extra) == [
        Extra("thinking", [{"type": "reference", "ids": [1]}], 0),
        Extra("closed", True, 0),
        Extra("note", 1, 0),
    ]
    assert message(outcome)["content"] == [part, {"type": "text", "text": "b", "note": 1}]
