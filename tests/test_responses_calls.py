"""When a call of a response is certainly whole, and what becomes of a second item under its `call_id`."""

from __future__ import annotations

import pytest
from told import of_type, told

from sse_dialects import ToolCallFinished


def event(name, /, **fields):
    return {"type": f"response.{name}", **fields}


def call(arguments="{}", id="c", **more):
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": arguments, **more}


def custom(text="ls", id="c", **more):
    return {"type": "custom_tool_call", "call_id": id, "name": "x", "input": text, **more}


def added(item, index=0):
    return event("output_item.added", output_index=index, item=item)


def done(item, index=0):
    return event("output_item.done", output_index=index, item=item)


def ended(*output, name="completed", **response):
    return event(name, response={"id": "r", "status": "completed", "output": list(output), **response})


MESSAGE = {"type": "message", "role": "assistant", "content": []}


def whole(outcome):
    """Which calls are complete, after a look at the events that say so."""
    calls = outcome.partial.tool_calls
    assert len(of_type(outcome, ToolCallFinished)) == sum(each.complete for each in calls)
    return [each.complete for each in calls]


def test_a_call_that_says_it_is_completed_is_finished_at_its_end():
    for ending in ([], [ended(status="incomplete")], [event("failed")]):
        assert whole(told("responses", done(call(status="completed")), *ending)) == [True]


OPEN = [{}, {"status": None}, {"status": "in_progress"}]


@pytest.mark.parametrize("more", OPEN)
def test_a_call_that_does_not_say_is_finished_by_the_next_item(more):
    cut = told("responses", added(call("")), done(call(**more)), event("output_text.delta", output_index=1, delta="x"))
    assert whole(cut) == [False]
    outcome = told("responses", added(call("")), done(call(**more)), added(MESSAGE, 1), ended(status="incomplete"))
    assert whole(outcome) == [True]
    names = [each.type for each in told("responses", done(call(**more)), added(custom("", "d"), 1)).events]
    assert names[-2:] == ["tool_call_finished", "tool_call_started"]


@pytest.mark.parametrize("more", OPEN)
@pytest.mark.parametrize(
    "ending",
    [ended(), ended(status=None), ended(name="done"), ended(name="done", status=None), event("completed"), event("done")],
)
def test_or_by_the_end_of_a_completed_response(more, ending):
    assert whole(told("responses", done(call(**more)), ending)) == [True]


@pytest.mark.parametrize("more", OPEN)
@pytest.mark.parametrize(
    "ending",
    [
        ended(status="incomplete"),
        ended(call(), status="incomplete"),
        ended(name="incomplete", status=None),
        ended(name="cancelled", status="cancelled"),
        ended(name="done", status="incomplete"),
        event("failed", response={"status": "failed"}),
        ("response.incomplete", ""),
        "[DONE]",
        {"type": "error", "message": "m"},
        {"type": "notice"},
        {"type": "keepalive"},
        event("output_item.added", output_index=1, item=None),
        event("output_item.done", output_index=1, item=MESSAGE),
        added(call("", id="c")),
    ],
)
def test_and_by_nothing_else(more, ending):
    assert whole(told("responses", added(call("", id="c")), done(call(**more)), ending)) == [False]


@pytest.mark.parametrize("status", ["incomplete", "failed", "cancelled", "searching"])
@pytest.mark.parametrize("ending", [[ended()], [added(MESSAGE, 1), ended()], [ended(call(status="completed"))]])
def test_any_other_status_never_finishes_it(status, ending):
    assert whole(told("responses", done(call(status=status)), *ending)) == [False]
    assert whole(told("responses", added(call("")), done(call(status=status)), *ending)) == [False]


@pytest.mark.parametrize(
    ("more", "response", "expected"),
    [
        ({}, {}, True),
        ({"status": "completed"}, {}, True),
        ({"status": "in_progress"}, {"status": None}, True),
        ({"status": "incomplete"}, {}, False),
        ({"status": "completed"}, {"status": "incomplete"}, False),
        ({}, {"status": "incomplete"}, False),
        ({}, {"status": "cancelled"}, False),
    ],
)
def test_a_call_that_only_the_final_response_holds(more, response, expected):
    assert whole(told("responses", ended(call(**more), **response))) == [expected]
    assert whole(told("responses", added(call("")), ended(call(**more), **response))) == [expected]


def test_a_call_that_was_done_without_a_status_and_is_incomplete_in_the_final_response_is_not_whole():
    for item in (call(status="incomplete"), call("", status="incomplete"), custom("", status="incomplete")):
        outcome = told("responses", done(call('{"a":1}')), ended(item))
        assert whole(outcome) == [False]
        assert outcome.answer.tool_calls[0].arguments == '{"a":1}'


def test_arguments_that_are_no_object_and_calls_without_a_name_are_never_whole():
    for item in (call("[]", status="completed"), call("{", status="completed"), {**call(status="completed"), "name": ""}):
        assert whole(told("responses", done(item), ended())) == [False]
    assert whole(told("responses", done({**call(status="completed"), "name": ""}), ended(call()))) == [True]
    assert whole(told("responses", done(custom("", status="completed")), ended())) == [True]


# ---- one call, told once


def test_a_call_id_is_finished_once():
    twice = [done(call(status="completed", id="c")), done(call(status="completed"), 1), ended()]
    assert whole(told("responses", *twice)) == [True, False]
    again = [*twice[:1], *twice[:1], ended(call(status="completed"))]
    assert whole(told("responses", *again)) == [True]
    apart = [done({**call(status="completed"), "id": "a"}), done({**custom(status="completed"), "id": "b"}, 1), ended()]
    assert whole(told("responses", *apart)) == [True, False]
    other = [added({**call(""), "id": "a"}), added({**call(""), "id": "b"}, 1), *twice[:2], ended()]
    assert sum(whole(told("responses", *other))) == 1


def test_calls_without_a_call_id_are_each_finished():
    for id in ("", None):
        items = [{**call(status="completed", id=id), "id": name} for name in ("a", "b")]
        assert whole(told("responses", done(items[0]), done(items[1], 1), ended())) == [True, True]


def test_an_id_that_comes_after_the_call_was_finished_changes_nothing():
    outcome = told("responses", done(call(status="completed", id=None)), ended(call(status="completed", id="late")))
    (finished,) = of_type(outcome, ToolCallFinished)
    assert [finished.tool_call] == outcome.partial.tool_calls


COPIES = [
    call("", status="incomplete", id="c"),
    call("", status="in_progress"),
    call(""),
    call('{"a', status="incomplete"),
    {"type": "function_call", "call_id": "c"},
    custom("", status="incomplete"),
    custom(""),
    custom("l", status="in_progress"),
]


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("first", [call('{"a":1}', status="completed", id="c"), custom("ls -l", status="completed")])
@pytest.mark.parametrize("named", [{}, {"id": "other"}])
def test_an_unfinished_copy_of_a_call_that_was_done_replaces_nothing(first, copy, named):
    content = first.get("arguments") or first.get("input")
    for ending in ([ended({**copy, **named})], [done({**copy, **named}, 1), ended()], [done({**copy, **named}, 0), ended()]):
        outcome = told("responses", done({**first, "id": "i"}), *ending)
        assert whole(outcome) == [True]
        assert [each.arguments for each in outcome.answer.tool_calls] == [content]
        assert outcome.answer.native["output"] == [{**first, "id": "i"}]


def test_nor_where_the_list_holds_both():
    first = custom("ls -l", status="completed", id="c")
    outcome = told("responses", done(first), ended(first, call("", status="incomplete"), MESSAGE))
    assert whole(outcome) == [True]
    assert outcome.answer.native["output"] == [first, MESSAGE]


def test_an_unfinished_copy_of_any_other_item_with_a_call_id_replaces_nothing():
    shell = {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}, "status": "completed"}
    for copy in ({**shell, "action": {}, "status": "incomplete"}, call("", status="incomplete")):
        assert told("responses", done(shell), ended(copy)).answer.native["output"] == [shell]


def test_a_call_that_was_not_whole_takes_what_the_final_response_has():
    outcome = told("responses", done(call("", status="in_progress")), ended(call('{"a":1}', status="completed")))
    assert whole(outcome) == [True]
    assert outcome.answer.tool_calls[0].arguments == '{"a":1}'
    longer = told("responses", done(call('{"a', status="incomplete")), ended(call('{"a":1', status="incomplete")))
    assert longer.answer.tool_calls[0].arguments == '{"a":1'
