"""Bodies that are no stream, and streams that no dialect is named for."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from cases import DONE, Case, chunk, data, typed
from sse_dialects import (
    Event,
    Extra,
    Finished,
    Limits,
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    Usage,
    UsageReported,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTHING: Mapping[str, Any] = {}


def body(
    name: str,
    content: Any,
    events: Sequence[Event] = (),
    answer: Mapping[str, Any] = NOTHING,
    *,
    dialect: str = "auto",
    **options: Any,
) -> Case:
    """A body, as bytes or as the value that it is the JSON of."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Case(name, [raw], events, answer, dialect=dialect, framed=False, auto=False, **options)


def foreign(description: str) -> dict[str, Any]:
    return {"kind": "not_event_stream", "content_type": None, "retryable": False, "description": description}


CUT = {"kind": "truncated", "expected": "the end of its JSON body", "frame_count": 0}
MARKUP = (
    "the body is markup, not an event stream: check the URL and what stands between you and the provider "
    "(a proxy's page, a login, a block)."
)
OTHER = 'the body is {}, not an event stream: check the URL, and that the request says "stream": true.'
TEXT = (
    "the body is plain text, not an event stream: check the URL and what stands between you and the provider "
    "(a proxy's message, a server that is starting)."
)
LINES = (
    "the body is JSON lines (NDJSON), not an event stream: ask for server-sent events, for which the server may have another URL "
    "or another parameter."
)
PACKED = "the body is {} data, not an event stream: let the HTTP client decode the body, or send Accept-Encoding: identity."

COMPLETION = {
    "id": "c1",
    "object": "chat.completion",
    "created": 7,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Hello",
                "reasoning_content": "hm",
                "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
}
MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Hello"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
    "stop_reason": "tool_use",
}
RESPONSE = {
    "id": "r1",
    "object": "response",
    "model": "m",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hello"}, {"type": "refusal", "refusal": "no"}],
        },
    ],
}

ANSWERS = [
    body(
        "a chat completion",
        COMPLETION,
        [
            *(Started("c1", "m"), ReasoningDelta("hm"), TextDelta("Hello", 0, 1)),
            ToolCallStarted("t", "f", "function", 0, 2),
            UsageReported(Usage(3, 4, 7, None, None, None, {"prompt_tokens": 3, "completion_tokens": 4})),
            ToolCallDelta("{}", 0, 2),
            ToolCallFinished(ToolCall("t", "f", "function", "{}", True), 0, 2),
            Finished("tool_calls", "tool_calls"),
        ],
        {"text": "Hello", "reasoning": "hm", "dialect": "chat", "complete": True, "native": COMPLETION},
    ),
    body(
        "a message",
        MESSAGE,
        [
            *(
                Started("m1", "m"),
                TextDelta("Hello"),
                ToolCallStarted("t", "f", "function", 0, 1),
                ToolCallDelta('{"a":1}', 0, 1),
            ),
            *(ToolCallFinished(ToolCall("t", "f", "function", '{"a":1}', True), 0, 1), Finished("tool_calls", "tool_use")),
        ],
        {"text": "Hello", "dialect": "messages", "complete": True, "native": MESSAGE},
    ),
    body(
        "a response",
        RESPONSE,
        [
            *(Started("r1", "m"), ReasoningDelta("hm"), TextDelta("Hello", 0, 1), RefusalDelta("no", 0, 2)),
            Finished("stop", "completed"),
        ],
        {"text": "Hello", "reasoning": "hm", "refusal": "no", "dialect": "responses", "complete": True, "native": RESPONSE},
    ),
    body(
        "behind a BOM and white space, for a reader who named the dialect",
        b"\xef\xbb\xbf \r\n\t" + json.dumps(MESSAGE, indent=1).encode() + b"\n",
        [
            *(
                Started("m1", "m"),
                TextDelta("Hello"),
                ToolCallStarted("t", "f", "function", 0, 1),
                ToolCallDelta('{"a":1}', 0, 1),
            ),
            *(ToolCallFinished(ToolCall("t", "f", "function", '{"a":1}', True), 0, 1), Finished("tool_calls", "tool_use")),
        ],
        {"text": "Hello"},
        dialect="messages",
    ),
    body(
        "half a surrogate pair",
        {"choices": [{"message": {"content": "a\ud83d"}}]},
        [Started(None, None), TextDelta("a\ufffd"), Finished(None, None)],
        {"text": "a\ufffd"},
    ),
    body(
        "with members of the server's own",
        {"choices": [], "x_cache": "hit"},
        [Started(None, None), Extra("x_cache", "hit")],
        {"extra": {"x_cache": "hit"}, "choices": []},
    ),
]

ERRORS = [
    body(
        "an error object",
        {"error": {"type": "invalid_request_error", "message": "m"}},
        error={
            "kind": "upstream",
            "type": "invalid_request_error",
            "message": "m",
            "retryable": False,
            "frame_count": 1,
            "dialect": None,
        },
    ),
    body(
        "for a reader who named the dialect",
        {"error": "m"},
        error={"kind": "upstream", "message": "m", "dialect": "chat"},
        dialect="chat",
    ),
    body("in an array", [{"error": {"code": 503, "message": "m"}}], error={"kind": "upstream", "code": 503, "retryable": True}),
    body("FastAPI's detail", {"detail": "m"}, error={"kind": "upstream", "message": "m"}),
    body(
        "an error that says it is one",
        {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        error={"kind": "upstream", "type": "overloaded_error"},
    ),
    body(
        "a failed response",
        {"object": "response", "status": "failed", "error": {"message": "m"}, "output": []},
        error={"kind": "upstream", "message": "m"},
    ),
]

OTHERS = [
    body("JSON of another kind", {"data": []}, error=foreign(OTHER.format("JSON of another kind"))),
    body("a list of them", [1, 2], error=foreign(OTHER.format("JSON of another kind"))),
    body("of another dialect than the reader's", MESSAGE, error={"kind": "not_event_stream"}, dialect="chat"),
    body(
        "no JSON after all",
        b"{a}",
        error=foreign(OTHER.format("not JSON: expecting property name enclosed in double quotes at character 2 of 3")),
    ),
    body("two of them", b'{"a":1}\n{"b":2}', error=foreign(LINES)),
    body("nested too deeply", b'{"choices":' + b"[" * 300, error={"kind": "limit", "limit": "max_depth", "allowed": 200}),
    body(
        "too large",
        b"[" + b"1," * 100,
        error={"kind": "limit", "limit": "max_answer_bytes", "byte_count": 0},
        options={"limits": Limits(max_answer_bytes=100)},
    ),
    body("markup", b" <html>Sign in</html>", error=foreign(MARKUP)),
    body("a lot of it", b"<p>" + b"x" * 2000, error=foreign(MARKUP)),
    body("gzip", gzip.compress(b"data: [DONE]\n\n", mtime=0)[:3], error=foreign(PACKED.format("gzip"))),
    body("zstd", b"\x28\xb5\x2f\xfd\0\0", error=foreign(PACKED.format("zstd"))),
    body("the beginning of a magic number", b"\x28\xb5\x2f", error=foreign(TEXT)),
    body("nothing but white space", b" \n\n ", error={"kind": "truncated", "expected": "the terminating frame of any dialect"}),
    body("nothing", b"", error={"kind": "truncated"}),
    body("half a BOM", b"\xef\xbb", error={"kind": "truncated"}),
    body("text", b"Internal Server Error", error=foreign(TEXT)),
]

# What the magic numbers and a BOM begin with may begin a stream as well.
STREAMS = [
    Case(
        "a comment in brackets",
        [b"(note\n\n", chunk({"content": "x"}), DONE],
        [Started(None, None), TextDelta("x"), Finished(None, None)],
        dialect="chat",
    ),
    Case(
        "white space ahead",
        [b" \n\t\n \n", chunk({"content": "x"}), DONE],
        [Started(None, None), TextDelta("x"), Finished(None, None)],
        dialect="chat",
    ),
    Case(
        "white space longer than a frame may be, ahead of JSON",
        [b" " * 100 + json.dumps({"choices": []}).encode()],
        [Started(None, None)],
        dialect="chat",
        framed=False,
        options={"limits": Limits(max_frame_bytes=50)},
    ),
]

UNTOLD = [
    Case(
        "frames that tell nothing are replayed once one tells",
        [data({"x": 1}), data("null"), typed("weather", sun=True), typed("message_stop")],
        [
            Started(None, None),
            Extra("x", 1),
            Extra("weather", [{"type": "weather", "sun": True}]),
            Finished(None, None),
        ],
        {"dialect": "messages"},
        dialect="auto",
        framed=False,
    ),
    Case(
        "none tells",
        [data({"x": 1}), data("null")],
        [],
        {},
        error={
            "kind": "malformed",
            "dialect": None,
            "frame_count": 2,
            "reason": "none of its payloads is of a dialect known here (chat, messages, responses)",
        },
        dialect="auto",
        framed=False,
    ),
    Case(
        "only pings",
        [data("{}", "ping"), data({"type": "ping"})],
        [],
        {},
        error={"kind": "truncated", "dialect": None, "frame_count": 2},
        dialect="auto",
        framed=False,
    ),
    Case(
        "an error frame needs no dialect",
        [data({"error": {"message": "m"}})],
        [],
        {},
        error={"kind": "upstream", "message": "m", "dialect": None},
        dialect="auto",
        framed=False,
    ),
    Case(
        "nor does what is no JSON",
        [data("{a}")],
        [],
        {},
        error={"kind": "malformed", "dialect": None, "frame_number": 1},
        dialect="auto",
        framed=False,
    ),
    Case(
        "a lone [DONE] is an empty chat",
        [DONE],
        [Started(None, None)],
        {"dialect": "chat", "complete": True},
        dialect="auto",
        framed=False,
    ),
]

CASES = [*ANSWERS, *ERRORS, *OTHERS, *STREAMS, *UNTOLD]
