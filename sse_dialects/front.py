"""Where a body's bytes go while it may be anything: to the frame reader, or into a `Body` that is no event stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .body import Body
from .head import Head

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["Front"]


class Front:
    """Stands before the frame reader until the first bytes have told what the body is, and for good before one that is no stream.

    ``is_stream`` says that it is needed no longer. ``body`` is the body that is no stream, once that is known.
    """

    __slots__ = ("_head", "_limits", "body", "is_stream")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._head = Head()
        self.body: Body | None = None
        self.is_stream = False

    def passes(self, data: bytes) -> bool:
        """Take bytes, and say whether the frame reader is to see them: also those of a body that is not known to be a stream
        yet, for white space tells the reader nothing, and half a frame does.

        Raises:
            NotAnEventStreamError: the body is neither a stream nor JSON.
            LimitExceededError: it is JSON, and too large.
        """
        if self.body is None:
            kind, rest = self._head.look(data)
            self.is_stream = kind == "stream"
            if self.is_stream or not kind:
                return True
            self.body = Body(kind, self._limits)
            data = rest
        self.body.add(data)
        return False
