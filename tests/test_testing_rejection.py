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


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
@pytest.mark.parametrize(
    ("status", "type", "in_messages"),
    [
        (400, "invalid_request_error", None),
        (401, "authentication_error", None),
        (403, "permission_error", None),
        (404, "invalid_request_error", "not_found_error"),
        (413, "invalid_request_error", "request_too_large"),
        (422, "invalid_request_error", None),
        (429, "rate_limit_error", None),
        (500, "server_error", "api_error"),
        (503, "server_error", "api_error"),
        (529, "server_error", "overloaded_error"),
    ],
)
def test_the_type_is_that_of_the_status(status, type, in_messages, dialect):
    with pytest.raises(sd.RequestRejectedError) as caught, sd.stream(rejection(status, dialect=dialect).source()):
        pass
    assert caught.value.type == (in_messages or type if dialect == "messages" else type)
    assert caught.value.retryable == (status == 429 or status >= 500)
