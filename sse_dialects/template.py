r"""The fast path: a frame that differs from the one before only in its delta needs no JSON parser.

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
* Whatever is out of the ordinary goes to the plain path: bytes that are not UTF-8, an empty delta, ``\u`` escapes of
  characters outside ASCII (half a surrogate pair may be among them), numbers of more than 15 digits, an answer near its limit.

The plain path defines what is right; `Decoder._fast = False` forces it, and a test drives both over the same streams.
"""

from __future__ import annotations

from json import decoder, dumps
from typing import TYPE_CHECKING, Any

from .dialects.payload import BadPayloadError, parse
from .values import JSONObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from .dialects.telling import Hot
    from .events import Event

__all__ = ["Learner", "Template"]

# The JSON module's own, in C where there is that: from behind the opening quote to behind the closing one.
_scan_string: Callable[[str, int], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]  # not in typeshed

# Members that say nothing of the answer, with their kind of token; both stand at the top of a payload.
_COUNTER, _PADDING = "sequence_number", "obfuscation"
_MAX_DIGITS = 15

# The delta's string may stand elsewhere too, first; the proof tells, and costs a parse for each place.
_MAX_PLACES = 3

# How many frames pass before a template is learned again after ones that fitted nothing: learning costs as much as three frames.
_MAX_PAUSE = 64

# How many blocks are looked at together. A read may hold any number, and what does not fit may be every second of them.
_WINDOW = 32


class Template:
    """The bytes around the cuts of one kind of frame, and the part that its delta adds to.

    At most one hole comes before the delta and one after it: ``head``, [hole, ``before``], delta, ``after``, [hole, ``tail``].
    ``before`` and ``tail`` are empty where there is no such hole. ``count`` says how many frames it has taken.
    """

    __slots__ = (
        "_add",
        "_after",
        "_at",
        "_before",
        "_bytes",
        "_counter_after",
        "_head",
        "_hot",
        "_overhead",
        "_room",
        "_skip",
        "_tail",
        "count",
    )

    def __init__(
        self, literals: tuple[str, str, str, str], digits: int, counter_after: bool, overhead: int, hot: Hot, room: int
    ) -> None:
        head, before, self._after, self._tail = literals
        self._head, self._before = head.encode(), before.encode()
        self._skip = len(self._head)
        self._at = self._skip + digits  # where the hole before the delta ends
        self._counter_after = counter_after  # the hole after the delta is a counter, not padding
        self._overhead = overhead  # bytes of a block that are not its payload's
        self._room = room  # how many bytes may be taken
        self._hot = hot
        self._add = hot.part.add
        self._bytes = 0
        self.count = 0

    @property
    def size(self) -> int:
        """How many bytes of payload it has taken."""
        return self._bytes - self.count * self._overhead

    def take(self, block: bytes) -> Event | None:
        """The event of one block, or None where it does not fit: `run` without what only pays for many."""
        size = self._bytes + len(block)
        delta = self._delta(block)
        if not delta or size > self._room:
            return None
        self._bytes = size
        self.count += 1
        if self._hot.member is not None:
            self._hot.member.append(delta)
        return self._add(delta)

    def run(self, blocks: list[bytes], start: int, out: list[Event]) -> int:
        """Take blocks from ``start`` on as long as they fit, and return where that ended."""
        while start < len(blocks):
            window = blocks[start : start + _WINDOW]
            taken = self._take_all(window, out)
            start += taken
            if taken < len(window):
                break
        return start

    def _take_all(self, blocks: list[bytes], out: list[Event]) -> int:
        """Take blocks as long as they fit, and return how many did; none where they might all be too much."""
        size = sum(map(len, blocks))
        if self._bytes + size > self._room:
            return 0
        deltas: list[str] = []
        for block in blocks:
            delta = self._delta(block)
            if not delta:
                size = sum(map(len, blocks[: len(deltas)]))
                break
            deltas.append(delta)
        if deltas:
            self._bytes += size
            self.count += len(deltas)
            part, member = self._hot.part, self._hot.member
            part.extend(deltas)
            if member is not None:
                member.extend(deltas)
            out.extend(part.told(deltas))
        return len(deltas)

    def _delta(self, block: bytes) -> str:
        """The delta's text, or "" where the block does not fit. This is what a delta costs: a comparison, a decoding, a scan."""
        if not block.startswith(self._head):
            return ""
        at = self._at
        before = self._before
        if before:
            # Nearly always the counter has as many digits as the one before it, and no leading zero.
            counter = block[self._skip : at]
            if not counter.isdigit() or counter[0] == 48 or not block.startswith(before, at):
                at = self._after_counter(block)
                if not at:
                    return ""
            at += len(before)
        try:
            text = block[at:].decode()
            delta, end = _scan_string(text, 0)
        except ValueError:  # no UTF-8, or no string
            return ""
        if text[end:] != self._after and not self._ends_with_hole(text, end):
            return ""
        if end != len(delta) + 1 and not delta.isascii() and "\\u" in text[:end]:
            return ""
        return delta

    def _after_counter(self, block: bytes) -> int:
        """Where a counter with another number of digits ends, or 0 where none stands there."""
        start = self._skip
        stop = block.find(self._before, start, start + _MAX_DIGITS + len(self._before))
        if stop < 0 or not _counts(block[start:stop]):
            return 0
        self._at = stop
        return stop

    def _ends_with_hole(self, text: str, end: int) -> bool:
        """Whether what follows the delta, which ends at ``end``, is as it has to be."""
        if not self._tail or not text.startswith(self._after, end) or not text.endswith(self._tail):
            return False
        token = text[end + len(self._after) : -len(self._tail)]
        return token.isalnum() and (not self._counter_after or _counts(token.encode()))


def _counts(token: bytes) -> bool:
    """Whether it is a whole number as JSON writes it, and not too long to be cheap."""
    return token.isdigit() and len(token) <= _MAX_DIGITS and (token[:1] != b"0" or token == b"0")


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

    def learn(self, block: bytes, hot: Hot, room: int) -> Template | None:
        """The template of a block that did what ``hot`` says, or None where none can be shown to hold.

        ``room`` is how many bytes of payload the answer may still grow by.
        """
        if self._pause:
            self._pause -= 1
            return None
        try:
            text = block.decode()
        except UnicodeDecodeError:
            return None
        at = _payload_start(text)
        return _learned(text, at, hot, room) if at else None


def _payload_start(text: str) -> int:
    """Where the one data line's payload begins, after at most an event line; 0 for a block of any other form."""
    if "\r" in text:
        return 0
    at = 0
    if text.startswith("event:"):
        at = text.find("\n") + 1
    return at + len("data: ") if text.startswith("data: ", at) and "\n" not in text[at:] else 0


def _learned(text: str, at: int, hot: Hot, room: int) -> Template | None:
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
        for _ in range(_MAX_PLACES):
            if place < 0:
                break
            cut = (place, place + len(token))
            if _shown(text, at, payload, hot.path, cut, holes):
                return _assembled(text, at, cut, holes, hot, room)
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
    if key < 0 or text[start:stop] != token or not (_counts(token.encode()) if counts else token.isalnum()):
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


def _assembled(text: str, at: int, cut: tuple[int, int], holes: list[_Hole], hot: Hot, room: int) -> Template | None:
    """The literals between the cuts. The delta's opening quote belongs to what comes before it, as the scanner wants it."""
    first = [hole for hole in holes if hole.stop <= cut[0]]
    last = [hole for hole in holes if hole.start >= cut[1]]
    if len(first) > 1 or len(last) > 1 or any(not hole.counts for hole in first):
        return None
    begin, end = cut[0] + 1, cut[1]
    head = text[: first[0].start] if first else text[:begin]
    before = text[first[0].stop : begin] if first else ""
    after = text[end : last[0].start] if last else text[end:]
    tail = text[last[0].stop :] if last else ""
    digits = first[0].stop - first[0].start if first else 0
    counter_after = bool(last) and last[0].counts
    return Template((head, before, after, tail), digits, counter_after, len(text[:at].encode()), hot, room)
