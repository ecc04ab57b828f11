"""The pause that works on both event loops."""

from __future__ import annotations

import sys
import time

import trio
from loops import both

from sse_dialects.sources.event_loop import running_trio, sleep


@both
def test_the_running_loop_is_told(loop):
    async def ask():
        return running_trio()

    assert loop.run(ask) is (trio if loop.name == "trio" else None)


def test_outside_of_any_loop_it_is_not_trio(monkeypatch):
    assert running_trio() is None
    monkeypatch.delitem(sys.modules, "trio")
    assert running_trio() is None


@both
def test_a_pause_lasts(loop):
    async def pause():
        started = time.monotonic()
        await sleep(0.03)
        return time.monotonic() - started

    assert 0.02 < loop.run(pause) < 1.0


@both
def test_a_pause_of_nothing_lets_others_run(loop):
    seen = []

    async def first():
        seen.append("a")
        await sleep(0)
        seen.append("c")

    async def second():
        seen.append("b")

    loop.run(lambda: loop.together(first, second))
    assert sorted(seen[:2]) in (["a", "b"], ["a", "c"])
    assert sorted(seen) == ["a", "b", "c"]
