"""Content blocks of a message, each kind for itself: what opens it, what its deltas add, and its native form."""

from __future__ import annotations

import pytest
from told import of_type, stream_of, told

from sse_dialects import (
    Decoder,
    Extra,
    LimitExceededError,
    Limits,
    MalformedStreamError,
    OtherPart,
    ReasoningDelta,
    ReasoningPart,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)

STOP = {"type": "message_stop"}


def start(index=0, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index=0, **fields):
    return {"type": "content_block_delta", "index": index, "delta": fields}


def stop(index=0):
    return {"type": "content_block_stop", "index": index}


def text(piece, index=0):
    return delta(index, type="text_delta", text=piece)


def json_piece(piece, index=0):
    return delta(index, type="input_json_delta", partial_json=piece)


def content(outcome):
    return outcome.answer.native["content"]


# ---- any block


@pytest.mark.parametrize("block", [{"type": "text", "text": ""}, {"type": "thinking", "thinking": ""}])
def test_a_blocks_own_members_are_told_of_its_part(block):
    outcome = told("messages", start(**block), start(1, **block, own=1), STOP)
    assert of_type(outcome, Extra) == [Extra("own", 1, 0, 1)]
    assert outcome.answer.extra == {"own": 1}
    assert content(outcome) == [block, {**block, "own": 1}]


@pytest.mark.parametrize("fields", [{"text": "a", "own": 1}, {"own": 1}])
def test_so_are_those_of_a_delta(fields):
    outcome = told("messages", text("x"), text("y", 1), delta(1, type="text_delta", **fields), STOP)
    assert of_type(outcome, Extra) == [Extra("own", 1, 0, 1)]
    assert outcome.answer.extra == {"own": 1}


# ---- text


def test_text_is_joined_and_parts_join_without_a_separator():
    outcome = told(
        "messages", start(type="text", text=""), text("a"), text("b"), stop(), start(1, type="text", text=""), text("c", 1), STOP
    )
    assert outcome.answer.parts == [TextPart("ab"), TextPart("c")]
    assert outcome.answer.text == "abc"
    assert content(outcome) == [{"type": "text", "text": "ab"}, {"type": "text", "text": "c"}]


def test_a_block_may_be_opened_with_its_text_and_citations():
    outcome = told("messages", start(type="text", text="a", citations=[{"cited_text": "x"}]), text("b"), STOP)
    assert of_type(outcome, TextDelta, Extra) == [
        TextDelta("a", 0, 0),
        Extra("citations", [{"cited_text": "x"}], 0, 0),
        TextDelta("b", 0, 0),
    ]
    assert content(outcome) == [{"type": "text", "text": "ab", "citations": [{"cited_text": "x"}]}]


def test_citations_are_told_and_kept_in_the_block():
    cited = [{"cited_text": "x"}, {"cited_text": "y"}]
    rows = [delta(type="citations_delta", citation=each) for each in cited]
    outcome = told("messages", start(type="text", text="", citations=None), text("t"), *rows, STOP)
    assert of_type(outcome, Extra) == [Extra("citations", [each], 0, 0) for each in cited]
    assert outcome.answer.extra == {"citations": cited}
    assert content(outcome) == [{"type": "text", "text": "t", "citations": cited}]


# ---- thinking


def test_a_citation_that_is_no_object_goes_back_as_it_came():
    outcome = told("messages", start(type="text", text="a", citations=[7, {"url": "u", "file_id": "f"}]), STOP)
    assert content(outcome)[0]["citations"] == [7, {"url": "u", "file_id": "f"}]
    assert outcome.answer.turn[0]["content"][0]["citations"] == [7, {"url": "u"}]


def test_thinking_with_its_signature():
    outcome = told(
        "messages",
        start(type="thinking", thinking="", signature=""),
        delta(type="thinking_delta", thinking="Let me"),
        delta(type="thinking_delta", thinking=" see"),
        delta(type="signature_delta", signature="sig=="),
        stop(),
        STOP,
    )
    assert outcome.answer.parts == [ReasoningPart("Let me see", "sig==")]
    assert outcome.answer.turn[0]["content"] == [{"type": "thinking", "thinking": "Let me see", "signature": "sig=="}]


def test_a_thinking_block_may_be_opened_whole_or_hold_a_signature_alone():
    whole = told("messages", start(type="thinking", thinking="why", signature="s"), STOP)
    assert of_type(whole, ReasoningDelta) == [ReasoningDelta("why", 0, 0)]
    assert whole.answer.parts == [ReasoningPart("why", "s")]
    bare = told("messages", start(type="thinking", thinking=""), delta(type="signature_delta", signature="s"), STOP)
    assert bare.answer.parts == [ReasoningPart("", "s")]
    assert bare.answer.reasoning == ""


def test_thinking_blocks_join_with_a_blank_line_and_redacted_ones_have_no_text():
    outcome = told(
        "messages",
        start(0, type="thinking", thinking="a"),
        start(1, type="redacted_thinking", data="cipher"),
        start(2, type="thinking", thinking="b"),
        STOP,
    )
    assert outcome.answer.reasoning == "a\n\nb"
    assert outcome.answer.parts[1] == ReasoningPart("", None, "cipher")
    assert outcome.answer.turn[0]["content"][1] == {"type": "redacted_thinking", "data": "cipher"}


# ---- tools


def test_a_tool_call_in_pieces():
    rows = [json_piece(""), json_piece('{"a":'), json_piece(" 1}")]
    outcome = told("messages", start(type="tool_use", id="t", name="f", input={}), *rows, stop(), STOP)
    assert of_type(outcome, ToolCallStarted, ToolCallDelta) == [
        ToolCallStarted("t", "f", "function", 0, 0),
        ToolCallDelta('{"a":', 0, 0),
        ToolCallDelta(" 1}", 0, 0),
    ]
    assert outcome.answer.tool_calls[0].arguments == '{"a": 1}'
    assert content(outcome) == [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]


@pytest.mark.parametrize(
    ("given", "arguments", "native"),
    [
        ({}, "{}", {}),
        ({"a": "ä"}, '{"a":"ä"}', {"a": "ä"}),
        ('{"a":1}', '{"a":1}', {"a": 1}),
        ("", "{}", {}),
        (None, "{}", {}),
    ],
)
def test_a_tool_without_input_deltas_has_what_it_was_opened_with_or_an_empty_object(given, arguments, native):
    outcome = told("messages", start(type="tool_use", id="t", name="f", input=given), stop(), STOP)
    assert outcome.answer.tool_calls[0].arguments == arguments
    assert of_type(outcome, ToolCallDelta) == [ToolCallDelta(arguments, 0, 0)]
    assert content(outcome)[0]["input"] == native


def test_an_empty_object_waits_whatever_else_its_delta_tells():
    rows = [delta(type="input_json_delta", partial_json=piece, own=1) for piece in ("{}", '{"a":', "1}")]
    outcome = told("messages", start(type="tool_use", id="t", name="f", input={}), *rows, stop(), STOP)
    assert [event.arguments for event in of_type(outcome, ToolCallDelta)] == ['{"a":', "1}"]
    assert outcome.answer.tool_calls[0].arguments == '{"a":1}'


def test_input_that_is_not_json_stays_the_string():
    outcome = told("messages", start(type="tool_use", id="t", name="f", input={}), json_piece('{"a": tru'), stop(), STOP)
    assert content(outcome)[0]["input"] == '{"a": tru'
    deep = "[" * 100_000
    [block] = content(
        told("messages", start(type="tool_use", id="t", name="f"), json_piece(deep), stop(), STOP, limits=Limits(max_depth=9))
    )
    assert block["input"] == deep


def test_more_input_after_a_calls_end_is_malformed():
    """It may have been executed already; an empty piece is nothing, and so is one before it is certain that the call is whole."""
    opening = [start(type="tool_use", id="t", name="f", input={}), json_piece("{}"), stop()]
    assert told("messages", *opening, json_piece(""), STOP).status == "complete"
    outcome = told("messages", *opening, stop(), json_piece("x"), STOP)
    assert isinstance(outcome.error, MalformedStreamError)
    assert [each.tool_call.arguments for each in of_type(outcome, ToolCallFinished)] == ["{}"]
    assert outcome.partial.tool_calls[0].arguments == "{}"


def test_half_a_pair_at_the_end_of_a_calls_input_is_settled_when_its_block_is_closed():
    outcome = told(
        "messages", start(type="tool_use", id="t", name="f"), json_piece('"\ud83d'), json_piece("\ude00\ud83d"), stop(), STOP
    )
    assert outcome.answer.tool_calls[0].arguments == '"\U0001f600\ufffd'


# ---- any other block


def test_a_server_tool_is_other_its_input_put_together():
    opening = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    outcome = told("messages", start(**opening), json_piece('{"query":'), json_piece('"x"}'), stop(), STOP)
    assert outcome.answer.parts == [OtherPart({**opening, "input": {"query": "x"}})]
    assert not outcome.answer.tool_calls
    assert [each.name for each in of_type(outcome, Extra)] == ["server_tool_use", "input_json_delta", "input_json_delta"]


def test_a_server_tools_result_is_kept_as_it_came():
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"url": "https://x.test"}]}
    outcome = told("messages", start(**result), stop(), STOP)
    assert content(outcome) == [result]
    assert of_type(outcome, Extra) == [Extra("web_search_tool_result", [result], 0, 0)]


def test_a_new_blocks_deltas_are_joined_to_its_own_members():
    outcome = told(
        "messages",
        start(type="compaction", content="a", note=None, size=1),
        delta(type="compaction_delta", content="b"),
        delta(type="compaction_delta", content="c", size=2, tags=["x"]),
        delta(type="compaction_delta", tags=["y"]),
        STOP,
    )
    assert content(outcome) == [{"type": "compaction", "content": "abc", "note": None, "size": 2, "tags": ["x", "y"]}]
    assert [each.name for each in of_type(outcome, Extra)] == ["compaction"] + ["compaction_delta"] * 3


def test_halves_of_a_new_blocks_members_may_come_in_two_deltas():
    notes = [delta(type="new_delta", note=note) for note in ("a\ud83d", "\ude00b", "c")]
    outcome = told("messages", start(type="new", note=""), *notes, STOP)
    [part] = outcome.answer.parts
    assert part.native == content(outcome)[0] == {"type": "new", "note": "a\U0001f600bc"}


def test_a_block_that_was_opened_without_an_input_has_the_one_that_came():
    rows = [start(type="server_tool_use", id="s", name="w"), json_piece('{"q":'), json_piece("1}")]
    assert content(told("messages", *rows, STOP)) == [{"type": "server_tool_use", "id": "s", "name": "w", "input": {"q": 1}}]
    assert content(told("messages", rows[0], STOP)) == [rows[0]["content_block"]]


def test_a_block_without_a_type_is_kept():
    assert content(told("messages", start(), STOP)) == []
    assert content(told("messages", start(x=1), STOP)) == [{"x": 1}]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "x"}, {"type": "text", "text": "x"}),
        ({"thinking": "x", "signature": "y"}, {"type": "thinking", "thinking": "x", "signature": "y"}),
        ({"id": "x", "name": "y", "input": {}}, {"type": "tool_use", "id": "x", "name": "y", "input": {}}),
    ],
)
def test_a_block_without_a_type_is_known_by_its_members(fields, expected):
    assert content(told("messages", start(**fields), STOP)) == [expected]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "x"}, {"type": "text", "text": "x"}),
        ({"thinking": "x"}, {"type": "thinking", "thinking": "x"}),
        ({"signature": "x"}, {"type": "thinking", "thinking": "", "signature": "x"}),
        ({"partial_json": "{}"}, {"type": "tool_use", "input": {}}),
    ],
)
def test_so_is_a_delta(fields, expected):
    assert content(told("messages", delta(**fields), STOP)) == [expected]


# ---- deltas that belong to no open block, or to none of their kind


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "text_delta", "text": "x"}, {"type": "text", "text": "x"}),
        ({"type": "citations_delta", "citation": {"y": 1}}, {"type": "text", "text": "", "citations": [{"y": 1}]}),
        ({"type": "thinking_delta", "thinking": "x"}, {"type": "thinking", "thinking": "x"}),
        ({"type": "signature_delta", "signature": "x"}, {"type": "thinking", "thinking": "", "signature": "x"}),
        ({"type": "input_json_delta", "partial_json": "[1]"}, {"type": "tool_use", "input": [1]}),
        ({"type": "new_delta", "x": "y"}, {"type": "unknown", "x": "y"}),
        ({}, {"type": "unknown"}),
    ],
)
def test_a_delta_without_a_block_opens_the_one_it_speaks_of(fields, expected):
    assert content(told("messages", delta(**fields), STOP)) == [expected]


def test_a_delta_of_another_kind_does_not_spoil_the_block_at_its_index():
    outcome = told("messages", start(type="tool_use", id="t", name="f"), text("a"), json_piece("{}"), text("b"), stop(), STOP)
    assert outcome.answer.text == "ab"
    assert outcome.answer.tool_calls[0].arguments == "{}"
    assert [block["type"] for block in content(outcome)] == ["tool_use", "text"]


@pytest.mark.parametrize("kind", ["text", "thinking", "redacted_thinking", "tool_use"])
def test_a_delta_type_newer_than_this_library_is_kept_in_the_open_block(kind):
    new = [{"type": "new_delta", "x": number} for number in (1, 2)]
    outcome = told("messages", start(type=kind), *(delta(**each) for each in new), STOP)
    assert "new_delta" not in str(content(outcome))
    assert outcome.answer.extra["new_delta"] == new
    assert of_type(outcome, Extra)[-2:] == [Extra("new_delta", [each], 0, 0) for each in new]


@pytest.mark.parametrize(
    "row",
    [
        start(type="text", text=1),
        start(type="thinking", thinking=[1]),
        start(type="redacted_thinking", data={"a": 1}),
        delta(type="text_delta", text=None) | {"delta": "x"},
        delta(type="text_delta", text=["x"]),
        delta(type="thinking_delta", thinking=True),
        delta(type="signature_delta", signature=1.5),
        delta(type="input_json_delta", partial_json=["a"]),
    ],
)
def test_another_shape_than_the_types_is_malformed(row):
    assert isinstance(told("messages", start(9, type="text", text="kept"), row, STOP).error, MalformedStreamError)


def test_null_members_are_nothing():
    outcome = told("messages", start(type="text", text=None), delta(type="text_delta", text=None), text("x"), STOP)
    assert of_type(outcome, TextDelta) == [TextDelta("x", 0, 0)]


# ---- the module itself


def test_blocks_and_calls_are_bounded():
    tools = [start(index, type="tool_use", id=str(index), name="f") for index in range(3)]
    for name in ("max_tool_calls", "max_parts"):
        outcome = told("messages", *tools, STOP, limits=Limits(**{name: 2}))
        assert isinstance(outcome.error, LimitExceededError)
        assert outcome.error.limit == name


def test_blocks_that_deltas_open_share_nothing():
    outcome = told("messages", json_piece("{}"), json_piece('{"a":1}', 1), delta(2, type="new_delta", x=1), delta(3), STOP)
    assert content(outcome) == [
        {"type": "tool_use", "input": {}},
        {"type": "tool_use", "input": {"a": 1}},
        {"type": "unknown", "x": 1},
        {"type": "unknown"},
    ]


@pytest.mark.parametrize("kind", ["", "text", "new_delta", None, 7])
def test_a_deltas_type_is_what_it_says_where_no_member_tells(kind):
    outcome = told("messages", start(type="glow"), delta(type=kind, own=1), STOP)
    assert of_type(outcome, Extra)[-1] == Extra(kind if isinstance(kind, str) else "", [{"type": kind, "own": 1}], 0, 0)


@pytest.mark.parametrize(
    "block",
    [{"type": "text", "text": ""}, {"type": "tool_use", "id": "t", "name": "f"}, {"type": "redacted_thinking", "data": "E"}],
)
@pytest.mark.parametrize("fields", [{"type": "signature_delta", "signature": "S"}, {"signature": "S"}])
def test_a_signature_on_a_block_that_is_no_thinking_is_told_and_opens_no_block(block, fields):
    plain = told("messages", start(**block), stop(), STOP)
    signed = told("messages", start(**block), delta(**fields), stop(), STOP)
    assert signed.answer.turn == plain.answer.turn
    assert content(signed) == content(plain)
    assert of_type(signed, Extra)[-1] == Extra("signature", "S", 0, 0)


def test_a_signature_goes_to_the_thinking_that_shares_an_index_with_text():
    rows = [start(type="text", text=""), text("a"), delta(type="thinking_delta", thinking="h")]
    outcome = told("messages", *rows, delta(type="signature_delta", signature="S"), STOP)
    assert content(outcome) == [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "h", "signature": "S"}]


def test_a_signature_on_a_block_newer_than_this_library_stays_in_it():
    outcome = told("messages", start(type="glow"), delta(type="signature_delta", signature="S"), STOP)
    assert content(outcome) == [{"type": "glow", "signature": "S"}]


@pytest.mark.parametrize(
    ("opened_with", "deltas", "whole"),
    [
        ("AB", ["AB"], "AB"),
        ("AB", ["ABCD"], "ABCD"),
        ("AB", ["CD"], "ABCD"),
        ("AB", ["CD", "EF"], "ABCDEF"),
        ("", ["AB", "CD"], "ABCD"),
        (None, ["AB", "AB"], "AB"),
        ("AB", [], "AB"),
    ],
)
def test_what_only_the_provider_reads_counts_once_where_it_comes_again(opened_with, deltas, whole):
    rows = [delta(type="compaction_delta", encrypted_content=each) for each in deltas]
    outcome = told("messages", start(type="compaction", content=None, encrypted_content=opened_with), *rows, STOP)
    assert content(outcome)[0]["encrypted_content"] == whole


def test_a_name_that_a_delta_repeats_is_no_piece():
    outcome = told("messages", start(type="glow", id="g", text="a"), delta(type="glow_delta", id="g", text="b"), STOP)
    assert content(outcome) == [{"type": "glow", "id": "g", "text": "ab"}]


def test_a_block_takes_its_own_deltas_and_those_nobody_knows():
    deltas = [{"type": "text_delta", "text": "a"}, {"type": "thinking_delta", "thinking": "b"}, {"type": "new_delta", "x": 1}]
    outcome = told("messages", start(type="text", text=""), *[delta(**fields) for fields in deltas], STOP)
    assert content(outcome) == [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}]
    assert of_type(outcome, Extra) == [Extra("new_delta", [deltas[2]], 0, 0)]


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use"])
def test_an_input_whose_pieces_hold_half_an_escape_each_can_be_encoded(kind):
    pieces = ['{"a":"\\u', 'd83d","b":"\\ud8', '3d\\ude00","\\ud83d":1}']
    outcome = told("messages", start(type=kind, id="c", name="f"), *map(json_piece, pieces), stop(), STOP)
    assert content(outcome)[0]["input"] == {"a": "\ufffd", "b": "\U0001f600", "\ufffd": 1}
    assert outcome.answer.turn[0]["content"][0]["input"] == {"a": "\ufffd", "b": "\U0001f600", "\ufffd": 1}


def test_a_block_whose_shape_is_malformed_stands_in_the_partial_answer():
    for fields in ({"type": "redacted_thinking", "data": 7}, {"type": "text", "text": 7}, {"type": "thinking", "signature": 7}):
        outcome = told("messages", start(**fields))
        assert isinstance(outcome.error, MalformedStreamError)
        assert len(outcome.error.partial.parts) == 1


def test_what_the_caller_does_with_an_event_or_an_answer_changes_no_other():
    decoder = Decoder("messages")
    rows = [
        start(type="web_search_tool_result", content=[{"url": "a"}]),
        start(1, type="text", text="", citations=[{"url": "b"}], own={"c": 1}),
        delta(1, type="citations_delta", citation={"url": "d"}),
        start(2, type="glow"),
        delta(2, type="glow_delta", list=[{"e": 1}]),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "own": {"f": 1}}, "usage": {"output_tokens": 1}},
        STOP,
    ]
    other = Decoder("messages")
    for row in rows:
        list(other.feed(stream_of(row)))
        for event in decoder.feed(stream_of(row)):
            if isinstance(event, Extra):
                spoil(event.value)
    decoder.answer().extra["new"] = 1
    spoil(decoder.answer().native)
    spoil(decoder.answer().extra)
    for part in decoder.answer().parts:
        spoil(getattr(part, "native", None))
    assert decoder.answer() == other.answer()


def spoil(value):
    """Empties all that can be emptied."""
    for item in list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else ():
        spoil(item)
    if isinstance(value, (dict, list)):
        value.clear()


def test_an_answer_without_extras_shares_no_store_with_the_next():
    decoder = Decoder("messages")
    list(decoder.feed(stream_of(start(type="text", text="a"))))
    decoder.partial().extra["new"] = 1
    decoder.partial().choices[0].extra["new"] = 1
    assert decoder.partial().extra == decoder.partial().choices[0].extra == {}
