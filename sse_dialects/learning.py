"""How a template is learned from a frame, and shown to hold: the proof is in ``template``."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from .dialects.payload import BadPayloadError, parse
from .template import COUNT, PADDING, SPACE, WORD, Template
from .values import JSONObject

if TYPE_CHECKING:
    from .dialects.base import Accumulator
    from .dialects.telling import Hot
    from .template import Kind

__all__ = ["Learner"]

# The delta's string may stand elsewhere too, first; the proof tells, and costs a parse for each place.
_MAX_PLACES = 3

# How many frames pass before a template is learned again after ones that fitted nothing: learning costs as much as three frames.
_MAX_PAUSE = 64


class Learner:
    """When to learn a template, and how."""

    __slots__ = ("_misses", "_pause")

    def __init__(self) -> None:
        self._misses = 0
        self._pause = 0

    def fitted(self, count: int) -> None:
        """Note how many frames the last template took; ones that take none make the next wait."""
        if count:
            self._misses = 0
        else:
            self._misses += 1
            self._pause = min(2**self._misses, _MAX_PAUSE)

    def learn(self, block: bytes, hot: Hot, state: Accumulator) -> Template | None:
        """The template of a block that did what ``hot`` says to ``state``, or None where none can be shown to hold."""
        if self._pause:
            self._pause -= 1
            return None
        template = _learned(block, hot, state)
        if template is None:
            self.fitted(0)
        return template


def _payload_start(text: str) -> int:
    """Where the one data line's payload begins, after at most an event line; 0 for a block of any other form."""
    if "\r" in text:
        return 0
    at = 0
    if text.startswith("event:"):
        at = text.find("\n") + 1
    return at + len("data: ") if text.startswith("data: ", at) and "\n" not in text[at:] else 0


def _learned(block: bytes, hot: Hot, state: Accumulator) -> Template | None:
    try:
        text = block.decode()
        at = _payload_start(text)
        payload = parse(text[at:], None) if at else None
    except (UnicodeDecodeError, BadPayloadError):
        return None
    delta = _leaf(payload, hot.path)
    if not isinstance(payload, JSONObject) or not isinstance(delta, str):
        return None
    members = [_member(text, at, name, payload[name]) for name, kept in state.idle().items() if payload.get(name, kept) != kept]
    for token in {dumps(delta, ensure_ascii=False), dumps(delta)}:
        place = text.find(token, at)
        for _ in range(_MAX_PLACES):
            if place < 0:
                break
            cut = _Cut(place + 1, place + len(token) - 1, dumps(delta + "~")[1:-1])
            cuts = sorted([cut, *filter(None, members), *_spaces(text, place)], key=_start)
            if _shown(text, at, payload, hot.path, cuts):
                return _assembled(text, at, cuts, cut, hot, state.room)
            place = text.find(token, place + 1)
    return None


class _Cut:
    """What stands from ``start`` to ``stop``, where ``other`` may stand as well: the delta, a token of that ``kind`` in the
    member ``name``, or spaces. The quotes of a string are not counted."""

    __slots__ = ("kind", "name", "other", "start", "stop")

    def __init__(self, start: int, stop: int, other: str, kind: Kind = WORD, name: str = "") -> None:
        self.start = start
        self.stop = stop
        self.other = other
        self.kind = kind
        self.name = name


def _start(cut: _Cut) -> int:
    return cut.start


def _member(text: str, at: int, name: str, value: object) -> _Cut | None:
    """Where the member of that name has its token, if it is one that can be cut out."""
    if type(value) is int:
        kind, quote, other = COUNT, "", "7" if value != 7 else "8"  # the same again would show nothing
    elif isinstance(value, str):
        kind, quote, other = (
            PADDING if value.isascii() and value.isalnum() else WORD,
            '"',
            "other" if value != "other" else "another",
        )
    else:
        return None
    start = text.find(f'"{name}":', at) + len(name) + 3
    while text[start : start + 1] == " ":
        start += 1
    start += len(quote)
    stop = start + len(str(value))
    found = text[start:stop] == str(value) and text.startswith(quote, stop) and kind[0](text[start:stop].encode())
    return _Cut(start, stop, other, kind, name) if found else None


def _spaces(text: str, start: int) -> list[_Cut]:
    """The spaces that some servers pad a payload with, before its last brace."""
    stop = len(text) - 1
    begin = len(text[:stop].rstrip(" "))
    return [_Cut(begin, stop, "", SPACE)] if start < begin < stop and text[stop] == "}" else []


def _shown(text: str, at: int, payload: dict[str, Any], path: tuple[str | int, ...], cuts: list[_Cut]) -> bool:
    """Parse once with other tokens in the cuts: the same value has to come out, but for these leaves."""
    changed, end = "", at
    for cut in cuts:
        if cut.start <= end:  # two cuts in one place, or without anything to tell where one ends
            return False
        changed += text[end : cut.start] + cut.other
        end = cut.stop
    try:
        parsed = parse(changed + text[end:], None)
    except BadPayloadError:
        return False
    delta = _leaf(payload, path)
    if not isinstance(parsed, JSONObject) or _leaf(parsed, path) != delta + "~":
        return False
    for cut in cuts:
        if cut.name:
            if str(parsed.get(cut.name)) != cut.other:
                return False
            parsed[cut.name] = payload[cut.name]
    _leaf(parsed, path[:-1])[path[-1]] = delta
    return parsed == payload


def _leaf(payload: Any, path: tuple[str | int, ...]) -> Any:
    """The value at ``path``, or None where there is no such place."""
    for step in path:
        try:
            payload = payload[step]
        except (KeyError, IndexError, TypeError):
            return None
    return payload


def _assembled(text: str, at: int, cuts: list[_Cut], delta: _Cut, hot: Hot, room: int) -> Template:
    """The bytes between the cuts. The quotes of strings belong to them."""
    starts, stops = [cut.start for cut in cuts], [cut.stop for cut in cuts]
    between = [text[stop:start].encode() for stop, start in zip([0, *stops], [*starts, len(text)], strict=True)]
    middle = cuts.index(delta)
    before = [(*cut.kind, behind) for cut, behind in zip(cuts[:middle], between[1:], strict=False)]
    after = [(*cut.kind, ahead) for ahead, cut in zip(between[middle + 1 :], cuts[middle + 1 :], strict=False)]
    return Template(between[0], before, after, between[-1], overhead=len(text[:at].encode()), hot=hot, room=room)
