"""The table of events between a response's beginning and its end: each of them alone, missing, or in the wrong place."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, MalformedStreamError, OtherPart, RefusalDelta, TextDelta, ToolCallDelta, ToolCallStarted
from sse_dialects.dialects.responses.events import EVENTS

COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def event(name, /, **fields):
    return {"type": f"response.{name}", "output_index": 0, **fields}


def answer(*events):
    return told("responses", *events, COMPLETED).answer


# ---- deltas only, done only


@pytest.mark.parametrize(
    ("member", "events"),
    [
        ("text", [event("output_text.delta", delta="x"), event("output_text.delta", delta="y")]),
        ("text", [event("output_text.delta", delta={"text": "x"}), event("output_text.delta", delta={"text": "y", "n": 1})]),
        ("text", [event("output_text.done", text="xy")]),
        ("text", [event("content_part.done", part={"type": "output_text", "text": "xy"})]),
        ("text", [event("content_part.added", part={"type": "output_text", "text": "xy"})]),
        ("refusal", [event("refusal.delta", delta="x"), event("refusal.delta", delta="y")]),
        ("refusal", [event("refusal.done", refusal="xy")]),
        ("reasoning", [event("reasoning_text.delta", delta="x"), event("reasoning_text.delta", delta="y")]),
        ("reasoning", [event("reasoning_text.done", text="xy")]),
        ("reasoning", [event("content_part.added", part={"type": "reasoning_text", "text": "xy"})]),
        ("reasoning", [event("content_part.done", part={"type": "reasoning_text", "text": "xy"})]),
        ("reasoning", [event("reasoning_summary_text.delta", delta="xy")]),
        ("reasoning", [event("reasoning_summary_text.done", text="xy")]),
        ("reasoning", [event("reasoning_summary_part.added", part={"type": "summary_text", "text": "xy"})]),
        ("reasoning", [event("reasoning_summary_part.done", part={"type": "summary_text", "text": "xy"})]),
    ],
)
def test_whatever_arrived_is_used(member, events):
    assert getattr(answer(*events), member) == "xy"


OPENED = event("output_item.added", item={"type": "reasoning", "id": "rs"})


@pytest.mark.parametrize("named", [{"item_id": "rs"}, {"item_id": "rs", "output_index": None}])
def test_a_part_of_a_reasoning_item_is_reasoning_whatever_type_it_says(named):
    part = event("content_part.done", part={"type": "text", "text": "why"}) | named
    given = answer(OPENED, part)
    assert (given.reasoning, given.text) == ("why", "")
    assert len(given.native["output"]) == 1


@pytest.mark.parametrize("named", [{"item_id": "other"}, {}])
def test_a_part_with_text_of_another_item_at_its_index_is_not(named):
    given = answer(OPENED, event("content_part.done", part={"type": "output_text", "text": "x"}, **named))
    assert (given.reasoning, given.text) == ("", "x")


def test_an_empty_part_at_the_index_of_reasoning_opens_no_message():
    given = answer(
        OPENED, event("content_part.added", part={"type": "text", "text": ""}), event("reasoning_text.delta", delta="why")
    )
    assert given.reasoning == "why"
    assert [item["type"] for item in given.native["output"]] == ["reasoning"]


def test_what_is_guessed_from_a_delta_is_the_assistants():
    given = answer(event("output_text.delta", delta="x"), event("refusal.delta", delta="no", output_index=1))
    assert [(item["type"], item["role"]) for item in given.native["output"]] == [("message", "assistant")] * 2


@pytest.mark.parametrize(
    "events",
    [
        [event("function_call_arguments.delta", delta="{}", name="f", call_id="c")],
        [event("function_call_arguments.done", arguments="{}", name="f", call_id="c")],
        [event("custom_tool_call_input.delta", delta="{}", name="f", call_id="c")],
        [
            event("custom_tool_call_input.delta", delta="{", name="f", call_id="c"),
            event("custom_tool_call_input.done", input="{}"),
        ],
    ],
)
def test_a_call_is_made_of_whatever_arrived(events):
    [call] = answer(*events).tool_calls
    assert (call.id, call.name, call.arguments, call.complete) == ("c", "f", "{}", True)


@pytest.mark.parametrize("stem", ["function_call_arguments", "custom_tool_call_input"])
def test_a_done_event_without_its_text_erases_nothing(stem):
    [call] = answer(event(f"{stem}.delta", delta="x", name="f"), event(f"{stem}.done")).tool_calls
    assert call.arguments == "x"


@pytest.mark.parametrize(
    "row",
    [
        event("function_call_arguments.done", arguments={"a": "ä"}, name="f", call_id="c"),
        event("output_item.done", item={"type": "function_call", "name": "f", "call_id": "c", "arguments": {"a": "ä"}}),
    ],
)
def test_arguments_sent_as_an_object_are_dumped_not_lost(row):
    outcome = told("responses", row, COMPLETED)
    assert outcome.answer.tool_calls[0].arguments == '{"a":"ä"}'
    assert of_type(outcome, ToolCallDelta) == [ToolCallDelta('{"a":"ä"}', 0, 0)]


def test_an_empty_object_for_arguments_to_come_is_nothing():
    opening = event("output_item.added", item={"type": "function_call", "name": "f", "call_id": "c", "arguments": {}})
    [call] = answer(opening, event("function_call_arguments.delta", delta="[1]")).tool_calls
    assert call.arguments == "[1]"


def test_a_done_event_may_be_the_first_to_name_its_call():
    outcome = told(
        "responses",
        event("function_call_arguments.delta", delta="{"),
        event("function_call_arguments.done", arguments="{}", name="f", call_id="c"),
        COMPLETED,
    )
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("c", "f", "function", 0, 0),
        ToolCallDelta("{", 0, 0),
        ToolCallDelta("}", 0, 0),
    ]


def test_a_stream_resumed_in_the_middle_of_an_item_is_survived():
    outcome = told(
        "responses", event("output_text.delta", delta="rest", item_id="m", content_index=2, sequence_number=40), COMPLETED
    )
    assert outcome.answer.text == "rest"


def test_gaps_in_sequence_number_are_survived():
    events = [event("output_text.delta", delta=text, sequence_number=number) for text, number in (("a", 3), ("b", 90), ("c", 4))]
    assert answer(*events).text == "abc"


# ---- items


@pytest.mark.parametrize("name", ["output_item.added", "output_item.done"])
@pytest.mark.parametrize("fields", [{}, {"item": None}, {"item": {}}], ids=["missing", "null", "empty"])
def test_an_item_event_without_an_item_is_nothing(name, fields):
    assert answer(event(name, **fields)).native["output"] == []


# ---- messages


def test_a_part_announced_twice_is_one_part():
    part = {"type": "output_text", "text": ""}
    events = [event("content_part.added", content_index=0, part=part)] * 2
    assert len(answer(*events, event("output_text.delta", content_index=0, delta="x")).parts) == 1


def test_announced_parts_of_one_type_stay_apart_and_indexes_name_them():
    parts = [event("content_part.added", content_index=index, part={"type": "output_text", "text": ""}) for index in (0, 1)]
    deltas = [event("output_text.delta", content_index=index, delta=text) for index, text in ((0, "a"), (1, "b"), (0, "A"))]
    assert [part.text for part in answer(*parts, *deltas).parts] == ["aA", "b"]


def test_refusals_have_events_of_their_own():
    outcome = told("responses", event("refusal.delta", delta="No"), event("refusal.done", refusal="No."), COMPLETED)
    assert of_type(outcome, RefusalDelta) == [RefusalDelta("No", 0, 0), RefusalDelta(".", 0, 0)]


def test_logprobs_come_with_deltas_or_with_the_done_event():
    first, second = {"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -0.2}
    outcome = told(
        "responses",
        event("output_text.delta", delta="a", logprobs=[first]),
        event("output_text.delta", delta="b", logprobs=[]),
        event("output_text.done", text="ab", logprobs=[first, second]),
        COMPLETED,
    )
    assert of_type(outcome, Extra) == [Extra("logprobs", [first], 0, 0), Extra("logprobs", [second], 0, 0)]
    assert outcome.answer.extra == {"logprobs": [first, second]}
    assert outcome.answer.native["output"][0]["content"][0]["logprobs"] == [first, second]


def test_a_done_event_without_text_gives_its_logprobs():
    outcome = told(
        "responses", event("output_text.delta", delta="a"), event("output_text.done", logprobs=[{"token": "a"}]), COMPLETED
    )
    assert outcome.answer.extra == {"logprobs": [{"token": "a"}]}


def test_annotations_are_told_with_their_part():
    note = {"type": "url_citation", "url": "https://x.test"}
    outcome = told(
        "responses", event("output_text.delta", delta="x"), event("output_text.annotation.added", annotation=note), COMPLETED
    )
    assert of_type(outcome, TextDelta, Extra) == [TextDelta("x", 0, 0), Extra("annotations", [note], 0, 0)]


# ---- reasoning


def test_a_reasoning_part_announced_empty_leaves_the_text_to_the_deltas():
    events = [
        event("content_part.added", part={"type": "reasoning_text", "text": ""}, content_index=0),
        event("reasoning_text.delta", delta="why", content_index=0),
        event("content_part.done", part={"type": "reasoning_text", "text": "why"}, content_index=0),
    ]
    assert answer(*events).reasoning == "why"


def test_a_summary_part_announced_empty_says_that_there_is_a_summary():
    events = [event("output_item.added", item={"type": "reasoning"}), event("reasoning_summary_part.added", part={"text": ""})]
    assert answer(*events).native["output"] == [{"type": "reasoning", "summary": []}]


# ---- hosted tools

WORK = {
    "web_search_call": ["in_progress", "searching", "completed"],
    "file_search_call": ["in_progress", "searching", "completed"],
    "code_interpreter_call": ["in_progress", "interpreting", "completed"],
    "image_generation_call": ["in_progress", "generating", "completed"],
    "mcp_call": ["in_progress", "completed", "failed"],
    "computer_call": ["in_progress", "completed"],
}


@pytest.mark.parametrize(("kind", "status"), [(kind, status) for kind, statuses in WORK.items() for status in statuses])
@pytest.mark.parametrize(
    "where", [{"output_index": 0}, {"output_index": None, "item_id": "i"}, {"output_index": 0, "item_id": "j"}]
)
def test_the_status_of_a_hosted_tool_stands_in_its_item(kind, status, where):
    added = event("output_item.added", item={"type": kind, "id": "i", "status": "new"})
    row = event(f"{kind}.{status}", **where)
    outcome = told("responses", added, row)
    assert outcome.partial.native["output"] == [{"type": kind, "id": "i", "status": status}]
    assert of_type(outcome, Extra)[-1] == Extra(row["type"], [row], 0, 0)
    final = {"type": kind, "id": "i", "status": "final"}
    ending = {**COMPLETED, "response": {**COMPLETED["response"], "output": [final]}}
    assert told("responses", added, row, ending).answer.native["output"] == [final]


@pytest.mark.parametrize("name", ["mcp_list_tools.in_progress", "image_generation_call.partial_image", "web_search_call.new"])
def test_no_other_event_of_a_hosted_tool_changes_its_item(name):
    item = {"type": name.partition(".")[0], "id": "i"}
    outcome = told("responses", event("output_item.added", item=item), event(name))
    assert outcome.partial.native["output"] == [item]


def test_a_status_of_another_kind_of_item_or_of_none_changes_nothing():
    item = {"type": "web_search_call", "id": "i", "status": "new"}
    row = event("file_search_call.searching")
    assert told("responses", event("output_item.added", item=item), row).partial.native["output"] == [item]
    assert told("responses", row).partial.native["output"] == []


@pytest.mark.parametrize(
    ("stem", "member", "kind"),
    [("mcp_call_arguments", "arguments", "mcp_call"), ("code_interpreter_call_code", "code", "code_interpreter_call")],
)
def test_what_a_hosted_tool_is_called_with_is_kept_and_told_under_the_events_type(stem, member, kind):
    outcome = told(
        "responses", event(f"{stem}.delta", delta="x", item_id="i"), event(f"{stem}.done", **{member: "xy"}), COMPLETED
    )
    assert outcome.answer.parts == [OtherPart({"type": kind, member: "xy"})]
    assert of_type(outcome, Extra) == [
        Extra(f"response.{stem}.delta", [{"delta": "x"}], 0, 0),
        Extra(f"response.{stem}.done", [{member: "xy"}], 0, 0),
    ]


def test_half_a_pair_in_a_hosted_tools_input_is_settled_at_once():
    outcome = told("responses", event("mcp_call_arguments.delta", delta="a\ud83d"), COMPLETED)
    assert outcome.answer.native["output"] == [{"type": "mcp_call", "arguments": "a\ufffd"}]


# ---- shapes


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_a_bare_event_of_every_type_is_survived(name):
    assert told("responses", {"type": name}, COMPLETED).status == "complete"


@pytest.mark.parametrize(
    "payload",
    [
        event("output_text.delta", delta={"words": "x"}),
        event("refusal.done", refusal=1),
        event("reasoning_text.delta", delta=["x"]),
        event("reasoning_summary_text.done", text=1.5),
        event("reasoning_summary_part.done", part="x"),
        event("function_call_arguments.delta", delta=True),
        event("mcp_call_arguments.done", arguments=7),
        event("output_item.added", item="x"),
        event("content_part.added", part=[1]),
    ],
    ids=lambda payload: payload["type"],
)
def test_another_shape_than_the_types_is_malformed(payload):
    outcome = told("responses", event("output_text.delta", delta="kept"), payload, COMPLETED)
    assert isinstance(outcome.error, MalformedStreamError)
    assert outcome.error.frame_number == 2
    assert outcome.partial.text == "kept"


@pytest.mark.parametrize("item_id", [[1], {"a": 1}])
def test_a_part_whose_item_id_is_no_word_is_of_no_reasoning(item_id):
    part = {"type": "output_text", "text": "Hi"}
    opened = event("output_item.added", item={"type": "reasoning", "id": "x"})
    assert answer(opened, event("content_part.added", item_id=item_id, content_index=0, part=part)).text == "Hi"
