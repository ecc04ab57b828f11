"""asyncio's part: a step that is cancelled again while it ends, and scopes beside cancellations of others."""

from __future__ import annotations

import asyncio
import sys

import pytest

from sse_dialects.streams.on_asyncio import AsyncioScope, Unwound


class Step:
    """Waits; when cancelled, takes its time to end."""

    def __init__(self, how):
        self.how = how
        self.ended = False
        self.going = asyncio.Event()

    async def __call__(self):
        try:
            self.going.set()
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            for _ in range(3):
                await self.how()
            self.ended = True
            raise


async def turn():
    await asyncio.sleep(0)


async def pause():
    await asyncio.sleep(0.005)


@pytest.mark.parametrize("how", [turn, pause])
def test_later_cancellations_wait(how):
    async def main():
        step = Step(how)
        task = asyncio.ensure_future(awaited(Unwound(step(), 2.0)))
        await step.going.wait()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0)
        assert task.cancelled()
        assert step.ended

    asyncio.run(main(), debug=True)


def test_but_not_for_ever():
    async def main():
        step = Step(lambda: asyncio.sleep(5))
        task = asyncio.ensure_future(awaited(Unwound(step(), 0.05)))
        await step.going.wait()
        started = asyncio.get_running_loop().time()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0.01)
        assert task.cancelled()
        assert not step.ended
        assert asyncio.get_running_loop().time() - started < 1

    asyncio.run(main(), debug=True)


def test_a_cancellation_that_waited_is_not_lost():
    async def stubborn():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await pause()
        return "never mind"

    async def fails():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await pause()
        raise LookupError

    async def main():
        assert await cancelled_times(1, stubborn) == "never mind"
        with pytest.raises(asyncio.CancelledError):
            await cancelled_times(2, stubborn)
        with pytest.raises(LookupError):
            await cancelled_times(1, fails)
        with pytest.raises(asyncio.CancelledError):
            await cancelled_times(2, fails)

    asyncio.run(main(), debug=True)


async def cancelled_times(number, function):
    task = asyncio.ensure_future(awaited(Unwound(function(), 2.0)))
    await asyncio.sleep(0)
    for _ in range(number):
        task.cancel()
        await asyncio.sleep(0.001)
    return await task


async def awaited(step):
    return await step


def test_results_errors_and_failed_futures_pass_through():
    async def main():
        assert await Unwound(asyncio.sleep(0, "a"), 1.0) == "a"
        assert await Unwound(asyncio.sleep(0.001, "b"), 1.0) == "b"
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_exception, LookupError())
        with pytest.raises(LookupError):
            await Unwound(awaited(future), 1.0)

    asyncio.run(main(), debug=True)


def test_a_timeout_inside_works_as_usual():
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await Unwound(asyncio.wait_for(asyncio.sleep(10), 0.01), 1.0)

    asyncio.run(main(), debug=True)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 can't tell the two apart")
def test_a_scope_and_somebody_else_cancel_at_once():
    async def main():
        async def waits():
            with AsyncioScope(None) as scope:
                scopes.append(scope)
                await asyncio.sleep(10)
            pytest.fail("the other cancellation was lost")

        scopes = []
        task = asyncio.ensure_future(waits())
        await asyncio.sleep(0)
        scopes[0].cancel()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not scopes[0].cancelled_caught

    asyncio.run(main(), debug=True)


def test_a_scope_that_rang_too_late_is_no_cancellation():
    async def main():
        with AsyncioScope(None) as scope:
            pass
        scope.cancel()
        await asyncio.sleep(0)
        assert not scope.cancel_called
        with AsyncioScope(None) as scope:
            try:
                scope.cancel()
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                pass
        assert scope.cancel_called
        assert not scope.cancelled_caught
        await asyncio.sleep(0)

    asyncio.run(main(), debug=True)
