"""What the three writers have in common: frames, and texts in pieces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CREATED", "dumped", "frame", "named_frame", "no_place", "pieces_of"]

CREATED = 1_700_000_000  # when every scripted answer was made, in seconds of Unix time


def frame(payload: dict[str, Any] | str) -> bytes:
    """A frame without a name; a string is sent as it is."""
    return f"data: {payload if isinstance(payload, str) else dumped(payload)}\n\n".encode()


def named_frame(payload: dict[str, Any]) -> bytes:
    """A frame with the payload's type as its name."""
    return f"event: {payload['type']}\n".encode() + frame(payload)


def dumped(payload: Any) -> str:
    """JSON as providers send it: no spaces, characters as they are; half a surrogate pair can only be escaped."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def pieces_of(text: str, size: int | None) -> Iterator[str]:
    """The text in pieces of so many characters; in one where ``size`` is None; none of an empty text.

    Raises:
        MisuseError: the size is below 1.
    """
    if size is not None and size < 1:
        raise sd.MisuseError(f"piece takes a number of characters from 1 up, or None for a text in one piece; got {size!r}")
    step = size or max(len(text), 1)
    return (text[start : start + step] for start in range(0, len(text), step))


def no_place(dialect: str, what: str, instead: str) -> sd.MisuseError:
    """The error for what a dialect can't say."""
    return sd.MisuseError(f"the dialect {dialect} has no place for {what}: {instead}")
