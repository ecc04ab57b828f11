"""`Limits`: frozen, compared by value, and strict about what a bound may be."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

import sse_dialects as sd
from sse_dialects.limits import DEFAULT_LIMITS, Limits

NAMES = ["max_frame_bytes", "max_answer_bytes", "max_parts", "max_choices", "max_tool_calls", "max_depth"]


def test_every_bound_is_on_by_default():
    limits = Limits()
    assert limits == DEFAULT_LIMITS
    assert (limits.max_frame_bytes, limits.max_answer_bytes) == (16 * 1024 * 1024, 256 * 1024 * 1024)
    assert all(getattr(limits, name) >= 1 for name in NAMES)


def test_the_bounds_have_a_fixed_order():
    assert list(inspect.signature(Limits).parameters) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_bound_is_set_and_switched_off_by_name(name):
    assert getattr(Limits(**{name: 7}), name) == 7
    assert getattr(Limits(**{name: None}), name) is None


@pytest.mark.parametrize("value", [0, -1, 1.5, "16 MiB", True])
@pytest.mark.parametrize("name", NAMES)
def test_a_bound_that_is_no_whole_number_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=rf"Limits\({name}=\.\.\.\) takes a whole number of at least 1, or None"):
        Limits(**{name: value})


def test_limits_are_frozen():
    limits = Limits()
    with pytest.raises(AttributeError, match="make another one with max_parts=5"):
        limits.max_parts = 5
    with pytest.raises(AttributeError, match="None switches a bound off"):
        del limits.max_parts
    with pytest.raises(AttributeError):
        limits.max_memory = 1
    assert limits == Limits()


def test_limits_are_values():
    one, same, other = Limits(max_parts=3), Limits(max_parts=3), Limits(max_parts=4)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "Limits"
    assert len({one, same, other}) == 2
    assert eval(repr(one)) == one


def test_limits_go_to_worker_processes():
    limits = Limits(max_frame_bytes=None, max_depth=9)
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert copy.deepcopy(limits) == limits


@pytest.mark.parametrize("limits", [5, None, {"max_parts": 3}, Limits])
def test_anything_else_is_the_callers_mistake(limits):
    for takes_them in (sd.Decoder, sd.ChatAccumulator, sd.FrameParser):
        with pytest.raises(sd.MisuseError, match=r"limits takes Limits\(max_answer_bytes="):
            takes_them(limits=limits)
    with pytest.raises(sd.MisuseError):
        sd.stream([], limits=limits)
    with pytest.raises(sd.MisuseError):
        sd.astream([], limits=limits)
