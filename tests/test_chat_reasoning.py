"""Reasoning of a chat stream: under plain names, under both at once, and as lists of typed entries."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta, ReasoningPart, TextDelta
from sse_dialects.dialects.chat.reasoning import Entries, Entry


def chunk(**delta):
    return {"choices": [{"index": 0, "delta": delta}]}


def answer(*deltas):
    return told("chat", *(chunk(**delta) for delta in deltas), "[DONE]").answer


def detail(text=None, **fields):
    return {"type": "reasoning.text", "index": 0, **({"text": text} if text is not None else {}), **fields}


def message(given):
    return given.native["choices"][0]["message"]


# ---- plain members


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_keeps_the_name_it_came_under(name):
    given = answer({name: "a"}, {name: "b"}, {"content": "c"})
    assert given.reasoning == "ab"
    assert given.turn == [{"role": "assistant", "content": "c", name: "ab"}]


def test_the_same_text_under_both_names_counts_once():
    outcome = told("chat", chunk(reasoning="a", reasoning_content="a"), chunk(reasoning_content="b", reasoning="b"), "[DONE]")
    assert outcome.answer.reasoning == "ab"
    assert of_type(outcome, ReasoningDelta) == [ReasoningDelta("a", 0, 0), ReasoningDelta("b", 0, 0)]
    assert (message(outcome.answer)["reasoning"], message(outcome.answer)["reasoning_content"]) == ("ab", "ab")


def test_runs_of_reasoning_join_without_a_blank_line_in_chat():
    given = answer({"reasoning": "a"}, {"content": "x"}, {"reasoning": "b"})
    assert [type(part).__name__ for part in given.parts] == ["ReasoningPart", "TextPart", "ReasoningPart"]
    assert given.reasoning == "ab"


def test_reasoning_that_is_no_string_is_kept_as_any_other_member():
    outcome = told("chat", chunk(reasoning={"effort": "low"}), "[DONE]")
    assert outcome.answer.reasoning == ""
    assert of_type(outcome, Extra) == [Extra("reasoning", {"effort": "low"}, 0)]


def test_reasoning_that_is_no_string_hides_none_under_the_other_name():
    assert answer({"reasoning_content": ["x"], "reasoning": "why"}).reasoning == "why"


# ---- lists of entries


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("reasoning_details", {"type": "reasoning.text", "text": "why"}),
        ("reasoning_details", {"type": "reasoning.summary", "summary": "why"}),
        ("thinking_blocks", {"type": "thinking", "thinking": "why"}),
    ],
)
def test_entries_give_the_text_where_no_plain_member_came(name, entry):
    outcome = told("chat", chunk(**{name: [entry]}), chunk(content="x"), "[DONE]")
    assert of_type(outcome, ReasoningDelta, TextDelta) == [ReasoningDelta("why", 0, 0), TextDelta("x", 0, 1)]
    assert of_type(outcome, Extra) == [Extra(name, [entry], 0)]
    assert outcome.answer.turn[0][name] == [entry]


@pytest.mark.parametrize("plain", ["reasoning", "reasoning_content"])
def test_entries_beside_a_plain_member_are_not_told_twice(plain):
    assert answer({plain: "why", "reasoning_details": [detail("why")]}, {"reasoning_details": [detail("x")]}).reasoning == "why"
    assert answer({plain: "", "reasoning_details": [detail("why")]}).reasoning == "why"
    assert answer({"reasoning_details": [detail("why")], plain: "why"}).reasoning == "why"


def test_of_two_lists_the_first_is_told():
    assert (
        answer({"reasoning_details": [detail("a")], "thinking_blocks": [{"type": "thinking", "thinking": "a"}]}).reasoning == "a"
    )


def test_signature_and_encrypted_data_belong_to_the_reasoning_part():
    entries = [[detail("why")], [detail(signature="s")], [{"type": "reasoning.encrypted", "index": 1, "data": "cipher"}]]
    given = answer(*({"reasoning_details": each} for each in entries))
    assert given.parts == [ReasoningPart("why", "s", "cipher")]
    assert given.turn[0]["reasoning_details"] == [detail("why", signature="s"), entries[2][0]]


def test_encrypted_data_alone_makes_a_part_without_text():
    given = answer({"reasoning_details": [{"type": "reasoning.encrypted", "data": "cipher"}]})
    assert given.parts == [ReasoningPart("", None, "cipher")]


@pytest.mark.parametrize("value", [None, []])
def test_no_entries_are_nothing(value):
    assert "reasoning_details" not in message(answer({"reasoning_details": value, "content": "x"}))


# ---- the module itself


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        ([detail("a"), detail("b")], [detail("ab")]),
        ([detail("a"), detail("b", index=1)], [detail("a"), detail("b", index=1)]),
        ([detail("a"), detail("b", type="reasoning.summary")], [detail("a"), detail("b", type="reasoning.summary")]),
        ([detail("a", id="1"), detail("b", id="2")], [detail("a", id="1"), detail("b", id="2")]),
        ([detail("a", id="1"), detail("b")], [detail("ab", id="1")]),
        ([detail("a", signature="s"), detail("b")], [detail("a", signature="s"), detail("b")]),
        ([detail("a"), detail(signature="s"), detail(signature=None)], [detail("a", signature="s")]),
        ([detail(data="x"), detail(data="y")], [detail(data="x"), detail(data="y")]),
        ([detail(data="x"), detail(data="x")], [detail(data="x")]),
        ([detail(data=""), detail(data="x")], [detail(data="x")]),
        ([detail("a"), detail(data="x")], [detail("a", data="x")]),
        ([detail(data="x"), detail("a")], [detail("a", data="x")]),
        ([detail("a", signature=""), detail("b")], [detail("ab", signature="")]),
        (["odd", None, detail("a")], [detail("a")]),
    ],
)
def test_an_entry_continues_the_last_one_of_its_type_and_index(pieces, whole):
    entries = Entries("reasoning_details")
    for piece in pieces:
        list(entries.add([piece]))
    assert entries.build() == whole


def test_what_an_entry_says():
    entry = Entry({"text": "", "summary": "s", "signature": "", "data": 7}, ("text", "summary", "thinking"))
    assert (entry.text, entry.signature, entry.encrypted) == ("s", None, None)


# ---- content blocks with their deltas


def block(index, **delta):
    return {"content_blocks": [{"index": index, "delta": delta}]}


def test_thinking_in_content_blocks_is_reasoning_and_their_text_is_not_told_again():
    rows = [
        {"role": "assistant", **block(0, thinking="They ")},
        block(0, thinking="ask"),
        block(0, signature="s"),
        {"content": "Hi", **block(1, text="Hi")},
    ]
    outcome = told("chat", *(chunk(**row) for row in rows), "[DONE]")
    assert of_type(outcome, ReasoningDelta) == [ReasoningDelta("They ", 0, 0), ReasoningDelta("ask", 0, 0)]
    assert outcome.answer.parts[0] == ReasoningPart("They ask", "s")
    assert (outcome.answer.text, outcome.answer.reasoning) == ("Hi", "They ask")
    blocks = [{"index": 0, "delta": {"thinking": "They ask", "signature": "s"}}, {"index": 1, "delta": {"text": "Hi"}}]
    assert outcome.answer.turn == [{"role": "assistant", "content": "Hi", "content_blocks": blocks}]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_beside_a_plain_member_they_are_not_told_twice(name):
    assert answer({**block(0, thinking="a"), name: "a"}, {**block(0, thinking="b"), name: "b"}).reasoning == "ab"


def test_text_alone_in_content_blocks_hides_no_other_reasoning_and_does_not_go_back():
    given = answer({"content": "Hi", **block(0, text="Hi")}, {"reasoning_details": [detail("why")]})
    assert (given.text, given.reasoning) == ("Hi", "why")
    assert "content_blocks" not in given.turn[0]
    assert message(given)["content_blocks"] == [{"index": 0, "delta": {"text": "Hi"}}]


def test_whole_blocks_of_a_snapshot_count_too():
    blocks = [{"type": "thinking", "thinking": "why", "signature": "s"}, {"type": "text", "text": "Hi"}]
    row = {"choices": [{"index": 0, "message": {"content": "Hi", "content_blocks": blocks}, "finish_reason": "stop"}]}
    given = told("chat", row, "[DONE]").answer
    assert (given.text, given.reasoning) == ("Hi", "why")
    assert message(given)["content_blocks"] == blocks
