"""Any bytes at all: an answer or one of our errors, the same whatever the chunking, and nothing that UTF-8 or JSON can't hold."""

from __future__ import annotations

import json
import random
import sys
from contextlib import suppress

import pytest
from generators import SCRIPTS
from mutations import spoiled
from shapes import Outcome, by_accumulator, by_decoder, by_decoder_at_close, chunkings, in_pieces
from test_properties import check_agreement, check_order, told_by_part

import sse_dialects as sd

pytestmark = pytest.mark.thorough

COUNT = 60  # streams a dialect; `-m slow` tries eight times as many, and `python -m fuzz` as many as there is time for


def text_of(outcome, **how):
    """All of it as text, because NaN is not itself."""
    return json.dumps(outcome.facts(**how), sort_keys=True)


def events_of(outcome):
    return json.dumps([event.to_dict() for event in outcome.events])


def options_of(rng, dialect):
    options = {"require_done": rng.random() < 0.7, "think_tags": rng.random() < 0.5} if dialect == "chat" else {}
    if rng.random() < 0.15:
        options["limits"] = sd.Limits(
            max_frame_bytes=rng.choice([5, 50, 200, 300]),
            max_answer_bytes=rng.choice([100, 1000, None]),
            max_parts=rng.choice([1, 2, 10]),
            max_choices=1,
            max_tool_calls=1,
            max_depth=rng.choice([1, 3, 5, None]),
        )
    return options


def try_one(seed, dialect):
    rng = random.Random(f"options {seed} {dialect}")
    data, options = spoiled(seed, dialect), options_of(rng, dialect)
    named = rng.choice([dialect, dialect, "auto", "auto", rng.choice(list(SCRIPTS))])
    outcome = by_decoder([data], named, **options)
    check_any(outcome)
    expected = text_of(outcome)
    for name, chunks in chunkings(data, seed):
        assert text_of(by_decoder(chunks, named, **options)) == expected, name
    assert events_of(by_decoder_at_close(in_pieces(data, 3), named, **options)) == events_of(outcome)
    assert text_of(by_nosy_decoder(in_pieces(data, 11), named, **options)) == expected
    # Where a stream it is, the frames alone say the same, but for what only whoever saw the bytes can say.
    framed = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"{", b"["}
    if framed and named != "auto" and outcome.status not in {"not_event_stream", "limit"}:
        alone = by_accumulator([data], named, **options)
        assert text_of(alone, of_bytes=False) == text_of(outcome, of_bytes=False)


def by_nosy_decoder(chunks, dialect, **options):
    """`Decoder`, asked for what there is after each chunk. That changes nothing, and nothing changes what was given."""
    decoder, events, given = sd.Decoder(dialect, **options), [], []
    few = len(chunks) // 20 + 1  # to write every one out in full would take time that grows with the square
    try:
        for number, chunk in enumerate(chunks):
            events.extend(decoder.feed(chunk))
            assert decoder.complete in {True, False}
            partial = decoder.partial()
            if number % few == 0:
                given.append((partial, json.dumps(partial.to_dict())))
        events += decoder.close()
        return Outcome(events, decoder.answer(), None)
    except sd.SSEDialectsError as error:
        return Outcome([*events, *error.decoded], None, error)
    finally:
        for partial, before in given:
            assert json.dumps(partial.to_dict()) == before


def check_any(outcome):
    """What holds for every stream there can be."""
    facts = outcome.facts()
    for value in strings(facts):
        value.encode()
    if outcome.events:
        check_order(outcome.events)
    if outcome.error is not None:
        assert not any(event.type == "finished" for event in outcome.events)
        repr(outcome.error)
        str(outcome.error)
    if facts["answer"] is None:
        return
    repr(outcome.partial)
    assert outcome.partial.complete is (outcome.error is None)
    if any(event.type == "extra" and event.name in {"snapshot", "think_tags"} for event in outcome.events):
        told_by_part(outcome.events)
    elif outcome.error is None:
        check_agreement(outcome.events, outcome.answer)


def strings(value):
    if isinstance(value, str):
        yield value
    for item in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(item)


@pytest.mark.parametrize("dialect", SCRIPTS)
def test_spoiled_streams(dialect):
    for seed in range(COUNT):
        try_one(seed, dialect)


@pytest.mark.slow
@pytest.mark.parametrize("more", range(1, 5))
@pytest.mark.parametrize("dialect", SCRIPTS)
def test_more_spoiled_streams(dialect, more):
    for seed in range(more * COUNT, (more + 1) * COUNT):
        try_one(seed, dialect)


def test_random_bytes():
    rng = random.Random("bytes")
    for _ in range(300):
        data = bytes(rng.choices(b'\r\n\r\n\0 :{}[]"\\<,x\xff\xef\xbb\xbf\x1f\x8b1dataDONEevent', k=rng.randrange(60)))
        outcome = by_decoder([data])
        check_any(outcome)
        for name, chunks in chunkings(data):
            assert text_of(by_decoder(chunks)) == text_of(outcome), name


# ---- nesting, numbers, names


def nested(levels):
    yield "[" * levels + "]" * levels
    yield '{"a":' * levels + '"\\ud83d"' + "}" * levels


NESTED_IN = {
    "chat": [
        '{"choices":[{"index":0,"delta":{"x":%s}}]}',
        '{"x":%s,"choices":[]}',
        '{"error":%s}',
        '{"error":{"message":%s}}',
        '{"choices":[],"usage":{"prompt_tokens":1,"d":%s}}',
        '{"choices":[{"index":%s,"delta":{"tool_calls":[{"function":{"name":"f","arguments":%s}}]}}]}',
        '{"choices":[{"logprobs":%s}]}',
        '{"choices":[{"message":{"annotations":[%s]}}]}',
        '{"choices":[{"delta":{"content":[%s]}}]}',
        '{"choices":[{"delta":{"reasoning_details":[{"type":%s}]}}]}',
    ],
    "messages": [
        '{"type":"content_block_start","index":%s,"content_block":{"type":"tool_use","input":%s}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":%s}}',
        '{"type":"message_delta","delta":{"x":%s},"usage":{"output_tokens":%s}}',
    ],
    "responses": [
        '{"type":"response.output_item.added","output_index":%s,"item":{"type":%s,"id":%s}}',
        '{"type":"response.new","x":%s}',
        '{"type":"response.completed","response":{"output":[%s]}}',
    ],
    "auto": ["%s", '{"detail":%s}'],
}


@pytest.mark.parametrize("max_depth", [None, 1_000_000, 200])
@pytest.mark.parametrize("levels", [100, 195, 201, 400, 1_500, 30_000])
@pytest.mark.parametrize("dialect", NESTED_IN)
def test_deep_nesting_in_every_place_ends_in_an_answer_or_one_of_our_errors(dialect, levels, max_depth):
    for template in NESTED_IN[dialect]:
        for value in nested(levels):
            payload = template.replace("%s", value).encode()
            for data in (b"data: " + payload + b"\n\n", payload):
                outcome = by_decoder([data], dialect, limits=sd.Limits(max_depth=max_depth))
                check_any(outcome)
                if levels > sys.getrecursionlimit() // 3:
                    assert outcome.status in {"malformed", "limit", "not_event_stream"}


@pytest.mark.parametrize("template", NESTED_IN["chat"])
def test_a_deep_payload_for_a_caller_who_is_deep_down_the_stack(template):
    """Within the limit, but with little of the stack left for walking it."""
    data = b"data: " + template.replace("%s", '{"a":' * 180 + "1" + "}" * 180).encode() + b"\n\n"

    def decoded(frames):
        if frames:
            return decoded(frames - 1)
        decoder = sd.Decoder("chat")
        with suppress(sd.StreamError):
            list(decoder.feed(data))
        return decoder.error

    for frames in (300, 500, 700):
        assert decoded(frames) is None or decoded(frames).kind in {"malformed", "upstream"}


@pytest.mark.parametrize("digits", [4_300, 4_301, 100_000])
def test_numbers_of_any_length(digits):
    number = "9" * digits
    for payload in (
        f'{{"choices":[{{"index":{number},"delta":{{"content":"x"}}}}]}}',
        f'{{"choices":[],"usage":{{"prompt_tokens":{number},"completion_tokens":{number}}}}}',
        f'{{"choices":[{{"delta":{{"tool_calls":[{{"index":{number},"function":{{"name":"f"}}}}]}}}}]}}',
        f'{{"error":{{"code":{number}}}}}',
    ):
        outcome = by_decoder([f"data: {payload}\n\ndata: [DONE]\n\n".encode()], "chat")
        check_any(outcome)
        if digits > 4_300:
            assert outcome.status == "malformed"


def test_a_name_of_ten_megabytes():
    name = "n" * 10_000_000
    payload = json.dumps({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": name}}]}}]})
    (call,) = by_decoder([f"data: {payload}\n\ndata: [DONE]\n\n".encode()], "chat").answer.tool_calls
    assert call.name == name
    assert len(repr(call)) < 300


def test_one_name_on_every_level():
    """A member of a chunk, of a choice, of a delta and of a message that share a name, in shapes of every kind."""
    for name in ("audio", "logprobs", "annotations", "content", "think_tags", "snapshot", "usage", "x"):
        for value in ('"s"', "5", "[1]", '{"id":"a","data":"AA","content":[1]}', "null"):
            for other in ('"s"', "[2]", '{"transcript":"t","content":[2]}'):
                choice = f'{{"{name}":{other},"delta":{{"{name}":{value}}},"message":{{"{name}":{other}}}}}'
                chunk = f'{{"{name}":{value},"choices":[{choice}]}}'
                check_any(by_decoder([f"data: {chunk}\n\n".encode() * 2 + b"data: [DONE]\n\n"], "chat"))
