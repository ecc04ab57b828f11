"""asyncio, 3.10 included, as `runtimes` describes it. Imported when a stream runs there, and not before."""

from __future__ import annotations

import asyncio
import sys
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from .timeouts import Timeouts

__all__ = ["AsyncioReads", "AsyncioRuntime"]

_COUNTS_CANCELLATIONS = sys.version_info >= (3, 11)


class AsyncioRuntime:
    """What an async stream needs of asyncio; `TrioRuntime` is its twin.

    Args:
        close_s: seconds for which closing may go on while the caller is being cancelled.
    """

    __slots__ = ("_close_s",)

    def __init__(self, close_s: float) -> None:
        self._close_s = close_s

    def reads(self, timeouts: Timeouts | None) -> AsyncioReads:
        """What is entered around each read of one stream."""
        return AsyncioReads(timeouts)

    async def finish(self, close: Callable[[], Awaitable[None]]) -> None:
        """Runs ``close`` to its end whatever is cancelled meanwhile, but not for longer than ``close_s``.

        In a task of its own: a cancellation of this one would cut short what it awaits, and `asyncio.wait` leaves that one alone.
        """

        async def closing() -> None:
            await close()

        task = asyncio.create_task(closing())
        deadline = monotonic() + self._close_s
        cancelled: asyncio.CancelledError | None = None
        while not task.done() and monotonic() < deadline:
            try:
                await asyncio.wait((task,), timeout=deadline - monotonic())
            except asyncio.CancelledError as error:  # passed on below
                cancelled = error
        if not task.done():
            task.cancel()
        if cancelled is not None:
            raise cancelled
        if task.done():
            task.result()


class AsyncioReads:
    """A context manager around each read of one stream. It ends a read that takes too long, or that another task wants over.

    As `asyncio.timeout` does it, which 3.10 has not: the task that reads is cancelled, and the cancellation taken back where it
    comes out of the block, unless somebody else has cancelled the task as well. (On 3.10 the two look the same.)

    One timer serves all reads. It is set anew only where a read has to end earlier than the timer rings; a timer that rings
    ahead of the read's end is set again, and one that rings between two reads is dropped. It holds the stream weakly.

    Attributes:
        timeouts: how long reads may take; None for any time.
        busy: whether a task is reading.

    Raises, on entering:
        TimeoutRanOutError: a timeout has run out already.
    """

    __slots__ = (
        "__weakref__",
        "_cancelling",
        "_interrupted",
        "_loop",
        "_over",
        "_rings_at",
        "_task",
        "_timer",
        "busy",
        "timeouts",
    )

    def __init__(self, timeouts: Timeouts | None) -> None:
        self.timeouts = timeouts
        self.busy = False
        self._loop = asyncio.get_running_loop()
        self._task: Any = None  # an asyncio.Task, whose `cancelling` and `uncancel` 3.10 does not know
        self._cancelling = 0  # how often others had cancelled the task before the read
        self._interrupted = False
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = inf
        self._over: asyncio.Event | None = None  # for a task that waits until the read is over

    def __enter__(self) -> None:
        timeouts = self.timeouts
        if timeouts is not None:
            until = timeouts.read_begins()
            if until < self._rings_at:
                self._set_timer(until)
        self.busy = True
        task: Any = asyncio.current_task(self._loop)
        self._task = task
        if _COUNTS_CANCELLATIONS and task is not None:
            self._cancelling = task.cancelling()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> bool:
        self.busy = False
        task, self._task = self._task, None
        if self._over is not None:
            self._over.set()
        if not self._interrupted or task is None:
            return False
        self._interrupted = False
        others = _COUNTS_CANCELLATIONS and task.uncancel() > self._cancelling
        return isinstance(error, asyncio.CancelledError) and not others

    def interrupt(self) -> None:
        """Ends the read under way, if one waits."""
        if self._task is not None and not self._interrupted:
            self._interrupted = True
            self._task.cancel()

    async def wait_until_over(self) -> None:
        """Ends the read under way, and returns when it is over."""
        self._over = asyncio.Event()
        self.interrupt()
        await self._over.wait()

    def close(self) -> None:
        """No more reads will come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer, self._rings_at = None, inf

    def _set_timer(self, moment: float) -> None:
        self.close()
        self._rings_at = moment
        myself: ref[AsyncioReads] = ref(self)
        self._timer = self._loop.call_later(moment - monotonic(), _ring, myself)

    def ring(self) -> None:
        """The timer rings."""
        self._timer, self._rings_at = None, inf
        if self.busy and self.timeouts is not None:
            until = self.timeouts.until
            if monotonic() < until:
                self._set_timer(until)
            else:
                self.interrupt()


def _ring(reads: ref[AsyncioReads]) -> None:
    if (alive := reads()) is not None:
        alive.ring()
