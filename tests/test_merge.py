"""Native members that arrive in pieces."""

from __future__ import annotations

import pytest

from sse_dialects.dialects.merge import MergedAudio, MergedLogprobs, MergedObject, merge, snapshot


def made(kind, *pieces):
    whole = kind()
    for piece in pieces:
        whole.add(piece)
    return whole.build()


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([{"a": "x"}, {"a": "y"}], {"a": "xy"}),
        ([{"a": [1]}, {"a": [2, 3]}], {"a": [1, 2, 3]}),
        ([{"a": {"b": "x"}}, {"a": {"b": "y", "c": [1]}}], {"a": {"b": "xy", "c": [1]}}),
        ([{"a": 1}, {"a": 2}], {"a": 2}),
        ([{"a": True}, {"a": None}], {"a": True}),
        ([{"a": "x"}, {"a": 1}, {"a": "y"}], {"a": "y"}),
        ([{"a": "x"}, {"a": ["y"]}], {"a": ["x", "y"]}),
        ([{"a": [1]}, {"a": {"b": 1}}], {"a": {"b": 1}}),
    ],
)
def test_strings_are_joined_lists_grow_and_of_all_else_the_last_counts(pieces, expected):
    assert made(MergedObject, *pieces) == expected


@pytest.mark.parametrize("name", ["id", "type", "index", "format", "role", "name"])
def test_a_member_that_names_a_thing_is_no_piece_of_it(name):
    assert made(MergedObject, {name: "x"}, {name: "x"}) == {name: "x"}
    assert made(MergedObject, {name: "x"}, {name: "y"}) == {name: "y"}


def test_it_is_empty_until_something_came_and_can_be_asked_on_the_way():
    whole = MergedObject()
    assert not whole
    assert whole.get("a") is None
    whole.add({"a": None})
    assert not whole
    whole.add({"a": "x"})
    assert whole
    assert whole.get("a") == "x"
    whole.add({"a": "y"})
    assert whole.get("a") == "xy"


def test_nothing_that_came_in_is_changed_and_nothing_that_was_given_out():
    first, second = {"a": [1], "b": {"c": [1]}}, {"a": [2], "b": {"c": [2]}}
    whole = MergedObject()
    whole.add(first)
    early = whole.build()
    whole.add(second)
    assert first == {"a": [1], "b": {"c": [1]}}
    assert early == first
    assert whole.build() == {"a": [1, 2], "b": {"c": [1, 2]}}


def test_audio_lists_its_data_for_each_piece_is_padded_for_itself():
    pieces = [
        {"id": "a", "data": "QQ==", "transcript": "x", "expires_at": 1},
        {"data": "Qg==", "transcript": "y", "expires_at": 2},
    ]
    assert made(MergedAudio, *pieces) == {"id": "a", "data": ["QQ==", "Qg=="], "transcript": "xy", "expires_at": 2}


def test_logprobs_are_lists_whatever_they_are_called():
    pieces = [{"content": [1], "refusal": [9], "sampled": "x"}, {"content": [2], "sampled": "y", "tokens": ["t"]}]
    assert made(MergedLogprobs, *pieces) == {"content": [1, 2], "refusal": [9], "sampled": "y", "tokens": ["t"]}


@pytest.mark.parametrize("value", [1, None, True, 1.5])
def test_what_cannot_be_joined_stays(value):
    assert merge("before", value) is value
    assert snapshot(value) is value


def test_a_list_that_is_not_ours_is_given_out_as_it_is():
    value = [1]
    assert snapshot(value) is value
    assert snapshot(merge(None, value)) == value
    assert snapshot(merge(None, value)) is not value
