"""Small streams of our own for the tests of the dialects, each driven in every way that the core has."""

from __future__ import annotations

import json
from typing import Any

from shapes import Outcome, by_accumulator, by_decoder, in_pieces


def stream_of(*payloads: Any) -> bytes:
    """Frames: a dict is named by its ``type`` if it has one, a pair by its first member, a string is data as it stands."""
    return b"".join(_frame(*payload) if isinstance(payload, tuple) else _frame(None, payload) for payload in payloads)


def _frame(event: str | None, payload: Any) -> bytes:
    if event is None and isinstance(payload, dict):
        event = payload.get("type")
    data = payload if isinstance(payload, str) else json.dumps(payload)
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return (f"event: {event}\n{lines}\n" if isinstance(event, str) and event else f"{lines}\n").encode()


def told(dialect: str, *payloads: Any, **options: Any) -> Outcome:
    """What a stream tells: whole, byte by byte, in sevens and through an accumulator, which has to be the same each time."""
    data = stream_of(*payloads)
    whole = by_decoder([data], dialect, **options)
    for size in (1, 7):
        assert by_decoder(in_pieces(data, size), dialect, **options).facts() == whole.facts()
    assert _facts(by_accumulator([data], dialect, **options)) == _facts(whole)
    return whole


def _facts(outcome: Outcome) -> dict[str, Any]:
    """Without ``delivered``: where one frame tells something and fails, the decoder has handed it out and `add` has not."""
    facts = outcome.facts(of_bytes=False)
    if facts["error"] is not None:
        del facts["error"]["delivered"]
    return facts


def of_type(outcome: Outcome, *kinds: type) -> list[Any]:
    """The events of these classes, in their order."""
    return [event for event in outcome.events if isinstance(event, kinds)]
