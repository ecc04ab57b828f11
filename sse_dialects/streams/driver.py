"""What a sync and an async stream have in common: everything but the waiting.

The source's pieces, its end and its errors go in; events and the one error come out. Both kinds of streams drive it alike: they
hand out `events`, and report by `on_failure` what iterating them raises; while `open`, they read on and report what the read
brought by `on_bytes`, `on_end`, `on_error` or `on_timeout`; at the end `raise_failure` raises.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from sse_dialects.errors import NotAnEventStreamError, StalledStreamError, StreamError, TruncatedStreamError
from sse_dialects.events import SHOWN, Extra
from sse_dialects.frames import as_bytes
from sse_dialects.http_errors import plain_headers, request_id
from sse_dialects.recording.lines import RecordedTimeoutError
from sse_dialects.root import MisuseError, SSEDialectsError
from sse_dialects.sources.misuse import read_before, wrong_piece
from sse_dialects.sources.transport_errors import is_misuse, is_transport_failure, read_timeout

from .head import BodyHead
from .rejection import REJECTION_S, Rejection
from .stats import Stats, Timing
from .timeouts import LongFrame, TimeoutRanOutError, Timeouts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sse_dialects.answer import Answer
    from sse_dialects.decoder import Decoder
    from sse_dialects.events import Event
    from sse_dialects.sources.source import Source

__all__ = ["ENDED", "NOTHING", "StreamDriver"]

# In the place of a piece; a source may give anything, None included.
NOTHING: Any = object()
ENDED: Any = object()
_DECODING: Any = object()

_LEFT = (
    "this stream was left before its end, so there is no whole answer: read it to its end before closing it; "
    "partial() has what came"
)


class StreamDriver:
    """One stream being read.

    Attributes:
        decoder: decodes it.
        piece: what the source gave and is not decoded yet; `ENDED` behind its last one, else `NOTHING`. The streams write it.
        events: an iterator over the events that are decoded and not handed out. It raises the decoder's error where that stands.
        timeouts: the stream's timeouts, or None where it has none.
        open: whether bytes are still to be read.
        delivered: whether a text, reasoning, refusal or tool call event was handed to the caller.
        closed: whether the caller wants no more.
        failure: the error that the stream ended in, if it did.
        has_lost: whether an interrupt lost bytes that were being decoded, or an event that was being handed out.
        handed_over: what there was when another stream went on with the decoder.
        earlier: the stream that this one was to resume, if the server rejected the request for the rest.
    """

    __slots__ = (
        *("_at_head", "_before_first", "_cause", "_content_seen", "_finished"),
        *("_frames_before", "_head", "_long_frame", "_raised", "_rejection", "_source", "_stall"),
        *("_timing", "_token_came", "_watching", "closed", "decoder", "delivered", "earlier", "events", "failure"),
        *("handed_over", "has_lost", "open", "piece", "timeouts"),
    )

    def __init__(
        self, source: Source, decoder: Decoder, timeouts: Timeouts | None = None, earlier: StreamDriver | None = None
    ) -> None:
        self._source = source
        self.decoder = decoder
        self._rejection = Rejection(source.head) if source.head.rejects else None
        self.timeouts = timeouts if self._rejection is None else Timeouts(total=REJECTION_S)
        # The timeouts, where it matters for them what a read brings.
        self._watching = self.timeouts if self.timeouts is not None and self.timeouts.watches_content else None
        self._head = BodyHead(source.head.content_encoding)
        self._at_head = True  # what comes may not be for the decoder
        self._timing = Timing()
        self._before_first = True  # an event that `Timing` or a timeout waits for has not come yet
        self._token_came = False  # what `first_token_timeout` waits for
        self._frames_before = decoder.frame_count  # of earlier connections
        self._content_seen = decoder.content_count
        self._long_frame = LongFrame()
        self._cause: BaseException | None = None  # the transport's error, or what interrupted a read
        self._stall: StalledStreamError | None = None  # why reading was given up
        self._raised = False
        self._finished = False
        self.piece: Any = NOTHING
        self.events: Iterator[Event] = iter(())
        self.open = True
        self.delivered = False
        self.closed = False
        self.failure: SSEDialectsError | None = None
        self.has_lost = False
        self.handed_over: tuple[Answer, Stats] | None = None
        self.earlier: StreamDriver | None = None
        if earlier is not None:
            self._go_on_from(earlier)

    # ---- what the streams pass on

    @property
    def rejected(self) -> bool:
        """Whether the HTTP status is outside 2xx."""
        return self._rejection is not None

    @property
    def complete(self) -> bool:
        """Whether the terminating frame was decoded."""
        return self.decoder.complete and self.handed_over is None

    @property
    def request_id(self) -> str | None:
        """The id by which the provider knows the request, from the response's headers."""
        return request_id(self._source.head.headers)

    def partial(self) -> Answer:
        """The answer as far as it came."""
        return self.decoder.partial() if self.handed_over is None else self.handed_over[0]

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            SSEDialectsError: the failure.
            MisuseError: the caller closed before the end.
        """
        if self.failure is not None:
            self._raised = True  # it is raised here; to iterate on, the stream has simply ended
            raise self.failure
        if self.closed and not self.complete:
            left = MisuseError(_LEFT if self.handed_over is None else "another stream has resumed this one: ask that one")
            self._tell_response(left)
            raise left from self._cause
        return self.decoder.answer()

    def stats(self) -> Stats:
        """How the stream went so far."""
        return self._timing.stats(self.decoder) if self.handed_over is None else self.handed_over[1]

    # ---- events

    def hand_out(self, event: Event) -> bool:
        """Note that the caller gets ``event``. Returns whether this has to be called for the next one, too."""
        self.delivered = self.delivered or isinstance(event, SHOWN)
        return self.pass_over(event) or not self.delivered

    def pass_over(self, event: Event) -> bool:
        """Note that ``event`` came, though the caller does not get it. Returns whether this has to be called for the next one."""
        if self._before_first:
            self._before_first = self._timing.note_first(event)
            if not self._token_came and (isinstance(event, SHOWN) or (type(event) is Extra and event.part is not None)):
                self._token_came = True
                if self._watching is not None:
                    self._watching.first_token_came()
        return self._before_first

    def on_failure(self, error: SSEDialectsError) -> None:
        """``error`` ends the stream. It is raised by `raise_failure`, once the source is closed."""
        error = self._undecoded(error)
        if isinstance(error, TruncatedStreamError):
            error.cause = self._cause
            error = error if self._stall is None else _located_as(error, self._stall)
            error.__cause__ = self._cause
        error.delivered = self.delivered
        self._tell_response(error)
        if isinstance(error, NotAnEventStreamError):
            error.content_type = self._source.head.headers.get("content-type")
        self.failure = error
        self.events = iter(())
        self._end()

    @property
    def decoder_error(self) -> SSEDialectsError | None:
        """The error that iterating `events` raises at their end, or None."""
        return self.decoder.error

    @property
    def is_over(self) -> bool:
        """Whether there is neither an event nor a failure to come."""
        return self.closed or (not self.open and self._raised)

    def raise_failure(self) -> None:
        """Raise the failure, if there is one, the first time; after that, or after `close`, the stream has simply ended."""
        if self.failure is None and self.handed_over is None and self.decoder.error is not None:  # an interrupt came before that
            self.on_failure(self.decoder.error)
        raised, self._raised = self._raised, True
        if self.failure is not None and not raised and not self.closed:
            raise self.failure

    # ---- reading on

    def on_bytes(self) -> None:
        """Decode ``piece``. Where that completes the answer, the stream is not open any more."""
        piece = self.piece
        if self._at_head or type(piece) is not bytes or not piece:
            piece = self._for_decoder(piece)
            if not piece:
                self.piece = NOTHING
                return
        timing = self._timing
        now = monotonic()
        if now - timing.last > timing.gap:  # noqa: PLR1730  # `max` would cost a call at each read
            timing.gap = now - timing.last
        timing.last = now
        decoder = self.decoder
        self.piece = _DECODING
        self.events = decoder.feed(piece)
        complete = decoder.complete
        self.piece = NOTHING
        if complete:
            self._end()
        elif (timeouts := self._watching) is not None:
            count = decoder.content_count
            if count == self._content_seen or not timeouts.settled:
                self._note_content(timeouts, piece)
            self._content_seen = count

    def on_end(self, cause: BaseException | None = None, stall: StalledStreamError | None = None) -> None:
        """The source has ended: by itself, because its transport broke (``cause``), or because it is given up (``stall``). Also
        then an unfinished last frame may be the terminating one, and the stream complete."""
        if not self.open:
            return
        if self._rejection is not None:
            self.on_failure(self._rejection.error())
            return
        self._end()
        self._cause = cause or self._cause
        self._stall = stall
        self._finished = True
        self.piece = _DECODING
        self.events = self.decoder.finish(self._cause or stall)
        self.piece = NOTHING

    def on_error(self, error: BaseException) -> bool:
        """The source raised ``error``. True if it is the source's end or a transport error, which ends the stream. Otherwise the
        caller must re-raise it, and the stream ends only if the source gives no more bytes afterwards."""
        package = self._source.package
        if isinstance(error, StopAsyncIteration):
            self.on_end()
            return True
        if isinstance(error, TimeoutRanOutError):
            self.on_timeout()
            return True
        if self.closed:
            return is_transport_failure(error, package)
        setting = read_timeout(error, package)
        if setting is not None:
            if self.timeouts is not None and self.timeouts.is_over(monotonic()):
                self.on_timeout()  # the read was bounded by a timeout of ours, which the client reports as its own
            else:
                waited = error.silent_s if isinstance(error, RecordedTimeoutError) else self._timing.silence()
                self.on_end(error, StalledStreamError(waited, setting=setting, cause=error))
        elif is_misuse(error):
            self.on_failure(read_before(error))
        elif is_transport_failure(error, package):
            self.on_end(error)
        else:
            self._cause = error
            return False
        return True

    def on_timeout(self) -> None:
        """A timeout ran out in a read, or before the next one."""
        self.on_end(stall=None if self.timeouts is None else self.timeouts.run_out())

    def resume(self) -> None:
        """Begin, or go on after an exception that is not the stream's own, such as an interrupt. A piece whose decoding was cut
        off leaves a decoder that can't be relied on, and ends the stream."""
        if self.timeouts is not None:
            self.timeouts.start()
        self.open = self.open and self.decoder.error is None
        if self.piece is _DECODING:
            self.piece = NOTHING
            self.on_failure(self._cut_off())
        elif self.piece is not NOTHING:
            self.on_bytes()
        elif self.failure is None and not self.closed and self._rejection is None:
            # The events that were not taken: the iterator over them may have been interrupted itself.
            self.events = self.decoder.finish(self._cause or self._stall) if self._finished else self.decoder.feed(b"")

    def close(self) -> None:
        """The caller wants no more."""
        self.closed = True
        self._at_head = True  # so that a piece that another thread is reading is looked at, and dropped
        events, self.events = self.events, iter(())
        if isinstance(events, GeneratorType):
            with suppress(ValueError):  # another thread is in it
                events.close()  # whoever iterates it takes no event away from a stream that resumes this one
        self._end()

    # ---- another connection for the same answer

    @property
    def is_decoding(self) -> bool:
        """Whether a piece is being decoded, or was when an interrupt came."""
        return self.piece is _DECODING

    def _go_on_from(self, earlier: StreamDriver) -> None:
        """Go on with the state of ``earlier``. If the request was rejected, that one may be resumed once more."""
        self._timing = earlier._timing.next_connection()
        self._token_came, self.delivered = earlier._token_came, earlier.delivered
        if self._token_came and self._watching is not None:
            self._watching.first_token_came()
        came = earlier.partial(), earlier.stats()
        self.decoder.start_next_connection()
        if self._rejection is not None:
            self.earlier = earlier
            return
        earlier.handed_over = came
        self.events = self.decoder.feed(b"")  # first the events that were not taken from the earlier one

    # ---- pieces

    def _for_decoder(self, piece: Any) -> bytes:
        """What of ``piece`` is for the decoder: nothing of a rejection's body, or of what is no bytes."""
        if piece is NOTHING:  # the read was ended
            if not self.closed:
                self.on_timeout()
            return b""
        if piece is ENDED:
            self.on_end()
            return b""
        if not self.open:
            return b""
        try:
            piece = as_bytes(piece)
        except MisuseError:
            self.on_failure(wrong_piece(piece))
            return b""
        if piece:
            self._timing.first_bytes()
        if self._at_head:
            self._at_head = self._look_at_head(piece)
        return piece if self._rejection is None and self.failure is None else b""

    def _look_at_head(self, piece: bytes) -> bool:
        """Look at what comes first. Returns whether to look at the next piece, too."""
        if self._rejection is not None:
            self._timing.bytes += len(piece)
            if self._rejection.feed(piece) or (self.timeouts is not None and monotonic() >= self.timeouts.total_until):
                self.on_end()
            return True
        try:
            return self._head.feed(piece)
        except MisuseError as error:
            self.on_failure(error)
            return True

    def _note_content(self, timeouts: Timeouts, piece: bytes) -> None:
        """Let the timeouts know whether the read brought content: a frame that is no keep-alive, or a part of a long one."""
        decoder = self.decoder
        content = self._long_frame.arrives(piece, decoder.frame_count + decoder.comment_count)
        timeouts.read_ended(self._timing.last, content=content or decoder.content_count != self._content_seen)

    # ---- the end

    def _end(self) -> None:
        self.open = False
        self._timing.end(silent=self.failure is not None)

    def _tell_response(self, error: SSEDialectsError) -> None:
        error.headers = plain_headers(self._source.head.headers.items())
        error.request_id = self.request_id

    def _undecoded(self, error: SSEDialectsError) -> SSEDialectsError:
        """The error where a compressed body, which the client left as it was, made no frame; else ``error``."""
        failure = self._head.undecoded() if self.decoder.frame_count == self._frames_before else None
        if failure is None:
            return error
        failure.__cause__ = error
        return failure

    def _cut_off(self) -> TruncatedStreamError:
        """The error for a stream whose decoding was interrupted."""
        self.has_lost = True
        try:
            list(self.decoder.finish(self._cause))
        except TruncatedStreamError as error:
            error.resumable = False
            return error
        except Exception:  # the decoder may be in any state
            pass
        failure = TruncatedStreamError("of which the last bytes were not decoded")
        failure.dialect = self.decoder.dialect
        return failure


def _located_as(truncated: TruncatedStreamError, stall: StalledStreamError) -> StalledStreamError:
    """``stall`` with what the decoder knows of the place at which a stream ended."""
    for name in vars(StreamError()):
        setattr(stall, name, getattr(truncated, name))
    return stall
