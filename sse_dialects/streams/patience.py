"""How long a stream may be silent: what the caller set, measured while the caller waits."""

from __future__ import annotations

from time import monotonic
from typing import Any

from sse_dialects.errors import StalledStreamError
from sse_dialects.root import MisuseError

__all__ = ["Patience", "checked_timeout", "patience"]

_IDLE, _CONTENT = "idle_timeout", "content_timeout"


class Patience:
    """The two timeouts of one stream, both in seconds or None: ``content`` for anything but keep-alives, ``idle`` for any bytes.

    Time counts from the moment at which the caller asks for an event, or from the last content if that came later: what the
    caller does with an event in between is not the server's silence.
    """

    __slots__ = ("_content", "_content_seen", "_idle", "_setting", "_waiting_since")

    def __init__(self, content: float | None, idle: float | None) -> None:
        self._content = content
        self._idle = idle
        self._content_seen = -1  # a number of content frames that no stream has
        self._waiting_since = 0.0  # by `time.monotonic`
        self._setting = ""  # which of the two ends the read under way first

    def answered(self) -> None:
        """The caller got an event; the wait for the next one begins when more bytes are needed."""
        self._content_seen = -1

    def stalled(self, content_count: int) -> StalledStreamError | None:
        """The error if ``content`` has run out, looked at before a read; ``content_count`` frames were no keep-alive so far."""
        if self._content is None:
            return None
        now = monotonic()
        if content_count != self._content_seen:
            self._content_seen, self._waiting_since = content_count, now
        waited = now - self._waiting_since
        return StalledStreamError(waited, setting=_CONTENT) if waited >= self._content else None

    def left(self) -> float | None:
        """How many seconds the next read may take, None for any time."""
        allowed: list[tuple[float, str]] = []
        if self._content is not None:
            allowed.append((max(self._waiting_since + self._content - monotonic(), 0.0), _CONTENT))
        if self._idle is not None:
            allowed.append((self._idle, _IDLE))
        if not allowed:
            return None
        seconds, self._setting = min(allowed)
        return seconds

    def run_out(self) -> StalledStreamError:
        """The error for a read that took longer than `left`."""
        waited = self._content if self._setting == _CONTENT else self._idle
        return StalledStreamError(waited, setting=self._setting)


def patience(content: float | None, idle: float | None = None) -> Patience | None:
    """The two timeouts, in seconds, or None where there are none.

    Raises:
        MisuseError: one of them is neither None nor a number above 0.
    """
    content, idle = checked_timeout("content_timeout", content), checked_timeout("idle_timeout", idle)
    return None if content is None and idle is None else Patience(content, idle)


def checked_timeout(name: str, seconds: Any) -> float | None:
    """``seconds`` as given.

    Raises:
        MisuseError: it is neither None nor a number above 0.
    """
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0):
        raise MisuseError(f"{name} takes a number of seconds above 0, or None for any time; got {seconds!r}")
    return seconds
