"""How a stream went in time: one look at the clock for each read, none for each event."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from sse_dialects.events import TextDelta
from sse_dialects.values import Value

if TYPE_CHECKING:
    from sse_dialects.decoder import Decoder
    from sse_dialects.events import Event

__all__ = ["Stats", "Timing"]


class Stats(Value):
    """What came and how fast. Seconds, counted from the call of `stream` or `astream`; None where it has not come.

    Attributes:
        bytes: bytes read from the source, after the client undid any Content-Encoding.
        frames: frames decoded. comments: comment lines, which is what most keep-alives are.
        time_to_first_byte_s, time_to_first_event_s, time_to_first_text_s: until the read that brought it came back. Text is
            any choice's first `TextDelta`; reasoning and tool calls are events, but no text.
        longest_gap_s: the longest time between two reads that brought bytes, and from the last one to a failure. The caller's
            own work between them is part of it.
        duration_s: until the terminating frame, the failure or the close; until now while the stream is read.
    """

    __slots__ = (
        "bytes",
        "comments",
        "duration_s",
        "frames",
        "longest_gap_s",
        "time_to_first_byte_s",
        "time_to_first_event_s",
        "time_to_first_text_s",
    )
    __match_args__ = (
        "bytes",
        "frames",
        "comments",
        "time_to_first_byte_s",
        "time_to_first_event_s",
        "time_to_first_text_s",
        "longest_gap_s",
        "duration_s",
    )

    def __init__(
        self,
        bytes: int,
        frames: int,
        comments: int,
        time_to_first_byte_s: float | None,
        time_to_first_event_s: float | None,
        time_to_first_text_s: float | None,
        longest_gap_s: float | None,
        duration_s: float,
    ) -> None:
        self.bytes = bytes
        self.frames = frames
        self.comments = comments
        self.time_to_first_byte_s = time_to_first_byte_s
        self.time_to_first_event_s = time_to_first_event_s
        self.time_to_first_text_s = time_to_first_text_s
        self.longest_gap_s = longest_gap_s
        self.duration_s = duration_s


class Timing:
    """The clock beside one stream. Readings of `time.monotonic` inside, seconds from the start outside."""

    __slots__ = ("_bytes", "_ended", "_first_byte", "_first_event", "_gap", "_last", "_started", "first_text")

    def __init__(self) -> None:
        self._started = monotonic()
        self._first_byte: float | None = None
        self._first_event: float | None = None
        self._last: float | None = None
        self._gap: float | None = None
        self._ended: float | None = None
        self._bytes = 0
        self.first_text: float | None = None

    def arrived(self, size: int) -> None:
        """A read brought ``size`` bytes; none is no arrival."""
        if not size:
            return
        now = monotonic()
        if self._last is None:
            self._first_byte = now
        else:
            self._widen(now - self._last)
        self._bytes += size
        self._last = now

    def saw(self, event: Event) -> None:
        """An event was decoded. Need not be called any more once ``first_text`` is set."""
        if self._first_event is None:
            self._first_event = self._last
        if type(event) is TextDelta:
            self.first_text = self._last

    def end(self, *, silent: bool) -> None:
        """No more will be read; ``silent`` where the stream did not end with its last bytes but some time after them."""
        if self._ended is None:
            now = monotonic()
            if silent and self._last is not None:
                self._widen(now - self._last)
            self._ended = now

    def since_start(self) -> float:
        """Seconds since the stream was made."""
        return monotonic() - self._started

    def silence(self) -> float:
        """Seconds since the last byte came, or since the stream was made."""
        return monotonic() - (self._started if self._last is None else self._last)

    def stats(self, decoder: Decoder) -> Stats:
        """What is known so far."""
        # The terminating frame came with the last read, however late the caller asks for what follows it.
        ended = self._last if decoder.complete else self._ended
        return Stats(
            self._bytes,
            decoder.frame_count,
            decoder.comment_count,
            self._relative(self._first_byte),
            self._relative(self._first_event),
            self._relative(self.first_text),
            self._gap,
            (monotonic() if ended is None else ended) - self._started,
        )

    def _widen(self, gap: float) -> None:
        if self._gap is None or gap > self._gap:
            self._gap = gap

    def _relative(self, moment: float | None) -> float | None:
        return None if moment is None else moment - self._started
