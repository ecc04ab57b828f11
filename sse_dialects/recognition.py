"""Which dialect a stream speaks, from the first frame that tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .answer import Answer
from .dialects.chat import ChatAccumulator
from .dialects.messages import MessagesAccumulator
from .dialects.payload import DONE, WHITE_SPACE, BadPayloadError, parse_lines, payloads_in
from .dialects.responses import ResponsesAccumulator
from .dialects.telling import word
from .errors import LimitExceededError, MalformedStreamError
from .failures import error_in
from .values import JSONObject

if TYPE_CHECKING:
    from .answer import DialectName
    from .dialects.base import Accumulator
    from .frames import Frame
    from .limits import Limits

__all__ = ["ACCUMULATORS", "UNKNOWN", "AnyDialect", "Recogniser", "is_whole", "recognised"]

ACCUMULATORS: dict[str, type[Accumulator]] = {
    "chat": ChatAccumulator,
    "messages": MessagesAccumulator,
    "responses": ResponsesAccumulator,
}

# Events that tell without data.
_BARE = frozenset(event for accumulator in ACCUMULATORS.values() for event in accumulator.bare)

UNKNOWN = "unknown"
_PING = "ping"  # a keep-alive that is no frame of that name, but says so in its payload

# A stream of payloads that nobody can name is none of the dialects; providers tell with the first or second.
_MAX_UNTOLD_FRAMES = 1_000

_MESSAGES_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}
)


class AnyDialect(ChatAccumulator):
    """Reads what needs no dialect: an error frame, in any of the shapes."""

    __slots__ = ()

    dialect: ClassVar[DialectName | None] = None  # type: ignore[assignment]
    expected: ClassVar[str] = "the terminating frame of any dialect"

    def _built(self) -> Answer:
        return Answer(self.dialect)


class Recogniser:
    """Waits for the first frame that tells a dialect, and keeps those that told nothing, to be replayed then.

    Args:
        limits: ``max_answer_bytes`` bounds what is kept, ``max_depth`` its nesting.
    """

    __slots__ = ("_limits", "_room", "untold")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._room = limits.max_answer_bytes
        self.untold: list[Frame] = []

    def look(self, frame: Frame) -> str | None:
        """The dialect, `UNKNOWN` for a frame that needs none, or None where this frame does not tell either.

        Raises:
            MalformedStreamError: too many frames have told nothing.
            LimitExceededError: they are too large together.
        """
        if _is_keep_alive(frame):
            return None
        name = recognised(frame, self._limits.max_depth)
        if name is None:
            self._keep(frame)
        return None if name == _PING else name

    def _keep(self, frame: Frame) -> None:
        self.untold.append(frame)
        if len(self.untold) > _MAX_UNTOLD_FRAMES:
            raise self.failure()
        if self._room is not None:
            self._room -= len(frame.data.encode())
            if self._room < 0:
                raise LimitExceededError("max_answer_bytes", self._limits.max_answer_bytes or 0)

    def failure(self) -> MalformedStreamError:
        """The error of a stream in which nothing told."""
        return MalformedStreamError("none of its payloads is of a dialect known here (chat, messages, responses)")


def _is_keep_alive(frame: Frame) -> bool:
    """Whether a frame says no more than that the connection is alive."""
    return frame.event == "ping" or not (frame.data.strip(WHITE_SPACE) or frame.event in _BARE)


def recognised(frame: Frame, max_depth: int | None) -> str | None:
    """A dialect's name; `UNKNOWN` for a frame that needs none or can't be read by any; None for one that tells nothing."""
    text = frame.data.strip(WHITE_SPACE)
    if text == "[DONE]":
        return "chat"
    try:
        payloads = payloads_in(text or "{}", max_depth)
    except BadPayloadError:
        return UNKNOWN
    names = [name for payload in payloads if (name := _recognised(frame.event, payload))]
    if not names and frame.event == "error":
        return UNKNOWN
    return next((name for name in names if name != _PING), _PING if names else None)


def _recognised(event: str, payload: Any) -> str | None:
    if payload is DONE:
        return "chat"
    if not isinstance(payload, JSONObject):
        return None
    kind = word(payload.get("type")) or event
    if kind in _MESSAGES_EVENTS:
        return "messages"
    if kind.startswith("response."):
        return "responses"
    if "choices" in payload or str(payload.get("object")).startswith("chat.completion"):
        return "chat"
    if kind == _PING:
        return _PING
    if kind == "error" or error_in(payload) is not None:
        return UNKNOWN
    return None


def is_whole(frame: Frame) -> bool:
    """Whether an undispatched frame's payload is ``[DONE]``, one whole JSON object, or several payloads up to ``[DONE]``."""
    if frame.done:
        return True
    if not frame.data.rstrip(WHITE_SPACE).endswith(("}", "[DONE]")):  # a cut, as nearly all are
        return False
    try:
        return isinstance(frame.json(), JSONObject)
    except (ValueError, RecursionError):
        values = parse_lines(frame.data, None)
        return values is not None and values[-1:] == [DONE]
