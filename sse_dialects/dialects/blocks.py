"""Content blocks of a message: one class a kind, each gathering its deltas and giving its native form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..values import JSONArray, JSONObject
from .joined import Joined, Live, continued
from .parts import CallBuilder, OtherBuilder, PartBuilder, Pieces, ReasoningBuilder, TextBuilder
from .payload import as_json, scrubbed, shared
from .telling import arguments_member, text_member

if TYPE_CHECKING:
    from .telling import Teller

__all__ = ["Block", "block_of", "delta_kind", "opened"]

_P = TypeVar("_P", bound=PartBuilder)

_PATH = ("delta",)

# Where the provider's pages put an input that is no JSON object, so that it can go back: a request takes objects only.
_INVALID = "INVALID_JSON"

_SIGNATURE = "signature_delta"
_TYPE = frozenset({"type"})

# Members of a citation that only answers have.
_ANSWER_ONLY = frozenset({"file_id"})


class Block(Generic[_P]):
    """A content block: ``fields`` as it was opened, ``part`` what has come since.

    ``DELTAS`` names the member that each type of delta adds to; ``_KNOWN`` are the block's members that we have words for.
    Others are told as they come.
    """

    __slots__ = ("fields", "part")

    DELTAS: ClassVar[dict[str, str]] = {}
    _KNOWN: ClassVar[frozenset[str]] = frozenset({"type"})

    def __init__(self, fields: dict[str, Any], part: _P) -> None:
        self.fields = fields
        self.part = part

    def takes(self, kind: str) -> bool:
        """Whether a delta of that type belongs to a block of this kind."""
        return kind in self.DELTAS or kind not in _OPENED_BY or kind == _SIGNATURE

    def waits_for(self, kind: str) -> bool:
        """Whether nothing has come since it was opened, and a delta of that type is what would come next."""
        return kind in self.DELTAS and not self.part.size()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        tell.rest(extra, self.fields, self._KNOWN, self.part.place)

    def add(self, kind: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta; a type without a word of ours is told under its name."""
        member = self.DELTAS.get(kind)
        if kind == _SIGNATURE and member is None:  # of no thinking: case `signature-on-a-text`
            tell.cold = True
            tell.rest(extra, delta, _TYPE, self.part.place)
            return
        if member is None:
            tell.extra_items(extra, kind, [delta], 0, self.part.place)
            return
        self._take(member, delta, tell, extra)
        if len(delta) > 2 or member not in delta:
            tell.rest(extra, delta, frozenset({"type", member}), self.part.place)

    def _take(self, member: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take what a delta adds to ``member``."""
        raise NotImplementedError

    def end(self, tell: Teller) -> None:
        """The block has been closed, or the message has."""

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        return dict(self.fields)

    def turn(self) -> dict[str, Any] | None:
        """The block as the next request's history takes it; None for one that a request must not carry."""
        return self.native()


class TextBlock(Block[TextBuilder]):
    """Text, with the citations that support it."""

    __slots__ = ("citations",)

    DELTAS: ClassVar[dict[str, str]] = {"text_delta": "text", "citations_delta": "citation"}
    _KNOWN: ClassVar[frozenset[str]] = frozenset({"type", "text", "citations"})

    def __init__(self, fields: dict[str, Any], part: TextBuilder) -> None:
        super().__init__(fields, part)
        citations = fields.get("citations")
        self.citations: list[Any] = list(citations) if isinstance(citations, JSONArray) else []

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        if text := text_member(self.fields, "text"):
            tell.text(self.part, text)
        tell.extra_items(extra, "citations", list(self.citations), 0, self.part.place)
        super().begin(tell, extra)

    def _take(self, member: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        if member == "text":
            tell.text(self.part, text_member(delta, member), (*_PATH, member))
        elif (citation := tell.clean(delta.get(member))) is not None:
            self.citations.append(citation)
            tell.extra_items(extra, "citations", [citation], 0, self.part.place)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = {**self.fields, "text": self.part.text()}
        if self.citations:
            native["citations"] = list(self.citations)
        return native

    def turn(self) -> dict[str, Any] | None:
        """The same, but for what a request must not carry: nothing but white space, and members that only answers have."""
        native = self.native()
        if not native["text"].strip():
            return None
        if self.citations:
            native["citations"] = [_without(citation, _ANSWER_ONLY) for citation in self.citations]
        return native


class ThinkingBlock(Block[ReasoningBuilder]):
    """Reasoning and its signature, which may come without any text."""

    __slots__ = ("signature",)

    DELTAS: ClassVar[dict[str, str]] = {"thinking_delta": "thinking", "signature_delta": "signature"}
    _KNOWN: ClassVar[frozenset[str]] = frozenset({"type", "thinking", "signature"})

    def __init__(self, fields: dict[str, Any], part: ReasoningBuilder) -> None:
        super().__init__(fields, part)
        self.signature: Pieces | None = None

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        if text := text_member(self.fields, "thinking"):
            tell.text(self.part, text)
        self._take("signature", self.fields, tell, extra)
        super().begin(tell, extra)

    def _take(self, member: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        text = text_member(delta, member)
        if member == "thinking":
            tell.text(self.part, text, (*_PATH, member))
        elif isinstance(delta.get(member), str):
            self.signature = self.signature or Pieces()  # it has come, be it empty
            self.signature.grow(tell.clean(text))
            if text:
                tell.cold = True
                tell.extra(extra, member, text, 0, self.part.place)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = {**self.fields, "thinking": self.part.text()}
        if self.signature is not None:
            native["signature"] = self.signature.text()
            self.part.signature = native["signature"] or None
        return native

    def turn(self) -> dict[str, Any] | None:
        """The same; a request has to have a signature, be it empty."""
        return {"signature": "", **self.native()}


class RedactedBlock(Block[ReasoningBuilder]):
    """Reasoning that only the provider can read."""

    __slots__ = ()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        self.part.encrypted = text_member(self.fields, "data") or None
        tell.extra_items(extra, "redacted_thinking", [dict(self.fields)], 0, self.part.place)


class InputBlock(Block[_P]):
    """A block whose ``input`` comes as pieces of JSON text: what any tool, the client's or the server's, is called with."""

    __slots__ = ("pieces",)

    DELTAS: ClassVar[dict[str, str]] = {"input_json_delta": "partial_json"}
    _KNOWN: ClassVar[frozenset[str]] = frozenset({"type", "id", "name", "input"})

    def __init__(self, fields: dict[str, Any], part: _P, pieces: Pieces) -> None:
        super().__init__(fields, part)
        self.pieces = pieces

    def waits_for(self, kind: str) -> bool:
        """Whether its input is still to come."""
        return kind in self.DELTAS and not self.pieces.size() and not self.fields.get("input")

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message; without pieces the input that it was opened with counts."""
        native = dict(self.fields)
        if self.pieces.size():
            native["input"] = self._input()
        return native

    def _input(self) -> Any:
        """The parsed pieces; text that is no JSON stays text."""
        text = self.pieces.text()
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text

    def turn(self) -> dict[str, Any] | None:
        """The same; an input that is no JSON object is wrapped in one."""
        native = self.native()
        given = native.get("input")
        if "input" in native and not isinstance(given, JSONObject):
            native["input"] = {_INVALID: self.pieces.text() or given} if given else {}
        return native


class ToolBlock(InputBlock[CallBuilder]):
    """A call that the client is asked to make."""

    __slots__ = ()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        tell.out.extend(self.part.announce())
        super().begin(tell, extra)

    def _take(self, member: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        tell.arguments(self.part, arguments_member(delta, member), (*_PATH, member))

    def end(self, tell: Teller) -> None:
        """Some servers send the whole input with the block's start; a call without any has an empty object."""
        tell.flush(self.part)
        self.part.held = ""
        if not self.part.size():
            tell.out.append(self.part.add(as_json(self.fields.get("input") or {})))


class OtherBlock(InputBlock[OtherBuilder], Live):
    """Any other block: server tools and their results, compaction, types newer than this library. String members of deltas
    are joined to the block's own."""

    __slots__ = ("_halves", "joined")

    def __init__(self, fields: dict[str, Any], part: OtherBuilder, pieces: Pieces) -> None:
        super().__init__(fields, part, pieces)
        self.joined = Joined()
        self._halves = False

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        kind = str(self.fields.get("type"))
        tell.entry(extra, kind, self, dict(self.fields), self.part.place)

    def add(self, kind: str, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        self._halves |= tell.halves
        if kind == "input_json_delta":
            self.pieces.append(text_member(delta, "partial_json"))
        else:
            self.joined.add({name: value for name, value in delta.items() if name != "type"})
        tell.extra_items(extra, kind, [delta], 0, self.part.place)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = super().native()
        for name, value in self.joined.build().items():
            native[name] = continued(name, native.get(name), value)
        self.part.native = native = scrubbed(native) if self._halves else native
        return native

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


def _without(value: Any, names: frozenset[str]) -> Any:
    return {name: item for name, item in value.items() if name not in names} if isinstance(value, JSONObject) else value


_KINDS: dict[str, tuple[type[Block[Any]], type[PartBuilder]]] = {
    "text": (TextBlock, TextBuilder),
    "thinking": (ThinkingBlock, ReasoningBuilder),
    "redacted_thinking": (RedactedBlock, ReasoningBuilder),
}

# The block that a delta speaks of, where none of that kind is open at its index.
_OPENED_BY: dict[str, dict[str, Any]] = {
    "text_delta": {"type": "text", "text": ""},
    "citations_delta": {"type": "text", "text": ""},
    "thinking_delta": {"type": "thinking", "thinking": ""},
    "signature_delta": {"type": "thinking", "thinking": ""},
    "input_json_delta": {"type": "tool_use", "input": {}},
}

# The member by which a delta that does not say its type is known, and what some servers say for the type: the block's.
_MEMBERS = {kind: member for block in (TextBlock, ThinkingBlock, ToolBlock) for kind, member in block.DELTAS.items()}
_BLOCK_WORDS = frozenset({"", "text", "thinking", "signature", "input_json", "tool_use"})

# The type of a block that does not say it, by the member that it has.
_TYPES = {"text": "text", "thinking": "thinking", "input": "tool_use"}


def opened(fields: dict[str, Any], parts: list[PartBuilder], tell: Teller) -> Block[Any]:
    """A new block, its part added to ``parts``."""
    fields, place = shared(tell.clean(fields)), len(parts)
    if not fields.get("type") and (member := next((name for name in _TYPES if name in fields), None)):
        fields["type"] = _TYPES[member]
    if fields.get("type") == "tool_use":
        call = CallBuilder(0, place, tell.word(fields, "id"), tell.word(fields, "name"), "function")
        tell.open_call(parts, call)
        return ToolBlock(fields, call, call)
    kinds = _KINDS.get(str(fields.get("type")))
    if kinds is None:
        return OtherBlock(dict(fields), tell.open(parts, OtherBuilder(0, place, fields)), Pieces())
    block, part = kinds
    return block(fields, tell.open(parts, part(0, place)))


def delta_kind(said: str, delta: dict[str, Any]) -> str:
    """The type of a delta: what it says, or where that is none, by the member that it has."""
    if said not in _BLOCK_WORDS:
        return said
    return next((kind for kind, member in _MEMBERS.items() if member in delta), said)


def block_of(kind: str) -> dict[str, Any]:
    """What a block would have been opened with to take a delta of this type."""
    return dict(_OPENED_BY.get(kind, {"type": "unknown"}))
