"""Chat content that comes as a list of typed parts instead of a string, put together in native form."""

from __future__ import annotations

from typing import Any

from ...values import JSONArray, JSONObject
from ..merge import MergedObject
from ..text_buffer import TextBuffer

__all__ = ["ContentParts", "part_of", "thinking_member"]

_TEXT_TYPES = ("text", "output_text", "summary_text")

# Where parts of reasoning keep their text, a string or again a list of parts, by their type.
_THINKING_MEMBERS = {"thinking": ("thinking",), "reasoning": ("summary", "reasoning", "text", "content")}


class _Run:
    """Text or thinking that goes on until another kind of part comes. ``inner`` are a thinking run's own parts."""

    __slots__ = ("fields", "inner", "kind", "member", "text")

    def __init__(self, kind: str, member: str) -> None:
        self.kind = kind
        self.member = member
        self.text = TextBuffer()
        self.inner = ContentParts() if kind in _THINKING_MEMBERS else None
        self.fields = MergedObject()  # the part's other members

    def build(self) -> dict[str, Any]:
        """The part as it stands in an unstreamed message."""
        value = self.text.text() if self.inner is None else self.inner.build()
        return {"type": self.kind, self.member: value, **self.fields.build()}


class ContentParts:
    """The parts of one message: runs of text and of thinking joined, any other part as it came."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[_Run | dict[str, Any]] = []

    def add(self, kind: str, text: str, fields: dict[str, Any] | None = None) -> None:
        """Add a piece of a "text" part and the part's other members."""
        run = self._run(kind, kind)
        run.text.append(text)
        if fields:
            run.fields.add(fields)

    @property
    def last_text(self) -> TextBuffer | None:
        """The text of the last part, if that is one of text."""
        last = self._parts[-1] if self._parts else None
        return last.text if isinstance(last, _Run) and last.kind == "text" else None

    def add_thinking(self, piece: dict[str, Any], fields: dict[str, Any]) -> None:
        """Add a piece of a part of reasoning and the part's other members."""
        member = thinking_member(piece) or ""
        run, inner = self._run(piece["type"], member), piece[member]
        assert run.inner is not None
        for part in inner if isinstance(inner, JSONArray) else [inner]:
            kind, text, others = part_of(part)
            if kind == "text":
                run.inner.add(kind, text, others)
            elif isinstance(part, JSONObject):
                run.inner.add_other(part)
        run.fields.add(fields)

    def _run(self, kind: str, member: str) -> _Run:
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Run) or (last.kind, last.member) != (kind, member):
            last = _Run(kind, member)
            self._parts.append(last)
        return last

    def add_other(self, part: dict[str, Any]) -> None:
        """Add a part of any other type."""
        self._parts.append(part)

    def build(self) -> list[dict[str, Any]]:
        """The list as it stands in an unstreamed message."""
        return [part.build() if isinstance(part, _Run) else part for part in self._parts]


def part_of(part: Any) -> tuple[str, str, dict[str, Any]]:
    """``(kind, text, other members)`` of a part, which may also be a bare string. The kind is "text", "thinking", or "" for any
    other; a thinking part's text is that of its text parts."""
    if isinstance(part, str):
        return "text", part, {}
    kind = part.get("type") if isinstance(part, JSONObject) else None
    if kind in _TEXT_TYPES and isinstance(part.get("text"), str):
        return "text", part["text"], _others(part, "text")
    if isinstance(kind, str) and (member := thinking_member(part)) is not None:
        others = {name: value for name, value in part.items() if value is not None and name not in ("type", member)}
        return "thinking", _text_in(part[member]), others
    return "", "", {}


def thinking_member(part: dict[str, Any]) -> str | None:
    """The member of a part of reasoning that holds its text, None where there is none."""
    members = _THINKING_MEMBERS.get(part["type"], ())
    return next((name for name in members if isinstance(part.get(name), (str, JSONArray))), None)


def _text_in(thinking: str | list[Any]) -> str:
    if isinstance(thinking, str):
        return thinking
    inner = [part_of(part) for part in thinking]
    return "".join(text for kind, text, _ in inner if kind == "text")


def _others(part: dict[str, Any], kind: str) -> dict[str, Any]:
    """The members beside the text; the type among them where it is another word for the kind."""
    known = {"type": kind, kind: part[kind]}
    return {name: value for name, value in part.items() if value is not None and known.get(name) != value}
