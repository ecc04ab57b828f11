r"""The fast path: a frame that differs from the one before only in its delta needs no JSON parser.

Most frames of a stream are the same bytes but for the delta's string, a counter and random padding. Once a frame has been decoded
in full and its accumulator has said that all it did was to add one string to one part (`Hot`), `learn` cuts its bytes at that
string and at the members that count up or pad. `Template.run` then takes the frames that have the same bytes around the cuts.

Invariant: what `run` does with a frame is what the plain path would do with it, which defines what is right;
`Decoder._fast = False` forces that one, and a test drives both over the same streams. Why the invariant holds:

* A JSON string token in place of another string token, or a number in place of a number, gives the same parsed value but for
  that leaf: JSON's grammar does not look into tokens. `learn` shows by parsing once with other tokens that the leaves are
  the ones it means (and not a member that a duplicate overwrites, say).
* What stands in a cut is checked to be one token: the delta to be printable characters without quote and backslash, which
  stand for themselves, or else by the JSON module's own string scanner, in its strict mode; a counter to be ASCII digits
  without a leading zero; padding to be letters and digits. Everything else is compared to the byte.
* None of these tokens has a line end in it. So where several frames are cut at once at what stands between the delta of one
  and that of the next, a blank line included, each piece that is a token lay between a head and a tail of its own.
* A frame is taken only while nothing else has been decoded since the template was learned, so the accumulator is in
  the state in which it called the frame hot. Comments change no accumulator.
* Whatever is out of the ordinary goes to the plain path: bytes that are not UTF-8, an empty delta, ``\u`` escapes of
  characters outside ASCII (half a surrogate pair may be among them), numbers of more than 15 digits, an answer near its limit.
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

# How many bytes, or blocks, are looked at together, as a read may be of any length; and how many frames it takes for that to pay.
_MIN_WINDOW, _MAX_WINDOW, _MAX_BLOCKS = 512, 32768, 64
_MANY = 6

_BLANK_LINE = b"\n\n"


class Template:
    """The text around the cuts of one kind of frame, and the part that its delta adds to.

    At most one hole comes before the delta and one after it: ``head``, [counter, ``before``], delta, [``after``, hole], ``tail``.
    ``before`` and ``after`` are empty where there is no such hole. The delta's quotes belong to what stands around it. ``count``
    says how many frames it has taken.
    """

    __slots__ = (
        "_after", "_around", "_before", "_bytes", "_counter_after", "_head", "_member", "_overhead", "_part", "_room", "_tail",
        "count"
    )  # fmt: skip

    def __init__(self, literals: tuple[str, str, str, str], counter_after: bool, overhead: int, hot: Hot, room: int) -> None:
        self._head, self._before, self._after, tail = (literal.encode() for literal in literals)
        self._tail = tail + _BLANK_LINE
        self._around = len(self._head) + len(self._tail)
        self._counter_after = counter_after  # the hole after the delta is a counter, not padding
        self._overhead = overhead + len(_BLANK_LINE)  # bytes of a frame that are not its payload's
        self._room = room  # how many bytes may be taken
        self._part = hot.part
        self._member = hot.member
        self._bytes = 0
        self.count = 0

    @property
    def size(self) -> int:
        """How many bytes of payload it has taken."""
        return self._bytes - self.count * self._overhead

    def take(self, frame: bytes) -> Event | None:
        """The event of one frame, its blank line included, or None where it does not fit."""
        # What is cut off where it is there tells by its length whether it was, at half the price of asking first.
        body = frame.removeprefix(self._head).removesuffix(self._tail)
        if len(body) + self._around != len(frame):
            return None
        delta = self._delta(body)
        if not delta:
            return None
        size = self._bytes + len(frame)
        if size > self._room:
            return None
        self._bytes = size
        self.count += 1
        if self._member is not None:
            self._member.append(delta)
        return self._part.add(delta)

    def run(self, frames: bytes, out: list[Event]) -> int:
        """Take frames, blank lines included, as long as they fit, and return how many bytes that were."""
        size = len(frames)
        if size <= _MIN_WINDOW or self._bytes >= size <= _MAX_WINDOW:
            return self._take_all(frames, out)
        start = 0
        while start < size:
            # As many at once as have fitted in a row: what does not fit may be every second one.
            window = frames[start : self._window_end(frames, start)]
            taken = self._take_all(window, out)
            start += taken
            if taken < len(window):
                break
        return start

    def run_blocks(self, blocks: list[bytes], start: int, out: list[Event]) -> int:
        """The same for frames without their blank lines, from ``start`` on; return where that ended."""
        stride = 1  # no more at once than have fitted in a row: what does not fit may be every second one
        while start < len(blocks):
            if stride == 1:
                event = self.take(blocks[start] + _BLANK_LINE)
                if event is None:
                    break
                out.append(event)
                start += 1
            else:
                before = self.count
                self.run(_BLANK_LINE.join([*blocks[start : start + stride], b""]), out)
                start += self.count - before
                if self.count - before < stride:
                    break
            stride = min(2 * stride, _MAX_BLOCKS)
        return start

    def _window_end(self, frames: bytes, start: int) -> int:
        end = start + min(max(self._bytes, _MIN_WINDOW), _MAX_WINDOW)
        if end >= len(frames):
            return len(frames)
        end = frames.rfind(_BLANK_LINE, start, end)
        return (end if end >= 0 else frames.find(_BLANK_LINE, start)) + len(_BLANK_LINE)

    def _take_all(self, frames: bytes, out: list[Event]) -> int:
        """Take frames as long as they fit, and return how many bytes that were; none where they might all be too much.

        What stands between the bodies of two frames has a blank line in it, and a body that is taken has none. So where the
        frames are cut, one ends and the next begins.
        """
        head, tail = self._head, self._tail
        size = len(frames)
        behind = frames.removeprefix(head)
        if self._bytes + size > self._room or len(behind) == size:
            return 0
        bodies = behind.split(tail + head)
        last, found, rest = bodies[-1].partition(tail)  # what fits may end before the frames do
        bodies[-1] = last if found else b""
        deltas = (self._deltas(bodies) if len(bodies) >= _MANY else None) or self._first_deltas(bodies)
        if rest or len(deltas) < len(bodies):
            size = sum(map(len, bodies[: len(deltas)])) + len(deltas) * (len(head) + len(tail))
        if deltas:
            self._bytes += size
            self.count += len(deltas)
            self._part.extend(deltas)
            if self._member is not None:
                self._member.extend(deltas)
            out.extend(self._part.told(deltas))
        return size

    def _first_deltas(self, bodies: list[bytes]) -> list[str]:
        """The deltas of as many bodies as fit, one by one."""
        deltas: list[str] = []
        for body in bodies:
            delta = self._delta(body)
            if not delta:
                break
            deltas.append(delta)
        return deltas

    def _delta(self, body: bytes) -> str:
        """The delta's text, or "" where the body does not fit."""
        before = self._before
        if before:
            counter, _, body = body.partition(before)
            if not counter.isdigit() or len(counter) > _MAX_DIGITS or (counter[0] == 48 and counter != b"0"):  # `_counts`
                return ""
        after = self._after
        if after:
            body, _, hole = body.partition(after)
            if not hole.isalnum() or (self._counter_after and not _counts(hole)):
                return ""
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return ""
        return text if text.isprintable() and '"' not in text and "\\" not in text else _unescaped(text)

    def _deltas(self, bodies: list[bytes]) -> list[str]:
        """The deltas of several bodies, in a few steps for all of them; none where one does not fit."""
        count = len(bodies)
        if self._before:
            counters, bodies = _parted(bodies, self._before)
            if not _all_count(counters):
                return []
        if self._after:
            bodies, holes = _parted(bodies, self._after)
            if not (_all_count(holes) if self._counter_after else b"" not in holes and b"".join(holes).isalnum()):
                return []
        try:
            text = b"\n".join(bodies).decode()
        except UnicodeDecodeError:
            return []
        deltas = text.split("\n")
        if len(deltas) != count:
            return []
        if not "".join(deltas).isprintable() or '"' in text or "\\" in text:
            deltas = [
                delta if delta.isprintable() and '"' not in delta and "\\" not in delta else _unescaped(delta) for delta in deltas
            ]
        return [] if "" in deltas else deltas


def _parted(bodies: list[bytes], at: bytes) -> tuple[list[bytes], list[bytes]]:
    """What comes before and after ``at`` in each; nothing after it where it is missing."""
    parts = [body.partition(at) for body in bodies]
    return [before for before, _, _ in parts], [after for _, _, after in parts]


def _unescaped(body: str) -> str:
    """The string that ``body`` stands for between two quotes, or "" where it is none, or one for the plain path."""
    try:
        text, end = _scan_string(body + '"', 0)
    except ValueError:
        return ""
    return text if end == len(body) + 1 and (text.isascii() or "\\u" not in body) else ""


def _counts(token: bytes) -> bool:
    """Whether it is a whole number as JSON writes it, and not too long to be cheap."""
    return token.isdigit() and len(token) <= _MAX_DIGITS and (token[0] != 48 or token == b"0")


def _all_count(tokens: list[bytes]) -> bool:
    """The same for several, in a few steps for all of them where none begins with a zero."""
    if b",0" in b"," + b",".join(tokens):
        return all(map(_counts, tokens))
    sizes = list(map(len, tokens))
    return min(sizes) > 0 and max(sizes) <= _MAX_DIGITS and b"".join(tokens).isdigit()


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
    """The literals between the cuts. The delta's quotes belong to them."""
    first = [hole for hole in holes if hole.stop <= cut[0]]
    last = [hole for hole in holes if hole.start >= cut[1]]
    if len(first) > 1 or len(last) > 1 or any(not hole.counts for hole in first):
        return None
    begin, end = cut[0] + 1, cut[1] - 1
    head = text[: first[0].start] if first else text[:begin]
    before = text[first[0].stop : begin] if first else ""
    after = text[end : last[0].start] if last else ""
    tail = text[last[0].stop :] if last else text[end:]
    counter_after = bool(last) and last[0].counts
    return Template((head, before, after, tail), counter_after, len(text[:at].encode()), hot, room)
