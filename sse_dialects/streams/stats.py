"""How a stream went in time: one look at the clock for each read, none for each event."""

from __future__ import annotations

from copy import copy
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from sse_dialects.events import SHOWN, TextDelta
from sse_dialects.values import Value

if TYPE_CHECKING:
    from sse_dialects.decoder import Decoder
    from sse_dialects.events import Event

__all__ = ["Stats", "Timing"]


class Stats(Value):
    """What came and how fast. Seconds, counted from the call of `stream` or `astream`; None where it has not come.

    A stream that resumes another counts on from that one: bytes, frames and seconds are those of all connections, also frames
    that were sent twice and the time between two connections.

    Attributes:
        bytes: bytes read from the source, after the client undid any Content-Encoding.
        frames: frames decoded. comments: comment lines, which is what most keep-alives are.
        time_to_first_byte_s, time_to_first_event_s, time_to_first_token_s, time_to_first_text_s: until the read that brought it
            came back. A token is a piece of text, reasoning, a refusal or a tool call; text is a `TextDelta`. Any choice counts.
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
        "time_to_first_token_s",
    )
    __match_args__ = (
        "bytes",
        "frames",
        "comments",
        "time_to_first_byte_s",
        "time_to_first_event_s",
        "time_to_first_token_s",
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
        time_to_first_token_s: float | None,
        time_to_first_text_s: float | None,
        longest_gap_s: float | None,
        duration_s: float,
    ) -> None:
        self.bytes = bytes
        self.frames = frames
        self.comments = comments
        self.time_to_first_byte_s = time_to_first_byte_s
        self.time_to_first_event_s = time_to_first_event_s
        self.time_to_first_token_s = time_to_first_token_s
        self.time_to_first_text_s = time_to_first_text_s
        self.longest_gap_s = longest_gap_s
        self.duration_s = duration_s


class Timing:
    """The clock beside one stream. Moments of `time.monotonic` inside, seconds from the start outside.

    `StreamDriver.on_bytes` writes the attributes itself: a call for each read would cost as much as all that it does.

    Attributes:
        bytes: how many have come that were not for the decoder.
        last: when the last read that brought bytes came back; infinity before the first.
        gap: the longest time between two of them.
    """

    __slots__ = (
        "_ended",
        "_first_byte",
        "_first_event",
        "_first_text",
        "_first_token",
        "_opened",
        "_started",
        "bytes",
        "gap",
        "last",
    )

    def __init__(self) -> None:
        self._started = self._opened = monotonic()  # the first connection, and this one
        self._first_byte: float | None = None
        self._first_event: float | None = None
        self._first_token: float | None = None
        self._first_text: float | None = None
        self._ended: float | None = None
        self.bytes = 0
        self.gap = -inf
        self.last = inf  # so that the first bytes end no gap

    def first_bytes(self) -> None:
        """Note that bytes came, where none had come before."""
        if self._first_byte is None:
            self._first_byte = monotonic()

    def note_first(self, event: Event) -> bool:
        """Note what of ``event`` is the first of its kind. It came with the last read. Returns False once all kinds have come."""
        if self._first_event is None:
            self._first_event = self.last
        if self._first_token is None and isinstance(event, SHOWN):
            self._first_token = self.last
        if type(event) is TextDelta and self._first_text is None:
            self._first_text = self.last
        return self._first_text is None

    def end(self, *, silent: bool) -> None:
        """No more will be read; ``silent`` where the stream did not end with its last bytes but some time after them."""
        if self._ended is None:
            now = monotonic()
            if silent:
                self.gap = max(self.gap, now - self.last)
            self._ended = now

    def silence(self) -> float:
        """Seconds since the last byte came, or since the stream was made."""
        return monotonic() - (self._opened if self.last == inf else max(self.last, self._opened))

    def next_connection(self) -> Timing:
        """The clock of a stream that goes on with this one's answer."""
        timing = copy(self)
        timing._opened, timing._ended = monotonic(), None
        return timing

    def stats(self, decoder: Decoder) -> Stats:
        """What is known so far."""
        # The terminating frame came with the last read, however late the caller asks for what follows it.
        ended = self.last if decoder.complete else self._ended
        return Stats(
            self.bytes + decoder.byte_count,
            decoder.frame_count,
            decoder.comment_count,
            self._relative(self._first_byte),
            self._relative(self._first_event),
            self._relative(self._first_token),
            self._relative(self._first_text),
            self.gap if self.gap >= 0 else None,
            (monotonic() if ended is None else ended) - self._started,
        )

    def _relative(self, moment: float | None) -> float | None:
        return None if moment is None else moment - self._started
