"""What every dialect does with a payload's members: check their shape, tell them as events, keep what has no word of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import LimitExceededError, MalformedStreamError
from ..events import Extra
from ..values import JSONArray, JSONObject
from .joined import joined
from .parts import PartBuilder
from .payload import dumped, scrubbed, settled

if TYPE_CHECKING:
    from ..events import Event
    from ..limits import Limits
    from .joined import Live
    from .parts import CallBuilder, Pieces

__all__ = ["Hot", "Teller", "arguments_member", "items", "object_member", "objects", "text_member", "typed", "word"]

_B = TypeVar("_B", bound=PartBuilder)
_E = TypeVar("_E")


class Hot:
    """What a frame did when all it did was to add one string to one part.

    ``path`` leads to the string in the payload. The same frame with another string there adds that one, to ``part`` and
    to ``member``, the native member it came under, where that is gathered apart.
    """

    __slots__ = ("member", "part", "path")

    def __init__(self, path: tuple[str | int, ...], part: PartBuilder, member: Pieces | None) -> None:
        self.path = path
        self.part = part
        self.member = member


class Teller:
    """The events of one stream on their way out, and the state that telling them needs."""

    __slots__ = ("call_count", "cold", "halves", "hot", "limits", "out")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.out: list[Event] = []
        self.halves = False  # the payload at hand may hold half a surrogate pair
        self.hot: Hot | None = None
        self.cold = False  # the payload did something that doing it again would not leave as it is
        self.call_count = 0

    def text(self, part: PartBuilder, piece: str, path: tuple[str | int, ...] = (), member: Pieces | None = None) -> None:
        """Add a piece to a part and tell it. ``path`` is where the payload holds it, ``member`` gathers it natively."""
        if self.halves or part.half:
            if member is not None:
                member.gather(piece)
                member = None
            piece = part.settle(piece)
        elif path:
            self.hot = Hot(path, part, member)
        if piece:
            if member is not None:
                member.append(piece)
            self.out.append(part.add(piece))

    def arguments(self, call: CallBuilder, piece: str, path: tuple[str | int, ...] = ()) -> None:
        """The same for a piece of a call's arguments; what comes ahead of the call's start is told with that.

        Raises:
            MalformedStreamError: the call has been told to be whole.
        """
        if piece and call.complete:
            raise MalformedStreamError("more input for a tool call after its end, when it may have been executed already")
        piece = call.piece(piece)
        self.cold = self.cold or bool(call.held) or not call.announced
        if call.announced:
            self.text(call, piece, path)
        else:
            call.gather(piece)

    def flush(self, part: PartBuilder) -> None:
        """Tell half a pair that was left alone."""
        if part.half:
            part.half = ""
            self.out.append(part.add("\ufffd"))

    def extra(self, store: dict[str, Any], name: str, value: Any, choice: int = 0, part: int | None = None) -> None:
        """Keep the last value of ``name`` and tell it when it first arrives or changes. Null is nothing."""
        value = self.clean(value)
        if value is None or (name in store and store[name] == value):
            return
        store[name] = value
        self.out.append(Extra(name, value, choice, part))

    def extra_items(self, store: dict[str, Any], name: str, values: list[Any], choice: int = 0, part: int | None = None) -> None:
        """Add ``values`` to the list of that name and tell them."""
        if values:
            self.cold = True
            name, values = self.clean(name), self.clean(values)
            store[name] = joined(store.get(name), values)
            self.out.append(Extra(name, values, choice, part))

    def entry(self, store: dict[str, Any], name: str, entry: Live, value: dict[str, Any], part: int) -> None:
        """Add an entry that may change to the list of that name, and tell it as it is now."""
        self.cold = True
        store[name] = joined(store.get(name), [entry])
        self.out.append(Extra(name, [value], 0, part))

    def rest(self, store: dict[str, Any], fields: dict[str, Any], known: frozenset[str], part: int | None = None) -> None:
        """Tell the members that are not ``known``: a provider's own, or newer than this library."""
        if not fields.keys() <= known:
            for name, value in fields.items():
                if name not in known:
                    self.extra(store, name, value, 0, part)

    def clean(self, value: Any) -> Any:
        """``value`` with no half of a surrogate pair in it; deltas go through `text` instead, where halves wait."""
        return scrubbed(value) if self.halves else value

    def word(self, parent: dict[str, Any], name: str) -> str | None:
        """The id or the name that stands there, with no half of a surrogate pair in it."""
        value = word(parent.get(name))
        return settled(value) if self.halves and value else value

    def open(self, parts: list[PartBuilder], part: _B) -> _B:
        """Add a part to its choice's, within the limits."""
        self.check("max_parts", len(parts) + 1)
        parts.append(part)
        return part

    def open_call(self, parts: list[PartBuilder], call: CallBuilder) -> None:
        """The same for a tool call."""
        self.call_count += 1
        self.check("max_tool_calls", self.call_count)
        self.open(parts, call)

    def check(self, limit: str, number: int) -> None:
        """Hold a number against the bound of that name.

        Raises:
            LimitExceededError: it is larger.
        """
        allowed = getattr(self.limits, limit)
        if allowed is not None and number > allowed:
            raise LimitExceededError(limit, allowed)


# ---- members of a given shape. Null, missing and empty are one, also where a server writes an empty list for an empty object;
# anything else is no stream of the dialect.


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
    return [
        item if isinstance(item, JSONObject) else _nothing(name, item, {}, "an object")
        for item in items(parent, name)
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
    """The type of a named event, and its payload with that on it: one that does not say its type has the event's name for it."""
    kind = word(payload.get("type"))
    if kind is not None:
        return kind, payload
    kind = settled(event)
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
