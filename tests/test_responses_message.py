"""Content parts of a message, and paragraphs of reasoning: which one an event speaks of."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, RefusalDelta, RefusalPart, TextDelta, TextPart


def event(name, /, **fields):
    return {"type": f"response.{name}", **fields}


def ended(*output):
    return event("completed", response={"id": "r", "status": "completed", "output": list(output)})


def delta(text, index=0, name="output_text", **more):
    return event(f"{name}.delta", output_index=0, content_index=index, delta=text, **more)


def done(text, index=0, name="output_text", member="text", **more):
    return event(f"{name}.done", output_index=0, content_index=index, **{member: text}, **more)


def part_done(text, index=0, kind="output_text", member="text"):
    return event("content_part.done", output_index=0, content_index=index, part={"type": kind, member: text})


def part_added(index=0, kind="output_text", member="text"):
    return event("content_part.added", output_index=0, content_index=index, part={"type": kind, member: ""})


def texts(*contents):
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": each} for each in contents]}


ADDED = event("output_item.added", output_index=0, item={"id": "i", "type": "message", "role": "assistant", "content": []})

ENDINGS = {
    "empty": [ended()],
    "the item": [event("output_item.done", output_index=0, item={"id": "i", **texts("First.", "Second.")}), ended()],
    "the response": [ended({"id": "i", **texts("First.", "Second.")})],
    "another id": [ended({"id": "j", **texts("First.", "Second.")})],
    "one part": [ended({"id": "i", **texts("First.Second.")})],
    "one string": [ended({"type": "message", "role": "assistant", "content": "First.Second."})],
}


def without_index(rows):
    return [{name: value for name, value in row.items() if name != "content_index"} for row in rows]


TWO_PARTS = {
    "deltas and done": [delta("First."), done("First."), delta("Sec", 1), delta("ond.", 1), done("Second.", 1)],
    "done alone": [done("First."), done("Second.", 1)],
    "the second by its done": [delta("First."), done("First."), done("Second.", 1)],
    "both of them": [
        *(delta("First."), done("First."), part_done("First.")),
        *(delta("Second.", 1), done("Second.", 1), part_done("Second.", 1)),
    ],
    "their ends last": [
        *(delta("First."), done("First."), delta("Second.", 1), done("Second.", 1)),
        *(part_done("First."), part_done("Second.", 1)),
    ],
    "parts alone": [part_done("First."), part_done("Second.", 1)],
    "the second by its part": [delta("First."), done("First."), part_done("Second.", 1)],
    "one index": [delta("First."), done("First."), delta("Second."), done("Second.")],
    "one index, announced": [
        *(part_added(), delta("First."), done("First."), part_done("First.")),
        *(part_added(), delta("Second."), done("Second."), part_done("Second.")),
    ],
    "half of it announced": [part_added(), delta("First."), done("First."), delta("Second.", 1), done("Second.", 1)],
    "another item_id each": [
        *(delta("First.", item_id="a"), done("First.", item_id="b"), delta("Second.", 1, item_id="c")),
        done("Second.", 1, item_id="d"),
    ],
    "empty deltas behind": [delta("First."), done("First."), delta("", 0), delta("Second.", 1), done("Second.", 1), delta("", 1)],
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "not indexed"])
@pytest.mark.parametrize("added", [[], [ADDED]], ids=["unannounced", "announced"])
@pytest.mark.parametrize("rows", TWO_PARTS)
def test_two_parts_that_nobody_announced_stay_two(rows, added, indexed, ending):
    if rows == "their ends last" and not indexed:
        return  # nothing says whose ends those are
    rows = TWO_PARTS[rows] if indexed else without_index(TWO_PARTS[rows])
    outcome = told("responses", *added, *rows, *ENDINGS[ending])
    assert outcome.answer.text == "First.Second."
    assert outcome.answer.parts == [TextPart("First."), TextPart("Second.")]
    assert "".join(each.text for each in of_type(outcome, TextDelta)) == "First.Second."
    assert not of_type(outcome, Extra)
    [item] = outcome.answer.native["output"]
    assert "".join(each["text"] for each in item["content"]) == "First.Second."


def test_refusals_likewise():
    rows = [delta("No.", 0, "refusal"), done("No.", 0, "refusal", "refusal"), delta("Never.", 1, "refusal")]
    outcome = told("responses", *rows, done("Never.", 1, "refusal", "refusal"), ended())
    assert outcome.answer.parts == [RefusalPart("No."), RefusalPart("Never.")]


def test_a_text_between_refusals_is_a_part_of_its_own():
    rows = [delta("No.", 0, "refusal"), done("No.", 0, "refusal", "refusal"), delta("a", 1), done("a", 1)]
    assert told("responses", *rows, ended()).answer.parts == [RefusalPart("No."), TextPart("a")]


@pytest.mark.parametrize("final", [0, 3, 4])
def test_an_index_that_grows_with_every_delta_is_one_part_to_its_end(final):
    rows = [delta("a", 2), delta("b", 3), done("ab", final), part_done("ab", final)]
    assert told("responses", *rows, ended()).answer.parts == [TextPart("ab")]


def test_annotations_behind_a_parts_done_are_the_parts():
    note = event("output_text.annotation.added", output_index=0, content_index=0, annotation={"type": "url"})
    outcome = told("responses", delta("a"), done("a"), note, delta("b", 1), done("b", 1), ended())
    assert [part.get("annotations") for part in outcome.answer.native["output"][0]["content"]] == [[{"type": "url"}], None]


@pytest.mark.parametrize("indexes", [(0, 1), (None, None)])
@pytest.mark.parametrize("end", ["reasoning_text.done", "reasoning.done"])
@pytest.mark.parametrize("part", [True, False])
def test_two_paragraphs_of_reasoning_that_nobody_announced_stay_two(indexes, end, part):
    rows = []
    for index, text in zip(indexes, ("First.", "Second."), strict=True):
        rows += [delta(text, index, "reasoning_text"), event(end, output_index=0, content_index=index, text=text)]
        rows += [part_done(text, index, "reasoning_text")] if part else []
    assert told("responses", *rows, ended()).answer.reasoning == "First.\n\nSecond."


def test_so_do_those_of_a_summary():
    rows = []
    for text in ("First.", "Second."):
        rows.append(event("reasoning_summary_part.added", output_index=0, part={"type": "summary_text", "text": ""}))
        rows.append(event("reasoning_summary_text.delta", output_index=0, delta=text))
        rows.append(event("reasoning_summary_text.done", output_index=0, text=text))
        rows.append(event("reasoning_summary_part.done", output_index=0, part={"type": "summary_text", "text": text}))
    unannounced = [row for row in rows if not row["type"].endswith("added")]
    for each in (rows, unannounced):
        outcome = told("responses", *each, ended())
        assert outcome.answer.reasoning == "First.\n\nSecond."
        assert [part["text"] for part in outcome.answer.native["output"][0]["summary"]] == ["First.", "Second."]


# ---- a snapshot with the same text in other parts


def test_a_snapshot_may_split_the_text_anew():
    outcome = told("responses", delta("First.Second."), ended({"id": "i", **texts("First.", "Second.")}))
    assert (outcome.answer.text, outcome.answer.parts) == ("First.Second.", [TextPart("First.Second.")])
    assert [part["text"] for part in outcome.answer.native["output"][0]["content"]] == ["First.", "Second."]


def test_what_it_has_beyond_the_text_is_told():
    rows = [delta("First."), done("First."), delta("Sec", 1)]
    item = {**texts("First.Second."), "content": [{"type": "output_text", "text": "First.Second.", "annotations": [{"n": 1}]}]}
    outcome = told("responses", *rows, ended(item))
    assert outcome.answer.text == "First.Second."
    assert of_type(outcome, TextDelta)[-1] == TextDelta("ond.", 0, 1)
    assert of_type(outcome, Extra) == [Extra("annotations", [{"n": 1}], 0, 1)]
    assert outcome.answer.native["output"][0]["content"] == item["content"]


def test_parts_that_contradict_are_taken_as_they_are():
    outcome = told("responses", delta("x"), ended(texts("First.", "Second.")))
    assert outcome.answer.text == "First.Second."
    assert of_type(outcome, Extra) == [Extra("snapshot", "First.", 0, 0)]


# ---- a delta that does not say its kind


@pytest.mark.parametrize("value", ["Hi", {"text": "Hi"}, {"type": "output_text", "text": "Hi"}])
def test_a_delta_of_a_part_is_text(value):
    rows = [event("content_part.delta", output_index=0, content_index=0, delta=value)]
    for before in ([], [ADDED], [ADDED, part_added()]):
        outcome = told("responses", *before, *rows, ended())
        assert (outcome.answer.text, of_type(outcome, TextDelta)) == ("Hi", [TextDelta("Hi", 0, 0)])
    assert told("responses", *rows, *rows, done("HiHi"), ended(texts("HiHi"))).answer.text == "HiHi"


def test_or_what_the_part_at_its_index_is():
    row = event("content_part.delta", output_index=0, content_index=0, delta="No.")
    outcome = told("responses", part_added(0, "refusal", "refusal"), row, ended())
    assert of_type(outcome, RefusalDelta) == [RefusalDelta("No.", 0, 0)]
    thought = event("output_item.added", output_index=0, item={"type": "reasoning", "summary": []})
    assert told("responses", thought, row, ended()).answer.reasoning == "No."


@pytest.mark.parametrize("value", [7, {"annotations": []}, ["x"], None, {"text": 1}])
def test_one_without_a_text_is_kept(value):
    row = event("content_part.delta", output_index=0, content_index=0, delta=value)
    outcome = told("responses", delta("Hi"), row, ended())
    assert (outcome.answer.text, outcome.answer.extra) == ("Hi", {row["type"]: [row]})
