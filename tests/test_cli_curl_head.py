from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shapes import in_pieces

from sse_dialects.cli import main
from sse_dialects.cli.read import SavedResponse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BODY = b'data: {"choices": [{"index": 0, "delta": {"content": "Hello."}}]}\n\ndata: [DONE]\n\n'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Request-ID: r\r\n\r\n"
REJECTED = b'HTTP/2 429 \r\nretry-after: 3\r\n\r\n{"error": {"message": "slow down.", "type": "rate_limit_error"}}'


def split(data: bytes, size: int) -> tuple[int | None, dict[str, str], bytes]:
    response = SavedResponse(in_pieces(data, size))
    return response.status_code, response.headers, b"".join(response)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.0 200 Connection established\n\n",
        b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
    ],
)
def test_the_last_head_counts_and_the_body_is_what_follows(before: bytes, size: int) -> None:
    assert split(before + HEAD + BODY, size) == (200, {"content-type": "text/event-stream", "x-request-id": "r"}, BODY)
    assert split((before + HEAD).replace(b"\r\n", b"\n") + BODY, size)[2] == BODY


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("data", [b"", BODY, b"HT", b"HTTP is down", b"HTTPS only\n\n", b"HTTP/x\n\n", b"HTTP/" + b"1" * 100_000])
def test_what_has_no_head_is_given_as_it_is(data: bytes, size: int) -> None:
    if size > 1 or len(data) < 1000:
        assert split(data, size) == (None, {}, data)


def test_a_head_that_was_cut_has_no_body() -> None:
    for end in range(HEAD.index(b"200") + 3, len(HEAD)):
        status, _, body = split(HEAD[:end], 5)
        assert (status, body.strip()) == (200, b"")


def test_a_source_that_fails_fails_when_it_is_read() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"HTTP/1.1"
        raise ConnectionError

    arriving = iter(SavedResponse(pieces()))
    assert next(arriving) == b"HTTP/1.1"
    with pytest.raises(ConnectionError):
        next(arriving)


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (HEAD + BODY, 0, "| chat |"),
        (REJECTED, 4, "HTTP status 429 (rate_limit_error): slow down. No answer was started; send it again later, after 3 s as"),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", 4, "HTTP status 404. No answer was started"),
        (HEAD + BODY[:30], 3, "the stream closed before"),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nstarting", 5, "plain text (Content-Type: text/plain)"),
    ],
)
def test_read_understands_it(data: bytes, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "saved").write_bytes(data)
    assert main(["read", str(tmp_path / "saved")]) == status
    assert said in capsys.readouterr().err
