"""The body of an HTTP error is read in full, within bounds."""

from __future__ import annotations

from sse_dialects.sources.response import Headers, ResponseHead
from sse_dialects.streams.rejection import Rejection


def test_a_body_in_pieces_is_one_body():
    rejection = Rejection(ResponseHead(429, Headers([("Retry-After", "2"), ("Set-Cookie", "s=1")])))
    for piece in (b'{"error": {"mess', bytearray(b'age": "m", "type"'), memoryview(b': "t"}}')):
        assert not rejection.feed(piece)
    error = rejection.error()
    assert (error.status, error.message, error.type, error.retry_after) == (429, "m", "t", 2.0)
    assert error.headers == {"retry-after": "2"}


def test_no_more_is_kept_than_a_mebibyte():
    rejection = Rejection(ResponseHead(500))
    assert not rejection.feed(b"x" * 1_000_000)
    assert rejection.feed(memoryview(b"y" * 1_000_000))
    assert len(rejection.error().body) == 1 << 20
