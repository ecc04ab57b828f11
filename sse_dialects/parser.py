"""The frame layer for whoever wants frames and no more."""

from __future__ import annotations

from typing import cast

from .errors import LimitExceededError, MisuseError
from .frames import Frame, FrameReader
from .limits import DEFAULT_LIMITS, Limits

__all__ = ["FrameParser", "as_bytes", "as_limits"]


class FrameParser:
    """An incremental parser of one event stream: bytes in at any cut, `Frame` objects out.

    The rules are those of the WHATWG HTML standard, section "Interpreting an event stream". Time and memory are linear in the
    bytes; what is kept between calls is at most one unfinished frame of ``limits.max_frame_bytes``.

    Raises:
        MisuseError: ``limits`` is no `Limits`.
    """

    __slots__ = ("_closed", "_limits", "_reader")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = as_limits(limits)
        self._reader = FrameReader(limits)
        self._closed = False

    @property
    def last_event_id(self) -> str:
        """The last event ID that a dispatched block set, "" if none did."""
        return self._reader.last_event_id

    @property
    def retry_ms(self) -> int | None:
        """The reconnection time in milliseconds that the stream asked for last, or None."""
        return self._reader.retry_ms

    @property
    def comments(self) -> int:
        """How many comment lines have been ignored."""
        return self._reader.comments

    def feed(self, data: bytes | bytearray | memoryview) -> list[Frame]:
        """Take up bytes of any length and return the frames that they complete.

        Raises:
            LimitExceededError: a frame's lines are longer than ``max_frame_bytes``; the frames before it are on ``.decoded``.
            MisuseError: the parser is closed, or ``data`` is not bytes.
        """
        if self._closed:
            raise MisuseError("this FrameParser is closed: make a new one for the next stream")
        reader = self._reader
        if type(data) is not bytes:
            data = as_bytes(data)
        tail = reader.tail
        if tail and 10 not in data and 13 not in data and len(tail) + len(data) <= reader.watch:  # part of a line
            reader.tail = tail + data
            return []
        blocks = reader.blocks(data)
        frames = reader.frames(blocks)
        if reader.overflow:
            raise self._too_large(frames)
        return frames

    def close(self) -> Frame | None:
        """Say that no more bytes will come. Returns the unfinished last frame, which the standard does not dispatch, or None."""
        self._closed = True
        return self._reader.rest()

    def _too_large(self, frames: list[Frame]) -> LimitExceededError:
        error = LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
        error.decoded = frames
        return error


def as_limits(limits: object) -> Limits:
    """``limits``, where they are some.

    Raises:
        MisuseError: they are something else; a number or None is the usual mistake.
    """
    if isinstance(limits, Limits):
        return limits
    raise MisuseError(f"limits takes Limits(max_answer_bytes=...) and the like, not {limits!r:.60}")


def as_bytes(data: object) -> bytes:
    """``data`` as bytes that will not change under us.

    Raises:
        MisuseError: it is something else; decoded text is the usual mistake.
    """
    if type(data) is bytes:
        return data
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if isinstance(data, memoryview):
        return cast("memoryview[int]", data).tobytes()
    advice = "pass the raw bytes, before any decoding" if isinstance(data, str) else "pass bytes, bytearray or memoryview"
    raise MisuseError(f"a stream is fed bytes, not {type(data).__name__}: {advice}")
