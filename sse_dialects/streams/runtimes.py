"""The two event loops, asyncio and trio, as far as an async stream has to tell them apart: a read that may be cut short, and a
close that may not. Neither is imported before a stream runs in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from sse_dialects.sources.event_loop import running_trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .on_asyncio import AsyncioRuntime

__all__ = ["CLOSE_S", "Runtime", "TrioRuntime", "running"]

# Seconds for which closing may go on while the caller is being cancelled. Closing a connection takes no time, unless a transport
# insists on a farewell from a peer that is gone.
CLOSE_S = 2.0

Runtime = Union["AsyncioRuntime", "TrioRuntime"]


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

    def scope(self, seconds: float | None) -> Any:
        """A `trio.CancelScope` that ends after ``seconds``, or only when it is told to."""
        return self._trio.CancelScope() if seconds is None else self._trio.move_on_after(seconds)

    def event(self) -> Any:
        """Something with ``set()`` and ``await wait()``."""
        return self._trio.Event()

    def unwound(self, step: Awaitable[Any]) -> Awaitable[Any]:
        """``step`` as it is: what it does to end when it is cancelled, it shields."""
        return step

    async def finish(self, close: Callable[[], Awaitable[None]]) -> None:
        """Runs ``close`` to its end whatever is cancelled meanwhile, but not for longer than ``close_s`` seconds."""
        with self._trio.CancelScope(shield=True, deadline=self._trio.current_time() + self._close_s):
            await close()
