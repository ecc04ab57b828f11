"""The two event loops, asyncio and trio, where an async stream treats them differently: a read that may be cut short, and a
close that may not. Neither is imported before a stream runs in it."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Union

from sse_dialects.sources.event_loop import running_trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from .on_asyncio import AsyncioReads, AsyncioRuntime
    from .timeouts import Timeouts

__all__ = ["CLOSE_S", "Reads", "Runtime", "TrioReads", "TrioRuntime", "running"]

# Seconds for which closing may go on while the caller is being cancelled. Closing a connection takes no time, unless a transport
# insists on a farewell from a peer that is gone.
CLOSE_S = 2.0

Runtime = Union["AsyncioRuntime", "TrioRuntime"]
Reads = Union["AsyncioReads", "TrioReads"]


def running() -> Runtime:
    """The event loop that runs the caller: trio where a trio task is running, else asyncio."""
    if (trio := running_trio()) is not None:
        return TrioRuntime(trio, CLOSE_S)
    from .on_asyncio import AsyncioRuntime

    return AsyncioRuntime(CLOSE_S)


class TrioRuntime:
    """trio's own timers and shields."""

    __slots__ = ("_close_s", "_trio")

    def __init__(self, trio: Any, close_s: float) -> None:
        self._trio = trio
        self._close_s = close_s

    def reads(self, timeouts: Timeouts | None) -> TrioReads:
        """What is entered around each read of one stream."""
        return TrioReads(self._trio, timeouts)

    async def finish(self, close: Callable[[], Awaitable[None]]) -> None:
        """Runs ``close`` to its end whatever is cancelled meanwhile, but not for longer than ``close_s`` seconds."""
        with self._trio.CancelScope(shield=True, deadline=self._trio.current_time() + self._close_s):
            await close()


class TrioReads:
    """A context manager around each read of one stream, with a `trio.CancelScope` for each; `AsyncioReads` is its twin.

    Attributes:
        timeouts: how long reads may take; None for any time.
        busy: whether a task is reading.

    Raises, on entering:
        TimeoutRanOutError: a timeout has run out already.
    """

    __slots__ = ("_over", "_scope", "_trio", "busy", "timeouts")

    def __init__(self, trio: Any, timeouts: Timeouts | None) -> None:
        self._trio = trio
        self._scope: Any = None
        self._over: Any = None  # event for a task that waits until the read is over
        self.timeouts = timeouts
        self.busy = False

    def __enter__(self) -> None:
        scope = self._trio.CancelScope()
        if self.timeouts is not None and (until := self.timeouts.read_begins()) < inf:
            scope.deadline = self._trio.current_time() + until - monotonic()
        self.busy = True
        self._scope = scope
        scope.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> bool:
        self.busy = False
        scope, self._scope = self._scope, None
        if self._over is not None:
            self._over.set()
        return bool(scope.__exit__(kind, error, traceback))

    def interrupt(self) -> None:
        """Ends the read under way, if one waits."""
        if self._scope is not None:
            self._scope.cancel()

    async def wait_until_over(self) -> None:
        """Ends the read under way, and returns when it is over."""
        self._over = self._trio.Event()
        self.interrupt()
        await self._over.wait()

    def close(self) -> None:
        """No more reads will come."""
