"""Which dialect a stream speaks, from the first frame that tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .answer import Answer
from .dialects.chat import ChatAccumulator, failure_in, is_chunk
from .dialects.keep_alive import KEEP_ALIVES, is_keep_alive, is_metadata, own_members
from .dialects.messages import MessagesAccumulator
from .dialects.payload import DONE, WHITE_SPACE, BadPayloadError, parse, parse_lines, payloads_in
from .dialects.responses import ResponsesAccumulator
from .dialects.telling import word
from .errors import LimitExceededError, MalformedStreamError
from .values import JSONObject

if TYPE_CHECKING:
    from .answer import DialectName
    from .dialects.base import Accumulator
    from .frames import Frame
    from .limits import Limits

__all__ = ["ACCUMULATORS", "UNKNOWN", "AnyDialect", "Recogniser", "is_whole"]

ACCUMULATORS: dict[str, type[Accumulator]] = {
    "chat": ChatAccumulator,
    "messages": MessagesAccumulator,
    "responses": ResponsesAccumulator,
}

# Events that tell without data.
_BARE = frozenset(event for accumulator in ACCUMULATORS.values() for event in accumulator.bare)

UNKNOWN = "unknown"
_ALIVE = "alive"  # stands for a dialect where a frame is a keep-alive

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

    def _has_nothing(self, partial: Answer) -> bool:
        return False  # there is no dialect to change

    def _built(self) -> Answer:
        return Answer(self.dialect)


class Recogniser:
    """Waits for the first frame that tells a dialect, and keeps those that told nothing, to be replayed then.

    Args:
        limits: ``max_answer_bytes`` bounds what is kept, ``max_depth`` its nesting.

    Attributes:
        untold: the frames kept so far.
        members: what keep-alives said besides. They are not among the frames kept.
        foreign: whether a kept frame is more than metadata.
    """

    __slots__ = ("_limits", "_room", "foreign", "members", "untold")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._room = limits.max_answer_bytes
        self.untold: list[Frame] = []
        self.members: dict[str, Any] = {}
        self.foreign = False

    def look(self, frame: Frame) -> str | None:
        """The dialect, `UNKNOWN` for a frame that needs none, or None where this frame does not tell either.

        Raises:
            MalformedStreamError: too many frames have told nothing, or the end comes after some of another format.
            LimitExceededError: they are too large together.
        """
        text = frame.data.strip(WHITE_SPACE)
        if not (text or frame.event in _BARE):
            return None
        if text == "[DONE]":
            if self.foreign:
                raise self.failure()
            return "chat"
        try:
            payloads = payloads_in(text or "{}", self._limits.max_depth)
        except BadPayloadError:
            payloads = None
        name = _named_by(frame.event, payloads)
        if name == _ALIVE:
            for payload in payloads or ():
                self.members.update(own_members(payload))
            return None
        if name is None:
            self.foreign = self.foreign or not payloads or not all(_is_little(frame.event, payload) for payload in payloads)
            self._keep(frame)
        return name

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


def _named_by(event: str, payloads: list[Any] | None) -> str | None:
    """A dialect's name; `UNKNOWN` for a frame that needs none or can't be read by any (None for its payloads); `_ALIVE` for a
    keep-alive; None for one that tells nothing."""
    if not payloads and event in KEEP_ALIVES:
        return _ALIVE
    if payloads is None:
        return UNKNOWN
    names = [name for payload in payloads if (name := _recognised(event, payload))]
    if not names and event == "error":
        return UNKNOWN
    told = next((name for name in names if name != _ALIVE), None)
    return _ALIVE if told is None and names and len(names) == len(payloads) else told


def _recognised(event: str, payload: Any) -> str | None:
    if payload is DONE:
        return "chat"
    if is_keep_alive(event, payload):
        return _ALIVE
    if not isinstance(payload, JSONObject):
        return None
    kind = word(payload.get("type")) or event
    if kind in _MESSAGES_EVENTS:
        return "messages"
    if kind.startswith("response."):
        return "responses"
    if "choices" in payload or str(payload.get("object")).startswith("chat.completion"):
        return "chat"
    return UNKNOWN if kind == "error" or failure_in(event, payload) is not None else None


def _is_little(event: str, payload: Any) -> bool:
    """Whether a payload that tells no dialect is no sign of another format: a keep-alive, metadata, or usage as chat has it."""
    return is_keep_alive(event, payload) or is_metadata(payload) or is_chunk(payload)


def is_whole(frame: Frame) -> bool:
    """Whether an undispatched frame's payload is ``[DONE]``, one whole JSON object, or several payloads up to ``[DONE]``."""
    if frame.done:
        return True
    if not frame.data.rstrip(WHITE_SPACE).endswith(("}", "[DONE]")):  # a cut, as nearly all are
        return False
    try:
        return isinstance(parse(frame.data.strip(WHITE_SPACE), None), JSONObject)
    except BadPayloadError:
        values = parse_lines(frame.data, None)
        return values is not None and values[-1:] == [DONE]
