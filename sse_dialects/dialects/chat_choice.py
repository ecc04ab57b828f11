"""One choice of a chat stream: its parts, its calls, and its message in native form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..values import JSONObject
from .chat_calls import Calls
from .joined import Joined
from .parts import Pieces
from .think_tags import ThinkTags

if TYPE_CHECKING:
    from .chat_reasoning import Entries
    from .content_parts import ContentParts
    from .parts import PartBuilder, ReasoningBuilder, RefusalBuilder, TextBuilder
    from .telling import Teller

__all__ = ["ChatChoice"]

_B = TypeVar("_B", "TextBuilder", "ReasoningBuilder", "RefusalBuilder")

# What goes back in the next request's history; the rest of a message only describes the answer.
_TURN_MEMBERS = (
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "thinking_blocks",
    "function_call",
    "tool_calls",
)


class ChatChoice:
    """What has come of one choice."""

    __slots__ = (
        "calls",
        "content_parts",
        "entries",
        "extra",
        "finish_reason",
        "index",
        "members",
        "message",
        "other",
        "parts",
        "tags",
    )

    def __init__(self, index: int, extra: dict[str, Any], *, think_tags: bool = False) -> None:
        self.index = index
        self.extra = extra  # choice 0 shares the answer's
        self.parts: list[PartBuilder] = []
        self.calls = Calls()
        self.members: dict[str, Pieces] = {}  # content, refusal and reasoning, each under the name it came under
        self.content_parts: ContentParts | None = None  # content that came as parts
        self.entries: dict[str, Entries] = {}
        self.message = Joined()  # message members without a word of ours
        self.other: dict[str, Any] = {}  # choice members without a word of ours
        self.finish_reason: str | None = None
        self.tags = ThinkTags() if think_tags else None

    def member(self, name: str) -> Pieces:
        """The gathered text of a native member."""
        pieces = self.members.get(name)
        if pieces is None:
            pieces = self.members[name] = Pieces()
        return pieces

    def run(self, kind: type[_B], tell: Teller) -> _B:
        """The last part if it is of that kind, else a new one: a run goes on until something else comes between."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, kind):
            return last
        return tell.open(self.parts, kind(self.index, len(self.parts)))

    def native_message(self) -> dict[str, Any]:
        """The unstreamed message, of the members that arrived."""
        message = self.message.build()
        message.update((name, pieces.text()) for name, pieces in self.members.items())
        if self.content_parts is not None:
            message["content"] = self.content_parts.build()
        message.update((name, entries.build()) for name, entries in self.entries.items())
        if self.calls.legacy is not None:
            message["function_call"] = self.calls.legacy.native()
        if calls := [call.native() for call in self.calls.in_order() if not call.legacy]:
            message["tool_calls"] = calls
        return message

    def native(self) -> dict[str, Any]:
        """The unstreamed choice."""
        message = self.native_message()
        message.setdefault("content", None)
        return {"index": self.index, "message": message, "finish_reason": self.finish_reason, **self.other}

    def turn(self) -> list[dict[str, Any]]:
        """The message as the next request's history takes it."""
        message = self.native_message()
        turn = {"role": "assistant", "content": None, **{name: message[name] for name in _TURN_MEMBERS if name in message}}
        audio = message.get("audio")
        if isinstance(audio, JSONObject) and audio.get("id"):
            turn["audio"] = {"id": audio["id"]}  # a request refers to audio; it does not carry it
        return [turn]
