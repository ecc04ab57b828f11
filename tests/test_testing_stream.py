"""Scripted streams: where they are cut, what goes wrong, when it comes."""

from __future__ import annotations

import time

import pytest
from loops import both

import sse_dialects as sd
from sse_dialects.testing import ScriptedStream, reply

FRAMES = [b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"]


@pytest.fixture
def stream():
    return ScriptedStream("chat", FRAMES, [b"data: [DONE]\n\n"])


@pytest.fixture(params=["chat", "messages", "responses"])
def hello(request):
    return reply("Hello, world", reasoning="Hm.").in_dialect(request.param)


def pauses(stream):
    return [pause_s for pause_s, _ in stream.steps()]


def error_of(source):
    with pytest.raises(sd.SSEDialectsError) as caught, sd.stream(source) as events:
        events.answer()
    return caught.value


def test_what_is_sent(stream):
    assert stream.frames() == [*FRAMES, b"data: [DONE]\n\n"]
    assert stream.bytes() == b"".join(stream.frames())
    assert stream.pieces() == stream.frames()
    assert stream.steps() == [*((0.0, frame) for frame in stream.frames()), (0.0, None)]
    assert repr(stream) == "<ScriptedStream chat, 4 frames, 41 bytes>"


def test_each_method_leaves_the_stream_as_it_was(stream):
    before = stream.steps()
    (
        stream.cut(),
        stream.stall(1),
        stream.delay(1),
        stream.keep_alives(),
        stream.insert(b"x"),
        stream.line_ends("\r"),
        stream.reads(1),
    )
    stream.answered(500, {"a": "b"})
    assert stream.steps() == before
    assert (stream.status, "a" in stream.headers) == (200, False)


@both
def test_it_is_a_source_again_and_again(hello, loop):
    source = hello.source()
    assert sd.stream(source).answer().text == "Hello, world"
    assert sd.stream(source).answer().text == "Hello, world"

    async def read():
        async with sd.astream(source) as events:
            return (await events.answer()).reasoning

    assert loop.run(read) == "Hm."


# ---- cuts


@pytest.mark.parametrize(("count", "left"), [(None, 3), (0, 0), (2, 2), (-1, 3), (-2, 2), (99, 4)])
def test_cut_after_frames(stream, count, left):
    assert stream.cut(after_frames=count).frames() == stream.frames()[:left]


@pytest.mark.parametrize("count", [0, 1, 8, 9, 10, 40, 41, 99, -1, -13])
def test_cut_after_bytes(stream, count):
    cut = stream.cut(after_bytes=count)
    assert cut.bytes() == stream.bytes()[:count]
    assert all(cut.frames())


def test_a_polite_cut_and_a_reset(hello):
    error = error_of(hello.cut().source())
    assert (type(error), error.cause, error.partial.text) == (sd.TruncatedStreamError, None, "Hello, world")
    error = error_of(hello.cut(after_bytes=-3, reset=True).source())
    assert isinstance(error.cause, ConnectionResetError)


def test_after_the_terminating_frame_a_reset_changes_nothing(hello):
    assert sd.stream(hello.cut(after_bytes=10**9, reset=True).source()).answer().text == "Hello, world"


# ---- failures


def test_an_error_in_place_of_the_end(hello):
    error = error_of(hello.error("Busy", code="busy").source())
    assert (type(error), error.message, error.code, error.partial.text) == (sd.UpstreamError, "Busy", "busy", "Hello, world")
    assert error.partial.model == "scripted-1"


def test_an_error_at_once(hello):
    assert error_of(hello.error(after_frames=0).source()).partial.text == ""


def test_a_stream_without_words_for_failures(stream):
    with pytest.raises(sd.MisuseError, match=r"insert\(...\)"):
        stream.error()


# ---- pauses


def test_pauses_stand_where_they_are_told(stream):
    assert pauses(stream.stall(7)) == [0, 0, 0, 7, 0]
    assert pauses(stream.stall(7, after_frames=0)) == [7, 0, 0, 0, 0]
    assert pauses(stream.stall(7, after_frames=99)) == [0, 0, 0, 0, 7]
    assert pauses(stream.stall(7).stall(1)) == [0, 0, 0, 8, 0]
    assert pauses(stream.delay(2)) == [2, 2, 2, 2, 0]
    assert pauses(stream.delay(2).delay(1)) == [3, 3, 3, 3, 0]


def test_a_pause_comes_before_the_fault_that_is_told_the_same_place(stream):
    assert pauses(stream.stall(7).cut()) == [0, 0, 0, 7]
    assert pauses(stream.stall(7, after_frames=2).cut(after_bytes=20)) == [0, 0, 7, 0]
    chat = reply("Hi").as_chat()
    assert pauses(chat.stall(7).error()) == [0, 0, 7, 0]
    assert pauses(chat.error().stall(7)) == [0, 0, 7, 0]


def test_keep_alives_may_fill_a_stall(stream):
    filled = stream.stall(9, keep_alives=2)
    assert pauses(filled) == [0, 0, 0, 3, 3, 3, 0]
    assert filled.frames()[3:5] == [b": keep-alive\n\n"] * 2
    assert filled.cut().frames() == filled.frames()[:5]
    assert pauses(stream.stall(9, after_frames=99, keep_alives=2)) == [0, 0, 0, 0, 3, 3, 3]


def test_pauses_are_played(hello):
    started = time.monotonic()
    assert sd.stream(hello.stall(0.05).source()).answer().text == "Hello, world"
    assert time.monotonic() - started > 0.045
    started = time.monotonic()
    sd.stream(hello.stall().source(speed=None)).answer()
    assert time.monotonic() - started < 5


@both
def test_a_stall_runs_into_a_timeout(hello, loop):
    async def read(**timeouts):
        async with sd.astream(hello.stall(5, keep_alives=100).source(), **timeouts) as events:
            await events.answer()

    with pytest.raises(sd.StalledStreamError, match="content_timeout"):
        loop.run(lambda: read(content_timeout=0.1))
    with pytest.raises(sd.StalledStreamError, match="idle_timeout"):
        loop.run(lambda: read(idle_timeout=0.01))


# ---- keep-alives and other frames


def test_keep_alives(stream):
    alive = b": keep-alive\n\n"
    one, two, three, done = stream.frames()
    assert stream.keep_alives().frames() == [one, alive, two, alive, three, alive, done]
    assert stream.keep_alives(2).frames() == [one, two, alive, three, done]
    assert stream.keep_alives(3, comment="x").frames() == [one, two, three, b": x\n\n", done]
    assert stream.keep_alives(4).frames() == stream.frames()
    assert stream.keep_alives().cut().frames() == [one, alive, two, alive, three, alive]
    assert pauses(stream.delay(1).keep_alives()) == [1, 0, 1, 0, 1, 0, 1, 0]
    with pytest.raises(sd.MisuseError, match="from 1 up"):
        stream.keep_alives(0)


def test_pings():
    stream = reply("Hi").as_messages().keep_alives(ping=True)
    assert stream.frames().count(b'event: ping\ndata: {"type":"ping"}\n\n') == 5
    assert sd.stream(stream.source()).answer().text == "Hi"


def test_any_other_frame(stream):
    assert stream.insert(b"retry: 5\n\n").frames()[3:] == [b"retry: 5\n\n", b"data: [DONE]\n\n"]
    assert stream.insert(b"\xef\xbb\xbf", after_frames=0).bytes() == b"\xef\xbb\xbf" + stream.bytes()
    assert stream.insert(b"x", after_frames=99).cut().frames() == FRAMES
    assert stream.insert(b"x").cut().frames() == [*FRAMES, b"x"]


# ---- lines and reads


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends(hello, end):
    changed = hello.keep_alives().line_ends(end).stall(0, keep_alives=1).insert(b": x\n\n")
    assert changed.bytes() == changed.line_ends("\n").bytes().replace(b"\n", end.encode())
    assert sd.stream(changed.source()).answer().text == "Hello, world"
    assert error_of(hello.line_ends(end).error("Busy").source()).message == "Busy"


def test_reads_of_a_size(stream):
    assert stream.reads(10).pieces() == [b"data: 1\n\nd", b"ata: 2\n\nda", b"ta: 3\n\ndat", b"a: [DONE]\n", b"\n"]
    assert stream.reads(10).reads().pieces() == stream.frames()
    with pytest.raises(sd.MisuseError, match="from 1 up"):
        stream.reads(0)


def test_reads_of_random_sizes(hello):
    first = hello.reads(seed=1).pieces()
    assert hello.reads(seed=1).pieces() == first
    assert hello.reads(seed=2).pieces() != first
    assert b"".join(first) == hello.bytes()


def test_a_read_does_not_go_over_a_pause(stream):
    assert stream.stall(1, after_frames=2).reads(1000).steps() == [
        (0.0, b"".join(FRAMES[:2])),
        (1.0, FRAMES[2] + b"data: [DONE]\n\n"),
        (0.0, None),
    ]


# ---- the response


def test_the_response(hello):
    assert hello.headers == {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
    answered = hello.answered(201, {"X-Request-Id": "r-1", "Content-Type": "text/plain"})
    assert (answered.status, answered.headers["x-request-id"], answered.headers["content-type"]) == (201, "r-1", "text/plain")
    assert answered.source().status_code == 201
    assert answered.source().headers == answered.headers


def test_the_rest_of_a_response_that_is_kept():
    stream = reply("Hello, world", id="r").as_responses(piece=5, background=True).keep_alives(2).delay(0.01).error("Busy")
    frames = stream.frames()
    assert stream.starting_after(-1).frames() == frames
    for number in range(8):
        rest = stream.starting_after(number).frames()
        assert rest == frames[-len(rest) :]
        assert sd.FrameParser().feed(rest[0])[0].json()["sequence_number"] == number + 1
    assert stream.starting_after(99).frames() == []
    assert len(stream.starting_after(3).steps()) == len(stream.starting_after(3).frames()) + 1
    assert stream.starting_after(99).cut().frames() == []


def test_a_text_that_looks_like_a_number():
    stream = reply('"sequence_number":77', id="r").as_responses(piece=None)
    assert len(stream.starting_after(3).frames()) == len(stream.frames()) - 4


@pytest.mark.parametrize("dialect", ["chat", "messages"])
def test_other_dialects_have_no_numbers(dialect):
    with pytest.raises(sd.MisuseError, match="as_responses"):
        reply("Hello").in_dialect(dialect).starting_after(3)
