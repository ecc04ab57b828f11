"""``<think>`` ... ``</think>`` in text, as local servers send reasoning: told apart while it streams."""

from __future__ import annotations

__all__ = ["ORPHAN", "REASONING", "TEXT", "ThinkTags"]

TEXT, REASONING, ORPHAN = "text", "reasoning", "orphan"
_OPEN, _CLOSE = "<think>", "</think>"


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
        while True:
            at, tag = self._next_tag(text)
            if not tag:
                break
            if at:
                found.append((self._kind, text[:at]))
            if tag == _CLOSE and not self._inside:
                found.append((ORPHAN, ""))
            self._inside = tag == _OPEN
            text = text[at + len(tag) :]
        held = self._undecided(text)
        self._held = text[len(text) - held :]
        if len(text) > held:
            found.append((self._kind, text[: len(text) - held]))
        return found

    def flush(self) -> list[tuple[str, str]]:
        """What was held back, now that the text has ended."""
        held, self._held = self._held, ""
        return [(self._kind, held)] if held else []

    @property
    def _kind(self) -> str:
        return REASONING if self._inside else TEXT

    @property
    def _tags(self) -> tuple[str, ...]:
        return (_CLOSE,) if self._inside else (_OPEN, _CLOSE)

    def _next_tag(self, text: str) -> tuple[int, str]:
        places = [(at, tag) for tag in self._tags if (at := text.find(tag)) >= 0]
        return min(places, default=(-1, ""))

    def _undecided(self, text: str) -> int:
        """How many characters at the end may be the beginning of a tag."""
        at = text.rfind("<", max(0, len(text) - len(_CLOSE)))
        return len(text) - at if at >= 0 and any(tag.startswith(text[at:]) for tag in self._tags) else 0
