"""Streams in async code, on asyncio and trio. All that is decided, `reading` decides; this waits, and keeps to the timeouts."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, BinaryIO
from warnings import warn

from sse_dialects.events import TextDelta
from sse_dialects.limits import DEFAULT_LIMITS, Limits
from sse_dialects.root import MisuseError, SSEDialectsError
from sse_dialects.sources.for_async import open_async_source
from sse_dialects.sources.generators import GeneratorChain
from sse_dialects.sources.sockets import DRAIN_BYTES, DRAIN_S

from .base import AnyEventStream
from .driver import StreamDriver
from .opening import decoder_for, record_reads
from .runtimes import running
from .timeouts import Timeouts, timeouts_of

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType

    from sse_dialects.answer import Answer, DialectOrAuto
    from sse_dialects.events import Event
    from sse_dialects.recording import Recorder
    from sse_dialects.sources.source import Source
    from sse_dialects.sources.types import AsyncSource

    from .runtimes import Reads, Runtime

__all__ = ["AsyncEventStream", "AsyncTexts", "astream"]


def astream(
    source: AsyncSource,
    dialect: DialectOrAuto = "auto",
    *,
    require_done: bool = True,
    think_tags: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    idle_timeout: float | None = None,
    first_token_timeout: float | None = None,
    content_timeout: float | None = None,
    total_timeout: float | None = None,
    record: str | PathLike[str] | BinaryIO | Recorder | None = None,
    resume: AnyEventStream | None = None,
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
        dialect: "chat", "messages" or "responses"; "auto" detects it from the first frame that identifies one.
        require_done: False also accepts a chat stream without ``[DONE]`` if every choice has a finish reason.
        think_tags: True reports ``<think>`` blocks in chat content as reasoning.
        limits: the largest sizes and counts that the stream may have. A larger one raises LimitExceededError.
        idle_timeout: the longest wait for the next bytes, in seconds.
        first_token_timeout: seconds until the first piece of text, reasoning, a refusal or a tool call, or the opening of any
            other part, such as a hosted tool's.
        content_timeout: seconds for which nothing but keep-alives (comments and pings) may come.
        total_timeout: seconds for the whole answer. All four timeouts start with the first read. This one is wall time; the
            other three count only the time that reads take. All are exact on asyncio and trio.
        record: records all bytes as they arrive: to the file of this path, to a file open for writing in binary mode, or with a
            `sse_dialects.recording.Recorder`. ``docs/recording.md`` describes the format.
        resume: an earlier stream, sync or async, of the responses dialect, which was cut, stalled or closed before its end. This
            one goes on with its answer, and ``source`` is what the provider sends of the rest (``docs/howto/resume.md``).

    Raises:
        MisuseError: the source can't be read, or ``resume`` can't be resumed; the message says what to pass.
        OSError: the file to record to can't be opened.
    """
    timeouts = timeouts_of(content=content_timeout, first_token=first_token_timeout, total=total_timeout, idle=idle_timeout)
    decoder, earlier = decoder_for(resume, dialect, require_done=require_done, think_tags=think_tags, limits=limits)
    opened = open_async_source(source)
    record_reads(opened, record)
    return AsyncEventStream(opened, StreamDriver(opened, decoder, timeouts, earlier))


class AsyncEventStream(AnyEventStream):
    """The events of one streamed answer; made by `astream`. It is its own iterator: after ``break``, another loop continues it.

    The source is closed when the ``async with`` block ends, also if it is cancelled, even twice, and after an error; ``break``
    does not close it. `answer`, `partial`, `stats` and `complete` still work on a closed stream. A stream that is garbage
    collected before its end without being closed emits a ResourceWarning; the event loop's finalizer then closes the source if
    it can.

    Raises, on entering the ``async with``:
        RequestRejectedError: the HTTP status is outside 2xx. Without an ``async with``, iterating raises it.
    Raises, when iterated:
        NotAnEventStreamError: the body is not an event stream.
        StreamError: the stream was cut, failed, malformed, too large or stalled. Events decoded before the error come first.
        MisuseError: another task is waiting for the next event, or the source yields no bytes or was read before.
    """

    __slots__ = ("_chain", "_note", "_noting", "_reads", "_runtime")

    def __init__(self, source: Source, driver: StreamDriver) -> None:
        super().__init__(source, driver)
        self._note = driver.hand_out  # for each event, as long as it says so
        self._noting = True
        self._chain = GeneratorChain(source.iterator)
        self._runtime: Runtime | None = None
        self._reads: Reads | None = None  # once the first read has begun

    async def __aenter__(self) -> AsyncEventStream:
        if self._driver.rejected:
            await self._run_out()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> AsyncEventStream:
        return self

    async def __anext__(self) -> Event:
        driver, chain = self._driver, self._chain
        while True:
            try:
                for event in driver.events:
                    if self._noting:
                        self._noting = self._note(event)
                    return event
            except SSEDialectsError as error:
                driver.on_failure(error)
            if not driver.open:
                await self._end()
                raise StopAsyncIteration
            reads = self._reads
            if reads is None or reads.busy:
                reads = self._begin()
            try:
                with reads:
                    driver.piece = await chain.step()
                driver.on_bytes()
            except BaseException as error:
                if not driver.on_error(error):
                    raise

    def text(self) -> AsyncTexts:
        """The pieces of choice 0's text as they arrive; all else is passed over. Raises as iterating the stream does."""
        return AsyncTexts(self)

    async def answer(self) -> Answer:
        """Reads to the end and returns the whole answer; at once, where the terminating frame has come already.

        Raises:
            SSEDialectsError: what iterating raises, also if it was raised before.
            MisuseError: the stream was closed before its end.
        """
        await self._run_out()
        return self._driver.answer()

    async def close(self) -> None:
        """Ends the stream and closes the source. Again: nothing.

        After the terminating frame the rest of the body is read, 64 KiB and 0.25 s at most, so that a kept-alive connection can
        be used again; a stream left earlier is dropped at once, so that generation stops. Another task that waits for the next
        event is woken, and its iteration ends.
        """
        driver, reads = self._driver, self._reads
        finished = driver.complete and driver.failure is None and not driver.closed and self._source.response is not None
        driver.close()
        try:
            if reads is not None:
                reads.close()
                if reads.busy:
                    await reads.wait_until_over()
        finally:
            await self._close_source(reads if finished else None)

    aclose = close

    def __del__(self) -> None:
        if self._source.is_open and not self._driver.complete and not sys.is_finalizing():
            warn(
                f"{self!r} was dropped before its end: use `async with astream(...)`", ResourceWarning, stacklevel=2, source=self
            )

    async def _run_out(self) -> None:
        """Read to the end. The events are not handed out."""
        self._note = self._driver.pass_over
        try:
            async for _ in self:
                pass
        finally:
            self._note, self._noting = self._driver.hand_out, True

    async def _end(self) -> None:
        """Close the source if the stream has failed, and raise that failure, the first time."""
        driver = self._driver
        if self._reads is not None:
            self._reads.close()
        try:
            if driver.failure is not None:
                await self._close_source()
        finally:
            driver.raise_failure()

    def _begin(self) -> Reads:
        """What is entered around each read, made with the first one."""
        if self._reads is not None:
            raise MisuseError("another task is reading this stream: give each stream to one task")
        self._runtime = running()
        self._reads = reads = self._runtime.reads(self._driver.timeouts)
        self._driver.resume()
        return reads

    async def _close_source(self, drain: Reads | None = None) -> None:
        """A client's response is closed to the end whatever is cancelled meanwhile; what the caller wrote is closed in the
        caller's own task, where its context managers were entered. ``drain`` is given where the body is to be drained first."""
        if not self._source.is_open:
            return
        if self._source.response is None:
            await self._call_closers()
        else:
            await (self._runtime or running()).finish(partial(self._drain_and_close, drain))

    async def _drain_and_close(self, reads: Reads | None) -> None:
        try:
            if reads is not None:
                await self._drain(reads)
        finally:
            await self._call_closers()

    async def _drain(self, reads: Reads) -> None:
        reads.timeouts = Timeouts(total=DRAIN_S)
        reads.timeouts.start()
        left = DRAIN_BYTES
        try:
            while left > 0:
                with reads:
                    left -= len(await self._chain.step())
        except Exception:  # nothing that happens after the terminating frame matters
            pass
        finally:
            reads.close()

    async def _call_closers(self) -> None:
        source = self._source
        failure: BaseException | None = None
        for close in (*self._chain.closers(), *source.left_to_call()):
            try:
                closing = close()
                if hasattr(closing, "__await__"):
                    await closing
            except Exception as error:  # the others have to be closed as well
                failure = source.kept(error, failure)
            except BaseException as interrupt:  # a cancellation, too
                failure = interrupt
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
