"""Running a test's coroutine on either event loop, with all the checks that it has."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import pytest
import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Loop:
    """One of the two event loops."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, test: Callable[[], Awaitable[Any]]) -> Any:
        """The result of ``test``. No task may be left, and whatever is collected afterwards is collected before this returns."""
        try:
            return trio.run(test) if self.name == "trio" else asyncio.run(self._checked(test), debug=True)
        finally:
            gc.collect()

    async def _checked(self, test: Callable[[], Awaitable[Any]]) -> Any:
        asyncio.get_running_loop().slow_callback_duration = 1.0  # a loaded machine is no fault
        try:
            return await test()
        finally:
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, f"tasks left: {left}"

    async def sleep(self, seconds: float) -> None:
        if self.name == "trio":
            await trio.sleep(seconds)
        else:
            await asyncio.sleep(seconds)

    async def together(self, *functions: Callable[[], Awaitable[Any]]) -> None:
        """Runs the functions as tasks until all have ended."""
        if self.name == "trio":
            async with trio.open_nursery() as nursery:
                for function in functions:
                    nursery.start_soon(function)
        else:
            await asyncio.gather(*(function() for function in functions))

    async def cancelled_after(self, seconds: float, function: Callable[[], Awaitable[Any]], *, again: bool = True) -> None:
        """Runs the function and cancels it after ``seconds``: on asyncio ``again`` and again until it has ended."""
        if self.name == "trio":
            with trio.move_on_after(seconds):  # a cancelled scope in trio cancels at each checkpoint
                await function()
            return
        task = asyncio.ensure_future(function())
        await asyncio.sleep(seconds)
        task.cancel()
        while not task.done():
            await asyncio.sleep(0)
            if again:
                task.cancel()
        with pytest.raises(asyncio.CancelledError):
            task.result()


both = pytest.mark.parametrize("loop", [Loop("asyncio"), Loop("trio")], ids=lambda loop: loop.name)
