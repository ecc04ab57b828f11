"""What every dialect does with a payload's members: check their shape, emit events, and keep members that have no event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import LimitExceededError, MalformedStreamError
from ..events import Extra
from ..values import JSONArray, JSONObject, copied
from .merge import merge
from .parts import PartBuilder
from .payload import clean, dumped, replace_lone_surrogates

if TYPE_CHECKING:
    from ..events import Event
    from ..limits import Limits
    from .merge import Changing
    from .parts import CallBuilder
    from .text_buffer import TextBuffer

__all__ = ["Emitter", "arguments_member", "items", "object_member", "objects", "text_member", "typed", "word"]

_B = TypeVar("_B", bound=PartBuilder)
_E = TypeVar("_E")


class Emitter:
    """Appends the events of one stream to ``out``, within the limits, without half surrogate pairs."""

    __slots__ = ("call_count", "has_surrogates", "limits", "out", "paragraph_count")

    def __init__(self, limits: Limits, out: list[Event]) -> None:
        self.limits = limits
        self.out = out
        self.has_surrogates = False  # the payload at hand may hold half a surrogate pair
        self.call_count = self.paragraph_count = 0

    def text(self, part: PartBuilder, piece: str, member: TextBuffer | None = None) -> None:
        """Add a piece to a part, and to the native ``member`` that gathers the same text, and emit it."""
        if self.has_surrogates or part.half:
            if member is not None:
                member.append_ready(piece)
                member = None
            piece = part.ready_part(piece)
        if piece:
            if member is not None:
                member.append(piece)
            part.add(piece, self.out)

    def arguments(self, call: CallBuilder, piece: str) -> None:
        """Add a piece of a call's arguments and emit it. Before the call's start has been emitted, it waits for that.

        Raises:
            MalformedStreamError: `ToolCallFinished` has been emitted for the call.
        """
        if piece and call.complete:
            raise MalformedStreamError("more input for a tool call after its end, when it may have been executed already")
        piece = call.piece(piece)
        if call.announced:
            self.text(call, piece)
        else:
            call.append_ready(piece)

    def flush(self, part: PartBuilder) -> None:
        """Emit U+FFFD for half a surrogate pair whose other half did not come."""
        if part.half:
            part.half = ""
            part.add("\ufffd", self.out)

    def extra(self, store: dict[str, Any], name: str, value: Any, choice: int = 0, part: int | None = None) -> None:
        """Keep the last value of ``name`` and emit it when it first arrives or changes. Null is nothing."""
        value = self.clean(value)
        if value is None or (name in store and store[name] == value):
            return
        store[name] = copied(value)  # the event's own is the caller's to change
        self.out.append(Extra(name, value, choice, part))

    def extra_items(self, store: dict[str, Any], name: str, values: list[Any], choice: int = 0, part: int | None = None) -> None:
        """Add ``values`` to the list of that name and emit them."""
        if values:
            name, values = self.clean(name), self.clean(values)
            store[name] = merge(store.get(name), copied(values))
            self.out.append(Extra(name, values, choice, part))

    def entry(self, store: dict[str, Any], name: str, entry: Changing, value: dict[str, Any], part: int) -> None:
        """Add an entry that may change to the list of that name, and emit it as it is now."""
        store[name] = merge(store.get(name), [entry])
        self.out.append(Extra(name, [value], 0, part))

    def unknown_members(
        self, store: dict[str, Any], fields: dict[str, Any], known: frozenset[str], part: int | None = None
    ) -> None:
        """Emit the members that are not ``known`` as Extra: a provider's own, or newer than this library."""
        if not fields.keys() <= known:
            for name, value in fields.items():
                if name not in known:
                    self.extra(store, name, value, 0, part)

    def clean(self, value: Any) -> Any:
        """``value`` without half surrogate pairs. Deltas go through `text` instead, where a half waits for its other half."""
        return clean(value) if self.has_surrogates else value

    def word(self, parent: dict[str, Any], name: str) -> str | None:
        """The id or the name that stands there, with no half of a surrogate pair in it."""
        value = word(parent.get(name))
        return replace_lone_surrogates(value) if self.has_surrogates and value else value

    def open(self, parts: list[PartBuilder], part: _B) -> _B:
        """Add a part to its choice's, within the limits."""
        self.check_limit("max_parts", len(parts) + 1)
        parts.append(part)
        return part

    def open_call(self, parts: list[PartBuilder], call: CallBuilder) -> None:
        """Add a tool call to its choice's parts, within the limits."""
        self.count_call()
        self.open(parts, call)

    def count_call(self) -> None:
        """Count a tool call, within the limits."""
        self.call_count += 1
        self.check_limit("max_tool_calls", self.call_count)

    def check_limit(self, limit: str, number: int) -> None:
        """Compare a number with the limit of that name.

        Raises:
            LimitExceededError: it is larger.
        """
        allowed = getattr(self.limits, limit)
        if allowed is not None and number > allowed:
            raise LimitExceededError(limit, allowed)


# ---- members of a given shape. Null, missing and empty mean the same, also where a server writes an empty list for an empty
# object. Any other value of another type makes the stream malformed.


def object_member(parent: dict[str, Any], name: str) -> dict[str, Any]:
    """The object ``name``.

    Raises:
        MalformedStreamError: something else stands there.
    """
    value = parent.get(name)
    return value if isinstance(value, JSONObject) else _nothing(name, value, {}, "an object")


def items(parent: dict[str, Any], name: str) -> list[Any]:
    """The items of the array ``name``.

    Raises:
        MalformedStreamError: something else stands there.
    """
    value = parent.get(name)
    return value if isinstance(value, JSONArray) else _nothing(name, value, [], "an array")


def objects(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of the array ``name``; a null or an empty value among them is nothing.

    Raises:
        MalformedStreamError: something else stands there.
    """
    value = parent.get(name)
    return [
        item if isinstance(item, JSONObject) else _nothing(name, item, {}, "an object")
        for item in (value if isinstance(value, JSONArray) else items(parent, name))
        if item is not None
    ]


def text_member(parent: dict[str, Any], name: str) -> str:
    """The string ``name``.

    Raises:
        MalformedStreamError: something else stands there.
    """
    value = parent.get(name)
    return value if isinstance(value, str) else _nothing(name, value, "", "a string")


def word(value: Any) -> str | None:
    """An id, a name, a signature: a string with something in it, or None for whatever else is there."""
    return value if isinstance(value, str) and value else None


def typed(event: str, payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type of an event, and its payload with that type. A payload without one has the event's name for its type."""
    kind = word(payload.get("type"))
    if kind is not None:
        return kind, payload
    kind = replace_lone_surrogates(event)
    return kind, {**payload, "type": kind}


def arguments_member(parent: dict[str, Any], name: str) -> str:
    """A piece of arguments ``name``; some servers send the object itself.

    Raises:
        MalformedStreamError: something else stands there.
    """
    value = parent.get(name)
    return dumped(value) if value and isinstance(value, JSONObject) else text_member(parent, name)


_KINDS: dict[type[Any], str] = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


def _nothing(name: str, value: object, empty: _E, wanted: str) -> _E:
    if not value and (value is False or not isinstance(value, (int, float))):
        return empty
    raise MalformedStreamError(f"{name!r} is {_KINDS[type(value)]} where {wanted} belongs")
