"""Reasoning items whose snapshot splits the same text into other parts than the deltas did."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, ReasoningDelta

COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def streamed(deltas, listed):
    """One delta a content index, as some servers count, then the item with its own list."""
    rows = [
        {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": index, "delta": text}
        for index, text in enumerate(deltas)
    ]
    item = {"type": "reasoning", "content": listed}
    return told("responses", *rows, {"type": "response.output_item.done", "output_index": 0, "item": item}, COMPLETED)


def part(text, **more):
    return {"type": "reasoning_text", "text": text, **more}


@pytest.mark.parametrize(
    ("deltas", "listed"),
    [
        (["a", "b", "c"], [part("abc")]),
        (["a", "b", "c"], [part("ab", note=1), part("c")]),
    ],
)
def test_the_same_text_in_other_parts_is_taken_as_the_snapshot_has_it(deltas, listed):
    outcome = streamed(deltas, listed)
    assert outcome.answer.native["output"][0]["content"] == listed
    assert outcome.answer.reasoning == "\n\n".join(each["text"] for each in listed)
    assert [event.text.strip() for event in of_type(outcome, ReasoningDelta) if event.text.strip()] == deltas


@pytest.mark.parametrize(("listed", "reasoning"), [([part("xyz")], "xyz\n\nb\n\nc"), ([part("abcd")], "abcd\n\nb\n\nc")])
def test_other_text_is_compared_part_by_part(listed, reasoning):
    assert streamed(["a", "b", "c"], listed).answer.reasoning == reasoning


def test_an_empty_list_erases_nothing():
    outcome = streamed(["a", "b"], [])
    assert outcome.answer.reasoning == "a\n\nb"
    assert not [event for event in of_type(outcome, Extra) if event.name == "snapshot"]


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
