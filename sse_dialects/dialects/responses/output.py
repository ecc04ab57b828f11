"""The output of a response: which item an event speaks of, and how the final response's items meet those that streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...values import JSONObject
from ..emit import word
from ..parts import CallBuilder
from .items import UNCUT, CallItem, Gathered, Item, OtherItem, kind_of, names_in
from .message import MessageItem
from .reasoning import ReasoningItem

if TYPE_CHECKING:
    from ...answer import Part
    from ..emit import Emitter

__all__ = ["Output"]

# The class of an item, by its type. All others are `OtherItem`.
_CLASSES: dict[str, type[MessageItem | ReasoningItem | CallItem]] = {
    "message": MessageItem,
    "reasoning": ReasoningItem,
    **dict.fromkeys(CallItem.MEMBERS, CallItem),
}


class Output(Gathered):
    """The items, in the order of their opening, and the parts that they opened.

    ``output_index`` names an item; ``item_id`` may change from event to event, so it and ``call_id`` count only without an index,
    where several items share it, or where nothing was opened under it. What few streams need is made when it is needed.
    """

    __slots__ = ("_by_index", "_by_kind", "_by_name", "_finished_ids", "_listed", "_pending", "_shared", "items", "last")

    def __init__(self, emit: Emitter, extra: dict[str, Any]) -> None:
        super().__init__(emit, extra, [])
        self.items: list[Item] = []
        self._shared = Gathered(emit, extra, self.parts)
        self.last: Item | None = None  # the item that the last delta added to
        self._listed: list[Item] = []  # the response's own list, once it has items
        self._by_index: dict[str, Item] = {}
        self._by_name: dict[str, Item] | None = None
        self._by_kind: dict[str, list[Item]] | None = None
        self._pending: list[CallItem] = []  # calls that are done and did not say how
        self._finished_ids: set[str] = set()  # the `call_id` of each call that was finished

    # ---- items announced and finished

    def added(self, index: Any, fields: dict[str, Any]) -> Item:
        """An item has been announced. A second one on a used index is another item, unless the first was only guessed."""
        kind = kind_of(fields)
        item = self._placed_at(index, kind) if index is not None else None
        if self._pending:
            self._finish_pending(item if item is not None and _same(item, fields) else None)
        if item is None or (item.announced and not _same(item, fields)) or item.kind != kind:
            item = self._open(index, fields)
        item.announced = True
        self._update(item, fields)
        return item

    def finished(self, index: Any, fields: dict[str, Any]) -> Item:
        """An item is whole; it may not have been announced at all."""
        if "call_id" in fields and (before := self._done_before(fields)) is not None:
            if isinstance(before, CallItem) and not before.part.complete:
                before.note_status(fields)
            return before
        kind = kind_of(fields)
        names = fields.get("id"), fields.get("call_id")
        item = self._placed_at(index, kind, *names) if index is not None else self._open_one(fields)
        if item is None or (item.done and not _same(item, fields)) or item.kind != kind:
            item = self._open(index, fields)
        self._update(item, fields)
        item.saw(fields)
        item.announced = item.done = True
        if isinstance(item, CallItem):
            self._end_call(item, fields)
        return item

    def _open_one(self, fields: dict[str, Any]) -> Item | None:
        """The item that goes by one of the names, else the one opened last, unless both have names."""
        named = self.find(None, fields.get("id"), fields.get("call_id"))
        last = self.items[-1] if self.items else None
        return named or (None if last is None or (names_in(last.fields) and names_in(fields)) else last)

    def _done_before(self, fields: dict[str, Any]) -> Item | None:
        """The item that was done under the same ``call_id``, if this is an unfinished copy of it, perhaps of another kind."""
        id = word(fields.get("call_id"))
        item = self._named(id) if id is not None and _is_unfinished(fields) else None
        return item if item is not None and item.done and item.fields.get("status") in UNCUT else None

    # ---- the ends of calls

    def _end_call(self, item: CallItem, fields: dict[str, Any]) -> None:
        """A call's item is done. It is whole if it says so; if it does not say, a later event may."""
        call = item.part
        if not call.stopped:
            call.stopped = True
            call.end(self.emit.out)
            self.emit.flush(call)
        item.note_status(fields)
        if fields.get("status") == "completed":
            self._finish_call(item)
        else:
            self._pending.append(item)

    def _finish_pending(self, but: Item | None) -> None:
        """Another item has been announced, so the calls that were done are whole; ``but`` is one that is announced again."""
        pending, self._pending = self._pending, []
        for item in pending:
            if item is but:
                self._pending.append(item)
            else:
                self._finish_call(item)

    def finish_calls(self) -> None:
        """The response is completed, and with it every call that nobody said was cut."""
        for item in self.items:
            if isinstance(item, CallItem):
                self._finish_call(item)

    def _finish_call(self, item: CallItem) -> None:
        id = word(item.fields.get("call_id"))
        if item.cut or id in self._finished_ids:
            return
        item.part.finish(self.emit.out)
        if item.part.complete and id is not None:
            self._finished_ids.add(id)

    # ---- items as they open and change

    def _update(self, item: Item, fields: dict[str, Any]) -> None:
        """Take a snapshot of an item, unless it is an unfinished copy of one that was done."""
        if "call_id" in fields and item is self._done_before(fields):
            return
        item.touched()
        item.update(fields)
        if self._by_name is not None:
            self._by_name.update(dict.fromkeys(names_in(fields), item))

    def _open(self, index: Any, fields: dict[str, Any]) -> Item:
        self.emit.check_limit("max_parts", len(self.items) + 1)
        fields = self.emit.clean(fields)
        item = _CLASSES.get(kind_of(fields), OtherItem)(self._shared, fields)
        item.number = item.rank = len(self.items)
        self.items.append(item)
        if self._by_kind is not None:
            self._by_kind.setdefault(item.kind, []).append(item)
        if self._by_name is not None:
            self._by_name.update(dict.fromkeys(names_in(fields), item))
        if index is not None:
            self._keep(str(index), item)
            item.rank = index if isinstance(index, int) else item.rank
        return item

    def _keep(self, index: str, item: Item) -> None:
        """Note an item's index. Where several share one, as some servers have it, kind and index name each, and so do ids."""
        if (before := self._by_index.get(index)) is not None:
            before.shares_index = item.shares_index = True
            self._by_index[f"{index} {before.kind}"] = before
            self._by_index[f"{index} {item.kind}"] = item
        self._by_index[index] = item
        item.index = index

    # ---- the item that an event speaks of

    def find(self, index: Any, *names: Any) -> Item | None:
        """The item of an event: by index, else by one of its ids."""
        if index is not None:
            return self._by_index.get(str(index))
        return next((item for name in names if isinstance(name, str) and (item := self._named(name)) is not None), None)

    def place_of(self, payload: dict[str, Any]) -> int | None:
        """The place of the part that an event speaks of, if it speaks of one."""
        item = self.find(payload.get("output_index"), payload.get("item_id"), payload.get("call_id"))
        return item.place if item is not None else None

    def find_kind(self, payload: dict[str, Any], kind: str) -> Item | None:
        """The item that an event speaks of, of that kind if several share its index."""
        index, names = payload.get("output_index"), (payload.get("item_id"), payload.get("call_id"))
        return self._placed_at(index, kind, *names) if index is not None else self.find(None, *names)

    def _placed_at(self, index: Any, kind: str, *names: Any) -> Item | None:
        """The item at that index, of that kind if there is one. Where several share the index the ids decide which; where nothing
        was opened under it, they may show that an open item goes on under another index than its own."""
        key = str(index)
        item = self._by_index.get(key)
        if names and (item is None or item.shares_index):
            named = self.find(None, *names)
            if named is not None and named.kind == kind and (not named.done if item is None else named.index == key):
                self._by_index.setdefault(key, named)
                return named
        return item if item is None or item.kind == kind else self._by_index.get(f"{index} {kind}", item)

    def _named(self, name: str) -> Item | None:
        if self._by_name is None:
            self._by_name = {each: item for item in self.items for each in names_in(item.fields)}
        return self._by_name.get(name)

    def item_for(self, payload: dict[str, Any], kind: str) -> Item:
        """The item that an event adds to, opened where the stream never announced one of its kind."""
        item, of_kind, index = self.find_kind(payload, kind), _CLASSES.get(kind, OtherItem), payload.get("output_index")
        if item is None and index is None and self.items:
            item = self.items[-1]
        if not isinstance(item, of_kind):
            item = self._open(index, of_kind.guess(kind, payload))
            item.announced = False
        item.touched()
        self.last = item
        return item

    # ---- the response's own list

    def take_text(self, text: str) -> None:
        """Take the text of a response that lists no item with a text."""
        item = self.item_for({}, "message")
        assert isinstance(item, MessageItem)
        item.take_whole_text({"text": text})

    def take_snapshot(self, listed: list[Any], *, final: bool = True) -> None:
        """Take the response's own list of items; an empty one erases nothing. What the final one says of calls counts."""
        if not listed:
            return
        snapshot: list[dict[str, Any]] = [fields for fields in listed if isinstance(fields, JSONObject)]
        if self._is_repeated(snapshot):
            self._listed = self.items.copy()
            return
        items: dict[str, Item] = {}
        for place, (matched, fields) in enumerate(zip(self._matched(snapshot), snapshot, strict=True)):
            item = matched or self._open(place if str(place) not in self._by_index else None, fields)
            items[str(item.number)] = item
            if not item.repeats(fields):
                self._update(item, fields)
            if final and isinstance(item, CallItem) and not item.part.complete:
                item.note_status(fields)
        self._listed = list(items.values()) or self._listed

    def _is_repeated(self, snapshot: list[dict[str, Any]]) -> bool:
        """Whether a snapshot has every item in its order, and with what its own event said, as in most streams."""
        if len(self.items) != len(snapshot):
            return False
        return all(item.repeats(fields) for item, fields in zip(self.items, snapshot, strict=True))

    def _matched(self, snapshot: list[dict[str, Any]]) -> list[Item | None]:
        """The streamed item that each of a snapshot is: by id, by position, or the next of its kind. Linear in the snapshot."""
        taken: set[int] = set()
        matched = [self._of_name(fields, taken) for fields in snapshot]  # first, so that no other rule takes an item with a name
        next_of: dict[str, int] = {}
        for place, fields in enumerate(snapshot):
            if matched[place] is None:
                matched[place] = self._placed(place, fields, taken) or self._next(fields, taken, next_of)
        return matched

    def _of_name(self, fields: dict[str, Any], taken: set[int]) -> Item | None:
        if (before := self._done_before(fields)) is not None:
            return _take(before, taken)
        named = map(self._named, names_in(fields))
        return next((_take(item, taken) for item in named if item is not None and _free(item, fields, taken)), None)

    def _placed(self, place: int, fields: dict[str, Any], taken: set[int]) -> Item | None:
        item = self._by_index.get(str(place))
        return _take(item, taken) if item is not None and _free(item, fields, taken) else None

    def _next(self, fields: dict[str, Any], taken: set[int], next_of: dict[str, int]) -> Item | None:
        if self._by_kind is None:
            self._by_kind = {}
            for item in self.items:
                self._by_kind.setdefault(item.kind, []).append(item)
        kind = kind_of(fields)
        of_kind = self._by_kind.get(kind, [])
        at = next_of.get(kind, 0)
        while at < len(of_kind) and of_kind[at].number in taken:
            at += 1
        next_of[kind] = at
        return _take(of_kind[at], taken) if at < len(of_kind) else None

    # ---- the end and the answer

    def finish(self) -> None:
        """Emit what was held back, and reasoning that is another than what was emitted."""
        for item in self.items:
            if isinstance(item, ReasoningItem):
                item.finish()
        for part in self.parts:
            if isinstance(part, CallBuilder):
                part.end(self.emit.out)
            if part.half:
                self.emit.flush(part)
        self._shared.extra = {}  # of items, which stand in the extras themselves: that would be a cycle of references

    def build(self) -> list[Part]:
        """The parts so far."""
        for item in self.items:
            if isinstance(item, ReasoningItem):
                item.choose_text()
        return [part.build() for part in self.parts]

    def native(self) -> list[dict[str, Any]]:
        """The items as they stand in an unstreamed response: in its order, else by index, else as they were opened. One that its
        list leaves out stays ahead of the item that it came before, as reasoning has to."""
        if self._listed == self.items:
            return [item.native() for item in self.items]
        listed = {item.number for item in self._listed}
        ahead: dict[int, list[Item]] = {}
        left_out: list[Item] = []
        for item in sorted(self.items, key=lambda item: item.rank):
            if item.number in listed:
                ahead[item.number], left_out = left_out, []
            else:
                left_out.append(item)
        in_order = [each for item in self._listed for each in (*ahead[item.number], item)] + left_out
        return [item.native() for item in in_order]


def _is_unfinished(fields: dict[str, Any]) -> bool:
    """True if an item says that it is not whole, or is a call that has neither a status nor anything it is called with."""
    status, member = fields.get("status"), CallItem.MEMBERS.get(kind_of(fields))
    return status != "completed" if status is not None else member is not None and not fields.get(member)


def _same(item: Item, fields: dict[str, Any]) -> bool:
    return not set(names_in(item.fields)).isdisjoint(names_in(fields))


def _free(item: Item, fields: dict[str, Any], taken: set[int]) -> bool:
    return item.number not in taken and item.kind == kind_of(fields)


def _take(item: Item, taken: set[int]) -> Item:
    taken.add(item.number)
    return item
