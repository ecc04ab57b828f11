"""A scripted stream: its frames, their timing, their division into reads, and its faults."""

from __future__ import annotations

import re
from itertools import repeat
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import sse_dialects as sd
from sse_dialects.recording import Replay

from .frames import named_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sse_dialects.recording import Step

__all__ = ["ScriptedStream"]

Data = bytes  # what it is called in a class that has a method of that name

# Longer than any timeout that a test would set, and short enough that one without a timeout comes to an end.
STALL_S = 30.0
_NUMBERS = re.compile(rb'"sequence_number":(\d+)')  # text that looks so has its quotes escaped
_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


class ScriptedStream:
    """One response of a provider. Methods never change a stream; they return a changed copy.

    Frame counts include keep-alives, as `frames` lists them. A negative count is from the end, as in a slice.

    Args:
        dialect: the dialect of the frames.
        said: the frames before the final ones.
        ends: the final frames. Faults are placed before them by default.
        failure: writes the frame that reports a failure, from a message, a type, a code, and the number of frames before it.

    Attributes:
        dialect: as given.
        status, headers: of the response.
    """

    __slots__ = (
        "_ends",
        "_failure",
        "_frames",
        "_line_end",
        "_pauses",
        "_reset",
        "_seed",
        "_size",
        "dialect",
        "headers",
        "status",
    )

    def __init__(
        self,
        dialect: sd.DialectName,
        said: Sequence[Data],
        ends: Sequence[Data] = (),
        failure: Callable[[str, str | None, str | None, int], Data] | None = None,
    ) -> None:
        self.dialect: sd.DialectName = dialect
        self.status = 200
        self.headers = dict(_HEADERS)
        self._failure = failure
        self._frames = (*said, *ends)
        self._pauses = (0.0,) * (len(self._frames) + 1)  # seconds before each frame, and before the end
        self._ends = len(said)  # where the finishing frames begin
        self._line_end: Data = b"\n"
        self._size: int | None = None  # bytes in a read
        self._seed: int | None = None  # or what random sizes are made of
        self._reset = False  # whether the connection breaks at the end

    # ---- what is sent

    def bytes(self) -> Data:
        """The whole body."""
        return b"".join(self._frames)

    def frames(self) -> list[Data]:
        """The body, frame by frame; the last one may be cut."""
        return list(self._frames)

    def pieces(self) -> list[Data]:
        """The body as it is read: a frame a read unless `reads` says otherwise."""
        return [item for _, item in self.steps() if isinstance(item, Data)]

    def steps(self) -> list[Step]:
        """The reads with the seconds that pass before each, and last the end: ConnectionResetError, or None for a clean one."""
        steps: list[Step] = []
        random = Random(self._seed)  # the same for the same seed
        for pause_s, run in self._runs():
            first, *others = _cut_up(run, _sizes(random) if self._seed is not None else repeat(self._size or len(run)))
            steps += [(pause_s, first), *((0.0, piece) for piece in others)]
        end = ConnectionResetError("the scripted stream ends in a reset") if self._reset else None
        return [*steps, (self._pauses[-1], end)]

    def source(self, *, speed: float | None = 1) -> Replay:
        """A source for `sse_dialects.stream` and `astream`. It can also be iterated, any number of times.

        Args:
            speed: what pauses are divided by; None leaves them out.
        """
        return Replay(self.steps(), speed=speed, status_code=self.status, headers=self.headers)

    # ---- faults

    def cut(self, *, after_frames: int | None = None, after_bytes: int | None = None, reset: bool = False) -> ScriptedStream:
        """Ends the stream early, by default before its final frames. In HTTP the response looks complete. With ``reset`` the
        connection breaks instead."""
        if after_bytes is None:
            return self._then(self._place(after_frames))._changed(_reset=reset)
        left = len(self.bytes()[:after_bytes])
        place = 0
        while place < len(self._frames) and left >= len(self._frames[place]):
            left -= len(self._frames[place])
            place += 1
        return self._then(place, *([self._frames[place][:left]] if left else []))._changed(_reset=reset)

    def error(
        self,
        message: str = "the provider failed",
        *,
        type: str | None = None,
        code: str | None = None,
        after_frames: int | None = None,
    ) -> ScriptedStream:
        """Replaces the rest of the stream, by default its final frames, by the report of a failure.

        Raises:
            MisuseError: this stream can't report a failure, for example because it is a `rejection`.
        """
        if self._failure is None:
            raise sd.MisuseError("this stream has no words for a failure: insert(...) a frame of your own in its place")
        place = self._place(after_frames)
        return self._then(place, self._written(self._failure(message, type, code, place)))

    def stall(self, seconds: float = STALL_S, *, after_frames: int | None = None, keep_alives: int = 0) -> ScriptedStream:
        """Pauses the stream, by default before its final frames. ``keep_alives`` comments are sent during the pause."""
        place = self._place(after_frames)
        pause_s = seconds / (keep_alives + 1)
        alive = (self._written(_comment("keep-alive")),) * keep_alives
        return self._changed(
            _frames=(*self._frames[:place], *alive, *self._frames[place:]),
            _pauses=(*self._pauses[:place], *(pause_s for _ in alive), self._pauses[place] + pause_s, *self._pauses[place + 1 :]),
            _ends=self._ends + (keep_alives if place <= self._ends else 0),
        )

    # ---- circumstances

    def delay(self, seconds: float) -> ScriptedStream:
        """Adds a pause before every frame."""
        return self._changed(_pauses=(*(pause + seconds for pause in self._pauses[:-1]), self._pauses[-1]))

    def keep_alives(self, every: int = 1, *, comment: str = "keep-alive", ping: bool = False) -> ScriptedStream:
        """Adds a comment after every ``every`` frames, but not at the end. With ``ping`` it is the ping event of messages.

        Raises:
            MisuseError: ``every`` is below 1.
        """
        if every < 1:
            raise sd.MisuseError(f"every takes a number of frames from 1 up; got {every!r}")
        alive = self._written(named_frame({"type": "ping"}) if ping else _comment(comment))
        frames: list[Data] = []
        pauses: list[float] = []
        for place, each in enumerate(self._frames):
            if place and place % every == 0:
                frames.append(alive)
                pauses.append(0.0)
            frames.append(each)
            pauses.append(self._pauses[place])
        alive_before_ends = max(min(self._ends, len(self._frames) - 1), 0) // every
        return self._changed(_frames=tuple(frames), _pauses=(*pauses, self._pauses[-1]), _ends=self._ends + alive_before_ends)

    def insert(self, data: Data, *, after_frames: int | None = None) -> ScriptedStream:
        """Adds ``data`` as a frame, without a pause before it, by default before the final frames."""
        place = self._place(after_frames)
        return self._changed(
            _frames=(*self._frames[:place], self._written(data), *self._frames[place:]),
            _pauses=(*self._pauses[:place], 0.0, *self._pauses[place:]),
            _ends=self._ends + (place <= self._ends),
        )

    def line_ends(self, end: Literal["\n", "\r\n", "\r"]) -> ScriptedStream:
        """Replaces the line ends by CRLF or CR, which the event stream format also allows."""
        new = end.encode()
        return self._changed(_frames=tuple(each.replace(self._line_end, new) for each in self._frames), _line_end=new)

    def reads(self, size: int | None = None, *, seed: int | None = None) -> ScriptedStream:
        """Divides the body into reads of ``size`` bytes, or of random sizes from ``seed``. They may end inside a frame or a
        character. A pause always ends a read.

        Raises:
            MisuseError: ``size`` is below 1.
        """
        if size is not None and size < 1:
            raise sd.MisuseError(f"size takes a number of bytes from 1 up; got {size!r}")
        return self._changed(_size=size, _seed=seed)

    def starting_after(self, sequence_number: int) -> ScriptedStream:
        """What a provider sends of a response that it keeps, to ``GET /responses/{id}?stream=true&starting_after=N``: the frames
        behind the one with that number.

        Raises:
            MisuseError: the dialect is another one, whose frames have no numbers.
        """
        if self.dialect != "responses":
            raise sd.MisuseError(f"a stream of the dialect {self.dialect} can't be sent from the middle: use as_responses()")
        numbers = [int(found[-1]) if (found := _NUMBERS.findall(each)) else -1 for each in self._frames]
        place = next((place for place, number in enumerate(numbers) if number > sequence_number), len(numbers))
        return self._changed(_frames=self._frames[place:], _pauses=self._pauses[place:], _ends=max(self._ends - place, 0))

    def answered(self, status: int = 200, headers: Mapping[str, str] | None = None) -> ScriptedStream:
        """Sets the response's status and adds headers."""
        lowered = {name.lower(): value for name, value in (headers or {}).items()}
        return self._changed(status=status, headers={**self.headers, **lowered})

    def __repr__(self) -> str:
        return f"<ScriptedStream {self.dialect}, {len(self._frames)} frames, {len(self.bytes())} bytes>"

    # ---- how

    def _changed(self, **members: Any) -> ScriptedStream:
        copy = ScriptedStream.__new__(ScriptedStream)
        for name in self.__slots__:
            setattr(copy, name, members[name] if name in members else getattr(self, name))
        return copy

    def _place(self, after_frames: int | None) -> int:
        return self._ends if after_frames is None else len(self._frames[:after_frames])

    def _then(self, place: int, *ends: Data) -> ScriptedStream:
        """The frames up to ``place``, and other ones that finish the stream after the pause that is there."""
        pauses = (*self._pauses[: place + 1], *(0.0 for _ in ends))
        return self._changed(_frames=(*self._frames[:place], *ends), _pauses=pauses, _ends=place)

    def _written(self, data: Data) -> Data:
        """A frame with this stream's line ends."""
        return data if self._line_end == b"\n" else data.replace(b"\n", self._line_end)

    def _runs(self) -> Iterator[tuple[float, Data]]:
        """Frames that come without a pause between them, with the pause before; a frame a run where reads are frames."""
        joined = self._size is not None or self._seed is not None
        pause_s = 0.0
        run: list[Data] = []
        for place, each in enumerate(self._frames):
            if run and (self._pauses[place] or not joined):
                yield pause_s, b"".join(run)
                run.clear()
            if not run:
                pause_s = self._pauses[place]
            run.append(each)
        if run:
            yield pause_s, b"".join(run)


def _comment(text: str) -> bytes:
    return f": {text}\n\n".encode()


def _sizes(random: Random) -> Iterator[int]:
    """Mostly small reads, as over a slow network, now and then one of many frames."""
    while True:
        yield random.randint(1, random.choice((1, 2, 5, 20, 100, 1000)))


def _cut_up(run: bytes, sizes: Iterator[int]) -> Iterator[bytes]:
    start = 0
    while start < len(run):
        end = start + next(sizes)
        yield run[start:end]
        start = end
