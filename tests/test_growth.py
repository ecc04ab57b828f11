"""Time that grows with the bytes and no faster, for streams that try to make it grow with their square.

CPU time of a size is compared with that of four times the size: 4 is linear, 16 is a square. A busy machine may be wrong once,
so a ratio counts only when it comes again.
"""

from __future__ import annotations

import json
import time

import pytest
from cases import chunk, data, typed

import sse_dialects as sd

pytestmark = [pytest.mark.alone, pytest.mark.slow]

WORST = 8.0  # between 4 and 16
TRIES = 4

STREAMS = {}
OPTIONS = {}
UNLIMITED = sd.Limits(max_frame_bytes=None, max_answer_bytes=None, max_parts=None, max_choices=None, max_tool_calls=None)


def stream(size, dialect="chat", *, read=16_384, **options):
    """Registers a function from a size to a stream, with the least size and how it is read."""

    def register(make):
        STREAMS[make.__name__] = make
        OPTIONS[make.__name__] = (size, dialect, read, options)
        return make

    return register


def many(count, frame):
    return b"".join(frame(number) for number in range(count))


def delta(type, **members):
    return typed(f"response.{type}", output_index=0, content_index=0, **members)


def block(number, type, **members):
    return typed("content_block_start", index=number, content_block={"type": type, **members})


# ---- frames


@stream(30_000, read=1)
def an_endless_line_byte_by_byte(n):
    return b"data: " + b"x" * n


@stream(1_500_000, read=1024)
def an_endless_line(n):
    return b"data: " + b"x" * n


@stream(40_000, read=1024)
def endless_data_lines(n):
    return b"data: x\n" * n


@stream(8_000, read=7)
def endless_data_lines_in_sevens(n):
    return b"data: x\r\n" * n


@stream(30_000, read=1024)
def comments(n):
    return b": ping\n\n" * n


@stream(30_000, read=1024)
def comments_in_one_frame(n):
    return b": ping\n" * n


@stream(60_000, read=1024)
def blank_lines(n):
    return b"\n" * n


@stream(60_000, read=1024)
def returns(n):
    return b"\r" * n


@stream(15_000, read=1)
def white_space(n):
    return b" " * n


@stream(4_000, "messages")
def tiny_frames(n):
    return b"data: 1\n\n" * n


# ---- bodies


@stream(1_000_000, "auto", read=1024)
def a_json_body(n):
    return json.dumps({"choices": [{"message": {"content": "x" * n}}]}).encode()


@stream(1_000_000, "auto", read=1024)
def a_json_body_that_is_cut(n):
    return b'{"choices":[{"message":{"content":"' + b"x" * n


# ---- chat


@stream(800)
def calls_with_names_and_no_index(n):
    return many(n, lambda _: chunk({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}))


@stream(1_500)
def one_call_whose_arguments_never_end(n):
    return many(n, lambda _: chunk({"tool_calls": [{"function": {"name": "f", "arguments": "{}}"}}]}))[:-1]


@stream(1_500)
def a_name_that_grows(n):
    return many(n, lambda number: chunk({"tool_calls": [{"index": 0, "function": {"name": f"f{number}"}}]}))


@stream(20_000)
def a_longer_name_again_and_again(n):
    return chunk({"tool_calls": [{"index": 0, "function": {"name": "f"}}]}) + many(
        n, lambda _: chunk({"tool_calls": [{"index": 0, "function": {"name": "fg"}}]})
    )


@stream(1_000)
def calls_whose_indexes_share_a_bucket(n):
    step = (1 << 61) - 1
    return many(n, lambda at: chunk({"tool_calls": [{"index": at * step, "id": f"c{at}", "function": {"name": "f"}}]}))


@stream(1_500)
def empty_snapshots_after_many_parts(n):
    parts = many(n, lambda at: chunk({"content": "a"} if at % 2 else {"reasoning": "r"}))
    return parts + many(n, lambda _: b'data: {"choices":[{"index":0,"message":{"refusal":"","content":""}}]}\n\n')


@stream(1_500)
def empty_snapshots_after_halves_of_pairs(n):
    halves = many(n, lambda at: chunk({["content", "reasoning"][at % 2]: "\ud83d"}))
    return halves + many(n, lambda _: b'data: {"choices":[{"index":0,"message":{"content":""}}]}\n\n')


@stream(4_000)
def one_signature_again_and_again(n):
    entry = {"type": "thinking", "index": 0, "signature": "s" * 100}
    return many(n, lambda _: chunk({"thinking_blocks": [entry]}))


@stream(1_500)
def one_call_under_many_ids(n):
    return many(n, lambda number: chunk({"tool_calls": [{"index": 0, "id": f"c{number}", "function": {"arguments": "{"}}]}))


@stream(4_000)
def content_parts(n):
    return chunk({"content": [{"type": "text", "text": "a"}, {"type": "x"}] * n})


@stream(1_000)
def alternating_parts(n):
    return many(n, lambda number: chunk({["content", "refusal"][number % 2]: "a"}))


@stream(1_500)
def snapshots_that_say_nothing(n):
    return many(n, lambda _: data({"choices": [{"delta": {"content": "a" * 20}, "message": {"content": ""}}]}))


@stream(1_500)
def snapshots_that_contradict(n):
    return many(n, lambda _: data({"choices": [{"delta": {"content": "a" * 20}, "message": {"content": "b"}}]}))


@stream(500)
def snapshots_of_calls(n):
    return many(
        n,
        lambda number: data(
            {
                "choices": [
                    {
                        "delta": {"tool_calls": [{"index": number, "id": f"c{number}", "function": {"name": "f"}}]},
                        "message": {"tool_calls": [{"id": "c0"}]},
                    }
                ]
            }
        ),
    )


@stream(1_500)
def an_unknown_string(n):
    return many(n, lambda number: chunk({"x": f"aaaaaaaaaa{number}"}))


@stream(1_500)
def unknown_members(n):
    return many(n, lambda number: chunk({f"x{number}": "a"}))


@stream(1_500)
def logprobs(n):
    return many(n, lambda _: data({"choices": [{"delta": {"content": "a"}, "logprobs": {"content": [{"t": 1}]}}]}))


@stream(1_500)
def audio(n):
    return many(n, lambda _: chunk({"audio": {"id": "a", "data": "AAAA", "transcript": "t" * 20}}))


@stream(1_500)
def annotations(n):
    return many(n, lambda number: chunk({"annotations": [{"n": number}]}))


@stream(1_500)
def reasoning_details(n):
    return many(n, lambda _: chunk({"reasoning_details": [{"type": "t", "index": 0, "signature": "sss"}]}))


@stream(8_000, think_tags=True)
def closing_tags_in_one_delta(n):
    return chunk({"content": "</think>" * n})


@stream(8_000, think_tags=True)
def tags_in_one_delta(n):
    return chunk({"content": "<think></think>" * n})


@stream(800, think_tags=True)
def orphan_tags(n):
    return many(n, lambda _: chunk({"content": "a</think>"}))


@stream(60_000)
def halves_of_pairs(n):
    return chunk({"content": "\ud83d" * n})


@stream(800, limits=UNLIMITED)
def choices(n):
    return many(n, lambda number: chunk({"content": "a"}, index=number))


@stream(1_500)
def a_delta_whose_string_stands_everywhere(n):
    return data({"x": ["a"] * n, "choices": [{"index": 0, "delta": {"content": "a"}}]}) * 3


@stream(1_500)
def usages(n):
    return many(n, lambda number: data({"choices": [], "usage": {"prompt_tokens": number}}))


# ---- messages


def message(*frames):
    return typed("message_start", message={"id": "m"}) + b"".join(frames)


def block_delta(number, type, **members):
    return typed("content_block_delta", index=number, delta={"type": type, **members})


@stream(3_000, "messages")
def the_same_signature_again_and_again(n):
    return message(block(0, "thinking"), many(n, lambda _: block_delta(0, "signature_delta", signature="s")))


@stream(3_000, "messages")
def the_same_encrypted_content_again_and_again(n):
    return message(block(0, "compaction"), many(n, lambda _: block_delta(0, "compaction_delta", encrypted_content="s")))


@stream(1_500, "messages", limits=UNLIMITED)
def blocks_whose_indexes_have_one_hash(n):
    return message(many(n, lambda number: block(number * (2**61 - 1), "text")))


@stream(3_000, "messages")
def pieces_of_a_server_tools_input(n):
    return message(block(0, "server_tool_use"), many(n, lambda _: block_delta(0, "input_json_delta", partial_json="1")))


@stream(3_000, "messages")
def small_usage_after_a_large_one(n):
    large = typed("message_delta", delta={}, usage={"output_tokens": 1, "own": [{}] * n})
    return message(large, many(n, lambda number: typed("message_delta", delta={}, usage={"output_tokens": number})))


@stream(1_500, "messages")
def stops_of_calls_that_are_never_sure(n):
    return message(
        many(n, lambda number: block(number, "tool_use", id="c", name="f") + typed("content_block_stop", index=number))
    )


@stream(700, "messages")
def blocks_on_one_index(n):
    return many(n, lambda _: block(0, "text", text="a") + typed("content_block_stop", index=0))


@stream(300, "messages")
def calls_on_one_index(n):
    return many(n, lambda _: block(0, "tool_use", id="t", name="f") + typed("content_block_stop", index=0))


@stream(1_500, "messages")
def usage_members(n):
    return many(n, lambda number: typed("message_delta", usage={f"u{number}": 1, "output_tokens": number}))


@stream(1_500, "messages")
def citations(n):
    return many(n, lambda number: typed("content_block_delta", index=0, delta={"type": "citations_delta", "citation": [number]}))


@stream(1_500, "messages")
def unknown_deltas(n):
    return block(0, "x") + many(n, lambda _: typed("content_block_delta", index=0, delta={"type": "x_delta", "x": "aaa"}))


# ---- responses


@stream(400, "responses")
def items_and_a_final_response(n):
    items = [{"type": ["message", "reasoning", "web_search_call"][number % 3], "content": []} for number in range(n)]
    opened = many(n, lambda number: typed("response.output_item.added", output_index=number, item=items[number]))
    return opened + typed("response.completed", response={"status": "completed", "output": items[::-1]})


@stream(400, "responses")
def items_by_id(n):
    item = {"type": "function_call", "name": "f"}
    return many(
        n,
        lambda number: (
            typed("response.output_item.added", item={**item, "call_id": f"c{number}"})
            + typed("response.function_call_arguments.delta", call_id=f"c{number}", delta="{}")
        ),
    )


@stream(700, "responses")
def texts_that_end_again_and_again(n):
    return many(n, lambda _: delta("output_text.delta", delta="a" * 20) + delta("output_text.done", text=""))


@stream(700, "responses")
def texts_that_are_contradicted_again_and_again(n):
    return many(n, lambda _: delta("output_text.delta", delta="a" * 20) + delta("output_text.done", text="b"))


@stream(700, "responses")
def paragraphs(n):
    return many(n, lambda number: delta("reasoning_summary_text.delta", summary_index=number, delta="a" * 20))


@stream(700, "responses")
def paragraphs_that_end_again_and_again(n):
    return many(
        n,
        lambda _: (
            delta("reasoning_summary_text.delta", summary_index=0, delta="a" * 20)
            + delta("reasoning_summary_text.done", summary_index=0, text="")
        ),
    )


@stream(700, "responses")
def content_parts_of_an_item(n):
    kinds = ["output_text", "refusal", "x"]
    return many(
        n,
        lambda number: typed(
            "response.content_part.added", output_index=0, content_index=number, part={"type": kinds[number % 3]}
        ),
    )


@stream(700, "responses")
def responses_in_progress(n):
    return many(n, lambda _: typed("response.in_progress", response={"output": [{"type": "message"}]}))


@stream(1_500, "responses")
def code(n):
    return many(n, lambda _: delta("code_interpreter_call_code.delta", delta="a" * 20))


# ---- the measure


def seconds(stream, dialect, read, options):
    """CPU time of decoding it, and of asking for what there is of the answer."""
    began = time.process_time()
    decoder = sd.Decoder(dialect, **options)
    try:
        for start in range(0, len(stream), read):
            for _ in decoder.feed(stream[start : start + read]):
                pass
        decoder.close()
    except sd.StreamError:
        pass
    decoder.partial().to_dict()
    return time.process_time() - began


@pytest.mark.parametrize("name", STREAMS)
def test_time_grows_with_the_bytes(name):
    size, *how = OPTIONS[name]
    small, large = STREAMS[name](size), STREAMS[name](4 * size)
    ratios = []
    while len(ratios) < TRIES:
        ratios.append(seconds(large, *how) / min(seconds(small, *how), seconds(small, *how)))
        if ratios[-1] < WORST:
            return
    pytest.fail(f"four times the bytes take {min(ratios):.1f} times as long")


@pytest.mark.parametrize(
    "frame",
    [chunk({"content": "abc"}), chunk({"x": [1]}), data({"choices": [], "usage": {"prompt_tokens": 1}})],
    ids=["text", "extras", "usage"],
)
def test_a_queue_that_nobody_drains_costs_no_more(frame):
    def fed(count):
        decoder = sd.Decoder("chat")
        list(decoder.feed(frame * 2))
        began = time.process_time()
        for _ in range(count):
            decoder.feed(frame)
            assert not decoder.complete
        return time.process_time() - began

    assert any(fed(12_000) / fed(3_000) < WORST for _ in range(TRIES))
