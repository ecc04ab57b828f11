"""10,000 streams open at once in one process and one event loop, fed from inside it: throughput, memory, and the loop's stalls."""

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


class Crowd:
    """What came of it: CPU and stalls of the library with the source, and of the source alone."""

    def __init__(
        self, streams: int, frames: int, cpu: float, source_cpu: float, stall: float, source_stall: float, bytes_each: float
    ):
        self.streams = streams
        self.frames = frames
        self.frames_per_s = frames / cpu  # of CPU time of one core
        self.source_share = source_cpu / cpu
        self.stall_ms = stall * 1000
        self.source_stall_ms = source_stall * 1000
        self.bytes_each = bytes_each


async def _source(frames: list[bytes], started: asyncio.Event) -> AsyncIterator[bytes]:
    """One frame a turn of the loop, as a socket would give it."""
    await started.wait()
    for frame in frames:
        yield frame
        await asyncio.sleep(0)


class _Watch:
    """The longest that one callback has kept the loop from the next, garbage collection inside it included. In CPU time: on a
    shared machine the neighbours' turns are no fault of the callback."""

    def __init__(self) -> None:
        self.longest = 0.0

    def install(self) -> None:
        before = asyncio.Handle._run  # type: ignore[attr-defined]  # not in typeshed; debug mode times it the same way, at a cost

        def run(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            before(handle)
            self.longest = max(self.longest, time.thread_time() - began)

        asyncio.Handle._run = run  # type: ignore[attr-defined]
        self.remove = lambda: setattr(asyncio.Handle, "_run", before)


async def _alone(source: AsyncIterator[bytes]) -> None:
    async for _ in source:
        pass


async def _read(source: AsyncIterator[bytes], text: str) -> None:
    async with astream(source, "chat") as stream:
        async for _ in stream:
            pass
        if (await stream.answer()).text != text:
            raise AssertionError("a stream decoded to another text")


async def _run(count: int, frames: list[bytes], text: str | None) -> float:
    """CPU seconds from the first byte to the last answer."""
    started = asyncio.Event()
    sources = [_source(frames, started) for _ in range(count)]
    tasks = [asyncio.create_task(_alone(source) if text is None else _read(source, text)) for source in sources]
    await asyncio.sleep(0.1)
    began = time.process_time()
    started.set()
    await asyncio.gather(*tasks)
    return time.process_time() - began


async def _held(count: int, frames: list[bytes]) -> float:
    """Traced bytes a stream in the middle of it, its source included."""
    gc.collect()
    tracemalloc.start()
    streams = []
    for _ in range(count):
        started = asyncio.Event()
        started.set()
        stream = astream(_source(frames, started), "chat")
        for _ in range(5):
            await stream.__anext__()
        streams.append(stream)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    for stream in streams:
        await stream.close()
    return held / count


def crowd(count: int = 10_000) -> Crowd:
    """Run them."""
    workload = chat_text("chat: one of a crowd", _DELTAS)
    watch = _Watch()
    watch.install()
    try:
        source_cpu = asyncio.run(_run(count, workload.frames, None))
        source_stall, watch.longest = watch.longest, 0.0
        spent = asyncio.run(_run(count, workload.frames, workload.texts[0]))
        stall = watch.longest
    finally:
        watch.remove()
    held = asyncio.run(_held(min(count, 1000), workload.frames))
    return Crowd(count, count * len(workload.frames), spent, source_cpu, stall, source_stall, held)
