"""Status and headers, by duck type."""

from __future__ import annotations

import io
import pickle
from email.message import Message

import httpx
import pytest

from sse_dialects.sources.response import Headers, ResponseHead, head_of


class Fake:
    def __init__(self, **members):
        self.__dict__.update(members)


def test_headers_are_looked_up_without_case():
    headers = Headers([("X-Request-ID", "1"), ("retry-after", "2"), ("x-request-id", "3")])
    assert headers["x-REQUEST-id"] == "1, 3"
    assert headers.get("Retry-After") == "2"
    assert headers.get("absent") is None
    assert headers.get("absent", "") == ""
    assert "RETRY-AFTER" in headers
    assert 7 not in headers
    assert list(headers) == ["x-request-id", "retry-after"]
    with pytest.raises(KeyError):
        headers["absent"]
    assert pickle.loads(pickle.dumps(headers)) == headers


def message():
    headers = Message()
    headers["Retry-After"] = "3"
    return headers


class BrowserHeaders:
    def entries(self):
        return iter([["retry-after", "3"]])


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(429, headers={"Retry-After": "3"}),
        Fake(status_code=429, headers={"Retry-After": "3"}),
        Fake(status=429, headers={"RETRY-AFTER": "3"}),
        Fake(status=429, headers=message()),
        Fake(status=429, headers=BrowserHeaders()),
    ],
)
def test_heads(response):
    head = head_of(response)
    assert head.status == 429
    assert head.headers["retry-after"] == "3"
    assert head.rejects


@pytest.mark.parametrize("source", [io.BytesIO(), [b""], b"", None, Fake(status="open"), Fake(status=True)])
def test_no_response_has_no_head(source):
    head = head_of(source)
    assert head.status is None
    assert head.headers == {}
    assert not head.rejects
    assert head.content_encoding is None


@pytest.mark.parametrize(("status", "rejects"), [(199, True), (200, False), (204, False), (299, False), (300, True), (500, True)])
def test_what_rejects(status, rejects):
    assert ResponseHead(status).rejects == rejects
    assert head_of(Fake(status=status)).headers == {}


@pytest.mark.parametrize(("value", "encoding"), [("gzip", "gzip"), (" BR ", "br"), ("identity", None), ("", None)])
def test_content_encoding(value, encoding):
    assert ResponseHead(200, Headers([("Content-Encoding", value)])).content_encoding == encoding
