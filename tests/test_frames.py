"""The WHATWG event stream interpretation: each rule in every chunking, and the reader's bounds."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from sse_dialects.frames import Frame, FrameReader
from sse_dialects.limits import Limits


def read(chunks, **limits):
    """``(frames, reader)`` of a stream in these chunks."""
    reader = FrameReader(Limits(**limits))
    texts = [reader.feed(chunk) for chunk in chunks]
    frames = [frame for block in "".join(texts).split("\n\n") if (frame := reader.frame(block)[0]) is not None]
    return frames, reader


def ways(data):
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    for cut in range(1, len(data)):
        yield [data[:cut], data[cut:]]
    rng = random.Random(len(data))
    for _ in range(10):
        edges = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(4))})
        yield [data[a:b] for a, b in pairwise(edges)]


RULES = {
    "one line each": (b"data: a\n\ndata: b\n\n", [Frame(data="a"), Frame(data="b")]),
    "CRLF": (b"event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", [Frame("e", "a"), Frame(data="b")]),
    "CR": (b"data: a\r\rdata: b\r\r", [Frame(data="a"), Frame(data="b")]),
    "mixed line ends": (b"data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r", [Frame(data=letter) for letter in "abcd"]),
    "three LF": (b"data: a\n\n\ndata: b\n\n", [Frame(data="a"), Frame(data="b")]),
    "a BOM goes, once": (b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", [Frame(data="a")]),
    "lines join": (b"data: a\ndata\ndata:b\n\n", [Frame(data="a\n\nb")]),
    "one space goes": (b"data:  a \n\n", [Frame(data=" a ")]),
    "no data, no frame": (b"event: e\n\ndata: a\n\n", [Frame(data="a")]),
    "an empty name is the usual one": (b"event:\ndata: a\n\n", [Frame(data="a")]),
    "an id stays": (
        b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
        [Frame(data="a", id="1"), Frame(data="b", id="1"), Frame(data="c")],
    ),
    "an id with NUL is ignored": (b"id: 1\n\nid: 2\0\ndata: a\n\n", [Frame(data="a", id="1")]),
    "retry takes digits alone": (
        b"retry: +5\nretry: 1_0\nretry: \xd9\xa1\ndata: a\n\nretry: 7\ndata: b\n\n",
        [Frame(data="a"), Frame(data="b", retry=7)],
    ),
    "a retry of eighteen digits is one": (b"retry: " + b"9" * 18 + b"\ndata: a\n\n", [Frame(data="a", retry=10**18 - 1)]),
    "a retry of many digits is none": (b"retry: " + b"9" * 5000 + b"\ndata: a\n\n", [Frame(data="a")]),
    "other ends are no line ends": (
        "data: a\u2028b\u2029c\x85d\x0be\x0cf\n\n".encode(),
        [Frame(data="a\u2028b\u2029c\x85d\x0be\x0cf")],
    ),
    "bytes that are no UTF-8": (b"data: a\xffb\n\nevent: \xc3\ndata: c\n\n", [Frame(data="a\ufffdb"), Frame("\ufffd", "c")]),
    "other fields are ignored": (b"foo: bar\nDATA: x\n data: y\ndata: a\n\n", [Frame(data="a")]),
    "unfinished": (b"data: a\n\ndata: b\n", [Frame(data="a")]),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_in_every_chunking(rule):
    data, expected = RULES[rule]
    for chunks in ways(data):
        frames, _ = read(chunks)
        assert frames == expected, chunks


def test_a_final_cr_does_not_wait():
    reader = FrameReader()
    assert reader.feed(b"data: a\r\n\r") == "data: a\n\n"
    assert reader.feed(b"") == reader.feed(b"\n") == ""
    assert reader.feed(b"data: b\n\n") == "data: b\n\n"


def test_an_empty_read_ends_no_line():
    reader = FrameReader()
    assert [reader.feed(read) for read in (b"data: a\r", b"", b"\ndata: b\n", b"", b"\n")] == [
        "",
        "",
        "",
        "",
        "data: a\ndata: b\n\n",
    ]


def test_an_odd_number_of_line_ends_is_no_frame_of_its_own():
    reader = FrameReader()
    assert [reader.feed(read) for read in (b"data: a\n\n\n", b"data: b\n\n")] == ["data: a\n\n", "\ndata: b\n\n"]


LARGE = b"z" * 70_000


@pytest.mark.parametrize(
    ("block", "data"),
    [
        (b"data: " + LARGE, LARGE),
        (b"data:" + LARGE, LARGE),
        (b"data: \xff" + LARGE, b"\xef\xbf\xbd" + LARGE),
        (b"data: " + LARGE + b"\ndata: b", LARGE + b"\nb"),
        (b"data: " + LARGE + b"\rdata: b", LARGE + b"\nb"),
        (b"data: " + LARGE + b"\nevent: message\n: b", LARGE),
        (b"data: " + LARGE[:65_530], LARGE[:65_530]),
    ],
)
def test_a_large_frame_is_read_like_any_other(block, data):
    frames, reader = read([b"id: 7\n\n" + block + b"\n\n"])
    assert frames == [Frame(data=data.decode(), id="7")]
    assert reader.end == 7 + len(block) + 2


def test_comments_are_counted():
    assert read([b": one\n:two\n\n:\ndata: a\nfoo: bar\n\n\nfoo\n:three\n\n"])[1].comments == 4


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_offsets_are_bytes_of_the_stream(end):
    """In every chunking. Of the last CRLF the CR alone counts."""
    data = end.join([b"\xef\xbb\xbfdata: a", b"", b"data: \xc3\xa9\xff", b"", b"data: c"])
    for chunks in ways(data):
        reader, found = FrameReader(), []
        for chunk in chunks:
            text = reader.feed(chunk)
            found += [reader.offset(chunk, text.count("\n", at)) for at in range(2, len(text) + 1) if text[at - 2 : at] == "\n\n"]
        assert found == [data.index(second) - len(end) + 1 for second in (b"data: \xc3", b"data: c")], chunks
        assert reader.end == found[-1]


@pytest.mark.parametrize("long", [b"too long", b"too long\r", b"too\rlong\n"])
def test_where_a_read_begins_with_a_frame_too_long_the_one_before_it_ends_at_its_cr(long):
    reader = FrameReader(Limits(max_frame_bytes=3))
    assert reader.feed(b"a\r\n\r\n") == "a\n\n"
    assert reader.feed(long) == ""
    assert (reader.overflow, reader.end) == (True, 4)


@pytest.mark.parametrize(
    "frames", [[b"data: a", b"data: b", b"data: too long", b"data: c"], [b"data: a", b"data: b", b"\ndata: too long"]]
)
def test_frames_before_the_one_that_is_too_long_are_returned(frames):
    """Whole in one read, and in pieces."""
    data = b"\n\n".join([*frames, b""])
    for chunks in ways(data):
        reader = FrameReader(Limits(max_frame_bytes=7))
        assert "".join(map(reader.feed, chunks)).split() == ["data:", "a", "data:", "b"]
        assert (reader.overflow, reader.end) == (True, 18)


def test_a_frame_as_long_as_allowed_is_none_too_long():
    for chunks in ways(b"\n\n\ndata: a\n\n\ndata: b\n\n"):
        reader = FrameReader(Limits(max_frame_bytes=7))
        assert "".join(map(reader.feed, chunks)).split() == ["data:", "a", "data:", "b"]
        assert not reader.overflow


def test_a_frame_made_of_nothing_has_the_defaults():
    frame = Frame()
    assert (frame.event, frame.data, frame.id, frame.retry) == ("message", "", "", None)


def test_done_is_the_trimmed_word():
    assert Frame(data=" [DONE]\n").done
    assert not Frame(data='"[DONE]"').done
    assert Frame(data='{"a": 1}').json() == {"a": 1}


@pytest.mark.parametrize("step", [1, 1000])
@pytest.mark.parametrize("piece", [b"x", b"\ndata: x", b"\r\ndata: x"])
def test_a_frame_that_drips_in_takes_time_that_grows_with_it(step, piece):
    def spent(size):
        data = b"data: " + piece * (size // len(piece))
        reader = FrameReader()
        reader.feed(b": begun\n\n")
        began = time.process_time()
        for at in range(0, len(data), step):
            reader.feed(data[at : at + step])
        return time.process_time() - began

    size = 20_000 if step == 1 else 400_000
    small, large = (min(spent(size * factor) for _ in range(3)) for factor in (1, 4))
    assert large < 12 * small + 0.05
