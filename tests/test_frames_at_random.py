"""Random lines and line ends against the standard's own algorithm, read out word for word."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from shapes import chunkings

import sse_dialects as sd
from sse_dialects.frames import FrameReader

PIECES = [
    *(b"\n", b"\r", b"\r\n", b"\n\n", b" ", b":", b"\0", b"\xff", b"\xef", b"\xbb", b"\xbf", b"\xef\xbb\xbf", "\u2028".encode()),
    *(b"a", b"data", b"data:", b"data: b", b"data:  c", b": note", b"id", b"id: 1", b"id: \0", b"event: e", b"event:"),
    *(b"retry: 5", b"retry: +5", b"retry: 5 ", b"Data: x"),
]


def read_out(data):
    """The standard's "interpreting an event stream" (WHATWG HTML), over the whole text at once."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]  # what has no line end is no line
    frames, last_id, retry = [], "", None
    event, values, buffered_id = "", [], ""
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            last_id = buffered_id
            if values:
                frames.append((event or "message", "\n".join(values), last_id))
            event, values = "", []
        elif name == "data":
            values.append(value)
        elif name == "event":
            event = value
        elif name == "id" and "\0" not in value:
            buffered_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            retry = int(value)
    return frames, last_id, retry


def parsed(chunks):
    parser = sd.FrameParser()
    frames = [(frame.event, frame.data, frame.id) for chunk in chunks for frame in parser.feed(chunk)]
    return frames, parser.last_event_id, parser.retry_ms


# Lines and blocks around the sizes from which on they are read in other ways: 4 KiB and 64 KiB.
LONG = [
    *(
        b"x" * 100,
        b"x" * 4_090,
        b"\xff" * 5_000,
        b"data: " + b"y" * 4_000,
        b"data: " + b"z" * 66_000,
        b"\n\ndata: " + b"w" * 66_000,
    ),
    *(b"\n", b"\n", b"\n\n", b"\n\n", b"\r\n", b"\r", b"data: b", b"\n\nid: 1", b"event: e", b"data:"),
]


def random_streams(count, pieces=PIECES):
    rng = random.Random("frames")
    for _ in range(count):
        yield b"".join(rng.choices(pieces, k=rng.randrange(14)))


def in_long_reads(data):
    """Cut into a few, each of which may be longer than what is looked at in the shorter ways; and one byte apart around them."""
    rng = random.Random(len(data))
    for count in (0, 1, 2, 5, 20):
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(count))
        yield count, [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]
    near = sorted({0, len(data), *(at + step for at in range(0, len(data) - 2, 4_096) for step in range(3))})
    yield "near", [data[start:end] for start, end in pairwise(near)]


def test_frames_are_what_the_standard_says():
    for data in random_streams(2_000):
        frames, last_id, _ = read_out(data)
        for name, chunks in chunkings(data, data):
            assert parsed(chunks)[:2] == (frames, last_id), (name, data)
        # The standard sets the time at once, we with the frame; it counts the same once the blank line is in.
        assert parsed([data + b"\n\n"])[2] == read_out(data + b"\n\n")[2]


def test_so_they_are_where_lines_and_reads_are_long():
    for data in random_streams(60, LONG):
        frames, last_id, _ = read_out(data)
        found = [_located(chunks, None) for _, chunks in in_long_reads(data)]
        assert all(each == found[0] for each in found), data[:80]
        for name, chunks in in_long_reads(data):
            assert parsed(chunks)[:2] == (frames, last_id), (name, data[:80])


@pytest.mark.parametrize("room", [4_095, 4_097, 5_000])
def test_a_long_frame_is_refused_at_the_same_one_however_it_is_read(room):
    for data in random_streams(60, LONG):
        found = [_located(chunks, room) for _, chunks in in_long_reads(data)]
        assert all(each == found[0] for each in found), data[:80]


@pytest.mark.parametrize("room", [3, 6, 9, None])
def test_offsets_and_overflow_do_not_depend_on_the_reads(room):
    for data in random_streams(1_000):
        found = [_located(chunks, room) for _, chunks in chunkings(data, data)]
        assert all(each == found[0] for each in found), data


def _located(chunks, room):
    """Each block with the offset behind it, and where a frame grew too large."""
    reader = FrameReader(sd.Limits(max_frame_bytes=room))
    located = []
    for chunk in chunks:
        text = reader.feed(chunk)
        at = 0
        while at < len(text):
            stop = text.index("\n\n", at)
            located.append((text[at:stop], reader.offset(chunk, text.count("\n", stop + 2))))
            at = stop + 2
        if reader.overflow:
            return [*located, ("too large", reader.end)]
    return located
