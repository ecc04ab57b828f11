"""Playing recordings, sync and async, at any speed."""

from __future__ import annotations

import io
import time
import tracemalloc

import pytest
from bodies import CHAT, DIALECTS
from loops import both

import sse_dialects as sd
from sse_dialects.recording import Recorder, Replay, playing, replay
from sse_dialects.recording.lines import MAGIC, Head, end_line, head_line, piece_line

TIMED = [(0.0, b"data: 1\n\n"), (6.0, b"data: 2\n\n"), (0.0, b"data: 3\n\n"), (3.0, None)]


def recorded(pieces, end=b""):
    head = head_line(Head(200, {"content-type": "text/event-stream"}, "https://host/v1"), "2026-11-29T18:00:00Z")
    return head + b"".join(piece_line(0.01, piece) for piece in pieces) + end


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answer.jsonl"


async def async_pieces(source):
    return [piece async for piece in source]


@both
def test_what_was_written_is_played(path, loop):
    with Recorder(path) as recorder:
        for piece in CHAT:
            recorder.write(piece)
    source = replay(path)
    assert list(source) == CHAT
    assert list(source) == CHAT  # and again
    assert loop.run(lambda: async_pieces(source)) == CHAT


def test_it_says_what_the_response_said(path):
    path.write_bytes(recorded(CHAT))
    source = replay(path)
    assert (source.status_code, source.url) == (200, "https://host/v1")
    assert source.headers == {"content-type": "text/event-stream"}
    assert repr(source) == "<Replay 200, speed 0>"
    assert repr(Replay([])) == "<Replay of no response, speed 0>"


@both
@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_is_a_source_of_streams(path, loop, dialect):
    path.write_bytes(recorded(DIALECTS[dialect], end_line(0, "eof")))
    with sd.stream(replay(path)) as events:
        assert events.answer().text == "Hello"
        assert events.response.status_code == 200

    async def read():
        async with sd.astream(replay(path)) as events:
            return (await events.answer()).text

    assert loop.run(read) == "Hello"


@pytest.mark.parametrize("kind", ["path", "file"])
def test_a_stream_saved_raw_is_played_too(path, kind):
    path.write_bytes(b"".join(CHAT))
    with open(path, "rb") as file:
        source = replay(path if kind == "path" else file, speed=1)
        assert source.status_code is None
        assert b"".join(source) == b"".join(CHAT)


def test_an_empty_file_gives_nothing():
    assert list(replay(io.BytesIO())) == []


def test_a_raw_stream_comes_in_pieces(path):
    path.write_bytes(b": " + b"x" * 200_000)
    assert max(map(len, replay(path))) <= 65_536


def test_an_open_file_is_played_once():
    source = replay(io.BytesIO(recorded(CHAT)))
    assert list(source) == CHAT
    with pytest.raises(sd.MisuseError, match="pass the file's path"):
        list(source)


def test_files_that_give_a_byte_at_a_time():
    class Slow(io.RawIOBase):
        def __init__(self, data):
            self._data = data

        def read(self, size=-1):
            piece, self._data = self._data[:1], self._data[1:]
            return piece

    assert list(replay(Slow(recorded(CHAT)))) == CHAT
    assert b"".join(replay(Slow(b"".join(CHAT)))) == b"".join(CHAT)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_recording_that_was_cut_plays_what_is_whole(dialect):
    frames = DIALECTS[dialect]
    whole = recorded(frames, end_line(0, "eof"))
    for size in range(len(whole) + 1):
        source = replay(io.BytesIO(whole[:size]))
        if source.status_code is None:
            continue
        pieces = list(source)
        assert pieces == frames[: len(pieces)]
        lost = whole[:size].count(b"\n") - 1 - len(pieces)
        assert lost <= 1  # the line of the end


def test_a_recording_that_was_cut_is_a_stream_that_was_cut(path):
    whole = recorded(CHAT)
    path.write_bytes(whole[: len(whole) - 5])
    with pytest.raises(sd.TruncatedStreamError) as caught:
        sd.stream(replay(path)).answer()
    assert caught.value.partial.text == "Hello"


def test_hardly_begun_it_is_no_answer_either(path):
    whole = recorded(CHAT)
    for size in range(1, whole.index(b"\n")):
        path.write_bytes(whole[:size])
        with pytest.raises(sd.TruncatedStreamError):
            sd.stream(replay(path)).answer()


def test_a_damaged_recording_is_a_broken_transport(path):
    head, first, _, *rest = recorded(CHAT).splitlines(keepends=True)
    path.write_bytes(b"".join([head, first, b"damaged\n", *rest]))
    with pytest.raises(sd.TruncatedStreamError, match="DamagedRecordingError") as caught:
        sd.stream(replay(path)).answer()
    assert isinstance(caught.value.cause, OSError)
    assert str(caught.value.cause) == "line 3 of the recording is damaged"


@both
def test_a_fault_comes_back(path, loop):
    path.write_bytes(recorded(CHAT[:2], end_line(0, "failed", "ReadError")))
    with pytest.raises(sd.TruncatedStreamError, match="ConnectionError") as caught:
        sd.stream(replay(path)).answer()
    assert "ReadError" in str(caught.value.cause)
    path.write_bytes(recorded(CHAT[:2], end_line(30, "failed", "ReadTimeout", timed_out=True)))
    with pytest.raises(sd.StalledStreamError, match="ran out after 30 s") as caught:
        sd.stream(replay(path)).answer()
    assert caught.value.waited_s == 30  # when it was recorded; played at once, there is no silence

    async def read():
        async with sd.astream(replay(path)) as events:
            await events.answer()

    with pytest.raises(sd.StalledStreamError):
        loop.run(read)


def test_a_rejection_comes_back(path):
    head = head_line(Head(429, {"content-type": "application/json", "retry-after": "3"}), "2026-11-29T18:00:00Z")
    path.write_bytes(head + piece_line(0, b'{"error": {"message": "slow down"}}') + end_line(0, "eof"))
    with pytest.raises(sd.RequestRejectedError, match="slow down") as caught, sd.stream(replay(path)):
        pass
    assert caught.value.retry_after == 3


class Clock:
    """Stands for the module `time`: a second passes when somebody sleeps it."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(playing, "time", clock)
    return clock


@pytest.mark.parametrize(("speed", "lasts_s"), [(1, 9.0), (2, 4.5), (0.5, 18.0), (None, 0.0), (0, 0.0)])
def test_timing_is_kept(clock, speed, lasts_s):
    arrived = [clock.now - 1000.0 for _ in Replay(TIMED, speed=speed)]
    assert arrived == [0.0, 2 * lasts_s / 3, 2 * lasts_s / 3]
    assert clock.now - 1000.0 == lasts_s


def test_a_piece_is_due_when_it_came_whatever_the_reader_did_meanwhile(clock):
    arrived = []
    for _ in Replay(TIMED, speed=1):
        arrived.append(clock.now - 1000.0)
        clock.sleep(4.0)
    assert arrived == [0.0, 6.0, 10.0]
    assert clock.now - 1000.0 == 14.0  # the end was due at 9


@both
def test_so_it_is_in_async_code(loop):
    source = Replay([(0.0, b"1"), (0.06, b"2"), (0.03, None)], speed=1)
    started = time.monotonic()
    assert loop.run(lambda: async_pieces(source)) == [b"1", b"2"]
    assert time.monotonic() - started > 0.085
    late = Replay([(0.0, b"1"), (30.0, b"2")])
    started = time.monotonic()
    assert loop.run(lambda: async_pieces(late)) == [b"1", b"2"]
    assert time.monotonic() - started < 20


@both
def test_played_at_once_it_lets_others_run(loop):
    turns = []

    async def play():
        turns.extend(["play" async for _ in Replay([(0.0, b"a")] * 20)])

    async def other():
        for _ in range(5):
            turns.append("other")
            await loop.sleep(0)

    loop.run(lambda: loop.together(play, other))
    assert turns[0] == "other"


@pytest.mark.parametrize("speed", [-1, float("inf"), float("nan"), "1", True, []])
def test_a_speed_that_is_none(speed):
    with pytest.raises(sd.MisuseError, match="speed takes"):
        Replay([], speed=speed)


def test_files_that_can_not_be_played(path):
    with pytest.raises(FileNotFoundError):
        replay(path)
    path.write_bytes(b'{"sse-dialects-recording":2}\n')
    with pytest.raises(sd.MisuseError, match="version 2"):
        replay(path)


@both
def test_left_in_the_middle_the_file_is_closed(path, loop):
    path.write_bytes(recorded(CHAT))  # an open file would warn, and warnings are errors

    def leave():
        for _ in replay(path):
            break

    async def leave_async():
        playing = replay(path).__aiter__()
        async for _ in playing:
            break
        await playing.aclose()
        async for _ in replay(path):
            break

    leave()
    loop.run(leave_async)
    loop.run(Replay([(0.0, b"a")]).__aiter__().aclose)  # without a file there is nothing to close


def test_an_endless_line_is_joined_once():
    data = b"x" * 2_000_000
    started = time.process_time()

    class Drip(io.BytesIO):
        def read1(self, size=-1):
            return super().read1(1024)

    assert list(replay(Drip(recorded([data])))) == [data]
    assert time.process_time() - started < 2


@pytest.mark.parametrize("place", ["head", "later"])
def test_a_line_that_never_ends_takes_bounded_memory(path, place):
    """A file that begins like a recording may be anything."""

    class Endless(io.RawIOBase):
        given = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            beginning = MAGIC if place == "head" else head_line(Head(), "") + b'{"delay":0,"text":"'
            data = beginning if not self.given else b"x" * len(buffer)
            self.given += len(data)
            buffer[: len(data)] = data
            return len(data)

    file = Endless()
    tracemalloc.start()
    try:
        if place == "head":
            with pytest.raises(OSError, match="line 1 of the recording is damaged: it is longer than 4 MiB"):
                replay(file)
        else:
            with sd.stream(replay(file)) as events, pytest.raises(sd.TruncatedStreamError) as caught:
                events.answer()
            assert "line 2 of the recording is damaged: it is longer" in str(caught.value.cause)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert file.given < 6 << 20


@pytest.mark.parametrize("delay", ["Infinity", "NaN", "1e300", f"1{'0' * 400}"])
@pytest.mark.parametrize("speed", [None, 1, 1e9])
def test_a_delay_that_nobody_waits_for_is_damage(path, delay, speed):
    path.write_bytes(head_line(Head(), "") + b'{"delay":%b,"text":"data: 1"}\n' % delay.encode())
    with sd.stream(replay(path, speed=speed)) as events, pytest.raises(sd.TruncatedStreamError) as caught:
        events.answer()
    assert str(caught.value.cause) == "line 2 of the recording is damaged"


def test_a_speed_of_almost_nothing_is_no_overflow(monkeypatch):
    waited = []
    monkeypatch.setattr("sse_dialects.recording.playing.time.sleep", waited.append)
    assert list(Replay([(1.0, b"a"), (1e8, b"b")], speed=1e-300)) == [b"a", b"b"]
    assert max(waited) <= 1e9
