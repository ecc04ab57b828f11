"""Which event loop runs, and what both have in common: reads that end, and closes that are not cut short."""

from __future__ import annotations

import asyncio
import time

import pytest
from loops import both

from sse_dialects.streams.on_asyncio import AsyncioRuntime
from sse_dialects.streams.runtimes import TrioRuntime, running
from sse_dialects.streams.timeouts import TimeoutRanOutError, Timeouts


@both
def test_the_loop_that_runs_the_caller(loop):
    async def main():
        return running()

    assert isinstance(loop.run(main), TrioRuntime if loop.name == "trio" else AsyncioRuntime)


def timed(**seconds):
    timeouts = Timeouts(**seconds)
    timeouts.start()
    return running().reads(timeouts)


@both
def test_a_read_that_takes_too_long_is_ended(loop):
    async def main():
        reads = timed(idle=0.05)
        for _ in range(3):
            started = time.monotonic()
            with reads:
                assert reads.busy
                await loop.sleep(10)
            assert 0.05 <= time.monotonic() - started < 1
            assert not reads.busy
        await loop.sleep(0)  # nothing of the cancellation is left

    loop.run(main)


@both
def test_a_read_that_does_not(loop):
    async def main():
        for reads in (timed(idle=10), running().reads(None)):
            with reads:
                await loop.sleep(0)
                done = True
            assert done
        with pytest.raises(LookupError), timed(idle=10):
            raise LookupError

    loop.run(main)


@both
def test_a_moment_that_has_come(loop):
    async def main():
        reads = timed(total=0.01)
        await loop.sleep(0.02)
        with pytest.raises(TimeoutRanOutError), reads:
            pytest.fail("entered")
        assert not reads.busy

    loop.run(main)


@both
def test_a_read_that_another_task_ends(loop):
    async def main():
        reads = running().reads(None)

        async def waits():
            with reads:
                await loop.sleep(10)

        async def ends():
            await loop.sleep(0.01)
            await reads.wait_until_over()
            assert not reads.busy

        await loop.together(waits, ends)
        reads.interrupt()  # nobody reads
        reads.close()

    loop.run(main)


@both
def test_a_cancellation_from_outside_goes_through(loop):
    async def main():
        async def waits():
            with timed(idle=10):
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
    """A read may begin where no task runs, as some browsers' loops call coroutines; it then can't be ended."""

    async def main():
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        def enter():
            reads = AsyncioRuntime(1.0).reads(None)
            with reads:
                reads.interrupt()
                busy = reads.busy
            done.set_result((busy, reads.busy))

        loop.call_soon(enter)
        assert await done == (True, False)

    asyncio.run(main())
