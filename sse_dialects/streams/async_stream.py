"""Streams in async code, on asyncio and trio. All that is decided, `reading` decides; this waits, and keeps to the timeouts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, BinaryIO, Literal
from warnings import warn

from sse_dialects.decoder import Decoder
from sse_dialects.events import TextDelta
from sse_dialects.limits import DEFAULT_LIMITS, Limits
from sse_dialects.root import MisuseError
from sse_dialects.sources.for_async import open_async_source
from sse_dialects.sources.generators import GeneratorChain
from sse_dialects.sources.sockets import DRAIN_BYTES, DRAIN_S

from .patience import patience
from .reading import Reading
from .runtimes import running

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from os import PathLike
    from types import TracebackType

    from sse_dialects.answer import Answer, DialectName
    from sse_dialects.events import Event
    from sse_dialects.recording import Recorder
    from sse_dialects.sources.source import Source

    from .runtimes import Runtime
    from .stats import Stats

__all__ = ["AsyncEventStream", "AsyncTexts", "astream"]


def astream(
    source: Any,
    dialect: DialectName | Literal["auto"] = "auto",
    *,
    require_done: bool = True,
    think_tags: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    idle_timeout: float | None = None,
    content_timeout: float | None = None,
    record: str | PathLike[str] | BinaryIO | Recorder | None = None,
) -> AsyncEventStream:
    """Reads a streamed answer from ``source`` in async code.

        async with client.stream("POST", url, json=body) as response, astream(response) as events:
            async for event in events:
                ...
            answer = await events.answer()

    Args:
        source: a response of httpx, httpx2, aiohttp, niquests or curl_cffi, opened for streaming; httpx-sse's EventSource; an
            asyncio StreamReader, a trio or anyio stream; an async iterable of bytes; in Pyodide what ``pyfetch`` gives, a
            JavaScript Response or ReadableStream; an open binary file, an iterable of bytes or bytes, which are read without
            leaving the event loop.
        dialect: "chat", "messages" or "responses"; "auto" recognises it by the first frame that tells.
        require_done: as `Decoder` takes it.
        think_tags: likewise.
        limits: likewise.
        idle_timeout: seconds that one wait for bytes may take.
        content_timeout: seconds for which nothing but comments and pings may come. Both count only while the caller waits.
        record: the path of a file, or one open for writing in binary mode, to which all that is read is recorded as it comes, or
            a `sse_dialects.recording.Recorder`; ``docs/recording.md`` describes the format.

    Raises:
        MisuseError: the source can't be read this way; the text says what to pass.
        OSError: the file to record to can't be opened.
    """
    patient = patience(content_timeout, idle_timeout)
    decoder = Decoder(dialect, require_done=require_done, think_tags=think_tags, limits=limits)
    opened = open_async_source(source)
    if record is not None:
        from sse_dialects.recording.tee import tee

        tee(opened, record)
    return AsyncEventStream(opened, Reading(opened, decoder, patient))


class AsyncEventStream:
    """The events of one streamed answer; made by `astream`. Iterates itself, so a loop that was left can be taken up again.

    Leaving the ``async with`` closes the source, whatever the reason, cancellation and a second cancellation included, and so
    does an error; ``break`` does not. `answer`, `partial`, `stats` and `complete` work also after closing. Dropped before its
    end and without being closed, a stream warns (ResourceWarning); its source is then closed as far as the event loop's
    finalizer can.

    Raises, on entering the ``async with``:
        RequestRejectedError: the HTTP status is outside 2xx. Without an ``async with``, iterating raises it.
    Raises, when iterated:
        NotAnEventStreamError: the body is something else.
        StreamError: the stream broke: cut, failed, malformed, too large or stalled. Events decoded before it come first.
        MisuseError: another task is waiting for the next event; or the source gives no bytes or has been read before.
    """

    __slots__ = ("__weakref__", "_chain", "_idle", "_reading", "_runtime", "_scope", "_source")

    def __init__(self, source: Source, reading: Reading) -> None:
        self._source = source
        self._reading = reading
        self._chain = GeneratorChain()
        self._runtime: Runtime | None = None
        self._scope: Any = None  # around the read under way
        self._idle: Any = None  # event for a task that waits until that read is over

    async def __aenter__(self) -> AsyncEventStream:
        if self._reading.rejected:
            await self._run_out()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> AsyncEventStream:
        return self

    async def __anext__(self) -> Event:
        reading = self._reading
        while (event := reading.take()) is None:
            if not await self._more():
                raise StopAsyncIteration
        if not reading.delivered:
            reading.handed(event)
        return event

    def text(self) -> AsyncTexts:
        """The pieces of choice 0's text as they arrive; all else is passed over. Raises as iterating the stream does."""
        return AsyncTexts(self)

    async def answer(self) -> Answer:
        """Reads to the end and returns the whole answer; at once, where the terminating frame has come already.

        Raises:
            SSEDialectsError: what iterating raises, also if it was raised before; TruncatedStreamError after an early `close`.
        """
        await self._run_out()
        return self._reading.answer()

    def partial(self) -> Answer:
        """The answer as far as it came."""
        return self._reading.partial()

    def text_so_far_json(self) -> dict[str, Any]:
        """The best-effort object of choice 0's text, as `EventStream.text_so_far_json` gives it."""
        return self._reading.text_so_far_json()

    @property
    def complete(self) -> bool:
        """Whether the terminating frame has come."""
        return self._reading.complete

    @property
    def dialect(self) -> DialectName | None:
        """The dialect, None until it is recognised."""
        return self._reading.dialect

    @property
    def response(self) -> Any:
        """The client's response; None where the source is none."""
        return self._source.response

    @property
    def stats(self) -> Stats:
        """How the stream went so far: bytes, frames, times."""
        return self._reading.stats()

    async def close(self) -> None:
        """Ends the stream and closes the source. Again: nothing.

        After the terminating frame the rest of the body is read, 64 KiB and 0.25 s at most, so that a kept-alive connection can
        be used again; a stream left earlier is dropped at once, so that generation stops. Another task that waits for the next
        event is woken, and its iteration ends.
        """
        if self._reading.closed:
            return
        finished = self._reading.complete and self._reading.failure is None and self._source.response is not None
        self._reading.close()
        try:
            if self._scope is not None:
                await self._wait_idle()
            if finished:
                await self._drain()
        finally:
            await self._close_source()

    aclose = close

    def __del__(self) -> None:
        if self._reading.ended or not self._source.closers or self._reading.complete or sys.is_finalizing():
            return
        warn(f"{self!r} was dropped before its end: use `async with astream(...)`", ResourceWarning, stacklevel=2, source=self)

    def __repr__(self) -> str:
        return (
            f"<AsyncEventStream {self.dialect or 'of no known dialect yet'}, {'complete' if self.complete else 'not complete'}>"
        )

    async def _run_out(self) -> None:
        while self._reading.take() is not None or await self._more():
            pass

    def _more(self) -> Awaitable[bool]:
        """Reads on. False at the end; raises the failure that the stream ended in."""
        return self._read() if self._reading.wants_bytes() else self._rest()

    async def _rest(self) -> bool:
        reading = self._reading
        if not reading.ended:
            return True
        try:
            if reading.failure is not None:
                await self._close_source()
        finally:
            reading.settle()
        return False

    async def _read(self) -> bool:
        if self._scope is not None:
            raise MisuseError("another task is reading this stream: give each stream to one task")
        if self._runtime is None:
            self._runtime = running()
        reading = self._reading
        self._scope = scope = self._runtime.scope(reading.patience())
        try:
            with scope:
                reading.fed(await self._step())
            if scope.cancelled_caught and not reading.closed:
                reading.timed_out()
        except StopAsyncIteration:
            reading.finish()
        except BaseException as error:
            if not reading.broke(error):
                raise
        finally:
            self._scope = None
            if self._idle is not None:
                self._idle.set()
        return True

    def _step(self) -> Awaitable[Any]:
        iterator = self._source.iterator
        step = iterator.__anext__() if self._chain.started else self._chain.first(iterator)
        if self._source.response is not None and self._runtime is not None:
            step = self._runtime.unwound(step)
        return step

    async def _wait_idle(self) -> None:
        """Ends another task's read and waits until it is over."""
        if self._runtime is not None:
            self._idle = self._runtime.event()
            self._scope.cancel()
            await self._idle.wait()

    async def _drain(self) -> None:
        if self._runtime is None:
            return
        left = DRAIN_BYTES
        try:
            with self._runtime.scope(DRAIN_S):
                while left > 0:
                    left -= len(await self._step())
        except Exception:  # nothing that happens after the terminating frame matters
            pass

    async def _close_source(self) -> None:
        """A client's response is closed to the end whatever is cancelled meanwhile; what the caller wrote is closed in the
        caller's own task, where its context managers were entered."""
        if not self._source.closers:
            return
        if self._source.response is None:
            await self._call_closers()
        else:
            await (self._runtime or running()).finish(self._call_closers)

    async def _call_closers(self) -> None:
        source = self._source
        closers, source.closers = [*self._chain.closers(), *source.closers], []
        failure: Exception | None = None
        for close in closers:
            try:
                closing = close()
                if hasattr(closing, "__await__"):
                    await closing
            except Exception as error:  # the others have to be closed as well
                failure = source.kept(error, failure)
        if failure is not None:
            raise failure


class AsyncTexts:
    """What `AsyncEventStream.text` iterates. An object and no generator, which would have to be closed."""

    __slots__ = ("_stream",)

    def __init__(self, stream: AsyncEventStream) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncTexts:
        return self

    async def __anext__(self) -> str:
        while True:
            event = await self._stream.__anext__()
            if type(event) is TextDelta and event.choice == 0:
                return event.text
