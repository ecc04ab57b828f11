"""The timeouts of a stream, against a clock of our own."""

from __future__ import annotations

from math import inf

import pytest

from sse_dialects.errors import MisuseError
from sse_dialects.streams import timeouts as module
from sse_dialects.streams.timeouts import LongFrame, TimeoutRanOutError, Timeouts, checked_timeout, timeouts_of


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(module, "monotonic", lambda: Clock.now)
    return Clock


def started(**seconds) -> Timeouts:
    timeouts = Timeouts(**seconds)
    timeouts.start()
    return timeouts


def facts(timeouts):
    error = timeouts.run_out()
    return error.setting, pytest.approx(error.waited_s)


def test_no_limits(clock):
    assert started().read_begins() == inf


def test_idle_counts_from_each_read(clock):
    timeouts = started(idle=2.0)
    for _ in range(3):
        assert timeouts.read_begins() == clock.now + 2.0
        clock.now += 1.5
        timeouts.read_ended(clock.now, content=False)
    assert facts(timeouts) == ("idle_timeout", 2.0)


def test_content_counts_over_keep_alives(clock):
    timeouts = started(content=3.0)
    assert timeouts.read_begins() == 103.0
    clock.now += 2.0
    timeouts.read_ended(clock.now, content=False)
    assert timeouts.read_begins() == timeouts.until == 103.0
    assert not timeouts.is_over(102.9)
    assert timeouts.is_over(103.0)
    assert facts(timeouts) == ("content_timeout", 3.0)
    clock.now += 1.5
    timeouts.read_ended(clock.now, content=False)
    with pytest.raises(TimeoutRanOutError):
        timeouts.read_begins()
    assert facts(timeouts) == ("content_timeout", 3.5)


def test_content_starts_it_anew(clock):
    timeouts = started(content=3.0)
    timeouts.read_begins()
    clock.now += 2.9
    timeouts.read_ended(clock.now, content=True)
    assert timeouts.settled
    assert timeouts.read_begins() == clock.now + 3.0
    clock.now += 2.9
    timeouts.read_ended(clock.now, content=False)
    assert not timeouts.settled
    assert timeouts.read_begins() == pytest.approx(clock.now + 0.1)


def test_the_callers_time_is_not_counted_but_in_total(clock):
    timeouts = started(content=3.0, first_token=4.0, total=100.0)
    timeouts.read_begins()
    clock.now += 2.0
    timeouts.read_ended(clock.now, content=False)
    clock.now += 60.0
    assert timeouts.read_begins() == clock.now + 1.0
    clock.now += 40.0
    with pytest.raises(TimeoutRanOutError):
        timeouts.read_begins()
    assert facts(timeouts) == ("total_timeout", 102.0)


def test_the_first_token(clock):
    timeouts = started(first_token=4.0, content=9.0)
    timeouts.read_begins()
    clock.now += 1.0
    timeouts.read_ended(clock.now, content=True)
    assert not timeouts.settled
    assert timeouts.read_begins() == clock.now + 3.0
    assert facts(timeouts) == ("first_token_timeout", 4.0)
    clock.now += 2.0
    timeouts.read_ended(clock.now, content=True)
    timeouts.first_token_came()
    assert timeouts.read_begins() == clock.now + 9.0
    timeouts.read_ended(clock.now, content=True)
    assert timeouts.settled


def test_the_nearest_of_all(clock):
    timeouts = started(content=3.0, idle=2.0, total=4.0)
    assert timeouts.read_begins() == 102.0
    assert facts(timeouts) == ("idle_timeout", 2.0)
    clock.now += 1.5
    timeouts.read_ended(clock.now, content=False)
    assert timeouts.read_begins() == 103.0
    assert facts(timeouts) == ("content_timeout", 3.0)
    timeouts.read_ended(clock.now, content=True)
    clock.now += 1.0
    assert timeouts.read_begins() == 104.0
    assert facts(timeouts) == ("total_timeout", 4.0)


def test_what_watches_content():
    assert Timeouts(content=1.0).watches_content
    assert Timeouts(first_token=1.0).watches_content
    assert not Timeouts(idle=1.0, total=1.0).watches_content


def test_total_starts_once(clock):
    timeouts = started(total=4.0)
    clock.now += 1.0
    timeouts.start()
    assert timeouts.total_until == 104.0


def test_made_only_where_one_is_set():
    assert timeouts_of(content=None, first_token=None, total=None) is None
    assert isinstance(timeouts_of(content=None, first_token=None, total=None, idle=1.0), Timeouts)
    for name in ("content", "first_token", "total", "idle"):
        with pytest.raises(MisuseError, match=f"{name}_timeout takes"):
            timeouts_of(**{"content": None, "first_token": None, "total": None, name: 0})


@pytest.mark.parametrize("seconds", [1, 0.001, inf])
def test_timeouts_that_are_some(seconds):
    assert checked_timeout("idle_timeout", seconds) == seconds


def test_none_is_for_ever():
    assert checked_timeout("idle_timeout", None) == inf


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), True, "1"])
def test_timeouts_that_are_none(seconds):
    with pytest.raises(MisuseError, match="idle_timeout takes a number"):
        checked_timeout("idle_timeout", seconds)


# ---- long frames

LONG = b'data: {"choices": [{"delta": {"content": "' + b"x" * 100


def arriving(*reads, counted=0):
    frame = LongFrame()
    return [frame.arrives(data, counted) for data in reads]


def test_a_long_frame_arrives():
    assert arriving(LONG, b"x" * 100, b"x") == [True, True, True]
    assert arriving(b"event: e\n", b"data: x\n" * 10, b"data: y\n" * 10) == [False, False, True]


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n"])
def test_the_end_of_a_frame_begins_the_count_anew(end):
    for cut in range(1, len(end)):
        assert arriving(LONG, end[:cut], end[cut:], b"data: x") == [True, True, False, False]
    assert arriving(LONG, end, b"data: x") == [True, False, False]


def test_a_frame_or_comment_that_the_decoder_counted_begins_it_anew():
    frame = LongFrame()
    assert frame.arrives(LONG, 0)
    assert not frame.arrives(b"x", 1)
    assert not frame.arrives(b"x", 1)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_keep_alives_in_pieces_are_no_long_frame(size):
    pings = (b"event: ping\ndata: {}\n\n" + b": keep-alive\n\n" + b"\n\n" + b"event: ping\r\n\r\n") * 20
    assert not any(arriving(*(pings[start : start + size] for start in range(0, len(pings), size))))


def test_a_long_comment_is_no_content():
    assert not any(arriving(b":" + b" " * 200, b" " * 500, b" " * 500, b"\n", b"\n"))
