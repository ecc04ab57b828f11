"""The short way of a delta that equals the last one but for its string: it may do only what the general way does.

Each stream is driven with and without the short way, in several chunkings and through an accumulator, and all have to agree.
"""

from __future__ import annotations

import json

import pytest
from samples.in_messages import MESSAGES
from shapes import by_accumulator, in_pieces
from told import stream_of

import sse_dialects as sd
from sse_dialects.detect import ENGINES
from sse_dialects.dialects.messages.blocks import Block, InputBlock
from sse_dialects.dialects.messages.engine import MessagesEngine

START = {"type": "message_start", "message": {"id": "m", "model": "x", "content": [], "usage": {"input_tokens": 3}}}
STOP = {"type": "message_stop"}

# A block of each kind, with a delta that the short way is for.
KINDS = {
    "text": ({"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}),
    "thinking": ({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "a"}),
    "tool_use": ({"type": "tool_use", "id": "c", "name": "f"}, {"type": "input_json_delta", "partial_json": "1"}),
    "server_tool_use": ({"type": "server_tool_use", "id": "c"}, {"type": "input_json_delta", "partial_json": "1"}),
    "untyped": ({"type": "text", "text": ""}, {"text": "a"}),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def opened(kind, index=1):
    return {"type": "content_block_start", "index": index, "content_block": KINDS[kind][0]}


def delta(kind, index=1, **members):
    return {"type": "content_block_delta", "index": index, "delta": {**KINDS[kind][1], **members}}


def facts(chunks, *, fast):
    """All that can be seen of a stream. As JSON, where 1, 1.0 and true differ."""
    decoder = sd.Decoder("messages")
    decoder._fast = fast
    events, end = [], None
    try:
        for chunk in chunks:
            events += decoder.feed(chunk)
        events += decoder.close()
        end = [decoder.answer().to_dict(), decoder.answer().turn]
    except sd.SSEDialectsError as error:
        events += error.decoded
        payload = getattr(error, "payload", None)
        end = [type(error).__name__, error.to_dict(), payload, error.frame_count, error.byte_count]
    counts = [decoder.frame_count, decoder.content_count, decoder.complete]
    rows = [event.to_dict() for event in events]
    found = json.dumps([rows, end, decoder.partial().to_dict(), counts], sort_keys=True, ensure_ascii=False)
    assert found.encode()  # no half of a pair in any string
    return found


def drive(*payloads):
    """The facts of a stream, which are the same each way."""
    data = stream_of(*payloads)
    frames = [frame + b"\n\n" for frame in data.split(b"\n\n")[:-1]]
    expected = facts([data], fast=False)
    for chunks in ([data], frames, in_pieces(data, 1), in_pieces(data, 61), in_pieces(data.replace(b"\n", b"\r\n"), 61)):
        offsets_differ = b"\r" in chunks[0] or b"\r" in b"".join(chunks)
        found = facts(chunks, fast=True)
        assert found == (facts(chunks, fast=False) if offsets_differ else expected)
    whole = json.loads(expected)[0]
    assert [event.to_dict() for event in by_accumulator([data], "messages").events] == whole
    return whole


# ---- that it is taken


class Counting(MessagesEngine):
    """Counts the deltas that took the short way."""

    __slots__ = ("general", "short")

    def take(self, payload, event):
        buffer = super().take(payload, event)
        if payload.get("type") == "content_block_delta":
            name = "short" if buffer is not None else "general"
            setattr(self, name, getattr(self, name, 0) + 1)
        return buffer


@pytest.fixture
def counted(monkeypatch):
    """A function that reads a stream and says how many of its deltas took the short way and the general one."""

    def read(data):
        monkeypatch.setitem(ENGINES, "messages", Counting)
        decoder = sd.Decoder("messages")
        list(decoder.feed(data))
        return getattr(decoder._engine, "short", 0), getattr(decoder._engine, "general", 0)

    return read


@kinds
def test_all_deltas_of_a_block_but_the_first_are_short(counted, kind):
    rows = [delta(kind) for _ in range(5)]
    assert counted(stream_of(START, opened(kind), *rows, opened(kind, 2), *rows, STOP)) == (8, 2)
    drive(START, opened(kind), *rows, opened(kind, 2), *rows, STOP)


@pytest.mark.parametrize("sample", MESSAGES, ids=lambda sample: sample.name)
def test_the_samples_with_each_frame_sent_once_twice_and_three_times(sample):
    frames = sample.data.split(b"\n\n")[:-1]
    for times in (1, 2, 3):
        data = b"".join((frame + b"\n\n") * (1 if b"message_" in frame else times) for frame in frames)
        expected = facts([data], fast=False)
        for chunks in ([data], in_pieces(data, 97)):
            assert facts(chunks, fast=True) == expected


# ---- rows between, and members beside


def rows_between(kind):
    """Payloads of every kind that the engine knows, and of some that it does not."""
    other = {"type": "input_json_delta", "partial_json": "2"} if kind == "text" else {"type": "text_delta", "text": "b"}
    yield START
    yield {"type": "message_start", "message": {"id": "other"}}
    for index in (0, 1, 2, True, 1.0, "1", None):
        for fields in (KINDS[kind][0], {"type": "text", "text": "x"}, {"type": "glow", "x": 1}, {}, None):
            yield {"type": "content_block_start", "index": index, "content_block": fields}
        for fields in (KINDS[kind][1], other, {"type": "new_delta", "x": "y"}, {}, None, [], "x"):
            yield {"type": "content_block_delta", "index": index, "delta": fields}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "content_block_delta", "delta": KINDS[kind][1]}
    yield ("content_block_delta", {"index": 1, "delta": KINDS[kind][1]})
    yield ("message_delta", {"index": 1, "delta": KINDS[kind][1]})
    for fields in ({}, {"stop_reason": "end_turn"}, {"stop_reason": "max_tokens"}, {"own": 1}):
        yield {"type": "message_delta", "delta": fields, "usage": {"output_tokens": 7}}
    yield from (STOP, "[DONE]", "null", "nonsense", "[]")
    yield from ({"type": "ping"}, ("ping", {}), {"type": "ping", "own": 1}, {"own": 1}, {"type": "new_event", "own": 1})
    yield from ({"type": "error", "error": {"type": "overloaded_error"}}, ("error", "bad gateway"), {"error": "x"})
    yield from (("error", delta(kind)), ("ping", delta(kind)), ("", delta(kind)), ("other", delta(kind)))


def rows_of_deltas():
    """Deltas of every type that a kind of block knows."""
    for block in (*Block.__subclasses__(), *InputBlock.__subclasses__()):
        for type_, member in block.DELTAS.items():
            for value in ("b", "", None, {"x": 1}, 7, "\ud83d", "a\ude00", "\ud83d\ude00"):
                yield {"type": type_, member: value}


@pytest.mark.thorough
@kinds
def test_a_row_between_short_frames(kind):
    for row in rows_between(kind):
        drive(START, opened(kind), delta(kind), delta(kind), row, delta(kind), delta(kind), STOP)
        drive(START, opened(kind), delta(kind), delta(kind), row, row, delta(kind), STOP)


@pytest.mark.thorough
@kinds
def test_a_delta_of_any_type_between_short_frames(kind):
    for fields in rows_of_deltas():
        row = {"type": "content_block_delta", "index": 1, "delta": fields}
        drive(START, opened(kind), delta(kind), delta(kind), row, delta(kind), STOP)
        drive(START, opened(kind), delta(kind), row, row, delta(kind), delta(kind), STOP)


@kinds
def test_a_member_added_to_a_short_frame(kind):
    known = {name for _, names in MessagesEngine._EVENTS.values() for name in names} | {"own", "error", "detail", "choices", "id"}
    for name in sorted(known - {"type", "index", "delta"}):
        for value in (None, {}, {"output_tokens": 5}, 7, "x", [1]):
            more = {**delta(kind), name: value}
            drive(START, opened(kind), delta(kind), more, delta(kind), more, more, STOP)
    for value in (None, {}, 7, "x", [1]):
        more = delta(kind, own=value)
        drive(START, opened(kind), delta(kind), more, delta(kind), more, more, STOP)


@kinds
@pytest.mark.parametrize("member", ["usage", "own"])
def test_numbers_that_compare_equal_are_not_the_same(kind, member):
    values = [1, True, 1.0, 1]
    more = [{**delta(kind), member: {"output_tokens": value}} for value in values]
    for last in more:
        drive(START, opened(kind), delta(kind), *more, last, STOP)


@kinds
@pytest.mark.parametrize("values", [(1, True, 1), (True, 1, True), (1, 1.0, 1), (1.0, 1, 1.0), (0, False, 0), (False, 0, False)])
def test_an_index_counts_as_one_only_if_it_is_a_whole_number(kind, values):
    rows = [delta(kind, value) for value in values]
    drive(START, *[opened(kind, value) for value in (0, 1)], *rows, *rows, STOP)
    drive(START, *rows, *rows, STOP)
    drive(START, *[opened(kind, value) for value in values], rows[0], rows[0], *rows, *rows[1:], rows[1], rows[1], STOP)


@kinds
@pytest.mark.parametrize("piece", ["", None, 7, [], {"x": 1}, "\ud83d", "a\ud83d", "\ud83d\ude00"])
def test_a_string_that_is_none_or_holds_half_a_pair(kind, piece):
    name = list(KINDS[kind][1])[-1]
    drive(START, opened(kind), delta(kind), delta(kind, **{name: piece}), delta(kind), delta(kind, **{name: piece}), STOP)
    drive(START, opened(kind), delta(kind, **{name: piece}), delta(kind), delta(kind), STOP)


@pytest.mark.parametrize("first", ["{}", "null", " {} ", "{", ""])
def test_the_beginning_of_a_calls_arguments(first):
    for second in ("{}", '{"a":', "}", ""):
        rows = [delta("tool_use", partial_json=piece) for piece in (first, second, "1", "}", "}")]
        stop = {"type": "content_block_stop", "index": 1}
        drive(START, opened("tool_use"), *rows, stop, {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, STOP)


@kinds
def test_deltas_behind_the_end_of_their_block(kind):
    stop = {"type": "content_block_stop", "index": 1}
    drive(START, opened(kind), delta(kind), stop, delta(kind), delta(kind), delta(kind), STOP)
    drive(START, opened(kind), delta(kind), stop, delta("text", 2), delta("text", 2), delta(kind), STOP)
    drive(START, opened("tool_use", 0), {**stop, "index": 0}, opened(kind), delta(kind), delta(kind), delta("tool_use", 0), STOP)


@kinds
def test_a_failure_has_its_payload_as_it_came(kind):
    failure = {**delta(kind), "type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    drive(START, opened(kind), delta(kind), delta(kind), failure)
    decoder = sd.Decoder("messages")
    with pytest.raises(sd.UpstreamError) as caught:
        list(decoder.feed(stream_of(START, opened(kind), delta(kind), delta(kind), failure)))
    assert caught.value.payload == failure


@kinds
@pytest.mark.parametrize("type_", ["new_delta", "citations_delta", "signature_delta", "text_delta", "thinking_delta", ""])
def test_a_delta_of_another_type_that_has_the_strings_member_too(kind, type_):
    name = list(KINDS[kind][1])[-1]
    for more in ({}, {"citation": {"x": 1}}, {"signature": "x"}, {"own": 1}):
        rows = [delta(kind, **{"type": type_, name: piece, **more}) for piece in "abcd"]
        drive(START, opened(kind), *rows, delta(kind), *rows, STOP)


def test_the_name_of_an_event_counts_where_the_payload_has_no_type():
    payload = {"index": 1, "delta": KINDS["text"][1]}
    names = ["content_block_delta"] * 3 + ["message_delta", "new_event", "content_block_delta", "content_block_stop"]
    drive(START, opened("text"), *[(name, payload) for name in names], STOP)


@kinds
def test_an_empty_delta_begins_the_stream(kind):
    name = list(KINDS[kind][1])[-1]
    drive(delta(kind, **{name: ""}), delta(kind), delta(kind), STOP)


def test_each_delta_of_a_server_tool_is_an_extra_as_it_came():
    input_delta = KINDS["server_tool_use"][1]
    rows = [input_delta, input_delta, {**input_delta, "own": 1}, {**input_delta, "own": 1}, {"type": "new", "partial_json": "2"}]
    rows += [input_delta, {"partial_json": "3"}, {"partial_json": "4"}, input_delta]
    payloads = [{"type": "content_block_delta", "index": 1, "delta": row} for row in rows]
    events = drive(START, opened("server_tool_use"), *payloads, STOP)
    assert [event["value"] for event in events if event["type"] == "extra"][1:] == [[row] for row in rows]


@kinds
def test_asking_for_the_answer_on_the_way_changes_nothing(kind):
    rows = [
        START,
        opened(kind),
        *[delta(kind)] * 4,
        {"type": "content_block_delta", "index": 1, "delta": {"type": "x", "x": "y"}},
    ]
    asked = sd.Decoder("messages")
    for end in range(len(rows)):
        list(asked.feed(stream_of(rows[end])))
        fresh = sd.Decoder("messages")
        list(fresh.feed(stream_of(*rows[: end + 1])))
        assert asked.partial() == fresh.partial()


def test_what_an_event_holds_is_not_what_is_remembered():
    rows = [
        {**delta("server_tool_use", partial_json=piece), "own": {"a": number}}
        for piece, number in zip("1234", "1223", strict=True)
    ]
    for spoiled in (False, True):
        decoder, kept = sd.Decoder("messages"), []
        for row in (START, opened("server_tool_use"), *rows):
            for event in decoder.feed(stream_of(row)):
                kept.append(event.to_dict())
                if spoiled and event.type == "extra" and event.name == "own":
                    event.value["a"] = "2"
        assert [row["value"]["a"] for row in kept if row.get("name") == "own"] == ["1", "2", "3"]


def test_what_an_event_of_an_input_holds_is_its_own():
    rows = [delta("server_tool_use", partial_json=piece) for piece in ("1", "2", "3", "4")]
    decoder, kept = sd.Decoder("messages"), []
    for row in (START, opened("server_tool_use"), *rows):
        kept += decoder.feed(stream_of(row))
    assert [event.value[0]["partial_json"] for event in kept[3:]] == ["1", "2", "3", "4"]
    for event in kept[3:]:
        event.value[0].clear()
    assert [each["partial_json"] for each in decoder.partial().extra["input_json_delta"]] == ["1", "2", "3", "4"]
