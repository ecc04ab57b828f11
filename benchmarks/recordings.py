"""Real streams: a folder of recordings, each an event stream as it came, below a folder that is named after its dialect.

Most real streams are short, so what a stream costs before its first delta and behind its last one counts as much as a delta.
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING

from sse_dialects import FrameParser

from .measure import floor_of
from .peers import PIPELINES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["measured_recordings"]

_READ = 16384
_RUNS = 3  # the quickest of which counts, as each takes less than a millisecond


class Recording:
    """One stream: its reads, and the JSON payloads in them."""

    def __init__(self, path: Path) -> None:
        wire = path.read_bytes()
        self.dialect = path.parent.name
        self.chunks = [wire[start : start + _READ] for start in range(0, len(wire), _READ)]
        self.payloads = [frame.data for frame in FrameParser().feed(wire) if frame.data.startswith("{")]


def measured_recordings(folder: Path) -> dict[str, dict[str, str]]:
    """For each dialect and peer the median and the total of CPU time over `json.loads` alone, as text. A peer is measured on the
    recordings that it reads without an error."""
    found: dict[str, dict[str, str]] = {}
    for dialect in ("chat", "messages", "responses"):
        streams = [Recording(path) for path in sorted((folder / dialect).rglob("*.sse"))]
        streams = [stream for stream in streams if stream.payloads]
        if not streams:
            continue
        length = statistics.median(len(stream.payloads) for stream in streams)
        row = found[f"{dialect}: {len(streams)} recordings, the median one of {length:.0f} frames"] = {}
        for peer, (_, make) in PIPELINES.items():
            times = [pair for stream in streams if (pair := _times(make, stream)) is not None]
            if times:
                median = statistics.median(job / floor for job, floor in times)
                total = sum(job for job, _ in times) / sum(floor for _, floor in times)
                row[peer] = f"{median:.3g} ({total:.3g}), {len(times)} read"
    return found


def _times(make: Callable[..., Callable[[], object]], stream: Recording) -> tuple[float, float] | None:
    try:
        job = make(stream)
        job()
    except Exception:
        return None
    gc.disable()
    times = _quickest(job), _quickest(floor_of(stream))
    gc.enable()
    return times


def _quickest(job: Callable[[], object]) -> float:
    found = []
    for _ in range(_RUNS):
        began = time.process_time()
        job()
        found.append(time.process_time() - began)
    return min(found)
