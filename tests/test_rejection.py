"""HTTP errors: bodies of every kind, and how long to wait."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime, formatdate

import pytest
from bodies import frame

from sse_dialects.sources.response import Headers, ResponseHead
from sse_dialects.streams.rejection import Rejection, retry_after


def rejected(body: bytes, status: int = 400, **headers: str):
    rejection = Rejection(ResponseHead(status, Headers((name.replace("_", "-"), value) for name, value in headers.items())))
    for start in range(0, len(body), 1000):
        rejection.feed(body[start : start + 1000])
    return rejection.error()


BODIES = [  # each with the type, code and message that it holds
    (
        b'{"error": {"message": "bad", "type": "invalid_request_error", "param": "model", "code": "x"}}',
        ("invalid_request_error", "x", "bad"),
    ),
    (
        b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
        ("overloaded_error", None, "Overloaded"),
    ),
    (b'{"error": "just words"}', (None, None, "just words")),
    (b'{"message": "no such route", "code": 404}', (None, 404, "no such route")),
    (b'{"detail": [{"loc": ["body"], "msg": "field required"}]}', (None, None, "field required")),
    (b'[{"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}]', ("RESOURCE_EXHAUSTED", 429, "quota")),
    (b'\xef\xbb\xbf {"error": {"message": "after a BOM"}}\n', (None, None, "after a BOM")),
    (frame({"error": {"message": "streamed", "type": "t"}}, "error"), ("t", None, "streamed")),
    (b'data: {"error": {"message": "cut before its blank line"}}', (None, None, "cut before its blank line")),
    (b"plain  words\nover lines", (None, None, "plain words over lines")),
    (b"", (None, None, None)),
    (b'{"error": {"message": "cut', (None, None, '{"error": {"message": "cut')),
    (b"[1, 2]", (None, None, None)),
    (b"{}", (None, None, None)),
    (b"null", (None, None, "null")),
    (b"<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>", (None, None, "502 Bad Gateway")),
    (
        b"<!doctype html><style>p {}</style><p>Access&nbsp;denied &amp; logged</p><script>x()",
        (None, None, "Access denied & logged"),
    ),
    (b"<html></html>", (None, None, None)),
    (b"\x1f\x8b\x08\xff\xfe", (None, None, None)),
    (b"[" * 100_000, (None, None, "[" * 296 + " ...")),
    (b'{"error": {"message": "n", "code": ' + b"9" * 5000 + b"}}", (None, None, ...)),
]


@pytest.mark.parametrize(("body", "expected"), BODIES, ids=[str(body[:30]) for body, _ in BODIES])
def test_bodies(body, expected):
    error = rejected(body)
    kind, code, message = expected
    assert (error.type, error.code) == (kind, code)
    assert message is ... or error.message == message
    assert error.status == 400
    assert len(str(error)) < 1000
    assert error.to_dict()["kind"] == "rejected"


@pytest.mark.parametrize(
    "unit", [b"<", b"<title", b"<a ", b"<script>", b"<style", b"&", b"&#", b"{", b'{"a":', b"data: {\n\n", b'"\\', b" "]
)
def test_time_for_a_body_of_nothing_but_beginnings(unit):
    for start in (b"", b"<html>"):
        body = start + unit * (300_000 // len(unit))
        began = time.process_time()
        rejected(body)
        assert time.process_time() - began < 1.0  # a square would take minutes


def test_words_are_such_as_can_be_shown():
    error = rejected(b'{"error": {"message": "half \\ud83d", "type": "\\ud83d\\ude00"}, "\\udc00": ["\\ud800"]}')
    assert (error.message, error.type) == ("half \ufffd", "\U0001f600")
    assert error.body["\ufffd"] == ["\ufffd"]
    assert str(error).encode()
    assert rejected(b'{"error": {"message": "m", "x": ' + b"[" * 190 + b'"\\ud83d"' + b"]" * 190 + b"}}").message == "m"
    assert len(str(rejected(b'{"error": {"message": "' + b"m" * 100_000 + b'"}}'))) < 1_200


def test_what_is_kept_of_a_body():
    assert rejected(b'{"error": {"message": "m", "param": "p"}}').body == {"error": {"message": "m", "param": "p"}}
    assert rejected(b'{"error": {"message": "m", "param": "p"}}').param == "p"
    assert rejected(b" words ").body == "words"
    rejection = Rejection(ResponseHead(500))
    assert not rejection.feed(b"x" * 1_000_000)
    assert rejection.feed(memoryview(b"y" * 1_000_000))
    assert len(rejection.error().body) == 1 << 20


def test_redirections():
    error = rejected(b"<title>Moved</title>", 308, location="https://x.example/v1?sig=secret")
    assert error.message == "redirected to https://x.example/v1; let the client follow redirects (httpx: follow_redirects=True)"
    assert not error.retryable
    assert rejected(b"", 304).message is None
    assert rejected(b"made", 400, location="/there").message == "made"


def http_date(seconds: float) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "later"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2099 07:28:30 GMT", "date": "Wed, 21 Oct 2099 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2099 07:28:30 GMT", "date": "now"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, expected):
    assert retry_after(Headers(headers.items())) == expected


def test_a_date_without_a_clock_of_the_servers():
    assert retry_after(Headers([("Retry-After", http_date(10))])) == pytest.approx(10, abs=2)
    other_zone = format_datetime(datetime.now(timezone(timedelta(hours=2))) + timedelta(seconds=10))
    assert retry_after(Headers([("Retry-After", other_zone)])) == pytest.approx(10, abs=2)


def test_the_header_goes_before_the_body():
    body = b'{"error": {"message": "m", "retry_after": 7}}'
    assert rejected(body, 429).retry_after == 7.0
    assert rejected(body, 429, retry_after="0").retry_after == 0.0
