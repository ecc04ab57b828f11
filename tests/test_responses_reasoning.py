"""Reasoning items: which part a delta adds to, and snapshots that split the same text into other parts."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta

COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def summary(deltas, listed):
    """Each delta under a number of its own, as paragraphs have it; then the item with the parts as ``listed``."""
    rows = [
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": index, "delta": text}
        for index, text in enumerate(deltas)
    ]
    item = {"type": "reasoning", "summary": listed}
    return told("responses", *rows, {"type": "response.output_item.done", "output_index": 0, "item": item}, COMPLETED)


def event(type, **members):
    return {"type": f"response.{type}", "output_index": 0, **members}


def part(text, **more):
    return {"type": "summary_text", "text": text, **more}


@pytest.mark.parametrize(
    ("deltas", "listed"),
    [
        (["a", "b", "c"], [part("abc")]),
        (["a", "b", "c"], [part("ab", note=1), part("c")]),
        (["a", "bc"], [part("a"), part("b"), part("c")]),
    ],
)
def test_the_same_text_in_other_parts_is_taken_as_the_snapshot_has_it(deltas, listed):
    outcome = summary(deltas, listed)
    assert outcome.answer.native["output"][0]["summary"] == listed
    assert outcome.answer.reasoning == "\n\n".join(each["text"] for each in listed)
    assert [event.text.strip() for event in of_type(outcome, ReasoningDelta) if event.text.strip()] == deltas


@pytest.mark.parametrize(("listed", "reasoning"), [([part("xyz")], "xyz\n\nb\n\nc"), ([part("abcd")], "abcd\n\nb\n\nc")])
def test_other_text_is_compared_part_by_part(listed, reasoning):
    assert summary(["a", "b", "c"], listed).answer.reasoning == reasoning


def test_an_empty_list_erases_nothing():
    outcome = summary(["a", "b"], [])
    assert outcome.answer.reasoning == "a\n\nb"
    assert not [event for event in of_type(outcome, Extra) if event.name == "snapshot"]


def test_in_the_full_text_an_index_that_nobody_announced_continues_the_part():
    rows = [event("reasoning_text.delta", content_index=index, delta=text) for index, text in ((7, "a"), (8, "b"), (9, "c"))]
    ended = event("reasoning_text.done", content_index=9, text="abcd")
    outcome = told("responses", event("output_item.added", item={"type": "reasoning"}), *rows, ended, COMPLETED)
    assert outcome.answer.reasoning == "abcd"
    assert [each.text for each in of_type(outcome, ReasoningDelta)] == ["a", "b", "c", "d"]
    assert outcome.answer.native["output"][0]["content"] == [{"type": "reasoning_text", "text": "abcd"}]


@pytest.mark.parametrize("announced", ["content_part", "reasoning_part"])
def test_parts_that_were_announced_are_paragraphs_of_the_full_text(announced):
    rows = [
        row
        for index, text in enumerate(["a", "", "b"])
        for row in (
            event(f"{announced}.added", content_index=index, part={"type": "reasoning_text", "text": ""}),
            event("reasoning_text.delta", content_index=index, delta=text),
        )
    ]
    outcome = told("responses", event("output_item.added", item={"type": "reasoning"}), *rows, COMPLETED)
    assert outcome.answer.reasoning == "a\n\nb"
    assert [each["text"] for each in outcome.answer.native["output"][0]["content"]] == ["a", "", "b"]


def test_parts_that_only_a_snapshot_has_are_paragraphs_of_the_full_text():
    item = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": text} for text in ("ab", "c")]}
    rows = [event("reasoning_text.delta", content_index=3, delta="a"), event("output_item.done", item=item)]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.reasoning == "ab\n\nc"
    assert outcome.answer.native["output"][0]["content"] == item["content"]


def test_a_channel_may_be_one_string():
    item = {"type": "reasoning", "id": "r", "summary": "ab"}
    outcome = told(
        "responses",
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "a"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {}},
    )
    assert outcome.answer.reasoning == "ab"
    assert outcome.answer.native["output"][0]["summary"] == [{"type": "summary_text", "text": "ab"}]
