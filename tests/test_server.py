"""The fault server does what its replies say, seen from a bare socket."""

from __future__ import annotations

import socket
import time

import pytest
from server import FOREVER, FaultServer, Reply


@pytest.fixture
def server():
    with FaultServer() as running:
        yield running


def connected(server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=5)


def ask(connection, url) -> None:
    path = "/" + url.rpartition("/")[2]
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode())


def received(connection, until: bytes = b"") -> bytes:
    """All that comes up to ``until``, or to the end."""
    data = b""
    while not (until and data.endswith(until)) and (piece := connection.recv(65536)):
        data += piece
    return data


@pytest.mark.parametrize(
    ("framing", "wire"),
    [
        ("chunked", b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
        ("length", b"Content-Length: 3\r\n\r\nabc"),
        ("close", b"Connection: close\r\n\r\nabc"),
        ("raw", b"Connection: close\r\n\r\nabc"),
    ],
)
def test_framings(server, framing, wire):
    with connected(server) as connection:
        ask(connection, server.serve(Reply([b"ab", b"c"], framing=framing)))
        head = b"HTTP/1.1 200 Whatever\r\nContent-Type: text/event-stream\r\n"
        assert received(connection, wire) == head + wire


def test_a_whole_reply_keeps_the_connection_for_the_next_request(server):
    url = server.serve(Reply(b"abc"))
    with connected(server) as connection:
        for _ in range(3):
            ask(connection, url)
            received(connection, b"0\r\n\r\n")
    assert server.connections == 1
    assert [(request.method, request.body) for request in server.requests] == [("POST", b"{}")] * 3
    assert server.wait_until_closed()


@pytest.mark.parametrize(("cut_at", "end"), [(0, b"\r\n\r\n"), (1, b"2\r\na"), (2, b"2\r\nab\r\n"), (3, b"\r\n1\r\nc\r\n")])
def test_cuts(server, cut_at, end):
    with connected(server) as connection:
        ask(connection, server.serve(Reply([b"ab", b"c"], cut_at=cut_at)))
        assert received(connection).endswith(end)


def test_a_reset(server):
    with connected(server) as connection:
        ask(connection, server.serve(Reply([b"ab", b"c"], cut_at=1, reset=True)))
        with pytest.raises(ConnectionResetError):
            received(connection)


def test_pauses_status_headers_and_a_length_of_ones_own(server):
    reply = Reply([b"ab", 0.05], status=418, reason="Teapot", headers={"X-Y": "z"}, framing="length", length=99)
    with connected(server) as connection:
        started = time.monotonic()
        ask(connection, server.serve(reply))
        data = received(connection, b"ab")
    assert data.startswith(b"HTTP/1.1 418 Teapot\r\n")
    assert b"X-Y: z\r\nContent-Length: 99\r\n" in data
    assert time.monotonic() - started < 5


def test_a_reply_that_never_ends_ends_with_the_client_or_the_server(server):
    url = server.serve(Reply(b"abc", hold_s=FOREVER))
    with connected(server) as connection:
        ask(connection, url)
        received(connection, b"abc\r\n")
    assert server.wait_until_closed()
    assert server.left == 1
    started = time.monotonic()
    with FaultServer() as other, connected(other) as connection:
        ask(connection, other.serve(Reply(b"abc", hold_s=FOREVER)))
        received(connection, b"abc\r\n")
    assert time.monotonic() - started < 2
