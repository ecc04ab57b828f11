"""The way of events out: deltas and the has_surrogates that wait, extras, limits, and the shape of members."""

from __future__ import annotations

import pytest

from sse_dialects import Extra, LimitExceededError, Limits, MalformedStreamError, TextDelta, ToolCallDelta, ToolCallStarted
from sse_dialects.dialects.emit import Emitter, arguments_member, items, object_member, objects, text_member, typed, word
from sse_dialects.dialects.merge import MergedObject, snapshot
from sse_dialects.dialects.parts import CallBuilder, TextBuffer, TextBuilder

HIGH, LOW = "\ud83d", "\ude00"


def emitter(*, has_surrogates=False, **limits):
    emit = Emitter(Limits(**limits), [])
    emit.has_surrogates = has_surrogates
    return emit


# ---- deltas


def test_a_delta_is_told_and_kept_and_natively_too():
    emit, part, member = emitter(), TextBuilder(0, 2), TextBuffer()
    emit.text(part, "a", member=member)
    emit.text(part, "")
    assert list(emit.out) == [TextDelta("a", 0, 2)]
    assert (part.text(), member.text()) == ("a", "a")


def test_half_a_pair_waits_for_its_other_half_in_the_next_delta_of_that_part():
    emit, part, member = emitter(has_surrogates=True), TextBuilder(0, 0), TextBuffer()
    emit.text(part, f"a{HIGH}", member=member)
    emit.text(part, f"{LOW}b", member=member)
    assert [event.text for event in emit.out] == ["a", "\U0001f600b"]
    assert member.text() == "a\U0001f600b"


def test_a_half_that_waits_is_settled_by_a_delta_that_holds_none():
    emit, part = emitter(has_surrogates=True), TextBuilder(0, 0)
    emit.text(part, HIGH)
    emit.has_surrogates = False
    emit.text(part, "b")
    assert [event.text for event in emit.out] == ["\ufffdb"]


def test_half_a_pair_left_alone_is_told_when_nothing_follows():
    emit, part = emitter(has_surrogates=True), TextBuilder(0, 0)
    emit.text(part, HIGH)
    assert list(emit.out) == []
    emit.flush(part)
    emit.flush(part)
    assert list(emit.out) == [TextDelta("\ufffd", 0, 0)]
    assert part.text() == "\ufffd"


def test_arguments_wait_for_the_start_of_their_call():
    emit, call = emitter(), CallBuilder(0, 0, "c", None, "function")
    emit.arguments(call, '{"a"')
    assert not emit.out
    call.announce(emit.out)
    emit.arguments(call, ":1}")
    assert list(emit.out) == [ToolCallStarted("c", None, "function"), ToolCallDelta('{"a"'), ToolCallDelta(":1}")]


def test_a_call_that_was_told_to_be_whole_takes_no_more():
    emit, call = emitter(), CallBuilder(0, 0, "c", "f", "function")
    call.announce(emit.out)
    call.finish(emit.out)
    emit.arguments(call, "")
    with pytest.raises(MalformedStreamError, match="executed already"):
        emit.arguments(call, " ")


# ---- extras


def test_a_value_is_told_when_it_first_arrives_or_changes():
    emit, store = emitter(), {}
    for value in (1, 1, None, 2, 1):
        emit.extra(store, "x", value, 3, 4)
    assert list(emit.out) == [Extra("x", value, 3, 4) for value in (1, 2, 1)]
    assert store == {"x": 1}


def test_a_lists_new_items_are_told_and_the_store_has_all():
    emit, store = emitter(has_surrogates=True), {}
    emit.extra_items(store, "x", [])
    emit.extra_items(store, "x", [1])
    emit.extra_items(store, f"x{HIGH}", [HIGH])
    emit.extra_items(store, "x", [2, 3], 0, 5)
    assert list(emit.out) == [Extra("x", [1]), Extra("x\ufffd", ["\ufffd"]), Extra("x", [2, 3], 0, 5)]
    assert store == {"x": [1, 2, 3], "x\ufffd": ["\ufffd"]}
    assert emit.out[0].value == [1]


def test_entries_of_one_name_are_a_list_and_each_is_told_as_it_is():
    emit, store, entries = emitter(), {}, [MergedObject(), MergedObject()]
    for number, entry in enumerate(entries):
        entry.add({"n": number})
        emit.entry(store, "x", entry, {"n": number}, number + 4)
    entries[0].add({"later": "y"})
    assert list(emit.out) == [Extra("x", [{"n": 0}], 0, 4), Extra("x", [{"n": 1}], 0, 5)]
    assert snapshot(store["x"]) == [{"n": 0, "later": "y"}, {"n": 1}]


def test_nothing_is_scrubbed_where_no_halves_can_be():
    value = {"a": HIGH}
    assert emitter().clean(value) is value
    assert emitter(has_surrogates=True).clean(value) == {"a": "\ufffd"}


@pytest.mark.parametrize(
    ("value", "expected"), [("x", "x"), ("", None), (None, None), (7, None), (["x"], None), (HIGH, "\ufffd")]
)
def test_a_word_of_a_payload_has_no_half_pair(value, expected):
    assert emitter(has_surrogates=True).word({"id": value}, "id") == expected
    assert emitter().word({"id": "x"}, "id") == "x"
    assert emitter().word({}, "id") is None


# ---- limits


def test_parts_are_opened_within_the_limit():
    emit, parts = emitter(max_parts=1), []
    part = TextBuilder(0, 0)
    assert emit.open(parts, part) is part
    with pytest.raises(LimitExceededError) as caught:
        emit.open(parts, TextBuilder(0, 1))
    assert (caught.value.limit, caught.value.allowed) == ("max_parts", 1)
    assert parts == [part]


def test_calls_are_counted_over_all_choices():
    emit = emitter(max_tool_calls=1)
    emit.open_call([], CallBuilder(0, 0, "a", "f", "function"))
    with pytest.raises(LimitExceededError) as caught:
        emit.open_call([], CallBuilder(1, 0, "b", "f", "function"))
    assert caught.value.limit == "max_tool_calls"


def test_a_limit_that_is_off_allows_any_number():
    emitter(max_choices=None).check_limit("max_choices", 10**9)


# ---- members


@pytest.mark.parametrize(("read", "empty", "good"), [(object_member, {}, {"a": 1}), (items, [], [1]), (text_member, "", "x")])
def test_null_missing_and_empty_are_one(read, empty, good):
    for nothing in ("", [], {}, False):
        assert read({"m": nothing}, "m") == empty
    assert read({}, "m") == empty
    assert read({"m": None}, "m") == empty
    assert read({"m": good}, "m") is good


@pytest.mark.parametrize(("value", "text"), [({"a": "ä"}, '{"a":"ä"}'), ("{", "{"), ({}, ""), (None, "")])
def test_arguments_may_be_an_object(value, text):
    assert arguments_member({"m": value}, "m") == text
    assert arguments_member({"other": "x"}, "m") == ""


@pytest.mark.parametrize(("value", "expected"), [("x", "x"), ("", None), (None, None), (7, None)])
def test_a_word_is_a_string_with_something_in_it(value, expected):
    assert word(value) == expected


@pytest.mark.parametrize(
    ("event", "payload", "kind"),
    [("b", {"type": "a"}, "a"), ("b", {"type": ""}, "b"), ("b", {}, "b"), (HIGH, {"type": 7}, "\ufffd")],
)
def test_the_type_is_the_payloads_or_else_the_events_name(event, payload, kind):
    assert typed(event, {**payload, "x": 1}) == (kind, {"type": kind, "x": 1})


def test_null_among_objects_is_nothing_and_an_empty_value_an_empty_object():
    assert objects({"m": [None, {"a": 1}, "", [], None]}, "m") == [{"a": 1}, {}, {}]


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (object_member, "secret", "'m' is a string where an object belongs"),
        (object_member, [1], "'m' is an array where an object belongs"),
        (items, {"a": 1}, "'m' is an object where an array belongs"),
        (items, True, "'m' is a boolean where an array belongs"),
        (text_member, 1, "'m' is a number where a string belongs"),
        (text_member, 1.5, "'m' is a number where a string belongs"),
        (text_member, 0, "'m' is a number where a string belongs"),
        (objects, [{}, "secret"], "'m' is a string where an object belongs"),
        (objects, {"a": 1}, "'m' is an object where an array belongs"),
    ],
)
def test_another_shape_is_malformed_and_the_reason_holds_no_model_text(read, value, sentence):
    with pytest.raises(MalformedStreamError) as caught:
        read({"m": value}, "m")
    assert caught.value.reason == sentence
