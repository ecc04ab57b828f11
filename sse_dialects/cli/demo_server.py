"""The demonstration's server: HTTP/1.1 on loopback, each script in small pieces with pauses."""

from __future__ import annotations

import socketserver
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, cast

from .demo_streams import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Generator

    from .demo_streams import Script

__all__ = ["serving"]

# Pieces of one response. They cut frames, and characters, wherever they fall, as networks do.
_PIECES = 60


@contextmanager
def serving(pace: float = 1.0) -> Generator[str, None, None]:
    """Serves the scripts for as long as the `with` lasts.

    Args:
        pace: what the scripts' playing times are multiplied with; 0 plays without pauses.

    Returns:
        The server's address, "http://127.0.0.1:port".
    """
    with _Server(pace) as server:
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

    def __init__(self, pace: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pace = pace


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self) -> None:
        """Answers with the script at this path."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        script = next((script for script in SCRIPTS.values() if script.path == self.path), None)
        if script is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            self._play(script)
        except OSError:
            self.close_connection = True  # the client has heard enough

    def _play(self, script: Script) -> None:
        pause_s = cast("_Server", self.server).pace * script.seconds / _PIECES
        size = -(-len(script.body) // _PIECES)
        for start in range(0, len(script.body), size):
            piece = script.body[start : start + size]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            time.sleep(pause_s)
        # The cut stream gets its last HTTP chunk too: nothing in HTTP tells it from one that is whole.
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the screen is the demonstration's."""
