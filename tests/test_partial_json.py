"""`object_so_far`: every prefix of a JSON object gives an object, and never a wrong member."""

from __future__ import annotations

import json
import sys
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sse_dialects.partial_json import object_so_far, value_so_far

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
    ('{"a": [1], "b": {"c": 1', {"a": [1], "b": {"c": 1}}),
    ('{"a": [{"b": 1}, 2', {"a": [{"b": 1}, 2]}),
    ('{"a": [{"b": tr}]', {"a": [{}]}),
    ('{"a": {"b": {', {"a": {"b": {}}}),
    ('{"a": {"b": 1}, "c": [{"d', {"a": {"b": 1}, "c": [{}]}),
    ('{"a": "x\\', {"a": "x"}),
    ('{"a": "x\\\\', {"a": "x\\"}),
    ('{"a": "x\\\\\\', {"a": "x\\"}),
    ('{"a": "x\\\\\\\\', {"a": "x\\\\"}),
    (r'{"a": "x\"', {"a": 'x"'}),
    (r'{"a": "x\u00', {"a": "x"}),
    (r'{"a": "x\u00e9', {"a": "xé"}),
    ('{"a": "} ] , {"', {"a": "} ] , {"}),
    ('{"a": 1}', {"a": 1}),
    (' \n{"a": 1}  ', {"a": 1}),
    ('{"a": 1} and more, [of "it', {"a": 1}),
    ('{"a": 1, }', {"a": 1}),
    (r'{"a": "\ud83d", "b', {"a": "\ud83d"}),
    ('{"a": "' + "\ud83d", {"a": "\ud83d"}),
    ('{"a": ' + "[" * 300, {"a": json.loads("[" * 300 + "]" * 300)}),
]


@pytest.fixture(params=["json", "jiter"])
def parser(request, monkeypatch):
    """Which of the two does the work."""
    if request.param == "jiter":
        pytest.importorskip("jiter")
    else:
        monkeypatch.delitem(sys.modules, "jiter", raising=False)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_object_so_far(text, expected):
    assert object_so_far(text) == expected


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text", ["[1, 2", '"text', "12", "null", "no JSON at all", '\x0b{"a": 1', "}", '{"a" 1, "b', '{"a": "x\ny', '{"a": 01']
)
def test_what_is_no_object_gives_an_empty_one(text):
    assert object_so_far(text) == {}


TEXTS = [
    ("[1, 2", [1, 2]),
    ('[{"a": 1}, {"b": "x', [{"a": 1}, {"b": "x"}]),
    ("[", []),
    ('```json\n{"a": [1, ', {"a": [1]}),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```json\n{"a": 1}\n```\nThat is all: [1]', {"a": 1}),
    ('```json\n{"a": 1}\n``', {"a": 1}),
    ("Here it is:\n\n  ```\n  [1, 2\n", [1, 2]),
    ('```json\n{"a": "```', {"a": "```"}),
    ("```json", {}),
    ("```json\n", {}),
    ("``", {}),
    ("```python\nprint(1)\n```\n", {}),
    ("no JSON, but `[1]`", {}),
    ('"text"', {}),
    ("12", {}),
]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("text", "expected"), [*TEXTS, *CASES])
def test_the_value_so_far(text, expected):
    assert value_so_far(text) == expected


@settings(max_examples=40)
@given(st.deferred(lambda: st.lists(json_values, max_size=4)), st.booleans(), st.booleans())
def test_every_prefix_of_a_list_agrees_with_the_whole(whole, ascii_only, fenced):
    text = json.dumps(whole, ensure_ascii=ascii_only)
    if fenced:
        text = f"Sure:\n```json\n{text}\n```\n"
    for end in range(len(text) + 1):
        assert agrees(value_so_far(text[:end]) or [], whole)
    assert value_so_far(text) == whole


@pytest.mark.usefixtures("parser")
def test_nesting_beyond_the_parser_gives_an_empty_object():
    assert object_so_far('{"a": ' + "[" * 100_000) == {}


def test_jiter_does_the_work_once_it_is_imported(monkeypatch):
    asked = []
    monkeypatch.setitem(sys.modules, "jiter", SimpleNamespace(from_json=lambda text, **options: asked.append((text, options))))
    assert object_so_far('{"a": 1') == {"a": 1}
    assert asked == [(b'{"a": 1', {"partial_mode": "trailing-strings"})]


def test_a_jiter_that_knows_no_unfinished_strings_is_passed_over(monkeypatch):
    monkeypatch.setitem(sys.modules, "jiter", SimpleNamespace(from_json=lambda text: pytest.fail("is not called like this")))
    assert object_so_far('{"a": 1') == {"a": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
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
    if type(part) is type(whole) is int:
        return str(whole).startswith(str(part))
    if type(part) in {int, float} and type(whole) is float:
        return True  # with its exponent cut, it may be any other
    return part == whole


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=4), json_values, max_size=4), st.booleans())
def test_every_prefix_agrees_with_the_whole(whole, ascii_only):
    text = json.dumps(whole, ensure_ascii=ascii_only)
    for end in range(len(text) + 1):
        assert agrees(object_so_far(text[:end]), whole)
    assert object_so_far(text) == whole


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=4), json_values, max_size=4), st.booleans())
def test_both_parsers_give_the_same(whole, ascii_only):
    pytest.importorskip("jiter")
    text = json.dumps(whole, ensure_ascii=ascii_only)
    beginnings = [text[:end] for end in range(len(text) + 1)]
    by_jiter = [repr(object_so_far(beginning)) for beginning in beginnings]
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "jiter")
        assert [repr(object_so_far(beginning)) for beginning in beginnings] == by_jiter


def test_the_time_grows_with_the_text_and_not_with_its_square():
    def seconds(size):
        began = time.process_time()
        object_so_far('{"a": "' + '\\"x, {' * size)
        return time.process_time() - began

    seconds(1000)
    assert seconds(160_000) < 60 * max(seconds(20_000), 0.001)
