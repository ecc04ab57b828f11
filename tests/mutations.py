"""Valid streams spoiled at random: in their payloads, in their order, in their bytes. Seeded, so that a failure comes again."""

from __future__ import annotations

import copy
import random
from typing import Any

import generators
from generators import Pen, Script

# What stands in place of a member's value.
_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 3, 1e300, float("inf"), float("nan"), 10**30),
    *("", "x", "stop", "error", "length", "max_tokens", "tool_use", "text", "function", "ping", "[DONE]", "\0", "😀"),
    *("\ud83d", "\ude00", "a\ud800b", "<think>", "</think>", "message_stop", "response.completed"),
    *(
        [],
        {},
        [1],
        ["x"],
        {"a": 1},
        [{}],
        [None],
        [[[]]],
        {"error": {}},
        {"type": "text", "text": "t"},
        {"index": 0, "text": "s"},
    ),
    {"id": "q", "type": "function", "function": {"name": "n", "arguments": "{}"}},
]
_NAMES = [
    "type", "index", "id", "error", "delta", "choices", "message", "content", "tool_calls", "function_call", "reasoning",
    "reasoning_content", "reasoning_details", "thinking_blocks", "usage", "finish_reason", "object", "output", "item",
    "output_index", "item_id", "content_index", "part", "text", "name", "arguments", "input", "call_id", "status", "response",
    "annotations", "audio", "logprobs", "refusal", "citations", "citation", "partial_json", "thinking", "signature", "data",
    "stop_reason", "detail", "x", "summary", "summary_index", "encrypted_content", "custom", "function", "model",
    "incomplete_details", "deltas", "transcript", "code", "annotation", "role",
]  # fmt: skip
_TYPES = [
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
    "error", "ping", "text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta",
    "compaction_delta", "text", "thinking", "tool_use", "redacted_thinking", "server_tool_use", "function_call",
    "custom_tool_call", "message", "reasoning", "output_text", "refusal", "reasoning_text", "mcp_call", "custom",
    "response.created", "response.completed", "response.incomplete", "response.failed", "response.cancelled",
    "response.output_item.added", "response.output_item.done", "response.content_part.added", "response.content_part.done",
    "response.output_text.delta", "response.output_text.done", "response.output_text.annotation.added",
    "response.refusal.delta", "response.refusal.done", "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "response.reasoning_text.delta",
    "response.reasoning_text.done", "response.function_call_arguments.delta", "response.function_call_arguments.done",
    "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", "response.mcp_call_arguments.delta",
    "response.mcp_call_arguments.done", "response.code_interpreter_call_code.delta",
]  # fmt: skip
_BYTES = [
    *(b"\n", b"\r", b"\r\n", b"\n\n", b" ", b":", b"\0", b"\xff", b"\xf0\x9f", b"\xef\xbb\xbf", "\u2028".encode(), b"id: 3\n"),
    *(b"data: ", b"data:", b"data\n", b"data: [DONE]\n\n", b"data: null\n\n", b'data: {"type":"ping"}\n\n', b"event: error\n"),
    *(b"event: ping\n", b"retry: 9\n", b"{", b"}", b"[", b'"', b"\\", b"\\ud83d", b"\\ude00", b"null", b"1e999", b"<"),
    *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b'"error":{"message":"m"},'),
]


class RandomPen(Pen):
    """A pen that decides by a seeded generator, hundreds of times faster than hypothesis and without its shrinking."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def number(self, low: int, high: int) -> int:
        return self._rng.randint(low, high) if high > low else low


def spoiled(seed: object, dialect: str) -> bytes:
    """A stream of ``dialect`` with something wrong in it."""
    rng = random.Random(f"{seed} {dialect}")
    script = generators.SCRIPTS[dialect](RandomPen(rng))
    how = rng.random()
    if how < 0.6:
        script = _other_script(rng, script)
    data = generators.written(RandomPen(rng), script).data
    if how > 0.5:
        data = other_bytes(rng, data)
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


def _other_script(rng: random.Random, script: Script) -> Script:
    frames = list(script.frames)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(frames))
        event, payload = frames[at]
        how = rng.random()
        if how < 0.7:
            frames[at] = (event, other_payload(rng, payload))
        elif how < 0.8 and len(frames) > 1:
            del frames[at]
        elif how < 0.9:
            frames.insert(rng.randrange(len(frames) + 1), frames[at])
        else:
            frames[at] = (rng.choice(_TYPES), payload)
    return Script(script.dialect, frames, script.choices)


def other_payload(rng: random.Random, payload: Any) -> Any:
    """``payload`` with one to three changes: another value, another name, a member or an element more or less."""
    payload = copy.deepcopy(payload)
    for _ in range(rng.choice([1, 1, 2, 3])):
        places = list(_places(payload))
        if places:
            _change(rng, *rng.choice(places))
    return payload


def _places(value: Any) -> Any:
    """``(container, key)`` of every value in a payload."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _change(rng: random.Random, container: Any, key: Any) -> None:
    how = rng.random()
    if how < 0.5:
        container[key] = copy.deepcopy(rng.choice(_VALUES))
    elif how < 0.65:
        container[key] = rng.choice(_TYPES)
    elif how < 0.75:
        del container[key]
    elif isinstance(container, list):
        container.append(copy.deepcopy(container[key]))
    elif how < 0.85:
        container[rng.choice(_NAMES)] = container.pop(key)
    else:
        container[rng.choice(_NAMES)] = copy.deepcopy(rng.choice(_VALUES))


def other_bytes(rng: random.Random, data: bytes) -> bytes:
    """``data`` with one to five changes of some bytes."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(changed) + 1)
        how = rng.random()
        if how < 0.4:
            changed[at:at] = rng.choice(_BYTES)
        elif how < 0.6:
            del changed[at : at + rng.choice([1, 1, 2, 8, 40])]
        elif how < 0.8:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        else:
            source = rng.randrange(len(changed) + 1)
            changed[at:at] = changed[source : source + rng.randrange(40)]
    return bytes(changed)
