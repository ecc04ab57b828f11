from __future__ import annotations

import errno
import io
import os
import unicodedata

import pytest

import sse_dialects as sd
from sse_dialects.cli.console import (
    DIRECTIONS,
    STATUS_OF_KIND,
    USAGE,
    Channel,
    CommandError,
    ReaderLeft,
    _obeys,
    harmless,
    harmless_name,
    standard_output,
)

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


class Screen(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Broken(io.StringIO):
    """A text stream whose other end is gone, or whose disk is full."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        raise OSError(self.number, os.strerror(self.number))


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇"),
        ("one\r\ntwo\rover", "one\ntwo␍over"),
        ("\x9b31mred\x7f\x00\x08", "\\x9b31mred␡␀␈"),
        ("Zürich, 東京, 👩‍🚀", "Zürich, 東京, 👩‍🚀"),
    ],
)
def test_nothing_that_a_terminal_obeys_passes(given: str, shown: str) -> None:
    assert harmless(given) == shown


def test_what_turns_the_order_of_a_line_is_made_visible() -> None:
    assert harmless("a\u202eb\u2066") == "a\\u202eb\\u2066"
    named = {code for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in BIDI}
    assert named <= set(DIRECTIONS)


def test_a_name_begins_no_line() -> None:
    assert harmless_name("m\nstop | chat\r\n\t\u2028\u202e") == "m␊stop | chat␍␊␉\\u2028\\u202e"


def test_a_line_is_wiped_on_terminals_alone() -> None:
    for file, wiped in ((Screen(), "\r\x1b[K"), (io.StringIO(), "")):
        Channel(file, vital=True).wipe_line()
        assert file.getvalue() == wiped


def test_two_channels_into_one_pipe() -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(writing, "w") as pipe,
        os.fdopen(os.dup(writing), "w") as same,
        os.fdopen(reading),
        open(os.devnull, "w") as other,
    ):
        assert Channel(pipe, vital=True).joins(Channel(same, vital=False))
        assert not Channel(pipe, vital=True).joins(Channel(other, vital=False))
        assert not Channel(pipe, vital=True).joins(Channel(io.StringIO(), vital=False))
        assert not Channel(None, vital=True).joins(Channel(pipe, vital=False))


def test_what_is_shown_harmless_has_no_control_characters() -> None:
    everything = "".join(map(chr, range(0x200)))
    assert not set(harmless(everything)) & {chr(code) for code in (*range(9), *range(11, 32), *range(0x7F, 0xA0))}


def test_a_terminal_gets_styles_and_a_pipe_none() -> None:
    assert Channel(Screen(), vital=True).style("2", "dim") == "\x1b[2mdim\x1b[0m"
    assert Channel(io.StringIO(), vital=True).style("2", "dim") == "dim"


def test_no_style_for_nothing() -> None:
    assert not Channel(Screen(), vital=True).style("2", "")


def test_no_color_and_dumb_terminals_get_no_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    channel = Channel(Screen(), vital=True)
    assert (channel.styled, channel.movable) == (False, True)
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    channel = Channel(Screen(), vital=True)
    assert (channel.styled, channel.movable, channel.is_terminal) == (False, False, True)


@pytest.mark.parametrize(
    ("environment", "windows", "obeys"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"WT_SESSION": "1"}, True, True),
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_which_terminals_follow_escape_sequences(environment: dict[str, str], *, windows: bool, obeys: bool) -> None:
    assert _obeys(environment, windows=windows) is obeys


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EINVAL])
def test_a_reader_who_left(number: int) -> None:
    with pytest.raises(ReaderLeft):
        Channel(Broken(number), vital=True).write("text")


def test_a_full_disk() -> None:
    with pytest.raises(CommandError, match="can't write to standard output") as caught:
        Channel(Broken(errno.ENOSPC), vital=True).write("text")
    assert caught.value.status == 2


def test_notes_that_nobody_reads_are_dropped() -> None:
    file = Broken(errno.EPIPE)
    notes = Channel(file, vital=False)
    notes.write("one")
    notes.write("two")
    assert file.writes == 1


def test_a_process_without_standard_output() -> None:
    channel = Channel(None, vital=True)
    channel.write("nowhere")
    assert not channel.is_terminal


def test_what_a_lost_pipe_still_buffers_is_thrown_away() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    file = open(writing, "w", encoding="utf-8")  # noqa: SIM115  # closing it is the test
    with pytest.raises(ReaderLeft):
        Channel(file, vital=True).write("text")
    file.close()  # would raise BrokenPipeError


def test_a_pipe_is_utf_8_with_line_ends_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="cp1252", newline="\r\n"))
    standard_output().write("→ one\ntwo\r\n")
    assert raw.getvalue() == "→ one\ntwo\r\n".encode()


def test_a_terminal_without_the_character_gets_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    monkeypatch.setattr(file, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout", file)
    standard_output().write("é")
    assert raw.getvalue() == rb"\xe9"


def test_every_way_a_stream_may_end_has_a_status() -> None:
    endings = [sd.RequestRejectedError, sd.NotAnEventStreamError, *sd.StreamError.__subclasses__()]
    assert {ending.kind for ending in endings} == set(STATUS_OF_KIND)


def test_a_command_error_is_wrong_usage_unless_it_says_otherwise() -> None:
    assert CommandError("no").status == USAGE == 2
    assert CommandError("no", 1).status == 1
