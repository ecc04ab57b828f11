"""A small real HTTP/1.1 server on loopback that answers with whatever faults a test asks for.

    with FaultServer() as server:
        url = server.serve(Reply([b"first piece", 0.1, b"second piece"]))
        httpx.post(url)
        assert server.connections == 1

`serve` gives each `Reply` a URL of its own, which plays it to every request that comes. Raw sockets and one thread a connection:
bytes leave exactly as the reply says, one send for each piece, without buffering (TCP_NODELAY). A connection is kept alive after
a reply that was framed whole, as HTTP/1.1 says. Nothing outlives the ``with``: on leaving it all sockets are closed and all
threads joined, and a reply that waits gives up after `MAX_WAIT_S` or when the client has gone.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, BinaryIO, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_WAIT_S = 10.0  # for a reply that never ends by itself
FOREVER = MAX_WAIT_S

Framing = Literal["chunked", "length", "close", "raw"]


class Reply:
    """What is sent in answer to one request.

    Args:
        body: the body's bytes, or its pieces, each sent by itself; a number among them is a pause in seconds.
        status, reason, headers: the head. Content-Type is ``text/event-stream`` unless ``headers`` has another one.
        framing: how the client is told where the body ends: "chunked" (a chunk for each piece), "length" (Content-Length),
            "close" (by closing), or "raw": the body is sent as it is after the headers given, without a word about its end, for
            tests that write chunks or lengths of their own.
        length: the Content-Length to announce in place of the true one.
        cut_at: after how many bytes of the body the connection is closed, in the middle of a chunk if need be; as many as the
            body has for a cut just before its end is marked, None for a whole body.
        reset: close such a connection by RST in place of FIN.
        hold_s: for how long the connection stays open, silent, after the last byte of the body and before its end is marked;
            `FOREVER` for a server that never closes.
        keep_alive: whether a whole reply leaves the connection open for the next request.
    """

    def __init__(
        self,
        body: bytes | Iterable[bytes | float] = b"",
        *,
        status: int = 200,
        reason: str = "Whatever",
        headers: Mapping[str, str] | None = None,
        framing: Framing = "chunked",
        length: int | None = None,
        cut_at: int | None = None,
        reset: bool = False,
        hold_s: float = 0.0,
        keep_alive: bool = True,
    ) -> None:
        self.pieces = [body] if isinstance(body, bytes) else list(body)
        self.status = status
        self.reason = reason
        self.headers = {"Content-Type": "text/event-stream", **(headers or {})}
        self.framing = framing
        self.length = length
        self.cut_at = cut_at
        self.reset = reset
        self.hold_s = hold_s
        self.keep_alive = keep_alive and framing in {"chunked", "length"}

    def head(self) -> bytes:
        """Status line and headers."""
        headers = dict(self.headers)
        if self.framing == "chunked":
            headers["Transfer-Encoding"] = "chunked"
        elif self.framing == "length":
            size = sum(len(piece) for piece in self.pieces if isinstance(piece, bytes))
            headers["Content-Length"] = str(size if self.length is None else self.length)
        if not self.keep_alive:
            headers["Connection"] = "close"
        lines = [f"HTTP/1.1 {self.status} {self.reason}", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Request:
    """A request as it came."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body


class FaultServer:
    """The server; listens as soon as the ``with`` is entered.

    Attributes:
        connections: how many were accepted.
        requests: those that came, in order.
        left: replies whose client went before their end.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.left = 0
        self.requests: list[Request] = []
        self._replies: list[Reply] = []
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self._accepting = threading.Thread(target=self._accept, name="fault server", daemon=True)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return self._listener.getsockname()[1]

    @property
    def open_connections(self) -> int:
        """How many connections the client has not closed yet, as far as the server has noticed."""
        with self._lock:
            return len(self._open)

    def serve(self, reply: Reply) -> str:
        """The URL that plays ``reply``, each time it is asked."""
        self._replies.append(reply)
        return f"http://127.0.0.1:{self.port}/{len(self._replies) - 1}"

    def wait_until_closed(self, seconds: float = 2.0) -> bool:
        """Whether all connections have been closed, waiting for it so long."""
        deadline = time.monotonic() + seconds
        while self.open_connections:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def wait_until_left(self, count: int, seconds: float = 2.0) -> bool:
        """Whether the clients of ``count`` replies have gone before their end, waiting for it so long."""
        deadline = time.monotonic() + seconds
        while self.left < count:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def __enter__(self) -> FaultServer:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._accepting.join()
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(MAX_WAIT_S)
            with self._lock:
                self.connections += 1
                self._open.add(connection)
            thread = threading.Thread(target=self._serve_connection, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve_connection(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as reader:
                while not self._closing.is_set() and (request := _read_request(reader)) is not None:
                    self.requests.append(request)
                    reply = self._replies[int(request.path.split("/")[1])]  # below its URL too, for clients that add paths
                    if not self._play(reply, connection):
                        break
        except (OSError, ValueError):
            pass  # the client has gone
        finally:
            with self._lock:
                self._open.discard(connection)

    def _play(self, reply: Reply, connection: socket.socket) -> bool:
        """Sends a reply. Whether the connection can be used again."""
        try:
            connection.sendall(reply.head())
            left = reply.cut_at
            for piece in reply.pieces:
                if not isinstance(piece, bytes):
                    self._pause(piece, connection)
                    continue
                data = piece if left is None else piece[:left]
                if data:
                    connection.sendall(_framed(reply, piece, data))
                left = None if left is None else left - len(data)
                if left == 0:
                    break
            self._pause(reply.hold_s, connection)
            if left is not None:
                return _cut(connection, reply.reset)
            if reply.framing == "chunked":
                connection.sendall(b"0\r\n\r\n")
        except OSError:
            self.left += 1
            return False
        return reply.keep_alive

    def _pause(self, seconds: float, connection: socket.socket) -> None:
        """Waits, and no longer than until the client closes or the server is closed."""
        deadline = time.monotonic() + min(seconds, MAX_WAIT_S)
        while (left := deadline - time.monotonic()) > 0 and not self._closing.is_set():
            readable, _, _ = select.select([connection], [], [], min(left, 0.05))
            if readable and not connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError("the client has closed")


def _framed(reply: Reply, piece: bytes, data: bytes) -> bytes:
    """``data``, the part of ``piece`` that is to be sent, as a chunk that announces all of it."""
    if reply.framing != "chunked":
        return data
    return b"%x\r\n%b" % (len(piece), data) + (b"\r\n" if len(data) == len(piece) else b"")


def _cut(connection: socket.socket, reset: bool) -> bool:
    """Closes by FIN, or by RST: that is what closing does while SO_LINGER is 0 seconds."""
    if reset:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def _read_request(reader: BinaryIO) -> Request | None:
    """The next request on a connection, None where the client has closed it."""
    line = reader.readline()
    if not line.strip():
        return None
    method, path, _ = line.decode("latin-1").split()
    headers: dict[str, str] = {}
    while (line := reader.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return Request(method, path, headers, reader.read(int(headers.get("content-length", 0))))
