"""HTTP errors: bodies of every kind, how long to wait, and responses that a program read itself."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime, formatdate

import httpx
import pytest
from bodies import frame

import sse_dialects as sd
from sse_dialects.errors import rejection_of
from sse_dialects.http_errors import plain_headers, retry_after


def rejected(body: bytes, status: int = 400, **headers: str):
    return rejection_of(status, plain_headers((name.replace("_", "-"), value) for name, value in headers.items()), body)


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
        ({"retry-after": "31536000"}, 31_536_000.0),
        ({"retry-after": "31536001"}, None),
        ({"retry-after-ms": "99999999999999"}, None),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, expected):
    assert retry_after(headers) == expected


def test_a_date_without_a_clock_of_the_servers():
    assert retry_after({"retry-after": http_date(10)}) == pytest.approx(10, abs=2)
    other_zone = format_datetime(datetime.now(timezone(timedelta(hours=2))) + timedelta(seconds=10))
    assert retry_after({"retry-after": other_zone}) == pytest.approx(10, abs=2)


def test_the_header_goes_before_the_body():
    body = b'{"error": {"message": "m", "retry_after": 7}}'
    assert rejected(body, 429).retry_after == 7.0
    assert rejected(body, 429, retry_after="0").retry_after == 0.0


# ---- responses that a program read itself


BODY = b'{"error": {"message": "slow", "type": "rate_limit_error", "retry_after": 7}}'


def said(error):
    return (error.status, error.type, error.message, error.retry_after, error.request_id)


def test_a_response_of_httpx():
    response = httpx.Response(429, content=BODY, headers={"X-Request-ID": "r", "Set-Cookie": "s=1"})
    error = sd.RequestRejectedError.from_response(response)
    assert said(error) == (429, "rate_limit_error", "slow", 7.0, "r")
    assert "set-cookie" not in error.headers


def test_a_response_whose_body_has_not_been_read():
    response = httpx.Response(429, stream=httpx.ByteStream(BODY))
    with pytest.raises(sd.MisuseError, match=r"Response has not been read: call `response\.read\(\)`"):
        sd.RequestRejectedError.from_response(response)
    response.read()
    assert sd.RequestRejectedError.from_response(response).message == "slow"


class Other:
    """A response of another client: aiohttp keeps the body under `_body`, urllib3 under `data`."""

    def __init__(self, **members):
        self.headers = {"x-request-id": "r"}
        self.__dict__.update(members)


@pytest.mark.parametrize(
    "members",
    [{"_body": BODY, "content": object()}, {"data": BODY}, {"content": bytearray(BODY)}],
    ids=["_body", "data", "content"],
)
def test_a_response_of_another_client(members):
    assert said(sd.RequestRejectedError.from_response(Other(status=429, **members))) == (
        429,
        "rate_limit_error",
        "slow",
        7.0,
        "r",
    )


def test_what_is_no_response_or_has_no_body_yet():
    with pytest.raises(sd.MisuseError, match="has not been read"):
        sd.RequestRejectedError.from_response(Other(status=429, _body=None, content=object()))
    with pytest.raises(sd.MisuseError, match="str is no HTTP response"):
        sd.RequestRejectedError.from_response("429")


def test_words_beside_the_error_member_count():
    error = rejected(b'{"statusCode": 400, "error": "Bad Request", "message": "max_tokens is too large"}')
    assert error.message == "max_tokens is too large"
    assert (
        rejected(b'{"statusCode": 400, "error": "Bad Request", "message": ["a is missing", "b too"]}').message
        == "a is missing; b too"
    )
