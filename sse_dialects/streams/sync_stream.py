"""Streams over anything readable, without waiting for more than they have to. All that is decided, `reading` decides."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import chain, repeat
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, cast
from warnings import warn

from sse_dialects.events import TextDelta
from sse_dialects.limits import DEFAULT_LIMITS, Limits
from sse_dialects.root import MisuseError, SSEDialectsError
from sse_dialects.sources.for_sync import open_source
from sse_dialects.sources.sockets import BoundedReads, bounded_reads, drain, wake

from .base import AnyEventStream
from .driver import ENDED, StreamDriver
from .opening import decoder_for, record_reads
from .timeouts import timeouts_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from os import PathLike
    from types import GeneratorType, TracebackType

    from sse_dialects.answer import Answer, DialectOrAuto
    from sse_dialects.events import Event
    from sse_dialects.recording import Recorder
    from sse_dialects.sources.source import Source
    from sse_dialects.sources.types import SyncSource

    from .timeouts import Timeouts

__all__ = ["EventStream", "stream"]


def stream(
    source: SyncSource,
    dialect: DialectOrAuto = "auto",
    *,
    require_done: bool = True,
    think_tags: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    first_token_timeout: float | None = None,
    content_timeout: float | None = None,
    total_timeout: float | None = None,
    record: str | PathLike[str] | BinaryIO | Recorder | None = None,
    resume: AnyEventStream | None = None,
) -> EventStream:
    """Reads a streamed answer from ``source``.

        with client.stream("POST", url, json=body) as response, stream(response) as events:
            for event in events:
                ...
            answer = events.answer()

    Args:
        source: a response of httpx, httpx2, requests, niquests, urllib3, curl_cffi, ``http.client`` or ``urllib.request``, opened
            for streaming; httpx-sse's EventSource; a file opened in binary mode; an iterable of bytes; bytes.
        dialect: "chat", "messages" or "responses"; "auto" detects it from the first frame that identifies one.
        require_done: False also accepts a chat stream without ``[DONE]`` if every choice has a finish reason.
        think_tags: True reports ``<think>`` blocks in chat content as reasoning.
        limits: the largest sizes and counts that the stream may have. A larger one raises LimitExceededError.
        first_token_timeout: seconds until the first piece of text, reasoning, a refusal or a tool call, or the opening of any
            other part, such as a hosted tool's.
        content_timeout: seconds for which nothing but keep-alives (comments and pings) may come.
        total_timeout: seconds for the whole answer. All three timeouts start with the first read. This one is wall time; the
            other two count only the time that reads take. They are checked when bytes arrive. Where the transport exposes its
            socket (httpx over HTTP/1.1) they also bound each read; elsewhere only the client's read timeout ends a silence.
        record: records all bytes as they arrive: to the file of this path, to a file open for writing in binary mode, or with a
            `sse_dialects.recording.Recorder`. ``docs/recording.md`` describes the format.
        resume: an earlier stream, sync or async, of the responses dialect, which was cut, stalled or closed before its end. This
            one goes on with its answer, and ``source`` is what the provider sends of the rest (``docs/howto/resume.md``).

    Raises:
        MisuseError: the source can't be read, or ``resume`` can't be resumed; the message says what to pass.
        OSError: the file to record to can't be opened.
    """
    timeouts = timeouts_of(content=content_timeout, first_token=first_token_timeout, total=total_timeout)
    decoder, earlier = decoder_for(resume, dialect, require_done=require_done, think_tags=think_tags, limits=limits)
    opened = open_source(source)
    record_reads(opened, record)
    return EventStream(opened, StreamDriver(opened, decoder, timeouts, earlier))


class EventStream(AnyEventStream):
    """The events of one streamed answer; made by `stream`. It is its own iterator: after ``break``, another loop continues it.

    The source is closed when the ``with`` block ends, after an error, and when the stream is garbage collected; ``break`` does
    not close it. `answer`, `partial`, `stats` and `complete` still work on a closed stream.

    Raises, on entering the ``with``:
        RequestRejectedError: the HTTP status is outside 2xx. Without a ``with``, iterating raises it.
    Raises, when iterated:
        NotAnEventStreamError: the body is not an event stream.
        StreamError: the stream was cut, failed, malformed, too large or stalled. Events decoded before the error come first.
        MisuseError: another thread is reading the stream, or the source yields no bytes or was read before.
    """

    __slots__ = ("_attention", "_pump", "_reads")

    def __init__(self, source: Source, driver: StreamDriver) -> None:
        super().__init__(source, driver)
        self._reads = bounded_reads(source.response) if driver.timeouts is not None else None
        if self._reads is not None:
            source.closers.append(self._reads.remove)
        self._pump = self._new_pump()
        self._attention = True  # an event has to be looked at before it is handed out

    def __enter__(self) -> EventStream:
        if self._driver.rejected:
            self._run_out()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        while True:
            try:
                for event in self._pump:
                    if self._attention:
                        self._look_at(event)
                    return event
            except BaseException as error:
                self._step_failed(error)
                raise
            if not self._goes_on():
                raise StopIteration

    def text(self) -> Iterator[str]:
        """Yields the pieces of choice 0's text as they arrive and skips all other events. Raises what iterating raises."""
        for event in self:
            if type(event) is TextDelta and event.choice == 0:
                yield event.text

    def answer(self) -> Answer:
        """Reads to the end and returns the answer. After the terminating frame it returns at once.

        Raises:
            SSEDialectsError: what iterating raises, also if it was raised before.
            MisuseError: the stream was closed before its end.
        """
        self._run_out()
        return self._driver.answer()

    def close(self) -> None:
        """Ends the stream and closes the source. Again: nothing.

        After the terminating frame the rest of the body is read, where the transport lets that be bounded (64 KiB, 0.25 s), so
        that a kept-alive connection can be used again; a stream left earlier is dropped at once, so that generation stops.

        Another thread that waits for the next event is woken where the transport exposes its socket, else at the next bytes; its
        iteration ends, and it does the closing.
        """
        try:
            self._close()
        except BaseException:  # also an interrupt, which leaves something to close
            self._close()
            raise

    def __del__(self) -> None:
        try:
            if self._source.is_open and not self._driver.complete and not sys.is_finalizing():
                warn(f"{self!r} was dropped before its end: use `with stream(...)`", ResourceWarning, stacklevel=2, source=self)
        finally:
            with suppress(Exception):  # nobody is there to hear of it
                self.close()

    def _run_out(self) -> None:
        """Read to the end. The events are not handed out."""
        while True:
            try:
                for event in self._pump:
                    if self._attention:
                        self._driver.pass_over(event)
            except BaseException as error:
                self._step_failed(error)
                raise
            if not self._goes_on():
                return

    def _look_at(self, event: Event) -> None:
        """Note that an event is handed out; called for each until one is text or its like, and once after `close`."""
        driver = self._driver
        self._attention = driver.hand_out(event)
        if driver.closed:  # by another thread, while this one took its step; looked at last, so that one of the two closes
            driver.has_lost = True  # this event
            self._source.close()
            raise StopIteration

    def _step_failed(self, error: BaseException) -> None:
        """Raise what the caller gets in place of ``error``, if it is not that itself. Close if another thread wants that."""
        trace = error.__traceback__
        if type(error) is ValueError and trace is not None and trace.tb_next is None:
            raise MisuseError("another thread is reading this stream: give each stream to one thread, or a lock to all") from None
        if isinstance(error, SSEDialectsError) and error is self._driver.decoder_error:
            self._driver.on_failure(error)
            _end(self._source, self._driver)
        if self._driver.closed:
            self._source.close()

    def _goes_on(self) -> bool:
        """After the pump's end: whether an exception that was not the stream's own ended it. Then a new one goes on."""
        if self._driver.closed:
            self._source.close()
        if self._driver.is_over:
            return False
        self._pump = self._new_pump()
        return True

    def _new_pump(self) -> GeneratorType[Event, None, None]:
        return cast("GeneratorType[Event, None, None]", _pump(self._source, self._driver, self._reads))

    def _close(self) -> None:
        driver, source = self._driver, self._source
        finished = driver.complete and driver.failure is None and not driver.closed
        driver.close()
        self._attention = True
        try:
            if finished and not self._pump.gi_running:
                drain(source.response, source.iterator)
        finally:
            if self._pump.gi_running:
                wake(source.response)
            else:
                source.close()


def _pump(source: Source, driver: StreamDriver, reads: BoundedReads | None) -> Generator[Event, None, None]:
    """The events from here to the stream's end, then its failure, if there is one.

    A generator, because one can't run twice at a time, and says whether it is running: two threads, or an interrupt at any
    place, leave nothing to tidy up. An exception that is not the stream's own ends it; another one takes over where it was.
    """
    driver.resume()
    pieces, timeouts = chain(source.iterator, repeat(ENDED)), driver.timeouts
    is_free = reads is None  # to take its time in a read, so that nothing has to be computed ahead of it
    while True:
        for event in driver.events:  # noqa: UP028  # `yield from` takes longer for the one event of most reads
            yield event
        if not driver.open:
            break
        try:
            if timeouts is not None:
                timeouts.read_began = monotonic() if is_free and timeouts.settled else _begin_read(timeouts, reads)
            for driver.piece in pieces:  # `next` would let an interrupt come between it and the assignment, and lose bytes
                break
        except BaseException as error:
            if not driver.on_error(error):
                raise
        else:
            driver.on_bytes()
    _end(source, driver)


def _begin_read(timeouts: Timeouts, reads: BoundedReads | None) -> float:
    """Note that a read begins, and bound it where the transport shows its socket. Returns the moment.

    Raises:
        TimeoutRanOutError: a timeout has run out already.
    """
    until = timeouts.read_begins()
    if reads is not None:
        reads.until(until)
    return timeouts.read_began


def _end(source: Source, driver: StreamDriver) -> None:
    """Close the source if the stream has failed, and raise that failure, the first time."""
    try:
        if driver.failure is not None:
            source.close()
    finally:
        driver.raise_failure()
