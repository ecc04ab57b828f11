"""Messages among the output items of a response: content parts, each with its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...events import Extra
from ...values import JSONArray, JSONObject, copied
from ..merge import Changing
from ..parts import OtherBuilder, RefusalBuilder, TextBuilder
from .items import Item, catch_up, kind_of

if TYPE_CHECKING:
    from ..emit import Emitter
    from ..parts import PartBuilder

__all__ = ["Content", "MessageItem", "content_kind"]


class Content(Changing):
    """One content part of a message: text or a refusal with what belongs to it, or any other kind as it came.

    ``guessed``: it was opened by a delta, not by an announcement. ``said``: its own ``.done`` has come, so that no delta follows.
    ``closed``: it has ended, or another part was opened after it.
    """

    __slots__ = ("_told", "annotations", "closed", "fields", "guessed", "kind", "logprobs", "part", "said")

    # The member that holds the text, and the builder, by the part's type.
    KINDS: ClassVar[dict[str, tuple[str, type[PartBuilder]]]] = {
        "output_text": ("text", TextBuilder),
        "refusal": ("refusal", RefusalBuilder),
    }
    ALIASES: ClassVar[dict[str, str]] = {"text": "output_text"}  # as some servers call it
    KNOWN: ClassVar[frozenset[str]] = frozenset({"type", "text", "refusal", "annotations", "logprobs"})

    def __init__(self, fields: dict[str, Any], part: PartBuilder) -> None:
        self.fields = fields
        self.kind = content_kind(fields)
        self.part = part
        self.annotations: list[Any] = []
        self.logprobs: list[Any] = []
        self.closed = False
        self.guessed = False
        self.said = False
        self._told = False

    def update(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        """Take a snapshot of it."""
        if self.kind not in self.KINDS:
            self._update_other(fields, emit, extra)
            return
        member = self.KINDS[self.kind][0]
        for name, value in fields.items():
            # What is gathered apart is not kept twice; where it is empty, it says that there is such a member.
            if value is not None and (not value or name not in (member, "annotations", "logprobs")):
                self.fields[name] = value if name in self.KNOWN else copied(value)
        text = fields.get(member)
        if isinstance(text, str):
            catch_up(self.part, text, emit)
        if fields.get("annotations"):
            self.annotations = self._grown(self.annotations, "annotations", fields, emit, extra)
        if fields.get("logprobs"):
            self.logprobs = self._grown(self.logprobs, "logprobs", fields, emit, extra)
        if not fields.keys() <= self.KNOWN:
            emit.unknown_members(extra, fields, self.KNOWN, self.part.place)

    def _update_other(self, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> None:
        new = {name: value for name, value in fields.items() if value is not None and value != self.fields.get(name)}
        self.fields.update(new)
        if not self._told:
            self._told = True
            emit.entry(extra, self.kind, self, copied(self.fields), self.part.place)
        elif new:
            emit.out.append(Extra(self.kind, [copied(new)], 0, self.part.place))
        if isinstance(self.part, OtherBuilder):
            self.part.native = self.fields

    def _grown(self, kept: list[Any], name: str, fields: dict[str, Any], emit: Emitter, extra: dict[str, Any]) -> list[Any]:
        """A snapshot's list counts for more than what came one by one, an empty one aside; its items beyond that are new."""
        snapshot = fields.get(name)
        if not isinstance(snapshot, JSONArray):
            return kept
        emit.extra_items(extra, name, snapshot[len(kept) :], 0, self.part.place)
        whole: list[Any] = copied(snapshot)
        return whole

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

    def build(self) -> dict[str, Any]:
        """The same."""
        return self.native()


class MessageItem(Item):
    """A message: content parts by their ``content_index``."""

    __slots__ = ("_by_index", "_by_kind", "contents", "listed")

    KNOWN: ClassVar[frozenset[str]] = Item.KNOWN | {"content"}
    APART: ClassVar[frozenset[str]] = frozenset({"content"})
    KNOWN_IN_PARTS: ClassVar[frozenset[str]] = Content.KNOWN

    def __init__(self, fields: dict[str, Any], number: int) -> None:
        super().__init__(fields, number)
        self.contents: list[Content] = []
        self.listed: list[dict[str, Any]] | None = None  # the parts of a snapshot that has the same text in other parts
        self._by_index: dict[str, Content] | None = None
        self._by_kind: dict[str, list[Content]] | None = None  # once a snapshot's order is another

    def content(self, index: Any, kind: str, emit: Emitter, parts: list[PartBuilder]) -> Content:
        """The content part that a delta of that index and type adds to.

        An index that nobody announced continues the last open part of the type: some servers count it up at every delta. After
        that part's own ``.done`` it is another part.
        """
        found = self.announced_content(index, kind)
        if found is None or (found.said and found.guessed):
            last = self._last(kind)
            if last is None or last.said:
                return self._guess(index, kind, emit, parts)
            found = self._keep(index, last)
        return found

    def content_done(
        self, index: Any, kind: str, text: str | None, emit: Emitter, parts: list[PartBuilder], *, again: bool = False
    ) -> Content:
        """The content part that an event ends, or says more of.

        An index that nobody announced is the last open part's. After that part's own ``.done`` it is so only for an event that
        comes ``again``, and whose ``text`` is the same.
        """
        found = self.announced_content(index, kind)
        if found is None:
            last = self._last(kind)
            same = last is not None and (not last.said or (again and (not text or last.part.suffix_after(text) == "")))
            found = self._keep(index, last) if last is not None and same else self._guess(index, kind, emit, parts)
        return found

    def _last(self, kind: str) -> Content | None:
        """The part opened last, if it is open and of that type."""
        last = self.contents[-1] if self.contents else None
        return last if last is not None and last.kind == kind and not last.closed else None

    def _guess(self, index: Any, kind: str, emit: Emitter, parts: list[PartBuilder]) -> Content:
        content = self.open(index, {"type": kind}, emit, parts)
        content.guessed = True
        return content

    def announce(self, index: Any, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder]) -> Content:
        """The content part of an announcement: another one, unless that at its index was only guessed or is announced again."""
        kind = content_kind(fields)
        found = self.announced_content(index, kind) if index is not None else self._last(kind)
        if found is not None and found.said and not _repeats(found, fields):
            found = None
        if found is not None and index is None and not found.guessed and found.part.size():
            found = None
        content = found or self.open(index, fields, emit, parts)
        content.guessed = False
        return content

    def open(self, index: Any, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder]) -> Content:
        """A content part that has been announced, or one of its own for want of an announcement."""
        fields = copied(fields)
        kind, place = content_kind(fields), len(parts)
        known = Content.KINDS.get(kind)
        part: PartBuilder = known[1](0, place) if known is not None else OtherBuilder(0, place, fields)
        content = Content(fields, emit.open(parts, part))
        if self.contents:
            self.contents[-1].closed = True
        self.contents.append(content)
        if self._by_kind is not None:
            self._by_kind.setdefault(kind, []).append(content)
        return self._keep(index, content)

    def _keep(self, index: Any, content: Content) -> Content:
        if index is not None:
            if self._by_index is None:
                self._by_index = {}
            self._by_index[f"{content.kind} {index}"] = content
        return content

    def announced_content(self, index: Any, kind: str) -> Content | None:
        """The content part that has been announced under that index, if any."""
        return self._by_index.get(f"{kind} {index}") if self._by_index is not None else None

    def update(self, fields: dict[str, Any], emit: Emitter, parts: list[PartBuilder], extra: dict[str, Any]) -> None:
        """Take a snapshot of the item; its parts are those that streamed, by order, or by kind and order where kinds differ."""
        super().update(fields, emit, parts, extra)
        listed = fields.get("content")
        if isinstance(listed, str) and listed:
            listed = [{"type": "output_text", "text": listed}]
        if not isinstance(listed, JSONArray):
            return
        snapshot: list[dict[str, Any]] = [part for part in listed if isinstance(part, JSONObject)]
        self.listed = None
        if not snapshot:
            return
        if self._is_regrouped(snapshot):
            snapshot = self._take_regrouped(snapshot, emit, extra)
        for number, (part, matched) in enumerate(zip(snapshot, self._matched(snapshot), strict=True)):
            content = matched or self.open(number, {"type": part.get("type")}, emit, parts)
            content.update(part, emit, extra)

    def _is_regrouped(self, snapshot: list[dict[str, Any]]) -> bool:
        """True if the snapshot has the text that streamed, perhaps longer, in another number of parts. Linear in the snapshot."""
        if len(snapshot) == len(self.contents) == 1:
            return False
        texts = _texts_in(snapshot)
        whole, end = "".join(texts), 0
        if len(self.contents) > len(whole) + len(snapshot):
            return False
        streamed = [content for content in self.contents if content.kind == "output_text"]
        if len(texts) == len(streamed) or not 0 < len(streamed) <= len(whole):
            return False
        for content in streamed:
            end = content.part.end_in(whole, end)
            if end < 0:
                return False
        return end == len(whole) or len(texts) < len(streamed)

    def _take_regrouped(self, snapshot: list[dict[str, Any]], emit: Emitter, extra: dict[str, Any]) -> list[dict[str, Any]]:
        """Take a snapshot with the text in other parts, and return its parts of other types.

        The native form is the snapshot's; the parts of the answer stay those that streamed.
        """
        self.listed = [dict(part) for part in snapshot]
        streamed = [content for content in self.contents if content.kind == "output_text"]
        catch_up(streamed[-1].part, "".join(_texts_in(snapshot))[sum(each.part.size() for each in streamed[:-1]) :], emit)
        for name in ("annotations", "logprobs"):
            kept = sum(len(getattr(content, name)) for content in streamed)
            lists = [part[name] for part in snapshot if isinstance(part.get(name), JSONArray)]
            new = [item for each in lists for item in each][kept:]
            emit.extra_items(extra, name, new, 0, streamed[-1].part.place)
            getattr(streamed[-1], name).extend(copied(new))
        return [part for part in snapshot if content_kind(part) != "output_text"]

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
        return {
            **self.fields,
            "content": [dict(part) for part in self.listed]
            if self.listed is not None
            else [content.native() for content in self.contents],
        }


def _texts_in(snapshot: list[dict[str, Any]]) -> list[str]:
    return [str(part.get("text") or "") for part in snapshot if content_kind(part) == "output_text"]


def _repeats(content: Content, fields: dict[str, Any]) -> bool:
    """True if a part is announced again with the text that it has."""
    text = fields.get("text") or fields.get("refusal")
    return isinstance(text, str) and content.part.suffix_after(text) == ""


def content_kind(fields: dict[str, Any]) -> str:
    """A content part's type, in the provider's own word."""
    kind = kind_of(fields)
    return Content.ALIASES.get(kind, kind)
