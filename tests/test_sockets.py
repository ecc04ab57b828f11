"""Draining and waking through a sync response's socket, with stand-ins; test_sync_stream.py does it over real connections."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from sse_dialects.sources.sockets import DRAIN_BYTES, DRAIN_S, drain, wake


class Transport:
    """A network stream whose reads take as long as they may."""

    def __init__(self, connection):
        self.connection = connection
        self.timeouts = []

    def read(self, max_bytes, timeout=None):
        self.timeouts.append(timeout)
        time.sleep(min(timeout, 0.03))
        return b": x\n\n"

    def get_extra_info(self, name):
        return self.connection if name == "socket" else None


class Response:
    def __init__(self, **extensions):
        self.extensions = {"http_version": b"HTTP/1.1", **extensions}


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def pieces(transport, size=4096):
    while True:
        yield transport.read(size, timeout=60)


@pytest.mark.alone
def test_reads_are_bounded_while_it_drains(pair):
    transport = Transport(pair[0])
    started = time.monotonic()
    drain(Response(network_stream=transport), pieces(transport))
    assert DRAIN_S <= time.monotonic() - started < DRAIN_S + 0.1
    assert max(transport.timeouts) <= DRAIN_S
    assert min(transport.timeouts) > 0
    assert "read" not in vars(transport)


def test_bytes_are_bounded(pair):
    transport = Transport(pair[0])
    given = []

    def large():
        for _ in range(100):
            given.append(True)
            yield b"x" * 10_000

    drain(Response(network_stream=transport), large())
    assert len(given) == DRAIN_BYTES // 10_000 + 1


def test_trouble_ends_it(pair):
    transport = Transport(pair[0])

    def broken():
        yield b"x"
        raise OSError

    drain(Response(network_stream=transport), broken())
    assert "read" not in vars(transport)


@pytest.mark.parametrize(
    "response",
    [
        None,
        object(),
        Response(),
        Response(network_stream=object()),
        Response(network_stream=Transport(None)),
        Response(network_stream=Transport(socket), http_version=b"HTTP/2"),
    ],
)
def test_nothing_is_read_where_time_can_not_be_bounded(response):
    def never():
        pytest.fail("read")
        yield

    drain(response, never())
    assert not wake(response)


def test_waking(pair):
    ours, theirs = pair
    response = Response(network_stream=Transport(ours))
    assert wake(response)
    assert ours.recv(1) == b""
    theirs.close()
    ours.close()
    assert wake(response)


def test_another_thread_may_take_the_connection_before_its_drain_has_ended(pair):
    transport = Transport(pair[0])

    def taken_over():
        """The body's last step gives the connection back; another thread asks with it, and drains it in its turn."""
        other = threading.Thread(target=another_request)
        other.start()
        other.join()
        yield from ()

    def another_request():
        transport.read(4096, timeout=0.02)
        asked.extend(transport.timeouts)
        drain(Response(network_stream=transport), iter([transport.read(4096, timeout=60)]))

    asked = []
    drain(Response(network_stream=transport), taken_over())
    assert asked == [0.02]
    assert "read" not in vars(transport)
