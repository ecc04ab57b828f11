"""``<think>`` ... ``</think>`` in text, as local servers send reasoning.

`ThinkTags` separates the reasoning from the text while they stream. `Thoughts` keeps reasoning from being emitted twice where a
member of the message holds the same."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice

from ..text_buffer import TextBuffer

__all__ = ["MEMBER", "ORPHAN", "REASONING", "TAGS", "TEXT", "ThinkTags", "Thoughts"]

TEXT, REASONING, ORPHAN = "text", "reasoning", "orphan"
TAGS, MEMBER = "tags", "member"  # the channels that reasoning may come through
_OPEN, _CLOSE = "<think>", "</think>"
_MIN_PIECE = 1024  # characters; many small pieces would cost more than they hold
_OUTSIDE, _INSIDE = re.compile(f"{_OPEN}|{_CLOSE}"), re.compile(_CLOSE)  # the tags that count there


class ThinkTags:
    """Splits one choice's text. Holds back at most the beginning of a tag, so each call is linear in its piece."""

    __slots__ = ("_held", "_inside", "thoughts")

    def __init__(self) -> None:
        self.thoughts = Thoughts()
        self._held = ""
        self._inside = False

    def split(self, piece: str) -> list[tuple[str, str]]:
        """The pieces that are decided now, as ``(TEXT or REASONING, text)``. ``(ORPHAN, "")`` stands where a block was closed
        that nobody had opened: prompt templates open it before the stream begins."""
        text = self._held + piece
        found: list[tuple[str, str]] = []
        done = 0
        while tag := (_INSIDE if self._inside else _OUTSIDE).search(text, done):
            if tag.start() > done:
                found.append((self._kind, text[done : tag.start()]))
            if tag.group() == _CLOSE and not self._inside:
                found.append((ORPHAN, ""))
            self._inside = tag.group() == _OPEN
            done = tag.end()
        decided = self._decided(text, done)
        self._held = text[decided:]
        if decided > done:
            found.append((self._kind, text[done:decided]))
        return found

    def flush(self) -> list[tuple[str, str]]:
        """What was held back, now that the text has ended."""
        held, self._held = self._held, ""
        return [(self._kind, held)] if held else []

    @property
    def _kind(self) -> str:
        return REASONING if self._inside else TEXT

    def _decided(self, text: str, start: int) -> int:
        """Where the beginning of a tag may stand at the end of ``text``, from ``start`` on; its length where none does."""
        at = text.rfind("<", max(start, len(text) - len(_CLOSE)))
        tags = (_CLOSE,) if self._inside else (_OPEN, _CLOSE)
        return at if at >= 0 and any(tag.startswith(text[at:]) for tag in tags) else len(text)


class Thoughts:
    """The reasoning of one choice, which may come in think tags, in a member of the message, or the same in both.

    As long as both channels say the same, white space aside, each piece is emitted once, when the first of them brings it. Once
    they differ they are two thoughts, and both are emitted in full.
    """

    __slots__ = ("_ahead", "_differ", "_ends_in_space", "_half", "_leader", "_offset", "_space", "_withheld")

    def __init__(self) -> None:
        self._leader: str | None = None  # the channel whose text was emitted last
        self._ahead: deque[str] = deque()  # letters of that text that the other channel has not sent yet
        self._offset = 0  # how many letters of the first piece there it has sent
        self._withheld: list[str] = []  # what the other channel has sent and was not emitted, since both had sent the same
        self._space = ("", "")  # white space that waits for more of its channel
        self._ends_in_space = False  # what was emitted last ended with white space
        self._differ = False
        self._half = TextBuffer()  # half a surrogate pair of the member

    def settle(self, text: str) -> str:
        """What of a member's text can be given out now."""
        return self._half.ready_part(text)

    def flush(self) -> str:
        """U+FFFD for half a pair of the member that was left alone, "" where there is none."""
        return self._half.flush()

    def new(self, channel: str, text: str) -> str:
        """What of ``text`` the other channel has not said. Linear in the text."""
        if self._differ:
            return text
        letters = "".join(text.split())
        if channel == self._leader:
            return self._lead(channel, text, letters)
        waiting = self._space[1] if self._space[0] == channel else ""
        if not letters:
            self._space = channel, waiting + text
            return ""
        text, self._space = waiting + text, ("", "")
        said = self._follow(letters)
        if said < 0:
            self._differ = True
            self._ahead.clear()
            return "".join([*self._withheld, text])
        if said == len(letters):
            self._withheld.append(text)
            if not self._ahead:
                self._withheld.clear()
            return ""
        rest = text[_end_of(text, said) :] if said else text
        return self._lead(channel, rest.lstrip() if self._ends_in_space else rest, letters[said:])

    def _lead(self, channel: str, text: str, letters: str) -> str:
        """Note that ``channel`` is the one whose ``text`` is emitted."""
        if channel != self._leader:
            self._leader, self._withheld = channel, []
        if self._ahead and len(self._ahead[-1]) < _MIN_PIECE:
            self._ahead[-1] += letters
        elif letters:
            self._ahead.append(letters)
        self._ends_in_space = text[-1:].isspace()
        return text

    def _follow(self, letters: str) -> int:
        """How many letters the leading channel has said, or -1 where it has said others."""
        said = 0
        while self._ahead and said < len(letters):
            piece = self._ahead[0]
            count = min(len(piece) - self._offset, len(letters) - said)
            if not piece.startswith(letters[said : said + count], self._offset):
                return -1
            said += count
            self._offset += count
            if self._offset == len(piece):
                self._ahead.popleft()
                self._offset = 0
        return said


def _end_of(text: str, letters: int) -> int:
    """Where that many characters of a text, white space aside, end."""
    return next(islice((match.end() for match in re.finditer(r"\S", text)), letters - 1, None))
