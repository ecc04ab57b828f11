"""Content blocks of a message: one class for each kind says what opens it, what its deltas add, and its native form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from ...answer import OtherPart, ReasoningPart, TextPart
from ...events import Extra, ReasoningDelta
from ...values import JSONArray, copied
from ..emit import arguments_member, text_member, word
from ..merge import Changing, MergedObject, continued, merge
from ..parts import CallBuilder, PartBuilder
from ..payload import as_json, clean, may_have_surrogates
from ..text_buffer import TextBuffer

if TYPE_CHECKING:
    from ...events import Event
    from ..emit import Emitter

__all__ = ["Block", "ToolBlock", "block_fields_for", "delta_kind", "open_block"]

_INPUT_DELTA = "input_json_delta"
_SIGNATURE_DELTA = "signature_delta"
_TYPE = frozenset({"type"})


class Block(PartBuilder):
    """A content block, which is also the part of the answer that its deltas add to.

    ``TYPE`` is the block's type. ``DELTAS`` names the member that each type of delta has. What comes in ``PIECE``, one of these,
    is joined to ``MEMBER`` of the block, which is ``EMPTY`` in a block that a delta opens. ``KNOWN`` are the members of the block
    that the vocabulary has words for; the others become `Extra`. ``fields`` is the block as it was opened.
    """

    __slots__ = ()  # each kind has a slot for its fields: bases that have slots cannot be combined

    TYPE: ClassVar[str] = ""
    DELTAS: ClassVar[dict[str, str]] = {}
    PIECE: ClassVar[str] = ""
    MEMBER: ClassVar[str] = ""
    EMPTY: ClassVar[Any] = ""
    KNOWN: ClassVar[frozenset[str]] = _TYPE

    fields: dict[str, Any]

    def takes(self, kind: str) -> bool:
        """True if a delta of that type belongs to a block of this kind."""
        return kind in self.DELTAS or kind not in _BLOCK_FOR or kind == _SIGNATURE_DELTA

    def waits_for(self, kind: str) -> bool:
        """True if nothing has come since the block was opened, and a delta of that type is what would come next."""
        return kind in self.DELTAS and not self.size()

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit what the block was opened with. ``fields`` is the payload's own object, which events may hold."""
        emit.unknown_members(extra, fields, self.KNOWN, self.place)

    def take_delta(self, kind: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Take one delta. One of a type that this kind of block does not know becomes an `Extra` under its type."""
        member = self.DELTAS.get(kind)
        if member is not None:
            self._take_member(member, delta, emit, extra)
            if len(delta) > 2 or member not in delta:
                emit.unknown_members(extra, delta, frozenset({"type", member}), self.place)
        elif kind == _SIGNATURE_DELTA:  # on a block that is no thinking: case `signature-on-a-text`
            emit.unknown_members(extra, delta, _TYPE, self.place)
        else:
            emit.extra_items(extra, kind, [delta], 0, self.place)

    def _take_member(self, member: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        raise NotImplementedError

    def hot_member(self, delta: dict[str, Any], event: Event) -> str | None:
        """The member of ``delta`` whose string was added to this block, if ``event`` says so; else None."""
        return self.PIECE if type(event) is self.event else None

    def close(self, emit: Emitter) -> None:
        """The block has been closed, or the message has."""

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        return {**self.fields, self.MEMBER: self.text()}


class TextBlock(Block):
    """Text, with the citations that support it."""

    __slots__ = ("citations", "fields")

    TYPE = MEMBER = PIECE = "text"
    DELTAS: ClassVar[dict[str, str]] = {"text_delta": "text", "citations_delta": "citation"}
    KNOWN = frozenset({"type", "text", "citations"})

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit the text and the citations that the block was opened with."""
        citations = self.fields.get("citations")
        self.citations: list[Any] = list(citations) if isinstance(citations, JSONArray) else []
        if text := text_member(fields, "text"):
            emit.text(self, text)
        if self.citations:
            emit.extra_items(extra, "citations", list(fields["citations"]), 0, self.place)
        super().open(fields, emit, extra)

    def _take_member(self, member: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        if member == "text":
            emit.text(self, text_member(delta, member))
        elif (citation := emit.clean(delta.get(member))) is not None:
            self.citations.append(copied(citation))
            emit.extra_items(extra, "citations", [citation], 0, self.place)

    def build(self) -> TextPart:
        """The text so far."""
        return TextPart(self.text())

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = super().native()
        if self.citations:
            native["citations"] = list(self.citations)
        return native


class ThinkingBlock(Block):
    """Reasoning and its signature, which may come without any text."""

    __slots__ = ("fields", "signature")

    TYPE = MEMBER = PIECE = "thinking"
    DELTAS: ClassVar[dict[str, str]] = {"thinking_delta": "thinking", _SIGNATURE_DELTA: "signature"}
    KNOWN = frozenset({"type", "thinking", "signature"})

    event = ReasoningDelta

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit the text and the signature that the block was opened with."""
        self.signature: TextBuffer | None = None  # None until one came, be it empty
        if text := text_member(fields, "thinking"):
            emit.text(self, text)
        self._take_member("signature", fields, emit, extra)
        super().open(fields, emit, extra)

    def _take_member(self, member: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        text = text_member(delta, member)
        if member == "thinking":
            emit.text(self, text)
        elif isinstance(delta.get(member), str):
            self.signature = self.signature or TextBuffer()
            self.signature.grow(emit.clean(text))
            if text:
                emit.extra(extra, member, text, 0, self.place)

    def build(self) -> ReasoningPart:
        """The reasoning so far."""
        return ReasoningPart(self.text(), (self.signature.text() or None) if self.signature is not None else None)

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        native = super().native()
        if self.signature is not None:
            native["signature"] = self.signature.text()
        return native


class RedactedBlock(Block):
    """Reasoning that only the provider can read."""

    __slots__ = ("fields",)

    TYPE = "redacted_thinking"

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit the block."""
        text_member(fields, "data")
        emit.extra_items(extra, self.TYPE, [fields], 0, self.place)

    def build(self) -> ReasoningPart:
        """Reasoning without text."""
        return ReasoningPart("", None, word(self.fields.get("data")))

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        return dict(self.fields)


class InputBlock(Block):
    """A block whose ``input`` comes as pieces of JSON text: what any tool, the client's or the server's, is called with."""

    __slots__ = ()

    DELTAS: ClassVar[dict[str, str]] = {_INPUT_DELTA: "partial_json"}
    PIECE = "partial_json"
    MEMBER = "input"
    KNOWN = frozenset({"type", "id", "name", "input"})

    def waits_for(self, kind: str) -> bool:
        """True if its input is still to come."""
        return super().waits_for(kind) and not self.fields.get("input")

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message; without pieces the input that it was opened with counts."""
        native = dict(self.fields)
        if self.size():
            native["input"] = _parsed(self.text())
        return native


class ToolBlock(InputBlock, CallBuilder):
    """A call that the client is asked to make."""

    __slots__ = ("fields",)

    TYPE = "tool_use"
    EMPTY: ClassVar[Any] = {}

    def __init__(self, choice: int, place: int) -> None:
        CallBuilder.__init__(self, choice, place, None, None, "function")

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit the start of the call."""
        self.id, self.name = word(fields.get("id")), word(fields.get("name"))
        self.announce(emit.out)
        super().open(fields, emit, extra)

    def _take_member(self, member: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        emit.arguments(self, arguments_member(delta, member))

    def close(self, emit: Emitter) -> None:
        """Some servers send the whole input with the block's start; a call without any has an empty object."""
        emit.flush(self)
        self.held = ""
        if not self.size():
            self.add(as_json(self.fields.get("input") or {}), emit.out)


class OtherBlock(InputBlock):
    """Any other block: server tools and their results, compaction, types newer than this library. String members of deltas
    are joined to the block's own."""

    __slots__ = ("_extra", "_has_surrogates", "_native", "fields", "merged")

    def open(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Emit the block."""
        self.merged = MergedObject()
        self._extra = extra
        self._has_surrogates = False
        self._native: dict[str, Any] | None = None  # what `native` returned last, until a delta comes
        emit.entry(extra, str(fields.get("type")), _Entry(self), fields, self.place)

    def take_delta(self, kind: str, delta: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Take one delta."""
        if _is_plain_input(delta) and not emit.has_surrogates:
            self.add(delta["partial_json"], emit.out)
            return
        self._native = None
        self._has_surrogates |= emit.has_surrogates
        if kind == _INPUT_DELTA:
            self.append(text_member(delta, "partial_json"))
        else:
            self.merged.add(copied({name: value for name, value in delta.items() if name != "type"}))
        emit.extra_items(extra, kind, [delta], 0, self.place)

    def add(self, piece: str, out: list[Event]) -> None:
        """Add a piece of the input, and append the `Extra` of its delta to ``out``."""
        self._native = None
        self.append(piece)
        self._extra[_INPUT_DELTA] = merge(self._extra.get(_INPUT_DELTA), [{"type": _INPUT_DELTA, "partial_json": piece}])
        out.append(Extra(_INPUT_DELTA, [{"type": _INPUT_DELTA, "partial_json": piece}], 0, self.place))

    def hot_member(self, delta: dict[str, Any], event: Event) -> str | None:
        """``partial_json`` if that is all that ``delta`` has; else None."""
        return self.PIECE if _is_plain_input(delta) else None

    def build(self) -> OtherPart:
        """The block so far."""
        return OtherPart(self.native())

    def native(self) -> dict[str, Any]:
        """The block as it stands in an unstreamed message."""
        if self._native is not None:
            return self._native
        native = super().native()
        for name, value in self.merged.build().items():
            native[name] = continued(name, native.get(name), value)
        self._native = native = clean(native) if self._has_surrogates else native
        return native


class _Entry(Changing):
    """A block in the list of extras of its type."""

    __slots__ = ("block",)

    def __init__(self, block: OtherBlock) -> None:
        self.block = block

    def build(self) -> dict[str, Any]:
        """The block as it is now."""
        return self.block.native()


def _is_plain_input(delta: dict[str, Any]) -> bool:
    """True if a delta has a piece of input and its type, and nothing else."""
    return len(delta) == 2 and delta.get("type") == _INPUT_DELTA and type(delta.get("partial_json")) is str


def _parsed(text: str) -> Any:
    """The value of a whole input; text that is no JSON stays text. Two pieces may have held half an escape each."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return clean(value) if may_have_surrogates(text) else value


_BLOCKS: dict[str, type[Block]] = {block.TYPE: block for block in (TextBlock, ThinkingBlock, RedactedBlock, ToolBlock)}

# The block that a delta speaks of, by the delta's type, and the member by which a delta is known that does not say its type.
_BLOCK_FOR = {kind: block for block in _BLOCKS.values() for kind in block.DELTAS}
_MEMBERS = {kind: member for block in _BLOCKS.values() for kind, member in block.DELTAS.items()}

# What some servers say in place of a delta's type: nothing, the block's type, or the type without "_delta".
_BLOCK_WORDS = frozenset({"", "text", "thinking", "signature", "input_json", "tool_use"})

# The type of a block that does not say it, by the member that it has.
_TYPES = {block.MEMBER: block.TYPE for block in _BLOCKS.values() if block.MEMBER}


def open_block(fields: dict[str, Any], blocks: list[Block], emit: Emitter, extra: dict[str, Any]) -> Block:
    """A new block at the end of ``blocks``, with the events of what it was opened with."""
    fields = emit.clean(fields)
    if not fields.get("type") and (member := next((name for name in _TYPES if name in fields), None)):
        fields = {**fields, "type": _TYPES[member]}
    block = _BLOCKS.get(str(fields.get("type")), OtherBlock)(0, len(blocks))
    block.fields = copied(fields)  # type: ignore[misc]  # its slot is in each kind
    if isinstance(block, ToolBlock):
        emit.count_call()
    emit.check_limit("max_parts", len(blocks) + 1)
    blocks.append(block)
    block.open(fields, emit, extra)
    return block


def delta_kind(delta: dict[str, Any]) -> str:
    """The type of a delta: what it says, or where that is none, by the member that it has."""
    kind = delta.get("type")
    if isinstance(kind, str) and kind not in _BLOCK_WORDS:
        return kind
    return next((name for name, member in _MEMBERS.items() if member in delta), kind if isinstance(kind, str) else "")


def block_fields_for(kind: str) -> dict[str, Any]:
    """What a block would have been opened with to take a delta of this type."""
    block = _BLOCK_FOR.get(kind)
    return {"type": "unknown"} if block is None else {"type": block.TYPE, block.MEMBER: copied(block.EMPTY)}
