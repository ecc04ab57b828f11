"""A server that keeps one background response and sends its stream from any place: for tests that resume it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sse_dialects.testing import ScriptedStream


class KeepingServer:
    """Answers ``POST /responses`` with the stream and ``GET /responses/{id}?stream=true&starting_after=N`` with its rest.

    Attributes:
        url: where it is.
        cuts: used up, one a request: the bytes of its body after which the connection is closed, or None for all of it. A status
            is an HTTP error with that status.
        again: how many frames that came before are sent once more; None for all.
        requests: the paths that were asked for.
        breaks: whether a cut body has no end (a transport error) in place of a clean one.
    """

    def __init__(self, stream: ScriptedStream) -> None:
        self.stream = stream
        self.url = ""
        self.cuts: list[int | None] = []
        self.statuses: list[int] = []
        self.again: int | None = 0
        self.breaks = False
        self.requests: list[str] = []

    def rest(self, query: str) -> bytes:
        asked = parse_qs(query)
        assert asked["stream"] == ["true"]
        number = -1 if self.again is None else int(asked.get("starting_after", ["-1"])[0]) - self.again
        return self.stream.starting_after(number).bytes()

    @contextmanager
    def running(self) -> Iterator[KeepingServer]:
        keeper = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send(keeper.stream.bytes())

            def do_GET(self) -> None:
                self.send(keeper.rest(urlsplit(self.path).query))

            def send(self, body: bytes) -> None:
                keeper.requests.append(f"{self.command} {self.path}")
                status = keeper.statuses.pop(0) if keeper.statuses else 200
                cut = keeper.cuts.pop(0) if keeper.cuts and status == 200 else None
                self.send_response(status)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                if cut is None or keeper.breaks:
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:cut])
                self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_address[1]}/responses"
            thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def cuts_at_frames(frames: Iterable[bytes]) -> list[int]:
    """Where the frames end."""
    ends, size = [], 0
    for frame in frames:
        size += len(frame)
        ends.append(size)
    return ends
