"""What a payload is to the chat dialect."""

from __future__ import annotations

import pytest

from sse_dialects.dialects.chat.chunks import failure_in, is_chunk


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"choices": []}, True),
        ({"usage": None}, True),
        ({"object": "chat.completion.done"}, True),
        ({"object": "other"}, False),
        ({}, False),
        ("choices", False),
    ],
)
def test_chunks(payload, expected):
    assert is_chunk(payload) is expected


@pytest.mark.parametrize(
    ("event", "payload", "raw"),
    [
        ("message", {"error": "no"}, "no"),
        ("message", {"choices": [], "error": {}}, None),
        ("message", {"x_own": {"error": {"message": "no"}}}, {"message": "no"}),
        ("message", {"x_own": {"error": {}}}, None),
        ("error", {"a": 1}, {"a": 1}),
        ("message", {"choices": []}, None),
    ],
)
def test_failures(event, payload, raw):
    assert failure_in(event, payload) == raw
