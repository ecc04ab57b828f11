"""What is measured."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from . import workloads
from .crowd import Crowd, crowd
from .measure import cpu, floor_of, peak, ratio
from .peers import FRAME_LAYERS, PIPELINES, UnavailableError, ours, version
from .recordings import measured_recordings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .workloads import Workload

__all__ = ["Rows", "measured"]


class Rows:
    """The figures, by workload or size, then by peer."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.recordings: dict[str, dict[str, str]] = {}  # CPU over the floor, of real streams
        self.short: dict[str, dict[str, float]] = {}  # CPU over the floor, of streams as short as most real ones
        self.long: dict[str, dict[str, float]] = {}  # the same of long ones
        self.frames: dict[str, dict[str, float]] = {}  # MB a second over ours
        self.growth: dict[str, dict[str, float]] = {}  # CPU a delta of a stream eight times as long
        self.memory: dict[str, dict[str, float]] = {}  # peak bytes a delta
        self.parsers: dict[str, dict[str, float]] = {}  # CPU over the floor with another JSON parser on the plain path
        self.acceptance: dict[str, dict[str, str]] = {}  # cuts that gave an answer, of how many
        self.crowd: Crowd | None = None


def measured(pairs: int, streams: int, recordings: Path | None) -> Rows:
    """Measure all of it."""
    rows = Rows()
    rows.crowd = _noted("crowd", crowd(streams))
    if recordings is not None:
        rows.recordings = _noted("recordings", measured_recordings(recordings))
    for builders, found in ((workloads.SHORT, rows.short), (workloads.LONG, rows.long)):
        for build in builders:
            workload = build()
            found[f"{workload.name}, {len(workload.frames):,} frames"] = _pipelines(rows, workload, pairs)
    for name, size in (("16 KiB", 16384), ("1 KiB", 1024), ("64 B", 64)):
        rows.frames[name] = _frame_layers(rows, size, pairs)
    for short, long in _growing():
        rows.growth[long.name], rows.memory[long.name] = _growth(short, long)
    for workload in (workloads.chat_text(count=8), workloads.messages_text(8), workloads.responses_text(8)):
        rows.acceptance[workload.dialect] = _acceptance(workload)
    rows.parsers = _parsers(pairs)
    return rows


def _noted(name: str, value: Any) -> Any:
    sys.stderr.write(f"{name}: {value if isinstance(value, float) else 'done'}\n")
    return value


def _jobs(rows: Rows, workload: Workload) -> dict[str, tuple[Callable[[], str], float]]:
    """The pipelines that are installed and read the dialect, each with the CPU time it took when it was tried; one that comes to
    another answer is left out."""
    jobs = {}
    want = workload.texts[0] or "".join(workload.arguments)
    for peer, (package, make) in PIPELINES.items():
        try:
            job = make(workload)
            began = time.process_time()
            got = job()
            took = time.process_time() - began
        except (UnavailableError, ImportError):
            continue
        except Exception as error:
            sys.stderr.write(f"{workload.name}, {peer}: {type(error).__name__}: {error}\n")
            continue
        rows.versions[package] = version(package)
        if got == want:
            jobs[peer] = (job, took)
        else:
            sys.stderr.write(f"{workload.name}, {peer}: another answer\n")
    return jobs


def _pipelines(rows: Rows, workload: Workload, pairs: int) -> dict[str, float]:
    floor = floor_of(workload)
    jobs = _jobs(rows, workload)
    return {peer: _noted(f"{workload.name}, {peer}", ratio(job, floor, pairs, first)) for peer, (job, first) in jobs.items()}


def _frame_layers(rows: Rows, size: int, pairs: int) -> dict[str, float]:
    workload = workloads.chat_text(reads=size)
    found = {}
    for peer, (package, frames) in FRAME_LAYERS.items():
        try:
            count = frames(workload.chunks)
        except ImportError:
            continue
        rows.versions[package] = version(package)
        if peer == _OURS:
            found[peer] = 1.0
        elif count == len(workload.frames):
            job = _bound(frames, workload.chunks)
            found[peer] = _noted(
                f"frames {size}, {peer}", ratio(job, _bound(FRAME_LAYERS[_OURS][1], workload.chunks), pairs, 0.0)
            )
    return found


_OURS = next(iter(FRAME_LAYERS))


def _bound(frames: Callable[[list[bytes]], int], chunks: list[bytes]) -> Callable[[], object]:
    return lambda: frames(chunks)


def _growing() -> list[tuple[Workload, Workload]]:
    return [
        (workloads.chat_text("chat: text", 500), workloads.chat_text("chat: text", 4000)),
        (workloads.messages_tool(5_000), workloads.messages_tool(40_000)),
        (workloads.responses_tool(5_000), workloads.responses_tool(40_000)),
    ]


def _growth(short: Workload, long: Workload) -> tuple[dict[str, float], dict[str, float]]:
    growth, memory = {}, {}
    before, after = _jobs(Rows(), short), _jobs(Rows(), long)
    for peer in [peer for peer in before if peer in after]:
        each = [cpu(jobs[peer][0]) / len(workload.frames) for jobs, workload in ((before, short), (after, long))]
        growth[peer] = _noted(f"growth {long.name}, {peer}", each[1] / each[0])
        memory[peer] = peak(before[peer][0]) / len(short.frames)
    return growth, memory


def _acceptance(workload: Workload) -> dict[str, str]:
    """How many cuts, each after one of the frames before the one that tells that the answer is whole, gave an answer."""
    found = {}
    telling = ('"finish_reason":"', '"stop_reason":"', "response.completed")
    last = next(number for number, frame in enumerate(workload.frames) if any(word in frame.decode() for word in telling))
    for peer in _jobs(Rows(), workload):
        accepted = 0
        for number in range(1, last + 1):
            cut = workload.cut_after(number)
            try:
                PIPELINES[peer][1](cut)()
            except Exception:
                continue
            accepted += 1
        found[peer] = _noted(f"cuts {workload.dialect}, {peer}", f"{accepted} of {last}")
    return found


# ---- a faster JSON parser on the plain path


def _parsers(pairs: int) -> dict[str, dict[str, float]]:
    """What the extra that this library does not have would bring: the same pipeline with another parser put in its place."""
    from sse_dialects.dialects import payload

    standard = payload.scan  # the only place where the plain path parses
    others: dict[str, Any] = {"the standard library": standard}
    for name, load in _loaders().items():
        others[name] = _scanning(load, standard)
    found: dict[str, dict[str, float]] = {}
    for build in workloads.WORKLOADS:
        workload = build()
        floor, job = floor_of(workload), ours(workload)
        found[workload.name] = {}
        for name, scan in others.items():
            payload.scan = scan
            try:
                found[workload.name][name] = _noted(f"parser {workload.name}, {name}", ratio(job, floor, pairs, 0.0))
            finally:
                payload.scan = standard
    return found


def _loaders() -> dict[str, Callable[[str], Any]]:
    loaders: dict[str, Callable[[str], Any]] = {}
    try:
        import orjson

        loaders["orjson"] = orjson.loads
    except ImportError:
        pass
    try:
        import msgspec

        loaders["msgspec"] = msgspec.json.Decoder().decode
    except ImportError:
        pass
    return loaders


def _scanning(load: Callable[[str], Any], standard: Any) -> Any:
    """What it rejects goes to the standard one; what might differ in a number or a surrogate would still have to be found."""

    def scan(text: str, start: int) -> tuple[Any, int]:
        try:
            return load(text), len(text)
        except (ValueError, json.JSONDecodeError):
            return standard(text, start)

    return scan
