"""Streams as the field sends them, one for each row of docs/reference/tolerances.md, and what their answers have.

A case is ``(dialect, payloads or bytes, what the answer has, options)``; without a ``kind`` among what it has, it is whole.
"""

from __future__ import annotations

import json
from typing import Any

from told import stream_of

Case = tuple[str, Any, dict[str, Any], dict[str, Any]]

CASES: dict[str, Case] = {}

DONE = "[DONE]"
A, B = '{"a":1}', '{"b":2}'


def streamed(payloads: Any) -> bytes:
    return payloads if isinstance(payloads, bytes) else stream_of(*payloads)


def case(name: str, dialect: str, payloads: Any, /, **expected: Any) -> None:
    assert name not in CASES, name
    CASES[name] = (dialect, payloads, expected, {})


def switched(name: str, payloads: Any, options: dict[str, Any], /, dialect: str = "chat", **expected: Any) -> None:
    assert name not in CASES, name
    CASES[name] = (dialect, payloads, expected, options)


# ---- chat: a chunk of one choice


def d(finish: Any = None, /, **delta: Any) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def choice(**members: Any) -> dict[str, Any]:
    return {"choices": [members]}


def end(reason: str = "stop") -> dict[str, Any]:
    return d(reason)


def call(index: Any, id: Any = None, name: Any = None, arguments: Any = None, **members: Any) -> dict[str, Any]:
    """An element of ``tool_calls``; what is None is missing."""
    body = {"name": name, "arguments": arguments}
    fields = {"index": index, "id": id, "function": {name: value for name, value in body.items() if value is not None}, **members}
    return {name: value for name, value in fields.items() if value is not None}


def calls(*elements: Any) -> dict[str, Any]:
    return d(tool_calls=list(elements))


TEXT = d(content="a")
CALLED = [end("tool_calls"), DONE]

# ---- bytes and frames

ENDING = [TEXT, end(), DONE]

case("end-without-blank-line", "chat", stream_of(TEXT, end()) + b"data: [DONE]", text="a")
case("end-of-several-lines", "chat", stream_of(TEXT) + b"data: " + json.dumps(end()).encode() + b"\ndata: [DONE]", text="a")
case("half-an-end", "chat", stream_of(TEXT, end()) + b"data: [DON", kind="truncated", text="a")
case("empty-data", "chat", b"data:\n\ndata: \n\n" + stream_of(*ENDING), text="a")
case("ping", "chat", [("ping", "?"), TEXT, {"type": "ping"}, end(), DONE], text="a", told=["started", "text_delta", "finished"])
case(
    "keep-alive",
    "chat",
    [
        TEXT,
        ("keepalive", "still here"),
        ("keep-alive", "{}"),
        ("keep_alive", "[]"),
        ("heartbeat", '{"id": "h", "sequence_number": 1}'),
        ("", '{"type": "heartbeat", "item_id": "other"}'),
        ("other", '{"type": "keepalive", "obfuscation": "x"}'),
        end(),
        DONE,
    ],
    text="a",
    extra={},
    told=["started", "text_delta", "finished"],
)
case(
    "keep-alive-with-members",
    "chat",
    [("ping", '{"cost": 1}'), TEXT, {"type": "ping", "cost": 2, "error": None}, end(), DONE],
    text="a",
    extra={"cost": 2},
    told=["started", "extra", "text_delta", "extra", "finished"],
)
case("keep-alive-is-a-chunk", "chat", [("ping", json.dumps(TEXT)), {"type": "ping", **end()}, ("ping", DONE)], text="a")
case("keep-alive-is-an-error", "chat", [TEXT, ("heartbeat", '{"error": "no"}'), end(), DONE], kind="upstream", message="no")
case("raw-control", "chat", ['{"choices":[{"delta":{"content":"\x1b[1mred\tand"}}]}', end(), DONE], text="\x1b[1mred\tand")
case("no-object", "chat", [TEXT, "null", "1", '"x"', "[]", end(), DONE], text="a")
case("array", "chat", [json.dumps([TEXT, end()]), DONE], text="a")
case("two-payloads", "chat", [f"{json.dumps(TEXT)}\n{json.dumps(end())}", DONE], text="a", finish_reason="stop")
case("end-under-the-same-blank-line", "chat", [TEXT, f"{json.dumps(end())}\n[DONE]"], text="a")
case("end-with-white-space", "chat", stream_of(TEXT) + b"data:   [DONE] \t\r\n\r\n", text="a")
case("over-several-lines", "chat", [json.dumps(TEXT, indent=1), DONE], text="a")
case("invalid-utf-8", "chat", stream_of(TEXT).replace(b'"a"', b'"\xff"') + stream_of(DONE), text="\ufffd")
case("half-pairs", "chat", [d(content="\ud83d"), d(content="\ude00"), DONE], text="\U0001f600")
case("half-pair-alone", "chat", [d(content="\ud83d"), DONE], text="\ufffd", told=["started", "text_delta", "finished"])
case("nan", "chat", ['{"choices":[{"delta":{"content":"a"},"logprobs":{"content":[{"logprob":-Infinity}]}}]}', DONE], text="a")
case("name-twice", "chat", ['{"choices":[{"delta":{"content":"x","content":"a"}}]}', DONE], text="a")
case("huge-number", "chat", [TEXT, '{"created":' + "9" * 5000 + "}"], kind="malformed", text="a")
case("deep-nesting", "chat", [TEXT, '{"own":' + "[" * 600 + "]" * 600 + "}"], kind="limit", text="a")
case("doubled-prefix", "chat", [TEXT, "data: {}"], kind="malformed", text="a")
case("markup-in-a-frame", "chat", [TEXT, "<html>"], kind="malformed", reason="the payload is markup, not JSON")
case("after-the-end", "chat", [*ENDING, d(content="late"), {"error": "late"}], text="a")
case(
    "json-body",
    "chat",
    b'{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}',
    text="a",
    told=["started", "text_delta", "finished"],
)
case("json-error-body", "chat", b'[{"error": {"message": "no", "code": 503}}]', kind="upstream", message="no", code=503)
case("json-body-and-an-end", "chat", b'{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DO', text="a")
case("json-error-body-and-more", "chat", b'{"error": {"message": "no"}}\n\ndata: [DONE]\n\n', kind="upstream", message="no")
case(
    "json-lines",
    "chat",
    json.dumps(TEXT).encode() + b"\n" + json.dumps(TEXT).encode()[:9],
    kind="not_event_stream",
    retryable=False,
)
case("json-of-one-chunk", "chat", json.dumps(TEXT).encode() + b"\n", kind="truncated", retryable=True)
case("json-body-cut", "chat", b'{"choices":[{"message":{"con', kind="truncated")
case("foreign-body", "chat", b"<!DOCTYPE html>", kind="not_event_stream")
case("text-body", "chat", b"upstream is starting\n", kind="not_event_stream", retryable=False)
case("binary-body", "messages", b"\0\0\0\xb9\0\0\0K", kind="not_event_stream", retryable=False)
case("utf-16-body", "chat", "\ufeffdata: [DONE]\n\n".encode("utf-16-le"), kind="not_event_stream", retryable=False)
case("text-after-frames", "chat", stream_of(TEXT) + b"upstream is gone\n", kind="truncated", text="a", retryable=True)
case("white-space-ahead", "chat", b"\xef\xbb\xbf\r\n\n" + stream_of(*ENDING), text="a")

# ---- recognising

case(
    "metadata-first",
    "responses",
    [{"type": "hello", "quota": 1}, {"type": "response.completed", "response": {}}],
    extra={"hello": [{"type": "hello", "quota": 1}]},
)
case("error-needs-no-dialect", "chat", ['{"error": "no"}'], kind="upstream", message="no")
case("end-needs-no-dialect", "chat", [("ping", "{}"), "\n", DONE], text="")
FOREIGN = {"response": "Hello"}
case("end-after-another-format", "chat", [FOREIGN, FOREIGN, DONE], kind="malformed", told=[])
case("end-after-text", "chat", ["null", '"{\\"choices\\": []}"', DONE], kind="malformed", told=[])
case("end-after-metadata", "chat", [{"_cost": 1, "x_region": "eu"}, DONE], text="", extra={"_cost": 1, "x_region": "eu"})
case("input-ends-after-another-format", "messages", [FOREIGN], kind="malformed", told=[])
case("input-ends-after-metadata", "responses", [{"_cost": 1}], kind="truncated", told=[])

# ---- chat: chunks, choices, deltas

case("choices-missing", "chat", [TEXT, {"choices": None}, {"id": "c"}, {"choices": []}, {"choices": {}}, DONE], text="a")
case("choice-null", "chat", [{"choices": [None]}, TEXT, DONE], text="a")
case("delta-null", "chat", [choice(delta=None), choice(delta=[]), choice(delta=""), choice(index=0), TEXT, DONE], text="a")
case("choice-index-missing", "chat", [choice(delta={"content": "a"}), choice(index="0", delta={"content": "b"}), DONE], text="ab")
case(
    "choices-out-of-order",
    "chat",
    [{"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}, DONE],
    text="a",
)
case(
    "id-late",
    "chat",
    [{"id": "", "choices": []}, {"id": None, "model": "", "choices": []}, TEXT, {**TEXT, "id": "z"}, DONE],
    id="c",
    model="m",
)
case(
    "role-repeated",
    "chat",
    [d(role="assistant", content="a"), d(role="assistant", content="b"), d(role=None), DONE],
    text="ab",
    turn=[{"role": "assistant", "content": "ab"}],
)
case("content-null", "chat", [d(content=None), d(content=False), TEXT, d(content=""), DONE], text="a")
case(
    "content-list",
    "chat",
    [d(content=[{"type": "text", "text": "a"}, "b"]), d(content="c"), DONE],
    text="abc",
    parts=["TextPart"],
)
case("content-object", "chat", [d(content={"type": "text", "text": "a"}), DONE], text="a")
case(
    "content-of-reasoning",
    "chat",
    [
        d(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}]),
        d(content=[{"type": "reasoning", "summary": [{"type": "summary_text", "text": "m"}]}]),
        TEXT,
        DONE,
    ],
    reasoning="hm",
    text="a",
)
case("text-of-completions", "chat", [choice(index=0, text="a"), choice(index=0, text="b", finish_reason="stop"), DONE], text="ab")
case(
    "message-in-place",
    "chat",
    [choice(message={"content": "a"}), choice(message={"content": "ab"}, finish_reason="stop"), DONE],
    text="ab",
    told=["started", "text_delta", "text_delta", "finished"],
)
case("message-beside", "chat", [choice(delta={"content": "a"}, message={"content": "a"}), DONE], text="a")
case(
    "message-last",
    "chat",
    [TEXT, choice(message={"content": "ab", "tool_calls": [call(None, "c1", "f", A)]}), DONE],
    text="ab",
    calls=["c1 f " + A],
)
case(
    "message-contradicts",
    "chat",
    [TEXT, choice(message={"content": "x"}), DONE],
    text="a",
    told=["started", "text_delta", "extra", "finished"],
)
case("text-twice", "chat", [d(content="a"), d(content="a"), DONE], text="aa")
case("sentinel-in-the-text", "chat", [d(content="[DONE]"), d(content="a"), DONE], text="[DONE]a")

# ---- chat: the end

case("text-after-the-reason", "chat", [end(), TEXT, DONE], text="a", finish_reason="stop")
case("text-with-the-reason", "chat", [d("stop", content="a"), DONE], text="a", finish_reason="stop")
case("reason-empty", "chat", [d("", content="a"), d("null"), end("length"), DONE], native_finish_reason="length")
case("reason-twice", "chat", [TEXT, end("length"), end("stop"), DONE], native_finish_reason="length")
case("reason-missing", "chat", [TEXT, DONE], finish_reason=None)
ONE_BY_ONE = [choice(index=number, delta={"content": "a"}) for number in range(3)]
case("index-counts-chunks", "chat", [*ONE_BY_ONE, choice(index=3, delta={}, finish_reason="stop"), DONE], kind="malformed")
case(
    "index-counts-choices",
    "chat",
    [*ONE_BY_ONE, *(choice(index=number, finish_reason="stop") for number in range(3)), DONE],
    text="a",
)
case("end-as-an-object", "chat", [TEXT, {"object": "chat.completion.done"}], text="a")
case("no-end", "chat", [TEXT, end()], kind="truncated", text="a")
switched("no-end-allowed", [TEXT, end()], {"require_done": False}, text="a")
switched(
    "no-end-allowed-and-cut",
    [choice(index=0, delta={"content": "a"}, finish_reason="stop"), choice(index=1, delta={"content": "b"})],
    {"require_done": False},
    kind="truncated",
)

# ---- chat: reasoning

case(
    "reasoning-twice",
    "chat",
    [d(reasoning="h", reasoning_content="h"), d(reasoning="", reasoning_content="m"), TEXT, DONE],
    reasoning="hm",
)
case(
    "reasoning-under-other-names",
    "chat",
    [d(reasoning_text="h"), d(thinking="m"), TEXT, DONE],
    reasoning="hm",
    turn=[{"role": "assistant", "content": "a", "reasoning_text": "h", "thinking": "m"}],
)
case(
    "reasoning-padding",
    "chat",
    [d(reasoning_content="h", content=""), d(reasoning_content=None, content="a"), d(reasoning_content="", content="b"), DONE],
    reasoning="h",
    text="ab",
    parts=["ReasoningPart", "TextPart"],
)
case("reasoning-interrupted", "chat", [d(reasoning="h"), TEXT, d(reasoning="m"), DONE], reasoning="hm")
case(
    "reasoning-details-alone",
    "chat",
    [
        d(reasoning_details=[{"type": "reasoning.text", "text": "h"}]),
        d(reasoning_details=[{"type": "reasoning.summary", "summary": "m"}]),
        TEXT,
        DONE,
    ],
    reasoning="hm",
)
case(
    "reasoning-details-beside",
    "chat",
    [d(reasoning="h", reasoning_details=[{"type": "reasoning.text", "text": "h"}]), TEXT, DONE],
    reasoning="h",
)
case(
    "reasoning-details-share-an-index",
    "chat",
    [
        d(reasoning_details=[{"type": "reasoning.text", "text": "h", "index": 0}]),
        d(reasoning_details=[{"type": "reasoning.encrypted", "data": "E", "index": 0}]),
        d(reasoning_details=[{"type": "reasoning.text", "signature": "S", "index": 0}]),
        TEXT,
        DONE,
    ],
    turn=[
        {
            "role": "assistant",
            "content": "a",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "h", "index": 0, "signature": "S"},
                {"type": "reasoning.encrypted", "data": "E", "index": 0},
            ],
        }
    ],
)
case(
    "reasoning-in-content-blocks",
    "chat",
    [
        d(content_blocks=[{"index": 0, "delta": {"thinking": "We "}}]),
        d(content_blocks=[{"index": 0, "delta": {"thinking": "see"}}]),
        d(content_blocks=[{"index": 0, "delta": {"signature": "s"}}]),
        d(content="a", content_blocks=[{"index": 1, "delta": {"text": "a"}}]),
        end(),
        DONE,
    ],
    reasoning="We see",
    text="a",
)
case(
    "thinking-blocks",
    "chat",
    [
        d(thinking_blocks=[{"type": "thinking", "thinking": "h"}]),
        d(thinking_blocks=[{"type": "thinking", "thinking": "", "signature": "S"}]),
        TEXT,
        DONE,
    ],
    reasoning="h",
)
case("think-tags-off", "chat", [d(content="<think>h</think>a"), DONE], text="<think>h</think>a", reasoning="")
switched("think-tags", [d(content="<think>h</think>"), TEXT, DONE], {"think_tags": True}, text="a", reasoning="h")
switched(
    "think-tag-in-pieces",
    [d(content=piece) for piece in ("<th", "ink>h</", "think>a", "<b")] + [DONE],
    {"think_tags": True},
    text="a<b",
    reasoning="h",
)
switched(
    "think-tags-beside-a-member",
    [d(content="<think>\nWe ", reasoning_content="We "), d(content="see\n</think>", reasoning_content="see"), TEXT, DONE],
    {"think_tags": True},
    reasoning="We see",
    text="a",
)
switched(
    "think-tag-orphan",
    [d(content="h</think>a"), DONE],
    {"think_tags": True},
    text="a",
    reasoning="h",
    told=["started", "text_delta", "extra", "text_delta", "finished"],
)
switched("think-tag-open", [d(content="<think>h"), DONE], {"think_tags": True}, text="", reasoning="h")

# ---- chat: tool calls

case(
    "call-normal",
    "chat",
    [calls(call(0, "c1", "f", "")), calls(call(0, arguments='{"a"')), calls(call(0, arguments=":1}")), *CALLED],
    calls=["c1 f " + A],
    whole=[True],
)
case(
    "call-index-missing", "chat", [calls(call(None, "c1", "f", "")), calls(call(None, arguments=A)), *CALLED], calls=["c1 f " + A]
)
case(
    "call-id-without-index",
    "chat",
    [
        calls(call(None, "c1", "f", ""), call(None, "c2", "g", "")),
        calls(call(None, "c1", None, A)),
        calls(call(None, "c2", None, B)),
        *CALLED,
    ],
    calls=["c1 f " + A, "c2 g " + B],
)
case(
    "call-without-index-or-id",
    "chat",
    [calls(call(None, None, "f", A)), calls(call(None, None, "g", B)), *CALLED],
    calls=["None f " + A, "None g " + B],
)
case(
    "calls-in-one-delta",
    "chat",
    [calls(call(None, None, "f", A), call(None, None, "f", B)), *CALLED],
    calls=["None f " + A, "None f " + B],
)
case(
    "call-in-one-delta-twice",
    "chat",
    [calls(call(0, "c1", "f"), call(0, arguments='{"a"')), calls(call(0, arguments=":1}")), *CALLED],
    calls=["c1 f " + A],
)
case(
    "call-index-shared",
    "chat",
    [calls(call(0, "c1", "f", A)), calls(call(0, "c2", "g", "")), calls(call(0, arguments=B)), *CALLED],
    calls=["c1 f " + A, "c2 g " + B],
)
case(
    "call-index-shared-id-tells",
    "chat",
    [
        calls(call(0, "c1", "f", "")),
        calls(call(0, "c2", "g", "")),
        calls(call(0, "c1", None, A)),
        calls(call(0, "c2", None, B)),
        *CALLED,
    ],
    calls=["c1 f " + A, "c2 g " + B],
)
case(
    "call-index-shared-without-id",
    "chat",
    [calls(call(0, None, "f", A)), calls(call(0, None, "f", B)), *CALLED],
    calls=["None f " + A, "None f " + B],
)
case(
    "call-index-of-another",
    "chat",
    [calls(call(0, "c1", "f", A)), calls(call(0, "c2", "g", "")), calls(call(1, arguments=B)), *CALLED],
    calls=["c1 f " + A, "c2 g " + B],
)
case(
    "call-index-odd",
    "chat",
    [
        calls(call("0", "c1", "f", "")),
        calls(call(0.0, arguments='{"a"')),
        calls(call(0, arguments=":1}")),
        calls(call(-1, "c2", "g", B)),
        *CALLED,
    ],
    calls=["c2 g " + B, "c1 f " + A],
)
case(
    "call-index-huge", "chat", [calls(call(10**9, "c1", "f", "")), calls(call(10**9, arguments=A)), *CALLED], calls=["c1 f " + A]
)
case(
    "call-id-changes",
    "chat",
    [calls(call(0, "c1", "f", "")), calls(call(0, "x", None, '{"a"')), calls(call(0, "y", None, ":1}")), *CALLED],
    calls=["c1 f " + A],
)
case("call-id-empty", "chat", [calls(call(0, "c1", "f", "")), calls(call(0, "", "", A, type="")), *CALLED], calls=["c1 f " + A])
case("call-id-late", "chat", [calls(call(0, None, "f", '{"a"')), calls(call(0, "c1", None, ":1}")), *CALLED], calls=["c1 f " + A])
case(
    "call-id-shared",
    "chat",
    [
        calls(call(0, "c", "f", "")),
        calls(call(0, arguments=A)),
        calls(call(1, "c", "g", "")),
        calls(call(1, arguments=B)),
        *CALLED,
    ],
    calls=["c f " + A, "c g " + B],
)
case(
    "call-id-for-all",
    "chat",
    [calls(call(0, "c", "f", A)), calls(call(0, "c", "f", B)), *CALLED],
    calls=["c f " + A, "c f " + B],
)
case("call-id-a-number", "chat", [calls(call(0, 7, "f", A)), *CALLED], calls=["7 f " + A])
case(
    "call-name-repeated",
    "chat",
    [calls(call(0, "c1", "f", "{")), calls(call(0, None, "f", '"a":1')), calls(call(0, None, "f", "}")), *CALLED],
    calls=["c1 f " + A],
)
case(
    "call-name-in-pieces",
    "chat",
    [calls(call(0, "c1", "get_", "")), calls(call(0, None, "time", "")), calls(call(0, arguments=A)), *CALLED],
    calls=["c1 get_time " + A],
)
case(
    "call-name-grows",
    "chat",
    [calls(call(0, "c1", "get", "")), calls(call(0, None, "get_time", "")), calls(call(0, arguments=A)), *CALLED],
    calls=["c1 get_time " + A],
)
case(
    "call-name-late",
    "chat",
    [calls(call(0, "c1", None, '{"a"')), calls(call(0, None, "f", ":1}")), *CALLED],
    calls=["c1 f " + A],
    told=["started", "tool_call_started", "tool_call_delta", "tool_call_delta", "tool_call_finished", "finished"],
)
case("call-arguments-an-object", "chat", [calls(call(0, "c1", "f", {"a": 1})), *CALLED], calls=["c1 f " + A])
case(
    "call-arguments-empty",
    "chat",
    [calls(call(0, "c1", "f", "")), calls(call(1, "c2", "g")), *CALLED],
    calls=["c1 f ", "c2 g "],
    whole=[True, True],
)
case(
    "call-arguments-after-an-empty-object",
    "chat",
    [
        calls(call(0, "c1", "f", "{}")),
        calls(call(0, arguments='{"a"')),
        calls(call(0, arguments=":1}")),
        calls(call(1, "c2", "g", "{}")),
        *CALLED,
    ],
    calls=["c1 f " + A, "c2 g {}"],
)
case(
    "call-said-again",
    "chat",
    [calls(call(0, "c1", "f", "")), calls(call(0, arguments=A)), calls(call(0, "c1", "f", A)), *CALLED],
    calls=["c1 f " + A],
)
case(
    "call-said-again-at-the-end",
    "chat",
    [calls(call(0, "c1", "f", "")), calls(call(0, arguments=A)), d("tool_calls", tool_calls=[call(0, arguments=A)]), DONE],
    calls=["c1 f " + A],
)
case(
    "call-padding",
    "chat",
    [
        d(content="a", tool_calls=[]),
        d(tool_calls=[None, {}]),
        d(tool_calls=[{"index": 0, "function": {"name": None, "arguments": ""}}]),
        end(),
        DONE,
    ],
    text="a",
    calls=[],
)
case(
    "call-of-the-legacy-form",
    "chat",
    [d(function_call={"name": "f", "arguments": ""}), d(function_call={"arguments": A}), end("function_call"), DONE],
    calls=["None f " + A],
    finish_reason="tool_calls",
)
case(
    "legacy-padding",
    "chat",
    [d(content="a", function_call={}), d(function_call=""), d(function_call={"name": None}), DONE],
    calls=[],
)
case(
    "call-of-free-text",
    "chat",
    [
        calls(call(0, "c1", type="custom", function=None, custom={"name": "sh", "input": "ls"})),
        calls({"index": 0, "custom": {"input": " -l"}}),
        *CALLED,
    ],
    calls=["c1 sh ls -l"],
)
case(
    "call-after-the-reason",
    "chat",
    [end(), calls(call(0, "c1", "f", A)), DONE],
    calls=["c1 f " + A],
    finish_reason="tool_calls",
    native_finish_reason="stop",
)
case("call-cut-off", "chat", [calls(call(0, "c1", "f", '{"a"')), end("length"), DONE], whole=[False], finish_reason="length")
case("call-no-object", "chat", [calls(call(0, "c1", "f", '{"a"')), *CALLED], whole=[False], finish_reason="tool_calls")
case(
    "call-cut-off-behind-a-router",
    "chat",
    [calls(call(0, "c1", "f", A)), choice(finish_reason="tool_calls", native_finish_reason="MAX_TOKENS"), DONE],
    whole=[False],
    finish_reason="tool_calls",
)
case("call-without-a-reason", "chat", [calls(call(0, "c1", "f", A)), DONE], whole=[False], finish_reason=None)
case(
    "call-without-a-name",
    "chat",
    [TEXT, calls(call(-1, None, None, A)), end(), DONE],
    whole=[False],
    finish_reason="stop",
    turn=[{"role": "assistant", "content": "a"}],
)
case("call-arguments-null", "chat", [calls(call(0, "c1", "f", "null")), *CALLED], calls=["c1 f null"], whole=[True])
case(
    "call-arguments-after-null",
    "chat",
    [calls(call(0, "c1", "f", "null")), calls(call(0, arguments=A)), *CALLED],
    calls=["c1 f " + A],
)
case(
    "call-arguments-with-control-characters",
    "chat",
    [calls(call(None, None, "f", '{"a": "x\n')), calls(call(None, arguments='y"}')), calls(call(None, None, "g", A)), *CALLED],
    calls=['None f {"a": "x\ny"}', "None g " + A],
    whole=[True, True],
)
GROWING = ['{"a": "b', '{"a": "bc", "n', '{"a": "bc", "n": 1}']
case(
    "call-arguments-grow",
    "chat",
    [calls(call(0, "c1", "f", GROWING[0])), *(calls(call(0, arguments=piece)) for piece in GROWING[1:]), *CALLED],
    calls=["c1 f " + GROWING[2]],
    whole=[True],
    extra={},
)
case(
    "call-arguments-grow-as-objects",
    "chat",
    [
        calls(call(0, "c1", "f", {"a": "b"})),
        calls(call(0, arguments={"a": "bc"})),
        calls(call(0, arguments={"a": "bc", "n": 1})),
        end(),
        DONE,
    ],
    calls=['c1 f {"a":"bc","n":1}'],
    whole=[False],
    finish_reason="tool_calls",
)
case(
    "call-id-sent-empty",
    "chat",
    [calls(call(None, "", "f", A)), calls(call(None, "", "g", B)), *CALLED],
    calls=[" f " + A, " g " + B],
    turn=[
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "", "type": "function", "function": {"name": "f", "arguments": A}},
                {"id": "", "type": "function", "function": {"name": "g", "arguments": B}},
            ],
        }
    ],
)

# ---- chat: usage and the rest

COUNTS = {"prompt_tokens": 3, "completion_tokens": 2}
case("usage-late", "chat", [TEXT, end(), {"choices": [], "usage": COUNTS}, DONE], input=3, output=2)
case("usage-null", "chat", [{**TEXT, "usage": None}, {**end(), "usage": COUNTS}, {"choices": [], "usage": {}}, DONE], input=3)
case(
    "usage-partial",
    "chat",
    [{**TEXT, "usage": {"prompt_tokens_details": {"cached_tokens": 0}}}, {**end(), "usage": COUNTS}, DONE],
    input=3,
)
case(
    "usage-without-its-reasoning",
    "chat",
    [
        TEXT,
        {
            "choices": [],
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 7,
                "total_tokens": 40,
                "completion_tokens_details": {"reasoning_tokens": 23},
            },
        },
        DONE,
    ],
    output=30,
)
case("usage-in-a-choice", "chat", [choice(delta={"content": "a"}, usage=COUNTS), DONE], input=3)
case("usage-in-a-gateways-object", "chat", [{**end(), "x_gateway": {"usage": COUNTS}}, DONE], input=3)
case(
    "usage-growing", "chat", [{**TEXT, "usage": {"prompt_tokens": 3, "completion_tokens": n}} for n in (1, 2)] + [DONE], output=2
)
case(
    "usage-under-other-names",
    "chat",
    [TEXT, {"usage": {"input_tokens": 3, "output_tokens": 2.0, "cached_tokens": 1}}, DONE],
    input=3,
    output=2,
    cached=1,
)
case(
    "usage-odd",
    "chat",
    [TEXT, {"usage": {"prompt_tokens": "3", "completion_tokens": -1, "total_tokens": 5}}, DONE],
    input=None,
    output=None,
)
case(
    "audio-in-pieces",
    "chat",
    [d(audio={"id": "x", "data": "QQ=="}), d(audio={"data": "Qg==", "transcript": "a"}), DONE],
    extra={"audio": {"id": "x", "data": ["QQ==", "Qg=="], "transcript": "a"}},
)
case("members-of-their-own", "chat", [{**d(content="a", mood=1), "cost": 2}, DONE], extra={"mood": 1, "cost": 2})

# ---- messages

START = {
    "type": "message_start",
    "message": {"id": "m", "model": "x", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}},
}
STOP = {"type": "message_stop"}


def opened(index: Any, type: str, /, **members: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **members}}


def piece(index: Any, /, **members: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": members}


def text(index: Any, value: Any) -> dict[str, Any]:
    return piece(index, type="text_delta", text=value)


def inputs(index: Any, value: Any) -> dict[str, Any]:
    return piece(index, type="input_json_delta", partial_json=value)


def closed(index: Any) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def reason(word: Any, /, **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": word}, "usage": usage or {"output_tokens": 2}}


def tool(index: Any, id: str = "t", name: str = "f", **members: Any) -> dict[str, Any]:
    return opened(index, "tool_use", id=id, name=name, **{"input": {}, **members})


SAID = [START, opened(0, "text", text=""), text(0, "a"), closed(0), reason("end_turn"), STOP]
USED = [reason("tool_use"), STOP]

case(
    "type-only-in-event",
    "messages",
    [(each["type"], {name: value for name, value in each.items() if name != "type"}) for each in SAID],
    text="a",
)
case("event-line-missing", "messages", [json.dumps(each) for each in SAID], text="a")
case("event-line-of-another", "messages", [("message", each) for each in SAID], text="a")
case("end-with-nothing-in-it", "messages", [*SAID[:-1], ("message_stop", "")], text="a")
case("done-after-the-end", "messages", [*SAID, ("done", DONE)], text="a")
case("done-in-place-of-the-end", "messages", [*SAID[:-1], DONE], kind="truncated", text="a")
case("start-missing", "messages", SAID[1:], text="a", id=None)
case("start-twice", "messages", [*SAID[:3], START, *SAID[3:]], text="a")
case("start-of-another", "messages", [*SAID[:3], {"type": "message_start", "message": {"id": "z"}}], kind="malformed", text="a")
case(
    "content-in-the-start",
    "messages",
    [{"type": "message_start", "message": {"content": [{"type": "text", "text": "a"}]}}, STOP],
    text="a",
)
case("stop-missing", "messages", [START, opened(0, "text", text=""), text(0, "a"), reason("end_turn"), STOP], text="a")
case("stop-twice", "messages", [START, tool(0), inputs(0, A), closed(0), closed(0), *USED], calls=["t f " + A])
case(
    "block-index-skips",
    "messages",
    [START, text(3, "a"), closed(3), tool(9), inputs(9, A), closed(9), *USED],
    text="a",
    calls=["t f " + A],
)
case(
    "block-index-missing",
    "messages",
    [START, opened(None, "text", text=""), text(None, "a"), closed(None), tool(None), inputs(None, A), closed(None), *USED],
    text="a",
    calls=["t f " + A],
    whole=[True],
)
case(
    "block-index-shared",
    "messages",
    [START, tool(0), inputs(0, A), closed(0), tool(0, "u", "g"), inputs(0, B), closed(0), *USED],
    calls=["t f " + A, "u g " + B],
)
case(
    "blocks-interleaved",
    "messages",
    [START, tool(0), tool(1, "u", "g"), inputs(0, '{"a"'), inputs(1, B), inputs(0, ":1}"), closed(1), closed(0), *USED],
    calls=["t f " + A, "u g " + B],
    whole=[True, True],
)
case(
    "block-never-opened",
    "messages",
    [START, piece(0, type="thinking_delta", thinking="h"), text(1, "a"), inputs(2, A), *USED],
    text="a",
    reasoning="h",
    calls=["None None " + A],
)
case(
    "block-index-of-another",
    "messages",
    [START, opened(0, "text", text=""), text(1, "a"), closed(1), tool(2), inputs(3, '{"a"'), inputs(3, ":1}"), closed(3), *USED],
    text="a",
    calls=["t f " + A],
    whole=[True],
)
case(
    "block-opened-twice",
    "messages",
    [START, tool(0), inputs(0, '{"a"'), tool(0), inputs(0, ":1}"), closed(0), *USED],
    calls=["t f " + A],
)
case(
    "block-null",
    "messages",
    [START, {"type": "content_block_start", "index": 0, "content_block": None}, text(0, "a"), STOP],
    text="a",
)
case(
    "delta-of-another-kind",
    "messages",
    [START, tool(0), inputs(0, A), text(0, "a"), closed(0), *USED],
    text="a",
    calls=["t f " + A],
)
case(
    "delta-after-the-stop",
    "messages",
    [START, tool(0), inputs(0, '{"a"'), closed(0), inputs(0, ":1}"), *USED],
    calls=["t f " + A],
    whole=[True],
)
case(
    "delta-without-type",
    "messages",
    [START, opened(0, "text"), piece(0, text="a"), piece(0, type="text", text="b"), STOP],
    text="ab",
)
case(
    "delta-with-null",
    "messages",
    [START, {"type": "content_block_delta", "index": 0, "delta": None}, text(1, None), text(1, "a"), STOP],
    text="a",
)
case("text-in-the-opening", "messages", [START, opened(0, "text", text="a"), text(0, "b"), STOP], text="ab")
case(
    "input-in-the-opening",
    "messages",
    [START, tool(0, input={"a": 1}), closed(0), tool(1, "u", "g", input=B), closed(1), *USED],
    calls=["t f " + A, "u g " + B],
)
case(
    "input-missing",
    "messages",
    [START, tool(0), inputs(0, ""), closed(0), opened(1, "tool_use", id="u", name="g"), closed(1), *USED],
    calls=["t f {}", "u g {}"],
)
case(
    "input-after-an-empty-object",
    "messages",
    [START, tool(0), inputs(0, "{}"), inputs(0, A), closed(0), *USED],
    calls=["t f " + A],
)
case("input-an-object", "messages", [START, tool(0), inputs(0, {"a": 1}), closed(0), *USED], calls=["t f " + A])
case(
    "input-no-json", "messages", [START, tool(0), inputs(0, '{"a":1}}'), closed(0), *USED], calls=['t f {"a":1}}'], whole=[False]
)
case(
    "input-cut-off",
    "messages",
    [START, tool(0), inputs(0, '{"a"'), closed(0), reason("max_tokens"), STOP],
    whole=[False],
    finish_reason="length",
)
case("input-open-at-the-end", "messages", [START, tool(0), inputs(0, A), *USED], calls=["t f " + A], whole=[False])
case(
    "call-settled-by-a-reason",
    "messages",
    [START, tool(0), inputs(0, A), closed(0), {"type": "glow"}, reason(None), {"own": 1}, reason("tool_use"), STOP],
    whole=[True],
)
case(
    "call-cut-behind-other-frames",
    "messages",
    [START, tool(0), inputs(0, A), closed(0), {"type": "glow"}, reason(None), {"own": 1}, reason("max_tokens"), STOP],
    whole=[False],
)
case(
    "call-cut-ahead-of-its-stop",
    "messages",
    [START, tool(0), inputs(0, A), reason("max_tokens"), closed(0), STOP],
    whole=[False],
)
case("refused-in-a-call", "messages", [START, tool(0), inputs(0, A), closed(0), reason("refusal"), STOP], whole=[False])
case(
    "signature-in-pieces",
    "messages",
    [
        START,
        opened(0, "thinking", thinking="", signature=""),
        piece(0, type="thinking_delta", thinking="h"),
        piece(0, type="signature_delta", signature="AB"),
        piece(0, type="signature_delta", signature="CD"),
        closed(0),
        STOP,
    ],
    turn=[{"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": "ABCD"}]}],
)
case(
    "signature-on-a-text",
    "messages",
    [START, opened(0, "text", text=""), text(0, "a"), piece(0, type="signature_delta", signature="S"), STOP],
    extra={"signature": "S"},
    turn=[{"role": "assistant", "content": [{"type": "text", "text": "a"}]}],
)
case(
    "encrypted-content-twice",
    "messages",
    [
        START,
        opened(0, "compaction", content="", encrypted_content="AB"),
        piece(0, type="compaction_delta", content="c", encrypted_content="AB"),
        STOP,
    ],
    turn=[{"role": "assistant", "content": [{"type": "compaction", "content": "c", "encrypted_content": "AB"}]}],
)
case(
    "model-of-a-fallback",
    "messages",
    [START, opened(0, "fallback", to={"model": "y"}, **{"from": {"model": "x"}}), closed(0), text(1, "a"), STOP],
    model="y",
)
case(
    "members-of-block-events",
    "messages",
    [START, {**opened(0, "text", text=""), "own": 1}, {**text(0, "a"), "other": 2}, {**closed(0), "third": 3}, STOP],
    text="a",
    extra={"own": 1, "other": 2, "third": 3},
)
case("no-type-at-all", "messages", [*SAID[:-1], {"_gateway": {"cost": 1}}, STOP], text="a", extra={"_gateway": {"cost": 1}})
case("no-stop", "messages", SAID[:-1], kind="truncated", text="a")
switched("no-stop-allowed", SAID[:-1], {"require_done": False}, dialect="messages", text="a", finish_reason="stop")
switched("no-stop-allowed-and-cut", SAID[:-2], {"require_done": False}, dialect="messages", kind="truncated", text="a")
case(
    "signature-alone",
    "messages",
    [START, opened(0, "thinking", thinking=""), piece(0, type="signature_delta", signature="S"), STOP],
    reasoning="",
    turn=[{"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "S"}]}],
)
case(
    "signature-missing",
    "messages",
    [START, piece(0, type="thinking_delta", thinking="h"), STOP],
    turn=[{"role": "assistant", "content": [{"type": "thinking", "thinking": "h", "signature": ""}]}],
)
case(
    "tools-of-the-provider",
    "messages",
    [
        START,
        opened(0, "server_tool_use", id="s", name="search", input={}),
        inputs(0, A),
        closed(0),
        opened(1, "web_search_tool_result", tool_use_id="s", content=[]),
        closed(1),
        text(2, "a"),
        STOP,
    ],
    calls=[],
    text="a",
    parts=["OtherPart", "OtherPart", "TextPart"],
)
case(
    "newer-than-this-library",
    "messages",
    [START, {"type": "message_glow", "n": 1}, opened(0, "glow", n=1), piece(0, type="glow_delta", n=2), text(1, "a"), STOP],
    text="a",
    extra={
        "message_glow": [{"type": "message_glow", "n": 1}],
        "glow": [{"type": "glow", "n": 2}],
        "glow_delta": [{"type": "glow_delta", "n": 2}],
    },
)
case(
    "deltas-of-the-message",
    "messages",
    [
        START,
        text(0, "a"),
        reason(None),
        reason("end_turn", output_tokens=7),
        {"type": "message_delta", "delta": None, "usage": None},
        STOP,
    ],
    output=7,
    native_finish_reason="end_turn",
)
case(
    "usage-merged",
    "messages",
    [START, text(0, "a"), reason("end_turn", input_tokens=None, output_tokens=7, cache_read_input_tokens=4), STOP],
    input=9,
    output=7,
    cached=4,
)
case("usage-at-the-very-end", "messages", [START, text(0, "a"), {**STOP, "usage": {"output_tokens": 9}}], output=9)

# ---- responses


def event(type: str, /, **members: Any) -> dict[str, Any]:
    return {"type": f"response.{type}", **members}


def added(index: Any, type: str, /, **members: Any) -> dict[str, Any]:
    return event("output_item.added", output_index=index, item={"type": type, **members})


def done(index: Any, type: str, /, **members: Any) -> dict[str, Any]:
    return event("output_item.done", output_index=index, item={"type": type, **members})


def said(value: Any, index: Any = 0, /, **members: Any) -> dict[str, Any]:
    return event("output_text.delta", output_index=index, delta=value, **members)


def asked(index: Any, id: str = "i", call_id: str = "t", name: Any = "f", arguments: Any = "") -> dict[str, Any]:
    return added(index, "function_call", id=id, call_id=call_id, name=name, arguments=arguments)


def args(value: Any, index: Any = 0, /, **members: Any) -> dict[str, Any]:
    return event("function_call_arguments.delta", output_index=index, delta=value, **members)


def completed(*output: Any, **members: Any) -> dict[str, Any]:
    return event("completed", response={"id": "r", "status": "completed", "output": list(output), **members})


def message(value: str, **members: Any) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": value}], **members}


THOUGHT = added(0, "reasoning", id="t", summary=[])

case("created-missing", "responses", [added(0, "message", id="i"), said("a"), completed()], text="a")
case("item-missing", "responses", [said("a"), completed()], text="a")
case(
    "names-missing",
    "responses",
    [event("output_text.delta", delta="a"), event("output_text.delta", delta="b"), completed()],
    text="ab",
)
case(
    "item-null",
    "responses",
    [added(0, "message") | {"item": None}, added(1, "message", id="i"), said("a", 1), completed()],
    text="a",
)
case(
    "done-alone",
    "responses",
    [
        event("output_text.done", output_index=0, text="a"),
        done(1, "function_call", call_id="t", name="f", arguments=A),
        completed(),
    ],
    text="a",
    calls=["t f " + A],
    whole=[True],
)
case("final-response-alone", "responses", [completed(message("a"))], text="a", told=["started", "text_delta", "finished"])
case("final-output-empty", "responses", [said("a"), event("completed", response={"output": None})], text="a")
case("final-response-missing", "responses", [said("a"), event("completed")], text="a", finish_reason="stop")
case("final-text-alone", "responses", [completed(output_text="a")], text="a")
case("final-content-a-string", "responses", [completed({"type": "message", "content": "a"})], text="a")
case(
    "all-repeated",
    "responses",
    [
        added(0, "message", id="i"),
        said("a"),
        event("output_text.done", output_index=0, text="a"),
        event("content_part.done", output_index=0, content_index=0, part={"type": "output_text", "text": "a"}),
        done(0, "message", id="i", content=message("a")["content"]),
        completed(message("a", id="i")),
    ],
    text="a",
    told=["started", "text_delta", "finished"],
)
case(
    "final-text-longer",
    "responses",
    [said("a"), completed(message("ab"))],
    text="ab",
    told=["started", "text_delta", "text_delta", "finished"],
)
case(
    "final-text-another",
    "responses",
    [said("x"), completed(message("a"))],
    text="a",
    told=["started", "text_delta", "extra", "finished"],
)
case("resumed-in-the-middle", "responses", [said("b", sequence_number=40), completed(message("ab"))], text="ab")
case(
    "item-id-changes",
    "responses",
    [asked(0), args('{"a"', item_id="j"), args(":1}", item_id="k"), completed()],
    calls=["t f " + A],
)
case(
    "call-id-alone",
    "responses",
    [asked(0), asked(1, "j", "u", "g"), args(A, None, call_id="t"), args(B, None, call_id="u"), completed()],
    calls=["t f " + A, "u g " + B],
)
case(
    "call-id-comes-late",
    "responses",
    [
        added(0, "function_call", id="i", name="f"),
        args(A),
        done(0, "function_call", id="i", call_id="t", name="f", arguments=A),
        completed(),
    ],
    calls=["t f " + A],
)
case(
    "call-name-comes-late",
    "responses",
    [asked(0, name=""), args(A), done(0, "function_call", id="i", call_id="t", name="f"), completed()],
    calls=["t f " + A],
)
case(
    "output-index-shared",
    "responses",
    [asked(0), args(A), done(0, "function_call", id="i", call_id="t"), asked(0, "j", "u", "g"), args(B), completed()],
    calls=["t f " + A, "u g " + B],
)
case(
    "output-index-shared-id-tells",
    "responses",
    [asked(0), asked(0, "j", "u", "g"), args(A, item_id="i"), args(B, item_id="j"), completed()],
    calls=["t f " + A, "u g " + B],
)
case(
    "output-index-shared-by-kinds",
    "responses",
    [
        THOUGHT,
        added(0, "message", id="m"),
        event("reasoning_summary_text.delta", output_index=0, delta="h"),
        said("a"),
        completed(),
    ],
    text="a",
    reasoning="h",
)
case(
    "output-index-of-another",
    "responses",
    [added(0, "message", id="i"), said("a", 1, item_id="i"), completed(message("ab", id="i"))],
    text="ab",
    parts=["TextPart"],
)
case(
    "output-index-odd",
    "responses",
    [added("0", "message", id="i"), said("a", 0), added(10**9, "message", id="j"), said("b", 10**9), completed()],
    text="ab",
)
case("item-announced-twice", "responses", [asked(0), asked(0), args(A), completed()], calls=["t f " + A])
case(
    "content-index-grows",
    "responses",
    [said("a", content_index=7), said("b", content_index=8), completed(message("ab"))],
    text="ab",
    parts=["TextPart"],
)
case(
    "parts-never-announced",
    "responses",
    [
        *(said("a", content_index=0), event("output_text.done", output_index=0, content_index=0, text="a")),
        *(said("b", content_index=1), event("output_text.done", output_index=0, content_index=1, text="b")),
        completed(),
    ],
    text="ab",
    parts=["TextPart", "TextPart"],
)
case(
    "final-text-in-other-parts",
    "responses",
    [
        *(said("a", content_index=0), event("output_text.done", output_index=0, content_index=0, text="a")),
        *(said("b", content_index=1), completed(message("ab"))),
    ],
    text="ab",
    told=["started", "text_delta", "text_delta", "finished"],
)
case("delta-of-a-part", "responses", [event("content_part.delta", output_index=0, delta="a"), completed()], text="a")
case(
    "part-of-type-text",
    "responses",
    [
        event("content_part.added", output_index=0, content_index=0, part={"type": "text", "text": ""}),
        said("a", content_index=0),
        completed(),
    ],
    text="a",
    parts=["TextPart"],
)
case("delta-in-an-object", "responses", [said({"text": "a"}), said(None), completed()], text="a")
case(
    "arguments-after-an-empty-object",
    "responses",
    [asked(0, arguments="{}"), args('{"a"'), args(":1}"), completed()],
    calls=["t f " + A],
)
case(
    "arguments-an-object",
    "responses",
    [done(0, "function_call", call_id="t", name="f", arguments={"a": 1}), completed()],
    calls=["t f " + A],
)
case(
    "arguments-only-when-done",
    "responses",
    [asked(0), event("function_call_arguments.done", output_index=0, arguments=A), completed()],
    calls=["t f " + A],
    whole=[True],
)
case(
    "call-done-without-a-status",
    "responses",
    [asked(0), done(0, "function_call", id="i", arguments=A), asked(1, "j", "u", "g", A), completed(status="incomplete")],
    calls=["t f " + A, "u g " + A],
    whole=[True, False],
)
case(
    "call-done-and-the-response-cut",
    "responses",
    [asked(0), done(0, "function_call", id="i", arguments=A), completed(status="incomplete")],
    whole=[False],
    finish_reason="length",
)
case(
    "call-incomplete-in-the-final-response",
    "responses",
    [completed({"type": "function_call", "call_id": "t", "name": "f", "arguments": A, "status": "incomplete"})],
    calls=["t f " + A],
    whole=[False],
)
case(
    "call-of-another-kind-in-the-final-response",
    "responses",
    [
        done(0, "custom_tool_call", id="i", call_id="t", name="f", input="ls", status="completed"),
        completed({"type": "function_call", "id": "j", "call_id": "t", "name": "f", "arguments": "", "status": "incomplete"}),
    ],
    calls=["t f ls"],
    whole=[True],
)
case(
    "call-id-used-twice",
    "responses",
    [
        done(0, "function_call", id="i", call_id="t", name="f", arguments=A, status="completed"),
        done(1, "function_call", id="j", call_id="t", name="f", arguments=A, status="completed"),
        completed(),
    ],
    calls=["t f " + A, "t f " + A],
    whole=[True, False],
)
case("arguments-never", "responses", [asked(0), completed()], calls=["t f "], whole=[True])
case(
    "reasoning-in-both-channels",
    "responses",
    [
        THOUGHT,
        event("reasoning_text.delta", output_index=0, delta="h"),
        event("reasoning_summary_text.delta", output_index=0, delta="h"),
        completed(),
    ],
    reasoning="h",
)
case(
    "reasoning-events-of-other-names",
    "responses",
    [
        THOUGHT,
        event("reasoning_part.added", output_index=0, part={"text": ""}),
        event("reasoning.delta", output_index=0, delta="h"),
        event("reasoning.done", output_index=0, text="hm"),
        completed(),
    ],
    reasoning="hm",
)
case(
    "reasoning-in-paragraphs",
    "responses",
    [
        THOUGHT,
        event("reasoning_summary_text.delta", output_index=0, summary_index=0, delta="h"),
        event("reasoning_summary_text.delta", output_index=0, summary_index=1, delta="m"),
        completed(),
    ],
    reasoning="h\n\nm",
)
case(
    "reasoning-index-grows",
    "responses",
    [
        THOUGHT,
        event("reasoning_text.delta", output_index=0, content_index=1, delta="h"),
        event("reasoning_text.delta", output_index=0, content_index=2, delta="m"),
        completed(),
    ],
    reasoning="hm",
)
case(
    "reasoning-encrypted-late",
    "responses",
    [THOUGHT, done(0, "reasoning", id="t", summary=[], encrypted_content="E"), completed()],
    turn=[{"type": "reasoning", "id": "t", "summary": [], "encrypted_content": "E"}],
)
case(
    "hosted-tools",
    "responses",
    [added(0, "mcp_call", id="i", name="f"), event("mcp_call_arguments.delta", output_index=0, delta=A), completed()],
    calls=[],
    parts=["OtherPart"],
)
case(
    "hosted-tool-at-work",
    "responses",
    [
        added(0, "web_search_call", id="i", status="in_progress"),
        event("web_search_call.searching", output_index=0, item_id="i"),
        {"type": "error", "message": "no"},
    ],
    kind="upstream",
    native={"object": "response", "output": [{"type": "web_search_call", "id": "i", "status": "searching"}]},
)
case("sequence-with-gaps", "responses", [said("a", sequence_number=9), said("b", sequence_number=3), completed()], text="ab")
case(
    "final-ids-of-its-own",
    "responses",
    [
        asked(0),
        args(A),
        done(0, "function_call", id="i", call_id="t", name="f", arguments=A),
        completed({"type": "function_call", "id": "j", "call_id": "u", "name": "f", "arguments": A}),
    ],
    calls=["t f " + A],
    turn=[{"type": "function_call", "id": "j", "call_id": "t", "name": "f", "arguments": A}],
)
case(
    "final-output-without-its-reasoning",
    "responses",
    [THOUGHT, added(1, "message", id="i"), said("a", 1), completed(message("a", id="i"))],
    text="a",
    turn=[
        {"type": "reasoning", "id": "t", "summary": []},
        {"type": "message", "id": "i", "content": [{"type": "output_text", "text": "a"}]},
    ],
)
case("id-changes", "responses", [event("created", response={"id": "x", "model": "y"}), completed(model=None)], id="r", model="y")
case(
    "status-against-the-event",
    "responses",
    [said("a"), completed(status="incomplete", incomplete_details={"reason": "max_output_tokens"})],
    finish_reason="length",
)
case("incomplete-without-details", "responses", [said("a"), completed(status="incomplete")], finish_reason="length")
case(
    "response-done",
    "responses",
    [said("a"), event("done", response={"status": "incomplete"})],
    text="a",
    native_finish_reason="incomplete",
)
case("response-done-and-failed", "responses", [said("a"), event("done", response={"status": "failed"})], kind="upstream")
case("response-without-a-type", "responses", [said("a"), {"_gateway": {"cost": 1}}, completed()], extra={"_gateway": {"cost": 1}})
case(
    "response-ended-with-nothing",
    "responses",
    [said("a"), ("response.incomplete", "")],
    text="a",
    native_finish_reason="incomplete",
)
case("response-failed-with-nothing", "responses", [said("a"), ("response.failed", " ")], kind="upstream", text="a", message=None)
case("status-missing", "responses", [said("a"), completed(status=None)], native_finish_reason="completed")
case("done-after-the-response", "responses", [said("a"), completed(), DONE], text="a")
case("done-in-place-of-the-response", "responses", [said("a"), DONE], kind="truncated", text="a")

# ---- failures

for name, payload, code, words in (
    ("error-an-object", {"error": {"message": "no", "code": "500"}}, "500", "no"),
    ("error-a-string", {"error": "no"}, None, "no"),
    ("error-beside-choices", {"choices": [], "error": {"message": "no", "code": 502}}, 502, "no"),
    ("error-in-an-error", {"error": {"error": {"message": "no", "code": 3}}}, 3, "no"),
    ("error-as-the-payload", {"object": "error", "message": "no", "code": 400}, 400, "no"),
    ("error-of-another-dialect", {"type": "error", "error": {"message": "no"}}, None, "no"),
    ("error-in-a-choice", {"choices": [{"error": {"message": "no", "code": 502}}]}, 502, "no"),
    ("error-in-a-delta", {"choices": [{"delta": {"error": {"message": "no"}}}]}, None, "no"),
    ("error-in-a-gateways-object", {**TEXT, "choices": [], "x_gateway": {"error": "no"}}, None, "no"),
    ("error-as-detail", {"detail": [{"loc": ["body"], "msg": "no"}]}, None, "no"),
    ("error-in-a-list", {"errors": [{"message": "no", "code": 3}]}, 3, "no"),
    ("error-in-an-array", json.dumps([{"error": {"message": "no", "code": 503}}]), 503, "no"),
    ("error-as-a-number", {"error": 429, "message": "no"}, 429, "no"),
    ("error-flat", {"code": "quota", "message": "no"}, "quota", "no"),
    ("error-with-a-status", {"statusCode": 500, "message": "no"}, 500, "no"),
    ("error-in-members-of-its-own", {"error_code": 3, "error_msg": "no"}, 3, "no"),
    ("error-in-a-base-response", {"choices": None, "base_resp": {"status_code": 3, "status_msg": "no"}}, 3, "no"),
    ("error-event-with-text", ("error", "no"), None, "no"),
    ("error-event-with-nothing", ("error", "null"), None, None),
    ("error-as-a-reason", end("error"), None, "a choice finished with reason 'error'"),
    ("error-as-a-reason-in-other-words", end("Network-Error"), None, "a choice finished with reason 'Network-Error'"),
):
    case(name, "chat", [TEXT, payload, DONE], kind="upstream", text="a", code=code, message=words)
case(
    "error-padding", "chat", [{**TEXT, "error": None}, {**d(), "error": {"message": ""}}, {**end(), "error": {}}, DONE], text="a"
)
for name, payload, type, words in (
    ("error-under-message", {"type": "error", "message": {"type": "t", "message": "no"}}, "t", "no"),
    ("error-beside-a-phrase", {"error": "the model is loading", "message": "Service Unavailable"}, None, "the model is loading"),
    ("error-code-of-nothing", {"error": {"message": "no", "type": "t", "code": "None"}}, "t", "no"),
):
    case(name, "chat", [TEXT, payload, DONE], kind="upstream", text="a", type=type, code=None, message=words)
for name, payload, seconds in (
    ("error-with-a-wait", {"error": {"message": "no", "retry_after": 4}}, 4.0),
    ("error-with-a-delay", {"error": {"message": "no", "details": [{}, {"retryDelay": "39.5s"}]}}, 39.5),
):
    case(name, "chat", [TEXT, payload], kind="upstream", retry_after=seconds)
for name, code, retryable in (
    ("error-with-a-closer-code", "request_timeout", True),
    ("error-of-an-image", "image_parse_error", False),
):
    payload = {"type": "error", "error": {"type": "invalid_request_error" if retryable else "server_error", "code": code}}
    case(name, "responses", [said("a"), payload], kind="upstream", retryable=retryable)

OPEN, LAST = stream_of(TEXT)[:-1], json.dumps(d(content="b")).encode()
for name, data in (
    ("error-as-a-field", stream_of(TEXT) + b'error: {"message": "no"}\n\n' + stream_of(DONE)),
    ("error-as-a-line", stream_of(TEXT) + b'{"error": {"message": "no"}}'),
    ("error-under-an-open-frame", stream_of(end()) + OPEN + b'error: {"message": "no"}\ndata: [DONE]\n\n'),
):
    case(name, "chat", data, kind="upstream", text="a", message="no")
case(
    "error-under-half-a-frame",
    "chat",
    stream_of(TEXT) + b"data: " + LAST[:9] + b'\n{"error": "no"}\n\n',
    kind="upstream",
    text="a",
)
case("error-under-the-end", "chat", stream_of(TEXT) + b'data: [DONE]\nerror: {"message": "no"}\n\n', text="a")
case("error-field-with-text", "chat", stream_of(TEXT) + b"error: none\n\nerror: {}\n\n" + stream_of(DONE), text="a")
case(
    "error-of-messages-without-type", "messages", [START, ("error", {"error": {"message": "no"}})], kind="upstream", message="no"
)
case(
    "error-on-another-event",
    "messages",
    [*SAID[:-1], {"type": "glow", "error": {"message": "no"}, "detail": "no"}, STOP],
    extra={"glow": [{"type": "glow", "error": {"message": "no"}, "detail": "no"}]},
)
case("error-as-a-type", "messages", [START, {"type": "overloaded_error", "message": "no"}], kind="upstream", message="no")
case("error-without-a-type", "messages", [START, {"detail": "no"}, STOP], kind="upstream", message="no")
case("error-in-the-response", "responses", [event("error", response={"error": {"message": "no"}})], kind="upstream", message="no")
case(
    "error-nested",
    "responses",
    [said("a"), {"type": "error", "error": {"code": "x", "message": "no"}}],
    kind="upstream",
    code="x",
    message="no",
)
case(
    "error-on-the-event",
    "responses",
    [said("a"), event("failed", error={"code": "x", "message": "no"})],
    kind="upstream",
    code="x",
    message="no",
)
case(
    "failed-though-completed",
    "responses",
    [said("a"), completed(error={"code": "x", "message": "no"})],
    kind="upstream",
    code="x",
    native_finish_reason="failed",
)
case(
    "failed-early",
    "responses",
    [event("in_progress", response={"status": "failed", "error": {"code": "x"}})],
    kind="upstream",
    code="x",
)
case("error-of-an-item", "responses", [event("glow.failed", output_index=0, error={"message": "no"}), completed()])

# ---- words

case("reason-of-several-words", "chat", [TEXT, end("content_filter: SAFETY"), DONE], finish_reason="content_filter")
case("reasons-in-other-words", "chat", [TEXT, end("MAX_TOKENS"), DONE], finish_reason="length", native_finish_reason="MAX_TOKENS")
case("reason-unknown", "chat", [TEXT, end("tired"), DONE], finish_reason="other", native_finish_reason="tired")
case(
    "reason-stop-with-calls",
    "chat",
    [calls(call(0, "c1", "f", A)), end(), DONE],
    finish_reason="tool_calls",
    native_finish_reason="stop",
)
