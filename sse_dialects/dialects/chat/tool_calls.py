"""Tool calls of a chat stream: which call a piece belongs to, and what it adds."""

from __future__ import annotations

import json
from bisect import insort
from typing import TYPE_CHECKING, Any

from ...values import JSONObject
from ..emit import object_member, word
from ..merge import MergedObject
from ..parts import CallBuilder
from ..payload import as_json
from ..text_buffer import TextBuffer

if TYPE_CHECKING:
    from ...answer import ToolCall, ToolCallKind

__all__ = ["ARGUMENTS", "Calls", "ChatCall", "Piece", "arguments_in", "id_of", "index_of"]

# Where a call's arguments stand in its body, by the kind of the call, which is the body's name too.
ARGUMENTS: dict[ToolCallKind, str] = {"function": "arguments", "custom": "input"}

# Members of a call's element that the vocabulary has words for; others (a provider's signatures, say) are kept beside them.
_KNOWN = frozenset({"index", "id", "type", "function", "custom"})
_KNOWN_IN_BODY = frozenset({"name", *ARGUMENTS.values()})
_NOTHING: dict[str, Any] = {}

_MAX_CHECKED = 1 << 20  # characters; arguments seldom have more than some thousands
_MIN_SNAPSHOTS = 3  # two pieces of which the second begins with the first may be a chance
_MAX_DIGITS = 20  # of a number sent as a string; a longer one stays the string that it is


class Piece:
    """One element of ``delta.tool_calls``, or a legacy ``function_call``, with null and empty members read as missing."""

    __slots__ = ("arguments", "id", "index", "kind", "name", "other", "other_in_body", "sent_id")

    def __init__(self, element: dict[str, Any]) -> None:
        custom = element.get("type") == "custom" or isinstance(element.get("custom"), JSONObject)
        self.kind: ToolCallKind = "custom" if custom else "function"
        body = object_member(element, self.kind)
        index, id, name, arguments = (element.get("index"), element.get("id"), body.get("name"), body.get(ARGUMENTS[self.kind]))
        self.index = index if type(index) is int else index_of(index)
        self.id = None if id is None else id_of(id)
        self.sent_id = "" if id == "" else self.id
        self.name = None if name is None else word(name)
        self.arguments = arguments if isinstance(arguments, str) else arguments_in(body, self.kind)
        self.other = _NOTHING if element.keys() <= _KNOWN else _others(element, _KNOWN)
        self.other_in_body = _NOTHING if body.keys() <= _KNOWN_IN_BODY else _others(body, _KNOWN_IN_BODY)

    def is_empty(self) -> bool:
        """Whether it says nothing: some servers pad every chunk with such elements."""
        return not (self.id or self.name or self.arguments or self.other or self.other_in_body)


class ChatCall(CallBuilder):
    """A call with what its native form needs besides."""

    __slots__ = ("_checked", "_growing", "_others", "_snapshot", "_snapshot_count", "index", "legacy", "number", "shares_index")

    def __init__(self, choice: int, place: int, piece: Piece, *, legacy: bool = False) -> None:
        super().__init__(choice, place, piece.sent_id, piece.name, piece.kind)
        self.index = piece.index
        self.number = 0  # its place among the calls
        self.legacy = legacy  # it came as `function_call`
        self.shares_index = False  # with a call that was opened before
        self._growing: TextBuffer | None = None  # a name that comes in pieces
        # Members that the vocabulary has no words for: the call's own, and its function's.
        self._others: tuple[MergedObject, MergedObject] | None = None
        self._checked = 0  # characters of arguments that were parsed to see whether they are whole
        # The last piece of the arguments, as long as each piece may be all of them so far: some servers send them so.
        self._snapshot: str | None = "" if self.kind == "function" else None
        self._snapshot_count = 0

    def add_others(self, piece: Piece) -> None:
        """Add the members of a piece that the vocabulary has no words for."""
        if self._others is None:
            self._others = (MergedObject(), MergedObject())
        self._others[0].add(piece.other)
        self._others[1].add(piece.other_in_body)

    def rename(self, name: str) -> None:
        """Take the name in a piece: a repeated one is the same name, a growing one is joined."""
        if self.name is None:
            self.name = name
        elif self._growing is not None or name != self.name:
            if self._growing is None:
                self._growing = TextBuffer()
                self._growing.append(self.name)
            self._growing.grow(name)

    def goes_by(self, name: str) -> bool:
        """Whether that is the call's name as it is so far."""
        return name == self.name if self._growing is None else self._growing.suffix_after(name) == ""

    def has_whole_arguments(self) -> bool:
        """Whether the arguments are a whole JSON object. Asking costs as much as they are long, so all the asking about one
        call has a bound that grows with it; past that the answer is no."""
        if self.held:
            return True
        if not self.ends_with("}") or self._checked > _MAX_CHECKED + 8 * self.size():
            return False
        self._checked += self.size()
        return _object_in(self.text()) is not None

    def is_said_again(self, piece: Piece, *, at_the_end: bool = False) -> bool:
        """Whether a piece names the call, or comes at the end of its choice, and has all the arguments once more, as some servers
        end with the whole call. After a whole object no more can follow, so that adds nothing."""
        named = at_the_end if piece.name is None else self.goes_by(piece.name)
        return named and self.suffix_after(piece.arguments) == "" and self.has_whole_arguments()

    @property
    def may_be_snapshots(self) -> bool:
        """Whether each piece of the arguments may have been all of them so far."""
        return self._snapshot is not None

    def note_snapshot(self, piece: str) -> None:
        """Note a piece of the arguments, as long as each may be all of them so far: it begins with the one before it, or is an
        object with all its members."""
        if self._snapshot is not None:
            goes_on = piece.startswith(self._snapshot) or _has_all_members(self._snapshot, piece)
            self._snapshot = piece if goes_on else None
            self._snapshot_count += 1

    def replace_by_last_snapshot(self) -> bool:
        """Put the last piece in place of all of them, where each was all of the arguments so far. True if that is so."""
        last = self._snapshot
        if last is None or self._snapshot_count < _MIN_SNAPSHOTS:
            return False
        is_so = _object_in(last) is not None and _object_in(self.text()) is None
        if is_so:
            self.replace(last)
        return is_so

    def build(self) -> ToolCall:
        """The call so far."""
        self._join_name()
        return super().build()

    def _join_name(self) -> None:
        if self._growing is not None:
            self.name = self._growing.text()

    def native(self) -> dict[str, Any]:
        """The call as it stands in an unstreamed message."""
        self._join_name()
        body: dict[str, Any] = {"name": self.name, ARGUMENTS[self.kind]: self.text()}
        native = body if self.legacy else {"id": self.id, "type": self.kind, self.kind: body}
        if self._others is not None:
            others, others_in_body = self._others
            body.update(others_in_body.build())
            if not self.legacy:
                native.update(others.build())
        return native


def _has_all_members(before: str, after: str) -> bool:
    """Whether both are objects, and the second has all members of the first."""
    old = _object_in(before) if after.lstrip()[:1] == "{" else None
    new = _object_in(after) if old is not None else None
    return old is not None and new is not None and old.keys() <= new.keys()


class Calls:
    """The calls of one choice.

    A piece's ``index`` names its call; without one its ``id`` does, else it continues the call opened last. Indexes are names,
    not list positions: a large one costs nothing.
    """

    __slots__ = ("_by_id", "_by_index", "in_order", "legacy", "opened")

    def __init__(self) -> None:
        self.opened: list[ChatCall] = []
        self.legacy: ChatCall | None = None
        # By `_key`: a dict keyed by numbers that a server chose can be made to take quadratic time.
        self._by_index: dict[str, ChatCall] = {}
        self._by_id: dict[str, ChatCall] = {}
        self.in_order: list[ChatCall] = []  # by index; a call without one counts as if numbered in the order of opening

    def find(self, piece: Piece, *, first: bool) -> ChatCall | None:
        """The open call that ``piece`` continues, or None where it opens another. ``first``: it is its delta's first element."""
        named = self._by_id.get(piece.id) if piece.id is not None else None
        if piece.index is None:
            if named is not None:
                return None if _begins_anew(named, piece) else named
            call = self.opened[-1] if self.opened else None
        else:
            key = _key(piece.index)
            call = self._by_index.get(key)
            # Where several calls have one index, or one call several, the id decides.
            if named is not None and (named.index == piece.index if call else _goes_on(named, piece)):
                if _begins_anew(named, piece):
                    return None
                self._by_index.setdefault(key, named)
                return named
            if call is None and piece.arguments and piece.id is None and piece.name is None:
                return self._misnumbered(key)
        opens_another = call is None or (piece.name is not None and self._opens_another(call, piece, first=first))
        return None if opens_another else call

    def _misnumbered(self, key: str) -> ChatCall | None:
        """The call that arguments on a new index go on with: some servers begin a call under the number of another one, and go
        on under its own. None where no such call is open; then they begin one whose name is late."""
        call = self.opened[-1] if self.opened else None
        if call is None or not call.shares_index or call.has_whole_arguments():
            return None
        self._by_index[key] = call
        return call

    def _opens_another(self, call: ChatCall, piece: Piece, *, first: bool) -> bool:
        """Whether a piece with a name is not the call's."""
        if piece.id is not None and call.id:
            return piece.id != call.id
        if piece.index is None and piece.id is None and not first:
            return True  # elements of one delta are different calls
        return _begins_anew(call, piece)

    def open(self, call: ChatCall) -> None:
        """Note a new call."""
        place = len(self.opened)
        self.opened.append(call)
        call.number = call.index if isinstance(call.index, int) else place
        insort(self.in_order, call, key=_number)
        if call.legacy:
            self.legacy = call
        if call.index is not None:
            key = _key(call.index)
            call.shares_index = key in self._by_index
            self._by_index[key] = call
        if call.id:
            self._by_id[call.id] = call

    def learn_id(self, call: ChatCall, id: str) -> None:
        """The first id binds; a changed one still names the call."""
        call.id = call.id or id
        self._by_id.setdefault(id, call)

    def with_id(self, id: str | None) -> ChatCall | None:
        """The call of that id, if any."""
        return None if id is None else self._by_id.get(id)

    def add_native(self, message: dict[str, Any]) -> None:
        """Add the members that hold calls to an unstreamed message."""
        if self.legacy is not None:
            message["function_call"] = self.legacy.native()
        if listed := [call.native() for call in self.in_order if not call.legacy]:
            message["tool_calls"] = listed


def _number(call: ChatCall) -> int:
    return call.number


def _key(index: int | str) -> str:
    """A call's index as a name: the number 1 is another one than a text "1" would be."""
    return str(index) if isinstance(index, int) else f'"{index}'


def _begins_anew(call: ChatCall, piece: Piece) -> bool:
    """Whether a name after whole arguments is the next call's, as servers that leave out ids, or give all calls one, send whole
    calls. Where index or id are the call's, it has to be another name or begin other arguments: some repeat it in every piece."""
    if piece.name is None or call.name is None:
        return False
    if (piece.index is not None or piece.id is not None) and call.goes_by(piece.name):
        place_taken = bool(call.held) and piece.id is not None
        if place_taken or not piece.arguments.startswith("{") or call.is_said_again(piece):
            return False
    return call.has_whole_arguments()


def _goes_on(call: ChatCall, piece: Piece) -> bool:
    """Whether a piece with a call's id, on an index that is new, is that call's. Some servers give all parallel calls one id, so
    a piece with a name has to be the announcement once more."""
    if piece.name is None or call.index is None:
        return True
    return call.goes_by(piece.name) and (not call.size() or call.is_said_again(piece))


def _object_in(text: str) -> dict[str, Any] | None:
    """The object that a call's arguments are, or None if they are anything else."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, JSONObject) else None


def _others(fields: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in known and value is not None}


def index_of(value: Any) -> int | str | None:
    """An ``index`` as the name that it is: a number, also where it comes as a string or with a fraction of zero."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < _MAX_DIGITS else value or None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def id_of(value: Any) -> str | None:
    """An id; some servers count their calls and send the number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else word(value)


def arguments_in(body: dict[str, Any], kind: ToolCallKind) -> str:
    """The arguments in a call's body, or a piece of them, as text; "" where there are none."""
    value = body.get(ARGUMENTS[kind])
    return "" if value is None else as_json(value)
