"""Half surrogate pairs, invalid UTF-8, duplicate names, huge and impossible numbers, deep nesting: as ruled in every place of
every sample where they can stand."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from samples import Sample, answered, chat, chunk, messages, piece, responses, text_block
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES

import sse_dialects as sd

pytestmark = pytest.mark.thorough

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ALL = [*CHAT, *MESSAGES, *RESPONSES]
each_sample = pytest.mark.parametrize("sample", ALL, ids=repr)

HIGH, LOW = "\ud83d", "\ude00"  # the halves of one character


# ---- driving


def driven(data: bytes, dialect: str) -> tuple[list[sd.Event], sd.Answer, sd.StreamError | None]:
    """Events, the answer or what there is of it, and the error if there is one; any other exception is a fault."""
    decoder = sd.Decoder(dialect)
    events: list[sd.Event] = []
    try:
        for event in decoder.feed(data):
            events.append(event)
        events += decoder.close()
        return events, decoder.answer(), None
    except sd.StreamError as error:
        return [*events, *error.decoded], error.partial, error


def all_told(data: bytes, dialect: str) -> list[Any]:
    """Everything that comes out of a stream, in plain types."""
    events, answer, error = driven(data, dialect)
    told: list[Any] = [[event.to_dict() for event in events], answer.to_dict(), str(answer)]
    if error is None:
        told.append(answer.turn)
    else:
        told += [error.to_dict(), str(error), getattr(error, "raw", None), getattr(error, "payload", None)]
    return told


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """``(path, leaf)`` for every leaf of a payload."""
    if isinstance(value, (dict, list)):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, step))
    else:
        yield path, value


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another leaf at ``path``."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


def renamed(value: Any, path: tuple[Any, ...], name: str) -> Any:
    """A copy with another name of the member at ``path``."""
    if len(path) == 1:
        return {name if each == path[0] else each: item for each, item in value.items()}
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = renamed(copy[path[0]], path[1:], name)
    return copy


def variants(sample: Sample, kind: type | tuple[type, ...], *values: Any) -> Iterator[tuple[str, bytes]]:
    """The sample with one leaf of that kind changed, for each such leaf; the values take turns."""
    turns = cycle(values)
    for number, payload in enumerate(sample.payloads):
        for path, leaf in places(payload):
            if isinstance(leaf, kind) and not isinstance(leaf, bool):
                payloads = [*sample.payloads[:number], changed(payload, path, next(turns)), *sample.payloads[number + 1 :]]
                yield f"{number}: {path}", Sample(sample.dialect, sample.name, payloads).data


# ---- half a surrogate pair


@pytest.mark.slow
@each_sample
def test_every_string_that_comes_out_can_be_encoded(sample):
    for _, data in variants(sample, str, f"a{HIGH}", f"{LOW}b", f"a{LOW}{HIGH}b", HIGH, LOW):
        json.dumps(all_told(data, sample.dialect), ensure_ascii=False).encode()


@pytest.mark.slow
@each_sample
def test_every_name_that_comes_out_can_be_encoded(sample):
    for number, payload in enumerate(sample.payloads):
        for path, _ in places(payload):
            if isinstance(path[-1], str):
                other = renamed(payload, path, path[-1] + HIGH)
                payloads = [*sample.payloads[:number], other, *sample.payloads[number + 1 :]]
                told = all_told(Sample(sample.dialect, "", payloads).data, sample.dialect)
                json.dumps(told, ensure_ascii=False).encode()


def of_chat(name: str, *values: Any) -> Sample:
    return chat("", *(chunk({name: value}) for value in values))


def of_text(*values: str) -> Sample:
    return messages("", text_block(0, *values))


def of_call(*values: str) -> Sample:
    return chat("", chunk(piece("", id="c", name="f")), *(chunk(piece(value)) for value in values))


def of_details(*values: str) -> Sample:
    return of_chat("reasoning_details", *([{"type": "reasoning.text", "text": value}] for value in values))


def of_message(*values: str) -> Sample:
    item = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": []}
    return responses("", (item, item, [{"type": "output_text.delta", "content_index": 0, "delta": value} for value in values]))


def of_thoughts(*values: str) -> Sample:
    item = {"id": "r", "type": "reasoning", "summary": []}
    deltas = [{"type": "reasoning_summary_text.delta", "summary_index": 0, "delta": value} for value in values]
    return responses("", (item, item, deltas))


STREAMED: dict[str, tuple[Callable[..., Sample], Callable[[sd.Answer], str]]] = {
    "chat text": (lambda *values: of_chat("content", *values), lambda answer: answer.text),
    "chat text natively": (lambda *values: of_chat("content", *values), lambda answer: answer.turn[0]["content"]),
    "chat reasoning": (lambda *values: of_chat("reasoning", *values), lambda answer: answer.reasoning),
    "chat reasoning under two names": (
        lambda *values: chat("", *(chunk({"reasoning": value, "reasoning_content": value}) for value in values)),
        lambda answer: answer.turn[0]["reasoning"],
    ),
    "chat refusal": (lambda *values: of_chat("refusal", *values), lambda answer: answer.refusal),
    "chat arguments": (of_call, lambda answer: answer.tool_calls[0].arguments),
    "chat reasoning details": (of_details, lambda answer: answer.turn[0]["reasoning_details"][0]["text"]),
    "chat parts": (
        lambda *values: of_chat("content", *([{"type": "text", "text": value}] for value in values)),
        lambda answer: answer.text,
    ),
    "chat transcript": (
        lambda *values: of_chat("audio", *({"transcript": value} for value in values)),
        lambda answer: answer.extra["audio"]["transcript"],
    ),
    "chat member of another": (
        lambda *values: of_chat("reasoning_text", *values),
        lambda answer: answer.native["choices"][0]["message"]["reasoning_text"],
    ),
    "messages text": (of_text, lambda answer: answer.text),
    "messages thinking": (
        lambda *values: messages(
            "",
            [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": value}}
                for value in values
            ],
        ),
        lambda answer: answer.reasoning,
    ),
    "messages input": (
        lambda *values: messages(
            "",
            [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": value}}
                for value in values
            ],
        ),
        lambda answer: answer.tool_calls[0].arguments,
    ),
    "messages compaction": (
        lambda *values: messages(
            "",
            {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
            [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": value}}
                for value in values
            ],
        ),
        lambda answer: answer.native["content"][0]["content"],
    ),
    "responses text": (of_message, lambda answer: answer.text),
    "responses summary": (of_thoughts, lambda answer: answer.reasoning),
    "responses summary natively": (of_thoughts, lambda answer: answer.turn[0]["summary"][0]["text"]),
}


@pytest.mark.parametrize("place", STREAMED)
@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["a" + HIGH, LOW + "b"], "a😀b"),
        ([HIGH, LOW], "😀"),
        ([HIGH, "b"], "\ufffdb"),
        (["a", LOW], "a\ufffd"),
        (["a" + HIGH], "a\ufffd"),
        ([HIGH, HIGH, LOW], "\ufffd😀"),
        ([HIGH + LOW], "😀"),
    ],
    ids=["a pair", "a bare pair", "a lost half", "a lone low half", "a half at the end", "two halves", "whole"],
)
def test_half_a_pair_waits_for_its_other_half(place, pieces, whole):
    build, read = STREAMED[place]
    sample = build(*pieces)
    events, answer = answered(sample.data, sample.dialect)
    assert read(answer) == whole
    for event in events:
        json.dumps(event.to_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
@pytest.mark.parametrize("member", ["message", "type", "code", "param", "x"])
def test_an_error_s_words_can_be_encoded(dialect, member):
    error = {"message": "m", "type": "t", "code": "c", "param": "p", "x": {"y" + HIGH: "z"}, member: f"a{HIGH}b"}
    told = all_told(Sample(dialect, "", [{"type": "error", "error": error}]).data, dialect)
    assert "a\ufffdb" in json.dumps(told, ensure_ascii=False)
    json.dumps(told, ensure_ascii=False).encode()


def test_an_error_in_plain_words_can_be_encoded():
    state = sd.ChatAccumulator()
    with pytest.raises(sd.UpstreamError) as caught:
        state.add(sd.Frame("error", f"no {HIGH} JSON"))
    assert (caught.value.message, caught.value.raw) == ("no \ufffd JSON",) * 2


def test_frames_of_another_parser_may_hold_halves_unescaped():
    state = sd.ChatAccumulator()
    told = state.add(sd.Frame("message", json.dumps({"choices": [{"delta": {"content": "a" + HIGH}}]}, ensure_ascii=False)))
    told += state.add(sd.Frame("message", json.dumps({"choices": [{"delta": {"content": LOW}}]}, ensure_ascii=False)))
    assert [event.text for event in told if isinstance(event, sd.TextDelta)] == ["a", "😀"]


# ---- invalid UTF-8


@each_sample
def test_bytes_that_are_no_utf_8_are_replacement_characters(sample):
    for broken in (b"\xff", b"\xed\xa0\xbd", b"\xf0\x9f\x98"):
        data = sample.data.replace(b"Hi", b"H" + broken)
        known = sample.data.decode().replace("Hi", "H" + broken.decode("utf-8", "replace")).encode()
        assert all_told(data, sample.dialect) == all_told(known, sample.dialect)


# ---- names that come twice in one object


@each_sample
def test_of_two_members_of_one_name_the_last_counts(sample):
    whole = all_told(sample.data, sample.dialect)
    for other in ("null", '"another"', "[1]", "{}"):
        texts = [twice(payload, other) for payload in sample.payloads]
        frames = [
            f"event: {payload.get('type', 'message')}\ndata: {text}\n\n"
            for payload, text in zip(sample.payloads, texts, strict=True)
        ]
        data = "".join([*frames, "data: [DONE]\n\n"]).encode()
        assert all_told(data, sample.dialect)[:2] == whole[:2]


def twice(value: Any, other: str) -> str:
    """JSON text in which every member comes before with another value."""
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{json.dumps(name)}:{other},{json.dumps(name)}:{twice(item, other)}" for name, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(twice(item, other) for item in value) + "]"
    return json.dumps(value)


# ---- numbers


@each_sample
def test_numbers_of_any_size_are_kept_or_no_counts(sample):
    for place, data in variants(sample, (int, float), 10**4000, -(10**300), 1e308, -0.5, 2**63):
        events, answer, error = driven(data, sample.dialect)
        assert error is None, place
        json.dumps([answer.to_dict(), *(event.to_dict() for event in events)])


@each_sample
def test_what_json_has_no_word_for_is_none_in_plain_types(sample):
    for place, data in variants(sample, (int, float), float("nan"), float("inf"), float("-inf")):
        events, answer, error = driven(data, sample.dialect)
        assert error is None, place
        json.dumps([answer.to_dict(), *(event.to_dict() for event in events)], allow_nan=False)


@each_sample
def test_a_number_of_5_000_digits_is_malformed(sample):
    place, data = next(variants(sample, (int, float), "~number~"))
    error = driven(data.replace(b'"~number~"', b"7" * 5000), sample.dialect)[2]
    assert isinstance(error, sd.MalformedStreamError), place


def test_a_count_that_is_no_whole_number_is_none():
    usage = {
        "prompt_tokens": 10**400,
        "completion_tokens": 1.5,
        "total_tokens": "7",
        "completion_tokens_details": {"reasoning_tokens": True},
    }
    sample = chat("", chunk({"content": "Hi"}, top={"usage": usage}))
    told = answered(sample.data, "chat")[1].usage
    assert told is None or (told.output_tokens, told.total_tokens, told.reasoning_tokens) == (None, None, None)


# ---- nesting


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.slow
@each_sample
def test_nesting_within_the_limit_is_kept(sample):
    for _, data in variants(sample, str, "~nested~"):
        told = all_told(data.replace(b'"~nested~"', nested(150).encode()), sample.dialect)
        json.dumps(told)


@each_sample
def test_deeper_nesting_than_the_limit_is_told_as_such(sample):
    _, data = next(variants(sample, str, "~nested~"))
    error = driven(data.replace(b'"~nested~"', nested(100_000).encode()), sample.dialect)[2]
    assert isinstance(error, sd.LimitExceededError)
    assert error.limit == "max_depth"
