"""Reasoning in lists of typed entries: ``reasoning_details``, ``thinking_blocks``, and ``content_blocks`` with their deltas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...values import JSONObject
from ..emit import word
from ..merge import MergedObject

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENTRY_LISTS", "Entries", "Entry"]

# The lists, and where their entries keep reasoning. The text of a content block is not among it: `content` has the same.
ENTRY_LISTS = {
    "reasoning_details": ("text", "summary", "thinking"),
    "thinking_blocks": ("text", "summary", "thinking"),
    "content_blocks": ("thinking",),
}


class Entry:
    """What one entry of a delta's list says."""

    __slots__ = ("encrypted", "signature", "text")

    def __init__(self, fields: dict[str, Any], text_names: tuple[str, ...]) -> None:
        delta = fields.get("delta")
        fields = delta if isinstance(delta, JSONObject) else fields
        self.text: str = next((text for name in text_names if isinstance(text := fields.get(name), str) and text), "")
        self.signature = word(fields.get("signature"))
        self.encrypted = word(fields.get("data"))


class Entries:
    """The list of that name, put together so that it can go back in full. ``hold_reasoning``: reasoning is in it.

    An entry continues the last one of its type and index, unless that has another id, is signed and this one brings new
    text, or has other data: that comes whole. The index alone does not decide: entries of several types share it.
    """

    __slots__ = ("_list", "_open", "_text_names", "hold_reasoning")

    def __init__(self, name: str) -> None:
        self._text_names = ENTRY_LISTS[name]
        self.hold_reasoning = False
        self._list: list[MergedObject] = []
        self._open: dict[tuple[str, str], MergedObject] = {}

    def add(self, entries: list[Any]) -> Iterator[Entry]:
        """Add a delta's entries and return what each says."""
        for fields in entries:
            if isinstance(fields, JSONObject):
                entry = Entry(fields, self._text_names)
                self.hold_reasoning = self.hold_reasoning or bool(entry.text or entry.signature or entry.encrypted)
                self._keep(fields, entry)
                yield entry

    def _keep(self, fields: dict[str, Any], entry: Entry) -> None:
        key = (str(fields.get("type")), str(fields.get("index")))
        slot = self._open.get(key)
        if slot is None or not _continues(slot, fields, entry):
            slot = self._open[key] = MergedObject()
            self._list.append(slot)
        elif entry.encrypted and slot.get("data"):
            fields = {name: value for name, value in fields.items() if name != "data"}
        slot.add(fields)

    def build(self) -> list[dict[str, Any]]:
        """The list as it stands in an unstreamed message."""
        return [slot.build() for slot in self._list]


def _continues(slot: MergedObject, fields: dict[str, Any], entry: Entry) -> bool:
    id = fields.get("id")
    other_id = id is not None and slot.get("id") not in (None, id)
    closed = bool(entry.text) and slot.get("signature") not in (None, "", entry.signature)
    other_data = bool(entry.encrypted) and slot.get("data") not in (None, "", entry.encrypted)
    return not (other_id or closed or other_data)
