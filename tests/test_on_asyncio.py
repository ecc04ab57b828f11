"""asyncio's part: reads that end, beside cancellations of others, and one timer for all of them."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from time import monotonic

import pytest

from sse_dialects.streams.on_asyncio import AsyncioReads
from sse_dialects.streams.timeouts import TimeoutRanOutError, Timeouts


def timed(**seconds) -> AsyncioReads:
    timeouts = Timeouts(**seconds)
    timeouts.start()
    return AsyncioReads(timeouts)


def run(main):
    asyncio.run(main(), debug=True)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 can't tell the two apart")
def test_a_read_is_ended_and_somebody_else_cancels_at_once():
    async def main():
        async def waits():
            reads.append(AsyncioReads(None))
            with reads[0]:
                await asyncio.sleep(10)
            pytest.fail("the other cancellation was lost")

        reads = []
        task = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        reads[0].interrupt()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 does not count")
def test_a_task_that_was_cancelled_before_is_not_cancelled_by_that():
    async def main():
        task = asyncio.current_task()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(1)
        with timed(idle=0.01):
            await asyncio.sleep(10)
        assert task.cancelling() == 1

    run(main)


def test_a_read_that_is_over_can_not_be_ended():
    async def main():
        reads = AsyncioReads(None)
        with reads:
            pass
        reads.interrupt()
        await asyncio.sleep(0)
        with reads:
            try:
                reads.interrupt()
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                pass
        await asyncio.sleep(0)

    run(main)


def test_only_the_task_that_reads_now_is_cancelled():
    async def main():
        reads = timed(idle=0.05)

        async def first():
            with reads:
                await asyncio.sleep(0)
            await asyncio.sleep(0.2)  # while the other one reads and is ended
            return "untouched"

        async def second():
            await asyncio.sleep(0.01)
            with reads:
                await asyncio.sleep(10)
            return "ended"

        assert await asyncio.gather(first(), second()) == ["untouched", "ended"]

    run(main)


def test_one_timer_serves_all_reads(monkeypatch):
    async def main():
        reads = timed(idle=0.1)
        calls = []
        loop = asyncio.get_running_loop()
        set_timer = loop.call_later

        def counted(*args):
            if args[1].__name__ == "_ring":
                calls.append(args)
            return set_timer(*args)

        monkeypatch.setattr(loop, "call_later", counted)
        for _ in range(100):
            with reads:
                await asyncio.sleep(0)
        assert len(calls) == 1
        began = monotonic()
        while monotonic() - began < 0.25:
            with reads:
                await asyncio.sleep(0.01)
        assert len(calls) <= 4
        began = monotonic()
        with reads:
            await asyncio.sleep(10)
        assert 0.1 <= monotonic() - began < 0.5

    run(main)


def test_an_earlier_moment_sets_it_anew():
    async def main():
        reads = timed(content=0.1, idle=60)
        timeouts = reads.timeouts
        with reads:
            await asyncio.sleep(0.05)
        timeouts.read_ended(monotonic(), content=False)
        began = monotonic()
        with reads:
            await asyncio.sleep(10)
        assert 0.03 <= monotonic() - began < 0.09

    run(main)


def test_a_timer_that_rings_between_two_reads_does_nothing():
    async def main():
        reads = timed(idle=0.02)
        with reads:
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        began = monotonic()
        with reads:
            await asyncio.sleep(10)
        assert 0.02 <= monotonic() - began < 0.2

    run(main)


def test_a_moment_that_has_come():
    async def main():
        reads = timed(total=0.01)
        await asyncio.sleep(0.02)
        with pytest.raises(TimeoutRanOutError), reads:
            pytest.fail("entered")
        assert not reads.busy

    run(main)


def test_the_timer_holds_nothing():
    async def main():
        reads = timed(idle=60)
        with reads:
            await asyncio.sleep(0)
        gone = weakref.ref(reads)
        del reads
        gc.collect()
        assert gone() is None

    run(main)


def test_closing_drops_the_timer():
    async def main():
        reads = timed(idle=60)
        with reads:
            await asyncio.sleep(0)
        timer = reads._timer
        reads.close()
        reads.close()
        assert timer.cancelled()

    run(main)
