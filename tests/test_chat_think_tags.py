"""Think tags in content: the splitter alone, cut everywhere, then what a chat stream makes of it."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta, ReasoningPart, TextDelta, TextPart, ToolCallStarted
from sse_dialects.dialects.chat.think_tags import MEMBER, ORPHAN, REASONING, TAGS, TEXT, ThinkTags, Thoughts

CASES = [
    ("plain", [(TEXT, "plain")]),
    ("<think>why</think>so", [(REASONING, "why"), (TEXT, "so")]),
    ("a<think>b</think>c<think>d</think>e", [(TEXT, "a"), (REASONING, "b"), (TEXT, "c"), (REASONING, "d"), (TEXT, "e")]),
    ("<think></think>so", [(TEXT, "so")]),
    ("<think>open", [(REASONING, "open")]),
    ("<think>a<think>b</think>c", [(REASONING, "a<think>b"), (TEXT, "c")]),
    ("why</think>so", [(TEXT, "why"), (ORPHAN, ""), (TEXT, "so")]),
    ("</think></think>so", [(ORPHAN, ""), (ORPHAN, ""), (TEXT, "so")]),
    ("a < b <thin> </thinking", [(TEXT, "a < b <thin> </thinking")]),
    ("<<think>x</</think>y", [(TEXT, "<"), (REASONING, "x</"), (TEXT, "y")]),
    ("ends <thi", [(TEXT, "ends <thi")]),
    ("<think>ends </thin", [(REASONING, "ends </thin")]),
]


def split(pieces):
    tags, found = ThinkTags(), []
    for piece in pieces:
        found += tags.split(piece)
    return merge(found + tags.flush())


def merge(found):
    """Runs of one kind as one piece."""
    runs = []
    for kind, text in found:
        if runs and runs[-1][0] == kind != ORPHAN:
            runs[-1] = (kind, runs[-1][1] + text)
        else:
            runs.append((kind, text))
    return runs


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_tags_count_however_the_text_is_cut(text, expected):
    assert split([text]) == expected
    assert split(text) == expected
    for cut in range(len(text)):
        assert split([text[:cut], text[cut:]]) == expected


def test_a_tag_that_may_have_begun_is_held_back_until_it_is_decided():
    tags = ThinkTags()
    assert tags.split("a<thi") == [(TEXT, "a")]
    assert tags.split("ng") == [(TEXT, "<thing")]
    assert tags.split("<") == []
    assert tags.flush() == [(TEXT, "<")]
    assert tags.flush() == []


def test_no_more_is_held_back_than_the_beginning_of_a_tag():
    tags = ThinkTags()
    tags.split("<think>")
    assert tags.split("<think") == [(REASONING, "<think")]
    assert tags.split("</think") == []


# ---- in a stream


def chunk(content=None, **fields):
    delta = {"content": content, **fields}
    return {"choices": [{"index": 0, "delta": delta}]}


def thinking(*pieces, think_tags=True):
    return told("chat", *map(chunk, pieces), "[DONE]", think_tags=think_tags)


def test_a_block_becomes_reasoning_but_native_and_turn_stay_as_sent():
    outcome = thinking("<th", "ink>why</thi", "nk>", "so")
    assert outcome.answer.parts == [ReasoningPart("why"), TextPart("so")]
    assert of_type(outcome, ReasoningDelta, TextDelta) == [ReasoningDelta("why", 0, 0), TextDelta("so", 0, 1)]
    assert outcome.answer.native["choices"][0]["message"]["content"] == "<think>why</think>so"
    assert outcome.answer.turn[0]["content"] == "<think>why</think>so"


def test_without_the_switch_tags_are_text():
    assert thinking("<think>why</think>so", think_tags=False).answer.text == "<think>why</think>so"


@pytest.mark.parametrize(("text", "parts"), [("<think>why", [ReasoningPart("why")]), ("so <thi", [TextPart("so <thi")])])
def test_what_is_open_at_the_end_is_flushed(text, parts):
    assert thinking(*text).answer.parts == parts


def test_after_an_orphan_closing_tag_the_answer_moves_what_came_before_it():
    """Prompt templates open the block before the stream begins. Events stay as given."""
    outcome = thinking("why ", "so</think>", "text")
    assert [each.text for each in of_type(outcome, TextDelta)] == ["why ", "so", "text"]
    assert of_type(outcome, Extra) == [Extra("think_tags", {"moved_to_reasoning": 6}, 0)]
    assert outcome.answer.parts == [ReasoningPart("why so"), TextPart("text")]
    assert outcome.answer.turn[0]["content"] == "why so</think>text"


def test_an_orphan_moves_text_alone_and_each_only_once():
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    rows = [chunk("a"), chunk(tool_calls=[call]), chunk("b</think>"), chunk("c</think>d")]
    outcome = told("chat", *rows, "[DONE]", think_tags=True)
    assert [each.value["moved_to_reasoning"] for each in of_type(outcome, Extra)] == [2, 1]
    assert [type(part).__name__ for part in outcome.answer.parts] == [
        "ReasoningPart",
        "ToolCall",
        "ReasoningPart",
        "ReasoningPart",
        "TextPart",
    ]
    assert (outcome.answer.reasoning, outcome.answer.text) == ("abc", "d")
    assert of_type(outcome, ToolCallStarted)


def test_half_a_pair_waits_before_the_tags_are_looked_for():
    outcome = thinking("<think>\ud83d", "\ude00</think>\ud83d")
    assert outcome.answer.parts == [ReasoningPart("\U0001f600"), TextPart("\ufffd")]
    assert outcome.answer.turn[0]["content"] == "<think>\U0001f600</think>\ufffd"


# ---- the same reasoning in a member


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([(TAGS, "a"), (TAGS, "b")], "ab"),
        ([(MEMBER, "ab"), (TAGS, "a"), (TAGS, "b")], "ab"),
        ([(TAGS, "ab"), (MEMBER, "a"), (MEMBER, "bc")], "abc"),
        ([(MEMBER, "a"), (TAGS, "a b"), (MEMBER, " b c"), (TAGS, " c")], "a b c"),
        ([(TAGS, "\n"), (MEMBER, "a"), (TAGS, "a\n"), (TAGS, "\n")], "a"),
        ([(MEMBER, "a "), (TAGS, "\na"), (TAGS, " "), (TAGS, " b")], "a b"),
        ([(MEMBER, "a"), (TAGS, "a"), (TAGS, "\n\n"), (TAGS, "b"), (MEMBER, "\n\nb")], "a\n\nb"),
        ([(TAGS, " "), (TAGS, "a")], " a"),
        ([(MEMBER, "x"), (TAGS, "y"), (TAGS, "x"), (MEMBER, "y")], "xyxy"),
        ([(MEMBER, "the long way"), (TAGS, "the "), (TAGS, "short one")], "the long waythe short one"),
        ([(MEMBER, "a" * 3000), (MEMBER, "b"), (TAGS, "a" * 2999), (TAGS, "abc")], "a" * 3000 + "bc"),
    ],
)
def test_what_one_channel_has_said_the_other_does_not_add(pieces, expected):
    thoughts = Thoughts()
    assert "".join(thoughts.new(channel, text) for channel, text in pieces) == expected


def both(*rows, **more):
    return told("chat", *(chunk(**row) for row in rows), "[DONE]", think_tags=True, **more)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
@pytest.mark.parametrize(
    "rows",
    [
        [{"content": "<think>hm", "MEMBER": "hm"}, {"content": " so</think>x", "MEMBER": " so"}],
        [{"MEMBER": "hm so"}, {"content": "<think>\nhm so\n</think>\n\nx"}],
        [{"content": "<thi"}, {"content": "nk>hm so</th"}, {"content": "ink>x"}, {"MEMBER": "hm"}, {"MEMBER": " so"}],
        [{"MEMBER": "hm"}, {"content": "hm so</think>x", "MEMBER": " so"}],
    ],
)
def test_one_thought_in_two_channels_counts_once(name, rows):
    rows = [{name if key == "MEMBER" else key: text for key, text in row.items()} for row in rows]
    outcome = both(*rows)
    assert outcome.answer.reasoning.strip() == "hm so"
    assert outcome.answer.text.strip() == "x"
    given = outcome.answer.turn[0]
    assert given[name] == "hm so"
    assert "</think>" in given["content"]


def test_so_it_does_in_a_list_of_entries_and_in_each_choice():
    details = [{"type": "reasoning.text", "text": "hm"}]
    outcome = both({"reasoning_details": details}, {"content": "<think>hm</think>x"})
    assert (outcome.answer.reasoning, outcome.answer.text) == ("hm", "x")
    rows = [
        {"choices": [{"index": 1, "delta": {"reasoning": "hm"}}, {"index": 0, "delta": {"content": "<think>ha</think>x"}}]},
        {"choices": [{"index": 1, "delta": {"content": "<think>hm</think>y"}}]},
    ]
    answer = told("chat", *rows, "[DONE]", think_tags=True).answer
    assert [(choice.reasoning, choice.text) for choice in answer.choices] == [("ha", "x"), ("hm", "y")]


def test_two_thoughts_both_count_and_a_half_of_a_pair_waits():
    assert both({"reasoning": "first"}, {"content": "<think>second</think>x"}).answer.reasoning == "firstsecond"
    outcome = both(
        {"reasoning": "a\ud83d"}, {"reasoning": "\ude00"}, {"content": "<think>a\ud83d"}, {"content": "\ude00</think>"}
    )
    assert outcome.answer.reasoning == "a\U0001f600"
    assert both({"reasoning": "a\ud83d"}).answer.reasoning == "a\ufffd"


def test_without_the_switch_the_tags_are_text_beside_the_member():
    outcome = told("chat", chunk("<think>hm</think>x", reasoning="hm"), "[DONE]")
    assert (outcome.answer.reasoning, outcome.answer.text) == ("hm", "<think>hm</think>x")
