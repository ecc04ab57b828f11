"""10,000 streams open at once on one event loop, fed from inside the process: throughput, memory, and the loop's stalls."""

from __future__ import annotations

import asyncio
import gc
import time
import tracemalloc
from typing import TYPE_CHECKING

from sse_dialects import astream

from .workloads import chat_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["Crowd", "crowd"]

_DELTAS = 30  # frames of text a stream
_OPENING = 3  # frames that each has read before the clock starts


class Crowd:
    """What came of it: the library together with its source and the loop, the same with the garbage collector off, and source and
    loop alone."""

    def __init__(self, streams: int, frames: int, spent: Run, uncollected: Run, alone: Run, held: float) -> None:
        self.streams = streams
        self.frames_per_s = frames / spent.cpu  # of CPU time of one core
        self.source_share = alone.cpu / spent.cpu
        self.stall_ms = spent.stall * 1000
        self.pause_ms = spent.pause * 1000
        self.uncollected_stall_ms = uncollected.stall * 1000
        self.left = uncollected.left
        self.source_pause_ms = alone.pause * 1000
        self.bytes_each = held


class Run:
    """CPU seconds from where all streams are open to the last answer; of those the most that one callback took, and the most that
    one run of the garbage collector took, which is not counted to the callback it interrupted. ``left`` is how many objects it
    found in the end that only cycles kept."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.stall = 0.0
        self.pause = 0.0
        self.left = 0
        self._collected = 0.0  # in all
        self._began = 0.0

    def collector(self, phase: str, _: object) -> None:
        """What `gc.callbacks` calls."""
        if phase == "start":
            self._began = time.thread_time()
        else:
            took = time.thread_time() - self._began
            self._collected += took
            self.pause = max(self.pause, took)

    async def of(self, count: int, frames: list[bytes], text: str | None) -> None:
        """Run ``count`` streams; without a ``text`` to check, their sources alone."""
        gate = Gate(count)
        sources = [_source(frames, gate) for _ in range(count)]
        everything = asyncio.gather(*(_alone(source) if text is None else _read(source, text) for source in sources))
        await gate.full.wait()
        gc.collect()
        self._watch()
        began = time.process_time()
        gate.opened.set()
        await everything
        self.cpu = time.process_time() - began

    def _watch(self) -> None:
        """Time every callback, as the loop's debug mode does, but in CPU time: the neighbours' turns on a shared machine are
        no fault of the callback."""

        def run(handle: asyncio.Handle) -> None:
            began, collected = time.thread_time(), self._collected
            _RUN(handle)
            took = time.thread_time() - began - (self._collected - collected)
            self.stall = max(self.stall, took)

        asyncio.Handle._run = run  # type: ignore[attr-defined, method-assign]  # not in typeshed
        gc.callbacks.append(self.collector)

    def unwatch(self) -> None:
        """Undo it."""
        asyncio.Handle._run = _RUN  # type: ignore[attr-defined, method-assign]
        gc.callbacks.remove(self.collector)


_RUN = asyncio.Handle._run  # type: ignore[attr-defined]


class Gate:
    """Where the streams wait for each other."""

    def __init__(self, count: int) -> None:
        self._missing = count
        self.full = asyncio.Event()
        self.opened = asyncio.Event()

    async def wait(self) -> None:
        """Until it is opened."""
        self._missing -= 1
        if not self._missing:
            self.full.set()
        await self.opened.wait()


async def _source(frames: list[bytes], gate: Gate) -> AsyncIterator[bytes]:
    """One frame a turn of the loop, as a socket would give it."""
    for number, frame in enumerate(frames):
        if number == _OPENING:
            await gate.wait()
        yield frame
        await asyncio.sleep(0)


async def _alone(source: AsyncIterator[bytes]) -> None:
    async for _ in source:
        pass


async def _read(source: AsyncIterator[bytes], text: str) -> None:
    async with astream(source, "chat") as stream:
        async for _ in stream:
            pass
        if (await stream.answer()).text != text:
            raise AssertionError("a stream decoded to another text")


async def _held(count: int, frames: list[bytes]) -> float:
    """Traced bytes a stream that has read five frames, its source included."""
    streams = []
    gc.collect()
    tracemalloc.start()
    for _ in range(count):
        stream = astream(_ready(frames), "chat")
        for _ in range(5):
            await anext(stream)
        streams.append(stream)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    for stream in streams:
        await stream.close()
    return held / count


async def _ready(frames: list[bytes]) -> AsyncIterator[bytes]:
    for frame in frames:
        yield frame


def _ran(count: int, frames: list[bytes], text: str | None) -> Run:
    run = Run()
    gc.collect()
    asyncio.run(run.of(count, frames, text))
    run.unwatch()
    run.left = gc.collect()
    return run


def crowd(count: int = 10_000) -> Crowd:
    """Run them."""
    workload = chat_text("chat: one of a crowd", _DELTAS)
    alone = _ran(count, workload.frames, None)
    spent = _ran(count, workload.frames, workload.texts[0])
    gc.disable()
    uncollected = _ran(count, workload.frames, workload.texts[0])
    gc.enable()
    held = asyncio.run(_held(min(count, 1000), workload.frames))
    return Crowd(count, count * (len(workload.frames) - _OPENING), spent, uncollected, alone, held)
