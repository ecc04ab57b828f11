"""Chat content that comes as a list of parts: runs joined natively, text and thinking told, anything else kept."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta, ReasoningPart, TextDelta, TextPart
from sse_dialects.dialects.chat.content import ContentParts, part_of, thinking_member

TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


def thinking(value):
    return {"type": "thinking", "thinking": value}


def streamed(*contents):
    return told("chat", *({"choices": [{"index": 0, "delta": {"content": content}}]} for content in contents), "[DONE]")


def content(outcome):
    return outcome.answer.native["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("bare", ("text", "bare", {})),
        (TEXT, ("text", "a", {})),
        ({**TEXT, "citation": 1, "note": None}, ("text", "a", {"citation": 1})),
        ({"type": "output_text", "text": "a"}, ("text", "a", {"type": "output_text"})),
        ({"type": "text"}, ("", "", {})),
        ({"type": "text", "text": None}, ("", "", {})),
        ({"type": "image", "text": "a"}, ("", "", {})),
        ({}, ("", "", {})),
        (7, ("", "", {})),
        (thinking("a"), ("thinking", "a", {})),
        (thinking([TEXT, "b", {"type": "reference"}, 7, None, thinking("no")]), ("thinking", "ab", {})),
        ({**thinking([]), "closed": True}, ("thinking", "", {"closed": True})),
        (thinking(None), ("", "", {})),
        (thinking({"text": "a"}), ("", "", {})),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}, "b"]}, ("thinking", "ab", {})),
        ({"type": "reasoning", "text": "a", "id": 1}, ("thinking", "a", {"id": 1})),
        ({"type": "reasoning"}, ("", "", {})),
        ({"type": ["reasoning"], "text": "a"}, ("", "", {})),
    ],
)
def test_a_part_is_text_thinking_or_another(part, expected):
    assert part_of(part) == expected


def test_runs_of_one_kind_are_one_part():
    parts = ContentParts()
    parts.add_thinking(thinking("a"), {})
    parts.add_thinking(thinking([TEXT, {"type": "reference"}, 7]), {"closed": True})
    parts.add("text", "c")
    parts.add("text", "d", {"note": 1})
    parts.add_other(IMAGE)
    parts.add("text", "e")
    assert parts.build() == [
        {**thinking([{"type": "text", "text": "aa"}, {"type": "reference"}]), "closed": True},
        {"type": "text", "text": "cd", "note": 1},
        IMAGE,
        {"type": "text", "text": "e"},
    ]


def test_a_part_of_reasoning_keeps_its_type_and_its_member():
    part = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "a", "signature": "S"}]}
    outcome = streamed([part], [{**part, "summary": [{"type": "summary_text", "text": "b"}]}], [TEXT])
    whole = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "ab", "signature": "S"}]}
    assert content(outcome) == [whole, TEXT]
    assert outcome.answer.reasoning == "ab"
    assert of_type(outcome, Extra) == [Extra("signature", "S", 0)]
    assert thinking_member(part) == "summary"


def test_another_member_of_reasoning_begins_another_part():
    rows = [{"type": "reasoning", "text": "a"}, {"type": "reasoning", "summary": "b"}]
    assert content(streamed(rows)) == [
        {"type": "reasoning", "text": [{"type": "text", "text": "a"}]},
        {"type": "reasoning", "summary": [{"type": "text", "text": "b"}]},
    ]


def test_content_may_be_a_list_of_parts():
    outcome = streamed([thinking([TEXT])], [thinking("b"), TEXT], [TEXT])
    assert outcome.answer.parts == [ReasoningPart("ab"), TextPart("aa")]
    assert of_type(outcome, ReasoningDelta, TextDelta) == [
        ReasoningDelta("a", 0, 0),
        ReasoningDelta("b", 0, 0),
        TextDelta("a", 0, 1),
        TextDelta("a", 0, 1),
    ]
    assert content(outcome) == [thinking([{"type": "text", "text": "ab"}]), {"type": "text", "text": "aa"}]
    assert outcome.answer.turn == [{"role": "assistant", "content": content(outcome)}]


def test_a_part_that_stands_alone_is_a_list_of_one():
    outcome = streamed(TEXT, thinking(""), thinking("b"))
    assert (outcome.answer.text, outcome.answer.reasoning) == ("a", "b")
    assert content(outcome) == [TEXT, thinking([{"type": "text", "text": "b"}])]


def test_members_of_parts_within_thinking_are_kept():
    inner = {"type": "text", "text": "a", "citation": 1}
    assert content(streamed([thinking([inner])])) == [thinking([inner])]


def test_members_of_parts_are_told_of_their_choice_and_those_that_only_wrap_are_not():
    parts = [{**TEXT, "index": 0, "note": 1}, {"type": "output_text", "text": "b"}, IMAGE, thinking([IMAGE])]
    outcome = told("chat", {"choices": [{"index": 1, "delta": {"content": parts}}]}, "[DONE]")
    assert of_type(outcome, Extra) == [Extra("note", 1, 1), Extra("content", [IMAGE], 1), Extra("thinking", [IMAGE], 1)]
    assert outcome.answer.choices[0].extra == {"note": 1, "content": [IMAGE], "thinking": [IMAGE]}


def test_members_of_parts_are_joined_however_often_the_same_frame_comes():
    parts = [{"type": "text", "text": "", "note": "x"}]
    deltas = [{"reasoning": text, "content": parts} for text in "abcd"]
    outcome = told("chat", *({"choices": [{"index": 0, "delta": delta}]} for delta in deltas), "[DONE]")
    assert content(outcome) == [{"type": "text", "text": "", "note": "xxxx"}]


def test_strings_before_and_after_a_list_become_its_parts():
    outcome = streamed("x", [IMAGE], "", "y", "z")
    assert outcome.answer.text == "xyz"
    assert content(outcome) == [{"type": "text", "text": "x"}, IMAGE, {"type": "text", "text": "yz"}]


def test_an_empty_string_before_a_list_makes_no_part():
    assert content(streamed("", [TEXT])) == [TEXT]


def test_a_part_of_any_other_type_is_kept_and_told():
    outcome = streamed([IMAGE, None, 7, []])
    assert content(outcome) == [IMAGE]
    assert of_type(outcome, Extra) == [Extra("content", [IMAGE], 0)]
    assert outcome.answer.extra == {"content": [IMAGE]}


def test_an_empty_list_is_content_without_parts():
    assert content(streamed([])) == []
