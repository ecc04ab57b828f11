"""Our frame parser and terminating-frame check in the place of an SDK's own decoder of event streams."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sse_dialects import (
    Decoder,
    FrameParser,
    NotAnEventStreamError,
    SSEDialectsError,
    StreamError,
    UpstreamError,
)
from sse_dialects.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from sse_dialects import Frame, Limits

__all__ = ["CheckedDecoder", "SDKEvent"]


class SDKEvent:
    """A frame with the members that SDKs ask for. ``event`` is None where the stream named none."""

    __slots__ = ("data", "event", "id", "raw", "retry")

    def __init__(self, frame: Frame) -> None:
        self.event = frame.event if frame.event != "message" else None
        self.data = frame.data
        self.id = frame.id or None
        self.retry = frame.retry
        self.raw: list[str] = []  # the lines as they came, which frames do not keep

    def json(self) -> Any:
        """The data, parsed."""
        return json.loads(self.data)


class CheckedDecoder:
    """What an SDK's stream drives: bytes in, the events of one stream out, and an error where that stream is cut.

    Args:
        require_done: as `Decoder` takes it.
        limits: likewise.

    Raises, from both iterators, after the events that came before:
        TruncatedStreamError: the stream ended, or its connection broke, before its terminating frame.
        MalformedStreamError: two answers are spliced into one, or a payload is not what its dialect promises.
        LimitExceededError: the stream is larger than ``limits``.
        NotAnEventStreamError: the body is something else, of which the SDK would have made an answer without chunks.
        UpstreamError: the body is a JSON error in place of a stream. Failures inside a stream stay the SDK's to tell.
        Exception: the client's own timeouts, and its errors about misuse, as they are.
    """

    __slots__ = ("_limits", "_require_done")

    def __init__(self, *, require_done: bool = True, limits: Limits = DEFAULT_LIMITS) -> None:
        self._require_done = require_done
        self._limits = limits

    def iter_bytes(self, iterator: Iterator[bytes]) -> Iterator[SDKEvent]:
        """The events of a stream, each as soon as its blank line is in."""
        check = _Check(self._require_done, self._limits)
        cause = None
        while True:
            try:
                piece = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                if not check.is_cut_by(error):
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
            try:
                piece = await anext(iterator)
            except StopAsyncIteration:
                break
            except Exception as error:
                if not check.is_cut_by(error):
                    raise
                cause = error
                break
            for event in check.fed(piece):
                yield event
        for event in check.ended(cause):
            yield event


class _Check:
    """One stream. The bytes go two ways: cut into frames for the SDK, and decoded to know when the answer is whole."""

    __slots__ = ("_decoder", "_failure", "_frames", "_seen")

    def __init__(self, require_done: bool, limits: Limits) -> None:
        self._frames = FrameParser(limits)
        self._decoder = Decoder(require_done=require_done, limits=limits)
        self._failure: SSEDialectsError | None = None
        self._seen = False  # a frame

    def fed(self, piece: bytes) -> Iterator[SDKEvent]:
        """The events that ``piece`` completes."""
        frames = self._frames.feed(piece)
        if self._failure is None:
            try:
                for _ in self._decoder.feed(piece):
                    pass
            except SSEDialectsError as error:  # raised at the end, if the SDK gets there: most faults it tells itself
                self._failure = error
        self._seen = self._seen or bool(frames)
        return map(SDKEvent, frames)

    def is_cut_by(self, error: Exception) -> bool:
        """Whether an error of the client ends this stream as its end would; a broken connection after the answer is nothing.

        Not a timeout or a misuse, which clients derive from RuntimeError; nor anything in a stream of a dialect that is not ours.
        """
        if self._decoder.complete:
            return True
        foreign = self._seen and self._decoder.partial().dialect is None
        return not (foreign or isinstance(error, RuntimeError) or "Timeout" in type(error).__name__)

    def ended(self, cause: Exception | None) -> Iterator[SDKEvent]:
        """The event that lacked only its blank line, where it is surely whole; then the error, if this is no whole answer."""
        last = self._frames.close()
        failure = self._closed(cause)
        if last is not None and (self._decoder.complete or _is_object(last.data)):
            self._seen = True
            yield SDKEvent(last)
        if not self._seen and failure is None:
            raise NotAnEventStreamError(
                "one JSON answer", advice="ask for it without streaming, or read it with sse_dialects.stream()"
            )
        if failure is not None and not self._is_for_the_sdk(failure):
            raise failure from cause

    def _closed(self, cause: Exception | None) -> SSEDialectsError | None:
        if self._failure is None:
            try:
                for _ in self._decoder.finish(cause):
                    pass
            except SSEDialectsError as error:
                return error
        return self._failure

    def _is_for_the_sdk(self, failure: SSEDialectsError) -> bool:
        """A failure that the SDK has passed on as it always does; or a stream in no dialect of ours, such as audio."""
        if not self._seen:
            return False
        return isinstance(failure, UpstreamError) or (isinstance(failure, StreamError) and failure.dialect is None)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
