"""One choice of a chat stream: its parts, its calls, and its message in native form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from ...failures import is_padding
from ...values import JSONObject
from ..merge import MergedObject, snapshot
from ..parts import PartBuilder, ReasoningBuilder, RefusalBuilder, TextBuilder
from ..text_buffer import TextBuffer
from .think_tags import ThinkTags

if TYPE_CHECKING:
    from ..emit import Emitter
    from .content import ContentParts
    from .reasoning import Entries
    from .tool_calls import Calls, ChatCall

__all__ = ["ChatChoice", "turn_of"]

_B = TypeVar("_B", TextBuilder, ReasoningBuilder, RefusalBuilder)
_V = TypeVar("_V")

# Native members that are no more than the parts of one kind joined.
_JOINED_PARTS: dict[str, type[PartBuilder]] = {"content": TextBuilder, "refusal": RefusalBuilder}

# What goes back in the next request's history; the rest of a message only describes the answer.
_TURN_MEMBERS = frozenset({"role", "content", "refusal", "function_call", "tool_calls"})

# Members with such names go back too: a provider needs its own reasoning, or the proof of it, again.
_REASONING = re.compile(r"reasoning|thinking|thought|extra_content")


class ChatChoice:
    """The state of one choice. The defaults on the class are for what few choices have, or what comes late."""

    calls: Calls | None = None
    content_parts: ContentParts | None = None  # content that came as parts
    cut = False  # a reason said that the model was stopped in the middle of what it was writing
    ending = False  # the chunk at hand brings its reason
    entries: dict[str, Entries] | None = None  # lists of typed reasoning entries
    entries_emitted: str | None = None  # the list whose text is emitted
    error: Any = None  # what it or its delta says went wrong
    finish_reason: str | None = None
    has_content = False  # content came, if only an empty one
    has_refusal = False
    last_reasoning: ReasoningBuilder | None = None
    message: MergedObject | None = None  # message members that the vocabulary has no words for
    moved = 0  # parts before that place are not text: an orphan closing tag made them reasoning
    other: dict[str, Any] | None = None  # choice members that the vocabulary has no words for
    role: str | None = None

    def __init__(self, index: int, *, think_tags: bool = False) -> None:
        self.index = index
        self.extra: dict[str, Any] = {}
        self.parts: list[PartBuilder] = []
        self.runs: dict[type[PartBuilder], list[PartBuilder]] = {}  # the parts that are text, by kind
        self.members: dict[str, TextBuffer] = {}  # native text that the parts alone do not give, by member
        self.tags = ThinkTags() if think_tags else None

    def calls_in_order(self) -> list[ChatCall]:
        """The tool calls by index."""
        return self.calls.in_order if self.calls is not None else []

    def member(self, name: str) -> TextBuffer:
        """The gathered text of a native member, to add to."""
        member = self.members.get(name)
        if member is None:
            member = self.members[name] = TextBuffer()
        return member

    def native_text(self, name: str) -> str:
        """A native member's text so far."""
        if name in self.members:
            return self.members[name].text()
        return "".join([part.text() for part in self._parts_of(name)])

    def suffix_after(self, name: str, text: str) -> str | None:
        """What a snapshot of a native member has beyond its text so far, or None where it does not begin with it."""
        if name in self.members:
            return self.members[name].suffix_after(text)
        end = 0
        for part in self._parts_of(name):
            end = part.end_in(text, end)
            if end < 0:
                return None
        return text[end:]

    def _parts_of(self, name: str) -> list[PartBuilder]:
        """The parts that a native member is made of."""
        return self.runs.get(_JOINED_PARTS[name], []) if name in _JOINED_PARTS else []

    def note_error(self, error: Any) -> None:
        """Note what the choice or its delta says went wrong, unless that is padding."""
        if not is_padding(error):
            self.error = error

    def keep(self, name: str, value: _V) -> _V:
        """Keep a choice member that the vocabulary has no word for."""
        if self.other is None:
            self.other = {}
        self.other[name] = value
        return value

    def add_message(self, fields: dict[str, Any]) -> None:
        """Add a piece of message members that the vocabulary has no words for."""
        if self.message is None:
            self.message = MergedObject()
        self.message.add(fields)

    def run(self, kind: type[_B], emit: Emitter) -> _B:
        """The last part if it is of that kind, else a new one: a run goes on until something else comes between."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, kind):
            return last
        self.end_run(emit)
        part = emit.open(self.parts, kind(self.index, len(self.parts)))
        self.runs.setdefault(kind, []).append(part)
        return part

    def end_run(self, emit: Emitter) -> None:
        """Emit half a surrogate pair at the end of a run: nothing follows in it. A call's arguments may go on later."""
        last = self.parts[-1] if self.parts else None
        if type(last) in self.runs and last is not None:
            emit.flush(last)

    def move_to_reasoning(self, part: TextBuilder) -> ReasoningBuilder:
        """Put an empty run of reasoning in the place of a run of text."""
        reasoning = self.last_reasoning = ReasoningBuilder(self.index, part.place)
        self.parts[part.place] = reasoning
        return reasoning

    def native_message(self) -> dict[str, Any]:
        """The unstreamed message, of the members that arrived."""
        message = self.message.build() if self.message is not None else {}
        if self.role is not None:
            message["role"] = self.role
        for name, text in self.members.items():
            message[name] = text.text()
        if self.content_parts is not None:
            message["content"] = self.content_parts.build()
        elif self.has_content:
            message["content"] = self.native_text("content")
        if self.has_refusal:
            message["refusal"] = self.native_text("refusal")
        if self.entries is not None:
            message.update((name, entries.build()) for name, entries in self.entries.items())
        if self.calls is not None:
            self.calls.add_native(message)
        return message

    def native(self) -> dict[str, Any]:
        """The unstreamed choice."""
        message = self.native_message()
        message.setdefault("content", None)
        native = {"index": self.index, "message": message, "finish_reason": self.finish_reason}
        for name, value in (self.other or {}).items():
            native[name] = snapshot(value)
        return native

    def reasoning_entries(self) -> tuple[str, ...]:
        """The names of the lists of entries that carry reasoning or a proof of it."""
        if self.entries is None:
            return ()
        return tuple([name for name, entries in self.entries.items() if entries.hold_reasoning])


def turn_of(native: dict[str, Any], *, reasoning: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """What the next request's history takes of a completion: the first choice's message. ``reasoning`` names members that carry
    reasoning, beside those whose names say so."""
    if not native["choices"]:
        return []
    message = native["choices"][0]["message"]
    turn = {
        name: value for name, value in message.items() if name in _TURN_MEMBERS or name in reasoning or _REASONING.match(name)
    }
    _drop_nameless(turn)
    if not turn.get("refusal"):
        turn.pop("refusal", None)
    audio = message.get("audio")
    if isinstance(audio, JSONObject) and audio.get("id"):
        turn["audio"] = {"id": audio["id"]}  # a request refers to audio; it does not carry it
    return [{"role": "assistant", "content": None, **turn}]


def _drop_nameless(turn: dict[str, Any]) -> None:
    """Drop calls without a name: nobody can answer them."""
    if "function_call" in turn and not turn["function_call"]["name"]:
        del turn["function_call"]
    if "tool_calls" in turn:
        turn["tool_calls"] = [call for call in turn["tool_calls"] if call[call["type"]]["name"]]
        if not turn["tool_calls"]:
            del turn["tool_calls"]
