"""Tool calls of a chat stream: which call a piece belongs to, and what it adds."""

from __future__ import annotations

import json

import pytest
from told import of_type, told

from sse_dialects import Decoder, Extra, MalformedStreamError, ToolCallDelta, ToolCallFinished, ToolCallStarted
from sse_dialects.dialects.chat import tool_calls
from sse_dialects.dialects.chat.tool_calls import Calls, ChatCall, Piece, index_of

ENDED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def chunk(*elements, **delta):
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(elements), **delta}}]}


def part(index=None, id=None, name=None, arguments=None, **more):
    fields = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}, **more}
    return {key: value for key, value in fields.items() if value is not None}


def calls(*elements, finish=None):
    """``(id, name, arguments)`` of the calls that these elements make, one a chunk."""
    rows = [chunk(*element) if isinstance(element, list) else chunk(element) for element in elements]
    answer = told("chat", *rows, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}, "[DONE]").answer
    return [(call.id, call.name, call.arguments) for call in answer.tool_calls]


# ---- which call


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([part(0, "a", "f", "{"), part(0, arguments="}")], [("a", "f", "{}")]),
        (
            [part(0, "a", "f"), part(1, "b", "g"), part(0, arguments="1"), part(1, arguments="2")],
            [("a", "f", "1"), ("b", "g", "2")],
        ),
        ([part(1, "b", "g", "2"), part(0, "a", "f", "1")], [("a", "f", "1"), ("b", "g", "2")]),
        ([part(10**9, "a", "f", "1"), part(10**9, arguments="2")], [("a", "f", "12")]),
        ([part("0", "a", "f", "1"), part(0, arguments="2"), part(0.0, arguments="3")], [("a", "f", "123")]),
        (
            [part(None, "a", "f", "1"), part(None, "b", "g", "2"), part(None, "a", arguments="3")],
            [("a", "f", "13"), ("b", "g", "2")],
        ),
        ([part(None, "a", "f", "1"), part(None, arguments="2")], [("a", "f", "12")]),
        ([part(0, "a", "f", "1"), part(0, "b", "g", "2")], [("a", "f", "1"), ("b", "g", "2")]),
        ([part(0, "a", "f", "1"), part(0, "b", arguments="2")], [("a", "f", "12")]),
        ([part(0, "a", "f", "1"), part(0, "a", "f", "2"), part(0, "", "", "3")], [("a", "f", "123")]),
        ([part(0, None, "f", "1"), part(0, "late", arguments="2")], [("late", "f", "12")]),
    ],
    ids=[
        "by index",
        "interleaved",
        "listed by index",
        "huge",
        "index of another type",
        "by id",
        "the last one opened",
        "new id with a name",
        "changed id without a name",
        "repeated and empty",
        "id learned late",
    ],
)
def test_a_piece_finds_its_call(elements, expected):
    assert calls(*elements) == expected


def test_a_name_is_repeated_or_grows():
    assert calls(part(0, "a", "get"), part(0, name="get"), part(0, name="get_weather", arguments="{}")) == [
        ("a", "get_weather", "{}")
    ]
    assert calls(part(0, "a", "get"), part(0, name="_weather")) == [("a", "get_weather", "")]
    assert calls(part(0, "a", "get"), part(0, name="_and_"), part(0, name="get")) == [("a", "get_and_get", "")]


def test_servers_without_ids_and_indexes_send_whole_calls():
    assert calls(part(name="f", arguments="{}"), part(name="f", arguments='{"a":1}')) == [
        (None, "f", "{}"),
        (None, "f", '{"a":1}'),
    ]
    assert calls([part(name="f", arguments="x"), part(name="g")]) == [(None, "f", "x"), (None, "g", "")]
    assert calls(part(0, None, "f", "{}"), part(0, None, "g", "{}")) == [(None, "f", "{}"), (None, "g", "{}")]


def test_a_name_repeated_with_every_piece_on_an_index_is_one_call():
    assert calls(part(0, None, "f", "{}"), part(0, None, "f", " ")) == [(None, "f", "{} ")]
    assert calls([part(0, None, "f", "{"), part(0, None, "f", "}")]) == [(None, "f", "{}")]


def test_without_an_index_a_name_repeated_goes_on_until_the_arguments_are_whole():
    assert calls(part(name="f", arguments="{"), part(name="f", arguments="}")) == [(None, "f", "{}")]
    assert calls(part(name="f", arguments="{"), part(None, "a", "f", "}")) == [("a", "f", "{}")]
    assert calls(part(name="f", arguments="{}"), part(name="f", arguments="x")) == [(None, "f", "{}"), (None, "f", "x")]


def test_empty_elements_hide_no_others():
    assert calls([{}, part(0, "a", "f", "{}")]) == [("a", "f", "{}")]


def test_an_index_outweighs_the_id_of_a_call_with_another_index():
    pieces = [part(0, "a", "f"), part(1, "b", "g"), part(1, "a", arguments="1")]
    assert calls(*pieces) == [("a", "f", ""), ("b", "g", "1")]


def test_a_name_that_grew_and_the_same_arguments_twice_are_one_call():
    assert calls(part(0, "a", "get"), part(0, name="_x", arguments="[]"), part(0, arguments="[]")) == [("a", "get_x", "[][]")]


def test_an_id_still_tells_where_two_calls_share_an_index():
    pieces = [part(0, "a", "f", "1"), part(0, "b", "g", "2"), part(0, "a", arguments="3")]
    assert calls(*pieces) == [("a", "f", "13"), ("b", "g", "2")]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (
            [part(0, "a", "f", "{}"), part(0, "b", "g"), part(1, arguments="{"), part(1, arguments="}")],
            [("a", "f", "{}"), ("b", "g", "{}")],
        ),
        (
            [part(0, "a", "f", "{}"), part(0, "b", "g"), part(1, arguments="{"), part(0, "c", "h"), part(1, arguments="}")],
            [("a", "f", "{}"), ("b", "g", "{}"), ("c", "h", "")],
        ),
        ([part(0, "a", "f", "{}"), part(1, arguments="{")], [("a", "f", "{}"), (None, None, "{")]),
        ([part(0, "a", "f"), part(1, arguments="{")], [("a", "f", ""), (None, None, "{")]),
        ([part(None, "a", "f", "{"), part(1, arguments="{")], [("a", "f", "{"), (None, None, "{")]),
        (
            [part(0, "a", "f"), part(0, "b", "g", "{}"), part(1, arguments="{")],
            [("a", "f", ""), ("b", "g", "{}"), (None, None, "{")],
        ),
        ([part(0, "a", "f"), part(0, "b", "g"), part(1, "c", arguments="{")], [("a", "f", ""), ("b", "g", ""), ("c", None, "{")]),
        ([part(1, arguments="{"), part(1, "a", "f", "}")], [("a", "f", "{}")]),
    ],
    ids=[
        "begun under another's number",
        "and another after it",
        "a whole call before",
        "a number of its own",
        "none",
        "whole already",
        "an id",
        "the first",
    ],
)
def test_arguments_on_a_new_index_go_on_with_a_call_begun_under_anothers_number(pieces, expected):
    assert sorted(calls(*pieces), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([part(0, "a", "f", "{"), part(7, "a", arguments="}")], [("a", "f", "{}")]),
        ([part(0, "a", "f"), part(7, "a", "f", "{}")], [("a", "f", "{}")]),
        ([part(0, "a", "f", '{"x":1}'), part(7, "a", "f", '{"x":1}')], [("a", "f", '{"x":1}')]),
        ([part(0, "a", "f", '{"x":1}'), part(7, "a", "f", '{"x":2}')], [("a", "f", '{"x":1}'), ("a", "f", '{"x":2}')]),
        ([part(0, "a", "f", '{"x":1}'), part(7, "a", "g", '{"x":1}')], [("a", "f", '{"x":1}'), ("a", "g", '{"x":1}')]),
        ([part(0, "a", "f"), part(7, "a", "g")], [("a", "f", ""), ("a", "g", "")]),
        ([part(None, "a", "f", "{"), part(7, "a", "f", "}")], [("a", "f", "{}")]),
        ([part(0, "a", "f"), part(7, "a", arguments="{"), part(7, arguments="}")], [("a", "f", "{}")]),
    ],
    ids=["goes on", "announced", "said again", "other arguments", "another name", "another call", "no index", "then by index"],
)
def test_a_known_id_on_a_new_index_is_its_call_unless_it_says_another(pieces, expected):
    assert calls(*pieces) == expected


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([part(0, "a", "f", '{"x":1}'), part(0, "a", "f", '{"x":1}')], [("a", "f", '{"x":1}')]),
        ([part(0, None, "f", '{"x":1}'), part(0, None, "f", '{"x":1}')], [(None, "f", '{"x":1}')]),
        ([part(0, None, "f", '{"x":1}'), part(0, None, "f", '{"x":2}')], [(None, "f", '{"x":1}'), (None, "f", '{"x":2}')]),
        ([part(0, None, "f", '{"x":1}'), part(0, None, "g", '{"x":1}')], [(None, "f", '{"x":1}'), (None, "g", '{"x":1}')]),
        ([part(0, None, "f", "{"), part(0, None, "f", "{")], [(None, "f", "{{")]),
    ],
)
def test_a_whole_call_said_again_adds_nothing(pieces, expected):
    assert calls(*pieces) == expected


def test_a_name_in_every_piece_does_not_hide_that_the_whole_call_is_said_again():
    pieces = [part(0, name="f", arguments=arguments) for arguments in ('{"a"', ":", "1}", '{"a":1}')]
    assert calls(part(0, "a", "f", ""), *pieces) == [("a", "f", '{"a":1}')]


def test_pieces_of_two_calls_in_one_delta_stay_apart():
    def both(first, second):
        return [part(0, arguments=first), part(1, arguments=second)]

    begun = [part(0, "a", "f", ""), part(1, "b", "g", "")]
    assert calls(begun, both("", "x"), both("", "y"), both("z", "y")) == [("a", "f", "z"), ("b", "g", "xyy")]


def test_members_of_a_call_are_joined_however_often_the_same_piece_comes():
    def native(row):
        rows = [chunk(part(0, "a", "f", "")), *[chunk(row)] * 4]
        return told("chat", *rows, "[DONE]").answer.native["choices"][0]["message"]["tool_calls"][0]

    assert native({"index": 0, "own": "s", "function": {"arguments": "x"}})["own"] == "ssss"
    assert native({"index": 0, "function": {"arguments": "x", "own": "s"}})["function"]["own"] == "ssss"


def test_a_call_belongs_to_its_choice():
    outcome = told("chat", {"choices": [{"index": 1, "delta": {"tool_calls": [part(0, "a", "f", "{}")]}}]}, "[DONE]")
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("a", "f", "function", 1, 0),
        ToolCallDelta("{}", 1, 0),
    ]


def test_ids_that_are_numbers_are_their_digits():
    assert calls(part(0, 7, "f", "{}"), part(1, True, "g", "{}")) == [("7", "f", "{}"), (None, "g", "{}")]


# ---- what a piece adds


@pytest.mark.parametrize("value", [{"a": "ä", "b": [1]}, ["ä"]])
def test_arguments_sent_as_an_object_are_dumped_compactly(value):
    [(_, _, arguments)] = calls(part(0, "a", "f", value))
    assert arguments == {dict: '{"a":"ä","b":[1]}', list: '["ä"]'}[type(value)]


@pytest.mark.parametrize(
    "element", [{}, {"index": 0}, {"index": 0, "id": "", "function": None}, {"function": {"name": None, "arguments": ""}}]
)
def test_null_and_empty_members_are_nothing(element):
    assert calls(element, None) == []
    assert Piece(element).is_empty()


def test_a_custom_call_has_free_text_input():
    rows = [
        chunk({"index": 0, "id": "c", "type": "custom", "custom": {"name": "f", "input": "a"}}),
        chunk({"index": 0, "custom": {"input": "b"}}),
    ]
    outcome = told("chat", *rows, ENDED, "[DONE]")
    [call] = outcome.answer.tool_calls
    assert (call.kind, call.arguments, call.complete) == ("custom", "ab", True)
    assert outcome.answer.turn[0]["tool_calls"] == [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "ab"}}]


def test_a_providers_own_members_of_a_call_are_told_and_go_back():
    row = part(0, "a", "f", "{}", extra_content={"signature": "s"})
    row["function"]["strict"] = True
    outcome = told("chat", chunk(row), "[DONE]")
    assert of_type(outcome, Extra) == [Extra("extra_content", {"signature": "s"}, 0, 0), Extra("strict", True, 0, 0)]
    [native] = outcome.answer.turn[0]["tool_calls"]
    assert native["extra_content"] == {"signature": "s"}
    assert native["function"] == {"name": "f", "arguments": "{}", "strict": True}


def test_a_legacy_function_call_becomes_a_tool_call_and_an_empty_one_is_nothing():
    def row(value):
        return {"choices": [{"index": 0, "delta": {"function_call": value}}]}

    outcome = told("chat", row({"name": "", "arguments": ""}), row({"name": "f"}), row({"arguments": "{}"}), row({}), "[DONE]")
    assert [(call.id, call.name, call.arguments) for call in outcome.answer.tool_calls] == [(None, "f", "{}")]
    assert outcome.answer.turn[0]["function_call"] == {"name": "f", "arguments": "{}"}
    assert "tool_calls" not in outcome.answer.turn[0]


def test_a_call_is_told_once_its_name_is_known_or_at_the_end():
    outcome = told("chat", chunk(part(0, "a", arguments="{")), chunk(part(0, name="f")), chunk(part(0, arguments="}")), "[DONE]")
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("a", "f", "function", 0, 0),
        ToolCallDelta("{", 0, 0),
        ToolCallDelta("}", 0, 0),
    ]
    nameless = told("chat", chunk(part(0, "a", arguments="{}")), "[DONE]")
    assert of_type(nameless, ToolCallStarted) == [ToolCallStarted("a", None, "function", 0, 0)]


ONE, TWO = '{"n":1}', '{"n":2}'


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        # said again: the whole call, by id, by index, by both
        ([part(0, "a", "f", ONE), part(0, "a", "f", ONE)], [("a", "f", ONE)]),
        ([part(0, None, "f", ONE), part(0, None, "f", ONE)], [(None, "f", ONE)]),
        ([part(None, "a", "f", ONE), part(None, "a", "f", ONE)], [("a", "f", ONE)]),
        ([part(0, "a", "f", ONE), part(1, "a", "f", ONE)], [("a", "f", ONE)]),
        ([part(0, "a", "f", ""), part(0, "a", "f", ONE), part(0, "a", "f", "")], [("a", "f", ONE)]),
        # an empty object, and then the whole call
        ([part(0, "a", "f", "{}"), part(0, "a", "f", ONE)], [("a", "f", ONE)]),
        ([part(None, "a", "f", "{}"), part(None, "a", "f", ONE)], [("a", "f", ONE)]),
        # another call under the same id, or under none
        ([part(0, "a", "f", ONE), part(0, "a", "f", TWO)], [("a", "f", ONE), ("a", "f", TWO)]),
        ([part(None, "a", "f", ONE), part(None, "a", "g", TWO)], [("a", "f", ONE), ("a", "g", TWO)]),
        ([part(0, "a", "f", ONE), part(0, "a", "g"), part(0, "a", arguments=TWO)], [("a", "f", ONE), ("a", "g", TWO)]),
        ([part(0, None, "f", ONE), part(0, None, "f", TWO)], [(None, "f", ONE), (None, "f", TWO)]),
        ([part(0, "a", "f", ONE), part(1, "a", "f", TWO)], [("a", "f", ONE), ("a", "f", TWO)]),
        # not whole yet: the same call
        ([part(0, "a", "f", '{"n"'), part(0, "a", "f", ":1}")], [("a", "f", ONE)]),
        ([part(0, None, "f", '{"n":'), part(0, None, "f", "{}"), part(0, arguments="}")], [(None, "f", '{"n":{}}')]),
        # begun under another's number, gone on under its own
        (
            [part(0, "a", "f", ONE), part(0, "b", "g", '{"n"'), part(1, arguments=":2"), part(1, arguments="}")],
            [("a", "f", ONE), ("b", "g", TWO)],
        ),
        ([part(0, "a", "f", ONE), part(1, arguments=TWO)], [("a", "f", ONE), (None, None, TWO)]),
        (
            [part(0, "a", "f", ONE), part(0, "b", "g", TWO), part(1, arguments=ONE)],
            [("a", "f", ONE), ("b", "g", TWO), (None, None, ONE)],
        ),
        # ids that are numbers
        ([part(0, 7, "f", '{"n"'), part(None, 7, arguments=":1}")], [("7", "f", ONE)]),
    ],
)
def test_what_is_said_again_and_what_begins_anew(elements, expected):
    assert calls(*elements) == expected


def test_an_empty_object_is_told_once_nothing_can_take_its_place():
    rows = [chunk(part(0, "a", "f", "{}")), chunk(part(1, "b", "g", "{}")), chunk(part(1, arguments=ONE))]
    outcome = told("chat", *rows, ENDED, "[DONE]")
    assert of_type(outcome, ToolCallDelta) == [ToolCallDelta(ONE, 0, 1), ToolCallDelta("{}", 0, 0)]
    assert [call.arguments for call in outcome.answer.tool_calls] == ["{}", ONE]
    assert all(call.complete for call in outcome.answer.tool_calls)


def test_an_empty_object_ahead_of_the_name_waits_too():
    outcome = told("chat", chunk(part(0, "a", None, "{}")), chunk(part(0, arguments=ONE)), chunk(part(0, name="f")), "[DONE]")
    assert of_type(outcome, ToolCallDelta) == [ToolCallDelta(ONE, 0, 0)]


def test_halves_wait_in_arguments_and_are_final_in_names():
    outcome = told("chat", chunk(part(0, "a\ud83d", "f\ud83d", "x\ud83d")), chunk(part(0, arguments="\ude00")), "[DONE]")
    [call] = outcome.answer.tool_calls
    assert (call.id, call.name, call.arguments) == ("a\ufffd", "f\ufffd", "x\U0001f600")
    rows = [{"index": 0, "custom": {"name": "f\ud83d", "input": "x\ud83d"}}, {"index": 0, "custom": {"input": "\ude00"}}]
    [call] = told("chat", *map(chunk, rows), "[DONE]").answer.tool_calls
    assert (call.name, call.arguments) == ("f\ufffd", "x\U0001f600")


@pytest.mark.parametrize(
    ("reason", "whole"), [("tool_calls", 1), ("stop", 1), (None, 0), ("length", 0), ("content_filter", 0), ("max_tokens", 0)]
)
def test_calls_are_whole_at_the_end_unless_the_reason_cut_them(reason, whole):
    rows = [chunk(part(0, "a", "f", "{}")), {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]
    outcome = told("chat", *rows, "[DONE]")
    assert len(of_type(outcome, ToolCallFinished)) == whole
    assert [call.complete for call in outcome.answer.tool_calls] == [bool(whole)]


# ---- the module itself


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (0, 0),
        (-1, -1),
        ("7", 7),
        ("x", "x"),
        ("", None),
        ("9" * 30, "9" * 30),
        ("9" * 19, 10**19 - 1),
        ("9" * 20, "9" * 20),
        ("²", "²"),
        (1.0, 1),
        (1.5, None),
        (True, None),
        (None, None),
        ([0], None),
    ],
)
def test_an_index_is_a_name(value, index):
    assert index_of(value) == index


def opened(name="f", arguments="", **fields):
    call = ChatCall(0, 0, Piece(part(0, "a", name, arguments, **fields)))
    call.append(arguments)
    return call


@pytest.mark.parametrize(
    ("text", "whole"), [("{}", True), ('{"a": 1}', True), ('{"a": {}', False), ("[1]", False), ("x}", False), ("", False)]
)
def test_whole_arguments_are_a_json_object(text, whole):
    assert opened(arguments=text).has_whole_arguments() == whole
    assert not opened(arguments='{"a":' * 100_000 + "}").has_whole_arguments()


def test_asking_whether_arguments_are_whole_has_a_bound():
    call = opened(arguments='{"a": "}')
    answers = {call.has_whole_arguments() for _ in range(1000)}
    assert answers == {False}
    call._checked = 1 << 30
    call.append('"}')
    assert not call.has_whole_arguments()


def test_how_often_one_may_ask_grows_with_the_arguments(monkeypatch):
    monkeypatch.setattr(tool_calls, "_MAX_CHECKED", 0)
    call = opened(arguments='{"a": 1}')
    assert [call.has_whole_arguments() for _ in range(12)] == [True] * 9 + [False] * 3


@pytest.mark.parametrize(
    ("had", "name", "arguments", "again"),
    [
        ('{"a":1}', "f", '{"a":1}', True),
        ('{"a":1}', "f", '{"a":2}', False),
        ('{"a":1}', "f", "{}", False),
        ('{"a":1}', "g", '{"a":1}', False),
        ('{"a":1}', None, '{"a":1}', False),
        ('{"a":', "f", '{"a":', False),
    ],
)
def test_said_again_is_the_name_with_all_of_a_whole_call(had, name, arguments, again):
    assert opened(arguments=had).is_said_again(Piece(part(0, "a", name, arguments))) == again


def test_a_name_that_grew_is_known_by_what_it_is_so_far():
    call = opened("get")
    assert call.goes_by("get")
    call.rename("get_weather")
    assert call.goes_by("get_weather")
    assert not call.goes_by("get")
    assert call.build().name == "get_weather"


def test_calls_without_an_index_count_as_if_numbered():
    known = Calls()
    rows = [(None, "x"), (5, "y"), (1, "z")]
    for index, id in rows:
        known.open(ChatCall(0, 0, Piece(part(index, id, "f"))))
    assert [call.id for call in known.in_order] == ["x", "z", "y"]
    assert known.with_id("z") is known.opened[2]
    assert known.with_id(None) is None


@pytest.mark.parametrize(
    "delta",
    [
        {"tool_calls": [5]},
        {"tool_calls": [{"index": 0, "id": "c", "function": "x"}]},
        {"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": ["x"]}]},
    ],
)
def test_what_is_no_call_is_malformed_and_not_a_call_of_nothing(delta):
    decoder = Decoder("chat")
    data = json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode()
    with pytest.raises(MalformedStreamError, match="belongs"):
        list(decoder.feed(b"data: " + data + b"\n\n"))


# ---- arguments of which each piece holds all so far


GROWING = ['{"q": "ca', '{"q": "cats", "n', '{"q": "cats", "n": 5}']
OBJECTS = [{"q": "ca"}, {"q": "cats"}, {"q": "cats", "n": 5}]


def reason(word, **more):
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": word, **more}]}


@pytest.mark.parametrize("pieces", [GROWING, OBJECTS, [{}, *OBJECTS], [*GROWING, GROWING[-1]], [*map(json.dumps, OBJECTS)]])
@pytest.mark.parametrize(
    ("word", "whole"),
    [("tool_calls", True), ("tool_use", True), ("FUNCTION_CALL", True), ("stop", False), ("length", False), (None, False)],
)
def test_of_cumulative_arguments_the_last_counts(pieces, word, whole):
    rows = [chunk(part(0, "a", "f")), *(chunk(part(0, arguments=piece)) for piece in pieces), reason(word)]
    outcome = told("chat", *rows, "[DONE]")
    [call] = outcome.answer.tool_calls
    assert (call.parsed(), call.complete) == (OBJECTS[-1], whole)
    assert [event.tool_call for event in of_type(outcome, ToolCallFinished)] == [call] * whole
    native = outcome.answer.turn[0]["tool_calls"]
    assert native[0]["function"]["arguments"] == call.arguments
    assert of_type(outcome, Extra) == [Extra("snapshot", {"tool_calls": native})]


def test_so_they_do_in_the_legacy_form_and_in_each_call_of_each_choice():
    rows = [{"choices": [{"index": 0, "delta": {"function_call": {"name": "f", "arguments": piece}}}]} for piece in GROWING]
    outcome = told("chat", *rows, reason("function_call"), "[DONE]")
    [call] = outcome.answer.tool_calls
    assert (call.arguments, call.complete) == (GROWING[-1], True)
    assert of_type(outcome, Extra) == [Extra("snapshot", {"function_call": {"name": "f", "arguments": GROWING[-1]}})]
    rows = [
        {"choices": [{"index": n, "delta": {"tool_calls": [part(c, f"{n}{c}", "f", piece) for c in (0, 1)]}} for n in (0, 1)]}
        for piece in GROWING
    ]
    ends = [{"choices": [{"index": n, "delta": {}, "finish_reason": "tool_calls"}]} for n in (0, 1)]
    answer = told("chat", *rows, *ends, "[DONE]").answer
    for each in answer.choices:
        assert [(call.arguments, call.complete) for call in each.tool_calls] == [(GROWING[-1], True)] * 2


@pytest.mark.parametrize(
    "pieces",
    [
        ['{"a": ', '"{', '{"}'],  # joined they are JSON
        GROWING[1:],  # two may be a chance
        [*GROWING[:2], '{"q": "dogs", "n'],  # the last is no object
        [GROWING[0], '{"r": "x', GROWING[2]],  # one does not begin with the one before it
        [{"a": 1}, {"b": 2}, {"a": 1, "b": 2}],
    ],
)
def test_pieces_that_are_no_snapshots_are_joined(pieces):
    rows = [chunk(part(0, "a", "f")), *(chunk(part(0, arguments=piece)) for piece in pieces)]
    outcome = told("chat", *rows, reason("tool_calls"), "[DONE]")
    [call] = outcome.answer.tool_calls
    texts = [piece if isinstance(piece, str) else json.dumps(piece, separators=(",", ":")) for piece in pieces]
    assert call.arguments == "".join(texts)
    assert of_type(outcome, Extra) == []


def test_free_text_may_repeat_itself():
    begun = chunk({"index": 0, "id": "c", "type": "custom", "custom": {"name": "f"}})
    rows = [chunk({"index": 0, "custom": {"input": piece}}) for piece in ("{}", "{}{}", '{"a": 1}')]
    [call] = told("chat", begun, *rows, reason("tool_calls"), "[DONE]").answer.tool_calls
    assert (call.arguments, call.complete) == ('{}{}{}{"a": 1}', True)


# ---- which calls are certain


@pytest.mark.parametrize(
    ("word", "native", "whole"),
    [
        ("tool_calls", "STOP", True),
        ("tool_calls", "tool_use", True),
        ("tool_calls", None, True),
        ("something_new", "other_new", True),
        ("tool_calls", "max_tokens", False),
        ("stop", "SAFETY", False),
        ("tool_calls", "cancelled", False),
        ("tool_calls", "upstream_error", False),
        ("stop", "content_filter: SAFETY", False),
        ("stop_limit", None, False),
        (None, "stop", False),
        ("null", "tool_calls", False),
    ],
)
@pytest.mark.parametrize("kind", ["function", "custom", "legacy"])
def test_a_call_is_certain_where_a_reason_came_and_none_cut_it(kind, word, native, whole):
    rows = {
        "function": chunk(part(0, "a", "f", ONE)),
        "custom": chunk({"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": "ls"}}),
        "legacy": {"choices": [{"index": 0, "delta": {"function_call": {"name": "f", "arguments": ONE}}}]},
    }
    outcome = told("chat", rows[kind], reason(word, native_finish_reason=native), "[DONE]")
    assert [call.complete for call in outcome.answer.tool_calls] == [whole]
    assert len(of_type(outcome, ToolCallFinished)) == whole


def test_a_native_reason_counts_wherever_it_comes_and_for_its_choice_alone():
    early = {"choices": [{"index": 0, "delta": {"tool_calls": [part(0, "a", "f", ONE)]}, "native_finish_reason": "MAX_TOKENS"}]}
    other = {"choices": [{"index": 1, "delta": {"tool_calls": [part(0, "b", "f", ONE)]}}]}
    ends = [{"choices": [{"index": number, "delta": {}, "finish_reason": "tool_calls"}]} for number in (0, 1)]
    answer = told("chat", early, other, *ends, "[DONE]").answer
    assert [[call.complete for call in each.tool_calls] for each in answer.choices] == [[False], [True]]
    assert answer.extra["native_finish_reason"] == "MAX_TOKENS"


@pytest.mark.parametrize("lenient", [False, True])
def test_a_second_reason_that_cuts_counts_as_well(lenient):
    rows = [chunk(part(0, "a", "f", ONE)), reason("tool_calls"), reason("length")]
    outcome = told("chat", *rows, *([] if lenient else ["[DONE]"]), require_done=not lenient)
    assert [call.complete for call in outcome.answer.tool_calls] == [False]
    assert outcome.answer.native_finish_reason == "tool_calls"


# ---- calls without a name


def test_a_call_that_never_gets_a_name_is_nobodys():
    nameless = part(1, "b", None, ONE)
    for word, normal in (("stop", "stop"), ("end_turn", "stop"), ("tool_calls", "tool_calls")):
        outcome = told("chat", chunk(nameless, content="x"), reason(word), "[DONE]")
        assert outcome.answer.finish_reason == normal == outcome.events[-1].finish_reason
        assert outcome.answer.turn == [{"role": "assistant", "content": "x"}]
        assert [call.complete for call in outcome.answer.tool_calls] == [False]
        assert of_type(outcome, ToolCallFinished) == []
        assert outcome.answer.native["choices"][0]["message"]["tool_calls"][0]["id"] == "b"


def test_beside_a_call_with_a_name_it_changes_nothing():
    outcome = told("chat", chunk(part(0, "a", "f", ONE), part(1, "b", None, TWO)), reason("stop"), "[DONE]")
    assert outcome.answer.finish_reason == "tool_calls"
    assert [call.complete for call in outcome.answer.tool_calls] == [True, False]
    assert [each["id"] for each in outcome.answer.turn[0]["tool_calls"]] == ["a"]


@pytest.mark.parametrize("body", [{"custom": {"input": "ls"}, "type": "custom"}, {"function": {"arguments": ONE}}])
def test_so_it_is_in_every_form(body):
    outcome = told("chat", chunk({"index": 0, **body}), reason("stop"), "[DONE]")
    assert (outcome.answer.finish_reason, outcome.answer.turn) == ("stop", [{"role": "assistant", "content": None}])
    legacy = {"choices": [{"index": 0, "delta": {"function_call": {"arguments": ONE}}}]}
    outcome = told("chat", legacy, reason("stop"), "[DONE]")
    assert (outcome.answer.finish_reason, outcome.answer.turn) == ("stop", [{"role": "assistant", "content": None}])


# ---- ids that are empty


def test_an_empty_id_is_kept_until_another_comes():
    outcome = told("chat", chunk(part(0, "", "f", ONE)), reason("tool_calls"), "[DONE]")
    assert outcome.answer.tool_calls[0].id == outcome.answer.turn[0]["tool_calls"][0]["id"] == ""
    assert of_type(outcome, ToolCallStarted) == [ToolCallStarted("", "f", "function")]
    outcome = told("chat", chunk(part(0, "", "f", "{")), chunk(part(0, "a", None, "}")), reason("tool_calls"), "[DONE]")
    assert [(call.id, call.arguments) for call in outcome.answer.tool_calls] == [("a", "{}")]
    outcome = told("chat", chunk(part(0, None, "f", ONE)), reason("tool_calls"), "[DONE]")
    assert outcome.answer.tool_calls[0].id is None


def test_empty_ids_are_no_name_of_a_call():
    rows = [chunk(part(None, "", "f", ONE)), chunk(part(None, "", "g", "null")), chunk(part(None, "", "h", TWO))]
    outcome = told("chat", *rows, reason("stop"), "[DONE]")
    assert [(call.name, call.arguments) for call in outcome.answer.tool_calls] == [("f", ONE), ("g", "null"), ("h", TWO)]
    assert all(call.complete for call in outcome.answer.tool_calls)
