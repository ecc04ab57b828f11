from __future__ import annotations

import io
import os
import threading
from typing import TYPE_CHECKING

import pytest

from sse_dialects.cli import main
from sse_dialects.cli.read import pieces

if TYPE_CHECKING:
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
