"""What a frame costs does not depend on what came before it.

Each kind of frame comes after each kind of state, once when that state is small and once when it is six times as large. Counted
are the lines of Python that run and the bytes that are allocated, not seconds, so a busy machine changes nothing. The median of
a few frames is taken: now and then a list has to move to a larger place.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tracemalloc

import pytest
from cases import data, typed
from test_growth import UNLIMITED

import sse_dialects as sd

pytestmark = pytest.mark.slow

SMALL, LARGE = 40, 240  # frames that make a state
FRAMES = 5  # frames that are measured in it
SPARE_LINES, SPARE_BYTES = 25, 2_000

LONG = "s" * 40
BUCKET = (1 << 61) - 1  # multiples of it have one hash


def choice(delta=None, **members):
    return data({"choices": [{"index": 0, **({} if delta is None else {"delta": delta}), **members}]})


def call(index, *, id=None, name=None, arguments=None, **members):
    function = {key: value for key, value in [("name", name), ("arguments", arguments)] if value is not None}
    return choice({"tool_calls": [{"index": index, **({} if id is None else {"id": id}), "function": function, **members}]})


# Each makes the frame of a number: one and the same again and again, or one after the other.
CHAT = {
    "content": lambda n: choice({"content": LONG}),
    "empty content": lambda n: choice({"content": ""}),
    "reasoning": lambda n: choice({"reasoning_content": LONG}),
    "both": lambda n: choice({"reasoning_content": LONG, "content": LONG}),
    "alternating": lambda n: choice({["content", "reasoning", "refusal"][n % 3]: "a"}),
    "halves": lambda n: choice({["content", "reasoning"][n % 2]: "\ud83d"}),
    "white space": lambda n: choice({["content", "reasoning"][n % 2]: " " * 40}),
    "space in reasoning": lambda n: choice({"reasoning": " " * 40}),
    "refusal": lambda n: choice({"refusal": LONG}),
    "role": lambda n: choice({"role": "assistant"}),
    "choices": lambda n: data({"choices": [{"index": n, "delta": {"content": "a"}}]}),
    "choices in one bucket": lambda n: data({"choices": [{"index": n * BUCKET, "delta": {"content": "a"}}]}),
    "text of a choice": lambda n: choice(text=LONG),
    "content parts": lambda n: choice({"content": [{"type": "text", "text": "a"}, {"type": "x", "n": n}]}),
    "thinking parts": lambda n: choice({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]}),
    "think tags": lambda n: choice({"content": "<think>a</think>b"}),
    "orphan tags": lambda n: choice({"content": "a</think>"}),
    "calls": lambda n: call(n, id=f"c{n}", name="f", arguments="{}"),
    "calls in one bucket": lambda n: call(n * BUCKET, id=f"c{n}", name="f"),
    "calls without index": lambda n: choice({"tool_calls": [{"id": f"c{n}", "function": {"name": "f", "arguments": "{}"}}]}),
    "calls without index or id": lambda n: choice({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}),
    "calls on one index": lambda n: call(1, id=f"d{n}", name="g", arguments="{}"),
    "arguments": lambda n: call(0, arguments=LONG),
    "arguments that close": lambda n: call(0, arguments="{}}"),
    "a longer name": lambda n: call(0, name=f"f{n}"),
    "the longer name again": lambda n: call(0, name="fg"),
    "the ids of one call": lambda n: call(0, id=f"e{n}", arguments="{"),
    "other members of a call": lambda n: call(0, name="f", signature=LONG, x=[n]),
    "function_call": lambda n: choice({"function_call": {"name": "f", "arguments": LONG}}),
    "annotations": lambda n: choice({"annotations": [{"n": n}]}),
    "audio": lambda n: choice({"audio": {"id": "a", "data": "AAAA", "transcript": LONG}}),
    "thinking_blocks": lambda n: choice({"thinking_blocks": [{"type": "thinking", "index": 0, "thinking": "a"}]}),
    "one signature again": lambda n: choice({"thinking_blocks": [{"type": "thinking", "index": 0, "signature": LONG}]}),
    "reasoning_details": lambda n: choice({"reasoning_details": [{"type": "t", "index": n, "text": "a", "signature": "s"}]}),
    "encrypted details": lambda n: choice({"reasoning_details": [{"type": "e", "index": 0, "data": LONG}]}),
    "signed details": lambda n: choice({"reasoning_details": [{"type": "t", "index": 0, "signature": f"{n}{LONG}"}]}),
    "content_blocks": lambda n: choice({"content_blocks": [{"index": n, "delta": {"thinking": "a"}}]}),
    "an unknown string": lambda n: choice({"x": f"{n}{LONG}"}),
    "an unknown list": lambda n: choice({"x": [n]}),
    "an unknown object": lambda n: choice({"x": {f"m{n}": LONG}}),
    "unknown members": lambda n: choice({f"x{n}": "a"}),
    "unknown members of a choice": lambda n: choice(**{f"y{n}": "a"}),
    "unknown members of a chunk": lambda n: data({"choices": [], f"z{n}": "a"}),
    "an object of a chunk": lambda n: data({"choices": [], "z": {f"m{n}": 1}}),
    "logprobs": lambda n: choice({"content": "a"}, logprobs={"content": [{"t": n}], "refusal": None}),
    "native_finish_reason": lambda n: choice(native_finish_reason=f"r{n}"),
    "finish_reason": lambda n: choice(finish_reason="stop"),
    "usage": lambda n: data({"choices": [], "usage": {"prompt_tokens": n}}),
    "usage of a choice": lambda n: choice(usage={"prompt_tokens": n}),
    "usage without a count": lambda n: data({"choices": [], "usage": {f"u{n}": None}}),
    "an empty message": lambda n: choice(message={}),
    "a message that says nothing": lambda n: choice(message={"role": "assistant", "content": "", "refusal": "", "reasoning": ""}),
    "a message with a text": lambda n: choice(message={"content": "a", "reasoning": "a", "refusal": "a"}),
    "a message with parts": lambda n: choice(message={"content": [{"type": "text", "text": "a"}]}),
    "a message with calls": lambda n: choice(message={"tool_calls": [{"id": "c0", "function": {"name": "f"}}]}),
    "a message with others": lambda n: choice(message={"x": ["a"], "annotations": [{"n": 0}], "audio": {"id": "a"}}),
    "ping": lambda n: data({"type": "ping", f"p{n}": 1}),
    "comment": lambda n: b": ping\n\n",
}  # fmt: skip


def block(n, type, **members):
    return typed("content_block_start", index=n, content_block={"type": type, **members})


def delta(n, type, **members):
    return typed("content_block_delta", index=n, delta={"type": type, **members})


def stop(n):
    return typed("content_block_stop", index=n)


MESSAGES = {
    "message_start": lambda n: typed("message_start", message={"id": "m", "usage": {"input_tokens": n}}),
    "texts": lambda n: block(n, "text", text="a"),
    "texts in one bucket": lambda n: block(n * BUCKET, "text", text="a"),
    "texts on one index": lambda n: block(0, "text", text="a") + stop(0),
    "thinking": lambda n: block(n, "thinking", thinking="a", signature="s"),
    "redacted": lambda n: block(n, "redacted_thinking", data=LONG),
    "calls": lambda n: block(n, "tool_use", id=f"t{n}", name="f") + stop(n),
    "calls again": lambda n: block(0, "tool_use", id="t0", name="f"),
    "calls on one index": lambda n: block(0, "tool_use", id=f"t{n}", name="f") + stop(0),
    "others": lambda n: block(n, "x", a=LONG),
    "no index": lambda n: typed("content_block_start", content_block={"type": "text"}),
    "fallback": lambda n: block(n, "fallback", to={"model": f"m{n}"}),
    "text_delta": lambda n: delta(0, "text_delta", text=LONG),
    "text_delta without index": lambda n: typed("content_block_delta", delta={"type": "text_delta", "text": "a"}),
    "text_delta elsewhere": lambda n: delta(n, "text_delta", text="a"),
    "half a pair": lambda n: delta(n, "text_delta", text="\ud83d"),
    "citations_delta": lambda n: delta(1_000_001, "citations_delta", citation={"n": n}),
    "thinking_delta": lambda n: delta(1_000_002, "thinking_delta", thinking=LONG),
    "signature_delta": lambda n: delta(1_000_002, "signature_delta", signature=f"{n}{LONG}"),
    "the same signature": lambda n: delta(1_000_002, "signature_delta", signature=LONG),
    "input_json_delta": lambda n: delta(1_000_003, "input_json_delta", partial_json=LONG),
    "a server tool": lambda n: (
        delta(1_000_004, "input_json_delta", partial_json=LONG) if n else block(1_000_004, "server_tool_use", id="s")
    ),
    "compaction": lambda n: (
        delta(1_000_005, "compaction_delta", content=LONG, encrypted_content=LONG)
        if n
        else block(1_000_005, "compaction", id="s")
    ),
    "unknown deltas": lambda n: delta(1_000_006, "x_delta", x=LONG, y=[n], z={f"z{n}": 1}),
    "unknown delta types": lambda n: delta(1_000_006, f"x{n}_delta", x="a"),
    "members of a delta": lambda n: delta(0, "text_delta", text="a", **{f"x{n}": 1}),
    "members beside a delta": lambda n: typed(
        "content_block_delta", index=0, delta={"type": "text_delta", "text": "a"}, **{f"x{n}": 1}
    ),
    "block_stop": stop,
    "block_stop without index": lambda n: typed("content_block_stop"),
    "message_delta": lambda n: typed("message_delta", delta={"container": {"id": f"c{n}"}}, usage={"output_tokens": n}),
    "members of a message": lambda n: typed("message_delta", delta={f"m{n}": 1}),
    "stop_reason": lambda n: typed("message_delta", delta={"stop_reason": "end_turn"}),
    "unknown events": lambda n: typed("x", n=n),
    "unknown event types": lambda n: typed(f"x{n}"),
    "untyped": lambda n: data({f"u{n}": 1}),
    "ping": lambda n: typed("ping", **{f"p{n}": 1}),
}  # fmt: skip


def event(type, n=0, **members):
    return typed(f"response.{type}", output_index=n, **members)


def item(n, type, **members):
    return event("output_item.added", n, item={"type": type, "id": f"i{n}", **members})


def done(n, type, **members):
    return event("output_item.done", n, item={"type": type, "id": f"i{n}", "status": "completed", **members})


CALL = {"call_id": "c", "name": "f"}
KINDS = ["message", "reasoning", "web_search_call", "function_call"]

RESPONSES = {
    "created": lambda n: typed("response.created", response={"id": "r", "model": "m"}),
    "in_progress": lambda n: typed("response.in_progress", response={"id": "r", "metadata": {"n": n}}),
    "in_progress again": lambda n: typed("response.in_progress", response={"id": "r", "status": "in_progress"}),
    "in_progress with output": lambda n: typed("response.in_progress", response={"output": [{"type": "message", "id": "i0"}]}),
    "in_progress with a message": lambda n: typed(
        "response.in_progress", response={"output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]}
    ),
    "in_progress with usage": lambda n: typed("response.in_progress", response={"usage": {"input_tokens": n}}),
    "items": lambda n: item(n, KINDS[n % 4]),
    "items in one bucket": lambda n: item(n * BUCKET, "web_search_call"),
    "items on one index": lambda n: event("output_item.added", item={"type": KINDS[n % 4], "id": f"i{n}"}),
    "items without index": lambda n: typed("response.output_item.added", item={"type": KINDS[n % 4], "id": f"i{n}"}),
    "items done": lambda n: done(n, KINDS[n % 4], call_id=f"c{n}", name="f", arguments="{}"),
    "items done on one index": lambda n: event("output_item.done", item={"type": "message", "id": f"i{n}", "content": []}),
    "items done without index": lambda n: typed("response.output_item.done", item={"type": "reasoning", "id": f"i{n}"}),
    "pending calls": lambda n: event("output_item.done", n, item={"type": "function_call", "call_id": f"c{n}", "name": "f"}),
    "one pending call": lambda n: event("output_item.done", 2_000_000, item={"type": "function_call", **CALL}),
    "message snapshots": lambda n: done(1_000_000, "message", content=[{"type": "output_text", "text": "a"}]),
    "empty message snapshots": lambda n: done(1_000_000, "message", content=[{"type": "output_text", "text": ""}]),
    "message snapshots in two parts": lambda n: item(1_000_000, "message", content=[{"type": "output_text", "text": "a"}] * 2),
    "content parts": lambda n: event(
        "content_part.added", 1_000_000, content_index=n, part={"type": ["output_text", "refusal", "x"][n % 3]}
    ),
    "content parts without index": lambda n: event("content_part.added", 1_000_000, part={"type": "output_text", "text": "a"}),
    "content parts done": lambda n: event(
        "content_part.done", 1_000_000, content_index=n, part={"type": "output_text", "text": "a"}
    ),
    "content_part.delta": lambda n: event("content_part.delta", 1_000_000, content_index=0, delta="a"),
    "an odd content_part.delta": lambda n: event("content_part.delta", 1_000_000, content_index=0, delta=[n]),
    "text deltas": lambda n: event("output_text.delta", 1_000_000, content_index=0, delta=LONG),
    "text deltas elsewhere": lambda n: event("output_text.delta", 1_000_000, content_index=n, delta="a"),
    "half a pair": lambda n: event("output_text.delta", n, content_index=0, delta="\ud83d"),
    "logprobs": lambda n: event("output_text.delta", 1_000_000, content_index=0, delta="a", logprobs=[{"n": n}]),
    "text done": lambda n: event("output_text.done", 1_000_000, content_index=0, text="a"),
    "text done, empty": lambda n: event("output_text.done", 1_000_000, content_index=0, text=""),
    "text done with logprobs": lambda n: event("output_text.done", 1_000_000, content_index=0, text="", logprobs=[{"n": 1}]),
    "texts done": lambda n: event("output_text.done", 1_000_000, content_index=n, text="a"),
    "annotations": lambda n: event("output_text.annotation.added", 1_000_000, content_index=0, annotation={"n": n}),
    "refusal": lambda n: event("refusal.delta", 1_000_000, content_index=9, delta=LONG),
    "refusal done": lambda n: event("refusal.done", 1_000_000, content_index=9, refusal="a"),
    "summaries": lambda n: event("reasoning_summary_text.delta", 1_000_001, summary_index=n, delta="a"),
    "one summary": lambda n: event("reasoning_summary_text.delta", 1_000_001, summary_index=0, delta=LONG),
    "summaries in one bucket": lambda n: event("reasoning_summary_text.delta", 1_000_001, summary_index=n * BUCKET, delta="a"),
    "summary done": lambda n: event("reasoning_summary_text.done", 1_000_001, summary_index=n, text="a"),
    "summary parts": lambda n: event("reasoning_summary_part.added", 1_000_001, summary_index=n, part={"type": "summary_text"}),
    "summary parts without index": lambda n: event("reasoning_summary_part.added", 1_000_001, part={"text": "a"}),
    "summary parts done": lambda n: event("reasoning_summary_part.done", 1_000_001, summary_index=n, part={"text": "a", "n": n}),
    "reasoning text": lambda n: event("reasoning_text.delta", 1_000_001, content_index=n, delta="a"),
    "reasoning text done": lambda n: event("reasoning_text.done", 1_000_001, content_index=n, text="a"),
    "reasoning": lambda n: event("reasoning.delta", 1_000_001, content_index=0, delta=LONG),
    "reasoning snapshots": lambda n: done(1_000_001, "reasoning", summary=[{"type": "summary_text", "text": "a"}]),
    "empty reasoning snapshots": lambda n: done(1_000_001, "reasoning", summary=[{"text": ""}], content=[{}]),
    "reasoning in one string": lambda n: done(1_000_001, "reasoning", summary="a"),
    "encrypted reasoning": lambda n: done(1_000_001, "reasoning", encrypted_content=LONG, signature=LONG),
    "arguments": lambda n: event("function_call_arguments.delta", 1_000_002, delta=LONG),
    "arguments by id": lambda n: typed("response.function_call_arguments.delta", call_id=f"c{n}", delta="{}"),
    "arguments done": lambda n: event("function_call_arguments.done", 1_000_003, arguments="{}", name="f", call_id="c0"),
    "custom input": lambda n: event("custom_tool_call_input.delta", 1_000_004, delta=LONG),
    "custom input done": lambda n: event("custom_tool_call_input.done", 1_000_005, input="a", name="f"),
    "code": lambda n: event("code_interpreter_call_code.delta", 1_000_006, delta=LONG),
    "code done": lambda n: event("code_interpreter_call_code.done", 1_000_006, code="a"),
    "mcp arguments": lambda n: event("mcp_call_arguments.delta", 1_000_007, delta=LONG),
    "a search's status": lambda n: event("web_search_call.searching", 2, item_id="i2"),
    "others": lambda n: done(1_000_008, "x", a=[n], b=LONG),
    "members of an event": lambda n: event("output_text.delta", 1_000_000, content_index=0, delta="a", **{f"x{n}": 1}),
    "members of an item": lambda n: done(1_000_000, "message", **{f"x{n}": 1}),
    "members of a part": lambda n: event(
        "content_part.added", 1_000_000, content_index=0, part={"type": "output_text", f"x{n}": 1}
    ),
    "unknown events": lambda n: typed("response.x", n=n),
    "unknown event types": lambda n: typed(f"response.x{n}"),
    "untyped": lambda n: data({f"u{n}": 1}),
    "ping": lambda n: typed("ping", **{f"p{n}": 1}),
}  # fmt: skip

DIALECTS = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}
BEGINNINGS = {
    "chat": data({"id": "c", "model": "m", "created": 1, "choices": []}),
    "messages": typed("message_start", message={"id": "m", "model": "m"}),
    "responses": typed("response.created", response={"id": "r", "model": "m"}),
}


def variants(kinds):
    """Each kind as ``(name, function of a number)``: with a new number each time, and one and the same frame again and again."""
    for name, make in kinds.items():
        yield name, make
        if make(0) != make(1):
            yield f"{name}, again", lambda _, make=make: make(0)


def in_state(dialect, make, count):
    """A decoder that has taken so many frames."""
    decoder = sd.Decoder(dialect, limits=UNLIMITED, think_tags=dialect == "chat")
    decoder._fast = True
    for frame in [BEGINNINGS[dialect], *map(make, range(count))]:
        for _ in decoder.feed(frame):
            pass
    return decoder


def cost(decoder, frame):
    """The lines of Python that one frame takes, and the most bytes that are allocated for it at a time."""
    lines = 0

    def trace(*_):
        nonlocal lines
        lines += 1
        return trace

    before, others = tracemalloc.get_traced_memory()[0], sys.gettrace()
    tracemalloc.reset_peak()
    sys.settrace(trace)
    try:
        events = list(decoder.feed(frame))
    finally:
        sys.settrace(others)
    peak = tracemalloc.get_traced_memory()[1] - before
    del events
    return lines, peak


def costs(dialect, state, count):
    """What a frame of each kind costs after ``count`` frames of one kind, and what it costs to ask for nothing; None for a frame
    that cannot come there."""
    decoder, found = in_state(dialect, state, count), {}
    for name, make in variants(DIALECTS[dialect]):
        frames = [make(number) for number in range(5_000, 5_000 + FRAMES)]
        try:
            measured = [cost(decoder, frame) for frame in frames]
        except sd.SSEDialectsError:
            decoder, found[name] = in_state(dialect, state, count), None
        else:
            found[name] = [statistics.median(column) for column in zip(*measured, strict=True)]
    return found


# A call that is announced once more is asked whether its arguments are whole. All the asking about one call has a bound.
ASKING = {"calls, again", "calls without index, again"}
STATES = [(dialect, name, make) for dialect, kinds in DIALECTS.items() for name, make in variants(kinds)]


@pytest.mark.parametrize(("dialect", "state"), [(d, m) for d, _, m in STATES], ids=[f"{d}-{n}" for d, n, _ in STATES])
def test_no_frame_costs_more_in_a_larger_state(dialect, state):
    tracemalloc.start()
    gc.disable()
    try:
        small, large = costs(dialect, state, SMALL), costs(dialect, state, LARGE)
    finally:
        gc.enable()
        tracemalloc.stop()
    spare = SPARE_LINES, SPARE_BYTES
    worse = {
        name: (before, after)
        for name, after in large.items()
        if name not in ASKING
        and (before := small[name]) is not None
        and after is not None
        and any(more - less > room for more, less, room in zip(after, before, spare, strict=True))
    }
    assert worse == {}
    assert sum(found is not None for found in small.values()) > len(small) * 0.8
