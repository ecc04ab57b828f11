"""Streams that fail: the provider says so, they are malformed, too large, or end too soon."""

from __future__ import annotations

from typing import Any

from cases import DONE, Case, chunk, data, typed
from sse_dialects import (
    Event,
    Extra,
    Finished,
    Limits,
    Started,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)

UNNAMED = Started(None, None)
HI = [UNNAMED, TextDelta("Hi")]


def upstream(
    type: str | None = None, code: Any = None, message: str | None = None, *, retryable: bool = True, **facts: Any
) -> dict[str, Any]:
    return {"kind": "upstream", "type": type, "code": code, "message": message, "retryable": retryable, **facts}


def malformed(reason: str, frame: int, **facts: Any) -> dict[str, Any]:
    return {"kind": "malformed", "reason": reason, "frame_number": frame, "frame_count": frame, "retryable": False, **facts}


def limit(name: str, allowed: int, **facts: Any) -> dict[str, Any]:
    return {"kind": "limit", "limit": name, "allowed": allowed, "retryable": False, **facts}


def truncated(expected: str, **facts: Any) -> dict[str, Any]:
    return {"kind": "truncated", "expected": expected, "hint": None, "retryable": True, **facts}


# ---- chat


def chat(name: str, *last: bytes, error: dict[str, Any], events: list[Event] | None = None, **options: Any) -> Case:
    """A chat stream that fails behind "Hi"."""
    frames = [chunk({"content": "Hi"}), *last]
    whole = {"text": "Hi", "complete": False, **options.pop("answer", {})}
    return Case(name, frames, HI if events is None else events, whole, error=error, dialect="chat", **options)


UPSTREAM_IN_CHAT = [
    chat(
        "an error object",
        data({"error": {"type": "server_error", "code": "overloaded", "message": "busy", "param": "p"}}),
        error=upstream("server_error", "overloaded", "busy", param="p", delivered=True, frame_count=2, dialect="chat"),
        after=chunk({"content": "late"}) + DONE,
    ),
    chat("a string", data({"error": "gone"}), error=upstream(message="gone")),
    chat("with empty choices", data({"error": {"message": "m"}, "choices": []}), error=upstream(message="m")),
    chat(
        "with a choice, whose text counts",
        data({"error": {"message": "m"}, "choices": [{"delta": {"content": "!"}}]}),
        events=[*HI, TextDelta("!")],
        answer={"text": "Hi!"},
        error=upstream(message="m"),
    ),
    chat("in the choice", data({"choices": [{"error": {"message": "m", "code": 502}}]}), error=upstream(code=502, message="m")),
    chat(
        "wrapped",
        data({"error": {"error": {"message": "m", "code": 400}}}),
        error=upstream(code=400, message="m", retryable=False),
    ),
    chat("object: error", data({"object": "error", "message": "m", "code": 429}), error=upstream(code=429, message="m")),
    chat("event: error", data({"message": "m"}, "error"), error=upstream(message="m")),
    chat("event: error that is no JSON", data("all is lost", "error"), error=upstream(message="all is lost")),
    chat("FastAPI's detail", data({"detail": "nope"}), error=upstream(message="nope")),
    chat(
        "and its list",
        data({"detail": [{"loc": ["body"], "msg": "field required"}]}),
        error=upstream(message="field required"),
    ),
    chat("finish_reason: error", chunk({}, "error"), error=upstream("error", message="a choice finished with reason 'error'")),
    chat(
        "a key",
        data({"error": {"type": "authentication_error", "message": "m"}}),
        error=upstream("authentication_error", message="m", retryable=False),
    ),
    chat("a time to wait", data({"error": {"message": "m", "retry_after": 3}}), error=upstream(message="m", retry_after=3.0)),
    Case(
        "padding that is no error",
        [chunk({"content": "Hi"}, error=None), chunk({}, error={}), chunk({}, "stop", error=""), DONE],
        [*HI, Finished("stop", "stop")],
        {"text": "Hi"},
        dialect="chat",
    ),
]

MALFORMED_CHAT = [
    chat(
        "no JSON",
        data("{'a': 1}"),
        error=malformed("not JSON: expecting property name enclosed in double quotes at character 2 of 8", 2, delivered=True),
    ),
    chat("JSON and more", data('{"a":1} x'), error=malformed("not JSON: more after the value at character 8 of 9", 2)),
    chat(
        "a prefix twice",
        data("data: {}"),
        error=malformed(
            "the payload begins with a second `data:` prefix, so something between you and the provider wraps the frames twice", 2
        ),
    ),
    chat("markup", data("<html>"), error=malformed("the payload is markup, not JSON", 2)),
    chat(
        "a number of 5,000 digits",
        data('{"a":' + "9" * 5000 + "}"),
        error=malformed("not JSON that Python reads (ValueError)", 2),
    ),
    chat("choices of another shape", data({"choices": "x"}), error=malformed("'choices' is a string where an array belongs", 2)),
    chat(
        "a delta of another shape",
        data({"choices": [{"delta": 5}]}),
        error=malformed("'delta' is a number where an object belongs", 2),
    ),
    chat(
        "content of another shape",
        chunk({"content": {"a": 1}}),
        error=malformed("'content' is an object where a string belongs", 2),
    ),
    chat(
        "calls of another shape",
        chunk({"tool_calls": True}),
        error=malformed("'tool_calls' is a boolean where an array belongs", 2),
    ),
    chat(
        "half a payload under a blank line",
        data('{"choices":'),
        data("[]}"),
        error=malformed("not JSON: no value after character 11", 2),
    ),
]

LIMITS = [
    chat(
        "an answer too large",
        chunk({"content": "!"}),
        error=limit("max_answer_bytes", 120, frame_count=2, dialect="chat"),
        options={"limits": Limits(max_answer_bytes=120)},
    ),
    chat(
        "a frame too large",
        data("x" * 100),
        error=limit("max_frame_bytes", 90, frame_count=1),
        options={"limits": Limits(max_frame_bytes=90)},
        framed=False,
    ),
    chat("nested too deeply", data("[" * 9 + "]" * 9), error=limit("max_depth", 8), options={"limits": Limits(max_depth=8)}),
    chat("too many choices", chunk({}, index=1), error=limit("max_choices", 1), options={"limits": Limits(max_choices=1)}),
    chat("too many parts", chunk({"reasoning": "x"}), error=limit("max_parts", 1), options={"limits": Limits(max_parts=1)}),
    chat(
        "too many calls",
        chunk({"tool_calls": [{"index": n, "id": f"c{n}", "function": {"name": "f", "arguments": "{"}} for n in range(2)]}),
        events=[*HI, ToolCallStarted("c0", "f", "function", 0, 1), ToolCallDelta("{", 0, 1)],
        error=limit("max_tool_calls", 1, delivered=True),
        options={"limits": Limits(max_tool_calls=1)},
    ),
]

CUT_CHAT = [
    chat("cut", error=truncated("data: [DONE]", frame_count=1, delivered=True)),
    chat("cut in a frame", b'data: {"choices":[{"delta":{"content":"lo', error=truncated("data: [DONE]")),
    chat("cut in a field's name", b"dat", error=truncated("data: [DONE]")),
    chat(
        "cut behind the last finish reason",
        chunk({}, "stop"),
        error=truncated(
            "data: [DONE]", hint="Every choice had its finish_reason: if this server never sends [DONE], pass require_done=False."
        ),
        answer={"finish_reason": "stop"},
    ),
    chat(
        "cut while a choice has none, though nobody requires more",
        chunk({"content": "x"}, index=1),
        chunk({}, "stop"),
        events=[*HI, TextDelta("x", 1)],
        error=truncated("data: [DONE]"),
        options={"require_done": False},
    ),
    chat(
        "a call in the middle",
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a'}}]}),
        events=[*HI, ToolCallStarted("c", "f", "function", 0, 1), ToolCallDelta('{"a', 0, 1)],
        answer={"tool_calls": [ToolCall("c", "f", "function", '{"a', False)]},
        error=truncated("data: [DONE]"),
    ),
    Case(
        "only comments",
        [b": wait\n\n", b": wait\n\n"],
        [],
        {"choices": []},
        error=truncated("data: [DONE]", frame_count=0, byte_count=16),
        dialect="chat",
        auto=False,
    ),
    Case(
        "nothing",
        [],
        [],
        {"choices": []},
        error=truncated("data: [DONE]", frame_count=0, byte_count=0),
        dialect="chat",
        auto=False,
    ),
]

# ---- messages

START = typed("message_start", message={"id": "m1", "model": "m", "content": []})
TEXT = typed("content_block_start", index=0, content_block={"type": "text", "text": "Hi"})
TOOL = typed("content_block_start", index=0, content_block={"type": "tool_use", "id": "t", "name": "f", "input": {}})
BEGUN = [Started("m1", "m"), TextDelta("Hi")]


def messages(
    name: str, *last: bytes, error: dict[str, Any], events: list[Event] | None = None, first: bytes = TEXT, **options: Any
) -> Case:
    """A messages stream that fails behind its first block."""
    return Case(
        name,
        [START, first, *last],
        BEGUN if events is None else events,
        {"complete": False},
        error=error,
        dialect="messages",
        **options,
    )


IN_MESSAGES = [
    messages(
        "an error",
        typed("error", error={"type": "overloaded_error", "message": "m"}),
        error=upstream("overloaded_error", message="m", delivered=True),
    ),
    messages(
        "without a type",
        data({"error": {"type": "api_error", "message": "m"}}, "error"),
        error=upstream("api_error", message="m"),
    ),
    messages("without a type at all", data({"error": {"message": "m"}}), error=upstream(message="m")),
    messages("[DONE] in place of the end", DONE, error=truncated("message_stop; data: [DONE] came in its place")),
    messages(
        "cut behind the stop reason",
        typed("message_delta", delta={"stop_reason": "end_turn"}),
        error=truncated(
            "message_stop",
            hint="The message had its stop_reason: if this server never sends message_stop, pass require_done=False.",
        ),
    ),
    messages(
        "two answers spliced into one",
        typed("message_start", message={"id": "other"}),
        error=malformed("a second message_start with another id: two answers are spliced into one stream", 3),
    ),
    messages(
        "a delta of another shape",
        typed("content_block_delta", index=0, delta=[1]),
        error=malformed("'delta' is an array where an object belongs", 3),
    ),
    messages(
        "text of another shape",
        typed("content_block_delta", index=0, delta={"type": "text_delta", "text": 5}),
        error=malformed("'text' is a number where a string belongs", 3),
    ),
    messages(
        "input behind the end of a call",
        typed("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "{}"}),
        typed("content_block_stop", index=0),
        typed("content_block_stop", index=1),
        typed("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "!"}),
        first=TOOL,
        events=[
            *(Started("m1", "m"), ToolCallStarted("t", "f", "function"), ToolCallDelta("{}")),
            ToolCallFinished(ToolCall("t", "f", "function", "{}", True)),
        ],
        error=malformed("more input for a tool call after its end, when it may have been executed already", 6),
    ),
    messages(
        "a usage that grows for ever",
        typed("message_delta", delta={}, usage={f"u{n}": n for n in range(65)}),
        error=malformed("'usage' has more than 64 members", 3),
    ),
]

# ---- responses

DELTA = typed("response.output_text.delta", output_index=0, content_index=0, delta="Hi")


def responses(name: str, *last: bytes, error: dict[str, Any], events: list[Event] | None = None, **options: Any) -> Case:
    """A responses stream that fails behind "Hi"."""
    frames = [DELTA, *last]
    return Case(
        name,
        frames,
        HI if events is None else events,
        {"text": "Hi", "complete": False},
        error=error,
        dialect="responses",
        **options,
    )


IN_RESPONSES = [
    responses(
        "an error",
        typed("error", code="server_error", message="m", param=None),
        error=upstream(code="server_error", message="m", delivered=True),
    ),
    responses(
        "a nested one", typed("error", error={"type": "rate_limit", "message": "m"}), error=upstream("rate_limit", message="m")
    ),
    responses(
        "a failed response",
        typed("response.failed", response={"status": "failed", "error": {"code": "server_error", "message": "m"}}),
        error=upstream(code="server_error", message="m"),
    ),
    responses("with the error beside it", typed("response.failed", error={"message": "m"}), error=upstream(message="m")),
    responses("with none", typed("response.failed", response={"status": "failed"}), error=upstream()),
    responses(
        "by its status",
        typed("response.completed", response={"status": "failed", "error": {"message": "m"}}),
        error=upstream(message="m"),
    ),
    responses("[DONE] in place of the end", DONE, error=truncated("response.completed; data: [DONE] came in its place")),
    responses("cut", error=truncated("response.completed")),
    responses(
        "a response of another shape",
        typed("response.completed", response=[1]),
        error=malformed("'response' is an array where an object belongs", 2),
    ),
    responses(
        "arguments behind the end of a call",
        typed(
            "response.output_item.done",
            output_index=1,
            item={"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"},
        ),
        typed("response.function_call_arguments.delta", output_index=1, delta="!"),
        events=[
            *(*HI, ToolCallStarted("c", "f", "function", 0, 1), ToolCallDelta("{}", 0, 1)),
            ToolCallFinished(ToolCall("c", "f", "function", "{}", True), 0, 1),
        ],
        error=malformed("more input for a tool call after its end, when it may have been executed already", 3),
    ),
    Case(
        "a snapshot that changes a call behind its end is reported, not told",
        [
            typed(
                "response.output_item.done",
                output_index=0,
                item={"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"},
            ),
            typed(
                "response.completed",
                response={"status": "completed", "output": [{"type": "function_call", "call_id": "c", "arguments": "[]"}]},
            ),
        ],
        [
            *(UNNAMED, ToolCallStarted("c", "f", "function"), ToolCallDelta("{}")),
            *(ToolCallFinished(ToolCall("c", "f", "function", "{}", True)), Extra("snapshot", "[]", 0, 0)),
            Finished("tool_calls", "completed"),
        ],
        {"tool_calls": [ToolCall("c", "f", "function", "[]", True)]},
        dialect="responses",
    ),
]

CASES = [*UPSTREAM_IN_CHAT, *MALFORMED_CHAT, *LIMITS, *CUT_CHAT, *IN_MESSAGES, *IN_RESPONSES]
