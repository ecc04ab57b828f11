"""Chat content that comes as a list of parts: runs joined natively, text and thinking told, anything else kept."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta, ReasoningPart, TextDelta, TextPart
from sse_dialects.dialects.content_parts import ContentParts, text_of, thinking_of

TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


def thinking(value):
    return {"type": "thinking", "thinking": value}


def streamed(*contents):
    return told("chat", *({"choices": [{"index": 0, "delta": {"content": content}}]} for content in contents), "[DONE]")


def content(outcome):
    return outcome.answer.native["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("bare", "bare"),
        (TEXT, "a"),
        ({"type": "output_text", "text": "a"}, "a"),
        ({"type": "text"}, None),
        ({"type": "text", "text": None}, None),
        ({"type": "image", "text": "a"}, None),
        ({}, None),
    ],
)
def test_the_text_of_a_part(part, text):
    assert text_of(part) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (thinking("a"), "a"),
        (thinking([TEXT, "b", {"type": "reference"}, 7, None]), "ab"),
        (thinking([]), ""),
        (thinking(None), None),
        (thinking({"text": "a"}), None),
        (TEXT, None),
    ],
)
def test_the_text_of_a_thinking_part(part, text):
    assert thinking_of(part) == text


def test_runs_of_one_kind_are_one_part():
    parts = ContentParts()
    for kind, text in [("thinking", "a"), ("thinking", "b"), ("text", "c"), ("text", "d")]:
        parts.add(kind, text)
    parts.add_other(IMAGE)
    parts.add("text", "e")
    assert parts.build() == [
        thinking([{"type": "text", "text": "ab"}]),
        {"type": "text", "text": "cd"},
        IMAGE,
        {"type": "text", "text": "e"},
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
