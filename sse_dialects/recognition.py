"""Which dialect a stream speaks, from the first frame that tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .dialects.chat import ChatAccumulator
from .dialects.messages import MessagesAccumulator
from .dialects.payload import WHITE_SPACE, BadPayloadError, parse, parse_lines
from .dialects.responses import ResponsesAccumulator
from .envelope import error_in
from .values import JSONObject

if TYPE_CHECKING:
    from .answer import DialectName
    from .dialects.base import Accumulator
    from .frames import Frame

__all__ = ["ACCUMULATORS", "UNKNOWN", "AnyDialect", "is_keep_alive", "recognised"]

ACCUMULATORS: dict[str, type[Accumulator]] = {
    "chat": ChatAccumulator,
    "messages": MessagesAccumulator,
    "responses": ResponsesAccumulator,
}

UNKNOWN = "unknown"

_MESSAGES_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}
)


class AnyDialect(ChatAccumulator):
    """Reads what needs no dialect: an error frame, in any of the shapes."""

    __slots__ = ()

    dialect: ClassVar[DialectName | None] = None  # type: ignore[assignment]
    expected: ClassVar[str] = "the terminating frame of any dialect"


def is_keep_alive(frame: Frame) -> bool:
    """Whether a frame says no more than that the connection is alive."""
    return not frame.data.strip(WHITE_SPACE) or frame.event == "ping"


def recognised(frame: Frame, max_depth: int | None) -> str | None:
    """A dialect's name; `UNKNOWN` for a frame that needs none or can't be read by any; None for one that tells nothing."""
    text = frame.data.strip(WHITE_SPACE)
    if text == "[DONE]":
        return "chat"
    try:
        payloads: list[Any] | None = [parse(text, max_depth)]
    except BadPayloadError:
        payloads = parse_lines(text, max_depth) if "\n" in text else None
    if payloads is None:
        return UNKNOWN
    return next((name for payload in payloads if (name := _recognised(frame.event, payload))), None)


def _recognised(event: str, payload: Any) -> str | None:
    if payload == "[DONE]":
        return "chat"
    if not isinstance(payload, JSONObject):
        return None
    kind = payload.get("type")
    kind = kind if isinstance(kind, str) and kind else event
    if kind in _MESSAGES_EVENTS:
        return "messages"
    if kind.startswith("response."):
        return "responses"
    if "choices" in payload or str(payload.get("object")).startswith("chat.completion"):
        return "chat"
    if kind == "error" or error_in(payload) is not None:
        return UNKNOWN
    return None
