"""Reasoning among the output items of a response: a summary in parts, the full text in parts, or both."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from ...events import Extra
from ...values import JSONArray, JSONObject, copied
from ..emit import object_member, text_member, word
from ..parts import ReasoningBuilder
from ..text_buffer import TextBuffer
from .items import Item, contradict, delta_of, end_of_all

if TYPE_CHECKING:
    from .items import Gathered

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
    """Reasoning in two channels, the summary and the full text.

    Deltas are emitted for the channel that comes first. The answer has the full text where it came, else the summary.
    """

    __slots__ = ("_channels", "_emitted", "_reported", "current", "part")

    KNOWN: ClassVar[frozenset[str]] = Item.KNOWN | {"summary", "content"}
    APART: ClassVar[frozenset[str]] = frozenset(_TYPES)
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = _KNOWN_IN_PART

    def __init__(self, output: Gathered, fields: dict[str, Any]) -> None:
        self.part = output.emit.open(output.parts, ReasoningBuilder(0, len(output.parts)))
        super().__init__(output, fields, self.part.place)
        self._channels: dict[str, dict[str, _Paragraph]] = {}
        self._emitted: str | None = None  # the channel whose deltas are emitted
        self.current: _Paragraph | None = None  # the paragraph that was added to last
        self._reported = False  # a snapshot that contradicts what was emitted

    # ---- events

    def take_delta(self, payload: dict[str, Any]) -> int | None:
        """Take a piece of one part of a channel."""
        if text := delta_of(payload):
            channel, index = _channel_of(payload)
            self._add(self._paragraph(channel, index), channel, text)
        return self.place

    def take_done(self, payload: dict[str, Any]) -> int | None:
        """Take the whole text of a part."""
        self._end(*_channel_of(payload), {"text": text_member(payload, "text")})
        return self.place

    def take_part(self, payload: dict[str, Any]) -> int | None:
        """A part has been announced, or has ended."""
        part, (channel, index) = object_member(payload, "part"), _channel_of(payload)
        if payload["type"].endswith(".added"):
            self._announce_part(channel, index, part)
        else:
            self._announce(channel, None)
            self._end(channel, index, part)
        return self.place

    def _announce(self, channel: str, index: Any) -> None:
        """A channel, or a part of it if it has an index, has been opened, empty as yet."""
        paragraphs = self._channels.setdefault(channel, {})
        if index is not None and str(index) not in paragraphs:
            self._open(channel, index)

    def _announce_part(self, channel: str, index: Any, snapshot: dict[str, Any]) -> None:
        """A part of a channel has been announced. Without an index it is another than the last one, if that has any text."""
        last = self._last(channel)
        self._announce(channel, index)
        if index is None and last is not None and last.size():
            self._open(channel, None)
        if word(snapshot.get("text")):
            self._catch_up(self._paragraph(channel, index), channel, snapshot)

    def _end(self, channel: str, index: Any, snapshot: dict[str, Any]) -> None:
        if text := word(snapshot.get("text")):
            paragraph = self._paragraph(channel, index, text)
            paragraph.said = True
            self._catch_up(paragraph, channel, snapshot)

    # ---- paragraphs

    def _paragraph(self, channel: str, index: Any, text: str = "") -> _Paragraph:
        """One part of a channel, opened where it is new.

        Without an index it is the last one, and so it is in the full text under one that nobody announced: some servers count it
        up at every delta. After a part's own ``.done`` it is another part, unless ``text`` is what that part has already.
        """
        found = self._channels.setdefault(channel, {}).get(str(index)) if index is not None else None
        if found is None and (index is None or channel == "content"):
            last = self._last(channel)
            if last is not None and (not last.said or (text and last.suffix_after(text) == "")):
                found = last
        return found if found is not None else self._open(channel, index)

    def _last(self, channel: str) -> _Paragraph | None:
        return next(reversed(self._channels.setdefault(channel, {}).values()), None)

    def _open(self, channel: str, index: Any) -> _Paragraph:
        emit, paragraphs = self.output.emit, self._channels[channel]
        emit.paragraph_count += 1
        emit.check_limit("max_parts", emit.paragraph_count)
        key = str(index) if index is not None else f"opened as {len(paragraphs)}"
        opened = paragraphs[key] = _Paragraph(channel)
        return opened

    def _add(self, paragraph: _Paragraph, channel: str, text: str) -> None:
        emit = self.output.emit
        self._emitted = self._emitted or channel
        if self._emitted != channel:
            paragraph.append_ready(text)
            return
        if paragraph is not self.current and not paragraph.size():
            self._leave_current()
            if self.part.size():
                self.part.add(_JOINT, emit.out)
        self.current = paragraph
        emit.text(self.part, text, member=paragraph)

    def _leave_current(self) -> None:
        """Emit half a surrogate pair that was left alone: nothing follows in the current paragraph."""
        if self.current is not None:
            self.current.flush()
        self.output.emit.flush(self.part)

    # ---- snapshots

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        super().update(fields)
        for channel in _TYPES:
            snapshot = fields.get(channel)
            if isinstance(snapshot, str) and snapshot:
                snapshot = [{"text": snapshot}]
            if isinstance(snapshot, JSONArray):
                self._announce(channel, None)
                listed: list[dict[str, Any]] = [part for part in snapshot if isinstance(part, JSONObject)]
                if listed and not self._split_anew(channel, listed):
                    self._catch_up_all(channel, listed)
        self.part.encrypted = word(self.fields.get("encrypted_content"))
        self.part.signature = word(self.fields.get("signature"))

    def _catch_up_all(self, channel: str, listed: list[dict[str, Any]]) -> None:
        """Bring a channel to what a snapshot of it says, part by part in their order."""
        keys = list(islice(self._channels[channel], len(listed)))
        for number, part in enumerate(listed):
            key = keys[number] if number < len(keys) else f"listed {number}"
            self._announce(channel, key)
            self._catch_up(self._channels[channel][key], channel, part)

    def _catch_up(self, paragraph: _Paragraph, channel: str, snapshot: dict[str, Any]) -> None:
        """Bring one part of a channel to what a snapshot of it says."""
        text = snapshot.get("text")
        if not isinstance(text, str):
            return
        others = {name: value for name, value in snapshot.items() if name != "text" and value is not None}
        paragraph.fields.update(copied(others))
        self.output.unknown_members(snapshot, _KNOWN_IN_PART, self.place)
        rest = paragraph.suffix_after(text)
        if rest is None and text:
            self._reported = True
            contradict(paragraph, text, self.part.place, self.output.emit)
        elif rest:
            paragraph.half = ""  # the snapshot has the whole character
            if paragraph is self.current:
                self.part.half = ""
            self._add(paragraph, channel, rest)

    def _split_anew(self, channel: str, listed: list[dict[str, Any]]) -> bool:
        """Whether the snapshot has the same text in other parts, which are then taken."""
        paragraphs = self._channels[channel]
        if len(listed) == len(paragraphs):
            return False
        whole = "".join(text for part in listed if isinstance(text := part.get("text"), str))
        if not 0 < len(paragraphs) <= len(whole) or end_of_all(paragraphs.values(), whole) != len(whole):
            return False
        paragraphs.clear()
        for index, part in enumerate(listed):
            paragraph = self._open(channel, index)
            paragraph.fields.update(copied(part))
            paragraph.replace(str(paragraph.fields.pop("text", "")))
        return True

    # ---- the end and the answer

    def finish(self) -> None:
        """Nothing follows: emit what was held back, and report a text that is another than what was emitted."""
        self._leave_current()
        for paragraphs in self._channels.values():
            for paragraph in paragraphs.values():
                paragraph.flush()
        self.choose_text()
        if self.part.better is not None and not self._reported:
            self.output.emit.out.append(Extra("snapshot", self.part.better, 0, self.place))

    def choose_text(self) -> None:
        """Give the part the text that counts, where it is another than what was emitted."""
        for channel in _TYPES:
            paragraphs = self._channels.get(channel, {}).values()
            if text := _JOINT.join(text for paragraph in paragraphs if (text := paragraph.text())):
                self.part.better = text if text != self.part.text() else None
                break

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        channels = {name: [paragraph.native() for paragraph in channel.values()] for name, channel in self._channels.items()}
        return {**self.fields, **channels}


def _channel_of(payload: dict[str, Any]) -> tuple[str, Any]:
    """The channel of the reasoning that an event speaks of, and which part of it."""
    if payload["type"].startswith("response.reasoning_summary"):
        return "summary", payload.get("summary_index")
    return "content", payload.get("content_index")
