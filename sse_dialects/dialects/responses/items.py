"""Output items of a response: each gathers what the events bring and gives its native form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...events import Extra
from ...values import JSONArray, JSONObject, copied
from ..emit import word
from ..merge import Changing, MergedObject
from ..parts import CallBuilder
from ..payload import as_json, clean

if TYPE_CHECKING:
    from ..emit import Emitter
    from ..parts import OtherBuilder, PartBuilder
    from ..text_buffer import TextBuffer

__all__ = ["UNCUT", "CallItem", "Item", "OtherItem", "catch_up", "contradict", "has_news", "is_unfinished", "kind_of", "names_in"]

# A snapshot with more parts than that is not kept: beside the parts themselves it would cost too much memory.
_FEW_PARTS = 16

# Statuses of an item that do not say that it was cut.
UNCUT = (None, "completed", "in_progress")


class Item:
    """An output item. ``fields`` is its latest native form, without what is gathered from deltas; ``number`` counts items in the
    order of their opening; ``rank`` is its place among those that streamed; ``index`` is what it was opened under; ``place`` is
    that of its part, None where it has not exactly one. ``KNOWN`` are the members that are no Extra; ``APART`` are those that are
    not kept in ``fields``."""

    __slots__ = ("_seen", "announced", "done", "fields", "index", "kind", "number", "place", "rank", "shares_index")

    KNOWN: ClassVar[frozenset[str]] = frozenset({"id", "type", "status", "role"})
    APART: ClassVar[frozenset[str]] = frozenset()
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = frozenset()  # the same for the parts that are listed in those

    def __init__(self, fields: dict[str, Any], number: int, place: int | None = None) -> None:
        self.fields: dict[str, Any] = {}
        self._merge(fields)
        self.place = place
        self.kind = kind_of(fields)
        self.number = number
        self.rank = number
        self.index: str | None = None
        self.shares_index = False
        self.announced = True  # rather than guessed from a delta that came without it
        self.done = False
        self._seen: dict[str, Any] | None = None

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
        """Forget it: something of the item may have changed."""
        self._seen = None

    def repeats(self, fields: dict[str, Any], extra: dict[str, Any]) -> bool:
        """Whether a snapshot equals the one that was taken last, so that taking it again would change and emit nothing."""
        return self._seen == fields and (fields.keys() <= self.KNOWN or not has_news(extra, fields, self.KNOWN))

    @property
    def names(self) -> set[str]:
        """The ids it goes by."""
        return set(names_in(self.fields))

    def update(self, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot: members that say something replace, and text that the deltas did not bring is told."""
        self._merge(fields)
        if not fields.keys() <= self.KNOWN:
            emit.unknown_members(extra, fields, self.KNOWN, self.place)

    def _merge(self, fields: dict[str, Any], apart: frozenset[str] | None = None) -> bool:
        """Take the members that say something, and return whether that changed any."""
        apart, kept, changed = self.APART if apart is None else apart, self.fields, False
        for name, value in fields.items():
            if name in apart:
                continue
            if name not in kept or (value != kept[name] and value not in (None, "", [], {})):
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

    # What a snapshot does not bring into `fields`, by the member of the arguments: that, and a `call_id` where there is one.
    _WITHOUT_ID: ClassVar[dict[str, frozenset[str]]] = {member: frozenset({member}) for member in ("arguments", "input")}
    _WITH_ID: ClassVar[dict[str, frozenset[str]]] = {member: frozenset({member, "call_id"}) for member in ("arguments", "input")}

    def __init__(self, fields: dict[str, Any], number: int, part: CallBuilder) -> None:
        super().__init__(fields, number, part.place)
        self.member = self.MEMBERS[self.kind]
        self.part = part
        self.cut = False  # a status has said that it is not whole
        self.fields.pop(self.member, None)

    def note_status(self, fields: dict[str, Any]) -> None:
        """Remember whether an item that was done, or the response's own list, says that the call was cut."""
        self.cut = self.cut or fields.get("status") not in UNCUT

    def update(self, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        part, kept = self.part, self.fields
        # The first `call_id` binds: its result may be on the way already, and has to meet the call in the next turn.
        known = part.id if word(kept.get("call_id")) else None
        self._merge(fields, self._WITH_ID[self.member] if known else self._WITHOUT_ID[self.member])
        part.id = known or word(kept.get("call_id")) or part.id or word(kept.get("id"))
        part.name = part.name or word(kept.get("name"))
        if part.name and not part.announced:
            part.announce(emit.out)
        if not fields.keys() <= self.KNOWN:
            emit.unknown_members(extra, fields, self.KNOWN, self.place)
        if arguments := fields.get(self.member):
            self.catch_up(as_json(arguments), emit)

    def catch_up(self, snapshot: str, emit: Emitter) -> None:
        """Bring the arguments to what a snapshot says."""
        if self.part.complete:
            if snapshot and self.part.suffix_after(snapshot) != "":
                contradict(self.part, snapshot, self.part.place, emit)
        elif self.part.announced:
            catch_up(self.part, snapshot, emit)
        elif snapshot := self.part.piece(snapshot):
            self.part.replace(snapshot)

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return {**self.fields, self.member: self.part.text()}


class OtherItem(Item, Changing):
    """Any other item: hosted tools, MCP, shell, computer use, types newer than this library. ``joined`` gathers the members
    that come in pieces."""

    __slots__ = ("_has_surrogates", "_told", "merged", "part")

    def __init__(self, fields: dict[str, Any], number: int, part: OtherBuilder) -> None:
        super().__init__(fields, number, part.place)
        self.part = part
        self.part.native = self.fields
        self.merged = MergedObject()
        self._told = False
        self._has_surrogates = False

    def update(self, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item. Each that says something new is told under the item's type, and `extra` lists the item."""
        changed = self._merge(fields)
        if not self._told:
            self._told = True
            emit.entry(extra, self.kind, self, fields, self.part.place)
        elif changed:
            emit.out.append(Extra(self.kind, [fields], 0, self.part.place))

    def add(self, member: str, text: str, emit: Emitter) -> None:
        """Add a piece of a member's text."""
        self._has_surrogates |= emit.has_surrogates
        self.merged.add({member: text})

    def repeats(self, fields: dict[str, Any], extra: dict[str, Any]) -> bool:
        """Whether a snapshot equals the one that was taken last. The item is emitted whole, no member apart."""
        return self._seen == fields

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        joined = {name: value for name, value in self.merged.build().items() if not self.fields.get(name)}
        self.part.native = native = clean({**self.fields, **joined}) if self._has_surrogates else {**self.fields, **joined}
        return native

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


def catch_up(part: PartBuilder, snapshot: str, emit: Emitter) -> None:
    """Bring a part to what a snapshot says: one that extends it gives one more delta, one that contradicts it replaces the
    text without a delta and is reported."""
    if not snapshot or part.repeats(snapshot):
        return
    rest = part.suffix_after(snapshot)
    if rest is None:
        contradict(part, snapshot, part.place, emit)
    elif rest:
        part.half = ""  # the snapshot has the whole character
        if isinstance(part, CallBuilder):
            emit.arguments(part, rest)
        else:
            emit.text(part, rest)


def contradict(pieces: TextBuffer, snapshot: str, place: int, emit: Emitter) -> None:
    """Put a snapshot in place of text that has been told."""
    pieces.replace(snapshot)
    emit.out.append(Extra("snapshot", snapshot, 0, place))


def has_news(extra: dict[str, Any], fields: dict[str, Any], known: frozenset[str]) -> bool:
    """Whether a member that is not ``known`` has another value than it had last, wherever it came."""
    if fields.keys() <= known:
        return False
    return any(name not in known and value is not None and extra.get(name) != value for name, value in fields.items())


def is_unfinished(fields: dict[str, Any]) -> bool:
    """True if an item says that it is not whole, or is a call that has neither a status nor anything it is called with."""
    status, member = fields.get("status"), CallItem.MEMBERS.get(kind_of(fields))
    return status != "completed" if status is not None else member is not None and not fields.get(member)


def kind_of(fields: dict[str, Any]) -> str:
    """An item's type."""
    return str(fields.get("type"))


def names_in(fields: dict[str, Any]) -> list[str]:
    """The ids that an item goes by."""
    return [name for name in (word(fields.get("id")), word(fields.get("call_id"))) if name]
