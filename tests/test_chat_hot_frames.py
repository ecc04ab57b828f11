"""Chunks that are compared with the last one: the same as if each were looked at closely, whatever comes before and between."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from shapes import by_accumulator, in_pieces

import sse_dialects as sd
from sse_dialects.dialects.chat.deltas import DELTA_MEMBERS
from sse_dialects.dialects.chat.engine import ChatEngine


@pytest.fixture(autouse=True)
def without_repeated_frames(monkeypatch):
    """So that the hot function sees every frame."""
    monkeypatch.setattr("sse_dialects.repeated.AFTER", 1 << 60)


TEXT_ENTRY = {"type": "reasoning.text", "index": 0, "text": "e"}


def call(arguments, index: Any = 0, **more):
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}, **more}]}


def chunk(delta, *, choice=None, **members):
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | {
        "choices": [{"index": 0, "delta": delta, "finish_reason": None, **(choice or {})}],
        **members,
    }


OPEN_CALL = chunk({"tool_calls": [{"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": ""}}]})
PARTS = chunk({"content": [{"type": "text", "text": "part"}]})

# What comes first, the deltas that are common, and whether those without more are compared from the third on.
HOT = {
    "content": ([], [{"content": text} for text in "abcdef"]),
    "refusal": ([], [{"refusal": text} for text in "abcdef"]),
    "reasoning": ([], [{"reasoning_content": text, "content": None} for text in "abcdef"]),
    "empty content beside it": ([], [{"role": "assistant", "content": "", "reasoning": text} for text in "abcdef"]),
    "arguments": ([OPEN_CALL], [call(text) for text in ('{"', "a", '":', "[1", ",2", "]}")]),
    "arguments with the id": ([OPEN_CALL], [call(text, id="t") for text in ('{"', "a", '":', "[1", ",2", "]}")]),
    "a string that is joined": ([], [{"reasoning": text, "channel": "x"} for text in "abcdef"]),
    "content after parts": ([PARTS], [{"content": text} for text in "abcdef"]),
    "two choices": ([chunk({"content": "z"}, choice={"index": 1})], [{"content": text} for text in "abcdef"]),
}

# Members of a chunk, of its choice and of its delta, with values that mean something, nothing, or something by accident only.
ODD: list[Any] = [None, "", [], {}, 0, False, 1, True, 1.0, "x", ["x"], {"x": 1}, [{}], [None]]
CHUNK = {
    "id": ["c", "other", *ODD],
    "created": [1, 2, *ODD],
    "model": ["m", "other", *ODD],
    "object": ["error", "chat.completion.done", *ODD],
    "obfuscation": ["pad", *ODD],
    "type": ["ping", "error", *ODD],
    "usage": [{"prompt_tokens": 1, "completion_tokens": 2}, {"prompt_tokens": None}, *ODD],
    "error": [{"message": "no"}, {"message": ""}, *ODD],
    "own": ODD,
    "x_own": [{"usage": {"prompt_tokens": 1}}, {"error": {"message": "no"}}, {"error": {}}, *ODD],
    "base_resp": [{"status_code": 200}, {"status_code": 200.0}, {"status_code": 0}, {"status_code": 1004}, *ODD],
    "detail": ["no", *ODD],
    "choices": [[], None, [None], [{}], [chunk({"content": "q"})["choices"][0]] * 2, *ODD],
}
CHOICE = {
    "index": [0, 1, "0", 0.0, -1, *ODD],
    "delta": [{"content": "q", "refusal": "r"}, *ODD],
    "message": [{"content": "q"}, {"role": "assistant"}, *ODD],
    "text": ["q", *ODD],
    "logprobs": [{"content": [{"token": "a"}]}, {"content": []}, *ODD],
    "usage": [{"prompt_tokens": 3}, *ODD],
    "error": [{"message": "no"}, {"message": ""}, *ODD],
    "finish_reason": ["stop", "length", "tool_calls", "error", "null", *ODD],
    "native_finish_reason": ["STOP", "MAX_TOKENS", *ODD],
    "own": ODD,
}
DELTA = {
    "role": ["assistant", "user", *ODD],
    "content": ["q", [{"type": "text", "text": "q"}], {"type": "text", "text": "q"}, "\ud83d", *ODD],
    "refusal": ["q", "\ud83d", *ODD],
    "reasoning_content": ["q", "\ude00", *ODD],
    "reasoning": ["q", *ODD],
    "reasoning_text": ["q", *ODD],
    "thinking": ["q", *ODD],
    "reasoning_details": [[TEXT_ENTRY], [{**TEXT_ENTRY, "signature": "s"}], *ODD],
    "thinking_blocks": [[{"type": "thinking", "thinking": "q"}], *ODD],
    "content_blocks": [[{"delta": {"thinking": "q"}}], *ODD],
    "tool_calls": [
        *(call("q", index)["tool_calls"] for index in (0, 1, True, False, 0.0, "0", None)),
        call("q", id="new")["tool_calls"],
        call("q", type="custom")["tool_calls"],
        call("q", custom={"input": "q"})["tool_calls"],
        call("q", own="x")["tool_calls"],
        call("q")["tool_calls"] * 2,
        [{"index": 0, "function": {"name": "f", "arguments": "q"}}],
        [{"index": 0, "id": "u", "function": {"name": "g", "arguments": "q"}}],
        [{"index": 0, "function": {"arguments": {"q": 1}}}],
        [{"index": 0, "function": {"arguments": "q", "own": "x"}}],
        *ODD,
    ],
    "function_call": [{"name": "f", "arguments": "{}"}, {"arguments": "q"}, *ODD],
    "annotations": [[{"type": "url"}], *ODD],
    "audio": [{"data": "AA==", "transcript": "q"}, *ODD],
    "error": [{"message": "no"}, {"message": ""}, *ODD],
    "channel": ["y", *ODD],
    "signature": ["s", *ODD],
    "name": ["n", *ODD],
}


def decoded(frames, size, *, fast, **options):
    """Everything that a stream gives, and how many of its frames were compared."""
    data = b"".join(frames)
    decoder = sd.Decoder("chat", **options)
    decoder._fast = fast
    events, end = [], None
    try:
        for piece in in_pieces(data, size) if size else frames:
            for event in decoder.feed(piece):
                events.append(event.to_dict())
        events += [event.to_dict() for event in decoder.close()]
        answer = decoder.answer()
        end = [answer.to_dict(), answer.turn]
    except sd.SSEDialectsError as error:
        events += [event.to_dict() for event in error.decoded or ()]
        end = [type(error).__name__, error.to_dict(), getattr(error, "payload", None)]
    partial = decoder.partial()
    return [events, end, partial.to_dict(), decoder.frame_count, decoder.content_count]


def exact(value):
    """As text, for Python takes 1, 1.0 and True for the same."""
    return json.dumps(value, default=str)


def check(payloads, **options):
    frames = [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads] + [b"data: [DONE]\n\n"]
    want = exact(decoded(frames, 0, fast=False, **options))
    for size in (0, 1 << 20, 7):
        assert exact(decoded(frames, size, fast=True, **options)) == want
    events = decoded(frames, 0, fast=False, **options)[0]
    assert [event.to_dict() for event in by_accumulator([b"".join(frames)], "chat", **options).events] == events


def rows():
    for place, table in (("chunk", CHUNK), ("choice", CHOICE), ("delta", DELTA)):
        for name, values in table.items():
            yield pytest.param(place, name, values, id=f"{place}-{name}")


def with_member(payload, place, name, value):
    """The payload with a member added, or put in place of the one that it has."""
    changed = copy.deepcopy(payload)
    holder = {"chunk": changed, "choice": changed["choices"][0], "delta": changed["choices"][0]["delta"]}[place]
    holder[name] = value
    return changed


def test_every_row_of_the_tables_is_tried():
    assert DELTA.keys() >= DELTA_MEMBERS.keys()
    assert CHOICE.keys() >= ChatEngine.CHOICE_MEMBERS.keys()


@pytest.mark.thorough
@pytest.mark.parametrize("hot", HOT)
@pytest.mark.parametrize(("place", "name", "values"), list(rows()))
def test_a_member_that_comes_between_or_with_common_chunks(hot, place, name, values):
    first, deltas = HOT[hot]
    common = [chunk(delta) for delta in deltas]
    for value in values:
        alone = with_member(chunk({}), place, name, value)
        check([*first, *common[:4], alone, *common[4:]])
        check([*first, *(with_member(payload, place, name, value) for payload in common[:3]), *common[3:]])
        check([*first, *common[:3], *(with_member(payload, place, name, value) for payload in common[3:])])


@pytest.mark.parametrize("name", ["index", "created", "content", "own", "base_resp"])
def test_values_that_python_takes_for_equal(name):
    place = {"index": "choice", "content": "delta"}.get(name, "chunk")
    for one in (0, 1, 200):
        for other in (bool(one), float(one)):
            pair = ({"status_code": one}, {"status_code": other}) if name == "base_resp" else (one, other)
            for value, then in (pair, pair[::-1]):
                payloads = [with_member(chunk({"refusal": text}), place, name, value) for text in "abc"]
                check([*payloads, *(with_member(payload, place, name, then) for payload in payloads)])


@pytest.mark.parametrize("index", [True, False, 0.0, 1.0, "0", "1", None])
@pytest.mark.parametrize("number", [0, 1])
def test_the_index_of_a_call_is_a_number(index, number):
    opened = [{"index": at, "id": f"t{at}", "function": {"name": "f", "arguments": ""}} for at in (0, 1)]
    pieces = [chunk(call(text, number)) for text in ("x", "y", "z", "w")]
    check([chunk({"tool_calls": opened}), *pieces, chunk(call("v", index)), *pieces, chunk(call("u", index, id="t1"))])


@pytest.mark.parametrize("hot", HOT)
def test_names_of_the_answer_that_change_with_each_chunk(hot):
    first, deltas = HOT[hot]
    for name in ("id", "created", "obfuscation", "model"):
        check([*first, *(chunk(delta, **{name: number}) for number, delta in enumerate(deltas))])
        check([*first, *(chunk(delta, **{"id": "", "model": "", "created": 0, name: n}) for n, delta in enumerate(deltas))])


@pytest.mark.parametrize("hot", HOT)
@pytest.mark.parametrize("event", ["error", "ping", "other"])
def test_the_name_of_the_event_counts(hot, event):
    first, deltas = HOT[hot]
    frames = [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in [*first, *map(chunk, deltas)]]
    frames[4] = f"event: {event}\n".encode() + frames[4]
    assert exact(decoded(frames, 0, fast=True)) == exact(decoded(frames, 0, fast=False))
    events = decoded(frames, 0, fast=False)[0]
    assert [event.to_dict() for event in by_accumulator([b"".join(frames)], "chat").events] == events


@pytest.mark.parametrize("hot", HOT)
def test_half_a_pair_among_common_chunks(hot):
    first, deltas = HOT[hot]
    halves = [
        json.loads(json.dumps(delta).replace(text, half))
        for delta, text, half in zip(deltas[:2], "ab", ("\\ud83d", "\\ude00"), strict=True)
    ]
    check([*first, *map(chunk, deltas[:3]), *map(chunk, halves), *map(chunk, deltas[3:])])
    check([*first, *map(chunk, deltas[:3]), chunk(halves[0]), *map(chunk, deltas[3:])])


@pytest.mark.parametrize("hot", HOT)
def test_think_tags_among_common_chunks(hot):
    first, deltas = HOT[hot]
    tags = [chunk({"content": text}) for text in ("<thi", "nk>", "t", "</think>", "x", "</think>")]
    check([*first, *map(chunk, deltas[:3]), *tags, *map(chunk, deltas[3:])], think_tags=True)


@pytest.mark.parametrize("finished", [0, 1])
@pytest.mark.parametrize("count", range(1, 5))
def test_chunks_are_counted(count, finished):
    last = chunk({"content": "z"}, choice={"index": 1, "finish_reason": "stop" if finished else None})
    check([*(chunk({"content": "a"}) for _ in range(count)), last])


def test_pieces_of_which_each_is_all_so_far():
    pieces = ['{"a"', '{"a":1', '{"a":1}', '{"a":1,"b":2}']
    check([OPEN_CALL, *(chunk(call(piece)) for piece in pieces), chunk({}, choice={"finish_reason": "tool_calls"})])


def test_chunks_are_counted_from_the_first_with_choices():
    last = chunk({"content": "z"}, choice={"index": 1, "finish_reason": "stop"})
    check([{"choices": []}, chunk({"content": "a"}), chunk({"content": "b"}), last])


def test_several_choices_in_one_chunk():
    two = [chunk({"content": "a"})["choices"][0], chunk({"content": ""}, choice={"index": 1})["choices"][0]]
    opened = chunk({"content": "z"}, choice={"index": 1})
    check([opened, *({"choices": [{**two[0], "delta": {"content": text}}, two[1]]} for text in "abcd")])


def test_all_arguments_once_more_at_the_end_of_a_choice():
    pieces = [chunk(call(piece)) for piece in ('{"a"', ":1")]
    ends = [chunk(call(piece), choice={"finish_reason": "tool_calls"}) for piece in ("}", '{"a":1}', '{"a":1}')]
    check([OPEN_CALL, *pieces, *ends])


def test_a_snapshot_beside_each_delta():
    snapshot = {"message": {"content": "ab"}}
    check([chunk({"content": "a"}), *(chunk({"content": text}, choice=snapshot) for text in "bcd")])


def test_a_name_beside_arguments_may_begin_another_call():
    names = [{"index": 0, "function": {"name": "f", "arguments": piece}} for piece in ('{"a"', ":1", "}", '{"b":2}', '{"c":3}')]
    check([OPEN_CALL, *(chunk({"tool_calls": [element]}) for element in names)])


def test_the_input_of_a_custom_call_beside_arguments_of_none():
    opened = {"index": 0, "id": "t", "type": "custom", "custom": {"name": "f", "input": "q"}}
    pieces = [{"index": 0, "custom": {"input": "q"}, "function": {"arguments": text}} for text in "qqrs"]
    check([chunk({"tool_calls": [element]}) for element in (opened, *pieces)])


@pytest.mark.parametrize(("odd", "number"), [(True, 1), (False, 0)])
def test_a_call_whose_index_equals_another_by_accident(odd, number):
    opened = [{"index": at, "id": f"t{at}", "function": {"name": "f", "arguments": "x"}} for at in (number, 1 - number)]
    pieces = [chunk(call(text, odd)) for text in ("y", "z", "w")]
    check([chunk({"tool_calls": opened}), *pieces, *(chunk(call(text, number)) for text in ("v", "u"))])


def test_a_time_that_is_named_late():
    created = [0, "", 0, "", 5, 6]
    check([chunk({"content": "a"}, id="", model="", created=value) for value in created])
    check([chunk({"content": "a"}, created=value) for value in created])


def test_an_event_that_is_edited_changes_nothing():
    frames = [b"data: " + json.dumps(chunk({"content": text}, own={"a": [1]})).encode() + b"\n\n" for text in "abc"]
    decoder = sd.Decoder("chat")
    events = []
    for frame in frames:
        for event in decoder.feed(frame):
            events.append(event)
            if isinstance(event, sd.Extra):
                event.value["a"].append(2)
    assert [event.type for event in events] == ["started", "text_delta", "extra", "text_delta", "text_delta"]
    assert decoder.partial().extra == {"own": {"a": [1]}}


def count_compared(monkeypatch, frames):
    """How many frames were compared with the last, and how many gave a delta."""
    compared = 0
    take = ChatEngine.take

    def counted(self, payload, event):
        nonlocal compared
        buffer = take(self, payload, event)
        compared += buffer is not None
        return buffer

    monkeypatch.setattr(ChatEngine, "take", counted)
    decoder = sd.Decoder("chat")
    events = [event for frame in frames for event in decoder.feed(frame)]
    return compared, sum(event.type.endswith("_delta") for event in events)


@pytest.mark.parametrize("hot", HOT)
def test_common_chunks_are_compared(monkeypatch, hot):
    first, deltas = HOT[hot]
    payloads = [*first, *(chunk(delta, obfuscation="x" * n) for n, delta in enumerate([*deltas, *deltas[2:] * 5]))]
    compared, emitted = count_compared(monkeypatch, [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads])
    assert compared >= emitted - 4


@pytest.mark.parametrize("name", ["id", "created"])
def test_chunks_with_changing_names_are_compared(monkeypatch, name):
    payloads = [chunk({"content": "a"}, **{name: str(number)}) for number in range(1, 20)]
    payloads.insert(10, chunk({}, own=1))
    compared, _ = count_compared(monkeypatch, [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads])
    assert compared >= 12


def test_names_that_change_are_still_known_to_after_a_chunk_of_another_shape(monkeypatch):
    payloads = [chunk({"content": "a"}, id=f"c{number}") for number in range(10)]
    payloads += [chunk({"role": "assistant", "content": "a"}, id=f"d{number}") for number in range(10)]
    compared, _ = count_compared(monkeypatch, [b"data: " + json.dumps(payload).encode() + b"\n\n" for payload in payloads])
    assert compared == 7 + 9
