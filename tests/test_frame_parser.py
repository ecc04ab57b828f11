"""`FrameParser`: the frame layer as a class of its own, with its limit and its misuse."""

from __future__ import annotations

import pytest

from sse_dialects import Frame, FrameParser, LimitExceededError, Limits, MisuseError


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_kind_of_bytes_is_taken(kind):
    parser = FrameParser()
    assert parser.feed(kind(b"data: a\n")) == []
    assert parser.feed(kind(b"\ndata: b\n\n")) == [Frame(data="a"), Frame(data="b")]


def test_bytes_that_change_afterwards_change_nothing():
    parser, buffer = FrameParser(), bytearray(b"data: a")
    parser.feed(buffer)
    buffer[:] = b"xxxxxxx"
    assert parser.feed(b"\n\n") == [Frame(data="a")]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        ("data: a", "^a stream is fed bytes, not str: pass the raw bytes, before any decoding$"),
        (7, "^a stream is fed bytes, not int: pass bytes, bytearray or memoryview$"),
    ],
)
def test_anything_else_is_a_misuse(data, advice):
    with pytest.raises(MisuseError, match=advice):
        FrameParser().feed(data)


def test_what_it_has_seen():
    parser = FrameParser()
    frames = parser.feed(b": hello\nid: 7\nretry: 250\nevent: e\ndata: a\n\n: again\n\nid: 8\n\n")
    assert frames == [Frame("e", "a", "7", 250)]
    assert (parser.last_event_id, parser.retry_ms, parser.comments) == ("8", 250, 2)


def test_close_gives_the_unfinished_frame_and_counts_none_of_it():
    parser = FrameParser()
    parser.feed(b"id: 1\ndata: a\n\nid: 2\nretry: 9\ndata: b")
    assert parser.close() == Frame("message", "b", "2", 9)
    assert (parser.last_event_id, parser.retry_ms) == ("1", None)


def test_a_bom_that_is_not_the_first_is_text_in_an_unfinished_frame_too():
    for before, frame in ((b"", Frame(data="b")), (b"data: a\n\n", None)):
        parser = FrameParser()
        parser.feed(before + b"\xef\xbb\xbfdata: b")
        assert parser.close() == frame


def test_close_without_one_is_none():
    parser = FrameParser()
    parser.feed(b"data: a\n\n: only a comment")
    assert parser.close() is None


def test_data_after_close_is_a_misuse():
    parser = FrameParser()
    parser.close()
    with pytest.raises(MisuseError, match=r"^this FrameParser is closed: make a new one for the next stream$"):
        parser.feed(b"data: a\n\n")


@pytest.mark.parametrize("size", [1, 3, 64])
def test_a_frame_may_be_as_long_as_allowed_and_no_longer(size):
    def fed(data):
        parser = FrameParser(Limits(max_frame_bytes=10))
        return [frame for at in range(0, len(data), size) for frame in parser.feed(data[at : at + size])]

    assert fed(b"data: 1234\n\n") == [Frame(data="1234")]
    with pytest.raises(LimitExceededError) as caught:
        fed(b"data: 12345\n\n")
    assert (caught.value.limit, caught.value.allowed) == ("max_frame_bytes", 10)


def test_frames_before_one_that_is_too_long_are_on_the_error():
    parser = FrameParser(Limits(max_frame_bytes=10))
    with pytest.raises(LimitExceededError) as caught:
        parser.feed(b"data: a\n\ndata: b\n\ndata: much too long\n\ndata: c\n\n")
    assert caught.value.decoded == [Frame(data="a"), Frame(data="b")]
    for more in (b"data: d\n\n", b"d"):
        with pytest.raises(LimitExceededError) as caught:
            parser.feed(more)
        assert caught.value.decoded == []
    assert parser.close() is None


def test_a_line_without_end_is_too_long_as_soon_as_it_is():
    parser = FrameParser(Limits(max_frame_bytes=10))
    assert parser.feed(b"data: a\n\nda") == [Frame(data="a")]
    assert parser.feed(b"ta: 1234") == []
    with pytest.raises(LimitExceededError):
        parser.feed(b"5")
    parser = FrameParser(Limits(max_frame_bytes=10))
    parser.feed(b"data: a\n\nd")
    with pytest.raises(LimitExceededError):
        parser.feed(b"ata: " + b"x" * 20)


def test_one_frame_before_one_that_is_too_long_is_on_the_error():
    with pytest.raises(LimitExceededError) as caught:
        FrameParser(Limits(max_frame_bytes=10)).feed(b"data: a\n\ndata: much too long")
    assert caught.value.decoded == [Frame(data="a")]


def test_without_a_limit_a_frame_may_be_any_length():
    assert FrameParser(Limits(max_frame_bytes=None)).feed(b"data: " + b"x" * 100_000 + b"\n\n") == [Frame(data="x" * 100_000)]


@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_byte_order_mark_in_pieces_is_none_of_the_unfinished_frame(size):
    parser, data = FrameParser(), b"\xef\xbb\xbfdata: a"
    for start in range(0, len(data), size):
        assert parser.feed(data[start : start + size]) == []
    assert parser.close() == Frame(data="a")
