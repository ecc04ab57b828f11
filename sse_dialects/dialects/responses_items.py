"""Output items of a response: one class a kind, each gathering what the events bring and giving its native form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import MalformedStreamError
from ..events import Extra
from ..values import JSONArray, JSONObject
from .joined import Joined
from .parts import CallBuilder, OtherBuilder, PartBuilder, Pieces, ReasoningBuilder, RefusalBuilder, TextBuilder
from .payload import shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .telling import Teller

__all__ = ["CallItem", "Item", "MessageItem", "OtherItem", "ReasoningItem", "opened"]


class Item:
    """An output item. ``fields`` is its latest native form, without what is gathered from deltas."""

    __slots__ = ("announced", "done", "fields")

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.announced = True  # rather than guessed from a delta that came without it
        self.done = False

    @property
    def kind(self) -> str:
        """Its type, which does not change."""
        return str(self.fields.get("type"))

    @property
    def names(self) -> set[str]:
        """The ids it goes by."""
        return {name for member in ("id", "call_id") if (name := _word(self.fields.get(member)))}

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot: members that say something replace, and text that the deltas did not bring is told."""
        for name, value in tell.clean(fields).items():
            if name not in self.fields or value not in (None, "", [], {}):
                self.fields[name] = value

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return dict(self.fields)


def catch_up(part: PartBuilder, snapshot: str, tell: Teller) -> None:
    """Bring a part to what a snapshot says: one that extends it gives one more delta, one that contradicts it replaces the
    text without a delta and is reported."""
    snapshot = tell.clean(snapshot)
    rest = part.rest_of(snapshot)
    if rest is None and snapshot:
        contradict(part, snapshot, part.place, tell)
    elif rest:
        part.half = ""  # the snapshot has the whole character
        tell.text(part, rest)


def contradict(pieces: Pieces, snapshot: str, place: int, tell: Teller) -> None:
    """Put a snapshot in place of text that has been told."""
    pieces.replace(snapshot)
    tell.out.append(Extra("snapshot", snapshot, 0, place))


class Content:
    """One content part of a message: text or a refusal with what belongs to it, or any other kind as it came."""

    __slots__ = ("annotations", "closed", "fields", "logprobs", "part")

    # The member that holds the text, and the builder, by the part's type.
    KINDS: ClassVar[dict[str, tuple[str, type[PartBuilder]]]] = {
        "output_text": ("text", TextBuilder),
        "refusal": ("refusal", RefusalBuilder),
    }

    def __init__(self, fields: dict[str, Any], part: PartBuilder) -> None:
        self.fields = fields
        self.part = part
        self.annotations: list[Any] = []
        self.logprobs: list[Any] = []
        self.closed = False

    @property
    def kind(self) -> str:
        """The part's type."""
        return str(self.fields.get("type"))

    def update(self, fields: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """Take a snapshot of it."""
        gathered = ("annotations", "logprobs", self.KINDS.get(str(fields.get("type", self.kind)), ("",))[0])
        for name, value in tell.clean(fields).items():
            if value is not None and (not value or name not in gathered):  # what is empty says that there is such a member
                self.fields[name] = value
        if self.kind in self.KINDS:
            text = fields.get(self.KINDS[self.kind][0])
            if isinstance(text, str):
                catch_up(self.part, text, tell)
        elif isinstance(self.part, OtherBuilder):
            self.part.native = dict(self.fields)
        self._grow(self.annotations, "annotations", fields, tell, extra)
        self._grow(self.logprobs, "logprobs", fields, tell, extra)

    def _grow(self, kept: list[Any], name: str, fields: dict[str, Any], tell: Teller, extra: dict[str, Any]) -> None:
        """A snapshot's list has at least what came one by one: the items beyond are new."""
        listed = fields.get(name)
        if isinstance(listed, JSONArray) and len(listed) > len(kept):
            new = tell.clean(listed[len(kept) :])
            kept.extend(new)
            tell.extra_items(extra, name, new, 0, self.part.place)

    def native(self) -> dict[str, Any]:
        """The part as it stands in an unstreamed item."""
        native = dict(self.fields)
        if self.kind in self.KINDS:
            native[self.KINDS[self.kind][0]] = self.part.text()
        if self.annotations:
            native["annotations"] = list(self.annotations)
        if self.logprobs:
            native["logprobs"] = list(self.logprobs)
        return native


class MessageItem(Item):
    """A message: content parts by their ``content_index``."""

    __slots__ = ("_by_index", "contents")

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__({name: value for name, value in fields.items() if name != "content"})
        self.contents: list[Content] = []
        self._by_index: dict[str, Content] | None = None

    def content(self, index: Any, kind: str, tell: Teller, parts: list[PartBuilder]) -> Content:
        """The content part of that index and type. An index that nobody announced continues the last open part of the type:
        some servers count it up at every delta."""
        key = f"{kind} {index}"
        found = self.announced_content(index, kind)
        if found is None:
            last = self.contents[-1] if self.contents else None
            if last is not None and last.kind == kind and not last.closed:
                found = last
                self._keep(key, last)
            else:
                found = self.open(index, {"type": kind}, tell, parts)
        return found

    def open(self, index: Any, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder]) -> Content:
        """A content part that has been announced, or one of its own for want of an announcement."""
        fields = dict(tell.clean(fields))
        kind = str(fields.get("type"))
        place = len(parts)
        known = Content.KINDS.get(kind)
        part: PartBuilder = known[1](0, place) if known is not None else OtherBuilder(0, place, fields)
        content = Content(fields, tell.open(parts, part))
        if self.contents:
            self.contents[-1].closed = True
        self.contents.append(content)
        self._keep(f"{kind} {index}", content)
        return content

    def _keep(self, key: str, content: Content) -> None:
        if self._by_index is None:
            self._by_index = {}
        self._by_index[key] = content

    def announced_content(self, index: Any, kind: str) -> Content | None:
        """The content part that has been announced under that index, if any."""
        return self._by_index.get(f"{kind} {index}") if self._by_index is not None else None

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        super().update({name: value for name, value in fields.items() if name != "content"}, tell, parts, extra)
        listed = fields.get("content")
        if not isinstance(listed, JSONArray):
            return
        streamed: dict[str, Iterator[Content]] = {}  # of each kind: the first listed is the first that streamed
        for number, part in enumerate(item for item in listed if isinstance(item, JSONObject)):
            kind = str(part.get("type"))
            if kind not in streamed:
                streamed[kind] = iter([content for content in self.contents if content.kind == kind])
            content = next(streamed[kind], None)
            if content is None:
                content = self.open(f"snapshot {number}", {"type": part.get("type")}, tell, parts)
            content.update(part, tell, extra)

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return {**self.fields, "content": [content.native() for content in self.contents]}


class ReasoningItem(Item):
    """Reasoning: a summary in parts, the full text in parts, or both. Told is the channel that comes first; the answer has
    the full text where it came. Parts of one channel are paragraphs, so a blank line joins them."""

    __slots__ = ("channels", "part", "told")

    def __init__(self, fields: dict[str, Any], part: ReasoningBuilder) -> None:
        super().__init__({name: value for name, value in fields.items() if name not in ("summary", "content")})
        self.part = part
        self.channels: dict[str, dict[str, Pieces]] = {}
        if "summary" in fields:
            self.channels["summary"] = {}
        self.told: str | None = None

    def paragraph(self, channel: str, index: Any) -> Pieces:
        """One part of a channel, opened where it is new."""
        paragraphs = self.channels.setdefault(channel, {})
        pieces = paragraphs.get(str(index))
        if pieces is None:
            pieces = paragraphs[str(index)] = Pieces()
        return pieces

    def announce(self, channel: str, index: Any) -> None:
        """A part of a channel has been opened, empty as yet."""
        self.channels.setdefault(channel, {})

    def add(self, channel: str, index: Any, text: str, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
        """Add a piece to one part of a channel."""
        if not text:
            return
        before = self.channels.get(channel, {})
        last = next(reversed(before.values()), None) if str(index) not in before else None
        pieces = self.paragraph(channel, index)
        self.told = self.told or channel
        if self.told != channel:
            pieces.gather(text)
            tell.cold = True
            return
        if last is not None:
            last.flush()
            tell.flush(self.part)
            if self.part.size():
                tell.out.append(self.part.add("\n\n"))
        tell.text(self.part, text, path, pieces)

    def flush(self, tell: Teller) -> None:
        """Tell half a surrogate pair that was left alone, now that nothing follows."""
        for paragraphs in self.channels.values():
            for pieces in paragraphs.values():
                pieces.flush()
        tell.flush(self.part)

    def catch_up(self, channel: str, index: Any, snapshot: str, tell: Teller) -> None:
        """Bring one part of a channel to what a snapshot says."""
        snapshot = tell.clean(snapshot)
        pieces = self.channels.get(channel, {}).get(str(index))
        rest = snapshot if pieces is None else pieces.rest_of(snapshot)
        if pieces is not None and rest is None and snapshot:
            contradict(pieces, snapshot, self.part.place, tell)
        elif rest:
            if pieces is not None:  # the snapshot has the whole character
                pieces.half = self.part.half = ""
            self.add(channel, index, rest, tell)

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        rest = {name: value for name, value in fields.items() if name not in ("summary", "content")}
        super().update(rest, tell, parts, extra)
        for channel in ("content", "summary"):
            listed = fields.get(channel)
            if isinstance(listed, JSONArray):
                self.channels.setdefault(channel, {})
                for index, item in enumerate(listed):
                    if isinstance(item, JSONObject) and isinstance(item.get("text"), str):
                        self.catch_up(channel, index, item["text"], tell)
        self.part.encrypted = _word(self.fields.get("encrypted_content"))
        self.part.signature = _word(self.fields.get("signature"))

    def _better(self) -> str | None:
        """The answer's text, where it is another than what was told: the full text if there is any, else the summary."""
        for channel in ("content", "summary"):
            if text := "\n\n".join(pieces.text() for pieces in self.channels.get(channel, {}).values() if pieces.text()):
                return text if text != self.part.text() else None
        return None

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        self.part.better = self._better()
        types = {"summary": "summary_text", "content": "reasoning_text"}
        texts = {
            channel: [{"type": types[channel], "text": pieces.text()} for pieces in paragraphs.values()]
            for channel, paragraphs in self.channels.items()
        }
        return {**self.fields, **texts}


class CallItem(Item):
    """A call that the client is asked to make, with JSON arguments or free-text input."""

    __slots__ = ("member", "part")

    MEMBERS: ClassVar[dict[str, str]] = {"function_call": "arguments", "custom_tool_call": "input"}

    def __init__(self, fields: dict[str, Any], part: CallBuilder) -> None:
        self.member = self.MEMBERS[str(fields["type"])]
        super().__init__({name: value for name, value in fields.items() if name != self.member})
        self.part = part

    def update(self, fields: dict[str, Any], tell: Teller, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item."""
        super().update({name: value for name, value in fields.items() if name != self.member}, tell, parts, extra)
        self.part.id = self.part.id or _word(self.fields.get("call_id")) or _word(self.fields.get("id"))
        self.part.name = self.part.name or _word(self.fields.get("name"))
        if self.part.name:
            tell.out.extend(self.part.announce())
        arguments = fields.get(self.member)
        if isinstance(arguments, str):
            self.catch_up(arguments, tell)

    def add(self, text: str, tell: Teller, path: tuple[str | int, ...] = ()) -> None:
        """Add a piece of arguments."""
        if text and self.part.complete:
            raise MalformedStreamError("more input for a tool call after its end, when it may have been executed already")
        if self.part.announced:
            tell.text(self.part, text, path)
        else:
            self.part.gather(text)

    def catch_up(self, snapshot: str, tell: Teller) -> None:
        """Bring the arguments to what a snapshot says."""
        if self.part.complete:
            snapshot = tell.clean(snapshot)
            if snapshot and self.part.rest_of(snapshot) != "":
                contradict(self.part, snapshot, self.part.place, tell)
        elif self.part.announced:
            catch_up(self.part, snapshot, tell)
        elif snapshot:
            self.part.replace(snapshot)

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        return {**self.fields, self.member: self.part.text()}


class OtherItem(Item):
    """Any other item: hosted tools, MCP, shell, computer use, types newer than this library. ``joined`` gathers the members
    that come in pieces."""

    __slots__ = ("joined", "part")

    def __init__(self, fields: dict[str, Any], part: OtherBuilder) -> None:
        super().__init__(fields)
        self.part = part
        self.joined = Joined()

    def add(self, member: str, text: str) -> None:
        """Add a piece of a member's text."""
        self.joined.add({member: text})

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        native = {**self.joined.build(), **{name: value for name, value in self.fields.items() if value not in (None, "")}}
        self.part.native = native
        return native


def opened(fields: dict[str, Any], parts: list[PartBuilder], tell: Teller) -> Item:
    """A new item of the kind that ``fields`` says, with its part where it has exactly one."""
    kind, place = str(fields.get("type")), len(parts)
    if kind == "message":
        return MessageItem(shared(tell.clean(fields)))
    if kind == "reasoning":
        return ReasoningItem(shared(tell.clean(fields)), tell.open(parts, ReasoningBuilder(0, place)))
    if kind in CallItem.MEMBERS:
        id = tell.word(fields, "call_id") or tell.word(fields, "id")
        call = CallBuilder(0, place, id, tell.word(fields, "name"), "custom" if kind == "custom_tool_call" else "function")
        tell.open_call(parts, call)
        return CallItem(shared(tell.clean(fields)), call)
    return OtherItem(dict(tell.clean(fields)), tell.open(parts, OtherBuilder(0, place, fields)))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
