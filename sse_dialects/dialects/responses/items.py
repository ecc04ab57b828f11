"""Output items of a response: each gathers what the events bring and gives its native form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...events import Extra
from ...values import JSONArray, JSONObject, copied
from ..emit import arguments_member, text_member, word
from ..merge import Changing, MergedObject
from ..parts import CallBuilder, OtherBuilder
from ..payload import as_json, clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..emit import Emitter
    from ..parts import PartBuilder
    from ..text_buffer import TextBuffer

__all__ = [
    "UNCUT",
    "WRAPPING",
    "CallItem",
    "Gathered",
    "Item",
    "OtherItem",
    "catch_up",
    "contradict",
    "delta_of",
    "end_of_all",
    "has_news",
    "kind_of",
    "names_in",
]

# Members of an event that only wrap it.
WRAPPING = frozenset(
    {
        *("type", "sequence_number", "item_id", "output_index", "content_index", "summary_index", "annotation_index"),
        *("call_id", "obfuscation"),
    }
)

# A snapshot with more parts than that is not kept: beside the parts themselves it would cost too much memory.
_FEW_PARTS = 16

# Statuses of an item that do not say that it was cut.
UNCUT = (None, "completed", "in_progress")


class Gathered:
    """What all items of a response share: the parts so far, the extras, and the way that events go out.

    It does not hold the items, because they hold it: a stream that has ended leaves no cycle of references.
    """

    __slots__ = ("emit", "extra", "parts")

    def __init__(self, emit: Emitter, extra: dict[str, Any], parts: list[PartBuilder]) -> None:
        self.emit = emit
        self.extra = extra
        self.parts = parts

    def unknown_members(self, fields: dict[str, Any], known: frozenset[str], place: int | None) -> None:
        """Keep and emit the members that are not ``known``."""
        if not fields.keys() <= known:
            self.emit.unknown_members(self.extra, fields, known, place)

    def extra_items(self, name: str, values: list[Any], place: int | None) -> None:
        """Add ``values`` to the extras of that name, and emit them."""
        self.emit.extra_items(self.extra, name, values, 0, place)


class Item:
    """An output item.

    ``KNOWN`` are the members that are not emitted as `Extra`, ``APART`` those that are not kept in ``fields``, and
    ``KNOWN_IN_PARTS`` the known members of the parts that are listed in those. A method that takes an event returns the place of
    the part that the event adds to, if there is one.

    Attributes:
        fields: its latest native form, without what is gathered from deltas.
        number: how many items were opened before it.
        rank: its position in the response: ``output_index``, or else ``number``.
        index: the ``output_index`` that it was opened under.
        shares_index: another item was opened under the same one.
        place: the place of its part, None where it does not have exactly one.
        announced: False if a delta opened it because nothing else had.
        done: its ``output_item.done`` has come.
    """

    __slots__ = ("_seen", "announced", "done", "fields", "index", "kind", "number", "output", "place", "rank", "shares_index")

    KNOWN: ClassVar[frozenset[str]] = frozenset({"id", "type", "status", "role"})
    APART: ClassVar[frozenset[str]] = frozenset()
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, output: Gathered, fields: dict[str, Any], place: int | None = None) -> None:
        self.output = output
        self.fields: dict[str, Any] = {}
        self._merge(fields)
        self.place = place
        self.kind = kind_of(fields)
        self.number = self.rank = 0
        self.index: str | None = None
        self.shares_index = False
        self.announced = True
        self.done = False
        self._seen: dict[str, Any] | None = None  # the snapshot that was taken last, if nothing has changed since

    @classmethod
    def guess(cls, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """What the item of this event would have been announced with."""
        return {"type": kind}

    def saw(self, fields: dict[str, Any]) -> None:
        """Remember a snapshot that has just been taken, unless it has many parts, or one with a member that is an Extra."""
        self._seen = fields
        for name in self.APART:
            parts = fields.get(name)
            if isinstance(parts, JSONArray) and parts:
                few, known = parts[:_FEW_PARTS], self.KNOWN_IN_PARTS
                if len(few) < len(parts) or not all(isinstance(part, JSONObject) and part.keys() <= known for part in few):
                    self._seen = None

    def touched(self) -> None:
        """Forget the remembered snapshot: something of the item may have changed."""
        self._seen = None

    def repeats(self, fields: dict[str, Any]) -> bool:
        """Whether a snapshot equals the one that was taken last, so that taking it again would change and emit nothing."""
        return self._seen == fields and not has_news(self.output.extra, fields, self.KNOWN)

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot: members that say something replace, and text that the deltas did not bring is emitted."""
        self._merge(fields)
        self.output.unknown_members(fields, self.KNOWN, self.place)

    def _merge(self, fields: dict[str, Any]) -> bool:
        """Take the members that say something, and return whether that changed any."""
        kept, changed = self.fields, False
        for name, value in fields.items():
            if name not in self.APART and (name not in kept or (value != kept[name] and value not in (None, "", [], {}))):
                kept[name] = value if name in self.KNOWN else copied(value)  # an event has the other
                changed = True
        return changed

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return dict(self.fields)


class CallItem(Item):
    """A call that the client is asked to make, with JSON arguments or free-text input."""

    __slots__ = ("cut", "member", "part")

    MEMBERS: ClassVar[dict[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}
    KNOWN: ClassVar[frozenset[str]] = Item.KNOWN | {"call_id", "name", "arguments", "input"}

    def __init__(self, output: Gathered, fields: dict[str, Any]) -> None:
        emit, parts = output.emit, output.parts
        id, name = emit.word(fields, "call_id") or emit.word(fields, "id"), emit.word(fields, "name")
        self.part = CallBuilder(0, len(parts), id, name, "custom" if kind_of(fields) == "custom_tool_call" else "function")
        emit.open_call(parts, self.part)
        self.cut = False  # a status has said that it is not whole
        self.member = self.MEMBERS[kind_of(fields)]
        super().__init__(output, fields, self.part.place)
        self.fields.pop(self.member, None)

    @classmethod
    def guess(cls, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """What the item of this event would have been announced with."""
        return {"type": kind, **{name: payload[name] for name in ("call_id", "name") if payload.get(name) is not None}}

    def note_status(self, fields: dict[str, Any]) -> None:
        """Remember whether an item that was done, or the response's own list, says that the call was cut."""
        self.cut = self.cut or fields.get("status") not in UNCUT

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        part, kept, emit = self.part, self.fields, self.output.emit
        first_id = word(kept.get("call_id"))
        self._merge(fields)
        kept.pop(self.member, None)
        if first_id:  # it binds: its result may be on the way already, and has to meet the call in the next turn
            kept["call_id"] = first_id
        elif not part.complete:  # `ToolCallFinished` has the id that counts
            part.id = word(kept.get("call_id")) or part.id or word(kept.get("id"))
        part.name = part.name or word(kept.get("name"))
        if part.name:
            part.announce(emit.out)
        self.output.unknown_members(fields, self.KNOWN, self.place)
        if arguments := fields.get(self.member):
            snapshot = as_json(arguments)
            if part.announced:
                catch_up(part, snapshot, emit)
            elif snapshot := part.piece(snapshot):
                part.replace(snapshot)

    def take_piece(self, payload: dict[str, Any]) -> int | None:
        """Take a piece of the arguments."""
        self.output.emit.arguments(self.part, arguments_member(payload, "delta"))
        return self.place

    def take_whole(self, payload: dict[str, Any]) -> int | None:
        """Take the whole arguments, perhaps with the name."""
        fields = {name: payload[name] for name in ("name", "call_id") if isinstance(payload.get(name), str)}
        member = _member_of(payload)
        self.update({**fields, member: payload.get(member)})
        return self.place

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return {**self.fields, self.member: self.part.text()}


class OtherItem(Item, Changing):
    """Any other item: hosted tools, MCP, shell, computer use, types newer than this library. ``merged`` gathers the members
    that come in pieces."""

    __slots__ = ("_emitted", "_has_surrogates", "merged", "part")

    def __init__(self, output: Gathered, fields: dict[str, Any]) -> None:
        self.part = output.emit.open(output.parts, OtherBuilder(0, len(output.parts), fields))
        super().__init__(output, fields, self.part.place)
        self.part.native = self.fields
        self.merged = MergedObject()
        self._emitted = self._has_surrogates = False

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot of the item. Each that says something new is emitted under the item's type; `extra` lists the item."""
        changed, output = self._merge(fields), self.output
        if not self._emitted:
            self._emitted = True
            output.emit.entry(output.extra, self.kind, self, fields, self.part.place)
        elif changed:
            output.emit.out.append(Extra(self.kind, [fields], 0, self.place))

    def take_piece(self, payload: dict[str, Any]) -> int | None:
        """Take a piece of a member that the provider's own tool is called with."""
        self.merged.add({_member_of(payload): delta_of(payload)})
        self._has_surrogates |= self.output.emit.has_surrogates
        return self._emit(payload)

    def take_whole(self, payload: dict[str, Any]) -> int | None:
        """Take the whole of such a member."""
        member = _member_of(payload)
        self.fields[member] = text_member(payload, member)
        return self._emit(payload)

    def _emit(self, payload: dict[str, Any]) -> int | None:
        value = {name: value for name, value in payload.items() if name not in WRAPPING}
        self.output.extra_items(payload["type"], [value], self.place)
        return self.place

    def set_status(self, status: str) -> None:
        """Take a status that an event reports."""
        self.fields["status"] = status
        self.touched()

    def repeats(self, fields: dict[str, Any]) -> bool:
        """Whether a snapshot equals the one that was taken last. The item is emitted whole, no member apart."""
        return self._seen == fields

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        native = {**self.fields, **{name: value for name, value in self.merged.build().items() if not self.fields.get(name)}}
        self.part.native = native = clean(native) if self._has_surrogates else native
        return native

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


def catch_up(part: PartBuilder, snapshot: str, emit: Emitter) -> None:
    """Bring a part to what a snapshot says: one that extends it gives one more delta. One that contradicts it replaces the text
    without a delta and is reported, as is one that extends a call that was finished."""
    if not snapshot or part.repeats(snapshot):
        return
    rest, call = part.suffix_after(snapshot), part if isinstance(part, CallBuilder) else None
    if rest is None or (rest and call is not None and call.complete):
        contradict(part, snapshot, part.place, emit)
    elif rest:
        part.half = ""  # the snapshot has the whole character
        if call is not None:
            emit.arguments(call, rest)
        else:
            emit.text(part, rest)


def contradict(buffer: TextBuffer, snapshot: str, place: int, emit: Emitter) -> None:
    """Put a snapshot in place of text that has been emitted."""
    buffer.replace(snapshot)
    emit.out.append(Extra("snapshot", snapshot, 0, place))


def end_of_all(buffers: Iterable[TextBuffer], whole: str) -> int:
    """Where the texts of all buffers end if ``whole`` begins with them, one after the other, else -1."""
    end = 0
    for buffer in buffers:
        end = buffer.end_in(whole, end)
        if end < 0:
            break
    return end


def has_news(extra: dict[str, Any], fields: dict[str, Any], known: frozenset[str]) -> bool:
    """Whether a member that is not ``known`` has another value than it had last, wherever it came."""
    return any(fields[name] is not None and extra.get(name) != fields[name] for name in fields.keys() - known)


def kind_of(fields: dict[str, Any]) -> str:
    """An item's type."""
    return str(fields.get("type"))


def names_in(fields: dict[str, Any]) -> list[str]:
    """The ids that an item goes by."""
    return [name for name in (fields.get("id"), fields.get("call_id")) if name and isinstance(name, str)]


def delta_of(payload: dict[str, Any]) -> str:
    """The text that an event brings; some servers wrap it in an object, as a part has it."""
    delta = payload.get("delta")
    if isinstance(delta, JSONObject) and isinstance(text := delta.get("text"), str):
        return text
    return text_member(payload, "delta")


def _member_of(payload: dict[str, Any]) -> str:
    """The member of an item that an event brings: "arguments" for ``response.function_call_arguments.delta``."""
    stem: str = payload["type"].rpartition(".")[0]
    return stem.rpartition("_")[2]
