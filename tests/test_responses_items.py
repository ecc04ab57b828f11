"""Output items of a response, each kind for itself: what snapshots and deltas leave in it, natively and as parts."""

from __future__ import annotations

from collections import deque

import pytest
from told import of_type, told

from sse_dialects import (
    Extra,
    Limits,
    MalformedStreamError,
    OtherPart,
    ReasoningDelta,
    ReasoningPart,
    RefusalPart,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from sse_dialects.dialects.emit import Emitter
from sse_dialects.dialects.responses.items import CallItem, OtherItem, names_in
from sse_dialects.dialects.responses.message import MessageItem
from sse_dialects.dialects.responses.output import Output
from sse_dialects.dialects.responses.reasoning import ReasoningItem

COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def added(**item):
    return {"type": "response.output_item.added", "output_index": 0, "item": item}


def done(**item):
    return {"type": "response.output_item.done", "output_index": 0, "item": item}


def event(name, /, **fields):
    return {"type": f"response.{name}", "output_index": 0, **fields}


class Opened:
    """An item of an output."""

    def __init__(self, **fields):
        output = Output(Emitter(Limits(), deque()), {})
        self.parts = output.parts
        self.item = output.added(0, fields)

    def update(self, **fields):
        self.item.update(fields)


# ---- opening


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("message", MessageItem),
        ("reasoning", ReasoningItem),
        ("function_call", CallItem),
        ("custom_tool_call", CallItem),
        ("web_search_call", OtherItem),
        ("shell_call", OtherItem),
        ("apply_patch_call", OtherItem),
        ("computer_call", OtherItem),
        ("tool_search_call", OtherItem),
        ("mcp_call", OtherItem),
        ("some_new_item", OtherItem),
    ],
)
def test_calls_for_the_client_become_tool_calls_and_all_that_is_hosted_or_new_is_kept(kind, expected):
    assert type(Opened(type=kind).item) is expected


def test_only_messages_open_without_a_part():
    assert [len(Opened(type=kind).parts) for kind in ("message", "reasoning", "function_call", "new")] == [0, 1, 1, 1]


def test_an_item_goes_by_its_id_and_its_call_id():
    assert names_in(Opened(type="function_call", id="i", call_id="c").item.fields) == ["i", "c"]
    assert names_in(Opened(type="function_call", id="", call_id=7).item.fields) == []


def test_members_that_say_something_replace_and_empty_ones_erase_nothing():
    made = Opened(type="message", a=1, b="x", c=["x"], d={"x": 1})
    made.update(type="message", a=2, b="", c=[], d={}, e=None)
    made.update(type="message", a=None)
    assert made.item.native() == {"type": "message", "a": 2, "b": "x", "c": ["x"], "d": {"x": 1}, "e": None, "content": []}


# ---- messages


def test_text_parts_join_without_a_separator_and_keep_their_places():
    outcome = told(
        "responses",
        added(type="message", role="assistant", content=[]),
        event("content_part.added", content_index=0, part={"type": "output_text", "text": "", "annotations": []}),
        event("output_text.delta", content_index=0, delta="one"),
        event("content_part.added", content_index=1, part={"type": "output_text", "text": ""}),
        event("output_text.delta", content_index=1, delta="two"),
        COMPLETED,
    )
    assert outcome.answer.text == "onetwo"
    assert outcome.answer.parts == [TextPart("one"), TextPart("two")]
    assert [part["text"] for part in outcome.answer.native["output"][0]["content"]] == ["one", "two"]
    assert outcome.answer.native["output"][0]["content"][0]["annotations"] == []


def test_an_index_that_nobody_announced_continues_the_open_part():
    """Some servers count the index up at every delta."""
    rows = [event("output_text.delta", content_index=index, delta=text) for index, text in enumerate("abc")]
    again = event("output_text.delta", content_index=1, delta="!")
    assert told("responses", *rows, again, COMPLETED).answer.parts == [TextPart("abc!")]


def test_a_part_that_was_closed_is_not_continued():
    outcome = told(
        "responses",
        event("output_text.delta", content_index=0, delta="a"),
        event("content_part.done", content_index=0, part={"type": "output_text", "text": "a"}),
        event("output_text.delta", content_index=1, delta="b"),
        COMPLETED,
    )
    assert outcome.answer.parts == [TextPart("a"), TextPart("b")]


def test_a_refusal_between_texts_is_a_part_of_its_own():
    outcome = told(
        "responses",
        event("output_text.delta", content_index=0, delta="a"),
        event("refusal.delta", content_index=0, delta="no"),
        event("output_text.delta", content_index=0, delta="b"),
        COMPLETED,
    )
    assert outcome.answer.parts == [TextPart("ab"), RefusalPart("no")]
    assert outcome.answer.refusal == "no"


def test_a_content_part_of_any_other_type_is_kept_as_it_came():
    part = {"type": "output_image", "image_url": "https://x.test/1.png"}
    outcome = told(
        "responses",
        event("content_part.added", content_index=0, part={"type": "output_image"}),
        event("content_part.done", content_index=0, part=part),
        COMPLETED,
    )
    assert outcome.answer.parts == [OtherPart(part)]
    assert outcome.answer.native["output"][0]["content"] == [part]


def test_a_snapshots_content_is_matched_kind_by_kind():
    made = Opened(type="message")
    made.item.take_text({"type": "response.output_text.delta", "content_index": 0, "delta": ""})
    texts = [
        {"type": "refusal", "refusal": "no"},
        {"type": "output_text", "text": "a"},
        {"type": "output_text", "text": "b"},
        None,
    ]
    made.update(type="message", content=texts)
    assert [part.build() for part in made.parts] == [TextPart("a"), RefusalPart("no"), TextPart("b")]
    made.update(type="message", content=None)
    assert len(made.parts) == 3


def test_snapshots_list_what_came_one_by_one_and_only_the_rest_is_new():
    first, second = {"type": "url_citation", "url": "u1"}, {"type": "url_citation", "url": "u2"}
    part = {"type": "output_text", "text": "hi", "annotations": [first, second], "logprobs": [{"token": "hi"}]}
    outcome = told(
        "responses",
        event("output_text.delta", content_index=0, delta="hi"),
        event("output_text.annotation.added", content_index=0, annotation=first),
        event("content_part.done", content_index=0, part=part),
        done(type="message", content=[part]),
        COMPLETED,
    )
    assert of_type(outcome, Extra) == [
        Extra("annotations", [first], 0, 0),
        Extra("annotations", [second], 0, 0),
        Extra("logprobs", [{"token": "hi"}], 0, 0),
    ]
    assert outcome.answer.extra == {"annotations": [first, second], "logprobs": [{"token": "hi"}]}
    assert outcome.answer.native["output"][0]["content"] == [part]


def test_a_snapshot_that_extends_the_deltas_gives_one_more_delta():
    outcome = told(
        "responses",
        event("output_text.delta", content_index=0, delta="Hel"),
        event("output_text.done", content_index=0, text="Hello"),
        COMPLETED,
    )
    assert of_type(outcome, TextDelta, Extra) == [TextDelta("Hel", 0, 0), TextDelta("lo", 0, 0)]


def test_a_snapshot_that_contradicts_the_deltas_changes_the_answer_without_a_delta():
    outcome = told(
        "responses",
        event("output_text.delta", content_index=0, delta="Hel"),
        event("output_text.done", content_index=0, text="Goodbye"),
        COMPLETED,
    )
    assert of_type(outcome, TextDelta, Extra) == [TextDelta("Hel", 0, 0), Extra("snapshot", "Goodbye", 0, 0)]
    assert outcome.answer.text == "Goodbye"
    assert outcome.answer.turn[0]["content"][0]["text"] == "Goodbye"


def test_an_empty_snapshot_erases_nothing():
    rows = [event("output_text.delta", content_index=0, delta="kept"), event("output_text.done", content_index=0, text="")]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.text == "kept"
    assert not of_type(outcome, Extra)


def test_a_snapshot_has_the_whole_of_a_character_whose_half_waits():
    rows = [
        event("output_text.delta", content_index=0, delta="a\ud83d"),
        event("output_text.done", content_index=0, text="a\U0001f600"),
    ]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.text == "a\U0001f600"
    assert [each.text for each in of_type(outcome, TextDelta)] == ["a", "\U0001f600"]


# ---- reasoning


def test_summary_parts_are_paragraphs():
    outcome = told(
        "responses",
        added(type="reasoning", id="t", summary=[]),
        event("reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}),
        event("reasoning_summary_text.delta", summary_index=0, delta="First."),
        event("reasoning_summary_text.delta", summary_index=1, delta="Second."),
        COMPLETED,
    )
    assert outcome.answer.reasoning == "First.\n\nSecond."
    assert "".join(each.text for each in of_type(outcome, ReasoningDelta)) == outcome.answer.reasoning
    assert outcome.answer.native["output"][0]["summary"] == [
        {"type": "summary_text", "text": "First."},
        {"type": "summary_text", "text": "Second."},
    ]


def test_reasoning_items_join_with_a_blank_line():
    rows = [
        event("reasoning_text.delta", content_index=0, delta=text) | {"output_index": place} for place, text in enumerate("ab")
    ]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.parts == [ReasoningPart("a"), ReasoningPart("b")]
    assert outcome.answer.reasoning == "a\n\nb"


def test_told_is_the_channel_that_comes_first_and_the_answer_has_the_full_text():
    outcome = told(
        "responses",
        event("reasoning_summary_text.delta", summary_index=0, delta="short"),
        event("reasoning_text.delta", content_index=0, delta="the full "),
        event("reasoning_text.delta", content_index=0, delta="text"),
        COMPLETED,
    )
    assert of_type(outcome, ReasoningDelta) == [ReasoningDelta("short", 0, 0)]
    assert outcome.answer.reasoning == "the full text"
    assert set(outcome.answer.turn[0]) == {"type", "summary", "content"}


def test_a_reasoning_snapshot_gives_text_in_both_channels_and_what_is_encrypted():
    item = {
        "type": "reasoning",
        "id": "t",
        "summary": [{"type": "summary_text", "text": "s"}],
        "content": [{"type": "reasoning_text", "text": "full"}, {"type": "reasoning_text", "text": None}, "odd"],
        "encrypted_content": "cipher",
        "signature": "sig",
    }
    outcome = told("responses", done(**item), COMPLETED)
    assert outcome.answer.parts == [ReasoningPart("full", "sig", "cipher")]
    assert of_type(outcome, ReasoningDelta) == [ReasoningDelta("full", 0, 0)]
    assert outcome.answer.native["output"][0]["encrypted_content"] == "cipher"


def test_a_reasoning_snapshot_extends_and_contradicts_part_by_part():
    outcome = told(
        "responses",
        event("reasoning_summary_text.delta", summary_index=0, delta="ab"),
        event("reasoning_summary_text.done", summary_index=0, text="abc"),
        event("reasoning_summary_text.done", summary_index=0, text="other"),
        event("reasoning_summary_text.done", summary_index=0, text=""),
        COMPLETED,
    )
    assert [each.text for each in of_type(outcome, ReasoningDelta)] == ["ab", "c"]
    assert of_type(outcome, Extra) == [Extra("snapshot", "other", 0, 0)]
    assert outcome.answer.reasoning == "other"


def test_empty_reasoning_is_nothing_but_a_native_item():
    outcome = told("responses", event("reasoning_text.delta", content_index=0, delta=""), COMPLETED)
    assert outcome.answer.reasoning == ""
    assert not of_type(outcome, ReasoningDelta)


def test_half_a_pair_waits_in_a_paragraph_and_is_told_when_another_begins():
    outcome = told(
        "responses",
        event("reasoning_summary_text.delta", summary_index=0, delta="a\ud83d"),
        event("reasoning_summary_text.delta", summary_index=0, delta="\ude00b\ud83d"),
        event("reasoning_summary_text.delta", summary_index=1, delta="c"),
        event("reasoning_text.delta", content_index=0, delta="\ud83d"),
        event("reasoning_summary_text.done", summary_index=1, text="c\U0001f600"),
        COMPLETED,
    )
    assert "".join(each.text for each in of_type(outcome, ReasoningDelta)) == "a\U0001f600b\ufffd\n\nc\U0001f600"
    assert [each["text"] for each in outcome.answer.native["output"][0]["content"]] == ["\ufffd"]


# ---- calls


@pytest.mark.parametrize(
    ("kind", "member", "stem", "ours"),
    [
        ("function_call", "arguments", "function_call_arguments", "function"),
        ("custom_tool_call", "input", "custom_tool_call_input", "custom"),
    ],
)
def test_a_call_in_pieces(kind, member, stem, ours):
    outcome = told(
        "responses",
        added(type=kind, id="fc", call_id="c", name="f", **{member: ""}),
        event(f"{stem}.delta", delta='{"a"'),
        event(f"{stem}.delta", delta=":1}"),
        event(f"{stem}.done", **{member: '{"a":1}'}),
        done(type=kind, id="fc", call_id="c", name="f", **{member: '{"a":1}'}),
        COMPLETED,
    )
    [finished] = of_type(outcome, ToolCallFinished)
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("c", "f", ours, 0, 0),
        ToolCallDelta('{"a"', 0, 0),
        ToolCallDelta(":1}", 0, 0),
    ]
    assert finished.tool_call == outcome.answer.tool_calls[0]
    assert outcome.answer.finish_reason == "tool_calls"
    assert outcome.answer.turn == [{"type": kind, "id": "fc", "call_id": "c", "name": "f", member: '{"a":1}'}]


def test_a_calls_id_is_its_call_id_else_its_own():
    assert told("responses", done(type="function_call", id="fc", name="f"), COMPLETED).answer.tool_calls[0].id == "fc"


def test_a_call_waits_for_its_name():
    outcome = told(
        "responses",
        event("function_call_arguments.delta", delta="{}"),
        event("function_call_arguments.delta", delta=""),
        done(type="function_call", call_id="c", name="late", arguments="{}"),
        COMPLETED,
    )
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("c", "late", "function", 0, 0),
        ToolCallDelta("{}", 0, 0),
    ]


def test_a_snapshot_replaces_what_nobody_has_been_told():
    outcome = told(
        "responses",
        event("function_call_arguments.delta", delta="{"),
        event("function_call_arguments.done", arguments='{"b":1}'),
        COMPLETED,
    )
    assert of_type(outcome, ToolCallDelta) == [ToolCallDelta('{"b":1}', 0, 0)]


def test_more_input_after_a_calls_end_is_malformed():
    """It may have been executed already."""
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    rows = [done(**item), event("function_call_arguments.delta", delta="x")]
    outcome = told("responses", *rows, COMPLETED)
    assert isinstance(outcome.error, MalformedStreamError)
    assert "after its end" in outcome.error.reason
    assert outcome.error.delivered


def test_an_empty_delta_after_a_calls_end_is_nothing():
    rows = [done(type="function_call", call_id="c", name="f", arguments="{}"), event("function_call_arguments.delta", delta="")]
    assert told("responses", *rows, COMPLETED).status == "complete"


@pytest.mark.parametrize(("later", "reported"), [("{}", 0), ("", 0), ('{"a":1}', 1), ("{}x", 1)])
def test_a_snapshot_after_a_calls_end_changes_the_answer_and_is_reported(later, reported):
    item = {"type": "function_call", "call_id": "c", "name": "f"}
    ending = {"type": "response.completed", "response": {"status": "completed", "output": [{**item, "arguments": later}]}}
    outcome = told("responses", done(**item, arguments="{}", status="completed"), ending)
    assert len(of_type(outcome, Extra)) == reported
    assert outcome.answer.tool_calls[0].arguments == (later or "{}")
    assert len(of_type(outcome, ToolCallDelta)) == 1


# ---- hosted tools


def test_a_hosted_call_is_other_with_its_latest_members():
    outcome = told(
        "responses",
        added(type="mcp_call", id="m", name="t", arguments="", status="in_progress"),
        event("mcp_call_arguments.delta", delta='{"a"', item_id="m"),
        event("mcp_call_arguments.delta", delta=":1}", item_id="m"),
        event("mcp_call_arguments.done", arguments='{"a":1}', item_id="m"),
        done(type="mcp_call", id="m", name="t", arguments='{"a":1}', status="completed", output="ok"),
        COMPLETED,
    )
    native = {"arguments": '{"a":1}', "type": "mcp_call", "id": "m", "name": "t", "status": "completed", "output": "ok"}
    assert outcome.answer.parts == [OtherPart(native)]
    assert not outcome.answer.tool_calls
    deltas = ["response.mcp_call_arguments.delta"] * 2
    assert [each.name for each in of_type(outcome, Extra)] == [
        "mcp_call",
        *deltas,
        "response.mcp_call_arguments.done",
        "mcp_call",
    ]


def test_pieces_of_a_hosted_call_are_kept_where_no_whole_came():
    rows = [event("code_interpreter_call_code.delta", delta=text) for text in ("print", "(1)")]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.native["output"] == [{"code": "print(1)", "type": "code_interpreter_call"}]
