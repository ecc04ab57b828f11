"""Plays a recording: a sync and async source that yields the bytes in their recorded pieces."""

from __future__ import annotations

import time
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

from sse_dialects.root import MisuseError
from sse_dialects.sources.event_loop import sleep
from sse_dialects.sources.source import READ_BYTES

from .lines import LONGEST_DELAY_S, MAGIC, MAX_LINE_BYTES, Head, damaged, parsed_head, parsed_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from .lines import Step

__all__ = ["Replay", "replay"]


def replay(file: str | PathLike[str] | BinaryIO, *, speed: float | None = None) -> Replay:
    """A recording as a source for `stream`, `astream`, or a loop of one's own.

        answer = sd.stream(replay("answer.jsonl")).answer()

    Args:
        file: the path of a recording, or of an event stream saved raw (``curl -sSN ... > answer.sse``), which has no timing and
            is given in pieces of 64 KiB; or such a file open for reading in binary mode, which can be played once.
        speed: 1 keeps the recorded timing, 2 is twice as fast; None or 0 gives everything at once.

    Raises:
        OSError: the file can't be read.
        MisuseError: the recording has a version that is not known here, or ``speed`` is no number from 0 up.
    """
    if isinstance(file, (str, PathLike)):
        with open(file, "rb") as opened:
            head, _ = _begun(opened)
        return Replay(_Steps(file), speed=speed, status_code=head.status, headers=head.headers, url=head.url)
    head, steps = _begun(file)
    return Replay(_Once(steps), speed=speed, status_code=head.status, headers=head.headers, url=head.url)


class Replay:
    """Steps that play with their timing. A list of steps can be played again. `replay` returns one.

    Iterate it sync or async (on asyncio and trio), or pass it to `stream` or `astream`, for which it is a response if it has a
    status. A piece is due when the delays up to it have passed since the first step was asked for: time that the reader spends
    between two steps counts, as it does with a socket.

    Args:
        steps: pairs of seconds and what comes then: bytes, the exception in which the stream ends, or None where it just ends.
        speed: what the delays are divided by; None or 0 leaves them out.
        status_code: the response's status; None if it had none.
        headers: the response's headers; empty if it had none.
        url: the URL of the response; None if it had none.

    Raises:
        MisuseError: ``speed`` is no number from 0 up.
    """

    __slots__ = ("_speed", "_steps", "headers", "status_code", "url")

    def __init__(
        self,
        steps: Iterable[Step],
        *,
        speed: float | None = None,
        status_code: int | None = None,
        headers: dict[str, str] | None = None,
        url: str | None = None,
    ) -> None:
        given: Any = 0 if speed is None else speed
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given < float("inf"):
            raise MisuseError(f"speed takes 1 for the recorded timing, another factor, or None for all at once; got {speed!r}")
        self._steps = steps
        self._speed = float(given)
        self.status_code = status_code
        self.headers = headers if headers is not None else {}
        self.url = url

    def __iter__(self) -> Iterator[bytes]:
        return self._played()

    def __aiter__(self) -> _AsyncPlay:
        return _AsyncPlay(iter(self._steps), _Schedule(self._speed))

    def __repr__(self) -> str:
        return f"<Replay {'of no response' if self.status_code is None else self.status_code}, speed {self._speed:g}>"

    def _played(self) -> Generator[bytes, None, None]:
        schedule = _Schedule(self._speed)
        for delay_s, item in self._steps:
            if (wait_s := schedule.wait(delay_s)) > 0:
                time.sleep(wait_s)
            if item is None:
                return
            yield _given(item)


class _AsyncPlay:
    """A `Replay` being played in async code. An object and no generator, which would have to be closed."""

    __slots__ = ("_schedule", "_steps")

    def __init__(self, steps: Iterator[Step], schedule: _Schedule) -> None:
        self._steps = steps
        self._schedule = schedule

    def __aiter__(self) -> _AsyncPlay:
        return self

    async def __anext__(self) -> bytes:
        for delay_s, item in self._steps:
            await sleep(self._schedule.wait(delay_s))
            if item is None:
                break
            return _given(item)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Closes the file, if one is open."""
        close: Callable[[], None] | None = getattr(self._steps, "close", None)
        if close is not None:
            close()


class _Schedule:
    """The times at which the steps are due."""

    __slots__ = ("_due", "_speed")

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._due: float | None = None

    def wait(self, delay_s: float) -> float:
        """Seconds from now until the next step, ``delay_s`` after the one before."""
        if not self._speed:
            return 0.0
        now = time.monotonic()
        self._due = (now if self._due is None else self._due) + min(delay_s / self._speed, LONGEST_DELAY_S)
        return min(max(self._due - now, 0.0), LONGEST_DELAY_S)


def _given(item: bytes | Exception) -> bytes:
    if isinstance(item, Exception):
        raise item.with_traceback(None)
    return item


class _Steps:
    """The steps of a file that is opened anew each time."""

    __slots__ = ("_path",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = path

    def __iter__(self) -> Iterator[Step]:
        with open(self._path, "rb") as file:
            yield from _begun(file)[1]


class _Once:
    """The steps of an open file."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Iterator[Step]) -> None:
        self._steps: Iterator[Step] | None = steps

    def __iter__(self) -> Iterator[Step]:
        steps, self._steps = self._steps, None
        if steps is None:
            raise MisuseError("this Replay has played its file, which it can't open anew: pass the file's path to play it again")
        return steps


def _begun(file: BinaryIO) -> tuple[Head, Iterator[Step]]:
    """Reads the head of a file, which is empty for a raw stream, and returns it with the steps that follow."""
    pieces = _pieces(file)
    start = b""
    while len(start) < len(MAGIC) and MAGIC.startswith(start) and (piece := next(pieces, b"")):
        start += piece
    if not start.startswith(MAGIC):
        return Head(), ((0.0, piece) for piece in _and_then(start, pieces))
    lines = _lines(_and_then(start, pieces))
    return parsed_head(next(lines)), parsed_steps(lines)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yields bytes of the file as soon as they are available."""
    read: Any = getattr(file, "read1", file.read)
    while piece := read(READ_BYTES):
        yield piece


def _and_then(start: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    if start:
        yield start
    yield from pieces


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their newline, the last one also without. Linear: what is kept of an unfinished line is joined once.

    Raises:
        OSError: a line is too long for a recording.
    """
    begun: list[bytes] = []
    size, number = 0, 1
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for line in ended:
            yield b"".join((*begun, line, b"\n"))
            begun.clear()
            size, number = 0, number + 1
        if rest:
            begun.append(rest)
            size += len(rest)
            if size > MAX_LINE_BYTES:
                raise damaged(number, f": it is longer than {MAX_LINE_BYTES >> 20} MiB")
    if begun:
        yield b"".join(begun)
