"""One choice of a chat stream: runs, native members, snapshots compared piece by piece, and the turn."""

from __future__ import annotations

import pytest
from told import told

from sse_dialects import LimitExceededError, Limits
from sse_dialects.dialects.chat.choices import ChatChoice, turn_of
from sse_dialects.dialects.emit import Emitter
from sse_dialects.dialects.parts import ReasoningBuilder, RefusalBuilder, TextBuilder


def choice(*runs):
    """A choice whose parts are runs of ``(builder, text)``."""
    made, emit = ChatChoice(3), Emitter(Limits(), [])
    for kind, text in runs:
        made.run(kind, emit).append(text)
    return made


def test_a_run_goes_on_until_another_kind_comes_between():
    made = choice((TextBuilder, "a"), (TextBuilder, "b"), (ReasoningBuilder, "r"), (TextBuilder, "c"))
    assert [(type(part), part.text(), part.choice, part.place) for part in made.parts] == [
        (TextBuilder, "ab", 3, 0),
        (ReasoningBuilder, "r", 3, 1),
        (TextBuilder, "c", 3, 2),
    ]


def test_runs_are_bounded():
    made, emit = ChatChoice(0), Emitter(Limits(max_parts=1), [])
    made.run(TextBuilder, emit)
    with pytest.raises(LimitExceededError):
        made.run(RefusalBuilder, emit)


def test_native_text_is_the_parts_of_one_kind_or_what_was_gathered_apart():
    made = choice((TextBuilder, "a"), (RefusalBuilder, "no"), (TextBuilder, "b"))
    made.member("reasoning").append("r")
    assert [made.native_text(name) for name in ("content", "refusal", "reasoning", "other")] == ["ab", "no", "r", ""]


@pytest.mark.parametrize(
    ("name", "snapshot", "rest"),
    [
        ("content", "ab", ""),
        ("content", "abc", "c"),
        ("content", "a", None),
        ("content", "axb", None),
        ("refusal", "no!", "!"),
        ("reasoning", "rs", "s"),
        ("reasoning", "x", None),
        ("reasoning_content", "x", "x"),
    ],
)
def test_what_a_snapshot_has_beyond(name, snapshot, rest):
    made = choice((TextBuilder, "a"), (RefusalBuilder, "no"), (TextBuilder, "b"))
    made.member("reasoning").append("r")
    assert made.suffix_after(name, snapshot) == rest


def test_a_part_without_text_yet_is_the_beginning_of_any_snapshot():
    assert choice((TextBuilder, ""), (RefusalBuilder, "no"), (TextBuilder, "b")).suffix_after("content", "bc") == "c"


def test_what_few_streams_need_is_made_when_it_is_needed():
    made = ChatChoice(0)
    assert (made.calls_in_order(), made.members, made.other, made.message, made.tags) == ([], {}, None, None, None)
    assert made.member("x") is made.member("x")
    assert made.keep("own", 1) == 1
    assert made.other == {"own": 1}
    assert (ChatChoice(0).members, ChatChoice(0).other) == ({}, None)
    assert ChatChoice(0, think_tags=True).tags is not None


def test_an_empty_choice_in_native_form():
    native = ChatChoice(2).native()
    assert native == {"index": 2, "message": {"content": None}, "finish_reason": None}
    assert turn_of({"choices": [native]}) == [{"role": "assistant", "content": None}]
    assert turn_of({"choices": []}) == []


def test_a_turn_has_what_a_request_takes_and_no_more():
    made = choice((TextBuilder, "a"))
    made.role, made.has_content = "assistant", True
    made.add_message({"annotations": [1], "reasoning_opaque": "x", "audio": {"transcript": "t"}, "own": 1})
    assert made.native_message() == {
        "annotations": [1],
        "reasoning_opaque": "x",
        "audio": {"transcript": "t"},
        "own": 1,
        "role": "assistant",
        "content": "a",
    }
    native = {"choices": [made.native()]}
    assert turn_of(native) == [{"role": "assistant", "content": "a", "reasoning_opaque": "x"}]
    assert turn_of(native, reasoning=("own",))[0]["own"] == 1


# ---- indexes that count chunks


@pytest.mark.parametrize(
    ("chunks", "finished", "counted"),
    [
        ([[0], [1], [2]], [2], True),
        ([[0], [0], [1], [1]], [1], True),
        ([["0"], [1.0], [2]], [2], True),
        ([[0], [], [1], [2], []], [2], True),
        ([[0], [0], [0]], [0], False),
        ([[0], [1]], [1], False),
        ([[0], [1], [2]], [0, 1, 2], False),
        ([[0], [1], [2]], [], False),
        ([[0], [1], [2]], [1], False),
        ([[1], [2], [3]], [3], False),
        ([[0], [2], [3]], [3], False),
        ([[0], [1], [0]], [0], False),
        ([[0, 1], [1], [2]], [2], False),
        ([[None], [None], [1]], [1], True),
    ],
)
def test_indexes_that_count_chunks_go_up_by_one_and_only_the_last_ends(chunks, finished, counted):
    rows = [{"choices": [{"index": number, "delta": {"content": "word "}} for number in numbers]} for numbers in chunks]
    last = {int(choice["index"] or 0): choice for row in rows for choice in row["choices"]}
    for number in finished:
        last[number]["finish_reason"] = "stop"
    assert (told("chat", *rows, "[DONE]").status == "malformed") is counted


@pytest.mark.parametrize("end", ["[DONE]", {"object": "chat.completion.done"}])
def test_pieces_under_indexes_of_their_own_are_no_choices(end):
    rows = [{"choices": [{"index": number, "delta": {"content": "word "}}]} for number in range(40)]
    last = {"choices": [{"index": 40, "delta": {}, "finish_reason": "stop"}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 1}}
    outcome = told("chat", *rows, last, usage, end)
    assert outcome.status == "malformed"
    assert "counts the chunks" in outcome.error.reason
    same = [{"choices": [{"index": 0, "delta": {"content": f"{number} "}}]} for number in range(300)]
    outcome = told("chat", *same, {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}, end)
    assert outcome.status == "malformed"
