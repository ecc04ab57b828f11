"""Reasoning among the output items of a response: a summary in parts, the full text in parts, or both."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from ...values import JSONArray, JSONObject, copied
from ..emit import word
from ..text_buffer import TextBuffer
from .items import Item, contradict

if TYPE_CHECKING:
    from ..emit import Emitter
    from ..parts import PartBuilder, ReasoningBuilder

__all__ = ["ReasoningItem"]

_JOINT = "\n\n"  # between the parts of one channel, which are paragraphs
_TYPES = {"content": "reasoning_text", "summary": "summary_text"}  # the full text first: it counts for more
_KNOWN_IN_PART = frozenset({"type", "text"})


class _Paragraph(TextBuffer):
    """One part of a channel: its text, and its other members. ``said``: its own ``.done`` has come, so that no delta follows."""

    __slots__ = ("fields", "said")

    def __init__(self, channel: str) -> None:
        super().__init__()
        self.fields: dict[str, Any] = {"type": _TYPES[channel]}
        self.said = False

    def native(self) -> dict[str, Any]:
        """The part as it stands in an unstreamed item."""
        return {**self.fields, "text": self.text()}


class ReasoningItem(Item):
    """Told is the channel that comes first; the answer has the full text where it came, else the summary."""

    __slots__ = ("channels", "current", "part", "reported", "told")

    KNOWN: ClassVar[frozenset[str]] = Item.KNOWN | {"summary", "content"}
    APART: ClassVar[frozenset[str]] = frozenset(_TYPES)
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = _KNOWN_IN_PART

    def __init__(self, fields: dict[str, Any], number: int, part: ReasoningBuilder) -> None:
        super().__init__(fields, number, part.place)
        self.part = part
        self.channels: dict[str, dict[str, _Paragraph]] = {}
        self.told: str | None = None
        self.current: _Paragraph | None = None
        self.reported = False  # a snapshot that contradicts what was told

    def announce(self, channel: str, index: Any, emit: Emitter) -> None:
        """A channel, or a part of it if it has an index, has been opened, empty as yet."""
        paragraphs = self.channels.setdefault(channel, {})
        if index is not None and str(index) not in paragraphs:
            self._open(channel, index, emit)

    def announce_part(self, channel: str, index: Any, snapshot: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """A part of a channel has been announced. Without an index it is another than the last one, if that has any text."""
        last = self._last(channel)
        self.announce(channel, index, emit)
        if index is None and last is not None and last.size():
            self._open(channel, None, emit)
        if word(snapshot.get("text")):
            self._catch_up(self.paragraph(channel, index, emit), channel, snapshot, emit, extra)

    def paragraph(self, channel: str, index: Any, emit: Emitter, text: str = "") -> _Paragraph:
        """One part of a channel, opened where it is new.

        Without an index it is the last one, and so it is in the full text under one that nobody announced: some servers count it
        up at every delta. After a part's own ``.done`` it is another part, unless ``text`` is what that part has already.
        """
        found = self.channels.setdefault(channel, {}).get(str(index)) if index is not None else None
        if found is None and (index is None or channel == "content"):
            last = self._last(channel)
            if last is not None and (not last.said or (text and last.suffix_after(text) == "")):
                found = last
        return found if found is not None else self._open(channel, index, emit)

    def _last(self, channel: str) -> _Paragraph | None:
        return next(reversed(self.channels.setdefault(channel, {}).values()), None)

    def _open(self, channel: str, index: Any, emit: Emitter) -> _Paragraph:
        emit.paragraph_count += 1
        emit.check_limit("max_parts", emit.paragraph_count)
        paragraphs = self.channels[channel]
        key = str(index) if index is not None else f"opened as {len(paragraphs)}"
        opened = paragraphs[key] = _Paragraph(channel)
        return opened

    def add(self, channel: str, index: Any, text: str, emit: Emitter) -> None:
        """Add a piece to one part of a channel."""
        if text:
            self._add_to(self.paragraph(channel, index, emit), channel, text, emit)

    def _add_to(self, paragraph: _Paragraph, channel: str, text: str, emit: Emitter) -> None:
        self.told = self.told or channel
        if self.told != channel:
            paragraph.append_ready(text)
            return
        if paragraph is not self.current and not paragraph.size():
            self._leave(emit)
            if self.part.size():
                self.part.add(_JOINT, emit.out)
        self.current = paragraph
        emit.text(self.part, text, member=paragraph)

    def _leave(self, emit: Emitter) -> None:
        """Tell half a surrogate pair that was left alone: nothing follows in the paragraph told last."""
        if self.current is not None:
            self.current.flush()
        emit.flush(self.part)

    def flush(self, emit: Emitter) -> None:
        """The same for all of them, now that nothing follows at all."""
        self._leave(emit)
        for paragraphs in self.channels.values():
            for paragraph in paragraphs.values():
                paragraph.flush()

    def end(self, channel: str, index: Any, snapshot: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Take a part's own ``.done``, or what is said of the part after it."""
        if text := word(snapshot.get("text")):
            paragraph = self.paragraph(channel, index, emit, text)
            paragraph.said = True
            self._catch_up(paragraph, channel, snapshot, emit, extra)

    def _catch_up(
        self, paragraph: _Paragraph, channel: str, snapshot: dict[str, Any], emit: Emitter, extra: dict[str, Any]
    ) -> None:
        """Bring one part of a channel to what a snapshot of it says."""
        text = snapshot.get("text")
        if not isinstance(text, str):
            return
        others = {name: value for name, value in snapshot.items() if name != "text" and value is not None}
        paragraph.fields.update(copied(others))
        emit.unknown_members(extra, snapshot, _KNOWN_IN_PART, self.part.place)
        rest = paragraph.suffix_after(text)
        if rest is None and text:
            self.reported = True
            contradict(paragraph, text, self.part.place, emit)
        elif rest:
            paragraph.half = ""  # the snapshot has the whole character
            if paragraph is self.current:
                self.part.half = ""
            self._add_to(paragraph, channel, rest, emit)

    def update(self, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        super().update(fields, emit, parts, extra)
        for channel in _TYPES:
            snapshot = fields.get(channel)
            if isinstance(snapshot, str) and snapshot:
                snapshot = [{"text": snapshot}]
            if isinstance(snapshot, JSONArray):
                self.announce(channel, None, emit)
                listed: list[dict[str, Any]] = [item for item in snapshot if isinstance(item, JSONObject)]
                if listed and not self._split_anew(channel, listed, emit):
                    self._catch_up_all(channel, listed, emit, extra)
        self.part.encrypted = word(self.fields.get("encrypted_content"))
        self.part.signature = word(self.fields.get("signature"))

    def _catch_up_all(self, channel: str, listed: list[dict[str, Any]], emit: Emitter, extra: dict[str, Any]) -> None:
        """Bring a channel to what a snapshot of it says, part by part in their order."""
        keys = list(islice(self.channels[channel], len(listed)))
        for number, item in enumerate(listed):
            key = keys[number] if number < len(keys) else f"listed {number}"
            self.announce(channel, key, emit)
            self._catch_up(self.channels[channel][key], channel, item, emit, extra)

    def _split_anew(self, channel: str, listed: list[dict[str, Any]], emit: Emitter) -> bool:
        """Whether the snapshot has the same text in other parts, which are then taken."""
        paragraphs = self.channels[channel]
        if len(listed) == len(paragraphs):
            return False
        whole = "".join(text for item in listed if isinstance(text := item.get("text"), str))
        if not 0 < len(paragraphs) <= len(whole):
            return False
        end = 0
        for paragraph in paragraphs.values():
            end = paragraph.end_in(whole, end)
            if end < 0:
                return False
        if end < len(whole):
            return False
        paragraphs.clear()
        for index, item in enumerate(listed):
            paragraph = self._open(channel, index, emit)
            paragraph.fields.update(copied(item))
            paragraph.replace(str(paragraph.fields.pop("text", "")))
        return True

    def settle(self) -> str | None:
        """Give the part the text that counts, and return it where it is another than what was told."""
        for channel in _TYPES:
            paragraphs = self.channels.get(channel, {}).values()
            if text := _JOINT.join(text for paragraph in paragraphs if (text := paragraph.text())):
                self.part.better = text if text != self.part.text() else None
                break
        return self.part.better

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        channels = {name: [paragraph.native() for paragraph in channel.values()] for name, channel in self.channels.items()}
        return {**self.fields, **channels}
