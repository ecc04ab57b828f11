"""The hot function of the responses engine does what the general one does: before, behind and beside every kind of event."""

from __future__ import annotations

import pytest
from shapes import in_pieces
from told import stream_of

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.dialects.responses.engine import ResponsesEngine
from sse_dialects.dialects.responses.events import EVENTS

ITEM, PART = {"output_index": 0}, {"output_index": 0, "content_index": 0}


@pytest.fixture(autouse=True)
def without_repeated_frames(monkeypatch):
    """So that the hot function sees every frame."""
    monkeypatch.setattr("sse_dialects.repeated.AFTER", 1 << 60)


def event(kind, /, **members):
    return {"type": f"response.{kind}", **members}


def added(index, **item):
    return event("output_item.added", output_index=index, item=item)


def text(delta, **members):
    return event("output_text.delta", **PART | {"item_id": "m", "delta": delta} | members)


MESSAGE = [added(0, type="message", id="m"), event("content_part.added", **PART, part={"type": "output_text", "text": ""})]
REASONING = [added(0, type="reasoning", id="rs")]
CALL = [added(0, type="function_call", id="fc", call_id="c", name="f")]
CUSTOM = [added(0, type="custom_tool_call", id="ct", call_id="c", name="f")]

# Each kind of delta that can be hot: what opens its part, and what makes one.
DELTAS = {
    "output_text": (MESSAGE, PART),
    "content_part": (MESSAGE, PART),
    "refusal": ([MESSAGE[0], event("content_part.added", **PART, part={"type": "refusal", "refusal": ""})], PART),
    "reasoning_summary_text": (REASONING, ITEM | {"summary_index": 0}),
    "reasoning_text": (REASONING, PART),
    "reasoning": (REASONING, PART),
    "function_call_arguments": (CALL, ITEM),
    "custom_tool_call_input": (CUSTOM, ITEM),
}

# Between two hot frames: one event of every type that has a row, and of some that have none.
BETWEEN = {
    **{kind: {"type": kind, **PART, "summary_index": 0} for kind in (*EVENTS, *ResponsesEngine._EVENTS)},
    "a delta that is empty": event("output_text.delta", **PART, delta=""),
    "a delta in an object": event("output_text.delta", **PART, delta={"text": "x"}),
    "a type that nobody knows": event("hologram.delta", **PART, delta="x"),
    "a hosted tool": event("web_search_call.searching", output_index=0, item_id="ws"),
    "a hosted tool's code": event("code_interpreter_call_code.delta", output_index=3, item_id="ci", delta="x"),
    "a keep-alive": {"type": "ping"},
    "a keep-alive with a member": {"type": "ping", "_cost": 1},
    "no type": {"_cost": 2},
    "a failure": {"type": "error", "message": "It broke", "sequence_number": 9},
    "text with half a pair": text("a\ud83d"),
    "another item": added(1, type="message", id="n"),
    "the same item again": added(0, type="message", id="m"),
    "the item's end": event("output_item.done", output_index=0, item={"type": "message", "id": "m", "status": "completed"}),
    "a call's end": event(
        "output_item.done", output_index=0, item={"type": "function_call", "id": "fc", "call_id": "c", "status": "completed"}
    ),
    "text that contradicts": event("output_text.done", **PART, text="other"),
    "reasoning that contradicts": event("reasoning_text.done", **PART, text="other"),
    "a part's end": event("content_part.done", **PART, part={"type": "output_text", "text": "ab"}),
}

# Beside the delta: members that a row takes, and values that are equal to the last ones and mean something else.
BESIDE = {
    "logprobs": {"logprobs": [{"token": "x"}]},
    "no logprobs": {"logprobs": []},
    "name": {"name": "g"},
    "call_id": {"call_id": "other"},
    "item_id": {"item_id": "other"},
    "part": {"part": {"type": "output_text", "text": "x"}},
    "text": {"text": "abc"},
    "a provider's own": {"_cost": 1},
    "error": {"error": {"message": "It broke"}},
    "response": {"response": {"id": "r"}},
    "another item's index": {"output_index": 1},
    "another part's index": {"content_index": 1, "summary_index": 1},
    "an index that is false": {"output_index": False},
    "an index that is 0.0": {"output_index": 0.0},
    "a part's index that is false": {"content_index": False},
    "a summary's index that is 0.0": {"summary_index": 0.0},
    "no index": {"output_index": None},
    "an empty delta": {"delta": ""},
    "an object": {"delta": {"text": "x"}},
    "null": {"delta": None},
    "a number": {"sequence_number": 77},
    "a number that is none": {"sequence_number": "x"},
    "padding": {"obfuscation": "xyz"},
    "half a pair": {"delta": "x\ud83d"},
    "a lone half": {"delta": "\ude00x"},
    "a type in the event's name": {"type": None},
}
COMPLETED = event("completed", response={"id": "r", "status": "completed"})


class Counted(ResponsesEngine):
    """Counts the deltas that were hot."""

    __slots__ = ("hot_count",)

    def _prepare(self):
        super()._prepare()
        self.hot_count = 0

    def take(self, payload, event):
        buffer = super().take(payload, event)
        self.hot_count += buffer is not None
        return buffer


def outcome(chunks, *, fast=True):
    """All that a stream says, the state of the decoder included, and how many frames were hot."""
    decoder = sd.Decoder("responses")
    decoder._engine = Counted(sd.Limits(), decoder._queue)
    decoder._fast = fast
    events, error, turn = [], None, None
    try:
        for chunk in chunks:
            for event in decoder.feed(chunk):
                events.append(event.to_dict())
        events += [event.to_dict() for event in decoder.close()]
        turn = decoder.answer().turn
    except sd.SSEDialectsError as raised:
        events += [event.to_dict() for event in raised.decoded]
        error = raised.to_dict(), getattr(raised, "payload", None)
    engine = decoder._engine
    counts = decoder.frame_count, decoder.content_count, engine.last_sequence_number
    return (events, decoder.partial().to_dict(), turn, error, counts), engine.hot_count


def check(*payloads):
    """The same events, answer, error and counts, hot or not and however cut. Returns how many frames were hot."""
    frames = [stream_of(payload) for payload in payloads]
    data = b"".join(frames)
    expected, _ = outcome([data], fast=False)
    hot = 0
    for chunks in ([data], frames, in_pieces(data, 7)):
        found, hot = outcome(chunks)
        assert found == expected
    return hot


def deltas_of(kind):
    """What opens the part, and a function that makes its deltas."""
    opening, place = DELTAS[kind]
    return opening, lambda piece, **members: event(f"{kind}.delta", **place | {"sequence_number": 5, "delta": piece} | members)


@pytest.mark.parametrize("kind", DELTAS)
def test_a_delta_like_the_last_one_is_hot(kind):
    opening, delta = deltas_of(kind)
    frames = [delta(str(number), sequence_number=number, obfuscation="x" * number) for number in range(5)]
    assert check(*opening, *frames, COMPLETED) == 4


@pytest.mark.parametrize("kind", DELTAS)
def test_a_delta_without_number_and_padding_is_hot(kind):
    opening, delta = deltas_of(kind)
    frames = [{**delta(piece)} for piece in "abcde"]
    for frame in frames:
        del frame["sequence_number"]
    assert check(*opening, *frames, COMPLETED) == 4


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("kind", DELTAS)
def test_an_event_between_two_deltas(kind, between):
    opening, delta = deltas_of(kind)
    row = BETWEEN[between]
    for payload in (row, {**row, "delta": "q"}, {**row, "text": "abq", "part": {"type": "output_text", "text": "abq"}}):
        assert check(*opening, delta("a"), delta("b"), payload, delta("c"), delta("d"), payload, delta("e"), COMPLETED) >= 1


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("kind", DELTAS)
def test_a_member_beside_the_delta(kind, beside):
    opening, delta = deltas_of(kind)
    frame = delta("x", **BESIDE[beside])
    assert check(*opening, delta("a"), delta("b"), frame, delta("c"), delta("d"), frame, frame, delta("e"), COMPLETED) >= 1


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("kind", DELTAS)
def test_a_delta_that_nothing_was_opened_for(kind, beside):
    _, delta = deltas_of(kind)
    check(*[delta(piece, **BESIDE[beside] | {"delta": piece}) for piece in "abc"], COMPLETED)
    check(*[delta(piece, item_id="m") for piece in "abc"], *[delta(piece, **BESIDE[beside]) for piece in "abc"])


def test_a_delta_for_an_item_of_another_kind_opens_one_each_time():
    frames = [event("output_text.delta", item_id="fc", delta=piece) for piece in "abcd"]
    assert check(*CALL, *frames, COMPLETED) == 0


def test_the_other_half_of_a_pair_is_joined():
    check(*MESSAGE, text("a"), text("b"), text("\ud83d"), text("\ude00"), text("c"), text("d"), COMPLETED)
    check(*MESSAGE, text("a"), text("b"), text("\ud83d"), text("c"), text("d"), text("\ud83d"), text("e"))


def test_the_end_of_a_part_whose_own_member_is_called_delta_is_no_delta():
    ends = [
        event("output_text.done", **PART, text=words, delta=piece) for words, piece in [("ab", "q"), ("abc", "q"), ("abc", "r")]
    ]
    check(*MESSAGE, text("a"), text("a"), *ends, COMPLETED)


def test_what_was_handed_out_does_not_change_what_is_remembered():
    decoder = sd.Decoder("responses")
    own = {"_cost": {"cents": 1}}
    events = list(decoder.feed(stream_of(*MESSAGE, text("a", **own), text("b", **own))))
    [cost] = [event for event in events if isinstance(event, sd.Extra)]
    cost.value["cents"] = 2
    assert [event.type for event in decoder.feed(stream_of(text("c", **own)))] == ["text_delta"]
    assert decoder.partial().extra == own


def test_the_number_of_the_last_event_is_kept():
    decoder = sd.Decoder("responses")
    numbers = []
    deltas = [text("a", sequence_number=number) for number in (4, 5, 6, "x", True, 7.0)]
    for payload in (*MESSAGE, *deltas, {"type": "ping", "sequence_number": 9}):
        list(decoder.feed(stream_of(payload)))
        numbers.append(decoder._engine.last_sequence_number)
    assert numbers == [None, None, 4, 5, 6, 6, 6, 6, 6]


def test_most_deltas_of_a_whole_answer_are_hot():
    call = testing.tool_call("f", {"a": "b" * 200})
    data = testing.reply("It is sunny. " * 20, reasoning="I look. " * 20, tool_calls=[call]).as_responses(piece=5).bytes()
    (events, *_), hot = outcome([data])
    deltas = sum(event["type"].endswith("_delta") for event in events)
    assert deltas > 50
    assert hot > 0.8 * deltas


def test_every_kind_of_delta_that_makes_one_is_tried():
    hosted = {"response.mcp_call_arguments.delta", "response.code_interpreter_call_code.delta"}
    assert {kind for kind in EVENTS if kind.endswith(".delta")} - hosted == {f"response.{kind}.delta" for kind in DELTAS}
