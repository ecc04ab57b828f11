"""Content blocks of a message: one class a kind, each gathering its deltas and giving its native form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..errors import MalformedStreamError
from ..values import JSONArray
from .joined import Joined, built, joined
from .parts import CallBuilder, OtherBuilder, PartBuilder, Pieces, ReasoningBuilder, TextBuilder
from .payload import dumped, shared
from .telling import text_member

if TYPE_CHECKING:
    from .telling import Teller

__all__ = ["Block", "block_of", "opened"]

_P = TypeVar("_P", bound=PartBuilder)

_PATH = ("delta",)


class Block(Generic[_P]):
    """A content block: ``fields`` as it was opened, ``part`` what has come since.

    ``_DELTAS`` names what each type of delta adds: the member that holds it, in the delta and in the block.
    """

    __slots__ = ("fields", "part")

    _DELTAS: ClassVar[dict[str, str]] = {}

    def __init__(self, fields: dict[str, Any], part: _P) -> None:
        self.fields = fields
        self.part = part

    def takes(self, kind: str) -> bool:
        """Whether a delta of that type belongs to a block of this kind."""
        return kind in self._DELTAS or kind not in _OPENED_BY

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta; a type without a word of ours is kept under its name."""
        tell.extra_items(extra, str(delta.get("type")), [delta], 0, self.part.place)
        self.fields["deltas"] = joined(self.fields.get("deltas"), [tell.clean(delta)])

    def end(self, tell: Teller) -> None:
        """The block has been closed, or the message has."""

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        return {name: built(value) for name, value in self.fields.items()}


class TextBlock(Block[TextBuilder]):
    """Text, with the citations that support it."""

    __slots__ = ("citations",)

    _DELTAS: ClassVar[dict[str, str]] = {"text_delta": "text", "citations_delta": "citation"}

    def __init__(self, fields: dict[str, Any], part: TextBuilder) -> None:
        super().__init__(fields, part)
        citations = fields.get("citations")
        self.citations: list[Any] = list(citations) if isinstance(citations, JSONArray) else []

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        if text := text_member(self.fields, "text"):
            tell.text(self.part, text)
        tell.extra_items(extra, "citations", self.citations, 0, self.part.place)

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        kind = delta.get("type")
        if kind == "text_delta":
            tell.text(self.part, text_member(delta, "text"), (*_PATH, "text"))
        elif kind == "citations_delta":
            citation = tell.clean(delta.get("citation"))
            self.citations.append(citation)
            tell.extra_items(extra, "citations", [citation], 0, self.part.place)
        else:
            super().add(delta, tell, extra)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = {**super().native(), "text": self.part.text()}
        if self.citations:
            native["citations"] = list(self.citations)
        return native


class ThinkingBlock(Block[ReasoningBuilder]):
    """Reasoning and its signature, which may come without any text."""

    __slots__ = ()

    _DELTAS: ClassVar[dict[str, str]] = {"thinking_delta": "thinking", "signature_delta": "signature"}

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        self.part.signature = text_member(self.fields, "signature") or None
        if text := text_member(self.fields, "thinking"):
            tell.text(self.part, text)

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        kind = delta.get("type")
        if kind == "thinking_delta":
            tell.text(self.part, text_member(delta, "thinking"), (*_PATH, "thinking"))
        elif kind == "signature_delta":
            self.fields["signature"] = self.part.signature = tell.clean(text_member(delta, "signature"))
        else:
            super().add(delta, tell, extra)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        return {**super().native(), "thinking": self.part.text()}


class RedactedBlock(Block[ReasoningBuilder]):
    """Reasoning that only the provider can read."""

    __slots__ = ()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        self.part.encrypted = text_member(self.fields, "data") or None


class InputBlock(Block[_P]):
    """A block whose ``input`` comes as pieces of JSON text: what any tool, the client's or the server's, is called with."""

    __slots__ = ("pieces",)

    _DELTAS: ClassVar[dict[str, str]] = {"input_json_delta": "partial_json"}

    def __init__(self, fields: dict[str, Any], part: _P) -> None:
        super().__init__(fields, part)
        self.pieces: Pieces = part

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        if delta.get("type") == "input_json_delta":
            self.pieces.gather(text_member(delta, "partial_json"))
        else:
            super().add(delta, tell, extra)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = super().native()
        if "input" in native or self.pieces.text():
            native["input"] = self._input()
        return native

    def _input(self) -> Any:
        """The parsed pieces; text that is no JSON stays text, and without pieces what the block was opened with counts."""
        text = self.pieces.text()
        if not text:
            return self.fields.get("input")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


class ToolBlock(InputBlock[CallBuilder]):
    """A call that the client is asked to make."""

    __slots__ = ()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        tell.out.extend(self.part.announce())

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        if delta.get("type") == "input_json_delta":
            text = text_member(delta, "partial_json")
            if text and self.part.complete:
                raise MalformedStreamError("more input for a tool call after its end, when it may have been executed already")
            tell.text(self.part, text, (*_PATH, "partial_json"))
        else:
            super().add(delta, tell, extra)

    def end(self, tell: Teller) -> None:
        """Some servers send the whole input with the block's start; a call without any has an empty object."""
        tell.flush(self.part)
        if not self.part.text():
            given = self.fields.get("input")
            tell.out.append(self.part.add(given if isinstance(given, str) and given else dumped(given or {})))


class OtherBlock(InputBlock[OtherBuilder]):
    """Any other block: server tools and their results, compaction, types newer than this library. String members of deltas
    are joined to the block's own."""

    __slots__ = ("joined",)

    def __init__(self, fields: dict[str, Any], part: OtherBuilder) -> None:
        super().__init__(fields, part)
        self.joined = Joined()

    def begin(self, tell: Teller, extra: dict[str, Any]) -> None:
        """Tell what the block was opened with."""
        tell.extra_items(extra, str(self.fields.get("type")), [self.fields], 0, self.part.place)

    def add(self, delta: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take one delta."""
        kind = delta.get("type")
        if kind != "input_json_delta":
            self.joined.add({name: value for name, value in tell.clean(delta).items() if name != "type"})
        else:
            super().add(delta, tell, extra)
        tell.extra_items(extra, str(kind), [delta], 0, self.part.place)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = super().native()
        for name, value in self.joined.build().items():
            before = native.get(name)
            native[name] = before + value if isinstance(before, str) and isinstance(value, str) else value
        self.part.native = native
        return native


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


def opened(fields: dict[str, Any], parts: list[PartBuilder], tell: Teller) -> Block[Any]:
    """A new block, its part added to ``parts``."""
    fields, place = shared(tell.clean(fields)), len(parts)
    if fields.get("type") == "tool_use":
        call = CallBuilder(0, place, tell.word(fields, "id"), tell.word(fields, "name"), "function")
        tell.open_call(parts, call)
        return ToolBlock(fields, call)
    kinds = _KINDS.get(str(fields.get("type")))
    if kinds is None:
        return OtherBlock(dict(fields), tell.open(parts, OtherBuilder(0, place, fields)))
    block, part = kinds
    return block(fields, tell.open(parts, part(0, place)))


def block_of(kind: str) -> dict[str, Any]:
    """What a block would have been opened with to take a delta of this type."""
    return dict(_OPENED_BY.get(kind, {"type": "unknown"}))
