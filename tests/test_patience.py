"""How long a stream may be silent, against a clock of our own."""

from __future__ import annotations

import pytest

from sse_dialects.errors import MisuseError
from sse_dialects.streams import patience as module
from sse_dialects.streams.patience import Patience, checked_timeout, patience


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(module, "monotonic", lambda: Clock.now)
    return Clock


def test_no_limits(clock):
    patient = Patience(None, None)
    assert patient.stalled(0) is None
    assert patient.left() is None


def test_idle_counts_from_each_read(clock):
    patient = Patience(None, 2.0)
    for _ in range(3):
        assert patient.stalled(0) is None
        assert patient.left() == 2.0
        clock.now += 1.5
    error = patient.run_out()
    assert (error.waited_s, error.setting) == (2.0, "idle_timeout")


def test_content_counts_over_keep_alives(clock):
    patient = Patience(3.0, None)
    assert patient.stalled(0) is None
    assert patient.left() == 3.0
    clock.now += 2.0
    assert patient.stalled(0) is None
    assert patient.left() == 1.0
    clock.now += 1.0
    error = patient.stalled(0)
    assert (error.waited_s, error.setting) == (3.0, "content_timeout")
    assert patient.left() == 0.0
    assert patient.run_out().setting == "content_timeout"


def test_content_starts_it_anew(clock):
    patient = Patience(3.0, None)
    patient.stalled(0)
    clock.now += 2.9
    assert patient.stalled(1) is None
    assert patient.left() == 3.0
    clock.now += 2.9
    assert patient.stalled(1) is None
    assert patient.left() == pytest.approx(0.1)


def test_the_callers_time_is_not_counted(clock):
    patient = Patience(3.0, None)
    patient.stalled(0)
    clock.now += 2.0
    patient.answered()
    clock.now += 60.0
    assert patient.stalled(0) is None
    assert patient.left() == 3.0


def test_the_nearer_of_two(clock):
    patient = Patience(3.0, 2.0)
    patient.stalled(0)
    assert patient.left() == 2.0
    assert patient.run_out().setting == "idle_timeout"
    clock.now += 1.5
    patient.stalled(0)
    assert patient.left() == 1.5
    error = patient.run_out()
    assert (error.waited_s, error.setting) == (3.0, "content_timeout")


def test_made_only_where_one_is_set():
    assert patience(None) is None
    assert isinstance(patience(1.0), Patience)
    assert isinstance(patience(None, 1.0), Patience)
    with pytest.raises(MisuseError, match="content_timeout"):
        patience(0)


@pytest.mark.parametrize("seconds", [None, 1, 0.001, float("inf")])
def test_timeouts_that_are_some(seconds):
    assert checked_timeout("idle_timeout", seconds) == seconds


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), True, "1"])
def test_timeouts_that_are_none(seconds):
    with pytest.raises(MisuseError, match="idle_timeout takes a number"):
        checked_timeout("idle_timeout", seconds)
