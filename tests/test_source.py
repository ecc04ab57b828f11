"""Opened sources: closing, unwrapping, and telling sync from async."""

from __future__ import annotations

import io
import queue
from concurrent.futures import Future

import httpx
import httpx_sse
import pytest

from sse_dialects.errors import MisuseError
from sse_dialects.sources.source import Source, background_task, is_bytes, opened_by, slices, sync_or_async, unwrapped


class Response:
    status_code = 200


def test_a_response_is_kept_and_a_file_is_not():
    response = Response()
    source = Source(iter(()), response, ())
    assert source.response is response
    assert source.package == "test_source"
    assert Source(iter(()), io.BytesIO(), ()).response is None
    assert Source(iter(()), io.BytesIO(), ()).package is None


def test_each_closer_once_and_the_first_failure_that_is_not_the_transports():
    calls = []

    def closer(name, error=None):
        def close():
            calls.append(name)
            if error is not None:
                raise error

        return close

    source = Source(
        iter(()), None, [closer("a", OSError()), closer("b", KeyError("b")), closer("c", ValueError("c")), closer("d")]
    )
    with pytest.raises(KeyError):
        source.close()
    source.close()
    assert calls == ["a", "b", "c", "d"]


def test_unwrapping():
    response = httpx.Response(200)
    assert unwrapped(httpx_sse.EventSource(response)) is response
    assert unwrapped(response) is response

    class Other:
        response = "not one"

    other = Other()
    assert unwrapped(other) is other


class Curl:
    def __init__(self, stream_task, astream_task):
        self.stream_task = stream_task
        self.astream_task = astream_task


async def _pieces():
    yield b""


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (httpx.Response(200, content=b""), None),
        (httpx.Response(200, content=iter([b""])), "sync"),
        (httpx.Response(200, content=_pieces()), "async"),
        ([], "sync"),
        (io.BytesIO(), "sync"),
        (_pieces(), "async"),
        (object(), None),
        (Curl(True, None), "sync"),
        (Curl(None, True), "async"),
        (Curl(None, None), None),
    ],
)
def test_sync_or_async(origin, expected):
    assert sync_or_async(origin) == expected


@pytest.mark.parametrize("kind", ["stream_task", "astream_task"])
def test_a_response_that_is_filled_from_the_side(kind):
    task = Future()
    response = Curl(**{"stream_task": None, "astream_task": None, kind: task})
    response.queue = queue.SimpleQueue()
    assert background_task(response) is task  # which may have more to put there
    task.set_result(None)
    response.queue.put(b"the last of it")
    assert background_task(response) is task
    response.queue.get()
    with pytest.raises(MisuseError, match="has been read or closed before"):
        background_task(response)
    assert background_task(Response()) is None


def test_the_first_row_that_fits_decides():
    rows = {"absent": lambda _: 1, "upper": str.lower, "lower": str.upper}
    assert opened_by(rows, "aB") == "ab"
    assert opened_by({}, "aB") is None


def test_a_client_that_objects_at_once():
    def consumed(_):
        raise httpx.StreamConsumed

    def broken(_):
        raise TypeError("a bug")

    with pytest.raises(MisuseError, match="StreamConsumed"):
        opened_by({"upper": consumed}, "")
    with pytest.raises(TypeError, match="a bug"):
        opened_by({"upper": broken}, "")


def test_bytes():
    assert all(map(is_bytes, (b"", bytearray(), memoryview(b""))))
    assert not is_bytes("")


def test_slices():
    for data in (b"", b"a" * 65_536, b"a" * 200_000, bytearray(b"a" * 70_000), memoryview(b"a" * 70_000)):
        pieces = list(slices(data))
        assert b"".join(pieces) == data
        assert {type(piece) for piece in pieces} == {bytes}
        assert max(map(len, pieces)) <= 65_536
