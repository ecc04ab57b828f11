"""What every error says about trying again: `retryable`, `delivered`, `retry_after`, over each envelope that providers send."""

from __future__ import annotations

import json

import httpx
import pytest
from bodies import CHAT, MESSAGES, RESPONSES, frame
from shapes import by_astream, by_decoder, by_stream

import sse_dialects as sd

BEGUN = {"chat": CHAT[:1], "messages": MESSAGES[:3], "responses": RESPONSES[:2]}


def failed(**members):
    return {"type": "response.failed", "response": {"id": "r", "status": "failed", **members}}


# (dialect, event, payload, whether another request may mend it)
FAILURES = [
    ("chat", "", {"error": {"message": "m", "type": "upstream_error", "param": None, "code": "stream_interrupted"}}, True),
    ("chat", "", {"error": {"type": "provider_error", "code": "stream_interrupted", "message": "m", "_x": {"n": 4}}}, True),
    ("chat", "", {"error": {"message": "m", "type": "server_error", "code": 500}}, True),
    ("chat", "", {"error": {"message": "m", "type": "server_error", "code": "500"}}, True),
    ("chat", "", {"error": {"message": "m", "type": "insufficient_quota", "code": "insufficient_quota", "param": None}}, False),
    ("chat", "", {"error": {"message": "m", "type": "invalid_request_error", "code": "context_length_exceeded"}}, False),
    ("chat", "", {"error": {"message": "m", "type": "invalid_request_error", "code": "invalid_api_key"}}, False),
    ("chat", "", {"error": {"message": "m", "type": "permission_error"}}, False),
    ("chat", "", {"error": {"message": "m", "code": "content_policy_violation"}}, False),
    ("chat", "", {"error": {"message": "m", "type": "tokens", "code": "rate_limit_exceeded"}}, True),
    ("chat", "", {"id": "g", "choices": [], "error": {"code": 502, "message": "m"}}, True),
    ("chat", "", {"id": "g", "choices": [], "error": {"code": 402, "message": "m"}}, False),
    (
        "chat",
        "",
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "error", "error": {"code": 502, "message": "m"}}]},
        True,
    ),
    ("chat", "", {"error": "model overloaded"}, True),
    ("chat", "", {"detail": "engine dead"}, True),
    ("chat", "", {"object": "error", "message": "m", "type": "BadRequestError", "code": 400}, False),
    ("chat", "error", {"message": "upstream timeout"}, True),
    ("chat", "", [{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}], False),
    ("chat", "", [{"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}}], True),
    ("messages", "error", {"type": "error", "error": {"type": "api_error", "message": "m"}}, True),
    ("messages", "error", {"type": "error", "error": {"type": "overloaded_error", "message": "m", "details": None}}, True),
    ("messages", "error", {"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}, True),
    ("messages", "error", {"type": "error", "error": {"type": "timeout_error", "message": "m"}}, True),
    ("messages", "error", {"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}, False),
    ("messages", "error", {"type": "error", "error": {"type": "authentication_error", "message": "m"}}, False),
    ("messages", "error", {"type": "error", "error": {"type": "billing_error", "message": "m"}}, False),
    ("messages", "error", {"type": "error", "error": {"type": "request_too_large", "message": "m"}}, False),
    ("messages", "error", {"error": {"type": "api_error", "message": "m"}}, True),
    ("responses", "error", {"type": "error", "code": "server_error", "message": "m", "param": None, "sequence_number": 3}, True),
    ("responses", "error", {"type": "error", "error": {"type": "server_error", "code": "x", "message": "m"}}, True),
    ("responses", "error", {"type": "error", "error": {"type": "invalid_request_error", "code": "x", "message": "m"}}, False),
    ("responses", "", failed(error={"code": "stream_interrupted", "message": "m"}), True),
    ("responses", "", failed(error={"code": "rate_limit_exceeded", "message": "m"}), True),
    ("responses", "", failed(error={"code": "invalid_prompt", "message": "m"}), False),
    ("responses", "", {**failed(), "error": {"code": "channel_down", "message": "m"}}, True),
]
every_failure = pytest.mark.parametrize(("dialect", "event", "payload", "retryable"), FAILURES, ids=lambda value: str(value)[:60])


@every_failure
def test_a_failure_in_the_stream(dialect, event, payload, retryable):
    last = frame(payload, event or (payload.get("type", "") if isinstance(payload, dict) else ""))
    for begun in ([], BEGUN[dialect]):
        for read in (by_decoder, by_stream, lambda chunks, named: by_astream(lambda: chunks, named)):
            error = read([*begun, last], dialect).error
            assert (error.kind, error.retryable, error.delivered, error.retry_after) == ("upstream", retryable, bool(begun), None)
            assert ("Send the request again" in str(error)) is retryable
            assert {"retryable": retryable, "delivered": bool(begun), "retry_after": None}.items() <= error.to_dict().items()
        with pytest.raises(sd.UpstreamError) as caught:
            sd.stream([*begun, last], dialect).answer()  # which hands nothing out
        assert not caught.value.delivered


@every_failure
def test_the_same_as_a_json_body(dialect, event, payload, retryable):
    if "message" in payload and event == "error":
        payload = {"error": payload}  # in a stream its name alone says that it is one
    if "response" in payload and "error" not in payload:
        payload = payload["response"]  # unstreamed there is no event around it
    error = by_decoder([json.dumps(payload).encode()], dialect).error
    assert (error.kind, error.retryable, error.delivered) == ("upstream", retryable, False)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504, 529])
@pytest.mark.parametrize("payload", [payload for _, _, payload, _ in FAILURES[::4]], ids=lambda value: str(value)[:60])
def test_a_rejection_goes_by_its_status(payload, status):
    response = httpx.Response(status, json=payload, headers={"Retry-After": "2"}, request=httpx.Request("POST", "http://x"))
    error = by_stream(response).error
    worth_it = status in {408, 409, 425, 429} or status >= 500
    assert (error.kind, error.retryable, error.delivered, error.retry_after) == ("rejected", worth_it, False, 2.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 02 Jan 2026 00:00:10 GMT", "date": "Fri, 02 Jan 2026 00:00:00 GMT"}, 10.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:00 GMT", "date": "Fri, 02 Jan 2026 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "nan"}, None),
    ],
    ids=str,
)
def test_what_the_server_asks_for(headers, seconds):
    error = by_stream(httpx.Response(429, headers=headers, content=b"", request=httpx.Request("POST", "http://x"))).error
    assert error.retry_after == seconds


def test_in_the_stream_too():
    payload = {"error": {"type": "rate_limit_error", "message": "m", "retry_after": 4}}
    assert by_decoder([frame(payload)], "chat").error.retry_after == 4.0


@pytest.mark.parametrize(
    ("chunks", "kind", "retryable"),
    [
        ([], "truncated", True),
        ([b"data: {\n\n"], "malformed", False),
        ([b"data: " + b"[" * 300 + b"\n\n"], "limit", False),
        ([b"<html>"], "not_event_stream", False),
        ([b"data: [DONE]\n\n"], None, None),
    ],
    ids=str,
)
def test_all_else(chunks, kind, retryable):
    for begun in ([], CHAT[:1]):
        error = by_decoder([*begun, *chunks], "chat").error
        if kind is None:
            assert error is None
        elif kind == "not_event_stream" and begun:
            assert error.kind == "truncated"
        else:
            assert (error.kind, error.retryable, error.delivered) == (kind, retryable, bool(begun))
            assert error.retry_after is None


@pytest.mark.parametrize("dialect", BEGUN)
@pytest.mark.parametrize(
    "shown",
    ["text", "reasoning", "refusal", "call"],
)
def test_delivered_counts_whatever_shows_something(dialect, shown):
    deltas = {
        "chat": {
            "text": {"content": "a"},
            "reasoning": {"reasoning_content": "a"},
            "refusal": {"refusal": "a"},
            "call": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]},
        },
        "messages": {
            "text": {"type": "text", "text": "a"},
            "reasoning": {"type": "thinking", "thinking": "a"},
            "refusal": {"type": "text", "text": "a"},
            "call": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        },
        "responses": {
            "text": {"type": "response.output_text.delta", "delta": "a"},
            "reasoning": {"type": "response.reasoning_text.delta", "delta": "a"},
            "refusal": {"type": "response.refusal.delta", "delta": "a"},
            "call": {"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "c", "name": "f"}},
        },
    }[dialect][shown]
    payload = {
        "chat": lambda: {"choices": [{"index": 0, "delta": deltas}]},
        "messages": lambda: {"type": "content_block_start", "index": 0, "content_block": deltas},
        "responses": lambda: deltas,
    }[dialect]()
    quiet = {"chat": {"choices": []}, "messages": MESSAGES[0], "responses": RESPONSES[0]}[dialect]
    quiet = quiet if isinstance(quiet, bytes) else frame(quiet)
    assert not by_decoder([quiet], dialect).error.delivered
    assert by_decoder([quiet, frame(payload, payload.get("type", ""))], dialect).error.delivered
