"""Which output item an event of a response speaks of, and how the final response's items meet those that streamed."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import Extra, LimitExceededError, Limits, TextDelta, ToolCallFinished, ToolCallStarted
from sse_dialects.dialects.emit import Emitter
from sse_dialects.dialects.responses.output import Output

COMPLETED = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}


def added(index, **item):
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index, **item):
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def delta(text, **where):
    return {"type": "response.output_text.delta", "delta": text, **where}


def arguments(text, **where):
    return {"type": "response.function_call_arguments.delta", "delta": text, **where}


def completed(*output):
    return {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": list(output)}}


def message(text, **more):
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}], **more}


def call(call_id, text="{}", **more):
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": text, **more}


def output(limits=None):
    return Output(Emitter(limits or Limits(), []), {})


# ---- keys


def test_items_are_keyed_by_output_index_whatever_the_item_id_says():
    outcome = told(
        "responses",
        added(0, type="message", id="a"),
        delta("one ", output_index=0, item_id="x1", content_index=0),
        delta("two", output_index=0, item_id="x2", content_index=0),
        COMPLETED,
    )
    assert outcome.answer.text == "one two"
    assert len(outcome.answer.native["output"]) == 1


def test_interleaved_items_stay_apart_and_stand_in_the_order_of_their_opening():
    outcome = told(
        "responses",
        added(3, type="function_call", call_id="c3", name="f"),
        added(1, type="function_call", call_id="c1", name="g"),
        arguments("[3", output_index=3),
        arguments("[1", output_index=1),
        arguments("]", output_index=3),
        arguments("]", output_index=1),
        COMPLETED,
    )
    assert [(each.id, each.arguments) for each in outcome.answer.tool_calls] == [("c3", "[3]"), ("c1", "[1]")]


def test_a_second_announcement_on_a_used_index_opens_another_item():
    outcome = told(
        "responses",
        added(0, type="function_call", id="i1", call_id="c1", name="f"),
        arguments("{}", output_index=0),
        added(0, type="function_call", id="i2", call_id="c2", name="f"),
        arguments('{"a":1}', output_index=0),
        COMPLETED,
    )
    assert [(each.id, each.arguments) for each in outcome.answer.tool_calls] == [("c1", "{}"), ("c2", '{"a":1}')]


def test_an_announcement_repeated_under_the_same_id_is_the_same_item():
    outcome = told(
        "responses",
        added(0, type="message", id="i1"),
        delta("x", output_index=0),
        added(0, type="message", id="i1", status="in_progress"),
        delta("y", output_index=0),
        COMPLETED,
    )
    assert outcome.answer.text == "xy"
    assert [item["status"] for item in outcome.answer.native["output"]] == ["in_progress"]


def test_an_item_that_was_only_guessed_is_the_one_announced_later():
    outcome = told("responses", delta("x", output_index=0), added(0, type="message", id="late"), COMPLETED)
    assert outcome.answer.native["output"] == [message("x", id="late")]


def test_an_announcement_of_another_type_on_a_guessed_index_opens_another():
    outcome = told("responses", delta("x", output_index=0), added(0, type="reasoning", id="t"), COMPLETED)
    assert [item["type"] for item in outcome.answer.native["output"]] == ["message", "reasoning"]


@pytest.mark.parametrize("where", [{}, {"item_id": "m"}], ids=["nothing", "id"])
def test_without_an_index_the_id_counts_else_the_last_item(where):
    outcome = told("responses", added(None, type="message", id="m"), delta("x", **where), delta("y", **where), COMPLETED)
    assert outcome.answer.text == "xy"
    assert len(outcome.answer.native["output"]) == 1


def test_without_an_index_an_earlier_item_is_found_by_its_id_or_call_id():
    outcome = told(
        "responses",
        added(None, **call("c1", "", id="i1")),
        added(None, **call("c2", "", id="i2")),
        arguments("[1]", item_id="i1"),
        arguments("[2]", call_id="c2"),
        COMPLETED,
    )
    assert [each.arguments for each in outcome.answer.tool_calls] == ["[1]", "[2]"]


def test_a_delta_of_another_kind_than_the_item_at_its_index_opens_one_of_its_own():
    outcome = told("responses", added(0, type="message", id="m"), arguments("{}", output_index=0, name="f"), COMPLETED)
    assert [item["type"] for item in outcome.answer.native["output"]] == ["message", "function_call"]


def test_an_id_learned_late_names_the_item():
    made = output()
    made.added(None, {"type": "message"})
    assert made.find(None, "late") is None
    made._update(made.items[0], {"type": "message", "id": "late"})
    assert made.find(None, "late") is made.items[0]
    assert made.find(None, None, 7, "late") is made.items[0]
    assert made.find(None, None) is None
    assert made.find(9) is None


# ---- the end of an item


def test_a_call_is_finished_at_its_items_end_and_not_again_at_the_streams():
    outcome = told("responses", added(0, **call("c", "")), done(0, **call("c", '{"a":1}')), COMPLETED)
    [finished] = of_type(outcome, ToolCallFinished)
    assert finished.tool_call.arguments == '{"a":1}'
    assert finished.tool_call.complete
    assert outcome.events.index(finished) < len(outcome.events) - 1


def test_a_call_whose_item_ended_incomplete_is_not_whole():
    outcome = told("responses", added(0, **call("c", "")), done(0, **call("c", '{"a"', status="incomplete")), COMPLETED)
    assert not of_type(outcome, ToolCallFinished)
    assert [each.complete for each in outcome.answer.tool_calls] == [False]


def test_a_call_without_a_name_is_announced_at_its_end():
    outcome = told("responses", done(0, type="function_call", call_id="c", arguments="{}"), COMPLETED)
    assert [(each.name, each.arguments, each.complete) for each in outcome.answer.tool_calls] == [(None, "{}", False)]


def test_an_item_that_was_never_announced_counts_from_its_end_alone():
    assert told("responses", done(0, **message("only done")), COMPLETED).answer.text == "only done"


def test_a_second_end_on_one_index_is_another_item_unless_the_ids_agree():
    other = told("responses", done(0, **call("c1")), done(0, **call("c2")), COMPLETED)
    same = told("responses", done(0, **call("c1")), done(0, **call("c1")), COMPLETED)
    assert [each.id for each in other.answer.tool_calls] == ["c1", "c2"]
    assert [each.id for each in same.answer.tool_calls] == ["c1"]
    assert len(of_type(same, ToolCallFinished)) == 1


def test_an_end_of_another_type_than_the_item_at_its_index_is_another_item():
    outcome = told("responses", added(0, type="message", id="m"), done(0, **call("c")), COMPLETED)
    assert [item["type"] for item in outcome.answer.native["output"]] == ["message", "function_call"]


# ---- the final response


def test_items_only_in_the_final_response_are_used():
    outcome = told("responses", completed(message("late", id="m"), call("c")))
    assert outcome.answer.text == "late"
    assert of_type(outcome, TextDelta) == [TextDelta("late", 0, 0)]
    assert [each.complete for each in outcome.answer.tool_calls] == [True]


def test_the_final_response_is_matched_by_id_before_place():
    outcome = told(
        "responses",
        added(0, **call("c1", "", id="i1")),
        added(1, **call("c2", "", id="i2")),
        completed(call("c2", "[2]", id="i2"), call("c1", "[1]", id="i1")),
    )
    assert [(each.id, each.arguments) for each in outcome.answer.tool_calls] == [("c1", "[1]"), ("c2", "[2]")]


def test_the_final_response_is_matched_by_place_where_ids_changed():
    outcome = told(
        "responses", added(0, type="message", id="a"), delta("x", output_index=0), completed(message("xy", id="another"))
    )
    assert outcome.answer.text == "xy"
    assert len(outcome.answer.native["output"]) == 1


def test_the_final_response_is_matched_by_type_where_places_moved():
    """Gateways drop the reasoning from the final list."""
    outcome = told(
        "responses",
        added(0, type="reasoning"),
        added(1, type="message"),
        delta("x", output_index=1),
        added(2, type="message"),
        delta("z", output_index=2),
        completed(message("xy"), message("z!")),
    )
    assert outcome.answer.text == "xzy!"[:2] + "y!" or outcome.answer.text == "xyz!"
    assert [item["type"] for item in outcome.answer.native["output"]] == ["reasoning", "message", "message"]


def test_an_item_that_only_the_final_response_has_is_added_though_its_place_is_taken():
    outcome = told("responses", added(0, type="reasoning", id="t"), completed(message("new")))
    assert [item["type"] for item in outcome.answer.native["output"]] == ["reasoning", "message"]


@pytest.mark.parametrize("response", [{}, {"output": []}, {"output": None}], ids=["missing", "empty", "null"])
def test_an_empty_or_missing_output_erases_nothing(response):
    ending = {"type": "response.completed", "response": {"id": "r", "status": "completed", **response}}
    assert told("responses", delta("kept", output_index=0), ending).answer.text == "kept"


def test_what_is_no_object_in_the_final_list_is_passed_over():
    assert told("responses", completed(None, "x", message("y"))).answer.text == "y"


def test_the_final_response_is_the_authority_where_it_contradicts_the_deltas():
    outcome = told(
        "responses", added(0, type="message", id="m"), delta("wrong", output_index=0), completed(message("right", id="m"))
    )
    assert outcome.answer.text == "right"
    assert of_type(outcome, TextDelta) == [TextDelta("wrong", 0, 0)]
    assert Extra("snapshot", "right", 0, 0) in outcome.events


# ---- bounds


def test_items_count_as_parts():
    """A message's item opens no part of its own, and costs memory all the same."""
    limits = Limits(max_parts=2)
    rows = [added(index, type="message") for index in range(3)]
    outcome = told("responses", *rows, COMPLETED, limits=limits)
    assert isinstance(outcome.error, LimitExceededError)
    assert (outcome.error.limit, outcome.error.allowed) == ("max_parts", 2)


def test_huge_and_odd_indexes_are_names():
    rows = [delta("a", output_index=10**9), delta("b", output_index="zero"), delta("c", output_index=10**9)]
    outcome = told("responses", *rows, COMPLETED)
    assert outcome.answer.text == "acb"
    assert len(outcome.answer.native["output"]) == 2


# ---- several under one index, one under several


@pytest.mark.parametrize("ids", [{}, {"item_id": "m"}, {"item_id": "r"}])
def test_where_kinds_share_an_index_the_kind_tells_whatever_the_ids_say(ids):
    opened = [added(0, type="reasoning", id="r"), added(0, type="message", id="m")]
    why = {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "why", **ids}
    answer = told("responses", *opened, why, delta("x", output_index=0, **ids), COMPLETED).answer
    assert (answer.reasoning, answer.text) == ("why", "x")
    assert [item["id"] for item in answer.native["output"]] == ["r", "m"]


def test_an_item_that_ends_without_an_index_is_not_one_of_another_name():
    rows = [added(None, type="message", id="a"), done(None, **message("x", id="b")), COMPLETED]
    assert [item["id"] for item in told("responses", *rows).answer.native["output"]] == ["a", "b"]


def test_half_a_pair_in_a_whole_calls_arguments_is_no_contradiction_when_it_comes_again():
    whole = call("c", '{"a":"\ud83d"}')
    outcome = told("responses", added(0, **whole), done(0, **whole), completed(whole))
    assert not of_type(outcome, Extra)
    assert outcome.answer.tool_calls[0].arguments == '{"a":"\ufffd"}'


def test_an_empty_list_does_not_undo_the_order_of_an_earlier_one():
    opened = [added(0, type="message", id="a"), added(1, type="message", id="b")]
    listed = {"type": "response.in_progress", "response": {"output": [message("y", id="b"), message("x", id="a")]}}
    answer = told("responses", *opened, listed, completed()).answer
    assert [item["id"] for item in answer.native["output"]] == ["b", "a"]


def test_an_answer_so_far_has_the_full_reasoning_text_in_place_of_the_summary():
    summary = {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "short"}
    full = {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "all of it"}
    assert told("responses", added(0, type="reasoning", id="r"), summary, full).partial.reasoning == "all of it"


def test_a_call_that_only_its_end_names_has_the_items_id():
    rows = [arguments("{}", output_index=0), done(0, type="function_call", id="fc", name="f", arguments="{}"), COMPLETED]
    assert [(each.id, each.name) for each in told("responses", *rows).answer.tool_calls] == [("fc", "f")]


def test_where_items_share_an_index_an_id_tells_and_without_one_the_last_counts():
    first, second = ({"type": "function_call", "id": id, "call_id": id, "name": "f"} for id in "ab")
    outcome = told(
        "responses",
        added(0, **first),
        added(0, **second),
        arguments("[1", output_index=0, item_id="a"),
        arguments("[2]", output_index=0, item_id="b"),
        arguments(",", output_index=0, call_id="a"),
        done(0, **first, arguments="[1,1]"),
        arguments(" ", output_index=0, item_id="other"),
        COMPLETED,
    )
    assert [each.arguments for each in outcome.answer.tool_calls] == ["[1,1]", "[2] "]


def test_an_open_item_goes_on_under_an_index_that_is_nobodys():
    outcome = told(
        "responses",
        added(0, type="message", id="a"),
        delta("x", output_index=1, item_id="a"),
        delta("y", output_index=1),
        done(2, **message("xyz", id="a")),
        delta("w", output_index=3, item_id="a"),
        COMPLETED,
    )
    assert [item["content"][0]["text"] for item in outcome.answer.native["output"]] == ["xyz", "w"]


@pytest.mark.parametrize(
    ("listed", "order"),
    [
        ("", "r m s f"),
        ("m f", "r m s f"),
        ("f m", "s f r m"),
        ("m", "r m s f"),
        ("m n f", "r m n s f"),
    ],
)
def test_what_the_final_list_leaves_out_stays_ahead_of_what_it_came_before(listed, order):
    items = {"r": "reasoning", "m": "message", "s": "reasoning", "f": "custom_tool_call", "n": "message"}
    streamed = [added(index, type=items[id], id=id) for index, id in enumerate("rmsf")]
    outcome = told("responses", *streamed, completed(*({"type": items[id], "id": id} for id in listed.split())))
    assert [item["id"] for item in outcome.answer.native["output"]] == order.split()


# ---- a call's id


def test_a_call_id_that_comes_late_is_the_calls():
    outcome = told(
        "responses",
        added(0, type="function_call", id="i", name="f"),
        done(0, type="function_call", id="i", call_id="c", name="f", arguments="{}"),
        completed(call("d", "{}", id="i")),
    )
    assert [each.id for each in of_type(outcome, ToolCallStarted)] == ["i"]
    assert [each.tool_call.id for each in of_type(outcome, ToolCallFinished)] == ["c"]
    assert outcome.answer.tool_calls[0].id == "c"


def test_an_end_without_an_index_is_that_of_the_item_that_it_names_or_of_the_one_still_open():
    def ended(**item):
        return {"type": "response.output_item.done", "item": item}

    outcome = told(
        "responses",
        added(None, type="message", id="a"),
        added(None, type="message"),
        delta("y"),
        ended(**message("x", id="a")),
        ended(**message("yz")),
        ended(**message("w")),
        completed(),
    )
    assert [item["content"][0]["text"] for item in outcome.answer.native["output"]] == ["x", "yz", "w"]


def test_the_call_id_that_was_told_binds_whatever_ids_the_final_response_has():
    outcome = told(
        "responses",
        done(0, **call("c", id="i")),
        completed(call("d", id="j")),
    )
    assert [each.id for each in outcome.answer.tool_calls] == ["c"]
    assert outcome.answer.turn == [call("c", id="j")]


# ---- items of one kind, of several, and of none that we know


def told_of(*events, **final):
    return told("responses", *events, {"type": "response.completed", "response": {"id": "r", "status": "completed", **final}})


def at(index, name, **fields):
    return {"type": f"response.{name}", "output_index": index, **fields}


def test_an_item_of_another_type_is_told_whenever_it_says_something_new():
    begun = {"type": "web_search_call", "id": "w", "status": "in_progress"}
    ended = {**begun, "status": "completed", "action": {"query": "q"}}
    rows = [at(1, "output_item.added", item=begun), at(1, "output_item.done", item=ended), at(1, "output_item.done", item=ended)]
    outcome = told_of(at(0, "output_text.delta", delta="x"), *rows)
    assert of_type(outcome, Extra) == [Extra("web_search_call", [each], 0, 1) for each in (begun, ended)]
    assert outcome.answer.extra == {"web_search_call": [ended]}
    assert outcome.answer.native["output"][1] == ended


def test_so_is_a_part_of_a_message():
    begun, ended = {"type": "image", "url": "u"}, {"type": "image", "url": "u", "alt": "a"}
    rows = [at(0, f"content_part.{name}", content_index=1, part=part) for name, part in (("added", begun), ("done", ended))]
    outcome = told_of(at(0, "output_text.delta", content_index=0, delta="x"), *rows, rows[1])
    assert of_type(outcome, Extra) == [Extra("image", [begun], 0, 1), Extra("image", [{"alt": "a"}], 0, 1)]
    assert outcome.answer.extra == {"image": [ended]}
    assert outcome.answer.native["output"][0]["content"] == [{"type": "output_text", "text": "x"}, ended]


@pytest.mark.parametrize("lists", [{"annotations": [{"a": 1}], "logprobs": [{"t": 1}]}, {"annotations": [], "logprobs": []}])
def test_a_parts_members_stand_in_it_and_its_own_are_told(lists):
    part = {"type": "output_text", "text": "x", **lists, "own": 1}
    rows = [at(0, f"content_part.{name}", content_index=0, part=part) for name in ("added", "done")]
    outcome = told_of(*rows)
    assert outcome.answer.native["output"][0]["content"] == [part]
    assert [event for event in of_type(outcome, Extra) if event.name == "own"] == [Extra("own", 1, 0, 0)]


def test_a_calls_id_is_its_call_id_else_its_id_and_its_kind_is_its_items():
    items = [
        {"type": "function_call", "id": "a", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call", "id": "b", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "d", "name": "g", "input": "x"},
    ]
    calls = told_of(*(at(index, "output_item.done", item=item) for index, item in enumerate(items))).answer.tool_calls
    assert [(call.id, call.kind, call.arguments) for call in calls] == [
        ("c", "function", "{}"),
        ("b", "function", "{}"),
        ("d", "custom", "x"),
    ]


def test_items_of_an_early_list_go_on_by_their_place():
    listed = [{"type": "message", "content": [{"type": "output_text", "text": text}]} for text in "ab"]
    early = {"type": "response.in_progress", "response": {"id": "r", "output": listed}}
    outcome = told_of(early, at(1, "output_text.delta", delta="d"), at(0, "output_text.delta", delta="c"))
    assert [item["content"][0]["text"] for item in outcome.answer.native["output"]] == ["ac", "bd"]


def test_items_without_names_are_matched_by_their_place_before_their_kind():
    listed = [{"type": "message", "content": [{"type": "output_text", "text": text}]} for text in "ab"]
    outcome = told_of(at(1, "output_text.delta", delta="b"), at(0, "output_text.delta", delta="a"), output=listed)
    assert not of_type(outcome, Extra)
    assert [item["content"][0]["text"] for item in outcome.answer.native["output"]] == ["a", "b"]
    assert [part.text for part in outcome.answer.parts] == ["b", "a"]


def test_items_matched_by_their_kind_are_taken_in_their_order():
    listed = [{"type": "message", "content": [{"type": "output_text", "text": text}]} for text in "abc"]
    rows = [at(index, "output_text.delta", delta=text) for index, text in ((5, "a"), (6, "b"), (7, "c"))]
    outcome = told_of(*rows, output=listed)
    assert not of_type(outcome, Extra)
    assert [part.text for part in outcome.answer.parts] == ["a", "b", "c"]


def test_parts_of_a_message_that_were_announced_go_on_by_their_index():
    rows = [at(0, "content_part.added", content_index=index, part={"type": "output_text", "text": ""}) for index in (0, 1)]
    rows += [at(0, "output_text.delta", content_index=index, delta=text) for index, text in ((0, "a"), (1, "b"), (0, "c"))]
    assert [part["text"] for part in told_of(*rows).answer.native["output"][0]["content"]] == ["ac", "b"]


def test_a_part_that_was_not_goes_on_until_it_is_done():
    rows = [at(0, "output_text.delta", content_index=index, delta=text) for index, text in enumerate("abc")]
    rows.insert(2, at(0, "content_part.done", content_index=1, part={"type": "output_text", "text": "ab"}))
    assert [part["text"] for part in told_of(*rows).answer.native["output"][0]["content"]] == ["ab", "c"]


def test_items_without_an_index_follow_one_another():
    def opened(id, name="added", **more):
        return {"type": f"response.output_item.{name}", "item": {"type": "message", "role": "assistant", **id, **more}}

    def said(text, **more):
        return {"type": "response.output_text.delta", "delta": text, **more}

    named = [opened({"id": "a"}), said("1"), opened({"id": "b"}), said("2"), said("3", item_id="a")]
    assert [item["content"][0]["text"] for item in told_of(*named).answer.native["output"]] == ["13", "2"]
    again = [opened({}), said("1"), opened({}, "done"), opened({}), said("2")]
    assert [item["content"][0]["text"] for item in told_of(*again).answer.native["output"]] == ["1", "2"]


def test_halves_of_an_items_own_text_may_come_in_two_deltas():
    code = {"type": "code_interpreter_call", "id": "c", "code": ""}
    rows = [at(0, "code_interpreter_call_code.delta", delta=text) for text in ("a\ud83d", "\ude00b", "c")]
    outcome = told_of(at(0, "output_item.added", item=code), *rows)
    assert outcome.answer.parts[0].native["code"] == outcome.answer.native["output"][0]["code"] == "a\U0001f600bc"
