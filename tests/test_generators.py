"""Async generators inside a source are found as they start, and closed from the outside in."""

from __future__ import annotations

import sys

import pytest
from loops import both

from sse_dialects.sources.generators import GeneratorChain


def nested(loop, depth, closed, started):
    """``depth`` generators, each iterating the next; the innermost waits before its second piece."""

    async def level(number):
        started.append(number)
        try:
            if number == depth:
                await loop.sleep(0.001)
                yield "a"
                await loop.sleep(10)
            else:
                async for piece in level(number + 1):
                    yield piece
        finally:
            await loop.sleep(0)
            closed.append(number)

    return level(1)


async def close(chain):
    for closer in chain.closers():
        await closer()


@both
def test_closed_in_order(loop):
    closed, started = [], []

    async def main():
        chain = GeneratorChain(nested(loop, 4, closed, started))
        assert await chain.step() == "a"
        assert closed == []
        await close(chain)
        assert closed == [1, 2, 3, 4]
        await close(chain)

    loop.run(main)  # on trio a generator left to the collector would warn
    assert started == closed


@both
def test_the_loops_own_hook_is_called_and_put_back(loop):
    async def main():
        usual = sys.get_asyncgen_hooks()
        chain = GeneratorChain(nested(loop, 2, [], []))
        await chain.step()
        assert sys.get_asyncgen_hooks() == usual
        await close(chain)

    loop.run(main)


@both
def test_results_and_errors_pass_through(loop):
    async def fails():
        await loop.sleep(0)
        raise LookupError
        yield

    async def ends():
        return
        yield

    async def main():
        with pytest.raises(LookupError):
            await GeneratorChain(fails()).step()
        with pytest.raises(StopAsyncIteration):
            await GeneratorChain(ends()).step()

    loop.run(main)


@both
def test_later_steps_are_the_iterators_own(loop):
    async def pieces():
        yield "a"
        yield "b"

    async def main():
        source = pieces()
        chain = GeneratorChain(source)
        assert [await chain.step(), await chain.step()] == ["a", "b"]
        assert chain.step == source.__anext__
        await close(chain)

    loop.run(main)


@both
def test_cancellation_passes_through(loop):
    seen = []

    async def waits():
        try:
            await loop.sleep(10)
        except BaseException as error:
            seen.append(type(error).__name__)
            raise
        yield

    async def main():
        await loop.cancelled_after(0.01, wrapped)

    async def wrapped():
        await GeneratorChain(waits()).step()

    loop.run(main)
    assert seen[0] in {"CancelledError", "Cancelled"}
