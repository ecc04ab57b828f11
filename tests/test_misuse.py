"""What can't be read, and the advice that comes instead."""

from __future__ import annotations

import io
import urllib.request
from pathlib import Path

import httpx
import pytest
import requests
from bodies import CHAT

from sse_dialects.errors import MisuseError
from sse_dialects.sources.misuse import read_before, wrong_piece
from sse_dialects.streams import astream, stream

EITHER = [
    ("data: 1", "a str can't be read"),
    (Path("recorded.sse"), "pass open"),
    (io.StringIO("data: 1"), "open it with 'rb'"),
    (io.TextIOWrapper(io.BytesIO()), r"\.buffer"),
    (httpx.Response(200).iter_bytes, "is a function"),
    (7, "int can't be read"),
    (object(), "object can't be read"),
    (None, "NoneType can't be read"),
    (httpx.Request("POST", "http://x/"), r"this Request has not been sent: .*client\.send\(request, stream=True\)"),
    (urllib.request.Request("http://x/"), "this Request has not been sent"),
    (requests.Request("POST", "http://x/"), "this Request has not been sent"),
    (requests.Request("POST", "http://x/").prepare(), "this PreparedRequest has not been sent"),
    ({"model": "m", "stream": True}, r"a dict is no stream: .*send that and pass the response"),
    (httpx.Headers(), "a Headers is no stream"),
]


@pytest.mark.parametrize(("source", "advice"), EITHER, ids=[type(source).__name__ for source, _ in EITHER])
@pytest.mark.parametrize("opens", [stream, astream])
def test_what_neither_reads(opens, source, advice):
    with pytest.raises(MisuseError, match=advice):
        opens(source)


@pytest.mark.parametrize("opens", [stream, astream])
def test_a_coroutine_is_closed_and_has_to_be_awaited(opens):
    async def response():
        pytest.fail("never runs")

    with pytest.raises(MisuseError, match="awaited first"):
        opens(response())  # and no warning of a coroutine that was never awaited


@pytest.mark.parametrize("opens", [stream, astream])
@pytest.mark.parametrize("client", [httpx.Client, httpx.AsyncClient])
def test_a_context_manager_has_to_be_entered(opens, client):
    with pytest.raises(MisuseError, match="entered first"):
        opens(client(trust_env=False).stream("GET", "http://127.0.0.1:1/"))


def test_async_iterables_are_not_for_stream():
    async def pieces():
        yield CHAT[0]

    with pytest.raises(MisuseError, match=r"astream\(\.\.\.\)"):
        stream(pieces())


def test_pieces():
    assert "iter_bytes() in place of" in str(wrong_piece("text"))
    assert "non-blocking" in str(wrong_piece(None))
    assert "gives int" in str(wrong_piece(1))
    assert "gives dict where bytes are needed: pass the response itself; decoded payloads" in str(wrong_piece({}))


def test_the_clients_own_word_is_the_cause():
    error = read_before(httpx.StreamConsumed())
    assert "StreamConsumed" in str(error)
    assert isinstance(error.__cause__, httpx.StreamConsumed)
    assert read_before().__cause__ is None
