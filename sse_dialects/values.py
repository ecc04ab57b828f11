"""What events and answers have in common: small slotted values that compare, hash, print and turn into plain JSON.

They are not dataclasses: `@dataclass(slots=True)` creates an event as fast (0.35 and 0.39 microseconds), but importing
`dataclasses` and building 20 such classes makes importing the package take about 1.8 times as long.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["JSONArray", "JSONObject", "Value", "copied", "plain", "replaced"]

if TYPE_CHECKING:

    class JSONObject(dict[str, Any]):
        """What `isinstance` against a dict means for a value that json.loads gave."""

    class JSONArray(list[Any]):
        """What `isinstance` against a list means for a value that json.loads gave."""

else:
    JSONObject, JSONArray = dict, list

_IMMUTABLE = frozenset({str, int, float, bool, type(None)})

_V = TypeVar("_V", bound="Value")

_SHOWN = 60  # characters of a member in a repr: enough to recognise it, too few to fill a log with model text


class Value:
    """A value with the members named in ``__match_args__``, in that order.

    It is not declared here as ``tuple[str, ...]``, for then some type checkers know no members to match by position.
    """

    __slots__ = ()
    __match_args__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The members under their own names, in plain JSON types."""
        return {name: plain(getattr(self, name)) for name in _members(self)}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _members(self))

    def __hash__(self) -> int:
        """Of the members as they are now, those of lists and dicts included. A value in a set must not change any more."""
        return hash((type(self), *(_hashable(getattr(self, name)) for name in _members(self))))

    def __repr__(self) -> str:
        members = (f"{name}={_short(getattr(self, name))}" for name in _members(self))
        return f"{type(self).__name__}({', '.join(members)})"


def _members(value: Value) -> tuple[str, ...]:
    return value.__match_args__


def _hashable(value: Any) -> Any:
    """A hashable object for plain JSON or a `Value`. Equal values have equal ones."""
    if isinstance(value, JSONArray):
        return tuple([_hashable(item) for item in value])
    if isinstance(value, JSONObject):
        return frozenset([(name, _hashable(item)) for name, item in value.items()])
    return value


def replaced(value: _V, **members: Any) -> _V:
    """A copy of a value with other ``members``."""
    kind = type(value)
    copy = kind.__new__(kind)
    for name in _members(value):
        setattr(copy, name, members[name] if name in members else getattr(value, name))
    return copy


def plain(value: Any) -> Any:
    """``value`` with every `Value` in it turned into a dict. A number that JSON has no word for is None, as other writers of JSON
    have it."""
    if isinstance(value, Value):
        return value.to_dict()
    if isinstance(value, JSONArray):
        return [plain(item) for item in value]
    if isinstance(value, JSONObject):
        return {key: plain(item) for key, item in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def copied(value: Any) -> Any:
    """A deep copy of plain JSON."""
    if isinstance(value, JSONObject):
        copy = value.copy()
        for name, item in value.items():
            if type(item) not in _IMMUTABLE:
                copy[name] = copied(item)
        return copy
    if isinstance(value, JSONArray):
        return [item if type(item) in _IMMUTABLE else copied(item) for item in value]
    return value


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 4]}...{shown[-1]}"
