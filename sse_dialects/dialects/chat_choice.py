"""One choice of a chat stream: its parts, its calls, and its message in native form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from ..values import JSONObject
from .chat_calls import Calls, index_of
from .joined import Joined, built
from .parts import PartBuilder, Pieces, RefusalBuilder, TextBuilder
from .think_tags import ThinkTags

if TYPE_CHECKING:
    from .chat_calls import ChatCall
    from .chat_reasoning import Entries
    from .content_parts import ContentParts
    from .parts import ReasoningBuilder
    from .telling import Teller

__all__ = ["ChatChoice", "Numbers"]

_B = TypeVar("_B", "TextBuilder", "ReasoningBuilder", "RefusalBuilder")
_V = TypeVar("_V")

# Native members that are no more than the parts of one kind joined.
_TOLD_BY_PARTS: dict[str, type[PartBuilder]] = {"content": TextBuilder, "refusal": RefusalBuilder}

# What goes back in the next request's history; the rest of a message only describes the answer.
_TURN_MEMBERS = frozenset({"role", "content", "refusal"})

# So does whatever carries reasoning or a proof of it, under whatever name it came: providers need their own back.
_REASONING = re.compile(r"reasoning|thinking|thought|extra_content")


class Numbers:
    """Whether the indexes of the choices count the chunks, as some servers write them: 0, 1, 2 and so on, and the last has the
    only finish reason. Each piece of such an answer would be a choice of its own.
    """

    __slots__ = ("_last", "chunks")

    _MIN_CHUNKS = 3

    def __init__(self) -> None:
        self.chunks = 0  # that have choices
        self._last: int | None = 0  # the last index, None once the indexes are those of choices

    def add(self, indexes: list[Any]) -> None:
        """Note the indexes in one chunk."""
        if not indexes or self._last is None:
            return
        self.chunks += 1
        number = index_of(indexes[0])
        number = number if isinstance(number, int) else 0
        goes_on = len(indexes) == 1 and self._last <= number <= (self._last + 1 if self.chunks > 1 else 0)
        self._last = number if goes_on else None

    def count_chunks(self, finished: list[int]) -> bool:
        """Whether they do, now that the stream has ended. ``finished`` are the indexes that have a finish reason."""
        return bool(self._last) and self.chunks >= self._MIN_CHUNKS and finished == [self._last]


class ChatChoice:
    """What has come of one choice. What few streams need is made when it is needed: thousands of these may be open at once."""

    __slots__ = (
        "_calls",
        "_members",
        "content_parts",
        "cut",
        "ending",
        "entries",
        "entries_told",
        "extra",
        "finish_reason",
        "has_content",
        "has_refusal",
        "index",
        "last_reasoning",
        "message",
        "moved",
        "other",
        "parts",
        "role",
        "tags",
    )

    def __init__(self, index: int, *, think_tags: bool = False) -> None:
        self.index = index
        self.extra: dict[str, Any] = {}
        self.parts: list[PartBuilder] = []
        self.role: str | None = None
        self.has_content = False  # content came, if only an empty one
        self.has_refusal = False
        self.content_parts: ContentParts | None = None  # content that came as parts
        self.entries: dict[str, Entries] | None = None  # lists of typed reasoning entries
        self.entries_told: str | None = None  # the list whose text is told
        self.message: Joined | None = None  # message members without a word of ours
        self.other: dict[str, Any] | None = None  # choice members without a word of ours
        self.finish_reason: str | None = None
        self.cut = False  # a reason said that the model was stopped in the middle of what it was writing
        self.ending = False  # the chunk at hand brings its reason
        self.tags = ThinkTags() if think_tags else None
        self.moved = 0  # before that place no part is text: an orphan closing tag made it reasoning
        self.last_reasoning: ReasoningBuilder | None = None
        self._calls: Calls | None = None
        self._members: dict[str, Pieces] | None = None  # native text that the parts alone do not tell

    @property
    def calls(self) -> Calls:
        """The tool calls, to add to."""
        if self._calls is None:
            self._calls = Calls()
        return self._calls

    def calls_in_order(self) -> list[ChatCall]:
        """The tool calls by index."""
        return self._calls.in_order() if self._calls is not None else []

    def member(self, name: str) -> Pieces:
        """The gathered text of a native member, to add to."""
        if self._members is None:
            self._members = {}
        return self._members.setdefault(name, Pieces())

    def members(self) -> dict[str, Pieces]:
        """The native members gathered apart, by the name they came under."""
        return self._members or {}

    def native_text(self, name: str) -> str:
        """A native member's text so far."""
        if name in self.members():
            return self.members()[name].text()
        kind = _TOLD_BY_PARTS.get(name)
        return "".join(part.text() for part in self.parts if type(part) is kind) if kind is not None else ""

    def rest_of(self, name: str, snapshot: str) -> str | None:
        """What a snapshot of a native member has beyond its text so far, or None where it does not begin with it."""
        if name in self.members():
            return self.members()[name].rest_of(snapshot)
        end, kind = 0, _TOLD_BY_PARTS.get(name)
        for part in self.parts:
            if type(part) is kind and (end := part.end_in(snapshot, end)) < 0:
                return None
        return snapshot[end:]

    def keep(self, name: str, value: _V) -> _V:
        """Keep a choice member without a word of ours."""
        if self.other is None:
            self.other = {}
        self.other[name] = value
        return value

    def add_message(self, fields: dict[str, Any]) -> None:
        """Add a piece of message members without a word of ours."""
        if self.message is None:
            self.message = Joined()
        self.message.add(fields)

    def run(self, kind: type[_B], tell: Teller) -> _B:
        """The last part if it is of that kind, else a new one: a run goes on until something else comes between."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, kind):
            return last
        return tell.open(self.parts, kind(self.index, len(self.parts)))

    def native_message(self) -> dict[str, Any]:
        """The unstreamed message, of the members that arrived."""
        message = self.message.build() if self.message is not None else {}
        if self.role is not None:
            message["role"] = self.role
        message.update((name, pieces.text()) for name, pieces in self.members().items())
        if self.content_parts is not None:
            message["content"] = self.content_parts.build()
        elif self.has_content:
            message["content"] = self.native_text("content")
        refusal = self.native_text("refusal")
        if refusal or self.has_refusal:
            message["refusal"] = refusal
        message.update((name, entries.build()) for name, entries in (self.entries or {}).items())
        message.update(_native_calls(self.calls_in_order()))
        return message

    def native(self) -> dict[str, Any]:
        """The unstreamed choice."""
        message = self.native_message()
        message.setdefault("content", None)
        other = {name: built(value) for name, value in (self.other or {}).items()}
        return {"index": self.index, "message": message, "finish_reason": self.finish_reason, **other}

    def _is_reasoning(self, name: str) -> bool:
        entries = (self.entries or {}).get(name)
        return _REASONING.match(name) is not None or (entries is not None and entries.hold_reasoning)

    def turn(self) -> list[dict[str, Any]]:
        """The message as the next request's history takes it."""
        message = self.native_message()
        turn = {name: value for name, value in message.items() if name in _TURN_MEMBERS or self._is_reasoning(name)}
        # Nobody can answer a call without a name.
        turn.update(_native_calls([call for call in self.calls_in_order() if call.name]))
        if not turn.get("refusal"):
            turn.pop("refusal", None)
        audio = message.get("audio")
        if isinstance(audio, JSONObject) and audio.get("id"):
            turn["audio"] = {"id": audio["id"]}  # a request refers to audio; it does not carry it
        return [{"role": "assistant", "content": None, **turn}]


def _native_calls(calls: list[ChatCall]) -> dict[str, Any]:
    """The members of a message that hold calls."""
    members: dict[str, Any] = {}
    members.update(("function_call", call.native()) for call in calls if call.legacy)
    if listed := [call.native() for call in calls if not call.legacy]:
        members["tool_calls"] = listed
    return members
