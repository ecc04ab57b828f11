"""Which event loop runs, and what both have in common: scopes that end a wait, and closes that are not cut short."""

from __future__ import annotations

import asyncio
import time

import pytest
from loops import both

from sse_dialects.streams.on_asyncio import AsyncioRuntime
from sse_dialects.streams.runtimes import TrioRuntime, running


@both
def test_the_loop_that_runs_the_caller(loop):
    async def main():
        return running()

    assert isinstance(loop.run(main), TrioRuntime if loop.name == "trio" else AsyncioRuntime)


@both
def test_a_scope_ends_a_wait(loop):
    async def main():
        started = time.monotonic()
        with running().scope(0.05) as scope:
            await loop.sleep(10)
        assert 0.05 <= time.monotonic() - started < 1
        assert scope.cancelled_caught
        await loop.sleep(0)  # nothing of the cancellation is left

    loop.run(main)


@both
def test_a_scope_that_is_not_needed(loop):
    async def main():
        with running().scope(10) as scope:
            await loop.sleep(0)
        assert not scope.cancelled_caught
        with running().scope(None) as scope:
            await loop.sleep(0)
        assert not scope.cancelled_caught
        with pytest.raises(LookupError), running().scope(10):
            raise LookupError

    loop.run(main)


@both
def test_a_scope_that_another_task_ends(loop):
    async def main():
        runtime = running()
        scope, over = runtime.scope(None), runtime.event()

        async def waits():
            with scope:
                await loop.sleep(10)
            over.set()

        async def ends():
            await loop.sleep(0.01)
            scope.cancel()
            scope.cancel()
            await over.wait()

        await loop.together(waits, ends)
        assert scope.cancelled_caught

    loop.run(main)


@both
def test_a_cancellation_from_outside_goes_through(loop):
    async def main():
        async def waits():
            with running().scope(10):
                await loop.sleep(10)
            pytest.fail("not cancelled")

        await loop.cancelled_after(0.01, waits)

    loop.run(main)


@both
def test_a_close_is_finished_whatever_is_cancelled(loop):
    finished = []

    async def close():
        for _ in range(5):
            await loop.sleep(0.005)
        finished.append(True)

    async def main():
        await running().finish(close)
        await loop.cancelled_after(0.01, lambda: running().finish(close))

    loop.run(main)
    assert finished == [True, True]


@both
def test_a_close_that_fails(loop):
    async def close():
        raise LookupError

    async def main():
        with pytest.raises(LookupError):
            await running().finish(close)

    loop.run(main)


@both
def test_a_close_that_never_ends(loop, monkeypatch):
    monkeypatch.setattr("sse_dialects.streams.runtimes.CLOSE_S", 0.05)

    async def main():
        started = time.monotonic()
        await running().finish(lambda: loop.sleep(10))
        assert time.monotonic() - started < 1
        await loop.sleep(0)

    loop.run(main)


def test_asyncio_without_a_task():
    """A scope may be entered where no task runs, as some browsers' loops call coroutines; it then does nothing."""

    async def main():
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def enter():
            with AsyncioRuntime(1.0).scope(None) as scope:
                scope.cancel()
            done.set_result(scope.cancelled_caught)

        loop.call_soon(enter)
        assert await done is False

    asyncio.run(main())
