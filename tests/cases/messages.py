"""Messages streams."""

from __future__ import annotations

from typing import Any

from cases import Case, data, typed
from sse_dialects import (
    Event,
    Extra,
    Finished,
    OtherPart,
    ReasoningDelta,
    ReasoningPart,
    Started,
    TextDelta,
    TextPart,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    Usage,
    UsageReported,
)

STOP = typed("message_stop")


def case(name: str, frames: list[bytes], events: list[Event], answer: dict[str, Any], **options: Any) -> Case:
    """A stream that ends in ``message_stop``."""
    return Case(name, [*frames, STOP], events, answer, dialect="messages", **options)


def start(**members: Any) -> bytes:
    return typed(
        "message_start", message={"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [], **members}
    )


def block(type: str, index: int = 0, **members: Any) -> bytes:
    return typed("content_block_start", index=index, content_block={"type": type, **members})


def delta(type: str, index: int = 0, **members: Any) -> bytes:
    return typed("content_block_delta", index=index, delta={"type": type, **members})


def stop(index: int = 0) -> bytes:
    return typed("content_block_stop", index=index)


def end(reason: str | None = "end_turn", **members: Any) -> bytes:
    return typed("message_delta", delta={"stop_reason": reason}, **members)


def text(*pieces: str, index: int = 0) -> list[bytes]:
    return [block("text", index, text=""), *(delta("text_delta", index, text=piece) for piece in pieces), stop(index)]


def tool(*pieces: str, index: int = 0) -> list[bytes]:
    """A block of a tool call, which is not closed."""
    pieces_of_input = (delta("input_json_delta", index, partial_json=piece) for piece in pieces)
    return [block("tool_use", index, id="t1", name="f", input={}), *pieces_of_input]


def call(arguments: str, *, complete: bool = True) -> ToolCall:
    return ToolCall("t1", "f", "function", arguments, complete)


BEGUN = Started("m1", "m")
DONE = Finished("stop", "end_turn")
CALLED = ToolCallStarted("t1", "f", "function")

CASES = [
    case(
        "text, with usage in two halves",
        [
            start(usage={"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 1}),
            *text("Hel", "lo"),
            end(usage={"output_tokens": 4, "input_tokens": None}),
        ],
        [
            BEGUN,
            UsageReported(Usage(5, 1, 6, 2, None, None, {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 1})),
            *(TextDelta("Hel"), TextDelta("lo")),
            UsageReported(Usage(5, 4, 9, 2, None, None, {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 4})),
            DONE,
        ],
        {
            "id": "m1",
            "model": "m",
            "text": "Hello",
            "finish_reason": "stop",
            "native_finish_reason": "end_turn",
            "turn": [{"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}],
            "native": {
                "id": "m1",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [{"type": "text", "text": "Hello"}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 4},
            },
        },
        after=data("[DONE]"),
    ),
    case("no block at all", [start(), end()], [BEGUN, DONE], {"text": "", "parts": []}),
    case(
        "thinking, its signature, redacted thinking, and text",
        [
            start(),
            *(block("thinking", thinking=""), delta("thinking_delta", thinking="h"), delta("thinking_delta", thinking="m")),
            *(delta("signature_delta", signature="sig"), stop()),
            *(block("redacted_thinking", 1, data="xyz"), stop(1)),
            *(block("thinking", 2, thinking="so"), stop(2)),
            *text("x", index=3),
            end(),
        ],
        [
            *(BEGUN, ReasoningDelta("h"), ReasoningDelta("m"), Extra("signature", "sig", 0, 0)),
            Extra("redacted_thinking", [{"type": "redacted_thinking", "data": "xyz"}], 0, 1),
            *(ReasoningDelta("so", 0, 2), TextDelta("x", 0, 3), DONE),
        ],
        {
            "reasoning": "hm\n\nso",
            "text": "x",
            "parts": [ReasoningPart("hm", "sig"), ReasoningPart("", None, "xyz"), ReasoningPart("so"), TextPart("x")],
        },
    ),
    case(
        "a call is finished by the frame after its block's end, pings aside",
        [start(), *tool("", '{"a"', ":1}"), stop(), typed("ping"), *text("x", index=1), end("tool_use")],
        [
            *(
                BEGUN,
                CALLED,
                ToolCallDelta('{"a"'),
                ToolCallDelta(":1}"),
                ToolCallFinished(call('{"a":1}')),
                TextDelta("x", 0, 1),
            ),
            Finished("tool_calls", "tool_use"),
        ],
        {
            "tool_calls": [call('{"a":1}')],
            "turn": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}, {"type": "text", "text": "x"}],
                }
            ],
        },
    ),
    case(
        "unless that frame says that the model was cut off",
        [start(), *tool('{"a'), stop(), end("max_tokens")],
        [BEGUN, CALLED, ToolCallDelta('{"a'), Finished("length", "max_tokens")],
        {"tool_calls": [call('{"a', complete=False)]},
    ),
    case(
        "also by the end of its context",
        [start(), *tool('{"a'), stop(), end("model_context_window_exceeded")],
        [BEGUN, CALLED, ToolCallDelta('{"a'), Finished("length", "model_context_window_exceeded")],
        {"tool_calls": [call('{"a', complete=False)]},
    ),
    case(
        "a call whose block is still open at the end is not certain to be whole",
        [start(), *tool("{}"), end("tool_use")],
        [BEGUN, CALLED, ToolCallDelta("{}"), Finished("tool_calls", "tool_use")],
        {"tool_calls": [call("{}", complete=False)]},
    ),
    case(
        "nor is one that a refusal cut",
        [start(), *tool("{}"), stop(), end("refusal")],
        [BEGUN, CALLED, ToolCallDelta("{}"), Finished("refusal", "refusal")],
        {"tool_calls": [call("{}", complete=False)]},
    ),
    case(
        "a tool without input has an empty object",
        [start(), *tool(""), stop(), end("tool_use")],
        [BEGUN, CALLED, ToolCallDelta("{}"), ToolCallFinished(call("{}")), Finished("tool_calls", "tool_use")],
        {
            "tool_calls": [call("{}")],
            "turn": [{"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}],
        },
    ),
    case(
        "the whole input with the block's start",
        [start(), block("tool_use", id="t1", name="f", input={"a": 1}), stop(), end("end_turn")],
        [BEGUN, CALLED, ToolCallDelta('{"a":1}'), ToolCallFinished(call('{"a":1}')), Finished("tool_calls", "end_turn")],
        {"tool_calls": [call('{"a":1}')]},
    ),
    case(
        "input that is no JSON stays text",
        [start(), *tool("{'a'}"), stop(), end("tool_use")],
        [BEGUN, CALLED, ToolCallDelta("{'a'}"), Finished("tool_calls", "tool_use")],
        {"tool_calls": [call("{'a'}", complete=False)]},
    ),
    case(
        "server tools and their results are parts in native form",
        [
            start(),
            *(
                block("server_tool_use", id="s1", name="search", input={}),
                delta("input_json_delta", partial_json='{"q":1}'),
                stop(),
            ),
            *(block("search_result", 1, tool_use_id="s1", content=[1]), stop(1)),
            end("pause_turn"),
        ],
        [
            *(BEGUN, Extra("server_tool_use", [{"type": "server_tool_use", "id": "s1", "name": "search", "input": {}}], 0, 0)),
            Extra("input_json_delta", [{"type": "input_json_delta", "partial_json": '{"q":1}'}], 0, 0),
            Extra("search_result", [{"type": "search_result", "tool_use_id": "s1", "content": [1]}], 0, 1),
            Finished("pause", "pause_turn"),
        ],
        {
            "tool_calls": [],
            "parts": [
                OtherPart({"type": "server_tool_use", "id": "s1", "name": "search", "input": {"q": 1}}),
                OtherPart({"type": "search_result", "tool_use_id": "s1", "content": [1]}),
            ],
        },
    ),
    case(
        "unknown blocks, deltas and events are kept",
        [
            start(),
            *(
                block("compaction", content=None),
                delta("compaction_delta", content="a"),
                delta("compaction_delta", content="b"),
                stop(),
            ),
            *(block("text", 1, text=""), delta("glow_delta", 1, glow=3), stop(1)),
            typed("weather", sun=True),
            end(),
        ],
        [
            *(BEGUN, Extra("compaction", [{"type": "compaction", "content": None}], 0, 0)),
            Extra("compaction_delta", [{"type": "compaction_delta", "content": "a"}], 0, 0),
            Extra("compaction_delta", [{"type": "compaction_delta", "content": "b"}], 0, 0),
            Extra("glow_delta", [{"type": "glow_delta", "glow": 3}], 0, 1),
            Extra("weather", [{"type": "weather", "sun": True}]),
            DONE,
        ],
        {
            "extra": {
                "compaction": [{"type": "compaction", "content": "ab"}],
                "compaction_delta": [{"type": "compaction_delta", "content": "a"}, {"type": "compaction_delta", "content": "b"}],
                "glow_delta": [{"type": "glow_delta", "glow": 3}],
                "weather": [{"type": "weather", "sun": True}],
            },
        },
    ),
    case(
        "citations",
        [
            start(),
            *(block("text", text="", citations=[]), delta("text_delta", text="x"), delta("citations_delta", citation={"n": 1})),
            *(delta("citations_delta", citation={"n": 2}), stop(), end()),
        ],
        [BEGUN, TextDelta("x"), Extra("citations", [{"n": 1}], 0, 0), Extra("citations", [{"n": 2}], 0, 0), DONE],
        {
            "extra": {"citations": [{"n": 1}, {"n": 2}]},
            "turn": [{"role": "assistant", "content": [{"type": "text", "text": "x", "citations": [{"n": 1}, {"n": 2}]}]}],
        },
    ),
    case(
        "the type from the event's name alone",
        [
            data({"message": {"id": "m1", "model": "m"}}, "message_start"),
            data({"index": 0, "content_block": {"type": "text", "text": "x"}}, "content_block_start"),
            data({"delta": {"stop_reason": "end_turn"}}, "message_delta"),
        ],
        [BEGUN, TextDelta("x"), DONE],
        {"text": "x"},
    ),
    case(
        "the type from the payload alone",
        [data({"type": "message_start", "message": {"id": "m1", "model": "m"}}), data({"type": "ping"}), *text("x"), end()],
        [BEGUN, TextDelta("x"), DONE],
        {"text": "x"},
    ),
    case("no message_start", [*text("x"), end()], [Started(None, None), TextDelta("x"), DONE], {"id": None, "text": "x"}),
    case(
        "message_start twice under one id",
        [start(), *text("x"), start(), end()],
        [BEGUN, TextDelta("x"), DONE],
        {"text": "x"},
    ),
    case(
        "a block's start and end missing, indexes that skip",
        [
            start(),
            delta("text_delta", 3, text="a"),
            delta("text_delta", 7, text="b"),
            delta("thinking_delta", 9, thinking="c"),
            end(),
        ],
        [BEGUN, TextDelta("a"), TextDelta("b", 0, 1), ReasoningDelta("c", 0, 2), DONE],
        {"text": "ab", "reasoning": "c"},
    ),
    case(
        "a delta that speaks of another kind gets a block of its own",
        [
            start(),
            *tool("{"),
            delta("text_delta", text="x"),
            delta("input_json_delta", partial_json="}"),
            stop(),
            end("tool_use"),
        ],
        [
            *(BEGUN, CALLED, ToolCallDelta("{"), TextDelta("x", 0, 1), ToolCallDelta("}"), ToolCallFinished(call("{}"))),
            Finished("tool_calls", "tool_use"),
        ],
        {"text": "x", "tool_calls": [call("{}")]},
    ),
    case(
        "several message_delta; what they bring besides",
        [
            start(),
            end(None),
            typed(
                "message_delta",
                delta={"stop_reason": "stop_sequence", "stop_sequence": "END", "container": {"id": "k"}},
                context_management={"a": 1},
            ),
        ],
        [
            *(BEGUN, Extra("stop_sequence", "END"), Extra("container", {"id": "k"}), Extra("context_management", {"a": 1})),
            Finished("stop", "stop_sequence"),
        ],
        {"extra": {"stop_sequence": "END", "container": {"id": "k"}, "context_management": {"a": 1}}},
    ),
    case(
        "halves of a surrogate pair, between deltas and left alone",
        [start(), *text("a\ud83d", "\ude00", "\ud83d"), block("text", 1, text="\ud83d"), end()],
        [BEGUN, TextDelta("a"), TextDelta("😀"), TextDelta("\ufffd", 0, 1), TextDelta("\ufffd"), DONE],
        {"text": "a😀\ufffd\ufffd"},
    ),
]
