"""What the accumulators take: a frame of this package, or of another one."""

from __future__ import annotations

from typing import Protocol

from ..root import MisuseError
from ..values import JSONObject

__all__ = ["FrameLike", "data_of"]


class FrameLike(Protocol):
    """Anything with an event's name and data: `Frame`, ``httpx_sse.ServerSentEvent``, what the official SDKs' decoders give."""

    @property
    def event(self) -> str | None:
        """The event's name; "" or None where the stream named none."""
        ...

    @property
    def data(self) -> str:
        """Its data lines, joined by LF."""
        ...


def data_of(frame: object) -> str:
    """The data of a frame, which has to be text.

    Raises:
        MisuseError: it is anything else, or ``frame`` is no frame.
    """
    is_frame = not isinstance(frame, (str, bytes, JSONObject))
    data = getattr(frame, "data", None) if is_frame else frame
    if is_frame and isinstance(data, str):
        return data
    what = "the data of a frame is a str" if is_frame else "add() takes a frame"
    raise MisuseError(
        f"{what}, not {type(data).__name__}: pass sd.Frame(data=...) with the payload's JSON text (bytes: decode them)"
    )
