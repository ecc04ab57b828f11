"""The lines of a recording, as docs/recording.md describes them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sse_dialects as sd
from sse_dialects.recording.lines import MAGIC, Head, end_line, head_line, parsed_head, parsed_steps, piece_line

HEAD = head_line(Head(200, {"content-type": "text/event-stream"}, "https://host/v1"), "2026-11-29T18:00:00Z")


def test_the_first_line():
    assert HEAD.startswith(MAGIC)
    assert json.loads(HEAD) == {
        "sse-dialects-recording": 1,
        "recorded": "2026-11-29T18:00:00Z",
        "url": "https://host/v1",
        "status": 200,
        "headers": {"content-type": "text/event-stream"},
    }
    head = parsed_head(HEAD)
    assert (head.status, head.headers, head.url) == (200, {"content-type": "text/event-stream"}, "https://host/v1")


def test_a_first_line_of_no_response():
    head = parsed_head(head_line(Head(), "2026-11-29T18:00:00Z"))
    assert (head.status, head.headers, head.url) == (None, {}, None)


def test_a_first_line_that_was_cut_says_nothing():
    for size in range(len(MAGIC), len(HEAD) - 1):
        assert parsed_head(HEAD[:size]).status is None
    assert parsed_head(HEAD[:-1]).status == 200  # only its newline is missing


def test_a_first_line_that_is_whole_and_damaged():
    with pytest.raises(OSError, match="line 1 of the recording is damaged"):
        parsed_head(MAGIC + b"1,\n")


@pytest.mark.parametrize("version", [2, "1", None])
def test_a_version_that_is_not_known(version):
    with pytest.raises(sd.MisuseError, match="upgrade"):
        parsed_head(json.dumps({"sse-dialects-recording": version}).encode() + b"\n")


def test_members_of_another_shape_are_nothing():
    head = parsed_head(b'{"sse-dialects-recording":1,"status":"200","headers":[],"url":7}\n')
    assert (head.status, head.headers, head.url) == (None, {}, None)


def test_text_is_readable_and_other_bytes_are_base64():
    assert piece_line(0.0215, "data: é\n\n".encode()) == '{"delay":0.0215,"text":"data: é\\n\\n"}\n'.encode()
    assert piece_line(1, b"data: \xc3") == b'{"delay":1,"base64":"ZGF0YTogww=="}\n'


def test_a_line_is_one_line_to_every_editor_and_harmless_on_a_terminal():
    line = piece_line(0, "\x1b[2J\x7f\x85\x9b\u2028\u2029\r\n\0".encode())
    assert len(line.decode().splitlines()) == 1
    assert line.isascii()
    assert line.decode().rstrip("\n").isprintable()


@given(st.binary(), st.floats(0, 1e6))
def test_bytes_come_back_as_they_were(data, delay_s):
    ((delay, item),) = parsed_steps([piece_line(delay_s, data)])
    assert item == data
    assert delay == pytest.approx(delay_s, abs=1e-6)


@given(st.text())
def test_so_does_text(text):
    assert [item for _, item in parsed_steps([piece_line(0, text.encode("utf-8"))])] == [text.encode("utf-8")]


def test_how_it_ended():
    assert end_line(0.5, "eof") == b'{"delay":0.5,"end":"eof"}\n'
    assert end_line(0.5, "failed", "ReadError") == b'{"delay":0.5,"end":"failed","error":"ReadError","timeout":false}\n'
    assert list(parsed_steps([end_line(0.5, "eof")])) == [(0.5, None)]
    assert list(parsed_steps([end_line(0.5, "closed")])) == [(0.5, None)]
    ((_, broken),) = parsed_steps([end_line(0, "failed", "ReadError")])
    assert isinstance(broken, ConnectionError)
    assert "ReadError" in str(broken)
    ((_, slow),) = parsed_steps([end_line(0, "failed", "ReadTimeout", timed_out=True)])
    assert isinstance(slow, TimeoutError)


def test_nothing_counts_after_the_end():
    assert list(parsed_steps([end_line(0, "eof"), b"{damaged\n"])) == [(0.0, None)]


def test_a_last_line_that_was_cut_is_passed_over():
    line = piece_line(0.1, b"data: 2\n\n")
    for size in range(len(line) - 1):
        assert [item for _, item in parsed_steps([piece_line(0, b"data: 1\n\n"), line[:size]])] == [b"data: 1\n\n"]
    assert [item for _, item in parsed_steps([line[:-1]])] == [b"data: 2\n\n"]  # only its newline is missing


@pytest.mark.parametrize(
    "line", [b"{}x\n", b"[]\n", b"\n", b'{"delay":0,"base64":"!"}\n', b'{"delay":0,"text":"\\ud800"}\n', b"[" * 9999 + b"\n"]
)
def test_a_damaged_line_is_told_by_its_number(line):
    steps = parsed_steps([piece_line(0, b"data: 1\n\n"), line, piece_line(0, b"data: 2\n\n")])
    assert next(steps) == (0, b"data: 1\n\n")
    with pytest.raises(OSError, match="line 3 of the recording is damaged"):
        next(steps)


def test_lines_of_a_kind_not_known_are_passed_over_but_their_time_counts():
    lines = [b'{"delay":0.25,"note":"a member of a later version"}\n', b'{"delay":0.5,"text":"a","more":1}\n', b'{"text":"b"}\n']
    assert list(parsed_steps(lines)) == [(0.75, b"a"), (0.0, b"b")]


@pytest.mark.parametrize("delay", ["-1", '"1"', "null", "[]"])
def test_a_delay_that_is_none_is_no_delay(delay):
    assert list(parsed_steps([b'{"delay":%b,"text":"a"}\n' % delay.encode()])) == [(0.0, b"a")]
