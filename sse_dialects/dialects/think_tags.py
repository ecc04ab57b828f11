"""``<think>`` ... ``</think>`` in text, as local servers send reasoning: told apart while it streams."""

from __future__ import annotations

import re

__all__ = ["ORPHAN", "REASONING", "TEXT", "ThinkTags"]

TEXT, REASONING, ORPHAN = "text", "reasoning", "orphan"
_OPEN, _CLOSE = "<think>", "</think>"
_OUTSIDE, _INSIDE = re.compile(f"{_OPEN}|{_CLOSE}"), re.compile(_CLOSE)  # the tags that count there


class ThinkTags:
    """Splits one choice's text. Holds back at most the beginning of a tag, so each call is linear in its piece."""

    __slots__ = ("_held", "_inside")

    def __init__(self) -> None:
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
