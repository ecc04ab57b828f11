from __future__ import annotations

import os
import subprocess
import sys

import pytest

import sse_dialects as sd
from sse_dialects.cli import arguments
from sse_dialects.cli.arguments import parsed
from sse_dialects.cli.post import post
from sse_dialects.cli.read import read

POST = ["post", "http://localhost", "--data", "{}"]


def test_read_reads_standard_input_unless_told_otherwise() -> None:
    options = parsed(["read"])
    assert (options.run, options.file, options.dialect) == (read, "-", "auto")
    assert (options.require_done, options.think_tags, options.json, options.events) == (True, False, False, False)
    assert parsed(["read", "recorded.sse"]).file == "recorded.sse"


def test_every_option_of_read() -> None:
    options = parsed(["read", "--dialect", "messages", "--no-require-done", "--think-tags", "--events"])
    assert (options.dialect, options.require_done, options.think_tags, options.events) == ("messages", False, True, True)
    assert parsed(["read", "--require-done", "--json"]).json is True
    assert (parsed(["read", "--speed", "2.5"]).speed, parsed(["read"]).speed) == (2.5, None)


def test_every_option_of_post() -> None:
    options = parsed([*POST, "-H", "A: 1", "--header", "B: 2", "--timeout", "1.5", "--json"])
    assert (options.run, options.url, options.data) == (post, "http://localhost", "{}")
    assert (options.headers, options.timeout, options.json) == (["A: 1", "B: 2"], 1.5, True)
    assert parsed(POST).headers == []
    assert (parsed([*POST, "--record", "answer.jsonl"]).record, parsed(POST).record) == ("answer.jsonl", None)


def test_the_options_of_a_stream_are_its_keywords() -> None:
    assert parsed(["read"]).stream == {"require_done": True, "think_tags": False}
    options = parsed(["read", "--limit", "max_parts=3", "--limit", "max_frame_bytes=none"])
    assert options.stream["limits"] == sd.Limits(max_parts=3, max_frame_bytes=None)
    times = ["--first-token-timeout", "2", "--content-timeout", "3.5", "--total-timeout", "60", "--no-require-done"]
    keywords = {"first_token_timeout": 2.0, "content_timeout": 3.5, "total_timeout": 60.0}
    assert parsed([*POST, *times]).stream == {"require_done": False, "think_tags": False, **keywords}


def test_the_limits_that_may_be_given_are_all_there_are() -> None:
    assert set(arguments._LIMITS) == set(sd.Limits().__slots__)


@pytest.mark.parametrize("argv", [[], ["--json"], ["--dialect", "chat", "--events"]])
def test_a_pipe_is_read_without_a_command(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    with open(ours) as pipe, open(theirs, "w"):
        monkeypatch.setattr(sys, "stdin", pipe)
        options = parsed(argv)
    assert (options.run, options.file) == (read, "-")
    assert options.json is ("--json" in argv)


def test_only_a_pipe_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as nothing:
        for stdin in (nothing, None):
            monkeypatch.setattr(sys, "stdin", stdin)
            with pytest.raises(SystemExit) as caught:
                parsed([])
            assert caught.value.code == 2


def completions(line: str) -> list[str]:
    """What a shell is offered for the last word of a line."""
    pytest.importorskip("argcomplete")
    asks = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    command = [sys.executable, "-m", "sse_dialects"]
    # The answer goes to descriptor 8, as bash wants it.
    done = subprocess.run(
        ["bash", "-c", 'exec 8>&1 1>/dev/null; exec "$@"', "bash", *command],
        capture_output=True,
        env={**os.environ, **asks, "_ARGCOMPLETE_IFS": "\n"},
        text=True,
        timeout=60,
        check=True,
    )
    return [word.strip() for word in done.stdout.splitlines()]


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_a_shell_completes_commands_and_options() -> None:
    assert {"read", "post", "demo"} <= set(completions("sse-dialects "))
    assert completions("sse-dialects read --think") == ["--think-tags"]
    assert set(completions("sse-dialects read --dialect ")) == {"auto", "chat", "messages", "responses"}


def test_without_argcomplete_nothing_is_completed_and_nothing_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert parsed(["read"]).run is read


def test_demo() -> None:
    options = parsed(["demo"])
    assert (options.run.__name__, options.serve, options.port) == ("_demo", False, 8765)
    assert parsed(["demo", "--serve", "--port", "0"]).port == 0


@pytest.mark.parametrize("port", ["-1", "65536", "http", "1.5"])
def test_a_port_is_one(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(["demo", "--serve", f"--port={port}"])
    assert "takes a number from 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["play"],
        ["read", "--json", "--events"],
        ["read", "--dialect", "morse"],
        ["read", "one", "two"],
        ["read", "--js"],
        ["post", "http://localhost"],
        ["post", "--data", "{}"],
        ["read", "--speed", "0"],
        ["read", "--speed", "fast"],
        ["read", "--record", "answer.jsonl"],
        [*POST, "--speed", "1"],
        [*POST, "--timeout", "0"],
        [*POST, "--timeout", "soon"],
        [*POST, "--timeout", "nan"],
        [*POST, "--timeout", "inf"],
        [*POST, "--total-timeout", "0"],
        ["read", "--total-timeout", "1"],
        ["read", "--limit", "max_parts"],
        ["read", "--limit", "max_parts=0"],
        ["read", "--limit", "max_words=1"],
    ],
)
def test_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(argv)
    assert caught.value.code == 2
    assert "usage: sse-dialects" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        [*POST, "-H", "Authorization:", "Bearer", "s3cret"],
        [*POST, "-H", "Authorization:", "s3cret"],
        ["-H", "Authorization: s3cret", *POST],
        ["-H", "s3cret", *POST],
        ["post", "-HAuthorization: s3cret"],
    ],
)
def test_a_header_in_the_wrong_place_is_not_repeated(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(argv)
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert "s3cret" not in printed.out + printed.err


@pytest.mark.parametrize(("argv", "advice"), [([*POST, "x"], "quote headers"), (["read", "a.sse", "b.sse"], "look at --help")])
def test_what_means_nothing_comes_with_advice(argv: list[str], advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(argv)
    told = capsys.readouterr().err
    assert advice in told
    assert ("-H" in told) is (argv[0] == "post")


@pytest.mark.parametrize("argv", [["--help"], ["read", "--help"], ["post", "-h"], ["demo", "-h"]])
def test_help_tells_the_exit_statuses(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(argv)
    assert caught.value.code == 0
    told = capsys.readouterr().out
    assert "cut before its end" in told
    assert "130  Ctrl-C" in told
