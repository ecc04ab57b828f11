"""What a sync and an async stream have in common: everything but the waiting. A source's pieces, its end and its faults go in;
events and the one error come out.

The two drive it alike. `Reading.take` gives the next decoded event; where it has none, `wants_bytes` says whether to read on;
what the read brought is told by `fed`, `finish`, `broke` or `timed_out`; at the end `settle` raises the failure.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sse_dialects.body import foreign
from sse_dialects.dialects.base import SHOWN
from sse_dialects.errors import NotAnEventStreamError, StalledStreamError, TruncatedStreamError
from sse_dialects.parser import as_bytes
from sse_dialects.recording.lines import RecordedTimeoutError
from sse_dialects.root import MisuseError, SSEDialectsError
from sse_dialects.sources.misuse import read_before, wrong_piece
from sse_dialects.sources.transport_errors import is_misuse, is_transport_failure, read_timeout

from .rejection import REJECTION_S, Rejection
from .stats import Stats, Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sse_dialects.answer import Answer, DialectName
    from sse_dialects.decoder import Decoder
    from sse_dialects.events import Event
    from sse_dialects.sources.source import Source

    from .patience import Patience

__all__ = ["Reading", "is_text"]

_HEAD_BYTES = 512  # kept of a body with a Content-Encoding, to tell afterwards whether the client undid it


class Reading:
    """One stream being read.

    Attributes:
        ended: nothing more will be read. closed: because the caller wants no more.
        failure: the error that the stream ended in, if it did.
        delivered: whether a text, reasoning, refusal or tool call event was handed to the caller.
    """

    __slots__ = (
        "_body_head",
        "_cause",
        "_decoder",
        "_patience",
        "_pending",
        "_rejection",
        "_settled",
        "_source",
        "_source_ended",
        "_timing",
        "closed",
        "delivered",
        "ended",
        "failure",
    )

    def __init__(self, source: Source, decoder: Decoder, patience: Patience | None = None) -> None:
        self._source = source
        self._decoder = decoder
        self._patience = patience
        self._rejection = Rejection(source.head) if source.head.rejects else None
        self._body_head = b"" if source.head.content_encoding else None
        self._pending: Iterator[Event] = iter(())
        self._timing = Timing()
        self._cause: BaseException | None = None  # what interrupted a read without ending the stream
        self._source_ended = False
        self._settled = False
        self.failure: SSEDialectsError | None = None
        self.delivered = False
        self.closed = False
        self.ended = False

    # ---- what the streams pass on

    @property
    def rejected(self) -> bool:
        """Whether the HTTP status is outside 2xx."""
        return self._rejection is not None

    @property
    def complete(self) -> bool:
        """Whether the terminating frame was decoded."""
        return self._decoder.complete

    @property
    def dialect(self) -> DialectName | None:
        """The dialect, None until it is recognised."""
        return self._decoder.dialect

    def partial(self) -> Answer:
        """The answer as far as it came."""
        return self._decoder.partial()

    def text_so_far_json(self) -> dict[str, Any]:
        """The best-effort object of choice 0's text; by jiter, where that is installed."""
        if "jiter" not in sys.modules:
            with suppress(ImportError):
                import_module("jiter")
        return self._decoder.partial().text_so_far_json()

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            SSEDialectsError: the failure; TruncatedStreamError where the caller closed before the end.
        """
        if self.failure is not None:
            raise self.failure
        try:
            return self._decoder.answer()
        except SSEDialectsError as error:
            self._settled = True  # it is raised here; to iterate on, the stream has simply ended
            raise self._failed(error)  # noqa: B904  # the same error, or one that has it as its cause

    def stats(self) -> Stats:
        """How the stream went so far."""
        return self._timing.stats(self._decoder)

    # ---- events

    def take(self) -> Event | None:
        """The next event that is decoded already. None where more bytes are needed, or none will come."""
        try:
            for event in self._pending:
                if self._patience is not None:
                    self._patience.answered()
                if self._timing.first_text is None:
                    self._timing.saw(event)
                return event
        except SSEDialectsError as error:
            self._failed(error)
        return None

    def handed(self, event: Event) -> None:
        """The caller gets ``event``."""
        self.delivered = self.delivered or isinstance(event, SHOWN)

    def settle(self) -> None:
        """Raises the failure, the first time; after that the stream has simply ended."""
        if self.failure is not None and not self._settled:
            self._settled = True
            raise self.failure

    # ---- reading on

    def wants_bytes(self) -> bool:
        """Whether to read on, now that `take` has nothing more; if not, and not `ended` either, it has again. What follows the
        terminating frame is not waited for."""
        if self.ended:
            return False
        if self._source_ended or self._decoder.complete:
            self._end()
            return False
        if self._patience is None:
            return True
        stall = self._patience.stalled(self._decoder.content_count)
        if stall is not None:
            self.finish(stall=stall)
        return stall is None

    def patience(self) -> float | None:
        """How many seconds the next read may take, for streams that can keep to it; None for any time."""
        if self._rejection is not None:
            return max(REJECTION_S - self._timing.since_start(), 0.0)
        return None if self._patience is None else self._patience.left()

    def timed_out(self) -> None:
        """The read took longer than that."""
        self.finish(stall=None if self._patience is None else self._patience.run_out())

    def fed(self, piece: Any) -> None:
        """The source gave ``piece``."""
        if self.ended:
            return
        if type(piece) is not bytes:
            try:
                piece = as_bytes(piece)
            except MisuseError:
                self._failed(wrong_piece(piece))
                return
        self._timing.arrived(len(piece))
        if self._rejection is None:
            if self._body_head is not None:
                self._body_head = (self._body_head + piece[:_HEAD_BYTES])[:_HEAD_BYTES]
            self._pending = self._decoder.feed(piece)
        elif self._rejection.feed(piece) or self._timing.since_start() >= REJECTION_S:
            self.finish()

    def finish(self, cause: BaseException | None = None, stall: StalledStreamError | None = None) -> None:
        """The source has ended: by itself, because its transport broke (``cause``), or because it is given up (``stall``).

        Also then an unfinished last frame may be the terminating one, and the stream complete.
        """
        if self.ended:
            return
        self._source_ended = True
        if self._rejection is not None:
            self._failed(self._rejection.error())
            return
        cause = cause if cause is not None else self._cause
        self._pending = _to_the_end(self._decoder.finish(cause if cause is not None else stall), cause, stall)

    def broke(self, error: BaseException) -> bool:
        """The source raised ``error``. Whether that is the transport's failure, told to the caller in our own words; anything
        else is his own and has to go on to him. It ends the stream only if the source gives no more bytes afterwards."""
        package = self._source.package
        if self.closed:
            return is_transport_failure(error, package)
        if (setting := read_timeout(error, package)) is not None:
            silent_s = error.silent_s if isinstance(error, RecordedTimeoutError) else self._timing.silence()
            self.finish(error, StalledStreamError(silent_s, setting=setting, cause=error))
        elif is_misuse(error):
            self._failed(read_before(error))
        elif is_transport_failure(error, package):
            self.finish(error)
        else:
            self._cause = error
            return False
        return True

    def close(self) -> None:
        """The caller wants no more."""
        self.closed = True
        self._pending = iter(())
        self._end()

    # ---- the end

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._timing.end(silent=self.failure is not None)

    def _failed(self, error: SSEDialectsError) -> SSEDialectsError:
        error = self._undecoded(error)
        error.delivered = self.delivered
        if isinstance(error, NotAnEventStreamError):
            error.content_type = self._source.head.headers.get("content-type")
        self.failure = error
        self._end()
        return error

    def _undecoded(self, error: SSEDialectsError) -> SSEDialectsError:
        """A compressed body that the client left as it was makes no frame. Not every compression has magic bytes that tell."""
        encoding = self._source.head.content_encoding
        if encoding is None or not self._body_head or self._decoder.frame_count or is_text(self._body_head):
            return error
        failure = foreign(encoding, self._body_head)
        failure.__cause__ = error
        return failure


def is_text(data: bytes) -> bool:
    """Whether bytes, which may end inside a character, can be the beginning of a text."""
    if re.search(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]", data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _located_as(truncated: TruncatedStreamError, stall: StalledStreamError) -> StalledStreamError:
    """``stall`` with what the decoder knows of the place at which a stream ended."""
    stall.partial, stall.dialect = truncated.partial, truncated.dialect
    stall.frame_count, stall.byte_count = truncated.frame_count, truncated.byte_count
    return stall


def _to_the_end(events: Iterator[Event], cause: BaseException | None, stall: StalledStreamError | None) -> Iterator[Event]:
    """The last events of a stream, and then its error, as far as that is due to ``cause`` or is ``stall``."""
    try:
        yield from events
    except SSEDialectsError as error:
        failure = error
        if isinstance(error, TruncatedStreamError):
            error.cause = cause
            failure = error if stall is None else _located_as(error, stall)
        raise failure from cause
