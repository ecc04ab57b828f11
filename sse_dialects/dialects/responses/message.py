"""Messages among the output items of a response: content parts, each with its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...events import Extra
from ...values import JSONArray, JSONObject, copied
from ..emit import object_member, text_member, word
from ..merge import Changing
from ..parts import OtherBuilder, RefusalBuilder, TextBuilder
from .items import Item, catch_up, delta_of, end_of_all, kind_of

if TYPE_CHECKING:
    from ..parts import PartBuilder
    from .items import Gathered

__all__ = ["MessageItem"]

# Members of a content part that are lists, gathered from events and snapshots.
_LISTS = ("annotations", "logprobs")


class Content(Changing):
    """One content part of a message: text or a refusal with what belongs to it, or any other kind as it came.

    Attributes:
        guessed: it was opened by a delta, not by an announcement.
        said: its own ``.done`` has come, so that no delta follows.
        closed: it has ended, or another part was opened after it.
        lists: its annotations and logprobs.
    """

    __slots__ = ("_emitted", "_member", "_output", "closed", "fields", "guessed", "kind", "lists", "part", "said")

    # The member that holds the text, and the builder, by the part's type.
    KINDS: ClassVar[dict[str, tuple[str, type[PartBuilder]]]] = {
        "output_text": ("text", TextBuilder),
        "refusal": ("refusal", RefusalBuilder),
    }
    ALIASES: ClassVar[dict[str, str]] = {"text": "output_text"}  # as some servers call it
    KNOWN: ClassVar[frozenset[str]] = frozenset({"type", "text", "refusal", *_LISTS})

    def __init__(self, output: Gathered, fields: dict[str, Any]) -> None:
        self.fields = copied(fields)
        self.kind = content_kind(fields)
        self._output = output
        self._member, builder = self.KINDS.get(self.kind, ("", None))
        place = len(output.parts)
        part = builder(0, place) if builder is not None else OtherBuilder(0, place, self.fields)
        self.part: PartBuilder = output.emit.open(output.parts, part)
        self.lists: dict[str, list[Any]] = {}
        self.closed = self.guessed = self.said = self._emitted = False

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot of it."""
        if not self._member:
            self._update_other(fields)
            return
        for name, value in fields.items():
            # What is gathered apart is not kept twice; where it is empty, it says that there is such a member.
            if value is not None and (not value or (name != self._member and name not in _LISTS)):
                self.fields[name] = value if name in self.KNOWN else copied(value)
        text = fields.get(self._member)
        if isinstance(text, str):
            catch_up(self.part, text, self._output.emit)
        for name in _LISTS:
            if (snapshot := fields.get(name)) and isinstance(snapshot, JSONArray):
                self.extend(name, snapshot[len(self.lists.get(name, ())) :])
                self.lists[name] = copied(snapshot)  # it counts for more than what came one by one
        self._output.unknown_members(fields, self.KNOWN, self.part.place)

    def _update_other(self, fields: dict[str, Any]) -> None:
        output, place = self._output, self.part.place
        new = {name: value for name, value in fields.items() if value is not None and value != self.fields.get(name)}
        self.fields.update(new)
        if not self._emitted:
            self._emitted = True
            output.emit.entry(output.extra, self.kind, self, copied(self.fields), place)
        elif new:
            output.emit.out.append(Extra(self.kind, [copied(new)], 0, place))

    def extend(self, name: str, values: list[Any]) -> None:
        """Add annotations or logprobs, and emit them."""
        if values:
            self.lists.setdefault(name, []).extend(copied(self._output.emit.clean(values)))
            self._output.extra_items(name, values, self.part.place)

    def native(self) -> dict[str, Any]:
        """The part as it stands in an unstreamed item."""
        native = dict(self.fields)
        if self._member:
            native[self._member] = self.part.text()
        for name in _LISTS:
            if name in self.lists:
                native[name] = self.lists[name]
        return native

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


class MessageItem(Item):
    """A message: content parts by their ``content_index``."""

    __slots__ = ("_by_index", "_by_kind", "_listed", "contents")

    KNOWN: ClassVar[frozenset[str]] = Item.KNOWN | {"content"}
    APART: ClassVar[frozenset[str]] = frozenset({"content"})
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = Content.KNOWN

    def __init__(self, output: Gathered, fields: dict[str, Any]) -> None:
        super().__init__(output, fields)
        self.contents: list[Content] = []
        self._listed: list[dict[str, Any]] | None = None  # the parts of a snapshot that has the same text in other parts
        self._by_index: dict[str, Content] = {}
        self._by_kind: dict[str, list[Content]] | None = None  # once a snapshot's order is another

    @classmethod
    def guess(cls, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """What the item of this event would have been announced with."""
        return {"type": kind, "role": "assistant"}

    # ---- events

    def take_text(self, payload: dict[str, Any]) -> int | None:
        """Take a piece of text, or of nothing but logprobs, which may come after the text's ``.done``."""
        text, logprobs = delta_of(payload), payload.get("logprobs")
        content = self._content_of(payload, "output_text") if text else self._ended_content_of(payload, "output_text", again=True)
        self.output.emit.text(content.part, text)
        if isinstance(logprobs, JSONArray):
            content.extend("logprobs", logprobs)
        return content.part.place

    def take_whole_text(self, payload: dict[str, Any]) -> int | None:
        """Take the whole of a text."""
        return self._take_done(payload, "output_text", {name: payload[name] for name in ("text", "logprobs") if name in payload})

    def take_annotation(self, payload: dict[str, Any]) -> int | None:
        """Take an annotation of a text."""
        content, annotation = self._ended_content_of(payload, "output_text", again=True), payload.get("annotation")
        if annotation is not None:
            content.extend("annotations", [annotation])
        return content.part.place

    def take_refusal(self, payload: dict[str, Any]) -> int | None:
        """Take a piece of a refusal."""
        part = self._content_of(payload, "refusal").part
        self.output.emit.text(part, delta_of(payload))
        return part.place

    def take_whole_refusal(self, payload: dict[str, Any]) -> int | None:
        """Take the whole of a refusal."""
        return self._take_done(payload, "refusal", {"refusal": text_member(payload, "refusal")})

    def take_part(self, payload: dict[str, Any]) -> int | None:
        """A part has been announced, or has ended."""
        fields = object_member(payload, "part")
        if payload["type"].endswith(".done"):
            return self._take_done(payload, content_kind(fields), fields, closes=True)
        content = self._announced(payload.get("content_index"), fields)
        content.update(fields)
        return content.part.place

    def _take_done(self, payload: dict[str, Any], kind: str, fields: dict[str, Any], *, closes: bool = False) -> int:
        text = word(fields.get("text")) or word(fields.get("refusal"))
        content = self._ended_content_of(payload, kind, text, again=closes)
        content.update(fields)
        content.said = True
        content.closed = content.closed or closes
        return content.part.place

    # ---- the content part that an event speaks of

    def announced_content(self, index: Any, kind: str) -> Content | None:
        """The content part that has been announced under that index, if any."""
        return self._by_index.get(f"{kind} {index}")

    def _content_of(self, payload: dict[str, Any], kind: str) -> Content:
        """The content part of that type that a delta adds to.

        An index that nobody announced continues the last open part of the type: some servers count it up at every delta. After
        that part's own ``.done`` it is another part.
        """
        index = payload.get("content_index")
        found = self.announced_content(index, kind)
        if found is None or (found.said and found.guessed):
            last = self._last(kind)
            found = self._keep(index, last) if last is not None and not last.said else self._guess(index, kind)
        return found

    def _ended_content_of(self, payload: dict[str, Any], kind: str, text: str | None = None, *, again: bool = False) -> Content:
        """The content part that an event ends, or says more of.

        An index that nobody announced is the last open part's. After that part's own ``.done`` it is so only for an event that
        comes ``again``, and whose ``text`` is the same.
        """
        index = payload.get("content_index")
        found = self.announced_content(index, kind)
        if found is None:
            last = self._last(kind)
            same = last is not None and (not last.said or (again and (not text or last.part.suffix_after(text) == "")))
            found = self._keep(index, last) if last is not None and same else self._guess(index, kind)
        return found

    def _last(self, kind: str) -> Content | None:
        """The part opened last, if it is open and of that type."""
        last = self.contents[-1] if self.contents else None
        return last if last is not None and last.kind == kind and not last.closed else None

    def _guess(self, index: Any, kind: str) -> Content:
        content = self._open(index, {"type": kind})
        content.guessed = True
        return content

    def _announced(self, index: Any, fields: dict[str, Any]) -> Content:
        """The content part of an announcement: another one, unless that at its index was only guessed or is announced again."""
        kind = content_kind(fields)
        found = self.announced_content(index, kind) if index is not None else self._last(kind)
        if found is not None and found.said:
            text = fields.get("text") or fields.get("refusal")
            found = found if isinstance(text, str) and found.part.suffix_after(text) == "" else None
        if found is None or (index is None and not found.guessed and found.part.size()):
            found = self._open(index, fields)
        found.guessed = False
        return found

    def _open(self, index: Any, fields: dict[str, Any]) -> Content:
        content = Content(self.output, fields)
        if self.contents:
            self.contents[-1].closed = True
        self.contents.append(content)
        if self._by_kind is not None:
            self._by_kind.setdefault(content.kind, []).append(content)
        return self._keep(index, content)

    def _keep(self, index: Any, content: Content) -> Content:
        if index is not None:
            self._by_index[f"{content.kind} {index}"] = content
        return content

    # ---- snapshots

    def update(self, fields: dict[str, Any]) -> None:
        """Take a snapshot of the item; its parts are those that streamed, by order, or by kind and order where kinds differ."""
        super().update(fields)
        listed = fields.get("content")
        if isinstance(listed, str) and listed:
            listed = [{"type": "output_text", "text": listed}]
        if not isinstance(listed, JSONArray):
            return
        snapshot: list[dict[str, Any]] = [part for part in listed if isinstance(part, JSONObject)]
        self._listed = None
        if self._is_regrouped(snapshot):
            snapshot = self._take_regrouped(snapshot)
        for number, (part, matched) in enumerate(zip(snapshot, self._matched(snapshot), strict=True)):
            content = matched or self._open(number, {"type": part.get("type")})
            content.update(part)

    def _is_regrouped(self, snapshot: list[dict[str, Any]]) -> bool:
        """True if the snapshot has the text that streamed, perhaps longer, in another number of parts. Linear in the snapshot."""
        if not snapshot or len(snapshot) == len(self.contents) == 1:
            return False
        texts = _texts_in(snapshot)
        whole = "".join(texts)
        if len(self.contents) > len(whole) + len(snapshot):
            return False
        streamed = self._streamed()
        if len(texts) == len(streamed) or not 0 < len(streamed) <= len(whole):
            return False
        end = end_of_all((content.part for content in streamed), whole)
        return end == len(whole) or (end >= 0 and len(texts) < len(streamed))

    def _take_regrouped(self, snapshot: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Take a snapshot with the text in other parts, and return its parts of other types.

        The native form is the snapshot's; the parts of the answer stay those that streamed.
        """
        self._listed = [dict(part) for part in snapshot]
        streamed = self._streamed()
        last = streamed[-1]
        before = sum(content.part.size() for content in streamed[:-1])
        catch_up(last.part, "".join(_texts_in(snapshot))[before:], self.output.emit)
        for name in _LISTS:
            kept = sum(len(content.lists.get(name, ())) for content in streamed)
            lists = [part[name] for part in snapshot if isinstance(part.get(name), JSONArray)]
            last.extend(name, [item for each in lists for item in each][kept:])
        return [part for part in snapshot if content_kind(part) != "output_text"]

    def _streamed(self) -> list[Content]:
        return [content for content in self.contents if content.kind == "output_text"]

    def _matched(self, snapshot: list[dict[str, Any]]) -> list[Content | None]:
        """The streamed part that each of a snapshot is. Linear in the snapshot, but for one count of what streamed."""
        if all(content.kind == content_kind(part) for content, part in zip(self.contents, snapshot, strict=False)):
            streamed: list[Content | None] = [*self.contents[: len(snapshot)]]
            return streamed + [None] * (len(snapshot) - len(streamed))
        if self._by_kind is None:
            self._by_kind = {}
            for content in self.contents:
                self._by_kind.setdefault(content.kind, []).append(content)
        next_of: dict[str, int] = {}
        matched: list[Content | None] = []
        for kind in map(content_kind, snapshot):
            at, of_kind = next_of.get(kind, 0), self._by_kind.get(kind, [])
            next_of[kind] = at + 1
            matched.append(of_kind[at] if at < len(of_kind) else None)
        return matched

    def native(self) -> dict[str, Any]:
        """The item as it stands in an unstreamed response."""
        contents = self._listed if self._listed is not None else [content.native() for content in self.contents]
        return {**self.fields, "content": contents}


def _texts_in(snapshot: list[dict[str, Any]]) -> list[str]:
    return [str(part.get("text") or "") for part in snapshot if content_kind(part) == "output_text"]


def content_kind(fields: dict[str, Any]) -> str:
    """A content part's type, in the provider's own word."""
    kind = kind_of(fields)
    return Content.ALIASES.get(kind, kind)
