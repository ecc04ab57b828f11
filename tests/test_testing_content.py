"""What a reply says, and the small makers of its pieces."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import tool_call, usage
from sse_dialects.testing.content import Content


def content(*parts, finish_reason=None, native=None):
    return Content(
        parts, finish_reason=finish_reason, native_finish_reason=native, id=None, model="m", usage=None, alternatives=[]
    )


def test_calls_get_ids_where_they_have_none():
    made = content(tool_call("a"), sd.TextPart("x"), tool_call("b", id="mine"), tool_call("c"))
    assert [(call.id, call.name) for call in made.tool_calls] == [
        (f"call_{made.key}_1", "a"),
        ("mine", "b"),
        (f"call_{made.key}_3", "c"),
    ]


def test_ids_are_the_same_for_the_same_content_and_differ_from_others():
    keys = [content(*parts).key for parts in ([tool_call("a")], [tool_call("b")], [sd.TextPart("a")], [sd.RefusalPart("a")])]
    assert len(set(keys)) == len(keys)
    assert content(tool_call("a")).tool_calls == content(tool_call("a")).tool_calls


def test_what_is_said_again_has_other_ids():
    made = content(tool_call("a"), tool_call("b", id="mine"))
    assert made.again(0) is made
    ids = [[call.id for call in made.again(number).tool_calls] for number in range(3)]
    assert len({first for first, _ in ids}) == 3
    assert {second for _, second in ids} == {"mine"}
    assert made.again(1).key == made.again(1).key != made.key


def test_arguments_are_an_object_or_their_exact_text():
    assert tool_call("f", {"city": "Orléans", "n": 1}).arguments == '{"city": "Orléans", "n": 1}'
    assert tool_call("f", '{"city":').arguments == '{"city":'
    assert tool_call("f").arguments == ""
    assert tool_call("f").kind == "function"
    assert tool_call("f", "ls", custom=True).kind == "custom"


def test_usage_adds_up():
    made = usage(10, 5, cached_input_tokens=3, cache_write_tokens=2, reasoning_tokens=1)
    assert (made.input_tokens, made.output_tokens, made.total_tokens) == (10, 5, 15)
    assert (made.cached_input_tokens, made.cache_write_tokens, made.reasoning_tokens) == (3, 2, 1)


def test_text_is_joined():
    assert content(sd.TextPart("a"), sd.RefusalPart("no"), sd.TextPart("b")).text == "ab"


@pytest.mark.parametrize(
    ("given", "parts", "meant"), [(None, [], "stop"), (None, [tool_call("f")], "tool_calls"), ("length", [], "length")]
)
def test_the_finish_reason(given, parts, meant):
    assert content(*parts, finish_reason=given).finish_reason == meant


def test_which_reasons_cut_the_last_part_off():
    assert [reason for reason in ("stop", "length", "content_filter", "refusal") if content(finish_reason=reason).is_cut_off] == [
        "length",
        "content_filter",
    ]


def test_the_finish_reason_in_the_providers_word():
    assert content().word("chat", {"stop": "end"}) == "end"
    assert content(native="eos").word("chat", {"stop": "end"}) == "eos"
    with pytest.raises(sd.MisuseError, match="chat has no word for the finish reason 'pause': use one of stop, or"):
        content(finish_reason="pause").word("chat", {"stop": "end"})
