from __future__ import annotations

import io
import json
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from sse_dialects.cli import main
from sse_dialects.cli.read import pieces
from sse_dialects.recording import Recorder, Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHAT = (
    b'data: {"id": "c-1", "choices": [{"index": 0, "delta": {"content": "Hello."}}]}\n\n'
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
)
DONE = b"data: [DONE]\n\n"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "answer.sse"
    path.write_bytes(CHAT + DONE)
    return path


def test_a_file(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(recorded)]) == 0
    printed = capsys.readouterr()
    assert printed.out == "Hello."
    assert printed.err.startswith("stop | chat | ")


def test_an_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()
    assert main(["read", str(tmp_path / "empty")]) == 3
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["absent", "."])
def test_a_file_that_can_not_be_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(tmp_path / name)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sse-dialects: can't read ")


def test_an_address_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "https://host.test/v1?key=secret"]) == 2
    said = capsys.readouterr().err
    assert said == "sse-dialects: `read` sends no request: use `post`, or curl -sSN ... | sse-dialects read\n"


def piped(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.TextIOWrapper(io.BytesIO(CHAT + DONE))
    monkeypatch.setattr("sys.stdin", file)
    assert main(["read"]) == 0
    assert not file.closed


def test_without_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["read", "-"]) == 2
    assert "name a file" in capsys.readouterr().err


def test_somebody_at_a_terminal_is_told_what_is_awaited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Keyboard(io.BytesIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Keyboard(CHAT + DONE)))
    assert main(["read"]) == 0
    assert "Ctrl-D" in capsys.readouterr().err


def test_the_switches_reach_the_decoder(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    piped(monkeypatch, CHAT.replace(b"Hello.", b"<think>hm</think>Hello."))
    assert main(["read", "--no-require-done", "--think-tags"]) == 0
    assert capsys.readouterr().out == "Hello."
    piped(monkeypatch, CHAT + DONE)
    assert main(["read", "--dialect", "messages"]) != 0


def test_a_piece_is_handed_on_before_more_comes() -> None:
    reading, writing = os.pipe()
    taken: list[bytes] = []
    with os.fdopen(reading, "rb") as source:
        arriving = pieces(source)
        os.write(writing, b"first")
        taken.append(next(arriving))
        os.write(writing, b"second")
        taken.append(next(arriving))
        threading.Timer(0.05, os.close, [writing]).start()
        taken.extend(arriving)
    assert taken == [b"first", b"second"]


def recording(path: Path, *pieces: tuple[float, bytes], status: int | None = None) -> Path:
    file = io.BytesIO()
    with Recorder(file) as recorder:
        recorder.begin(Replay([], status_code=status))
    head, *_ = file.getvalue().splitlines(keepends=True)
    lines = [json.dumps({"delay": delay_s, "text": piece.decode()}).encode() + b"\n" for delay_s, piece in pieces]
    path.write_bytes(head + b"".join(lines))
    return path


def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = recording(tmp_path / "answer.jsonl", (5.0, CHAT), (5.0, DONE))
    assert main(["read", str(path)]) == 0
    assert capsys.readouterr().out == "Hello."
    piped(monkeypatch, path.read_bytes())
    assert main(["read"]) == 0
    assert capsys.readouterr().out == "Hello."


def test_a_recording_in_its_time(tmp_path: Path) -> None:
    path = recording(tmp_path / "answer.jsonl", (0.0, CHAT), (0.2, DONE))
    started = time.monotonic()
    assert main(["read", str(path), "--speed", "2"]) == 0
    assert 0.09 < time.monotonic() - started < 5


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    """Makes standard input a pipe that holds so many bytes, and no more to come."""
    reading, writing = os.pipe()

    def fill(content: bytes) -> None:
        os.write(writing, content)
        os.close(writing)

    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield fill


def test_a_recording_through_a_pipe(tmp_path: Path, pipe: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]) -> None:
    pipe(recording(tmp_path / "answer.jsonl", (0.0, CHAT), (0.1, DONE)).read_bytes())
    started = time.monotonic()
    assert main(["read", "--speed", "1"]) == 0
    assert time.monotonic() - started > 0.09
    assert capsys.readouterr().out == "Hello."


def test_a_recording_that_was_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / "answer.jsonl", (0.0, CHAT), (0.0, DONE))
    path.write_bytes(path.read_bytes()[:-9])
    assert main(["read", str(path)]) == 3
    assert capsys.readouterr().out == "Hello."


def test_a_recorded_rejection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / "answer.jsonl", (0.0, b'{"error": {"message": "slow down"}}'), status=429)
    assert main(["read", str(path)]) == 4
    assert "HTTP status 429: slow down" in capsys.readouterr().err


def test_a_recording_of_a_later_version(
    tmp_path: Path, pipe: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]
) -> None:
    later = b'{"sse-dialects-recording":2}\n'
    path = tmp_path / "answer.jsonl"
    path.write_bytes(later)
    pipe(later)
    for argv in (["read", str(path)], ["read"]):
        assert main(argv) == 2
        assert "can't read the recording: this recording is of version 2" in capsys.readouterr().err
