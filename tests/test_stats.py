"""How a stream went in time, against a clock of our own."""

from __future__ import annotations

import pytest
from bodies import CHAT

from sse_dialects.decoder import Decoder
from sse_dialects.events import Started, TextDelta, ToolCallStarted
from sse_dialects.streams import stats
from sse_dialects.streams.stats import Timing


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(stats, "monotonic", lambda: Clock.now)
    return Clock


def test_nothing_has_come_yet(clock):
    timing = Timing()
    clock.now += 1
    seen = timing.stats(Decoder())
    assert seen.to_dict() == {
        "bytes": 0,
        "frames": 0,
        "comments": 0,
        "time_to_first_byte_s": None,
        "time_to_first_event_s": None,
        "time_to_first_token_s": None,
        "time_to_first_text_s": None,
        "longest_gap_s": None,
        "duration_s": 1.0,
    }
    assert timing.silence() == 1.0


def came(timing, now):
    """What `StreamDriver.on_bytes` notes."""
    timing.first_bytes()
    timing.gap = max(timing.gap, now - timing.last)
    timing.last = now


def test_a_stream(clock):
    timing, decoder = Timing(), Decoder()
    clock.now += 0.5
    came(timing, clock.now)
    clock.now += 0.25
    came(timing, clock.now)
    list(decoder.feed(b": a\n: b\n\n" + CHAT[0]))
    assert timing.note_first(Started(None, None))
    clock.now += 0.25
    came(timing, clock.now)
    assert timing.note_first(ToolCallStarted("c", "f", "function"))
    clock.now += 2
    timing.bytes += 6  # of a rejection
    came(timing, clock.now)
    assert not timing.note_first(TextDelta("x"))
    clock.now += 1
    assert timing.silence() == 1.0
    timing.end(silent=False)
    timing.end(silent=True)
    clock.now += 5
    seen = timing.stats(decoder)
    assert (seen.bytes, seen.frames, seen.comments) == (15 + len(CHAT[0]), 1, 2)
    assert (seen.time_to_first_byte_s, seen.time_to_first_event_s) == (0.5, 0.75)
    assert (seen.time_to_first_token_s, seen.time_to_first_text_s) == (1.0, 3.0)
    assert (seen.longest_gap_s, seen.duration_s) == (2.0, 4.0)


def test_a_silence_at_the_end_is_a_gap(clock):
    timing = Timing()
    came(timing, clock.now)
    assert timing.stats(Decoder()).longest_gap_s is None
    clock.now += 3
    timing.end(silent=True)
    assert timing.stats(Decoder()).longest_gap_s == 3.0
