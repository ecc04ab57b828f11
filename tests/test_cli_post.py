from __future__ import annotations

import io
import json
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import sse_dialects as sd
from sse_dialects.cli import main
from sse_dialects.recording import replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KEY = "s3cret-key-1"
HELLO = b'data: {"id": "c-1", "model": "m-1", "choices": [{"index": 0, "delta": {"content": "Hello."}}]}\n\n'
END = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


class Server:
    """Answers one connection with bytes, and remembers what it was sent.

    ``hold`` keeps the connection open after them until the client leaves.
    """

    def __init__(self, answer: bytes, *, hold: bool = False) -> None:
        self._answer = answer
        self._hold = hold
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(20)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1/chat/completions"
        self.request = b""

    def close(self) -> None:
        self._thread.join(20)
        self._socket.close()

    def _serve(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            connection.settimeout(20)
            self.request = self._read_request(connection)
            connection.sendall(self._answer)
            while self._hold and connection.recv(1 << 16):
                pass

    @staticmethod
    def _read_request(connection: socket.socket) -> bytes:
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(1 << 16)
        head, _, body = received.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        while len(body) < length:
            body += connection.recv(1 << 16)
        return head + b"\r\n\r\n" + body


def response(body: bytes, status: str = "200 OK", kind: str = "text/event-stream") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode() + body


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    servers: list[Server] = []

    def start(answer: bytes, *, hold: bool = False) -> Server:
        servers.append(Server(answer, hold=hold))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def test_the_request_and_the_answer(serve: Callable[..., Server], capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", '{"stream": true}', "-H", f"Authorization: Bearer {KEY}"]) == 0
    head, _, body = server.request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /v1/chat/completions HTTP/1.1"
    lowered = {line.lower() for line in lines}
    assert {f"authorization: bearer {KEY}", "content-type: application/json", "accept-encoding: identity"} <= lowered
    assert body == b'{"stream": true}'
    printed = capsys.readouterr()
    assert printed.out == "Hello."
    assert printed.err.startswith("stop | chat m-1 | ")


def test_headers_of_the_users_replace_ours(serve: Callable[..., Server]) -> None:
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", "x", "-H", "content-type: text/plain", "-H", "X-A: 1", "-H", "X-A: é"]) == 0
    head = server.request.partition(b"\r\n\r\n")[0].lower()
    assert head.count(b"content-type:") == 1
    assert b"content-type: text/plain" in head
    assert (head.count(b"x-a: 1"), head.count("x-a: é".encode("latin-1"))) == (1, 1)


def test_a_body_from_a_file_and_from_standard_input(
    serve: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "body.json").write_bytes(b'{"n": 1}')
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", f"@{tmp_path / 'body.json'}"]) == 0
    assert server.request.endswith(b'\r\n\r\n{"n": 1}')
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"n": 2}')))
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", "@-"]) == 0
    assert server.request.endswith(b'\r\n\r\n{"n": 2}')


def test_a_body_that_is_not_utf_8_is_sent_as_it_is(serve: Callable[..., Server]) -> None:
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", os.fsdecode(b"caf\xe9")]) == 0
    assert server.request.endswith(b"\r\n\r\ncaf\xe9")


REJECTION = json.dumps({"error": {"type": "invalid_request_error", "message": f"Incorrect API key: {KEY}"}}).encode()


@pytest.mark.parametrize(
    ("answer", "status", "kind"),
    [
        (response(HELLO), 3, "truncated"),
        (response(HELLO).replace(b"connection: close", b"content-length: 9999"), 3, "truncated"),
        (b"", 3, "truncated"),
        (response(HELLO + b'data: {"error": {"message": "no"}}\n\n'), 4, "upstream"),
        (response(REJECTION, "401 Unauthorized", "application/json"), 4, "rejected"),
        (response(b"Slow down", "429 Too Many Requests", "text/plain"), 4, "rejected"),
        (response(b"", "302 Found"), 4, "rejected"),
        (response(b"<html><body>Sign in</body></html>", kind="text/html"), 5, "not_event_stream"),
        (response(HELLO + b"data: {\n\n"), 5, "malformed"),
    ],
    ids=["cut", "short", "no response", "failure", "401", "429", "302", "HTML", "malformed"],
)
def test_exit_statuses(
    serve: Callable[..., Server], answer: bytes, status: int, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(answer)
    assert main(["post", server.url, "--data", "{}", "--json", "-H", f"X-Api-Key: {KEY}"]) == status
    printed = capsys.readouterr()
    assert json.loads(printed.out)["error"]["kind"] == kind
    assert printed.err.startswith("error: ")
    assert KEY not in printed.out + printed.err


@pytest.mark.parametrize("answer", [b"", response(HELLO)], ids=["before the response", "in the stream"])
def test_a_stalled_stream(serve: Callable[..., Server], answer: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(answer, hold=True)
    assert main(["post", server.url, "--data", "{}", "--json", "--timeout", "0.2"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "stalled"


def test_limits_and_timeouts_reach_the_stream(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def stream(source: Any, dialect: Any, *, record: Any, **keywords: Any) -> sd.EventStream:
        given.update(keywords)
        return genuine(source, dialect, record=record)

    genuine = sd.stream
    monkeypatch.setattr(sd, "stream", stream)
    times = ["--first-token-timeout", "5", "--content-timeout", "6", "--total-timeout", "7"]
    server = serve(response(HELLO + END))
    assert main(["post", server.url, "--data", "{}", "--limit", "max_parts=9", *times]) == 0
    assert given.pop("limits") == sd.Limits(max_parts=9)
    assert {name: given[name] for name in given if name.endswith("_timeout")} == {
        "first_token_timeout": 5.0,
        "content_timeout": 6.0,
        "total_timeout": 7.0,
    }


def test_no_connection(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://user:{KEY}@127.0.0.1:{port}/?key={KEY}"
    assert main(["post", url, "--data", "{}", "--json", "-H", f"Authorization: {KEY}"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"sse-dialects: could not connect to http://127.0.0.1:{port}: ")
    assert KEY not in printed.err


def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"gopher://{KEY}@127.0.0.1")
    assert main(["post", "http://127.0.0.1:1", "--data", "{}"]) == 1
    assert KEY not in capsys.readouterr().err


@pytest.mark.parametrize(
    "url", [KEY, "/v1/messages", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:port/", "http://127.0.0.1\x00/"]
)
def test_what_is_no_url_is_not_repeated(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["post", url, "--data", "{}"]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("sse-dialects: URL ")
    assert KEY not in printed.err


def test_a_header_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["post", "http://127.0.0.1:1", "--data", "{}", "-H", f"Authorization {KEY}"]) == 2
    assert KEY not in capsys.readouterr().err


def test_a_request_that_http_can_not_carry(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert main(["post", url, "--data", "{}", "-H", "Host: one", "-H", "Host: two"]) == 2
    assert "can't be sent" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["@absent", "@", "@."])
def test_a_body_that_can_not_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["post", "http://127.0.0.1:1", "--data", name]) == 2
    assert "can't read" in capsys.readouterr().err


def test_a_forgotten_at_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "request.json").write_text("{}")
    assert main(["post", "http://127.0.0.1:1", "-d", "request.json"]) == 2
    assert "--data @request.json" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["post", "http://127.0.0.1:1", "--data", "{}"], ["demo"]], ids=["post", "demo"])
def test_without_httpx(argv: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert main(argv) == 2
    assert 'pip install "sse-dialects[httpx]"' in capsys.readouterr().err


def test_what_arrives_is_recorded(serve: Callable[..., Server], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve(response(HELLO + END))
    path = tmp_path / "answer.jsonl"
    url = f"{server.url}?key={KEY}"
    assert main(["post", url, "--data", "{}", "-H", f"Authorization: Bearer {KEY}", "--record", str(path)]) == 0
    assert capsys.readouterr().out == "Hello."
    assert b"".join(replay(path)) == HELLO + END
    assert KEY not in path.read_text("utf-8")
    assert main(["read", str(path)]) == 0
    assert capsys.readouterr().out == "Hello."


def test_a_file_that_can_not_be_recorded_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["post", "http://127.0.0.1:9", "--data", "{}", "--record", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"sse-dialects: can't record to {tmp_path}: Is a directory\n"
