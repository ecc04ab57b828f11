"""Round trip: a reply, written in any dialect and decoded, is the answer that was described."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.testing import Reply, reply, tool_call, usage

pytestmark = pytest.mark.thorough

TEXT = st.text(min_size=1, max_size=30) | st.text('"\\{}\n\r\u2028\x85\x00\ufeff😀é', min_size=1, max_size=12)
NAME = st.text("abc_ö-", min_size=1, max_size=8)
ARGUMENTS = st.just("") | TEXT | st.dictionaries(NAME, st.text(max_size=5), max_size=3)
COUNT = st.integers(0, 10**6)
CALL = st.builds(tool_call, NAME, ARGUMENTS)
CUSTOM = st.builds(tool_call, NAME, TEXT, custom=st.just(True))
SIGNED = st.builds(sd.ReasoningPart, TEXT, st.none() | TEXT)
HIDDEN = st.builds(sd.ReasoningPart, st.just(""), st.none(), TEXT)

# What each dialect has words for. In chat there is one run of reasoning and one of text, which no part between ends for good.
PARTS = {
    "chat": st.tuples(
        st.lists(st.builds(sd.ReasoningPart, TEXT, st.none() | TEXT, st.none() | TEXT), max_size=1),
        st.lists(st.builds(sd.TextPart, TEXT), max_size=1),
        st.lists(st.builds(sd.RefusalPart, TEXT), max_size=1),
        st.lists(CALL | CUSTOM, max_size=3),
    ).map(lambda lists: [part for parts in lists for part in parts]),
    "messages": st.lists(st.builds(sd.TextPart, TEXT) | SIGNED | HIDDEN | CALL, max_size=6),
    "responses": st.lists(
        st.builds(sd.TextPart, TEXT)
        | st.builds(sd.RefusalPart, TEXT)
        | st.builds(sd.ReasoningPart, TEXT, st.none() | TEXT, st.none() | TEXT)
        | CALL
        | CUSTOM,
        max_size=6,
    ),
}
REASONS = {
    "chat": ["stop", "length", "content_filter"],
    "messages": ["stop", "length", "refusal", "pause"],
    "responses": ["stop", "length", "content_filter", "cancelled"],
}
CIRCUMSTANCES = st.fixed_dictionaries(
    {
        "piece": st.none() | st.integers(1, 9),
        "every": st.none() | st.integers(1, 4),
        "line_end": st.sampled_from(["\n", "\r\n", "\r"]),
        "seed": st.none() | st.integers(0, 10**6),
        "size": st.sampled_from([None, 1, 7, 40]),
    }
)


@st.composite
def described(draw, dialect):
    parts = draw(PARTS[dialect])
    reason = draw(st.none() | st.sampled_from(REASONS[dialect]))
    if reason in {"stop", "cancelled"} and any(isinstance(part, sd.ToolCall) for part in parts):
        reason = None  # with calls, stop is read as tool_calls
    cached, written = draw(COUNT), draw(COUNT)
    made = usage(
        cached + written + draw(COUNT),
        draw(COUNT),
        cached_input_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=draw(COUNT),
    )
    return reply(
        parts=parts,
        finish_reason=reason,
        id=draw(st.none() | NAME),
        model=draw(NAME),
        usage=draw(st.sampled_from([made, None])),
        alternatives=draw(st.lists(TEXT, max_size=2)) if dialect == "chat" else (),
    )


def written(made, dialect, circumstances):
    stream = made.in_dialect(dialect, piece=circumstances["piece"]).line_ends(circumstances["line_end"])
    if circumstances["every"]:
        stream = stream.keep_alives(circumstances["every"])
    return stream.reads(circumstances["size"], seed=circumstances["seed"])


def call_meant(call, place, made, dialect):
    """How a call is read: an empty one of messages is an object, and one that the end cut off is not whole."""
    arguments = call.arguments or ("{}" if dialect == "messages" else "")
    last = place == len(made.parts) - 1
    whole = not made.is_cut_off or (dialect != "chat" and not last)
    return sd.ToolCall(call.id, call.name, call.kind, arguments, whole and can_be_executed(call))


def can_be_executed(call):
    try:
        return call.kind == "custom" or call.parsed() is not None
    except sd.InvalidArgumentsError:
        return False


def check(answer, made, dialect):
    assert answer.complete
    assert answer.dialect == dialect
    assert answer.model == made.model
    assert answer.id == (made.id or {"chat": "chatcmpl-", "messages": "msg_", "responses": "resp_"}[dialect] + made.key)
    assert answer.finish_reason == made.finish_reason
    assert answer.text == made.text
    assert answer.parts == [
        call_meant(part, place, made, dialect) if isinstance(part, sd.ToolCall) else part for place, part in enumerate(made.parts)
    ]
    assert [choice.text for choice in answer.choices[1:]] == [other.text for other in made.alternatives]
    names = ("input_tokens", "output_tokens", "total_tokens", "cached_input_tokens", "cache_write_tokens", "reasoning_tokens")
    told, meant = answer.usage, made.usage
    assert [getattr(told, name, None) for name in names] == [getattr(meant, name, None) for name in names]


@pytest.mark.parametrize("dialect", PARTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_what_is_written_is_read(dialect, data):
    made = data.draw(described(dialect))
    stream = written(made, dialect, data.draw(CIRCUMSTANCES))
    assert stream.bytes() == b"".join(stream.pieces()) == b"".join(stream.frames())
    check(sd.stream(stream.source()).answer(), made, dialect)


@pytest.mark.parametrize("dialect", PARTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_an_answer_can_be_written_again(dialect, data):
    made = data.draw(described(dialect))
    answer = sd.stream(made.in_dialect(dialect).source()).answer()
    again = sd.stream(Reply.of(answer).in_dialect(dialect, piece=data.draw(st.none() | st.integers(1, 9))).source()).answer()
    assert again == answer


@pytest.mark.parametrize("dialect", PARTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_the_same_description_is_always_written_alike(dialect, data):
    made = data.draw(described(dialect))
    circumstances = data.draw(CIRCUMSTANCES)
    first, second = written(made, dialect, circumstances), written(made, dialect, circumstances)
    assert first.pieces() == second.pieces()
    assert first.steps()[:-1] == second.steps()[:-1]


@pytest.mark.parametrize("dialect", PARTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_cut_anywhere_it_is_no_answer(dialect, data):
    stream = written(data.draw(described(dialect)), dialect, data.draw(CIRCUMSTANCES))
    # The blank line after the terminating frame tells nothing new.
    last = len(stream.bytes()) - len(stream.frames()[-1]) + 1
    cut = stream.cut(after_bytes=data.draw(st.integers(0, last)))
    assert cut.bytes() == stream.bytes()[: len(cut.bytes())]
    with pytest.raises(sd.TruncatedStreamError):
        sd.stream(cut.source()).answer()


def test_an_answer_in_another_dialect():
    described = reply("Hello", reasoning="hm", signature="sig", tool_calls=[tool_call("f", {"a": 1})])
    answer = sd.stream(described.as_messages().source()).answer()
    again = sd.stream(Reply.of(answer).as_responses().source()).answer()
    assert again.parts == answer.parts
    assert again.id == answer.id


def test_finish_reasons_that_only_a_provider_has_go_on_as_they_are():
    answer = sd.stream(reply("Hi", native_finish_reason="eos_by_moonlight").as_chat().source()).answer()
    assert (answer.finish_reason, answer.native_finish_reason) == ("other", "eos_by_moonlight")
    assert sd.stream(Reply.of(answer).as_messages().source()).answer().native_finish_reason == "eos_by_moonlight"


def test_an_answer_of_several_choices_and_one_of_none():
    answer = sd.stream(reply("a", alternatives=["b"]).as_chat().source()).answer()
    assert [choice.text for choice in sd.stream(Reply.of(answer).as_chat().source()).answer().choices] == ["a", "b"]
    assert Reply.of(sd.Answer(None, id="x")).id == "x"


def test_a_short_reply_is_short():
    assert repr(reply("Hello", reasoning="hm")) == "<Reply of 2 parts, stop>"
    assert reply().parts == []
    assert [type(part) for part in reply("a", reasoning="b", refusal="c", tool_calls=[tool_call("f")]).parts] == [
        sd.ReasoningPart,
        sd.TextPart,
        sd.RefusalPart,
        sd.ToolCall,
    ]


def test_the_package_offers_what_it_lists():
    assert set(testing.__all__) <= set(dir(testing))
