"""Native members that arrive in pieces, put together the way the official SDKs do it."""

from __future__ import annotations

from typing import Any

from ..values import JSONArray, JSONObject
from .text_buffer import TextBuffer

__all__ = ["Changing", "MergedAudio", "MergedLogprobs", "MergedObject", "continued", "merge", "snapshot"]

# Members that name a thing rather than being a piece of it: repeating them adds nothing.
_NAMES = frozenset({"id", "type", "index", "format", "role", "name"})

# What only the provider can read: sent whole and perhaps repeated, or in pieces.
_OPAQUE = frozenset({"signature", "encrypted_content"})


class Changing:
    """Something in a store of extras that still changes; an answer holds what it is at that moment."""

    __slots__ = ()

    def build(self) -> dict[str, Any]:
        """It as it is now, in plain JSON types."""
        raise NotImplementedError


class MergedObject(Changing):
    """An object whose string members are joined and whose lists grow, piece by piece; other members: the last value counts."""

    __slots__ = ("_members",)

    def __init__(self) -> None:
        self._members: dict[str, Any] = {}

    def add(self, fields: dict[str, Any]) -> None:
        """Add one piece. Null members are nothing."""
        for name, value in fields.items():
            if value is not None:
                self._members[name] = self._put_together(name, self._members.get(name), value)

    def _put_together(self, name: str, before: Any, value: Any) -> Any:
        if name in _NAMES:
            return value
        if name not in _OPAQUE or not isinstance(value, str):
            return merge(before, value)
        opaque = before if isinstance(before, TextBuffer) else TextBuffer()
        opaque.grow(value)
        return opaque

    def get(self, name: str) -> Any:
        """A member as it is now, or None."""
        return snapshot(self._members.get(name))

    def raw(self, name: str) -> Any:
        """A member as it is gathered: `TextBuffer`, a list, a `MergedObject`, or another plain value; None where nothing came."""
        return self._members.get(name)

    def gathered(self, name: str) -> TextBuffer | None:
        """What a string of that name is appended to, or None where it is not."""
        value = self._members.get(name)
        return value if isinstance(value, TextBuffer) and name not in _OPAQUE else None

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __bool__(self) -> bool:
        return bool(self._members)

    def build(self) -> dict[str, Any]:
        """The object as it is now, in plain JSON types."""
        return {name: snapshot(value) for name, value in self._members.items()}


class MergedAudio(MergedObject):
    """Audio for those who play it: its data comes in pieces of base64, each padded for itself, so these are listed."""

    __slots__ = ()

    def _put_together(self, name: str, before: Any, value: Any) -> Any:
        if name == "data":
            return merge(before, [value])
        return merge(before, value) if name == "transcript" else value


class MergedLogprobs(MergedObject):
    """Lists of token logprobs, under ``content`` and ``refusal`` or whatever a server calls them; of all else the last counts."""

    __slots__ = ()

    def _put_together(self, name: str, before: Any, value: Any) -> Any:
        return merge(before, value) if isinstance(value, JSONArray) else value


class _Grown(list[Any]):
    """A list that is ours to extend; one that came in a payload may be shared with an event."""

    __slots__ = ()

    def __init__(self, before: Any = None) -> None:
        before = snapshot(before)
        super().__init__(before if isinstance(before, JSONArray) else [] if before is None else [before])


def merge(before: Any, value: Any) -> Any:
    """``value`` joined to what came before under the same name, in a form that `snapshot` turns into plain JSON."""
    if isinstance(value, str):
        pieces = before if isinstance(before, TextBuffer) else TextBuffer()
        pieces.append(value)
        return pieces
    if isinstance(value, JSONArray):
        grown = before if isinstance(before, _Grown) else _Grown(before)
        grown.extend(value)
        return grown
    if isinstance(value, JSONObject):
        fields = before if isinstance(before, MergedObject) else MergedObject()
        fields.add(value)
        return fields
    return value


def continued(name: str, before: Any, value: Any) -> Any:
    """A member that came whole at first, ``before``, and then again, or in pieces that `MergedObject` made ``value`` of."""
    if not (isinstance(before, str) and isinstance(value, str)) or name in _NAMES:
        return value
    return value if name in _OPAQUE and value.startswith(before) else before + value


def snapshot(value: Any) -> Any:
    """The plain JSON of a value that `merge` made, and any other value as it is."""
    if isinstance(value, TextBuffer):
        return value.text()
    if isinstance(value, Changing):
        return value.build()
    if isinstance(value, _Grown):
        return [item.build() if isinstance(item, Changing) else item for item in value]
    return value
