"""`Value` and `plain`: equality, short reprs, plain JSON."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from sse_dialects.values import Value, plain


class Point(Value):
    __slots__ = ("data", "x")
    __match_args__ = ("x", "data")

    def __init__(self, x, data=None):
        self.x = x
        self.data = data


class Place(Point):
    __slots__ = ()


def test_values_of_one_class_are_equal_member_by_member():
    assert Point(1, {"a": [2]}) == Point(1, {"a": [2]})
    assert Point(1) != Point(2)
    assert Point(1) != Place(1)
    assert Point(1) != (1, None)


def test_equal_values_have_one_hash_whatever_their_members_are():
    assert hash(Point(1, {"a": [2, {"b": None}], "c": 1})) == hash(Point(1.0, {"c": True, "a": [2.0, {"b": None}]}))
    assert len({Point(1), Point(1), Point(2), Place(1), Point(Point(1)), Point([1]), Point({"a": 1})}) == 6


def test_values_are_slotted():
    with pytest.raises(AttributeError):
        Point(1).y = 2


def test_values_match_by_position():
    match Point(1, "two"):
        case Point(x, data):
            assert (x, data) == (1, "two")


def test_a_repr_names_every_member():
    assert repr(Point(1, "two")) == "Point(x=1, data='two')"


def test_a_repr_is_too_short_to_fill_a_log():
    shown = repr(Point("a" * 1_000_000, ["b"] * 1000))
    assert len(shown) < 160
    assert shown.startswith("Point(x='aaa")
    assert "...', data=['b', " in shown
    assert shown.endswith("...])")


def test_to_dict_turns_values_inside_into_dicts():
    nested = Point(Point(1), {"list": [Point(2), 3]})
    assert nested.to_dict() == {
        "x": {"x": 1, "data": None},
        "data": {"list": [{"x": 2, "data": None}, 3]},
    }
    json.dumps(nested.to_dict())


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "text", [], {}])
def test_plain_leaves_plain_json_as_it_is(value):
    assert plain(value) == value


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_has_no_word_for_are_none(number):
    assert plain({"a": [number, 1.5]}) == {"a": [None, 1.5]}


def test_values_go_to_worker_processes():
    value = Point(1, [Point(2)])
    assert pickle.loads(pickle.dumps(value)) == value
    copied = copy.deepcopy(value)
    assert copied == value
    assert copied.data[0] is not value.data[0]
