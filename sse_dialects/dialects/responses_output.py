"""The output of a response: which item an event speaks of, and how the final response's items meet those that streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import JSONObject
from .responses_items import CallItem, Item, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .parts import PartBuilder
    from .telling import Teller

__all__ = ["Output"]


class Output:
    """The items in the order of their opening, and the parts that they opened.

    ``output_index`` names an item; ``item_id`` may change from event to event, so it and ``call_id`` count only without one.
    """

    __slots__ = ("_by_index", "_by_name", "extra", "items", "parts", "tell")

    def __init__(self, tell: Teller, extra: dict[str, Any]) -> None:
        self.tell = tell
        self.extra = extra
        self.items: list[Item] = []
        self.parts: list[PartBuilder] = []
        self._by_index: dict[str, Item] = {}
        self._by_name: dict[str, Item] | None = None  # made when it is first needed: most streams number their items

    def added(self, index: Any, fields: dict[str, Any]) -> None:
        """An item has been announced. A second one on a used index is another item, unless the first was only guessed."""
        item = self._by_index.get(str(index)) if index is not None else None
        if item is None or (item.announced and not _same(item, fields)) or not _fits(item, fields):
            item = self._open(index, fields)
        item.announced = True
        self._update(item, fields)

    def finished(self, index: Any, fields: dict[str, Any]) -> None:
        """An item is whole; it may not have been announced at all."""
        item = self.find(index, fields.get("id"), fields.get("call_id"))
        if item is None or (item.done and not _same(item, fields)) or not _fits(item, fields):
            item = self._open(index, fields)
        self._update(item, fields)
        item.announced = item.done = True
        if isinstance(item, CallItem):
            self._finish_call(item, fields)

    def _finish_call(self, item: CallItem, fields: dict[str, Any]) -> None:
        call = item.part
        if not call.stopped:
            call.stopped = True
            self.tell.out.extend(call.announce())
            self.tell.flush(call)
            if fields.get("status") != "incomplete":
                self.tell.out.append(call.finish())

    def find(self, index: Any, *names: Any) -> Item | None:
        """The item of an event: by index, else by one of its ids."""
        if index is not None:
            return self._by_index.get(str(index))
        return next(self._named(*names), None)

    def _named(self, *names: Any) -> Iterator[Item]:
        """The items that go by these ids; the one opened last where several share one."""
        if self._by_name is None:
            self._by_name = {name: item for item in self.items for name in item.names}
        for name in names:
            if isinstance(name, str) and name in self._by_name:
                yield self._by_name[name]

    def item_for(self, payload: dict[str, Any], kind: type[Item], guess: dict[str, Any]) -> Item:
        """The item that a delta adds to, opened as ``guess`` where the stream never announced one of its kind."""
        index = payload.get("output_index")
        item = self.find(index, payload.get("item_id"), payload.get("call_id"))
        if item is None and index is None and self.items:
            item = self.items[-1]
        if item is None or not isinstance(item, kind):
            item = self._open(index, guess)
            item.announced = False
        return item

    def _open(self, index: Any, fields: dict[str, Any]) -> Item:
        self.tell.check("max_parts", len(self.items) + 1)
        item = opened(fields, self.parts, self.tell)
        self.items.append(item)
        if self._by_name is not None:
            self._by_name.update(dict.fromkeys(item.names, item))
        if index is not None:
            self._by_index[str(index)] = item
        return item

    def _update(self, item: Item, fields: dict[str, Any]) -> None:
        item.update(fields, self.tell, self.parts, self.extra)
        if self._by_name is not None:
            for name in item.names:
                self._by_name.setdefault(name, item)

    def take_snapshot(self, listed: list[Any]) -> None:
        """Take the response's own list of items; an empty one erases nothing."""
        matched: set[Item] = set()
        waiting: dict[str, Iterator[Item]] = {}
        for place, fields in enumerate(listed):
            if isinstance(fields, JSONObject):
                item = self._match(matched, waiting, place, fields)
                if item is None:
                    item = self._open(place if str(place) not in self._by_index else None, fields)
                matched.add(item)
                self._update(item, fields)

    def _match(self, matched: set[Item], waiting: dict[str, Iterator[Item]], place: int, fields: dict[str, Any]) -> Item | None:
        """The streamed item that one of the response is: by id, by position, or the next of its type."""
        for item in (*self._named(fields.get("id"), fields.get("call_id")), self._by_index.get(str(place))):
            if item is not None and item not in matched and _fits(item, fields):
                return item
        kind = str(fields.get("type"))
        if kind not in waiting:
            waiting[kind] = iter([item for item in self.items if item.kind == kind])
        return next((item for item in waiting[kind] if item not in matched), None)

    def native(self) -> list[dict[str, Any]]:
        """The items as they stand in an unstreamed response."""
        return [item.native() for item in self.items]


def _same(item: Item, fields: dict[str, Any]) -> bool:
    return bool(item.names & {name for name in (fields.get("id"), fields.get("call_id")) if isinstance(name, str)})


def _fits(item: Item, fields: dict[str, Any]) -> bool:
    return item.kind == str(fields.get("type"))
