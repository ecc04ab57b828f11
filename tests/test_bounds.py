"""Each limit at its number and one beyond it, however the stream is cut; and memory that stays near the limits."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from cases import DONE, chunk, data, typed
from shapes import ACCUMULATORS, by_accumulator, by_decoder, chunkings

import sse_dialects as sd

pytestmark = pytest.mark.thorough

STOP = typed("message_stop")
COMPLETED = typed("response.completed", response={"status": "completed"})


def block(index, type="text", **members):
    return typed("content_block_start", index=index, content_block={"type": type, **members})


def item(index, type, **members):
    return typed("response.output_item.added", output_index=index, item={"type": type, **members})


def repeated(count, frame):
    return b"".join(frame(number) for number in range(count))


USES = {}


def uses(limit, number, dialect="chat"):
    """Registers a function that makes a stream which needs exactly so much of a limit."""

    def register(make):
        USES[f"{limit}: {make.__name__.replace('_', ' ')}"] = (limit, dialect, number, make)
        return make

    return register


@uses("max_frame_bytes", 200)
def one_line(n):
    return b"data: " + b'{"choices":[]}'.ljust(n - 6) + b"\n\n"


@uses("max_frame_bytes", 199)
def several_lines(n):
    return b"\n".join([b": x"] * ((n + 1) // 4)) + b"\n\n"


@uses("max_frame_bytes", 199)
def lines_that_end_in_crlf(n):  # each counts as one byte
    return b"\r\n".join([b": x"] * ((n + 1) // 4)) + b"\r\n\r\n"


@uses("max_answer_bytes", 400)
def payloads(n):
    return b"data: " + b'{"choices":[]}'.rjust(n - 11) + b"   \n\n"


@uses("max_answer_bytes", 400, "auto")
def a_json_body(n):
    return json.dumps({"choices": []}).encode().ljust(n)


@uses("max_choices", 3)
def choices(n):
    return repeated(n, lambda number: chunk({"content": "x"}, index=10 * number))


@uses("max_tool_calls", 3)
def calls(n):
    return repeated(n, lambda number: chunk({"tool_calls": [{"index": number, "id": f"c{number}", "function": {"name": "f"}}]}))


@uses("max_tool_calls", 3)
def calls_of_all_choices(n):
    return repeated(n, lambda number: chunk({"function_call": {"name": "f"}}, index=number))


@uses("max_tool_calls", 3, "messages")
def call_blocks(n):
    return block(9) + repeated(n, lambda number: block(number, "tool_use", id="t", name="f"))


@uses("max_tool_calls", 3, "responses")
def call_items(n):
    return repeated(n, lambda number: item(number, "function_call", call_id="c", name="f"))


@uses("max_parts", 4)
def parts(n):
    return repeated(n, lambda number: chunk({["content", "reasoning"][number % 2]: "x"}))


@uses("max_parts", 2)
def parts_of_each_choice(n):
    return repeated(9, lambda number: chunk({"content": "x", **({"reasoning": "x"} if n > 1 else {})}, index=number))


@uses("max_parts", 4, "messages")
def blocks(n):
    return repeated(n, block)


@uses("max_parts", 4, "responses")
def items(n):
    return repeated(n, lambda number: item(number, "web_search_call"))


@uses("max_parts", 4, "responses")
def items_without_a_part(n):
    return repeated(n, lambda number: item(number, "message"))


@uses("max_parts", 4, "responses")
def parts_of_an_item(n):
    return item(0, "message", content=[{"type": "output_text", "text": "x"}] * n)


@uses("max_depth", 9)
def arrays(n):
    return data('{"choices":[],"x":' + "[" * (n - 1) + '"[[[["' + "]" * (n - 1) + "}")


@uses("max_depth", 9, "messages")
def objects(n):
    return data('{"type":"x","x":' + '{"a":' * (n - 2) + "{}" + "}" * (n - 1), "x")


@uses("max_depth", 9, "auto")
def a_nested_json_body(n):
    return ('{"choices":[],"x":' + "[" * (n - 1) + "]" * (n - 1) + "}").encode()


ENDS = {"chat": DONE, "messages": STOP, "responses": COMPLETED, "auto": b""}

every_use = pytest.mark.parametrize("use", USES.values(), ids=USES)


def limited(name, allowed):
    """Only that one limit, so that no other is met before it."""
    names = ("max_frame_bytes", "max_answer_bytes", "max_parts", "max_choices", "max_tool_calls", "max_depth")
    return sd.Limits(**{**dict.fromkeys(names), name: allowed})


@every_use
@pytest.mark.parametrize("room", [0, 1], ids=["at", "below"])
def test_at_its_number_and_below_a_limit_holds_nothing_up(use, room):
    name, dialect, number, make = use
    stream = make(number) + ENDS[dialect]
    allowed = room + (number + len(ENDS["chat"]) if (name, dialect) == ("max_answer_bytes", "chat") else number)
    for _, chunks in chunkings(stream):
        outcome = by_decoder(chunks, dialect, limits=limited(name, allowed))
        assert outcome.error is None
    if dialect in ACCUMULATORS:
        assert by_accumulator([stream], dialect, limits=limited(name, allowed)).error is None


@every_use
def test_one_beyond_it_is_too_much(use):
    name, dialect, number, make = use
    stream = make(number) + ENDS[dialect]
    found = []
    for _, chunks in chunkings(stream):
        outcome = by_decoder(chunks, dialect, limits=limited(name, number - 1))
        assert isinstance(outcome.error, sd.LimitExceededError)
        assert (outcome.error.limit, outcome.error.allowed, outcome.error.retryable) == (name, number - 1, False)
        assert f"{name}={number - 1:,}" in str(outcome.error)
        found.append(outcome.facts())
    assert all(facts == found[0] for facts in found)
    if dialect in ACCUMULATORS and name != "max_answer_bytes":  # of which an accumulator sees the data alone
        assert by_accumulator([stream], dialect, limits=limited(name, number - 1)).status == "limit"


@every_use
def test_none_switches_it_off(use):
    name, dialect, number, make = use
    assert by_decoder([make(number) + ENDS[dialect]], dialect, limits=limited(name, None)).error is None


def test_limits_are_on_by_default():
    for stream, limit in [
        (b"data: " + b"x" * (16 << 20) + b"!", "max_frame_bytes"),
        (repeated(129, lambda number: chunk({}, index=number)), "max_choices"),
        (data("[" * 201), "max_depth"),
    ]:
        outcome = by_decoder([stream], "chat")
        assert (outcome.status, outcome.error.limit) == ("limit", limit)
    for stream, limit in [
        (repeated(10_001, block), "max_parts"),
        (repeated(4_097, lambda number: block(number, "tool_use")), "max_tool_calls"),
    ]:
        outcome = by_decoder([stream], "messages")
        assert (outcome.status, outcome.error.limit) == ("limit", limit)


# ---- memory


KIB = 1 << 10
SMALL = sd.Limits(max_frame_bytes=64 * KIB, max_answer_bytes=128 * KIB)

# How a stream goes on for ever: what comes again and again.
ENDLESS = {
    "a line": b"x" * 4096,
    "data lines": b"data: xxxxxxxxxxxx\n" * 200,
    "comments": b": wait\n\n" * 500,
    "comments in one frame": b": wait\n" * 500,
    "blank lines": b"\n" * 4096,
    "white space": b" " * 4096,
    "tiny frames": b"data: 1\n\n" * 400,
    "frames that tell nothing": b'data: {"x":"' + b"y" * 4000 + b'"}\n\n',
    "chat text": chunk({"content": "x" * 4000}),
    "a JSON body": b'{"',
    "retries": b"retry: " + b"9" * 4000 + b"\n\n",
}


def multiple(pieces):
    """How many times as much memory as `SMALL` allows bytes it takes, at most, to decode these and to look at what came."""
    decoder = sd.Decoder("auto", limits=SMALL)
    tracemalloc.start()
    try:
        for piece in pieces:
            for _event in decoder.feed(piece):
                pass
        decoder.close()
    except sd.SSEDialectsError:
        pass
    finally:
        decoder.partial()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak / (128 * KIB)


@pytest.mark.alone
@pytest.mark.parametrize("again", ENDLESS.values(), ids=ENDLESS)
def test_memory_stays_near_the_limits(again):
    assert multiple([again] * (320 * KIB // len(again))) < 4


def test_characters_that_make_strings_wide_cost_four_bytes_each():
    text = "😀" + "x" * 4000
    assert multiple([f'data: {{"choices":[{{"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()] * 100) < 10


# Payloads of nothing but the smallest values: each takes CPython some twenty times as many bytes as JSON, and an answer holds up
# to four copies of it, of which none is shared.
FULL = {
    "chat": lambda n: b'{"choices":[{"index":0,"delta":{"x%d":[%b{}]}}]}' % (n, b"{}," * 5_000),
    "chat names": lambda n: (
        b'{"choices":[],%b}' % b",".join(b'"%d":[]' % number for number in range(1_500 * n, 1_500 * n + 1_500))
    ),
    "chat annotations": lambda n: b'{"choices":[{"index":0,"delta":{"annotations":[%b{}]}}]}' % (b"{}," * 5_000),
    "messages": lambda n: (
        b'{"type":"content_block_start","index":%d,"content_block":{"type":"x","y":[%b{}]}}' % (n, b"{}," * 5_000)
    ),
    "responses": lambda n: (
        b'{"type":"response.output_item.added","output_index":%d,"item":{"type":"x","y":[%b{}]}}' % (n, b"{}," * 5_000)
    ),
}


@pytest.mark.parametrize("payload", FULL.values(), ids=FULL)
def test_memory_of_payloads_full_of_nothing(payload):
    assert multiple(b"data: " + payload(number) + b"\n\n" for number in range(20)) < 105


# What costs most: parts that are empty, and half a surrogate pair among empty objects.
WORST = {
    "parts of messages": lambda n: (
        b'{"type":"response.output_item.done","output_index":%d,"item":{"type":"message","content":[%b{}]}}' % (n, b"{}," * 5_000)
    ),
    "text among the parts of content": lambda _: b'{"choices":[{"index":0,"delta":{"content":["a",%b{}]}}]}' % (b"{}," * 5_000),
    "parts of content": lambda _: b'{"choices":[{"index":0,"delta":{"content":[%b{}]}}]}' % (b"{}," * 5_000),
    "parts of reasoning": lambda n: (
        b'{"type":"response.output_item.added","output_index":%d,"item":{"type":"reasoning","summary":[%b{}]}}'
        % (n, b"{}," * 5_000)
    ),
    "half a surrogate pair": lambda n: (
        b'{"type":"content_block_start","index":%d,"content_block":{"type":"x","s":"\\ud83d","y":[%b{}]}}' % (n, b"{}," * 5_000)
    ),
}


@pytest.mark.parametrize("payload", WORST.values(), ids=WORST)
def test_memory_of_the_worst_payloads_in_one_read(payload):
    assert multiple([b"".join(b"data: " + payload(number) + b"\n\n" for number in range(9))]) < 195


def test_memory_of_parts_without_text():
    payload = b'data: {"type":"response.completed","response":{"output":[{"type":"message","content":[%b{}]}]}}\n\n' % (
        b"{}," * 8_999
    )
    assert multiple([payload]) * 128 * KIB < 9_000 * 2_500


def test_memory_of_many_reports_of_usage_in_one_read():
    row = b'data: {"type":"message_delta","usage":{"output_tokens":%d,"x%d":1}}\n\n'
    assert multiple([b"".join(row % (number, number) for number in range(1_800))]) < 20


def test_memory_of_a_body_full_of_nothing():
    assert multiple([b'{"choices":[{"message":{"content":"a","x":[', b"{}," * 41_000, b"{}]}}]}"]) < 100


@pytest.mark.parametrize("field", [b"event: ", b"id: ", b"x: "])
def test_the_names_and_ids_of_frames_count_as_bytes_of_the_answer(field):
    decoder = sd.Decoder("chat", limits=SMALL)
    frame = field + b"x" * 16 * KIB + b"\ndata: 1\n\n"
    with pytest.raises(sd.LimitExceededError) as caught:
        list(decoder.feed(frame * 9))
    assert (caught.value.limit, caught.value.frame_count) == ("max_answer_bytes", 8)
