"""The fast path: a frame that differs from the one before only in its delta needs no JSON parser.

Most frames of a stream are the same bytes but for the delta's string, a counter and random padding. Once a frame has been
decoded in full and its accumulator has said that all it did was to add one string to one part (`Hot`), `learn` cuts its
bytes at that string and at the members that count up or pad. `Template.run` then takes the blocks that have the same bytes
around the cuts.

Invariant: what `run` does with a block is what the plain path would do with it. Why that holds:

* A JSON string token in place of another string token, or a number in place of a number, gives the same parsed value but for
  that leaf: JSON's grammar does not look into tokens. `learn` shows by parsing once with other tokens that the leaves are
  the ones it means (and not a member that a duplicate overwrites, say).
* What stands in a cut is checked to be one token: the delta by the JSON module's own string scanner, in its strict mode; a
  counter to be ASCII digits without a leading zero; padding to be letters and digits. Everything else is compared to the byte.
* A block is taken only while nothing else has been decoded since the template was learned, so the accumulator is in
  the state in which it called the frame hot. Comments change no accumulator.
* Whatever is out of the ordinary goes to the plain path: bytes that are not UTF-8, an empty delta, ``\\u`` escapes of
  characters outside ASCII (half a surrogate pair may be among them), numbers of more than 15 digits, an answer near its limit.

The plain path defines what is right; `Decoder._fast = False` forces it, and a test drives both over the same streams.
"""

from __future__ import annotations

from json import dumps
from json.decoder import scanstring
from typing import TYPE_CHECKING, Any

from .dialects.payload import BadPayloadError, parse
from .values import JSONObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from .dialects.parts import PartBuilder, Pieces
    from .dialects.telling import Hot
    from .events import Event

__all__ = ["Learner", "Template"]

# Members that say nothing of the answer, with their kind of token; both stand at the top of a payload.
_COUNTER, _PADDING = "sequence_number", "obfuscation"
_MAX_DIGITS = 15

# How many frames pass before a template is learned again after ones that fitted nothing: learning costs as much as three frames.
_MAX_PAUSE = 64


class Template:
    """The bytes around the cuts of one kind of frame, and the part that its delta adds to.

    At most one hole comes before the delta and one after it: ``head``, [hole, ``before``], delta, ``after``, [hole, ``tail``].
    ``before`` and ``tail`` are "" where there is no such hole.
    """

    __slots__ = ("after", "before", "counts_before", "head", "make", "member", "overhead", "part", "tail")

    def __init__(self, literals: tuple[str, str, str, str], counts_before: bool, overhead: int, hot: Hot) -> None:
        head, self.before, self.after, self.tail = literals
        self.head = head.encode()
        self.counts_before = counts_before
        self.overhead = overhead  # bytes of a block that are not its payload's
        self.part: PartBuilder = hot.part
        self.member: Pieces | None = hot.member
        self.make: Callable[[str, int, int], Event] = hot.part.DELTA

    def run(self, blocks: list[bytes], start: int, out: list[Event]) -> int:
        """Take blocks from ``start`` on as long as they fit, and return where that ended. The loop is the cost of a stream:
        per block one search, one decoding, one scan and one event."""
        head, before, after, tail = self.head, self.before, self.after, self.tail
        skip, make, choice, place = len(head), self.make, self.part.choice, self.part.place
        deltas: list[str] = []
        for number in range(start, len(blocks)):
            block = blocks[number]
            if not block.startswith(head):
                break
            try:
                text = block[skip:].decode()
                at = self._past_hole(text) if before else 0
                delta, end = scanstring(text, at)
            except ValueError:  # no UTF-8, no string, or no such hole
                break
            if not delta or (end - at - 1 != len(delta) and not delta.isascii() and "\\u" in text[at:end]):
                break
            if tail:
                if not text.startswith(after, end):
                    break
                end += len(after)
                stop = text.find(tail[0], end)
                if text[stop:] != tail or not _fills(text[end:stop], tail[0] != '"'):
                    break
            elif text[end:] != after:
                break
            deltas.append(delta)
            out.append(make(delta, choice, place))
        if deltas:
            self.part.extend(deltas)
            if self.member is not None:
                self.member.extend(deltas)
        return start + len(deltas)

    def _past_hole(self, text: str) -> int:
        """Where the delta begins, after the hole at the beginning of ``text``."""
        before = self.before
        stop = text.find(before[0])
        if stop < 0 or not text.startswith(before, stop) or not _fills(text[:stop], self.counts_before):
            raise ValueError
        return stop + len(before)


def _fills(token: str, counts: bool) -> bool:
    """Whether a hole's text is what it has to be: a number, or the inside of a string that needs no looking at."""
    if not counts:
        return token.isalnum()
    return token.isascii() and token.isdigit() and len(token) <= _MAX_DIGITS and (token[0] != "0" or token == "0")


class Learner:
    """When to learn a template, and how."""

    __slots__ = ("_misses", "_pause")

    def __init__(self) -> None:
        self._misses = 0
        self._pause = 0

    def fitted(self, count: int) -> None:
        """Note how many blocks the last template took; ones that take none make the next wait."""
        if count:
            self._misses = 0
        else:
            self._misses += 1
            self._pause = min(2**self._misses, _MAX_PAUSE)

    def learn(self, block: bytes, hot: Hot) -> Template | None:
        """The template of a block that did what ``hot`` says, or None where none can be shown to hold."""
        if self._pause:
            self._pause -= 1
            return None
        try:
            text = block.decode()
        except UnicodeDecodeError:
            return None
        at = _payload_start(text)
        return _learned(text, at, hot) if at else None


def _payload_start(text: str) -> int:
    """Where the one data line's payload begins, after at most an event line; 0 for a block of any other form."""
    if "\r" in text:
        return 0
    at = 0
    if text.startswith("event:"):
        at = text.find("\n") + 1
    return at + len("data: ") if text.startswith("data: ", at) and "\n" not in text[at:] else 0


def _learned(text: str, at: int, hot: Hot) -> Template | None:
    try:
        payload = parse(text[at:], None)
    except BadPayloadError:
        return None
    if not isinstance(payload, JSONObject):
        return None
    delta = _leaf(payload, hot.path)
    if not isinstance(delta, str):
        return None
    holes = [hole for name in (_COUNTER, _PADDING) if (hole := _hole(text, at, payload, name)) is not None]
    if sum(name in payload for name in (_COUNTER, _PADDING)) != len(holes):
        return None
    for token in {dumps(delta, ensure_ascii=False), dumps(delta)}:
        place = text.find(token, at)
        while place >= 0:  # the same string may stand elsewhere too, first: the proof tells
            cut = (place, place + len(token))
            if _shown(text, at, payload, hot.path, cut, holes):
                return _assembled(text, at, cut, holes, hot)
            place = text.find(token, place + 1)
    return None


class _Hole:
    """A member's token: from ``start`` to ``stop``, the quotes of a string not counted."""

    __slots__ = ("counts", "name", "start", "stop")

    def __init__(self, name: str, start: int, stop: int, counts: bool) -> None:
        self.name = name
        self.start = start
        self.stop = stop
        self.counts = counts


def _hole(text: str, at: int, payload: dict[str, Any], name: str) -> _Hole | None:
    """Where the last member of that name has its token, if it is of the member's kind."""
    value = payload.get(name)
    counts = name == _COUNTER
    if counts is not (type(value) is int) or not isinstance(value, (int, str)):
        return None
    key = text.rfind(f'"{name}":', at)
    start = key + len(name) + 3
    while text[start : start + 1] == " ":
        start += 1
    token = str(value)
    start += 0 if counts else 1
    stop = start + len(token)
    if key < 0 or text[start:stop] != token or not _fills(token, counts):
        return None
    return _Hole(name, start, stop, counts)


def _shown(
    text: str, at: int, payload: dict[str, Any], path: tuple[str | int, ...], cut: tuple[int, int], holes: list[_Hole]
) -> bool:
    """Parse once with other tokens in the cuts: the same value has to come out, but for these leaves."""
    other = _leaf(payload, path) + "~"
    pieces = sorted([(*cut, dumps(other)), *((hole.start, hole.stop, "7" if hole.counts else "pad") for hole in holes)])
    changed, end = "", at
    for start, stop, token in pieces:
        if start < end:
            return False
        changed += text[end:start] + token
        end = stop
    try:
        parsed = parse(changed + text[end:], None)
    except BadPayloadError:
        return False
    if not isinstance(parsed, JSONObject) or _leaf(parsed, path) != other:
        return False
    for hole in holes:
        if parsed.get(hole.name) != (7 if hole.counts else "pad"):
            return False
        parsed[hole.name] = payload[hole.name]
    parent = _leaf(parsed, path[:-1])
    parent[path[-1]] = _leaf(payload, path)
    return parsed == payload


def _leaf(payload: Any, path: tuple[str | int, ...]) -> Any:
    """The value at ``path``, or None where there is no such place."""
    for step in path:
        try:
            payload = payload[step]
        except (KeyError, IndexError, TypeError):
            return None
    return payload


def _assembled(text: str, at: int, cut: tuple[int, int], holes: list[_Hole], hot: Hot) -> Template | None:
    """The literals between the cuts. The delta's opening quote belongs to what comes before it, as the scanner wants it."""
    first = [hole for hole in holes if hole.stop <= cut[0]]
    last = [hole for hole in holes if hole.start >= cut[1]]
    if len(first) > 1 or len(last) > 1:
        return None
    begin, end = cut[0] + 1, cut[1]
    head = text[: first[0].start] if first else text[:begin]
    before = text[first[0].stop : begin] if first else ""
    after = text[end : last[0].start] if last else text[end:]
    tail = text[last[0].stop :] if last else ""
    return Template((head, before, after, tail), bool(first) and first[0].counts, len(text[:at].encode()), hot)
