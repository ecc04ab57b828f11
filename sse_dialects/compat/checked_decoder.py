"""A replacement for an SDK's event stream decoder, with our frame parser and terminating-frame check."""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING, Any

from sse_dialects import (
    Decoder,
    FrameParser,
    NotAnEventStreamError,
    SSEDialectsError,
    StalledStreamError,
    StreamError,
    TruncatedStreamError,
    UpstreamError,
)
from sse_dialects.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from sse_dialects import Frame, Limits

__all__ = ["CheckedDecoder", "SDKEvent"]

_SETTING = "the client's timeout="


class SDKEvent:
    """A frame with the members that SDKs read. ``event`` is None if the stream did not name the event."""

    __slots__ = ("data", "event", "id", "raw", "retry")

    def __init__(self, frame: Frame) -> None:
        self.event = frame.event if frame.event != "message" else None
        self.data = frame.data
        self.id = frame.id or None
        self.retry = frame.retry
        self.raw: list[str] = []  # the lines as they came, which frames do not keep

    def json(self) -> Any:
        """The data, parsed as JSON."""
        return json.loads(self.data)


class CheckedDecoder:
    """The decoder that an SDK's stream calls. Takes bytes, returns the events of one stream, and raises an error if it was cut.

    Args:
        require_done: False also lets a stream end without its terminating frame once its finish reason has come.
        limits: bounds on everything that grows.

    Raises, from both iterators, after the events that came before:
        TruncatedStreamError: the stream ended, or its connection broke, before its terminating frame.
        StalledStreamError: the client's read timeout ran out.
        UpstreamError: the stream reports a failure, or the body is a JSON error in place of a stream.
        MalformedStreamError: two answers are spliced into one, or a payload is not what its dialect promises.
        LimitExceededError: the stream is larger than ``limits``.
        NotAnEventStreamError: the body is something else, of which the SDK would have made an answer without chunks.
        Exception: the client's errors about misuse, and whatever happens in a stream of another dialect, as they are.
    """

    __slots__ = ("_limits", "_require_done")

    def __init__(self, *, require_done: bool = True, limits: Limits = DEFAULT_LIMITS) -> None:
        self._require_done = require_done
        self._limits = limits

    def iter_bytes(self, iterator: Iterator[bytes]) -> Iterator[SDKEvent]:
        """Yields each event of a stream as soon as its blank line arrived."""
        check = _Check(self._require_done, self._limits)
        cause = None
        while True:
            check.read_since = monotonic()
            try:
                piece = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                if not check.is_ended_by(error):
                    raise
                cause = error
                break
            yield from check.fed(piece)
        yield from check.ended(cause)

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[SDKEvent]:
        """The same for an asynchronous client."""
        check = _Check(self._require_done, self._limits)
        cause = None
        while True:
            check.read_since = monotonic()
            try:
                piece = await anext(iterator)
            except StopAsyncIteration:
                break
            except Exception as error:
                if not check.is_ended_by(error):
                    raise
                cause = error
                break
            for event in check.fed(piece):
                yield event
        for event in check.ended(cause):
            yield event


class _Check:
    """One stream. Its bytes are split into frames for the SDK, and decoded to find its faults and its end.

    Attributes:
        read_since: when the current read began, by `time.monotonic`.
    """

    __slots__ = ("_count", "_decoder", "_frames", "_is_foreign", "read_since")

    def __init__(self, require_done: bool, limits: Limits) -> None:
        self._frames = FrameParser(limits)
        self._decoder = Decoder(require_done=require_done, limits=limits)
        self._count = 0  # frames handed out
        self._is_foreign = False  # in no dialect of ours, such as audio: what happens in it is the SDK's matter
        self.read_since = 0.0

    def fed(self, piece: bytes) -> Iterator[SDKEvent]:
        """The events that ``piece`` completes. Where a frame is at fault: those before it, then the error."""
        failure: SSEDialectsError | None = None
        try:
            frames = self._frames.feed(piece)
        except StreamError as error:  # LimitExceededError
            frames, failure = error.decoded, error
        if not self._is_foreign:
            failure = self._decoded(piece) or failure
        if failure is None:
            self._count += len(frames)
            yield from map(SDKEvent, frames)
            return
        before = failure.frame_count - 1 - self._count if isinstance(failure, StreamError) else 0
        yield from map(SDKEvent, frames[: max(before, 0)])
        raise failure

    def _decoded(self, piece: bytes) -> SSEDialectsError | None:
        """The fault that the decoder finds in ``piece``, if it is not the SDK's matter."""
        try:
            for _ in self._decoder.feed(piece):
                pass
        except SSEDialectsError as error:
            self._is_foreign = _is_foreign(error)
            return None if self._is_foreign else error
        return None

    def is_ended_by(self, error: Exception) -> bool:
        """Whether an error of the client ends this stream as its end would; a broken connection after the answer is nothing.

        Not a misuse, which clients derive from RuntimeError; nor anything in a stream of a dialect that is not ours.
        """
        if self._decoder.complete:
            return True
        foreign = self._is_foreign or (self._count and self._decoder.partial().dialect is None)
        return not (foreign or isinstance(error, RuntimeError))

    def ended(self, cause: Exception | None) -> Iterator[SDKEvent]:
        """The event that lacked only its blank line, where it is surely whole; then the error, if this is no whole answer."""
        last = self._frames.close()
        failure = self._closed(cause)
        is_cut = isinstance(failure, (TruncatedStreamError, StalledStreamError))
        if last is not None and (self._decoder.complete or ((failure is None or is_cut) and _is_object(last.data))):
            self._count += 1
            yield SDKEvent(last)
        if failure is not None:
            raise failure from cause
        if not self._count:
            raise NotAnEventStreamError(
                "one JSON answer", advice="ask for it without streaming, or read it with sse_dialects.stream()"
            )

    def _closed(self, cause: Exception | None) -> SSEDialectsError | None:
        """What is wrong with a stream that has ended, if it is not the SDK's matter."""
        if self._is_foreign:
            return None
        try:
            for _ in self._decoder.finish(cause):
                pass
        except SSEDialectsError as error:
            if _is_foreign(error):
                return None
            if isinstance(error, TruncatedStreamError) and cause is not None and "Timeout" in type(cause).__name__:
                return self._stalled(error, cause)
            return error
        return None

    def _stalled(self, cut: TruncatedStreamError, cause: Exception) -> StalledStreamError:
        """The error for a read timeout of the client, with the facts of ``cut``, the same stream without its end."""
        stalled = StalledStreamError(monotonic() - self.read_since, setting=_SETTING, cause=cause)
        for name in vars(StreamError()):
            setattr(stalled, name, getattr(cut, name))
        return stalled


def _is_foreign(error: SSEDialectsError) -> bool:
    """Whether frames came, and none that says which of our dialects this is, before the one at fault."""
    return isinstance(error, StreamError) and error.dialect is None and error.frame_count > isinstance(error, UpstreamError)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
