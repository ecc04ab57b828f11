r"""The fast path: a frame that differs from the one before only in its delta needs no JSON parser.

Most frames of a stream are the same bytes but for the delta's string, a counter and random padding. Once a frame has been decoded
in full and its accumulator has said that all it did was to add one string to one part (`Hot`), and which members add nothing,
``learning`` cuts its bytes at these. `Template.run` then takes the frames that have the same bytes around the cuts.

Invariant: what `run` does with a frame is what the plain path would do with it, which defines what is right;
`Decoder._fast = False` forces that one, and a test drives both over the same streams. Why the invariant holds:

* A JSON string token in place of another string token, or a number in place of a number, gives the same parsed value but for
  that leaf: JSON's grammar does not look into tokens. Spaces between tokens mean nothing, however many. ``learning`` shows by
  parsing once with other tokens that the leaves are the ones it means (and not a member that a duplicate overwrites, say), and
  the spaces none of a string's.
* What stands in a cut is checked to be one token: the delta to be printable characters without quote and backslash, which
  stand for themselves, or else by the JSON module's own string scanner, in its strict mode; a counter to be ASCII digits
  without a leading zero; ids and padding to be letters, digits and a few signs, or spaces. All else is compared to the byte.
* None of these tokens has a line end in it. So where several frames are cut at once at what stands between the delta of one
  and that of the next, a blank line included, each piece that is a token lay between a head and a tail of its own.
* A frame is taken only while nothing else has been decoded since the template was learned, so the accumulator is in
  the state in which it called the frame hot. Comments change no accumulator.
* Whatever is out of the ordinary goes to the plain path: bytes that are not UTF-8, an empty delta, ``\u`` escapes of
  characters outside ASCII (half a surrogate pair may be among them), numbers of more than 15 digits, an answer near its limit.
"""

from __future__ import annotations

from json import decoder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .dialects.telling import Hot
    from .events import Event

    # What fills a hole: whether it is such a token, and whether several are, in a few steps for all of them.
    Kind = tuple[Callable[[bytes], bool], Callable[[list[bytes]], bool]]
    # The same, and the bytes that stand between the hole and the delta, or the next hole on the way there.
    Hole = tuple[Callable[[bytes], bool], Callable[[list[bytes]], bool], bytes]

__all__ = ["COUNT", "PADDING", "SPACE", "WORD", "Template"]

# The JSON module's own, in C where there is that: from behind the opening quote to behind the closing one.
_scan_string: Callable[[str, int], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]  # not in typeshed

_MAX_DIGITS = 15

# What ids and padding are made of; all of it stands for itself in a JSON string.
_WORD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.:/+="

# How many bytes, or blocks, are looked at together, as a read may be of any length; and how many frames it takes for that to pay.
_MIN_WINDOW, _MAX_WINDOW, _MAX_BLOCKS = 512, 32768, 64
_MANY = 6

_BLANK_LINE = b"\n\n"


class Template:
    """The bytes around the cuts of one kind of frame, and the part that its delta adds to.

    A frame is ``head``; for each hole before the delta what fills it, and the bytes behind it; the delta; for each hole after it
    the bytes ahead of it, and what fills it; ``tail``. The delta's quotes belong to what stands around it. ``overhead`` is how
    many of the bytes are not payload, ``room`` how many bytes may be taken; ``count`` says how many frames have been.
    """

    __slots__ = ("_after", "_around", "_before", "_bytes", "_head", "_member", "_overhead", "_part", "_room", "_tail", "count")

    def __init__(
        self, head: bytes, before: Sequence[Hole], after: Sequence[Hole], tail: bytes, *, overhead: int, hot: Hot, room: int
    ) -> None:
        self._head = head
        self._before = tuple(before)
        self._after = tuple(reversed(after))  # from the end
        self._tail = tail + _BLANK_LINE
        self._around = len(self._head) + len(self._tail)
        self._overhead = overhead + len(_BLANK_LINE)
        self._room = room
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
        for takes, _, behind in self._before:
            hole, _, body = body.partition(behind)
            if not takes(hole):
                return ""
        for takes, _, ahead in self._after:
            body, _, hole = body.rpartition(ahead)
            if not takes(hole):
                return ""
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return ""
        return text if text.isprintable() and '"' not in text and "\\" not in text else _unescaped(text)

    def _deltas(self, bodies: list[bytes]) -> list[str]:
        """The deltas of several bodies, in a few steps for all of them; none where one does not fit."""
        count = len(bodies)
        for _, takes_all, behind in self._before:
            parts = [body.partition(behind) for body in bodies]
            if not takes_all([hole for hole, _, _ in parts]):
                return []
            bodies = [body for _, _, body in parts]
        for _, takes_all, ahead in self._after:
            parts = [body.rpartition(ahead) for body in bodies]
            if not takes_all([hole for _, _, hole in parts]):
                return []
            bodies = [body for body, _, _ in parts]
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


def _unescaped(body: str) -> str:
    """The string that ``body`` stands for between two quotes, or "" where it is none, or one for the plain path."""
    try:
        text, end = _scan_string(body + '"', 0)
    except ValueError:
        return ""
    return text if end == len(body) + 1 and (text.isascii() or "\\u" not in body) else ""


def _is_count(token: bytes) -> bool:
    """Whether it is a whole number as JSON writes it, and not too long to be cheap."""
    return token.isdigit() and len(token) <= _MAX_DIGITS and (token[0] != 48 or token == b"0")


def _are_counts(tokens: list[bytes]) -> bool:
    if (b"," + b",".join(tokens)).find(b",0") >= 0:  # one may begin with a zero
        return all(map(_is_count, tokens))
    sizes = list(map(len, tokens))
    return min(sizes) > 0 and max(sizes) <= _MAX_DIGITS and b"".join(tokens).isdigit()


def _are_padding(tokens: list[bytes]) -> bool:
    return b"" not in tokens and b"".join(tokens).isalnum()


def _is_word(token: bytes) -> bool:
    return not token.translate(None, _WORD)


def _are_words(tokens: list[bytes]) -> bool:
    return not b"".join(tokens).translate(None, _WORD)


def _is_space(token: bytes) -> bool:
    return not token.strip(b" ")


def _are_spaces(tokens: list[bytes]) -> bool:
    return not b"".join(tokens).strip(b" ")


COUNT: Kind = (_is_count, _are_counts)
PADDING: Kind = (bytes.isalnum, _are_padding)
WORD: Kind = (_is_word, _are_words)
SPACE: Kind = (_is_space, _are_spaces)
