"""Tool calls of a chat stream: which call a piece belongs to, and what it adds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..values import JSONObject
from .joined import Joined
from .parts import CallBuilder, Pieces
from .payload import dumped

if TYPE_CHECKING:
    from ..answer import ToolCall, ToolCallKind

__all__ = ["Calls", "ChatCall", "Piece", "word"]

# Members of a call's element that the vocabulary has words for; others (a provider's signatures, say) are kept beside them.
_KNOWN = frozenset({"index", "id", "type", "function", "custom"})


class Piece:
    """One element of ``delta.tool_calls``, or a legacy ``function_call``, with null and empty members read as missing."""

    __slots__ = ("arguments", "id", "index", "kind", "name", "other")

    def __init__(self, element: dict[str, Any]) -> None:
        custom = element.get("type") == "custom" or isinstance(element.get("custom"), JSONObject)
        self.kind: ToolCallKind = "custom" if custom else "function"
        body = element.get(self.kind)
        fields: dict[str, Any] = body if isinstance(body, JSONObject) else {}
        self.index = _index(element.get("index"))
        self.id = word(element.get("id"))
        self.name = word(fields.get("name"))
        self.arguments = _arguments(fields.get("input" if custom else "arguments"))
        self.other = {name: value for name, value in element.items() if name not in _KNOWN and value is not None}

    @property
    def empty(self) -> bool:
        """Whether it says nothing: some servers pad every chunk with such elements."""
        return not (self.id or self.name or self.arguments or self.other)


class ChatCall(CallBuilder):
    """A call with what its native form needs besides."""

    __slots__ = ("_checked", "_full_name", "index", "legacy", "other")

    def __init__(self, choice: int, place: int, piece: Piece) -> None:
        super().__init__(choice, place, piece.id, piece.name, piece.kind)
        self.index = piece.index
        self.legacy = False  # it came as `function_call`
        self.other = Joined()
        self._full_name = Pieces()
        self._checked = 0

    def rename(self, name: str | None) -> None:
        """A repeated name is the same name, a growing one is joined."""
        if name is not None:
            self.name = self.name or name
            rest = self._full_name.rest_of(name)
            self._full_name.append(name if rest is None else rest)

    def goes_by(self, name: str) -> bool:
        """Whether that is the call's name as it is so far."""
        return self._full_name.rest_of(name) == ""

    def has_whole_arguments(self) -> bool:
        """Whether the arguments are a whole JSON object. Asked again only once they have doubled, so linear in all."""
        if not self.ends_with("}") or self.size() < 2 * self._checked:
            return False
        self._checked = self.size()
        try:
            return isinstance(json.loads(self.text()), JSONObject)
        except (ValueError, RecursionError):
            return False

    def build(self) -> ToolCall:
        """The call so far."""
        self.name = self._full_name.text() or None
        return super().build()

    def native(self) -> dict[str, Any]:
        """The call as it stands in an unstreamed message."""
        arguments = "input" if self.kind == "custom" else "arguments"
        body = {"name": self._full_name.text() or None, arguments: self.text()}
        if self.legacy:
            return body
        return {"id": self.id, "type": self.kind, self.kind: body, **self.other.build()}


class Calls:
    """The calls of one choice.

    A piece's ``index`` names its call; without one its ``id`` does, else it continues the call opened last. Indexes are names,
    not list positions: a large one costs nothing.
    """

    __slots__ = ("_by_id", "_by_index", "_sorted", "legacy", "opened")

    def __init__(self) -> None:
        self.opened: list[ChatCall] = []
        self.legacy: ChatCall | None = None
        self._by_index: dict[int | str, ChatCall] = {}
        self._by_id: dict[str, ChatCall] = {}
        self._sorted: list[ChatCall] | None = None

    def find(self, piece: Piece, *, first: bool) -> ChatCall | None:
        """The open call that ``piece`` continues, or None where it opens another. ``first``: it is its delta's first element."""
        if piece.index is not None:
            call = self._by_index.get(piece.index)
        elif piece.id is not None and piece.id in self._by_id:
            return self._by_id[piece.id]
        else:
            call = self.opened[-1] if self.opened else None
        if call is None or self._opens_another(call, piece, first=first):
            return None
        return call

    def _opens_another(self, call: ChatCall, piece: Piece, *, first: bool) -> bool:
        if piece.name is None:
            return False
        if piece.id is not None and call.id is not None:
            return piece.id != call.id
        if piece.index is None and piece.id is None and not first:
            return True  # elements of one delta are different calls
        # Servers that send neither ids nor indexes send whole calls: a name after whole arguments is the next call's.
        return (
            piece.id is None
            and call.name is not None
            and (piece.index is None or not call.goes_by(piece.name))
            and call.has_whole_arguments()
        )

    def open(self, call: ChatCall) -> ChatCall:
        """Note a new call."""
        self.opened.append(call)
        self._sorted = None
        if call.index is not None:
            self._by_index[call.index] = call
        self.learn_id(call, call.id)
        return call

    def learn_id(self, call: ChatCall, id: str | None) -> None:
        """The first id binds; a changed one still names the call."""
        if id is not None:
            call.id = call.id or id
            self._by_id.setdefault(id, call)

    def with_id(self, id: str | None) -> ChatCall | None:
        """The call of that id, if any."""
        return None if id is None else self._by_id.get(id)

    def at(self, place: int) -> ChatCall | None:
        """The call at that place of `in_order`, if any."""
        return self.in_order()[place] if place < len(self.opened) else None

    def in_order(self) -> list[ChatCall]:
        """By index; calls without one count as if numbered in the order of their opening."""
        if self._sorted is None:
            numbered = [(call.index if isinstance(call.index, int) else place, call) for place, call in enumerate(self.opened)]
            self._sorted = [call for _, call in sorted(numbered, key=lambda row: row[0])]
        return self._sorted


def _index(value: Any) -> int | str | None:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else value or None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def word(value: Any) -> str | None:
    """An id or a name: a string with something in it, or None for whatever else is there."""
    return value if isinstance(value, str) and value else None


def _arguments(value: Any) -> str:
    """Arguments as text; some servers send the object itself."""
    return "" if value is None else value if isinstance(value, str) else dumped(value)
