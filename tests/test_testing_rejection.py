"""HTTP errors in place of a stream."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import rejection


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_a_rejection_is_read_as_one(dialect):
    stream = rejection(429, "slow down", type="rate_limit_error", code="busy", retry_after=2.5, dialect=dialect)
    with pytest.raises(sd.RequestRejectedError) as caught, sd.stream(stream.source()):
        pass
    error = caught.value
    assert (error.status, error.type, error.code, error.message) == (429, "rate_limit_error", "busy", "slow down")
    assert error.retry_after == 2.5
    assert stream.dialect == dialect


def test_a_short_one():
    stream = rejection(500)
    assert stream.headers["content-type"] == "application/json"
    assert "retry-after" not in stream.headers
    with pytest.raises(sd.RequestRejectedError, match="the request was refused"), sd.stream(stream.source()):
        pass
    with pytest.raises(sd.MisuseError):
        stream.error()
