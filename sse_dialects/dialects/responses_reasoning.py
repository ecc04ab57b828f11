"""Reasoning among the output items of a response: a summary in parts, the full text in parts, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..values import JSONArray, JSONObject
from .parts import Pieces
from .responses_items import Item, contradict
from .telling import word

if TYPE_CHECKING:
    from .parts import PartBuilder, ReasoningBuilder
    from .telling import Teller

__all__ = ["ReasoningItem"]

_JOINT = "\n\n"  # between the parts of one channel, which are paragraphs
_TYPES = {"content": "reasoning_text", "summary": "summary_text"}  # the full text first: it counts for more
_KNOWN_IN_PART = frozenset({"type", "text"})


class _Paragraph(Pieces):
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

    def __init__(self, fields: dict[str, Any], number: int, part: ReasoningBuilder) -> None:
        super().__init__({name: value for name, value in fields.items() if name not in _TYPES}, number)
        self.part = part
        self.channels: dict[str, dict[str, _Paragraph]] = {}
        self.told: str | None = None
        self.current: _Paragraph | None = None
        self.reported = False  # a snapshot that contradicts what was told

    @property
    def place(self) -> int | None:
        """The place of its part."""
        return self.part.place

    def announce(self, channel: str, index: Any = None) -> None:
        """A channel, or a part of it, has been opened, empty as yet."""
        paragraphs = self.channels.setdefault(channel, {})
        if index is not None:
            paragraphs.setdefault(str(index), _Paragraph(channel))

    def announce_part(self, channel: str, index: Any, snapshot: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """A part of a channel has been announced. Without an index it is another than the last one, if that has any text."""
        last = self._last(channel)
        self.announce(channel, index)
        if index is None and last is not None and last.size():
            self._open(channel, None)
        if word(snapshot.get("text")):
            self._catch_up(self.paragraph(channel, index), channel, snapshot, tell, extra)

    def paragraph(self, channel: str, index: Any, text: str | None = None) -> _Paragraph:
        """One part of a channel, opened where it is new.

        Without an index it is the last one, and so it is in the full text under one that nobody announced: some servers count it
        up at every delta. After a part's own ``.done`` it is another part, unless ``text`` is what that part has already.
        """
        found = self.channels.setdefault(channel, {}).get(str(index)) if index is not None else None
        if found is None and (index is None or channel == "content"):
            last = self._last(channel)
            found = last if last is not None and (not last.said or last.rest_of(text or "-") == "") else None
        return found if found is not None else self._open(channel, index)

    def _last(self, channel: str) -> _Paragraph | None:
        return next(reversed(self.channels.setdefault(channel, {}).values()), None)

    def _open(self, channel: str, index: Any) -> _Paragraph:
        paragraphs = self.channels[channel]
        key = str(index) if index is not None else f"opened as {len(paragraphs)}"
        opened = paragraphs[key] = _Paragraph(channel)
        return opened

    def add(self, channel: str, index: Any, text: str, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
        """Add a piece to one part of a channel."""
        if text:
            self._add_to(self.paragraph(channel, index), channel, text, tell, path)

    def _add_to(self, paragraph: _Paragraph, channel: str, text: str, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
        self.told = self.told or channel
        if self.told != channel:
            paragraph.gather(text)
            tell.cold = True
            return
        if paragraph is not self.current and not paragraph.size():
            self._leave(tell)
            if self.part.size():
                tell.out.append(self.part.add(_JOINT))
        self.current = paragraph
        tell.text(self.part, text, path, paragraph)

    def _leave(self, tell: Teller) -> None:
        """Tell half a surrogate pair that was left alone: nothing follows in the paragraph told last."""
        if self.current is not None:
            self.current.flush()
        tell.flush(self.part)

    def flush(self, tell: Teller) -> None:
        """The same for all of them, now that nothing follows at all."""
        self._leave(tell)
        for paragraphs in self.channels.values():
            for paragraph in paragraphs.values():
                paragraph.flush()

    def end(self, channel: str, index: Any, snapshot: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take a part's own ``.done``, or what is said of the part after it."""
        if text := word(snapshot.get("text")):
            paragraph = self.paragraph(channel, index, text)
            paragraph.said = True
            self._catch_up(paragraph, channel, snapshot, tell, extra)

    def _catch_up(
        self, paragraph: _Paragraph, channel: str, snapshot: dict[str, Any], tell: Teller, extra: dict[str, Any]
    ) -> None:
        """Bring one part of a channel to what a snapshot of it says."""
        snapshot = tell.clean(snapshot)
        text = snapshot.get("text")
        if not isinstance(text, str):
            return
        paragraph.fields.update((name, value) for name, value in snapshot.items() if name != "text" and value is not None)
        tell.rest(extra, snapshot, _KNOWN_IN_PART, self.part.place)
        rest = paragraph.rest_of(text)
        if rest is None and text:
            self.reported = True
            contradict(paragraph, text, self.part.place, tell)
        elif rest:
            paragraph.half = ""  # the snapshot has the whole character
            if paragraph is self.current:
                self.part.half = ""
            self._add_to(paragraph, channel, rest, tell)

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        super().update({name: value for name, value in fields.items() if name not in _TYPES}, tell, parts, extra)
        for channel in _TYPES:
            snapshot = fields.get(channel)
            if isinstance(snapshot, str) and snapshot:
                snapshot = [{"text": snapshot}]
            if isinstance(snapshot, JSONArray):
                self.announce(channel)
                listed: list[dict[str, Any]] = [item for item in snapshot if isinstance(item, JSONObject)]
                if not self._split_anew(channel, listed):
                    self._catch_up_all(channel, listed, tell, extra)
        self.part.encrypted = word(self.fields.get("encrypted_content"))
        self.part.signature = word(self.fields.get("signature"))

    def _catch_up_all(self, channel: str, listed: list[dict[str, Any]], tell: Teller, extra: dict[str, Any]) -> None:
        """Bring a channel to what a snapshot of it says, part by part in their order."""
        keys = list(self.channels[channel])
        for number, item in enumerate(listed):
            key = keys[number] if number < len(keys) else f"listed {number}"
            self.announce(channel, key)
            self._catch_up(self.channels[channel][key], channel, item, tell, extra)

    def _split_anew(self, channel: str, listed: list[dict[str, Any]]) -> bool:
        """Whether the snapshot has the same text in other parts, which are then taken."""
        paragraphs = self.channels[channel]
        whole = "".join(text for item in listed if isinstance(text := item.get("text"), str))
        if len(listed) == len(paragraphs) or not 0 < len(paragraphs) <= len(whole):
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
            self.announce(channel, index)
            paragraph = self.paragraph(channel, index)
            paragraph.fields.update(item)
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
