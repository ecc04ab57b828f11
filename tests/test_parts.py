"""Pieces and the builders of parts."""

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
    Pieces,
    ReasoningBuilder,
    RefusalBuilder,
    TextBuilder,
)

HIGH, LOW = "\ud83d", "\ude00"


def pieces_of(*texts):
    pieces = Pieces()
    for text in texts:
        pieces.append(text)
    return pieces


# ---- pieces


@pytest.mark.parametrize("count", [0, 1, 2, 256, 257, 600, 1500])
def test_any_number_of_pieces_is_their_text(count):
    texts = [f"{number}," for number in range(count)]
    whole = "".join(texts)
    for pieces in (pieces_of(*texts), Pieces()):
        if not pieces.size():
            pieces.extend(texts)
        assert pieces.size() == len(whole)
        assert pieces.ends_with(",") == bool(count)
        assert pieces.rest_of(f"{whole}rest") == "rest"
        assert pieces.end_in(f"__{whole}", 2) == 2 + len(whole)
        assert pieces.text() == whole
        assert (pieces.text(), pieces.size()) == (whole, len(whole))
        pieces.append("!")
        assert pieces.text() == f"{whole}!"


@pytest.mark.parametrize(
    ("snapshot", "rest"), [("abc", ""), ("abcd", "d"), ("ab", None), ("abx", None), ("", None), ("xabc", None)]
)
def test_what_a_snapshot_has_beyond(snapshot, rest):
    assert pieces_of("a", "bc").rest_of(snapshot) == rest
    assert Pieces().rest_of(snapshot) == snapshot


def test_a_snapshot_that_leaves_a_long_text_early_is_told():
    pieces = pieces_of(*(["ab"] * 1000))
    assert pieces.rest_of("ab" * 999) is None
    assert pieces.rest_of("ab" * 100 + "x" * 2000) is None
    assert pieces.rest_of("ab" * 1001) == "ab"


def test_a_snapshot_replaces_all_of_it():
    pieces = pieces_of(*(["ab"] * 300))
    pieces.gather(HIGH)
    pieces.replace(f"new{HIGH}")
    assert (pieces.text(), pieces.size(), pieces.half) == ("new\ufffd", 4, "")
    assert pieces.flush() == ""


@pytest.mark.parametrize(
    ("texts", "given"),
    [
        (["a", "b"], ["a", "b"]),
        ([f"a{HIGH}", f"{LOW}b"], ["a", "\U0001f600b"]),
        ([HIGH, LOW], ["", "\U0001f600"]),
        ([HIGH, "x"], ["", "\ufffdx"]),
        ([HIGH, HIGH, LOW], ["", "\ufffd", "\U0001f600"]),
        ([LOW, f"a{LOW}"], ["\ufffd", "a\ufffd"]),
        ([f"{HIGH}{LOW}"], ["\U0001f600"]),
        ([HIGH, "", LOW], ["", "", "\U0001f600"]),
    ],
)
def test_half_a_pair_at_the_end_waits_and_one_left_alone_is_a_replacement_character(texts, given):
    pieces = Pieces()
    assert [pieces.gather(text) for text in texts] == given
    assert pieces.text() == "".join(given)
    pieces.text().encode()


@pytest.mark.parametrize(("high", "low"), [(0xD800, 0xDC00), (0xDBFF, 0xDFFF)])
def test_the_first_and_the_last_of_the_halves_are_halves_too(high, low):
    pieces, whole = Pieces(), f"{chr(high)}{chr(low)}".encode("utf-16", "surrogatepass").decode("utf-16")
    assert [pieces.gather(chr(high)), pieces.gather(chr(low))] == ["", whole]


def test_nothing_ends_with_anything():
    assert not any(Pieces().ends_with(mark) for mark in "aX,")


def test_flush_gives_out_the_half_that_nothing_follows():
    pieces = Pieces()
    pieces.gather(f"a{HIGH}")
    assert pieces.flush() == "\ufffd"
    assert pieces.flush() == ""
    assert pieces.text() == "a\ufffd"


# ---- builders


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
    assert [builder.add("a"), builder.add("b")] == [event("a", 1, 2), event("b", 1, 2)]
    assert builder.told(["a", "b"]) == [event("a", 1, 2), event("b", 1, 2)]
    assert builder.build() == part


def test_adding_many_keeps_few():
    builder = TextBuilder(0, 0)
    for _ in range(1000):
        builder.add("x")
    assert builder.build() == TextPart("x" * 1000)


def test_reasoning_may_have_better_text_than_was_told():
    builder = ReasoningBuilder(0, 0)
    builder.add("summary")
    builder.signature, builder.encrypted, builder.better = "sig", "cipher", "the full text"
    assert builder.build() == ReasoningPart("the full text", "sig", "cipher")


def test_a_call_is_announced_once_with_what_came_before():
    call = CallBuilder(1, 2, None, None, "custom")
    call.gather("early")
    call.id, call.name = "c", "f"
    assert call.announce() == [ToolCallStarted("c", "f", "custom", 1, 2), ToolCallDelta("early", 1, 2)]
    assert call.announce() == []
    assert CallBuilder(0, 0, "c", "f", "function").announce() == [ToolCallStarted("c", "f", "function", 0, 0)]


def test_a_call_is_complete_once_it_is_finished():
    call = CallBuilder(1, 2, "c", "f", "function")
    assert call.add("{}") == ToolCallDelta("{}", 1, 2)
    assert call.told(["{", "}"]) == [ToolCallDelta("{", 1, 2), ToolCallDelta("}", 1, 2)]
    assert call.build() == ToolCall("c", "f", "function", "{}", False)
    assert call.finish() == [ToolCallFinished(ToolCall("c", "f", "function", "{}", True), 1, 2)]
    assert call.finish() == []


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
    events = [*call.announce(), *(call.add(told) for piece in pieces if (told := call.piece(piece))), *call.end()]
    assert call.text() == arguments
    assert "".join(event.arguments for event in events[1:]) == arguments
    assert not call.held


def test_free_text_is_no_object():
    call = CallBuilder(0, 0, "i", "f", "custom")
    assert call.piece("{}") == "{}"


@pytest.mark.parametrize(("snapshot", "rest"), [("", ""), ("{}", "{}"), (' {"a":1}', ' {"a":1}'), ("[]", None)])
def test_any_object_extends_an_empty_one(snapshot, rest):
    call = CallBuilder(0, 0, "i", "f", "function")
    call.announce()
    call.piece("{}")
    assert call.rest_of(snapshot) == rest
    call.replace(snapshot)
    assert (call.text(), call.end()) == (snapshot, [])


def test_other_parts_are_their_native_form():
    part = OtherBuilder(1, 2, {"type": "new"})
    assert part.build() == OtherPart({"type": "new"})
    assert (part.choice, part.place) == (1, 2)


def test_each_kind_says_what_it_builds():
    with pytest.raises(NotImplementedError):
        PartBuilder(0, 0).build()
