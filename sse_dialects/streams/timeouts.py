"""The timeouts of one stream: how long it may wait for bytes, for content, for the first token, and for its end."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Any

from sse_dialects.errors import StalledStreamError
from sse_dialects.root import MisuseError

__all__ = ["LongFrame", "TimeoutRanOutError", "Timeouts", "checked_timeout", "timeouts_of"]

# No keep-alive that is known is longer. A frame that has grown longer and goes on arriving is content, not silence.
_KEEP_ALIVE_BYTES = 128


class TimeoutRanOutError(Exception):
    """A timeout ran out before a read began. Never reaches the caller."""


class Timeouts:
    """Four timeouts in seconds; infinity where none is set. Moments are those of `time.monotonic`.

    ``total`` is wall time from the beginning of the first read. The others count only the time spent in reads: what the caller
    does between two events is not the server's silence.

    Attributes:
        read_began: when the last read began.
        allowed: seconds for the next read, by the three that count reads. 0 or less: one has run out.
        total_until: the moment at which ``total`` runs out; infinity before `start`.
        settled: content came last, and only the idle and the content timeout count reads. While content keeps coming,
            `read_ended` would change nothing and need not be called.
    """

    __slots__ = (
        "_content",
        "_content_left",
        "_first_token",
        "_first_token_left",
        "_idle",
        "_total",
        "allowed",
        "read_began",
        "settled",
        "total_until",
    )

    def __init__(self, *, content: float = inf, first_token: float = inf, total: float = inf, idle: float = inf) -> None:
        self._content = self._content_left = content
        self._first_token = self._first_token_left = first_token
        self._idle = idle
        self._total = total
        self.allowed = min(idle, content, first_token)
        self.read_began = 0.0
        self.total_until = inf
        self.settled = False

    def start(self) -> None:
        """Start the clock of ``total``, with the first read. Again: nothing."""
        if self.total_until == inf:
            self.total_until = monotonic() + self._total

    def read_begins(self) -> float:
        """Note that a read begins. Returns the moment at which it has to end.

        Raises:
            TimeoutRanOutError: that moment has come.
        """
        now = self.read_began = monotonic()
        until = now + self.allowed
        if until > self.total_until:  # noqa: PLR1730  # `min` would cost a call at each read
            until = self.total_until
        if until <= now:
            raise TimeoutRanOutError
        return until

    @property
    def watches_content(self) -> bool:
        """Whether it matters what a read brings."""
        return self._content < inf or self._first_token < inf

    @property
    def until(self) -> float:
        """The moment at which the read that began last has to end."""
        return min(self.read_began + self.allowed, self.total_until)

    def read_ended(self, now: float, *, content: bool) -> None:
        """Note that a read brought bytes at ``now``, and whether they were anything but keep-alives."""
        waited = now - self.read_began
        self._content_left = self._content if content else self._content_left - waited
        self._first_token_left -= waited
        self.allowed = min(self._idle, self._content_left, self._first_token_left)
        self.settled = content and self._first_token_left == inf

    def first_token_came(self) -> None:
        """Stop the clock of ``first_token``."""
        self._first_token_left = inf
        self.allowed = min(self._idle, self._content_left)

    def is_over(self, now: float) -> bool:
        """Whether the moment at which the read has to end has come. A millisecond early is: sockets count in those."""
        return now + 0.001 >= self.until

    def run_out(self) -> StalledStreamError:
        """The error for the timeout that ran out first, in the read that began last or ahead of it."""
        began = self.read_began
        left, limit, setting = min(
            (self._idle, self._idle, "idle_timeout"),
            (self._content_left, self._content, "content_timeout"),
            (self._first_token_left, self._first_token, "first_token_timeout"),
            (self.total_until - began, self._total, "total_timeout"),
        )
        return StalledStreamError(limit - min(left, 0.0), setting=setting)


class LongFrame:
    """Whether bytes that completed no frame belong to a frame too long to be a keep-alive."""

    __slots__ = ("_counted", "_in_comment", "_line_open", "_size", "_tail")

    def __init__(self) -> None:
        self._counted = 0  # frames and comments that had been completed
        self._size = 0  # bytes since the last blank line, comment or frame, lines of comments left out
        self._tail = b""  # the end of the last read, for a blank line that two reads share
        self._line_open = False
        self._in_comment = False

    def arrives(self, data: bytes, counted: int) -> bool:
        """Whether ``data`` is a part of a long frame.

        Args:
            data: what a read brought.
            counted: frames and comments that the decoder has counted so far.
        """
        seen = self._tail + data
        self._tail = seen[-3:]
        ends = max(seen.rfind(b"\n\n"), seen.rfind(b"\r\r"), seen.rfind(b"\r\n\r\n"))
        line = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if line or not self._line_open:
            self._in_comment = data[line : line + 1] == b":"
        self._line_open = line < len(data)
        if counted != self._counted or ends >= 0:
            self._counted = counted
            self._size = 0
        elif not self._in_comment:
            self._size += len(data)
        return self._size > _KEEP_ALIVE_BYTES


def timeouts_of(
    *, content: float | None, first_token: float | None, total: float | None, idle: float | None = None
) -> Timeouts | None:
    """The timeouts of one stream, in seconds, or None where none is set.

    Raises:
        MisuseError: one of them is neither None nor a number above 0.
    """
    seconds = {
        "content": checked_timeout("content_timeout", content),
        "first_token": checked_timeout("first_token_timeout", first_token),
        "total": checked_timeout("total_timeout", total),
        "idle": checked_timeout("idle_timeout", idle),
    }
    return Timeouts(**seconds) if min(seconds.values()) < inf else None


def checked_timeout(name: str, seconds: Any) -> float:
    """``seconds``, or infinity for None.

    Raises:
        MisuseError: it is neither None nor a number above 0.
    """
    if seconds is None:
        return inf
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise MisuseError(f"{name} takes a number of seconds above 0, or None for any time; got {seconds!r}")
    return seconds
