"""Bytes in, events and one answer or one error out: frames and one engine, without I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import repeated
from .body import BodySniffer, failure_in_block
from .detect import ENGINES, DialectDetector
from .dialects.base import NAMES_THAT_DECIDE
from .dialects.payload import TOO_DEEP, depth_allowed, is_whole, parsed_at
from .errors import (
    LimitExceededError,
    MalformedStreamError,
    MisuseError,
    NotAnEventStreamError,
    SSEDialectsError,
    StreamError,
    TruncatedStreamError,
)
from .events import SHOWN
from .frames import FrameReader, as_bytes, end_within, header_at
from .limits import DEFAULT_LIMITS, Limits, as_limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .answer import Answer, DialectName, DialectOrAuto
    from .body import NonStreamBody
    from .dialects.base import Engine
    from .events import Event
    from .repeated import RepeatedFrames

__all__ = ["Decoder"]


class Decoder:
    """One stream, decoded.

    `feed` decodes bytes at once and returns an iterator over the decoder's one queue of events. Events, their order and the
    error are the same for every chunking.

    Args:
        dialect: "chat", "messages", "responses", or "auto" to detect it from the first frame that identifies one.
        require_done: False also lets a chat stream end after every choice has a finish reason: some servers send no ``[DONE]``.
        think_tags: whether ``<think>`` blocks in chat content are reasoning.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: the dialect has another name, or ``limits`` is no `Limits`.
    """

    __slots__ = (
        *("_closed", "_depth", "_engine", "_error", "_event", "_fast", "_first_shown", "_header", "_limits", "_queue", "_raised"),
        *("_hot_in_a_row", "_reader", "_repeated", "_sniffer", "_taken", "byte_count"),
    )

    def __init__(
        self,
        dialect: DialectOrAuto = "auto",
        *,
        require_done: bool = True,
        think_tags: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if dialect != "auto" and dialect not in ENGINES:
            raise MisuseError(f'there is no dialect {dialect!r}: use "auto", "chat", "messages" or "responses"')
        engine = DialectDetector if dialect == "auto" else ENGINES[dialect]
        self._limits = as_limits(limits)
        self._reader = FrameReader(limits)
        self._queue: list[Event] = []
        self._taken = self._hot_in_a_row = 0  # events of the queue that the caller has taken; hot frames up to here
        self._engine: Engine = engine(limits, self._queue, require_done=require_done, think_tags=think_tags)
        self._sniffer: BodySniffer | None = BodySniffer(limits)  # until it is known that the body is a stream
        self._depth = depth_allowed(limits.max_depth)
        self._fast = True  # False sends every frame the general way
        self._header = "data: "  # the lines ahead of the last payload, and the event's name that they give
        self._event = "message"
        self._repeated: RepeatedFrames | None = None  # the pattern of the hot frames that came last
        self._first_shown: Event | None = None
        self._error: SSEDialectsError | None = None
        self._raised = self._closed = False
        self.byte_count = 0  # bytes fed

    def feed(self, data: bytes | bytearray | memoryview) -> Iterator[Event]:
        """Decode bytes of any length and return an iterator over the events that have not been taken yet. Bytes after the
        terminating frame, or after an error, are ignored.

        Raises:
            MisuseError: the decoder is closed, or ``data`` is not bytes.
            SSEDialectsError: from the iterator, where the queue reaches the fault: a `StreamError`, or `NotAnEventStreamError`.
        """
        if self._closed:
            raise MisuseError("this Decoder is closed: make a new one for the next stream")
        data = as_bytes(data)
        self.byte_count += len(data)
        if self._error is None and not self._engine.complete:
            self._decode(data)
        return self._events()

    def close(self) -> list[Event]:
        """Say that no more bytes will come. Returns the events that have not been taken yet.

        Raises:
            TruncatedStreamError: the terminating frame has not been seen. As with any error here, the events that have not
                been taken yet are on its ``.decoded``.
            SSEDialectsError: whatever else is wrong with the end of the stream.
        """
        self._end(None)
        events = self._queue[self._taken :]
        self._queue.clear()
        self._taken = 0
        self._raise_once(events)
        return events

    def finish(self, cause: BaseException | None = None) -> Iterator[Event]:
        """Say that no more bytes will come, as `close` does. Returns an iterator that raises as the one of `feed` does.

        Args:
            cause: the error that broke the transport, if one did. It is on the error's ``.cause``. Ignored after the
                terminating frame.
        """
        self._end(cause)
        return self._events()

    def _end(self, cause: BaseException | None) -> None:
        if self._closed:
            return
        self._closed = True
        if self._error is None and not self._engine.complete:
            queued = len(self._queue)
            try:
                self._decode_end(broken=cause is not None)
            except (StreamError, NotAnEventStreamError) as error:
                if isinstance(error, TruncatedStreamError):
                    error.cause = error.__cause__ = cause
                self._fail(error, self.byte_count)
            self._look_for_shown(queued)

    def _events(self) -> Iterator[Event]:
        queue = self._queue
        while self._taken < len(queue):
            self._taken += 1
            yield queue[self._taken - 1]
        self._queue.clear()
        self._taken = 0
        if self._error is not None:
            self._raise_once([])

    def _raise_once(self, events: list[Event]) -> None:
        error = self._error
        if error is not None and not self._raised:
            self._raised = True
            error.decoded = events
            error.delivered = self._first_shown is not None and not any(event is self._first_shown for event in events)
            raise error

    def start_next_connection(self) -> None:
        """Expect the bytes of a new connection that continues this response:
        ``GET /responses/{id}?stream=true&starting_after=N``, where N is `last_sequence_number`.

        An unfinished frame is dropped, and a truncation is taken back. Frames that were decoded before are skipped by their
        sequence_number, until the first that is new. Error frames are never skipped.

        Raises:
            MisuseError: the stream ended in another error, or is of another dialect.
        """
        if self._error is not None and not isinstance(self._error, TruncatedStreamError):
            raise MisuseError(f"this stream ended in {type(self._error).__name__}, which another connection can't continue")
        self._engine.resume()
        self._reader.restart()
        self._sniffer, self._repeated, self._hot_in_a_row = BodySniffer(self._limits), None, 0
        self._error, self._raised, self._closed = None, False, False

    # ---- asking

    @property
    def dialect(self) -> DialectName | None:
        """The dialect, None as long as it is not detected."""
        return self._engine.dialect

    @property
    def complete(self) -> bool:
        """Whether the terminating frame has been seen."""
        return self._engine.complete

    @property
    def error(self) -> SSEDialectsError | None:
        """The error that ended the stream, None if there was none so far."""
        return self._error

    @property
    def frame_count(self) -> int:
        """Frames with data decoded so far."""
        return self._engine.frame_count

    @property
    def content_count(self) -> int:
        """Frames decoded so far that were no keep-alive."""
        return self._engine.content_count

    @property
    def last_sequence_number(self) -> int | None:
        """The sequence_number of the last decoded event of the dialect, None where it has none."""
        return self._engine.last_sequence_number

    @property
    def last_event_id(self) -> str | None:
        """The last event ID that the stream set, None if it set none."""
        return self._reader.last_event_id or None

    @property
    def resumable(self) -> bool:
        """Whether the provider can send the rest of this response over another connection."""
        return self._engine.resumable and (self._error is None or isinstance(self._error, TruncatedStreamError))

    @property
    def comment_count(self) -> int:
        """Comment lines ignored so far."""
        return self._reader.comments

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            SSEDialectsError: the error that ended the stream.
            MisuseError: the stream has not ended yet.
        """
        if self._error is not None:
            raise self._error
        if not self._engine.complete:
            raise MisuseError("the stream has not ended yet: feed the rest and close() the decoder, or take partial()")
        return self._engine.answer()

    def partial(self) -> Answer:
        """The answer so far; after an error, the error's partial answer. Linear time."""
        return self._error.partial if isinstance(self._error, StreamError) else self._engine.answer()

    # ---- reads

    def _decode(self, data: bytes) -> None:
        if self._sniffer is not None and not self._is_stream(self._sniffer, data):
            return
        reader, queued = self._reader, len(self._queue)
        if text := reader.feed(data):
            allowed = self._limits.max_answer_bytes
            if allowed is None or reader.text_bytes - reader.comment_bytes <= allowed:
                self._take_frames(text, len(text), data)
            else:
                self._take_within(text, allowed, data)
        if reader.overflow:
            begun = self._sniffer is None or self._sniffer.has_begun  # white space alone is no frame
            if begun and self._error is None and not self._engine.complete:
                self._fail(LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0), reader.end)
        self._look_for_shown(queued)

    def _is_stream(self, sniffer: BodySniffer, data: bytes) -> bool:
        """Whether the bytes are for the frame reader. They are until the body shows that it is no stream."""
        try:
            passes = sniffer.feed(data)
        except (LimitExceededError, NotAnEventStreamError) as error:
            self._fail(error, 0)
            return False
        self._sniffer = None if sniffer.is_stream else sniffer
        return passes

    def _look_for_shown(self, queued: int) -> None:
        if self._first_shown is None and len(self._queue) > queued:
            self._first_shown = next((event for event in self._queue[queued:] if isinstance(event, SHOWN)), None)

    def _take_within(self, text: str, allowed: int, read: bytes) -> None:
        """Take the frames of ``text`` as far as ``max_answer_bytes`` allows. It counts all lines but comments."""
        counted = self._reader.text_bytes - self._reader.comment_bytes - len(text.encode())
        size = end_within(text, allowed - counted)
        self._take_frames(text, size, read)
        if size < len(text) and self._error is None and not self._engine.complete:
            self._engine.frame_count += 1
            self._fail(LimitExceededError("max_answer_bytes", allowed), self._offset_behind(text, size, read))

    def _take_frames(self, text: str, size: int, read: bytes) -> None:
        """Take the frames that stand in ``text`` before ``size``; ``read`` has completed all of ``text``.

        A frame of one data line, perhaps below an event line, is parsed where it stands: nearly all frames are such, and most
        have the same lines ahead of the payload as the last one. All others go the general way, and so does every frame where
        ``_fast`` is off or the dialect is not known yet.
        """
        at = start = stop = 0
        engine, header, event = self._engine, self._header, self._event
        in_place, take = self._fast and engine.dialect is not None, engine.take
        try:
            while at < size and not engine.complete:
                if self._repeated is not None:
                    at = self._take_repeated(self._repeated, text, at, size)
                    continue
                payload = None
                if in_place:
                    if not header or not text.startswith(header, at):
                        header, event = header_at(text, at)
                        header = "" if event in NAMES_THAT_DECIDE else header
                    start = at + len(header)
                    stop = text.find("\n", start)
                    if header and text[stop + 1] == "\n":
                        payload = parsed_at(text, start, stop, self._depth)
                if payload is not None and (engine.identified or engine.identify(payload, event)):
                    engine.frame_count += 1
                    hot = take(payload, event) is not None
                    self._hot_in_a_row = self._hot_in_a_row + 1 if hot else 0
                    if self._hot_in_a_row == repeated.AFTER:
                        assert engine.hot is not None
                        self._repeated = repeated.learn(text, at, start, stop, engine.hot)
                        self._hot_in_a_row = -repeated.PAUSE if self._repeated is None else 0  # before the next try
                    at = stop + 2
                else:
                    stop = text.find("\n\n", at)
                    self._take_block(text[at:stop])
                    at = stop + 2
                    self._hot_in_a_row = 0
                    engine = self._engine  # which may be another one, now that the dialect is known
                    in_place, take = self._fast and engine.dialect is not None, engine.take
            self._header, self._event = header, event
        except (StreamError, RecursionError) as error:  # the latter where the caller has most of the stack
            failure = error if isinstance(error, StreamError) else MalformedStreamError(TOO_DEEP)
            self._fail(failure, self._offset_behind(text, at, read))

    def _take_repeated(self, pattern: RepeatedFrames, text: str, at: int, size: int) -> int:
        """Take frames as long as they match the pattern, which the first that does not ends. Returns where that one begins."""
        count = 0
        while at < size and (after := pattern.take(text, at, self._queue)):
            count += 1
            at = after
        self._engine.count_repeated(count, pattern.last_count)
        pattern.count += count
        if at < size:
            self._repeated = None
            self._hot_in_a_row = 0 if pattern.count else -repeated.PAUSE
        return at

    def _take_block(self, block: str) -> None:
        """Take a frame of any form. If a line outside of data reports a failure, the frame above that line ends there."""
        frame, others = self._reader.frame(block)
        failure, above = failure_in_block(block, self._limits.max_depth) if others else (None, "")
        if failure is not None:
            self._take_last(above)
            if not self._engine.complete:
                self._engine.take_error(failure)
        elif frame is not None:
            self._take_frame(frame.event, frame.data)

    def _take_last(self, block: str) -> None:
        """Take a frame that has no blank line, if its payload is whole: a cut can't make one."""
        frame, _ = self._reader.frame(block)
        if frame is not None and is_whole(frame.data):
            self._take_frame(frame.event, frame.data)

    def _take_frame(self, event: str, data: str) -> None:
        engine = self._engine
        engine.take_frame(event, data, engine.take if self._fast else engine.take_general)
        if isinstance(engine, DialectDetector) and engine.detected is not None:
            self._engine = engine.engine()
            for held in engine.held:
                self._take_frame(*held)

    def _offset_behind(self, text: str, at: int, read: bytes) -> int:
        """Where the frame at ``at`` ends, in bytes of the stream."""
        return self._reader.offset(read, text.count("\n", text.find("\n\n", at) + 2))

    # ---- the end of input, and errors

    def _decode_end(self, *, broken: bool) -> None:
        sniffer, reader = self._sniffer, self._reader
        if sniffer is not None and sniffer.body is not None:
            self._take_body(sniffer.body)
            return
        if reader.overflow:  # of white space
            raise LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
        rest = reader.close()
        failure, above = failure_in_block(rest, self._limits.max_depth)
        self._take_last(above)
        if self._engine.complete:
            return
        if failure is not None:
            self._engine.take_error(failure)
        if sniffer is not None and not (self.frame_count or self.comment_count):
            sniffer.refuse_text()
        self._engine.end(broken=broken)

    def _take_body(self, body: NonStreamBody) -> None:
        dialect, payload = body.read(self._engine.dialect)
        if dialect is None:
            self._engine.take_error(payload, in_stream=False)
        elif isinstance(self._engine, DialectDetector):
            self._engine.detected = dialect
            self._engine = self._engine.engine()
        self._engine.take_whole(payload)

    def _fail(self, error: SSEDialectsError, offset: int) -> None:
        if isinstance(error, StreamError):
            self._engine.with_context(error)
            error.byte_count, error.last_event_id = offset, self.last_event_id
        self._error = error
