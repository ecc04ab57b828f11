"""Streams over anything readable, without waiting for more than they have to. All that is decided, `reading` decides."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from sse_dialects.decoder import Decoder
from sse_dialects.events import TextDelta
from sse_dialects.limits import DEFAULT_LIMITS, Limits
from sse_dialects.root import MisuseError
from sse_dialects.sources.for_sync import open_source
from sse_dialects.sources.sockets import drain, wake

from .patience import patience
from .reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from types import TracebackType

    from sse_dialects.answer import Answer, DialectName
    from sse_dialects.events import Event
    from sse_dialects.recording import Recorder
    from sse_dialects.sources.source import Source

    from .stats import Stats

__all__ = ["EventStream", "stream"]


def stream(
    source: Any,
    dialect: DialectName | Literal["auto"] = "auto",
    *,
    require_done: bool = True,
    think_tags: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    content_timeout: float | None = None,
    record: str | PathLike[str] | BinaryIO | Recorder | None = None,
) -> EventStream:
    """Reads a streamed answer from ``source``.

        with client.stream("POST", url, json=body) as response, stream(response) as events:
            for event in events:
                ...
            answer = events.answer()

    Args:
        source: a response of httpx, httpx2, requests, niquests, urllib3, curl_cffi, ``http.client`` or ``urllib.request``, opened
            for streaming; httpx-sse's EventSource; a file opened in binary mode; an iterable of bytes; bytes.
        dialect: "chat", "messages" or "responses"; "auto" recognises it by the first frame that tells.
        require_done: as `Decoder` takes it.
        think_tags: likewise.
        limits: likewise.
        content_timeout: seconds for which nothing but comments and pings may come, counted while the caller waits for an event
            and looked at whenever bytes arrive. How long no bytes at all may come is the client's read timeout.
        record: the path of a file, or one open for writing in binary mode, to which all that is read is recorded as it comes, or
            a `sse_dialects.recording.Recorder`; ``docs/recording.md`` describes the format.

    Raises:
        MisuseError: the source can't be read this way; the text says what to pass.
        OSError: the file to record to can't be opened.
    """
    patient = patience(content_timeout)
    decoder = Decoder(dialect, require_done=require_done, think_tags=think_tags, limits=limits)
    opened = open_source(source)
    if record is not None:
        from sse_dialects.recording.tee import tee

        tee(opened, record)
    return EventStream(opened, Reading(opened, decoder, patient))


class EventStream:
    """The events of one streamed answer; made by `stream`. Iterates itself, so a loop that was left can be taken up again.

    Leaving the ``with`` closes the source, whatever the reason, and so does an error or dropping the stream; ``break`` does not.
    `answer`, `partial`, `stats` and `complete` work also after that.

    Raises, on entering the ``with``:
        RequestRejectedError: the HTTP status is outside 2xx. Without a ``with``, iterating raises it.
    Raises, when iterated:
        NotAnEventStreamError: the body is something else.
        StreamError: the stream broke: cut, failed, malformed, too large or stalled. Events decoded before it come first.
        MisuseError: another thread is in the middle of a step; or the source gives no bytes or has been read before.
    """

    __slots__ = ("__weakref__", "_closing", "_reading", "_source", "_turn")

    def __init__(self, source: Source, reading: Reading) -> None:
        self._source = source
        self._reading = reading
        self._closing = False
        self._turn = [True]  # taken by the thread that takes a step: list.pop is atomic

    def __enter__(self) -> EventStream:
        if self._reading.rejected:
            self._run_out()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        reading = self._reading
        self._begin()
        try:
            while (event := reading.take()) is None:
                if not self._more():
                    raise StopIteration
        finally:
            self._end()
        if not reading.delivered:
            reading.handed(event)
        return event

    def text(self) -> Iterator[str]:
        """The pieces of choice 0's text as they arrive; all else is passed over. Raises as iterating the stream does."""
        for event in self:
            if type(event) is TextDelta and event.choice == 0:
                yield event.text

    def answer(self) -> Answer:
        """Reads to the end and returns the whole answer; at once, where the terminating frame has come already.

        Raises:
            SSEDialectsError: what iterating raises, also if it was raised before; TruncatedStreamError after an early `close`.
        """
        self._run_out()
        return self._reading.answer()

    def partial(self) -> Answer:
        """The answer as far as it came."""
        return self._reading.partial()

    def text_so_far_json(self) -> dict[str, Any]:
        """The best-effort object of choice 0's text, which is JSON and still being written. ``{}`` where it is no JSON object.

        Computed anew at each call, in time linear in all that came: ask a few times a second, not at every delta. With the extra
        ``jiter`` it takes about a twentieth of the time.
        """
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

    def close(self) -> None:
        """Ends the stream and closes the source. Again: nothing.

        After the terminating frame the rest of the body is read, where the transport lets that be bounded (64 KiB, 0.25 s), so
        that a kept-alive connection can be used again; a stream left earlier is dropped at once, so that generation stops.

        Another thread that waits for the next event is woken where the transport exposes its socket, else at the next bytes; its
        iteration ends, and it does the closing.
        """
        if self._closing:
            return
        finished = self._reading.complete and self._reading.failure is None
        self._reading.close()
        self._closing = True
        if not self._turn:
            wake(self._source.response)
        else:
            self._close_source(finished=finished)

    def __del__(self) -> None:
        with suppress(Exception):  # nobody is there to hear of it
            self.close()

    def __repr__(self) -> str:
        return f"<EventStream {self.dialect or 'of no known dialect yet'}, {'complete' if self.complete else 'not complete'}>"

    def _run_out(self) -> None:
        self._begin()
        try:
            while self._reading.take() is not None or self._more():
                pass
        finally:
            self._end()

    def _more(self) -> bool:
        """Reads on. False at the end; raises the failure that the stream ended in."""
        reading = self._reading
        if reading.wants_bytes():
            self._read()
        elif reading.ended:
            try:
                if reading.failure is not None:
                    self._close_source(finished=False)
            finally:
                reading.settle()
            return False
        return True

    def _read(self) -> None:
        try:
            piece = next(self._source.iterator)
        except StopIteration:
            self._reading.finish()
        except BaseException as error:
            if not self._reading.broke(error):
                raise
        else:
            self._reading.fed(piece)

    def _close_source(self, *, finished: bool) -> None:
        try:
            if finished:
                drain(self._source.response, self._source.iterator)
        finally:
            self._source.close()

    def _begin(self) -> None:
        try:
            self._turn.pop()
        except IndexError:
            raise MisuseError("another thread is reading this stream: give each stream to one thread, or a lock to all") from None

    def _end(self) -> None:
        self._turn.append(True)
        if self._closing:  # by another thread, while this one had its turn
            self._close_source(finished=False)
