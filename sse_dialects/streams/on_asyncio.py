"""asyncio, 3.10 included, as `runtimes` describes it. Imported when a stream runs there, and not before."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from types import TracebackType

__all__ = ["AsyncioRuntime", "AsyncioScope", "Unwound"]


class AsyncioRuntime:
    """What an async stream needs of asyncio; `TrioRuntime` is its twin.

    Args:
        close_s: seconds for which closing may go on while the caller is being cancelled.
    """

    __slots__ = ("_close_s",)

    def __init__(self, close_s: float) -> None:
        self._close_s = close_s

    def scope(self, seconds: float | None) -> AsyncioScope:
        """A scope that ends after ``seconds``, or only when it is told to."""
        return AsyncioScope(seconds)

    def event(self) -> asyncio.Event:
        """Something with ``set()`` and ``await wait()``."""
        return asyncio.Event()

    def unwound(self, step: Awaitable[Any]) -> Awaitable[Any]:
        """``step``, of which a second cancellation does not cut short what it does to end after the first."""
        return Unwound(step, self._close_s)

    async def finish(self, close: Callable[[], Awaitable[None]]) -> None:
        """Runs ``close`` to its end whatever is cancelled meanwhile, but not for longer than ``close_s``.

        In a task of its own: a cancellation of this one would cut short what it awaits, and `asyncio.wait` leaves that one alone.
        """

        async def closing() -> None:
            await close()

        task = asyncio.create_task(closing())
        deadline = _now() + self._close_s
        cancelled: asyncio.CancelledError | None = None
        while not task.done() and _now() < deadline:
            try:
                await asyncio.wait((task,), timeout=deadline - _now())
            except asyncio.CancelledError as error:  # passed on below
                cancelled = error
        if not task.done():
            task.cancel()
        if cancelled is not None:
            raise cancelled
        if task.done():
            task.result()


class AsyncioScope:
    """`trio.CancelScope` for one await: ends it after some seconds, or when another task calls `cancel`.

    As `asyncio.timeout` does it, which 3.10 has not: the task is cancelled, and the cancellation taken back where it comes out
    of the block, unless somebody else has cancelled the task as well. (3.10 can't tell the two apart.)
    """

    __slots__ = ("_cancelling", "_seconds", "_task", "_timer", "cancel_called", "cancelled_caught")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._cancelling = 0
        self.cancel_called = False
        self.cancelled_caught = False

    def __enter__(self) -> AsyncioScope:
        self._task = asyncio.current_task()
        if self._task is not None and sys.version_info >= (3, 11):
            self._cancelling = self._task.cancelling()
        if self._seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self.cancel)
        return self

    def cancel(self) -> None:
        """Ends the block where it waits."""
        if self._task is not None and not self.cancel_called:
            self.cancel_called = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> bool:
        task, self._task = self._task, None
        if self._timer is not None:
            self._timer.cancel()
        if not self.cancel_called or task is None:
            return False
        others = sys.version_info >= (3, 11) and task.uncancel() > self._cancelling
        self.cancelled_caught = isinstance(error, asyncio.CancelledError) and not others
        return self.cancelled_caught


class Unwound:
    """An awaitable that the first cancellation reaches as usual. Later ones wait until it has ended, for ``seconds`` at most.

    A client that is cancelled closes its connection on the way out; cancelled again while it does that, it leaves half of it
    open, and marked as closed (httpx's shields are anyio's, and hold off only what anyio cancels).
    """

    __slots__ = ("_late", "_seconds", "_step")

    def __init__(self, step: Awaitable[Any], seconds: float) -> None:
        self._step = step
        self._seconds = seconds
        self._late: asyncio.CancelledError | None = None  # a cancellation that waits

    def __await__(self) -> Generator[Any, Any, Any]:
        running: Any = self._step.__await__()
        resume: Callable[[Any], Any] = running.send
        argument: Any = None
        until: float | None = None  # up to when further cancellations wait, by the loop's clock
        while True:
            try:
                waiting = resume(argument)
            except StopIteration as ended:
                self._raise_late()
                return ended.value
            except BaseException:
                self._raise_late()
                raise
            resume, argument = running.send, None
            try:
                if until is None or _now() > until:
                    argument = yield waiting
                else:
                    yield from self._outlast(waiting, until)
            except BaseException as error:  # a cancellation, or what the future that was waited for failed with
                resume, argument = running.throw, error
                if isinstance(error, asyncio.CancelledError):
                    until = until or _now() + self._seconds

    def _outlast(self, waiting: Any, until: float) -> Generator[Any, Any, None]:
        """Waits for the future that a task would wait for, or for the loop's next turn where it is None; a cancellation before
        ``until`` is kept."""
        if waiting is not None:
            # As a task does with a future that it is given; the flag is the protocol between the two.
            waiting._asyncio_future_blocking = False
        while waiting is None or not waiting.done():
            try:
                yield from _done(waiting)
            except asyncio.CancelledError as error:
                if _now() > until:
                    raise
                self._late = error
            if waiting is None:
                return

    def _raise_late(self) -> None:
        if self._late is not None:
            raise self._late


def _now() -> float:
    return asyncio.get_running_loop().time()


def _done(waiting: Any) -> Generator[Any, Any, None]:
    """Waits by a future of its own, so that cancelling the task leaves ``waiting`` alone."""
    if waiting is None:
        yield
        return
    done: asyncio.Future[None] = waiting.get_loop().create_future()

    def tell(_: Any) -> None:
        if not done.done():
            done.set_result(None)

    waiting.add_done_callback(tell)
    yield from done
