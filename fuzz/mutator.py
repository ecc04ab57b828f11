"""Changes that keep most of a stream a stream: in its payloads, in the order of its frames, in some bytes."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

from mutations import other_bytes, other_payload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Mutator"]

_BLANK = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_TEXTS = ["a", "", "word ", "\n", '"', "\\", "é", "😀", "\ud83d", "\ude00", "{", "}", "<think>", "</think>", "\u2028", "\0", "7"]


class Mutator:
    """Makes other inputs of an input.

    Args:
        known: frames that may be put in, as raw bytes without their blank line.
        targets: how many an input's first byte may choose from.
    """

    def __init__(self, known: Sequence[bytes], targets: int) -> None:
        self._known = known
        self._targets = targets

    def __call__(self, data: bytes, seed: int, blindly: Callable[[bytes], bytes]) -> bytes:
        """Another input; ``blindly`` is the fuzzer's own way of changing bytes."""
        rng = random.Random(seed)
        head, body = (data + b"\0\0")[:2], data[2:]
        how = rng.random()
        if how < 0.06:
            return bytes([rng.randrange(self._targets), rng.randrange(256)]) + body
        if how < 0.25:
            return head + blindly(body)
        if how < 0.35:
            return head + other_bytes(rng, body)
        return head + self._other_frames(rng, body)

    def _other_frames(self, rng: random.Random, body: bytes) -> bytes:
        blocks = _BLANK.split(body)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            at = rng.randrange(len(blocks))
            how = rng.random()
            if how < 0.4:
                blocks[at] = _changed(rng, blocks[at], other_payload)
            elif how < 0.6:  # many of a kind, as deltas come
                blocks[at:at] = [_changed(rng, blocks[at], _other_texts) for _ in range(rng.choice([1, 2, 3, 8]))]
            elif how < 0.8:
                blocks.insert(at, rng.choice(self._known))
            elif how < 0.9 and len(blocks) > 1:
                other = rng.randrange(len(blocks))
                blocks[at], blocks[other] = blocks[other], blocks[at]
            elif len(blocks) > 1:
                del blocks[at]
        return rng.choice([b"\n\n", b"\n\n", b"\n\n", b"\r\n\r\n", b"\r\r"]).join(blocks)


def _changed(rng: random.Random, block: bytes, change: Callable[[random.Random, Any], Any]) -> bytes:
    """A block whose payload is another one; a body of JSON counts as a payload."""
    before, data, payload = block.rpartition(b"data: ")
    try:
        value = change(rng, json.loads(payload))
        return before + data + json.dumps(value, separators=rng.choice([(",", ":"), None])).encode()
    except (ValueError, RecursionError):
        return other_bytes(rng, block)


def _other_texts(rng: random.Random, value: Any) -> Any:
    """The same with other texts in the members that deltas come in, and numbers that count on."""
    if isinstance(value, list):
        return [_other_texts(rng, item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _other_leaf(rng, item) if name in _LEAVES else _other_texts(rng, item) for name, item in value.items()}


_LEAVES = {
    *("content", "reasoning", "reasoning_content", "refusal", "arguments", "input", "text", "thinking", "partial_json"),
    *("delta", "sequence_number", "obfuscation"),
}


def _other_leaf(rng: random.Random, leaf: Any) -> Any:
    if isinstance(leaf, str):
        return "".join(rng.choices(_TEXTS, k=rng.choice([1, 1, 2, 5])))
    return leaf + 1 if isinstance(leaf, int) else _other_texts(rng, leaf)
