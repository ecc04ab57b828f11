"""What passes to the frame reader, and what is gathered in place of a stream."""

from __future__ import annotations

import pytest

from sse_dialects import LimitExceededError, Limits, NotAnEventStreamError
from sse_dialects.front import Front


def test_a_stream_passes_from_its_first_byte():
    front = Front(Limits())
    assert front.passes(b" \n")  # nothing is known yet
    assert not front.is_stream
    assert front.passes(b"data: 1\n\n")
    assert front.is_stream
    assert front.body is None


def test_json_is_gathered_without_the_white_space_ahead_of_it():
    front = Front(Limits())
    assert front.passes(b"\r\n ")
    assert not front.passes(b' {"a"')
    assert not front.passes(b":1}")
    assert not front.is_stream
    assert front.body is not None
    assert front.body.value() == {"a": 1}
    assert front.body.size == len('{"a":1}')


def test_what_is_neither_is_refused_once_there_is_enough_to_show():
    front = Front(Limits())
    assert not front.passes(b"<html>")
    with pytest.raises(NotAnEventStreamError, match="markup"):
        front.passes(b"x" * 1000)


def test_json_has_its_bound():
    front = Front(Limits(max_answer_bytes=10))
    assert not front.passes(b'{"a": "')
    with pytest.raises(LimitExceededError):
        front.passes(b"x" * 10)
