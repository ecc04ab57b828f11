"""The command as people run it: processes, pipes and exit statuses. What `post` adds to them is in test_cli_post."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import sse_dialects as sd
from sse_dialects.cli import main

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "sse_dialects"]


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return b"data: %b\n\n" % json.dumps({"id": "c-1", "model": "m-1", "choices": [choice]}).encode()


HELLO = chunk({"reasoning_content": "Hm."}) + chunk({"content": "Héllo "}) + chunk({"content": "wörld"})
END = chunk({}, "stop") + b"data: [DONE]\n\n"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("stream", "status", "kind"),
    [
        (HELLO + END, 0, None),
        (HELLO, 3, "truncated"),
        (b"", 3, "truncated"),
        (HELLO + b'data: {"error": {"message": "no", "type": "server_error"}}\n\n', 4, "upstream"),
        (HELLO + b"data: {no JSON\n\n", 5, "malformed"),
        (HELLO + b"data: " + b"[" * 300 + b"]" * 300 + b"\n\n", 5, None),
        (HELLO + b":" + b" " * (17 << 20) + b"\n\n" + END, 5, "limit"),
        (b"<!doctype html><title>Bad gateway</title>" + b" " * 600, 5, "not_event_stream"),
    ],
    ids=["complete", "cut", "empty", "failure", "no JSON", "deep", "large", "HTML"],
)
def test_exit_statuses(stream: bytes, status: int, kind: str | None) -> None:
    done = run("read", "--json", stdin=stream)
    answer = json.loads(done.stdout)
    assert done.returncode == status, done.stderr
    assert answer["complete"] is (status == 0)
    if kind:
        assert answer["error"]["kind"] == kind
    assert bool(done.stderr) is bool(status)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["read", "no such file"], ["read", "--json", "--events"], ["play"]])
def test_wrong_usage_and_unreadable_files(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_a_pipe_needs_no_command() -> None:
    done = run("--json", stdin=HELLO + END)
    assert (done.returncode, json.loads(done.stdout)["text"], done.stderr) == (0, "Héllo wörld", b"")


def test_piped_there_is_the_text_and_nothing_else(tmp_path: Path) -> None:
    recorded = tmp_path / "answer.sse"
    recorded.write_bytes(HELLO + END)
    done = run("read", str(recorded))
    assert (done.returncode, done.stdout.decode()) == (0, "Héllo wörld")
    assert done.stderr.decode().startswith("stop | chat m-1 | ")


@pytest.mark.parametrize("stream", [HELLO + END, HELLO], ids=["complete", "cut"])
def test_text_and_notes_in_one_pipe_do_not_share_a_line(stream: bytes) -> None:
    command = [*COMMAND, "read"]
    done = subprocess.run(command, input=stream, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    text, note = done.stdout.decode().splitlines()
    assert text == "Héllo wörld"
    assert note.startswith(("stop | ", "error: "))


def test_piped_a_cut_stream_still_gives_its_text() -> None:
    done = run("read", stdin=HELLO)
    assert (done.returncode, done.stdout.decode()) == (3, "Héllo wörld")
    assert done.stderr.startswith(b"error: ")


def test_text_arrives_before_the_stream_ends() -> None:
    with subprocess.Popen([*COMMAND, "read"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.read(13).decode() == "Héllo wörld"
        assert process.communicate(END, timeout=30)[0] == b""
    assert process.returncode == 0


def test_the_reader_of_stdout_may_leave() -> None:
    command = [*COMMAND, "read"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.read(5)
        process.stdout.close()
        try:
            for _ in range(100):
                process.stdin.write(HELLO)
                process.stdin.flush()
        except BrokenPipeError:
            pass  # it left in its turn, as it should
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


def test_ctrl_c() -> None:
    # A shell may have left SIGINT ignored, which processes inherit.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from sse_dialects.cli import main; sys.exit(main(['read']))"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.read(13)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err == b"sse-dialects: interrupted; what came is not the whole answer\n"


def test_the_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.decode().split()) == (0, ["sse-dialects", sd.__version__])


def test_main_returns_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert main(["read", "--timeout", "3"]) == 2
    assert "usage" in capsys.readouterr().err


def test_reading_needs_no_http_client_and_no_server() -> None:
    code = "import sys; from sse_dialects.cli import main; status = main(['read', '--json']); "
    code += "print(status, *{'httpx', 'asyncio', 'http.server', 'ssl'} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], input=HELLO + END, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.split()) == (0, [b"0"])
