"""`object_so_far`: every prefix of a JSON object gives an object, and never a wrong member."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sse_dialects.sofar import object_so_far

CASES = [
    ("", {}),
    (" ", {}),
    ("{", {}),
    ('{"', {}),
    ('{"ci', {}),
    ('{"city"', {}),
    ('{"city":', {}),
    ('{"city": "', {"city": ""}),
    ('{"city": "Os', {"city": "Os"}),
    ('{"city": "Oslo"', {"city": "Oslo"}),
    ('{"city": "Oslo",', {"city": "Oslo"}),
    ('{"city": "Oslo", "da', {"city": "Oslo"}),
    ('{"city": "Oslo", "days": 1', {"city": "Oslo", "days": 1}),
    ('{"a": tru', {}),
    ('{"a": 1, "b": nul', {"a": 1}),
    ('{"a": -', {}),
    ('{"a": 1.', {}),
    ('{"a": [1, 2', {"a": [1, 2]}),
    ('{"a": [1, tr', {"a": [1]}),
    ('{"a": {"b": {', {"a": {"b": {}}}),
    ('{"a": {"b": 1}, "c": [{"d', {"a": {"b": 1}, "c": [{}]}),
    ('{"a": "x\\', {"a": "x"}),
    ('{"a": "x\\\\', {"a": "x\\"}),
    (r'{"a": "x\"', {"a": 'x"'}),
    (r'{"a": "x\u00', {"a": "x"}),
    (r'{"a": "x\u00e9', {"a": "xé"}),
    ('{"a": "} ] , {"', {"a": "} ] , {"}),
    ('{"a": 1}', {"a": 1}),
    ('{"a": 1}  ', {"a": 1}),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_object_so_far(text, expected):
    assert object_so_far(text) == expected


@pytest.mark.parametrize("text", ["[1, 2", '"text', "12", "null", "no JSON at all", "}", '{"a": 1} trailing', '{"a" 1, "b'])
def test_what_is_no_object_gives_an_empty_one(text):
    assert object_so_far(text) == {}


def test_nesting_beyond_the_parser_gives_an_empty_object():
    assert object_so_far('{"a": ' + "[" * 100_000) == {}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def agrees(part, whole):
    """Whether ``part`` is a beginning of ``whole``: members left out or cut short, none of another value."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and agrees(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(agrees, part, whole))
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part) or (part[-1:] >= "\ud800" and whole.startswith(part[:-1]))
    if isinstance(part, int) and isinstance(whole, int):
        return str(whole).lower().startswith(str(part).lower())
    return part == whole


@given(st.dictionaries(st.text(max_size=4), json_values, max_size=4), st.booleans())
def test_every_prefix_agrees_with_the_whole(whole, ascii_only):
    text = json.dumps(whole, ensure_ascii=ascii_only)
    for end in range(len(text) + 1):
        assert agrees(object_so_far(text[:end]), whole)
    assert object_so_far(text) == whole


def test_the_time_grows_with_the_text_and_not_with_its_square():
    def seconds(size):
        began = time.process_time()
        object_so_far('{"a": "' + '\\"x, {' * size)
        return time.process_time() - began

    seconds(1000)
    assert seconds(160_000) < 60 * max(seconds(20_000), 0.001)
