"""The builders of parts."""

from __future__ import annotations

import pytest

from sse_dialects import (
    OtherPart,
    ReasoningDelta,
    ReasoningPart,
    RefusalDelta,
    RefusalPart,
    TextDelta,
    TextPart,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from sse_dialects.dialects.parts import (
    CallBuilder,
    OtherBuilder,
    PartBuilder,
    ReasoningBuilder,
    RefusalBuilder,
    TextBuilder,
)


@pytest.mark.parametrize(
    ("kind", "event", "part"),
    [
        (TextBuilder, TextDelta, TextPart("ab")),
        (ReasoningBuilder, ReasoningDelta, ReasoningPart("ab")),
        (RefusalBuilder, RefusalDelta, RefusalPart("ab")),
    ],
)
def test_a_builder_tells_each_piece_and_builds_all_of_them(kind, event, part):
    builder = kind(1, 2)
    out = []
    builder.add("a", out)
    builder.add("b", out)
    assert list(out) == [event("a", 1, 2), event("b", 1, 2)]
    assert builder.build() == part


def test_adding_many_keeps_few():
    builder = TextBuilder(0, 0)
    for _ in range(1000):
        builder.add("x", [])
    assert builder.build() == TextPart("x" * 1000)


def test_reasoning_may_have_better_text_than_was_told():
    builder = ReasoningBuilder(0, 0)
    builder.add("summary", [])
    builder.signature, builder.encrypted, builder.better = "sig", "cipher", "the full text"
    assert builder.build() == ReasoningPart("the full text", "sig", "cipher")


def test_a_call_is_announced_once_with_what_came_before():
    call = CallBuilder(1, 2, None, None, "custom")
    call.append_ready("early")
    call.id, call.name = "c", "f"
    out = []
    call.announce(out)
    call.announce(out)
    assert list(out) == [ToolCallStarted("c", "f", "custom", 1, 2), ToolCallDelta("early", 1, 2)]
    out.clear()
    CallBuilder(0, 0, "c", "f", "function").announce(out)
    assert list(out) == [ToolCallStarted("c", "f", "function", 0, 0)]


def test_a_call_is_complete_once_it_is_finished():
    call = CallBuilder(1, 2, "c", "f", "function")
    out = []
    call.add("{}", out)
    assert call.build() == ToolCall("c", "f", "function", "{}", False)
    call.finish(out)
    call.finish(out)
    assert list(out) == [ToolCallDelta("{}", 1, 2), ToolCallFinished(ToolCall("c", "f", "function", "{}", True), 1, 2)]


@pytest.mark.parametrize(("name", "arguments"), [(None, "{}"), ("f", '{"a"'), ("f", "[]")])
def test_a_call_without_a_name_or_an_object_is_never_finished(name, arguments):
    call, out = CallBuilder(0, 0, "c", name, "function"), []
    call.append(arguments)
    call.finish(out)
    assert (list(out), call.complete) == ([], False)


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        (["{}"], "{}"),
        (["{}", '{"a"', ":1}"], '{"a":1}'),
        ([" {}\n", "\n{ }"], "\n{ }"),
        (["", "{}", "", "{}"], "{}"),
        (["{}", "]"], "{}]"),
        (['{"a":', "{}", "}"], '{"a":{}}'),
        (["{", "}", "{}"], "{}{}"),
    ],
)
def test_an_empty_object_waits_for_one_that_takes_its_place(pieces, arguments):
    call = CallBuilder(0, 0, "i", "f", "function")
    out = []
    call.announce(out)
    for piece in pieces:
        if counts := call.piece(piece):
            call.add(counts, out)
    call.end(out)
    assert call.text() == arguments
    assert "".join(event.arguments for event in list(out)[1:]) == arguments
    assert not call.held


def test_free_text_is_no_object():
    call = CallBuilder(0, 0, "i", "f", "custom")
    assert call.piece("{}") == "{}"


@pytest.mark.parametrize(("snapshot", "rest"), [("", ""), ("{}", "{}"), (' {"a":1}', ' {"a":1}'), ("[]", None)])
def test_any_object_extends_an_empty_one(snapshot, rest):
    call = CallBuilder(0, 0, "i", "f", "function")
    out = []
    call.announce(out)
    call.piece("{}")
    assert call.suffix_after(snapshot) == rest
    call.replace(snapshot)
    call.end(out)
    assert (call.text(), len(out)) == (snapshot, 1)


def test_other_parts_are_their_native_form():
    part = OtherBuilder(1, 2, {"type": "new"})
    assert part.build() == OtherPart({"type": "new"})
    assert (part.choice, part.place) == (1, 2)


def test_each_kind_says_what_it_builds():
    with pytest.raises(NotImplementedError):
        PartBuilder(0, 0).build()
