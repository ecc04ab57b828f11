"""Text that arrives in pieces."""

from __future__ import annotations

import pytest

from sse_dialects.dialects.text_buffer import TextBuffer

HIGH, LOW = "\ud83d", "\ude00"


def pieces_of(*texts):
    pieces = TextBuffer()
    for text in texts:
        pieces.append(text)
    return pieces


@pytest.mark.parametrize("count", [0, 1, 2, 256, 257, 600, 1500])
def test_any_number_of_pieces_is_their_text(count):
    texts = [f"{number}," for number in range(count)]
    whole = "".join(texts)
    pieces = pieces_of(*texts)
    assert pieces.size() == len(whole)
    assert pieces.ends_with(",") == bool(count)
    assert pieces.suffix_after(f"{whole}rest") == "rest"
    assert pieces.end_in(f"__{whole}", 2) == 2 + len(whole)
    assert pieces.text() == whole
    assert (pieces.text(), pieces.size()) == (whole, len(whole))
    pieces.append("!")
    assert pieces.text() == f"{whole}!"


@pytest.mark.parametrize(
    ("snapshot", "rest"), [("abc", ""), ("abcd", "d"), ("ab", None), ("abx", None), ("", None), ("xabc", None)]
)
def test_what_a_snapshot_has_beyond(snapshot, rest):
    assert pieces_of("a", "bc").suffix_after(snapshot) == rest
    assert TextBuffer().suffix_after(snapshot) == snapshot


def test_a_snapshot_that_leaves_a_long_text_early_is_told():
    pieces = pieces_of(*(["ab"] * 1000))
    assert pieces.suffix_after("ab" * 999) is None
    assert pieces.suffix_after("ab" * 100 + "x" * 2000) is None
    assert pieces.suffix_after("ab" * 1001) == "ab"


def test_a_snapshot_replaces_all_of_it():
    pieces = pieces_of(*(["ab"] * 300))
    pieces.append_ready(HIGH)
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
    pieces = TextBuffer()
    assert [pieces.append_ready(text) for text in texts] == given
    assert pieces.text() == "".join(given)
    pieces.text().encode()


@pytest.mark.parametrize(("high", "low"), [(0xD800, 0xDC00), (0xDBFF, 0xDFFF)])
def test_the_first_and_the_last_of_the_halves_are_halves_too(high, low):
    pieces, whole = TextBuffer(), f"{chr(high)}{chr(low)}".encode("utf-16", "surrogatepass").decode("utf-16")
    assert [pieces.append_ready(chr(high)), pieces.append_ready(chr(low))] == ["", whole]


def test_nothing_ends_with_anything():
    assert not any(TextBuffer().ends_with(mark) for mark in "aX,")


def test_flush_gives_out_the_half_that_nothing_follows():
    pieces = TextBuffer()
    pieces.append_ready(f"a{HIGH}")
    assert pieces.flush() == "\ufffd"
    assert pieces.flush() == ""
    assert pieces.text() == "a\ufffd"
