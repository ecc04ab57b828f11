"""Which dialect a stream speaks, from the first frame that identifies one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .answer import Answer
from .dialects.base import Engine
from .dialects.chat.chunks import failure_in, is_chunk
from .dialects.chat.engine import ChatEngine
from .dialects.emit import word
from .dialects.keep_alive import is_metadata
from .dialects.messages.engine import MessagesEngine
from .dialects.payload import DONE
from .dialects.responses.engine import ResponsesEngine
from .errors import MalformedStreamError
from .values import JSONObject

if TYPE_CHECKING:
    from .answer import DialectName

__all__ = ["ENGINES", "DialectDetector"]

ENGINES: dict[str, type[Engine]] = {"chat": ChatEngine, "messages": MessagesEngine, "responses": ResponsesEngine}

_MESSAGES_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}
)


class DialectDetector(Engine):
    """Stands in for an engine until a frame identifies the dialect. Reads what needs none: keep-alives and failures.

    Attributes:
        detected: the dialect's name, None as long as no frame has identified it. That frame is the last of those held.
    """

    __slots__ = ("detected",)

    dialect: ClassVar[DialectName | None] = None
    terminator: ClassVar[str] = "the terminating frame of any dialect"
    dataless_events: ClassVar[frozenset[str]] = frozenset(name for engine in ENGINES.values() for name in engine.dataless_events)

    def _prepare(self) -> None:
        self.detected: str | None = None
        self.named = False

    def engine(self) -> Engine:
        """The engine of the dialect that was detected. It goes on with this one's counts, and has to take the held frames."""
        assert self.detected is not None
        engine = ENGINES[self.detected](self.limits, self.out, require_done=self.require_done, think_tags=self.think_tags)
        engine.identified = True
        engine.named = False
        engine.frame_count = self.frame_count - len(self.held)
        engine.keep_alive_count = self.keep_alive_count
        engine.keep_members(self._early or {})
        return engine

    def _identify(self, event: str, values: list[Any], data: str) -> bool:
        for value in values:
            if isinstance(value, JSONObject):
                self.detected = _dialect_of(event, value)
                if self.detected is not None:
                    break
                if (raw := failure_in(event, value)) is not None:
                    raise self._upstream(raw, value)
        take = self.detected is None and super()._identify(event, values, data)
        if DONE in values:
            self.detected = self.detected or "chat"
        if self.detected is not None:
            self.held.append((event, data))
        return take and self.detected is None

    def _identifies(self, event: str, payload: dict[str, Any]) -> bool:
        return False

    def _is_little(self, payload: Any) -> bool:
        return is_metadata(payload) or is_chunk(payload)

    def _release(self) -> None:
        """Nothing takes them but the engine."""

    def _check_identified(self) -> None:
        if self._foreign:
            raise MalformedStreamError("none of its payloads is of a dialect known here (chat, messages, responses)")

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        """Nothing: the engine takes it."""

    def _built(self) -> Answer:
        return Answer(None)


def _dialect_of(event: str, payload: dict[str, Any]) -> str | None:
    kind = word(payload.get("type")) or event
    if kind in _MESSAGES_EVENTS:
        return "messages"
    if kind.startswith("response."):
        return "responses"
    if "choices" in payload or str(payload.get("object")).startswith("chat.completion"):
        return "chat"
    return None
