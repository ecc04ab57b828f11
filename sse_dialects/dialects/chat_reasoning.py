"""Reasoning that arrives as lists of typed entries: OpenRouter's ``reasoning_details``, LiteLLM's ``thinking_blocks``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import JSONObject
from .joined import Joined
from .telling import word

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENTRY_LISTS", "Entries", "Entry"]

ENTRY_LISTS = ("reasoning_details", "thinking_blocks")

# Where the entries of each type keep their readable text.
_TEXT_NAMES = ("text", "summary", "thinking")


class Entry:
    """What one entry of a delta's list says."""

    __slots__ = ("encrypted", "signature", "text")

    def __init__(self, fields: dict[str, Any]) -> None:
        self.text: str = next((text for name in _TEXT_NAMES if isinstance(text := fields.get(name), str) and text), "")
        self.signature = word(fields.get("signature"))
        self.encrypted = word(fields.get("data"))


class Entries:
    """One such list, put together so that it can go back in full.

    An entry continues the last one of its type and index, unless that has another id, is signed and this one brings new
    text, or has other data: that comes whole. The index alone does not tell: entries of several types share it.
    """

    __slots__ = ("_list", "_open")

    def __init__(self) -> None:
        self._list: list[Joined] = []
        self._open: dict[tuple[str, str], Joined] = {}

    def add(self, entries: list[Any]) -> Iterator[Entry]:
        """Add a delta's entries and return what each says."""
        for fields in entries:
            if isinstance(fields, JSONObject):
                entry = Entry(fields)
                self._keep(fields, entry)
                yield entry

    def _keep(self, fields: dict[str, Any], entry: Entry) -> None:
        key = (str(fields.get("type")), str(fields.get("index")))
        slot = self._open.get(key)
        if slot is None or not _continues(slot, fields, entry):
            slot = self._open[key] = Joined()
            self._list.append(slot)
        elif entry.encrypted and slot.get("data"):
            fields = {name: value for name, value in fields.items() if name != "data"}
        slot.add(fields)

    def build(self) -> list[dict[str, Any]]:
        """The list as it stands in an unstreamed message."""
        return [slot.build() for slot in self._list]


def _continues(slot: Joined, fields: dict[str, Any], entry: Entry) -> bool:
    id = fields.get("id")
    other_id = id is not None and slot.get("id") not in (None, id)
    closed = bool(entry.text) and slot.get("signature") not in (None, "", entry.signature)
    other_data = bool(entry.encrypted) and slot.get("data") not in (None, "", entry.encrypted)
    return not (other_id or closed or other_data)
