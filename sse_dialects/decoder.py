"""Bytes in, events and one answer or one error out: the frame layer and one accumulator, without I/O."""

from __future__ import annotations

from operator import length_hint
from typing import TYPE_CHECKING

from .body import BodySniffer, failure_in_block
from .dialects.base import SHOWN
from .errors import LimitExceededError, MisuseError, NotAnEventStreamError, SSEDialectsError, StreamError, TruncatedStreamError
from .frames import Frame, FrameReader
from .learning import Learner
from .limits import DEFAULT_LIMITS, Limits
from .parser import as_bytes, as_limits
from .recognition import ACCUMULATORS, UNKNOWN, AnyDialect, Recogniser, is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .answer import Answer, DialectName, DialectOrAuto
    from .dialects.base import Accumulator
    from .events import Event
    from .template import Template

__all__ = ["Decoder"]

# Bytes that may well be no more than one frame.
_SMALL_READ = 512


class Decoder:
    """One stream, decoded.

    `feed` buffers bytes and returns an iterator over the decoder's one queue of events; iterating decodes. Events, their
    order and the error are the same for every chunking.

    Args:
        dialect: "chat", "messages", "responses", or "auto" to recognise it by the first frame that tells.
        require_done: False also lets a chat stream end after every choice has a finish reason: some servers send no ``[DONE]``.
        think_tags: whether ``<think>`` blocks in chat content are told apart as reasoning.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: the dialect has another name, or ``limits`` is no `Limits`.
    """

    __slots__ = ("_cause", "_closed", "_cut", "_delivered", "_due", "_error", "_fast", "_front",
        "_learner", "_limits", "_pending", "_queue", "_raised", "_reader", "_ready", "_recogniser", "_require_done",
        "_state", "_template", "_think_tags", "_unread")  # fmt: skip

    def __init__(
        self,
        dialect: DialectOrAuto = "auto",
        *,
        require_done: bool = True,
        think_tags: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if dialect != "auto" and dialect not in ACCUMULATORS:
            raise MisuseError(f'there is no dialect {dialect!r}: use "auto", "chat", "messages" or "responses"')
        self._require_done, self._think_tags = require_done, think_tags
        self._limits = as_limits(limits)
        self._reader = FrameReader(limits)
        self._queue: list[Event] = []
        self._due: Iterator[Event] = iter(())  # the queue's events that are not taken yet
        self._pending: list[bytes] = []  # bytes fed and not decoded yet
        self._cut: list[bytes] | None = None  # blocks ahead of them
        self._recogniser = Recogniser(limits) if dialect == "auto" else None
        self._state: Accumulator = self._accumulator(AnyDialect if dialect == "auto" else ACCUMULATORS[dialect])
        self._fast = True  # False forces the plain path
        self._learner: Learner | None = None
        self._template: Template | None = None
        self._ready = False  # nothing is pending or wrong, no CR is about, and something has been shown
        self._front: BodySniffer | None = BodySniffer(limits)  # until it is known that this is a stream
        self._unread = 0  # bytes that the reader has not seen, or dropped
        self._error: SSEDialectsError | None = None
        self._cause: BaseException | None = None  # why the transport broke, if it did
        self._raised = self._delivered = self._closed = False

    # ---- driving

    def feed(self, data: bytes | bytearray | memoryview) -> Iterator[Event]:
        """Buffer bytes of any length and return an iterator over the events that are due. Events left untaken come first in
        the next one. What follows the terminating frame, or an error, is ignored.

        Raises:
            MisuseError: the decoder is closed, or ``data`` is not bytes.
            SSEDialectsError: from the iterator, where the queue reaches the fault: a `StreamError`, or `NotAnEventStreamError`.
        """
        if not self._ready or type(data) is not bytes:
            return self._feed_plainly(data)
        reader = self._reader
        if not reader.tail and len(data) <= reader.watch:
            due = self._taken(data)
            if due is not None:
                reader.consumed += len(data)  # here, for a call would cost as much as all the rest of it
                return due
        frames = reader.closed(data)
        if frames is None:
            return self._feed_plainly(data)
        return (self._taken(frames) or self._run(frames)) if frames else self._due

    def _taken(self, frame: bytes) -> Iterator[Event] | None:
        """Bytes that may well be one frame are decoded at once if that fits the template; None, and nothing done, elsewhere."""
        template = self._template
        if template is None or len(frame) > _SMALL_READ or length_hint(self._due):
            return None
        event = template.take(frame)
        if event is None:
            return None
        self._queue = queue = [event]
        self._due = due = iter(queue)
        return due

    def _run(self, frames: bytes) -> Iterator[Event]:
        """Of whole frames, what fits the template is decoded at once, where nothing waits; the rest when it is asked for."""
        taken = 0
        if self._template is not None and not length_hint(self._due):
            out: list[Event] = []
            taken = self._template.run(frames, out)
            self._queue = out
            self._due = due = iter(out)
            if taken == len(frames):
                return due
        self._reader.before += taken
        self._cut = frames[taken:-2].split(b"\n\n")
        self._ready = False
        return self._events()

    def _feed_plainly(self, data: bytes | bytearray | memoryview) -> Iterator[Event]:
        if self._closed:
            raise MisuseError("this Decoder is closed: make a new one for the next stream")
        if data := data if type(data) is bytes else as_bytes(data):
            if self._ready and 10 not in data and self._reader.closed(data) is not None:  # part of a long line
                return self._due
            self._pending.append(data)
            self._unread += len(data)
            self._ready = False
        return self._events()

    def close(self) -> list[Event]:
        """Say that no more bytes will come. Works at once, and returns the events not taken yet.

        Raises:
            SSEDialectsError: the terminating frame has not been seen, or bytes that were still pending are wrong. The events
                not taken yet are on its ``.decoded``.
        """
        self._close(None)
        self._raise_once(events := list(self._due))
        return events

    def finish(self, cause: BaseException | None = None) -> Iterator[Event]:
        """`close`, with an iterator that raises as that of `feed` does. ``cause`` is the error that broke the transport."""
        self._close(cause)
        return self._events()

    def _close(self, cause: BaseException | None) -> None:
        self._decode_pending()
        if self._closed:
            return
        self._closed, self._cause = True, cause
        self._drop_template()
        if self._error is None and not self._state.complete:
            self._decode_more(self._decode_end)
        if isinstance(self._error, TruncatedStreamError) and cause is not None:
            self._error.cause = self._error.__cause__ = cause

    def _events(self) -> Iterator[Event]:
        while True:
            if not self._delivered:
                for event in self._due:
                    self._delivered = isinstance(event, SHOWN)
                    yield event
                    if self._delivered:
                        break
            yield from self._due
            if not length_hint(self._due):  # another iterator may have gone on in between
                self._queue.clear()
            if not (self._pending or self._cut):
                break
            self._decode_pending()
        self._raise_once([])

    def _raise_once(self, events: list[Event]) -> None:
        if self._error is not None and not self._raised:
            self._raised = True
            self._error.decoded, self._error.delivered = events, self._delivered
            raise self._error

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
        return self._unread + self._reader.consumed + len(self._reader.tail)

    @property
    def frame_count(self) -> int:
        """Frames with data decoded so far."""
        return self._state.frame_count + self._frames_aside()

    @property
    def content_count(self) -> int:
        """Frames decoded so far that were no keep-alive."""
        return self._state.content_count + self._frames_aside()

    def _frames_aside(self) -> int:
        """Frames that the accumulator has not counted yet: kept for replay, or taken by the template."""
        untold = len(self._recogniser.untold) if self._recogniser is not None else 0
        return untold + (self._template.count if self._template is not None else 0)

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
        self._decode_pending()
        if self._error is not None:
            raise self._error
        if not self._state.complete:
            raise MisuseError("the stream has not ended yet: feed the rest and close() the decoder, or take partial()")
        return self._state.answer()

    def partial(self) -> Answer:
        """The answer so far. After an error, the error's partial answer. Linear time."""
        self._decode_pending()
        return self._error.partial if isinstance(self._error, StreamError) else self._state.partial()

    def _decode_pending(self) -> None:
        if self._pending or self._cut:
            self._decode_more(self._decode_reads)

    def _decode_more(self, step: Callable[[list[Event]], None]) -> None:
        """Put what ``step`` decodes behind the events that are due already."""
        out = self._queue
        if 2 * length_hint(self._due) <= len(out):  # at least as many have been taken as are copied, so this is linear in all
            out = self._queue = list(self._due)
            self._due = iter(out)
        self._state.deliver_to(out)
        try:
            step(out)
        except (StreamError, NotAnEventStreamError) as error:
            self._keep(error, self.byte_count)
        self._ready = self._delivered and self._reader.plain and not (self._error or self._state.complete or self._closed)

    def _decode_reads(self, out: list[Event]) -> None:
        count = self.byte_count
        blocks, reads, self._cut, self._pending = self._cut, self._pending, None, []
        try:
            if blocks is not None:
                self._decode_blocks(blocks, out)
            for data in reads:
                if self._error is not None or self._state.complete:
                    break
                if self._front is None or self._passes(self._front, data):
                    self._decode_blocks(self._reader.blocks(data), out)
        finally:
            self._unread += count - self.byte_count

    def _passes(self, front: BodySniffer, data: bytes) -> bool:
        try:
            passes = front.feed(data)
        except LimitExceededError as error:
            self._keep(error, 0)
            return False
        self._front = None if front.is_stream else front
        return passes

    def _decode_blocks(self, blocks: list[bytes], out: list[Event]) -> None:
        reader, taken = self._reader, 0
        try:
            while taken < len(blocks):
                if self._template is not None:
                    taken = self._template.run_blocks(blocks, taken, out)
                    if taken == len(blocks):
                        break
                taken += 1
                self._decode_block(blocks[taken - 1], out)
                if self._state.complete:
                    return
            if reader.overflow and (self._front is None or self._front.has_begun):  # white space alone is no frame
                raise LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
        except StreamError as error:
            self._keep(error, reader.offset_after(blocks, taken))

    def _decode_block(self, block: bytes, out: list[Event]) -> None:
        """The plain path, and what can be learned from it for the fast one."""
        if block[:5] != b"data:" or 10 in block or 13 in block:
            block = self._take_failure(block)
        frame = self._reader.frame(block)
        if frame is None:
            return
        self._drop_template()
        before = len(out)
        self._take(frame)
        hot = self._state.pop_hot()
        if hot is not None and len(out) == before + 1 and self._fast:
            self._learner = self._learner or Learner()
            self._template = self._learner.learn(block, hot, self._state)

    def _drop_template(self) -> None:
        """Before anything else is decoded: the accumulator's state may change under a template."""
        if self._template is not None and self._learner is not None:
            self._learner.fitted(self._template.count)
            self._state.note(self._template.count, self._template.size)
            self._template = None

    def _take_failure(self, block: bytes) -> bytes:
        """Raise what a line outside of data reports, after the frame above it if that counts by the rule for the end of input.
        Returns the block where no line does, nothing where that frame ended the stream."""
        failure, above = failure_in_block(block, self._limits.max_depth)
        if failure is None:
            return block
        self._drop_template()
        if (frame := self._reader.frame(above)) is not None and is_whole(frame):
            self._take(frame)
        if not self._state.complete:
            if self._recogniser is not None:
                self._settle_on(UNKNOWN, self._recogniser)
            self._state.take_error(failure)
        return b""

    def _take(self, frame: Frame) -> None:
        if self._recogniser is None or self._recognise(self._recogniser, frame):
            data = frame.data
            self._state.take(frame.event, data, len(data) if data.isascii() else len(data.encode()))

    def _recognise(self, recogniser: Recogniser, frame: Frame) -> bool:
        """Whether the dialect is known by this frame; frames that told nothing are replayed then."""
        if (name := recogniser.look(frame)) is not None:
            self._settle_on(name, recogniser)
        elif not recogniser.untold or recogniser.untold[-1] is not frame:  # a keep-alive, which nobody has to see again
            self._state.frame_count += 1
        return name is not None

    def _settle_on(self, name: str, recogniser: Recogniser) -> None:
        self._recogniser = None
        if name != UNKNOWN:
            before, self._state = self._state, self._accumulator(ACCUMULATORS[name])
            before.hand_over(self._state)
        self._state.keep_members(recogniser.members)
        for frame in recogniser.untold:
            self._take(frame)

    def _accumulator(self, kind: type[Accumulator]) -> Accumulator:
        return kind(require_done=self._require_done, think_tags=self._think_tags, limits=self._limits)

    def _decode_end(self, out: list[Event]) -> None:
        """An undispatched frame counts where its payload is whole: a cut can't make one."""
        if self._front is not None and (body := self._front.body) is not None:
            dialect, payload = body.read(self._state.dialect)
            if dialect is None:
                self._state.take_error(payload, in_stream=False)
            elif self._recogniser is not None:
                self._settle_on(dialect, self._recogniser)
            self._state.take_whole(payload, body.size)
            return
        if self._reader.overflow:  # of white space
            raise LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
        block = self._take_failure(bytes(self._reader.tail))
        if block and (frame := self._reader.rest()) is not None and is_whole(frame):
            self._take(frame)
        if self._state.complete:
            return
        if self._recogniser is not None and self._recogniser.foreign and self._cause is None:
            raise self._recogniser.failure()
        if self._front is not None and not (self.frame_count or self.comment_count):
            self._front.refuse_text()
        self._state.end(broken=self._cause is not None)

    def _keep(self, error: SSEDialectsError, offset: int) -> None:
        self._drop_template()
        if isinstance(error, StreamError):
            error = self._state.filled(error)
            error.byte_count, error.frame_count = offset, self.frame_count
        self._error = error
