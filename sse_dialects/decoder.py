"""Bytes in, events and one answer or one error out: the frame layer and one accumulator, without I/O."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from .errors import (
    LimitExceededError,
    MalformedStreamError,
    MisuseError,
    NotAnEventStreamError,
    SSEDialectsError,
    StreamError,
    TruncatedStreamError,
)
from .events import ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta, ToolCallFinished, ToolCallStarted
from .frames import Frame, FrameReader
from .head import FOREIGN_BYTES, Head, dialect_of_body, error_of_body, foreign, json_body, not_an_answer
from .limits import DEFAULT_LIMITS, Limits
from .parser import as_bytes
from .recognition import ACCUMULATORS, UNKNOWN, AnyDialect, is_keep_alive, recognised
from .values import JSONObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .answer import Answer, DialectName
    from .dialects.base import Accumulator
    from .events import Event

__all__ = ["Decoder"]

# Events that show something of the answer: after one of these a retry is visible to whoever watches.
_SHOWN = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallStarted, ToolCallDelta, ToolCallFinished)

# A stream of payloads that nobody can name is none of the dialects; providers tell with the first or second.
_MAX_UNTOLD_FRAMES = 1_000


class Decoder:
    """One stream, decoded.

    `feed` buffers bytes and returns an iterator over the decoder's one queue of events; iterating decodes. Events, their
    order and the error are the same for every chunking.

    Args:
        dialect: "chat", "messages", "responses", or "auto" to recognise one from the first telling frame.
        require_done: False also lets a chat stream end after every choice has a finish reason: some servers send no ``[DONE]``.
        think_tags: whether ``<think>`` blocks in chat content are told apart as reasoning.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: the dialect has another name.
    """

    __slots__ = (
        "_auto",
        "_body",
        "_body_bytes",
        "_closed",
        "_delivered",
        "_error",
        "_head",
        "_kind",
        "_limits",
        "_options",
        "_pending",
        "_queue",
        "_raised",
        "_reader",
        "_state",
        "_total",
        "_untold",
    )

    def __init__(
        self,
        dialect: str = "auto",
        *,
        require_done: bool = True,
        think_tags: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if dialect != "auto" and dialect not in ACCUMULATORS:
            raise MisuseError(f'there is no dialect {dialect!r}: use "auto", "chat", "messages" or "responses"')
        self._options = {"require_done": require_done, "think_tags": think_tags}
        self._limits = limits
        self._reader = FrameReader(limits)
        self._queue: deque[Event] = deque()
        self._pending: deque[bytes] = deque()
        self._auto = dialect == "auto"
        self._state: Accumulator = self._accumulator(AnyDialect if self._auto else ACCUMULATORS[dialect])
        self._untold: list[Frame] = []  # frames that told nothing yet
        self._head: Head | None = Head()
        self._kind = ""  # what the body is, once its first bytes have told
        self._body: list[bytes] = []  # of a body that is no stream
        self._body_bytes = 0
        self._total = 0
        self._error: SSEDialectsError | None = None
        self._raised = False
        self._delivered = False
        self._closed = False

    # ---- driving

    def feed(self, data: bytes | bytearray | memoryview) -> Iterator[Event]:
        """Buffer bytes of any length and return an iterator over the events that are due. Events left untaken come first in
        the next one. What follows the terminating frame, or an error, is ignored.

        Raises:
            MisuseError: the decoder is closed, or ``data`` is not bytes.
            SSEDialectsError: from the iterator, where the queue reaches the fault: any `StreamError` but a stalled one, or
                `NotAnEventStreamError`.
        """
        if self._closed:
            raise MisuseError("this Decoder is closed: make a new one for the next stream")
        if data := data if type(data) is bytes else as_bytes(data):
            self._total += len(data)
            self._pending.append(data)
        return self._events()

    def close(self) -> list[Event]:
        """Say that no more bytes will come. Works at once, and returns the events not taken yet.

        Raises:
            TruncatedStreamError: the terminating frame has not been seen. As with any error here, the events not taken
                yet are on its ``.decoded``.
            SSEDialectsError: whatever else is wrong with bytes that were still pending.
        """
        self._decode_pending()
        if not self._closed:
            self._closed = True
            if self._error is None and not self._state.complete:
                self._guarded(self._end, self._total)
        events = list(self._queue)
        self._queue.clear()
        if self._error is not None and not self._raised:
            self._raise_with(events)
        self._note_delivery(events)
        return events

    def abort(self, error: StreamError) -> StreamError:
        """End the stream with an error from outside, a stall: filled with what came, kept for `answer`, returned for raising."""
        self._decode_pending()
        if self._error is None:
            self._keep(error, self._total)
        error.delivered = self._delivered
        self._raised = True
        return error

    def _events(self) -> Iterator[Event]:
        queue = self._queue
        while True:
            while queue and not self._delivered:
                event = queue.popleft()
                self._delivered = isinstance(event, _SHOWN)
                yield event
            while queue:
                yield queue.popleft()
            if not self._pending:
                break
            self._decode(self._pending.popleft())
        if self._error is not None and not self._raised:
            self._raise_with([])

    def _raise_with(self, events: list[Event]) -> None:
        assert self._error is not None
        self._raised = True
        self._error.decoded = events
        self._error.delivered = self._delivered
        raise self._error

    def _note_delivery(self, events: list[Event]) -> None:
        self._delivered = self._delivered or any(isinstance(event, _SHOWN) for event in events)

    # ---- asking

    @property
    def dialect(self) -> DialectName | None:
        """The dialect, None as long as it is not recognised."""
        return self._state.dialect

    @property
    def complete(self) -> bool:
        """Whether the terminating frame has been seen."""
        self._decode_pending()
        return self._state.complete

    @property
    def error(self) -> SSEDialectsError | None:
        """The error that ended the stream, None if there was none so far."""
        self._decode_pending()
        return self._error

    @property
    def byte_count(self) -> int:
        """Bytes fed."""
        return self._total

    @property
    def frame_count(self) -> int:
        """Frames with data decoded so far."""
        return self._state.frame_count + len(self._untold)

    @property
    def content_count(self) -> int:
        """Frames decoded so far that were no keep-alive."""
        return self._state.content_count + len(self._untold)

    @property
    def comment_count(self) -> int:
        """Comment lines ignored so far."""
        return self._reader.comments

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            SSEDialectsError: the error that ended the stream.
            TruncatedStreamError: the terminating frame has not been seen so far.
        """
        self._decode_pending()
        if self._error is not None:
            raise self._error
        if not self._state.complete:
            raise self._located(TruncatedStreamError(self._state.expected), self._total)
        return self._state.answer()

    def partial(self) -> Answer:
        """What there is so far, in time linear in it."""
        self._decode_pending()
        return self._state.partial()

    # ---- bytes

    def _decode_pending(self) -> None:
        while self._pending:
            self._decode(self._pending.popleft())

    def _decode(self, data: bytes) -> None:
        """Decode one read into the queue."""
        if self._error is not None or self._state.complete:
            return
        if self._head is not None:
            self._kind, body = self._head.look(data)
            if self._kind:
                self._head = None
        else:
            body = data
        if self._kind in ("", "stream"):  # until it is known, too: the reader has to see the white space, which tells nothing
            self._decode_stream(data)
        else:
            self._decode_body(body)

    def _decode_stream(self, data: bytes) -> None:
        reader = self._reader
        blocks = reader.blocks(data)
        read = 0
        try:
            for block in blocks:
                read += 1
                frame = reader.frame(block)
                if frame is not None:
                    self._take(frame)
                    if self._state.complete:
                        return
            if reader.overflow:
                raise LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
        except StreamError as error:
            self._keep(error, reader.offset_after(blocks, read))
        reader.consume(blocks)

    def _decode_body(self, data: bytes) -> None:
        """A body that is no stream: JSON is kept until the end, anything else is refused once there is enough to show."""
        self._body.append(data)
        self._body_bytes += len(data)
        if self._kind != "json":
            if self._body_bytes >= FOREIGN_BYTES:
                self._keep(foreign(self._kind, b"".join(self._body)), self._total)
            return
        allowed = self._limits.max_answer_bytes
        if allowed is not None and self._body_bytes > allowed:
            self._keep(LimitExceededError("max_answer_bytes", allowed), 0)

    # ---- frames

    def _take(self, frame: Frame) -> None:
        if self._auto and not self._recognise(frame):
            return
        data = frame.data
        self._state.take(frame.event, data, len(data) if data.isascii() else len(data.encode()))

    def _recognise(self, frame: Frame) -> bool:
        """Whether the dialect is known by this frame; frames that told nothing are replayed then."""
        if is_keep_alive(frame):
            self._state.frame_count += 1
            return False
        name = recognised(frame, self._limits.max_depth)
        if name is None:
            self._untold.append(frame)
            if len(self._untold) > _MAX_UNTOLD_FRAMES:
                raise self._unrecognised()
            return False
        self._settle_on(name)
        return True

    def _settle_on(self, name: str) -> None:
        self._auto = False
        if name != UNKNOWN:
            before = self._state.frame_count
            self._state = self._accumulator(ACCUMULATORS[name])
            self._state.frame_count = before
        untold, self._untold = self._untold, []
        for frame in untold:
            self._take(frame)

    def _accumulator(self, kind: type[Accumulator]) -> Accumulator:
        state = kind(limits=self._limits, **self._options)
        state.deliver_to(self._queue)
        return state

    # ---- the end of input

    def _end(self) -> None:
        if self._kind in ("", "stream"):
            self._end_stream()
        elif self._kind == "json":
            self._end_json(b"".join(self._body))
        else:
            raise foreign(self._kind, b"".join(self._body))

    def _end_stream(self) -> None:
        """An undispatched frame counts where its payload is whole: a cut can't make one."""
        frame = self._reader.rest()
        if frame is not None and _is_whole(frame):
            self._take(frame)
            if self._state.complete:
                return
        if self._untold:
            raise self._unrecognised()
        self._state.end()

    def _end_json(self, body: bytes) -> None:
        value = json_body(body, self._limits.max_depth)
        if (payload := error_of_body(value)) is not None:
            self._state.take_error(payload)
        name = dialect_of_body(value)
        if name is None or (not self._auto and name != self._state.dialect):
            raise not_an_answer("JSON of another kind", body)
        self._settle_on(name)
        self._state.take_whole(value, len(body))

    def _unrecognised(self) -> MalformedStreamError:
        return MalformedStreamError("none of its payloads is of a dialect known here (chat, messages, responses)")

    # ---- errors

    def _guarded(self, step: Any, offset: int) -> None:
        try:
            step()
        except (StreamError, NotAnEventStreamError) as error:
            self._keep(error, offset)

    def _keep(self, error: SSEDialectsError, offset: int) -> None:
        self._error = self._located(error, offset) if isinstance(error, StreamError) else error
        self._pending.clear()

    def _located(self, error: StreamError, offset: int) -> StreamError:
        error = self._state.filled(error)
        error.byte_count = offset
        error.frame_count = self.frame_count
        return error


def _is_whole(frame: Frame) -> bool:
    """Whether the payload of an undispatched frame is ``[DONE]`` or one whole JSON object."""
    if frame.done:
        return True
    try:
        return isinstance(frame.json(), JSONObject)
    except (ValueError, RecursionError):
        return False
