"""What holds for every valid stream: random ones, cut anywhere, driven through each door of the core."""

from __future__ import annotations

import os

import pytest
from generators import SCRIPTS, cuttings, streams
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapes import by_accumulator, by_decoder, in_pieces

from sse_dialects import (
    Finished,
    OtherPart,
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)

pytestmark = pytest.mark.thorough

# 1 is what a run of the tests can afford; `-m slow` multiplies it.
DEPTH = int(os.environ.get("SSE_DIALECTS_DEPTH", "1"))

every_dialect = pytest.mark.parametrize("dialect", SCRIPTS)


def examples(count):
    """A profile without a database or a deadline: the machine may be busy, and failures have to come again by themselves."""
    return settings(max_examples=count * DEPTH, deadline=None, database=None, suppress_health_check=list(HealthCheck))


# ---- what a stream has to tell


def check_order(events):
    """`Started` first and once, `Finished` last and once a choice, nothing of a call before its start."""
    assert [type(event) for event in events].count(Started) == 1
    assert isinstance(events[0], Started)
    endings = [event for event in events if isinstance(event, Finished)]
    assert events[len(events) - len(endings) :] == endings
    assert len({event.choice for event in endings}) == len(endings)
    begun = set()
    for event in events:
        if isinstance(event, ToolCallStarted):
            assert (event.choice, event.part) not in begun
            begun.add((event.choice, event.part))
        elif isinstance(event, (ToolCallDelta, ToolCallFinished)):
            assert (event.choice, event.part) in begun


def told_by_part(events):
    """The deltas joined, by choice and part."""
    told = {}
    for event in events:
        if isinstance(event, (TextDelta, ReasoningDelta, RefusalDelta, ToolCallDelta)):
            piece = event.arguments if isinstance(event, ToolCallDelta) else event.text
            assert piece, "an empty delta tells nothing"
            place = (event.choice, event.part)
            told[place] = told.get(place, "") + piece
    return told


def content(part):
    """A part's text or arguments; what has neither is told by no delta."""
    return "" if isinstance(part, OtherPart) else part.arguments if isinstance(part, ToolCall) else part.text


def check_agreement(events, answer):
    """The events and the answer say the same."""
    told = told_by_part(events)
    for choice in answer.choices:
        assert [told.get((choice.index, place), "") for place in range(len(choice.parts))] == [content(p) for p in choice.parts]
    finished = {(event.choice, event.part): event.tool_call for event in events if isinstance(event, ToolCallFinished)}
    whole = {
        (choice.index, place): part
        for choice in answer.choices
        for place, part in enumerate(choice.parts)
        if isinstance(part, ToolCall) and part.complete
    }
    assert finished == whole
    endings = [(event.choice, event.finish_reason, event.native) for event in events if isinstance(event, Finished)]
    assert endings == [(choice.index, choice.finish_reason, choice.native_finish_reason) for choice in answer.choices]


def check_meaning(answer, script):
    """The answer is what the stream's writer meant."""
    assert len(answer.choices) == len(script.choices)
    for choice, meant in zip(answer.choices, script.choices, strict=True):
        assert choice.text == meant.text
        assert choice.refusal == meant.refusal
        assert choice.reasoning == ("" if script.dialect == "chat" else "\n\n").join(meant.thoughts)
        assert [(call.id, call.name, call.kind, call.arguments) for call in choice.tool_calls] == meant.calls
        assert choice.native_finish_reason == meant.finish


@every_dialect
def test_whatever_the_chunking_the_events_and_the_answer_are_what_was_meant(dialect):
    @examples(50)
    @given(streams(dialect), st.data())
    def check(written, data):
        whole = by_decoder([written.data], dialect)
        assert whole.error is None
        check_order(whole.events)
        check_agreement(whole.events, whole.answer)
        check_meaning(whole.answer, written.script)
        chunks = data.draw(cuttings(written.data))
        assert by_decoder(chunks, "auto").facts() == whole.facts()
        assert by_decoder(in_pieces(written.data, data.draw(st.integers(1, 9))), dialect).facts() == whole.facts()
        assert by_accumulator(chunks, dialect).facts(of_bytes=False) == whole.facts(of_bytes=False)

    check()


# ---- cuts


def check_prefix(partial, whole):
    """Each part of a partial answer is the beginning of the same part of the whole one."""
    choices = {choice.index: choice for choice in whole.choices}
    for choice in partial.choices:
        parts = choices[choice.index].parts
        assert [type(part) for part in choice.parts] == [type(part) for part in parts[: len(choice.parts)]]
        for part, other in zip(choice.parts, parts, strict=False):
            assert content(other).startswith(content(part))
        if whole.dialect == "messages":
            continue  # its blocks may overlap, and the first of two texts grow while the second is there already
        assert choices[choice.index].text.startswith(choice.text)
        assert choices[choice.index].refusal.startswith(choice.refusal)
        assert choices[choice.index].reasoning.startswith(choice.reasoning)


@every_dialect
def test_every_cut_before_the_end_raises_and_holds_the_beginning_of_the_answer(dialect):
    @examples(40)
    @given(streams(dialect), st.data())
    def check(written, data):
        whole = by_decoder([written.data], dialect)
        for size in data.draw(st.lists(st.integers(0, written.whole_at - 1), min_size=1, max_size=4)):
            cut = by_decoder([written.data[:size]], data.draw(st.sampled_from([dialect, "auto"])))
            if cut.status == "not_event_stream":  # no frame has come, and the first line has no known field
                assert written.data.removeprefix(b"\xef\xbb\xbf").startswith((b"unknown:", b"data-x:"))
                continue
            assert cut.status == "truncated" or (cut.status == "malformed" and cut.error.dialect is None)
            assert cut.error.byte_count == size
            assert not any(isinstance(event, Finished) for event in cut.events)
            assert not cut.partial.complete
            check_prefix(cut.partial, whole.answer)
        size = data.draw(st.integers(written.whole_at, len(written.data)))
        assert by_decoder([written.data[:size]], dialect).facts() == whole.facts()

    check()


@every_dialect
def test_the_events_of_a_cut_stream_are_the_first_of_the_whole_one(dialect):
    """But for the last undispatched frame, and half a surrogate pair that is still waiting, which only the end decides."""

    @examples(25)
    @given(streams(dialect), st.data())
    def check(written, data):
        whole = by_decoder([written.data], dialect).events
        size = data.draw(st.integers(0, written.whole_at - 1))
        events = by_decoder([written.data[:size]], dialect).events
        assert events == whole[: len(events)]

    check()


@pytest.mark.slow
@every_dialect
def test_the_same_deeper(dialect, monkeypatch):
    monkeypatch.setitem(globals(), "DEPTH", 3)
    test_whatever_the_chunking_the_events_and_the_answer_are_what_was_meant(dialect)
    test_every_cut_before_the_end_raises_and_holds_the_beginning_of_the_answer(dialect)
    test_the_events_of_a_cut_stream_are_the_first_of_the_whole_one(dialect)
