"""The case table: streams of our own writing with what comes of them. `test_cases` runs each in every shape.

A case is written as frames; the last one is the terminating frame, so that no cut before its end may pass as an answer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sse_dialects import Event


class Case:
    """One stream and what comes of it.

    Args:
        name: what it shows, in a few words.
        frames: the stream, as pieces of bytes.
        events: all that it tells, in order.
        answer: members of the answer, or of what an error holds of it; members not named are not compared.
        error: the error's ``kind`` and other facts, of those in its `to_dict`; empty for a whole answer.
        dialect: the dialect that its reader names.
        auto: whether it is recognised, too.
        options: keywords for the decoder.
        after: bytes that come behind the terminating frame.
        framed: whether its frames alone, without the bytes, tell the same.
    """

    def __init__(
        self,
        name: str,
        frames: Iterable[bytes],
        events: Sequence[Event],
        answer: Mapping[str, Any] = {},
        *,
        error: Mapping[str, Any] = {},
        dialect: str,
        auto: bool = True,
        options: Mapping[str, Any] = {},
        after: bytes = b"",
        framed: bool = True,
    ) -> None:
        self.name = name
        self.frames = list(frames)
        self.events = list(events)
        self.answer = answer
        self.error = error
        self.dialect = dialect
        self.auto = auto
        self.options = options
        self.after = after
        self.framed = framed

    @property
    def data(self) -> bytes:
        return b"".join(self.frames) + self.after

    @property
    def whole_at(self) -> int:
        """How many bytes it takes for the terminating frame's payload to be in."""
        return len(b"".join(self.frames).rstrip(b"\r\n"))

    def __repr__(self) -> str:
        return self.name


def data(payload: Any, event: str = "") -> bytes:
    """One frame: a payload as JSON, or as it is if it is a string."""
    text = payload if isinstance(payload, str) else json.dumps(payload, separators=(",", ":"))
    return (f"event: {event}\n" if event else "").encode() + f"data: {text}\n\n".encode()


def typed(type: str, **members: Any) -> bytes:
    """One frame of a dialect that names its events."""
    return data({"type": type, **members}, type)


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, *, index: int = 0, **members: Any) -> bytes:
    """One chat chunk of one choice; ``members`` stand beside the choices."""
    return data({**members, "choices": [{"index": index, "delta": delta or {}, "finish_reason": finish}]})


DONE = data("[DONE]")
