from __future__ import annotations

import pytest

from sse_dialects.cli.arguments import parsed
from sse_dialects.cli.demo import demo
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


def test_demo() -> None:
    assert parsed(["demo"]).run is demo


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
