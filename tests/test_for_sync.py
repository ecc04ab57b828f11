"""The rows of sync sources, with stand-ins where a client need not be installed."""

from __future__ import annotations

import io

import pytest
from bodies import CHAT

from sse_dialects.errors import MisuseError
from sse_dialects.sources import open_source


class Body:
    """A body that is read by number of bytes and ends in empty bytes."""

    def __init__(self, pieces):
        self.pieces = [*pieces]
        self.asked = []
        self.closed = 0

    def read1(self, size, **options):
        self.asked.append(options)
        return self.pieces.pop(0) if self.pieces else b""

    def close(self):
        self.closed += 1


def pieces_of(source):
    opened = open_source(source)
    pieces = list(opened.iterator)
    opened.close()
    return pieces


class Urllib3(Body):
    status = 200
    decode_content = False

    def read_chunked(self):
        pytest.fail("before urllib3 2")

    def isclosed(self):
        return not self.pieces


class Requests:
    status_code = 200

    def __init__(self, raw):
        self.raw = raw

    def iter_content(self, size):
        assert size is None
        yield b"from memory"

    def close(self):
        self.raw.close()


def test_requests_reads_what_is_there_and_undoes_compression():
    raw = Urllib3(CHAT)
    assert pieces_of(Requests(raw)) == CHAT
    assert raw.asked[0] == {"decode_content": True}
    assert raw.closed == 1


def test_requests_with_its_body_loaded():
    assert pieces_of(Requests(Urllib3([]))) == [b"from memory"]
    assert pieces_of(Requests(io.BytesIO())) == [b"from memory"]


def test_urllib3():
    response = Urllib3(CHAT)
    assert pieces_of(response) == CHAT
    assert response.asked[0] == {"decode_content": True}
    assert response.closed == 1


def test_urllib3_before_2():
    class Old:
        status = 200

        def read_chunked(self):
            pytest.fail("only its name is looked at")

        def stream(self, size, decode_content):
            assert decode_content
            yield from CHAT

    assert pieces_of(Old()) == CHAT


def test_reads_and_bytes():
    assert pieces_of(Body([b"a", b"b"])) == [b"a", b"b"]
    assert pieces_of(io.BytesIO(b"ab")) == [b"ab"]
    assert pieces_of(b"ab") == [b"ab"]
    assert pieces_of(memoryview(b"ab")) == [b"ab"]


def test_an_empty_piece_of_an_iterable_is_no_end():
    assert pieces_of([b"a", b"", b"b"]) == [b"a", b"", b"b"]


def test_closing_closes_the_iterator_and_what_it_came_from():
    closed = []

    class Response:
        status_code = 200

        def iter_bytes(self):
            try:
                yield b"a"
                yield b"b"
            finally:
                closed.append("pieces")

        def close(self):
            closed.append("response")

    opened = open_source(Response())
    next(opened.iterator)
    opened.close()
    assert closed == ["pieces", "response"]


def test_async_ones_by_any_name():
    class AsyncResponse:
        status_code = 200

        async def iter_bytes(self):
            yield b""

    class AwaitedResponse:
        status_code = 200
        oheaders = None

        async def iter_content(self):
            pytest.fail("never runs")

    for response in (AsyncResponse(), AwaitedResponse()):
        with pytest.raises(MisuseError, match=r"astream\(\.\.\.\)"):
            open_source(response)
