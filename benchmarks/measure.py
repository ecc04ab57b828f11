"""CPU time, as ratios within one process: a shared machine's absolute times say little, and wall time less."""

from __future__ import annotations

import gc
import json
import statistics
import time
import tracemalloc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .workloads import Workload

__all__ = ["cpu", "floor_of", "peak", "ratio"]

# A job that takes longer than this is measured once: there is nothing in it that a second run would smooth.
_LONG_S = 1.0


def cpu(job: Callable[[], object]) -> float:
    """Seconds of CPU time that ``job`` takes."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        job()
        return time.process_time() - began
    finally:
        gc.enable()


def ratio(job: Callable[[], object], floor: Callable[[], object], pairs: int, first: float) -> float:
    """The median over ``pairs`` of what ``job`` takes over what ``floor`` takes right beside it. ``first`` is what it took when
    it was tried, which is enough of a job that takes long."""
    if first > _LONG_S:
        return first / statistics.median(cpu(floor) for _ in range(pairs))
    found = []
    for number in range(pairs):
        if number % 2:
            below, above = cpu(floor), cpu(job)
        else:
            above, below = cpu(job), cpu(floor)
        found.append(above / below)
    return statistics.median(found)


def floor_of(workload: Workload) -> Callable[[], object]:
    """`json.loads` of the workload's payloads, one by one, and nothing else."""

    def job() -> None:
        for payload in workload.payloads:
            json.loads(payload)

    return job


def peak(job: Callable[[], object]) -> int:
    """The most bytes that ``job`` holds at a time, over what was held before."""
    job()
    gc.collect()
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
