"""Chat content that comes as a list of typed parts instead of a string, put together in native form."""

from __future__ import annotations

from typing import Any

from ..values import JSONArray, JSONObject
from .parts import Pieces

__all__ = ["ContentParts", "text_of", "thinking_of"]


class ContentParts:
    """The parts of one message: runs of text and of thinking joined, any other part as it came."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[tuple[str, Pieces | dict[str, Any]]] = []

    def add(self, kind: str, text: str) -> None:
        """Add a piece of a "text" or "thinking" part."""
        last_kind, last = self._parts[-1] if self._parts else ("", None)
        if last_kind != kind or not isinstance(last, Pieces):
            last = Pieces()
            self._parts.append((kind, last))
        last.append(text)

    def add_other(self, part: dict[str, Any]) -> None:
        """Add a part of any other type."""
        self._parts.append(("", part))

    def build(self) -> list[dict[str, Any]]:
        """The list as it stands in an unstreamed message."""
        return [_native(kind, part) for kind, part in self._parts]


def text_of(part: Any) -> str | None:
    """The text of a text part, which may also be a bare string; None for other parts."""
    if isinstance(part, str):
        return part
    if part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str):
        return str(part["text"])
    return None


def thinking_of(part: dict[str, Any]) -> str | None:
    """The text of a thinking part, a string or again a list of text parts; None for other parts."""
    if part.get("type") != "thinking":
        return None
    thinking = part.get("thinking")
    if isinstance(thinking, str):
        return thinking
    if not isinstance(thinking, JSONArray):
        return None
    return "".join(text for item in thinking if isinstance(item, (str, JSONObject)) and (text := text_of(item)))


def _native(kind: str, part: Pieces | dict[str, Any]) -> dict[str, Any]:
    if not isinstance(part, Pieces):
        return part
    if kind == "thinking":
        return {"type": "thinking", "thinking": [{"type": "text", "text": part.text()}]}
    return {"type": "text", "text": part.text()}
