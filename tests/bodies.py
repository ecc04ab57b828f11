"""Short streams of each dialect, written for these tests, as lists of frames."""

from __future__ import annotations

import json
from typing import Any


def frame(payload: Any, event: str = "") -> bytes:
    """One frame: ``payload`` as JSON, or as it is if it is a string."""
    data = payload if isinstance(payload, str) else json.dumps(payload, separators=(",", ":"))
    return (f"event: {event}\n" if event else "").encode() + f"data: {data}\n\n".encode()


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return frame(
        {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    )


def _typed(payload: dict[str, Any]) -> bytes:
    return frame(payload, payload["type"])


DONE = frame("[DONE]")
PING = b": keep-alive\n\n"

# What the answers have in common: the text "Hello" in two pieces and a stop.
CHAT = [_chunk({"role": "assistant", "content": "Hel"}), _chunk({"content": "lo"}), _chunk({}, "stop"), DONE]
MESSAGES = [
    _typed(
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}}
    ),
    _typed({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    _typed({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}}),
    _typed({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}}),
    _typed({"type": "content_block_stop", "index": 0}),
    _typed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
    _typed({"type": "message_stop"}),
]
RESPONSES = [
    _typed({"type": "response.created", "response": {"id": "r", "object": "response", "status": "in_progress", "output": []}}),
    _typed({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "i", "delta": "Hel"}),
    _typed({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "i", "delta": "lo"}),
    _typed({"type": "response.completed", "response": {"id": "r", "object": "response", "status": "completed", "output": []}}),
]
DIALECTS = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}
# The shortest stream that is an answer, for tests that go through all its cuts.
SHORT = [frame({"choices": [{"delta": {"content": "Hi"}}]}), DONE]
