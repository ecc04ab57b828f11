"""Output items of a response: each gathers what the events bring and gives its native form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..events import Extra
from .joined import Joined, Live
from .parts import CallBuilder
from .payload import as_json, scrubbed
from .telling import word

if TYPE_CHECKING:
    from .parts import OtherBuilder, PartBuilder, Pieces
    from .telling import Teller

__all__ = ["UNCUT", "CallItem", "Item", "OtherItem", "catch_up", "contradict", "is_unfinished", "kind_of", "names_in"]

# Statuses of an item that do not say that it was cut.
UNCUT = (None, "completed", "in_progress")


class Item:
    """An output item. ``fields`` is its latest native form, without what is gathered from deltas; ``number`` counts items in the
    order of their opening; ``rank`` is its place among those that streamed; ``index`` is what it was opened under. ``KNOWN`` are
    the members that we have words for, or that only wrap it; others are told."""

    __slots__ = ("announced", "done", "fields", "index", "kind", "number", "rank", "shares_index")

    KNOWN: ClassVar[frozenset[str]] = frozenset({"id", "type", "status", "role"})

    def __init__(self, fields: dict[str, Any], number: int) -> None:
        self.fields = fields
        self.kind = kind_of(fields)
        self.number = number
        self.rank = number
        self.index: str | None = None
        self.shares_index = False
        self.announced = True  # rather than guessed from a delta that came without it
        self.done = False

    @property
    def names(self) -> set[str]:
        """The ids it goes by."""
        return set(names_in(self.fields))

    @property
    def place(self) -> int | None:
        """The place of its part, None where it has not exactly one."""
        return None

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot: members that say something replace, and text that the deltas did not bring is told."""
        self._take(fields, tell)
        tell.rest(extra, fields, self.KNOWN, self.place)

    def _take(self, fields: dict[str, Any], tell: Teller) -> bool:
        """Take the members that say something, and return whether that changed any."""
        changed = False
        for name, value in tell.clean(fields).items():
            if name not in self.fields or (value not in (None, "", [], {}) and value != self.fields[name]):
                self.fields[name] = value
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

    def __init__(self, fields: dict[str, Any], number: int, part: CallBuilder) -> None:
        self.member = self.MEMBERS[kind_of(fields)]
        super().__init__({name: value for name, value in fields.items() if name != self.member}, number)
        self.part = part
        self.cut = False  # a status has said that it is not whole

    def note_status(self, fields: dict[str, Any]) -> None:
        """Remember whether an item that was done, or the response's own list, says that the call was cut."""
        self.cut = self.cut or fields.get("status") not in UNCUT

    @property
    def place(self) -> int | None:
        """The place of its part."""
        return self.part.place

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        # The first `call_id` binds: its result may be on the way already, and has to meet the call in the next turn.
        known = self.part.id if word(self.fields.get("call_id")) else None
        apart = {self.member, "call_id"} if known else {self.member}
        self._take({name: value for name, value in fields.items() if name not in apart}, tell)
        self.part.id = known or word(self.fields.get("call_id")) or self.part.id or word(self.fields.get("id"))
        self.part.name = self.part.name or word(self.fields.get("name"))
        if self.part.name:
            tell.out.extend(self.part.announce())
        tell.rest(extra, fields, self.KNOWN, self.place)
        if arguments := fields.get(self.member):
            self.catch_up(as_json(arguments), tell)

    def catch_up(self, snapshot: str, tell: Teller) -> None:
        """Bring the arguments to what a snapshot says."""
        if self.part.complete:
            snapshot = tell.clean(snapshot)
            if snapshot and self.part.rest_of(snapshot) != "":
                contradict(self.part, snapshot, self.part.place, tell)
        elif self.part.announced:
            catch_up(self.part, snapshot, tell)
        elif snapshot := self.part.piece(snapshot):
            self.part.replace(snapshot)

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return {**self.fields, self.member: self.part.text()}


class OtherItem(Item, Live):
    """Any other item: hosted tools, MCP, shell, computer use, types newer than this library. ``joined`` gathers the members
    that come in pieces."""

    __slots__ = ("_halves", "_told", "joined", "part")

    def __init__(self, fields: dict[str, Any], number: int, part: OtherBuilder) -> None:
        super().__init__(fields, number)
        self.part = part
        self.joined = Joined()
        self._told = False
        self._halves = False

    @property
    def place(self) -> int | None:
        """The place of its part."""
        return self.part.place

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item. Each that says something new is told under the item's type, and `extra` lists the item."""
        changed = self._take(fields, tell)
        if not self._told:
            self._told = True
            tell.entry(extra, self.kind, self, tell.clean(fields), self.part.place)
        elif changed:
            tell.out.append(Extra(self.kind, [tell.clean(fields)], 0, self.part.place))

    def add(self, member: str, text: str, tell: Teller) -> None:
        """Add a piece of a member's text."""
        self._halves |= tell.halves
        self.joined.add({member: text})

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        joined = {name: value for name, value in self.joined.build().items() if not self.fields.get(name)}
        self.part.native = native = scrubbed({**self.fields, **joined}) if self._halves else {**self.fields, **joined}
        return native

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


def catch_up(part: PartBuilder, snapshot: str, tell: Teller) -> None:
    """Bring a part to what a snapshot says: one that extends it gives one more delta, one that contradicts it replaces the
    text without a delta and is reported."""
    snapshot = tell.clean(snapshot)
    rest = part.rest_of(snapshot)
    if rest is None and snapshot:
        contradict(part, snapshot, part.place, tell)
    elif rest:
        part.half = ""  # the snapshot has the whole character
        if isinstance(part, CallBuilder):
            tell.arguments(part, rest)
        else:
            tell.text(part, rest)


def contradict(pieces: Pieces, snapshot: str, place: int, tell: Teller) -> None:
    """Put a snapshot in place of text that has been told."""
    pieces.replace(snapshot)
    tell.out.append(Extra("snapshot", snapshot, 0, place))


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
