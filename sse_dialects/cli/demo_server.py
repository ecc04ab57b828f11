"""The demonstration's server: HTTP/1.1 on loopback, each answer in small pieces with pauses."""

from __future__ import annotations

import os
import socketserver
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, cast

from .demo_streams import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .demo_streams import Script

    Answerer = Callable[[str, bytes], Script | None]

__all__ = ["serving"]

# Pieces of one response. They cut frames, and characters, wherever they fall, as networks do.
_PIECES = 60


def _scripted(path: str, body: bytes) -> Script | None:
    return next((script for script in SCRIPTS.values() if script.path == path and body), None)


@contextmanager
def serving(pace: float = 1.0, answer: Answerer = _scripted, port: int = 0) -> Generator[str, None, None]:
    """Serves answers for as long as the `with` lasts.

    Args:
        pace: what the scripts' playing times are multiplied with; 0 plays without pauses.
        answer: gives the response to a POST of a body to a path, or to a GET, which has none; None if there is nothing.
        port: where to listen; 0 takes a free one.

    Returns:
        The server's address, "http://127.0.0.1:port".

    Raises:
        OSError: the port is taken, or may not be used.
    """
    with _Server(port, pace, answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="sse-dialects demo", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(socketserver.ThreadingTCPServer):
    # http.server's own server asks the resolver for its name first, which may take seconds.
    daemon_threads = True
    # A port that was just left can be taken again. On Windows that would also take one that is in use.
    allow_reuse_address = os.name != "nt"

    def __init__(self, port: int, pace: float, answer: Answerer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.pace = pace
        self.answer = answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_GET(self) -> None:
        """Answers with what the server has for this path."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answers with what the server has for this path and body."""
        self._answer(self.rfile.read(int(self.headers.get("content-length", 0))))

    def _answer(self, body: bytes) -> None:
        script = self._server().answer(self.path, body)
        if script is None:
            self.send_error(404)
            return
        self.send_response(script.stream.status)
        for name, value in script.stream.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        try:
            self.end_headers()
            self._play(script)
        except OSError:
            self.close_connection = True  # the client has heard enough

    def _play(self, script: Script) -> None:
        body = script.body
        pause_s = self._server().pace * script.seconds / _PIECES
        size = -(-len(body) // _PIECES)
        for start in range(0, len(body), size):
            piece = body[start : start + size]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            time.sleep(pause_s)
        # The cut stream gets its last HTTP chunk too: nothing in HTTP tells it from one that is whole.
        self.wfile.write(b"0\r\n\r\n")

    def _server(self) -> _Server:
        return cast("_Server", self.server)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the screen is the demonstration's."""
