"""``message`` beside or in place of ``delta``: only what is new of it is told."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, MalformedStreamError, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta, ToolCallStarted


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields}]}


def snapshot(**fields):
    return {"choices": [{"index": 0, "message": {"role": "assistant", **fields}}]}


def call(id, arguments, **fields):
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


def streamed(*rows):
    return told("chat", *rows, "[DONE]")


def shown(outcome):
    return of_type(outcome, ReasoningDelta, RefusalDelta, TextDelta, ToolCallStarted, ToolCallDelta)


def test_a_snapshot_in_place_of_deltas_is_one_delta_a_part():
    outcome = streamed(snapshot(content="x", reasoning="why", refusal="no", tool_calls=[call("c", "{}")]))
    assert shown(outcome) == [
        ReasoningDelta("why", 0, 0),
        RefusalDelta("no", 0, 1),
        TextDelta("x", 0, 2),
        ToolCallStarted("c", "f", "function", 0, 3),
        ToolCallDelta("{}", 0, 3),
    ]
    assert outcome.answer.turn[0]["role"] == "assistant"


def test_growing_snapshots_give_the_rest_of_each():
    outcome = streamed(snapshot(content="a"), snapshot(content="ab"), snapshot(content="ab"), snapshot(content="abc"))
    assert [event.text for event in shown(outcome)] == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["content", "refusal", "reasoning", "reasoning_content"])
def test_a_snapshot_that_extends_the_deltas_gives_one_more(name):
    outcome = streamed(delta(**{name: "ab"}), snapshot(**{name: "abc"}))
    assert [event.text for event in shown(outcome)] == ["ab", "c"]
    assert not of_type(outcome, Extra)


@pytest.mark.parametrize("name", ["content", "refusal", "reasoning", "reasoning_content"])
def test_a_snapshot_that_contradicts_them_is_reported_and_changes_nothing(name):
    outcome = streamed(delta(**{name: "ab"}), snapshot(**{name: "xy"}))
    assert [event.text for event in shown(outcome)] == ["ab"]
    assert of_type(outcome, Extra) == [Extra("snapshot", {name: "xy"}, 0)]
    assert outcome.answer.native["choices"][0]["message"][name] == "ab"


@pytest.mark.parametrize("content", ["", None, []])
def test_an_empty_snapshot_is_nothing(content):
    outcome = streamed(delta(content="ab"), snapshot(content=content))
    assert outcome.answer.text == "ab"
    assert not of_type(outcome, Extra)


def test_a_snapshot_is_compared_over_all_parts():
    rows = [delta(content="a"), delta(reasoning="r"), delta(content="b")]
    assert [event.text for event in shown(streamed(*rows, snapshot(content="abc")))] == ["a", "r", "b", "c"]
    assert of_type(streamed(*rows, snapshot(content="ax")), Extra) == [Extra("snapshot", {"content": "ax"}, 0)]


def test_content_may_be_a_list_of_parts_in_a_snapshot_too():
    parts = [{"type": "text", "text": "abc"}]
    assert streamed(snapshot(content=parts)).answer.native["choices"][0]["message"]["content"] == parts
    assert streamed(delta(content="ab"), snapshot(content=parts)).answer.text == "abc"
    assert of_type(streamed(delta(content="x"), snapshot(content=parts)), Extra) == [Extra("snapshot", {"content": parts}, 0)]


def test_a_snapshot_that_stays_what_it_was_contradicts_what_came_since():
    rows = [
        {"choices": [{"index": 0, "delta": {"content": text}, "message": {"role": "assistant", "content": "a"}}]}
        for text in "abc"
    ]
    outcome = streamed(delta(content=""), *rows)
    assert of_type(outcome, TextDelta, Extra) == [
        TextDelta("a", 0, 0),
        *(each for text in "bc" for each in (TextDelta(text, 0, 0), Extra("snapshot", {"content": "a"}, 0))),
    ]


def test_null_members_of_a_snapshot_hide_no_others():
    assert streamed(snapshot(content=None, refusal="no")).answer.refusal == "no"


def test_a_contradiction_is_of_its_choice():
    rows = [{"choices": [{"index": 1, name: {"content": text}}]} for name, text in (("delta", "ab"), ("message", "x"))]
    assert of_type(streamed(*rows), Extra) == [Extra("snapshot", {"content": "x"}, 1)]


def test_several_parts_of_text_are_compared_as_one():
    parts = [{"type": "text", "text": "ab"}, {"type": "text", "text": "c"}]
    assert [event.text for event in shown(streamed(delta(content="a"), snapshot(content=parts)))] == ["a", "bc"]


def test_content_that_is_no_text_contradicts():
    outcome = streamed(delta(content="a"), snapshot(content=7))
    assert outcome.answer.text == "a"
    assert of_type(outcome, Extra) == [Extra("snapshot", {"content": 7}, 0)]


# ---- calls


def test_calls_without_an_id_or_without_an_index_are_extended_too():
    def streamed_calls(*fields):
        rows = [{**each, **call(each.get("id"), "{")} for each in fields]
        listed = [call(each.get("id"), '{"a":1}') for each in fields]
        return streamed(*(delta(tool_calls=[row]) for row in rows), snapshot(tool_calls=listed)).answer.tool_calls

    assert [each.arguments for each in streamed_calls({"index": 0}, {"index": 1})] == ['{"a":1}'] * 2
    assert [each.arguments for each in streamed_calls({"id": "a"}, {"id": "b"})] == ['{"a":1}'] * 2


def test_calls_that_only_the_snapshot_has_stay_apart_and_can_go_on():
    two = streamed(snapshot(tool_calls=[call(None, "{}"), call(None, "[")])).answer.tool_calls
    assert [each.arguments for each in two] == ["{}", "["]
    rest = delta(tool_calls=[{"index": 5, "function": {"arguments": "}"}}])
    one = streamed(snapshot(tool_calls=[call("a", "{", index=5)]), rest).answer.tool_calls
    assert [(each.id, each.arguments) for each in one] == [("a", "{}")]


def test_a_call_that_only_the_snapshot_has_goes_on_with_none_that_is_open():
    begun = delta(tool_calls=[call("a", "{")])
    outcome = streamed(begun, snapshot(tool_calls=[call("a", "{"), call(None, "[")]))
    assert [(each.id, each.arguments) for each in outcome.answer.tool_calls] == [("a", "{"), (None, "[")]


def test_a_legacy_call_that_goes_on_is_not_taken_from_the_snapshot_again():
    begun = {"name": "f", "arguments": "{"}
    rows = [delta(function_call=begun), snapshot(function_call=begun), delta(function_call={"arguments": "}"})]
    assert [each.arguments for each in streamed(*rows).answer.tool_calls] == ["{}"]


def test_calls_are_matched_by_id_then_by_place():
    started = delta(tool_calls=[{"index": 0, **call("a", '{"x"')}, {"index": 1, **call("b", "{")}])
    swapped = streamed(started, snapshot(tool_calls=[call("b", "{}"), call("a", '{"x":1}')]))
    placed = streamed(started, snapshot(tool_calls=[call(None, '{"x":1}'), call(None, "{}")]))
    for outcome in (swapped, placed):
        assert [each.arguments for each in outcome.answer.tool_calls] == ['{"x":1}', "{}"]


def test_a_call_that_only_the_snapshot_has_is_opened():
    outcome = streamed(
        delta(tool_calls=[{"index": 0, **call("a", "{}")}]), snapshot(tool_calls=[call("a", "{}"), "odd", call("b", "[]")])
    )
    assert [(each.id, each.arguments) for each in outcome.answer.tool_calls] == [("a", "{}"), ("b", "[]")]


def test_arguments_may_be_the_object_itself_in_a_snapshot_too():
    rows = [delta(tool_calls=[{"index": 0, **call("a", '{"b":')}]), snapshot(tool_calls=[call("a", {"b": 1}), call("c", {})])]
    assert [each.arguments for each in streamed(*rows).answer.tool_calls] == ['{"b":1}', "{}"]


def test_calls_of_one_id_are_matched_by_place():
    whole = [call("a", '{"b":1}'), call("a", '{"b":2}')]
    outcome = streamed(
        *(delta(tool_calls=[{"index": index, **each}]) for index, each in enumerate(whole)), snapshot(tool_calls=whole)
    )
    assert [each.arguments for each in outcome.answer.tool_calls] == ['{"b":1}', '{"b":2}']
    assert not of_type(outcome, Extra)


def test_a_call_that_contradicts_is_reported():
    other = call("a", "[]")
    outcome = streamed(delta(tool_calls=[{"index": 0, **call("a", "{}")}]), snapshot(tool_calls=[other]))
    assert of_type(outcome, Extra) == [Extra("snapshot", {"tool_calls": [other]}, 0)]
    assert outcome.answer.tool_calls[0].arguments == "{}"


@pytest.mark.parametrize("value", [[1], 7, {"a": 1}])
def test_a_value_that_the_deltas_had_for_arguments_is_no_contradiction_in_a_snapshot(value):
    outcome = streamed(delta(tool_calls=[{"index": 0, **call("a", value)}]), snapshot(tool_calls=[call("a", value)]))
    assert not of_type(outcome, Extra)
    assert len(outcome.answer.tool_calls) == 1


@pytest.mark.parametrize("element", [{"id": "a"}, {"id": "a", "function": {}}, {"id": "a", "function": {"arguments": None}}])
def test_a_call_without_arguments_says_nothing(element):
    outcome = streamed(delta(tool_calls=[{"index": 0, **call("a", "{}")}]), snapshot(tool_calls=[element]))
    assert not of_type(outcome, Extra)


def test_a_custom_call_is_extended_by_its_input():
    custom = {"id": "c", "type": "custom", "custom": {"name": "f", "input": "a"}}
    outcome = streamed(
        delta(tool_calls=[{"index": 0, **custom}]), snapshot(tool_calls=[{**custom, "custom": {"name": "f", "input": "ab"}}])
    )
    assert outcome.answer.tool_calls[0].arguments == "ab"


def test_a_legacy_call_counts_once():
    legacy = {"name": "f", "arguments": "{}"}
    for rows in ([snapshot(function_call=legacy)], [delta(function_call=legacy), snapshot(function_call=legacy)]):
        assert [each.arguments for each in streamed(*rows).answer.tool_calls] == ["{}"]


def test_calls_of_another_shape_are_malformed():
    assert isinstance(streamed(snapshot(tool_calls="x")).error, MalformedStreamError)
    assert isinstance(streamed({"choices": [{"message": "x"}]}).error, MalformedStreamError)


# ---- members without a word of ours


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("ab", "abc", "abc"),
        ([1], [1, 2], [1, 2]),
        ({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        (1, 1, 1),
        (1, 2, 2),
        ("ab", "ab", "ab"),
        ([1], "ab", "ab"),
        ("ab", [1], ["ab", 1]),
        ({"a": 1}, 5, 5),
        (5, {"a": 1}, {"a": 1}),
    ],
)
def test_only_what_is_new_of_them_is_taken(before, after, whole):
    outcome = streamed(delta(own=before), snapshot(own=after))
    assert outcome.answer.native["choices"][0]["message"]["own"] == whole
    assert len(of_type(outcome, Extra)) == 1 + (before != after)


def test_annotations_and_entries_that_have_come_are_not_told_again():
    note, entry = {"type": "url_citation"}, {"type": "reasoning.text", "text": "why"}
    outcome = streamed(
        delta(annotations=[note], reasoning_details=[entry]), snapshot(annotations=[note, note], reasoning_details=[entry, entry])
    )
    assert of_type(outcome, Extra) == [
        Extra("annotations", [note], 0),
        Extra("reasoning_details", [entry], 0),
        Extra("annotations", [note], 0),
    ]
    assert outcome.answer.extra["annotations"] == [note, note]
