"""The page and the plot that docs/ shows."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from .plot import plot

if TYPE_CHECKING:
    from collections.abc import Callable

    from .rows import Rows

__all__ = ["page"]

_OURS = "sse-dialects"

_INTRO = """# Benchmarks

Made by `python -m benchmarks` (`pip install -e '.[benchmark]'` brings the peers); {python} on {machine}. {versions}

Every figure is a ratio of CPU time within one process, over the same bytes, the median of pairs measured in turn: absolute times
move with the machine. The streams are seeded and named after situations; a test checks that each decodes to what it claims.

**The SDKs build richer objects**: a pydantic model of every chunk, and a snapshot of the whole answer at every event. If you
need those, what they cost is what they cost. The comparison says what you pay where events and one whole answer are enough.
"""

_RECORDINGS = """## Real recordings

Recorded answers of many providers and gateways, most of them short. Bytes in 16 KiB reads to events to the answer, over
`json.loads` alone on the same payloads (1.0: as much as parsing): the median stream, in brackets all streams together, then how
many of them the peer reads without an error. Some recordings end in a failure. They are not part of this repository.
"""

_SHORT = """## Short streams

Streams of this project as short as most real ones, with the members and the padding that servers send today. A peer is missing
where it does not read the dialect, or came to another answer.
"""

_LONG = """## Long streams

The same for long, uniform answers. A figure below 1 means that most frames need no JSON parser: they are the bytes of the frame
before, but for the delta.

![CPU time over the json.loads floor, by workload and peer, on a logarithmic scale](benchmarks.svg)
"""

_FRAMES = """## Frame layers

Bytes to frames alone, CPU time over ours (above 1.0: slower than `FrameParser`).
"""

_GROWTH = """## Growth and memory

CPU time a frame in a stream eight times as long, over the short one (1.0: linear), and in brackets the most bytes a frame that
are held at a time in the short one, all that the peer keeps included.
"""

_ACCEPTANCE = """## Cut streams passed on as whole

A stream of each dialect, cut after each frame before the one that says that the answer is whole, the connection closed without
an error: how many of the cuts gave an answer in place of an exception.
"""

_CROWD = """## Many streams at once

One process, one event loop, {streams:,} streams of `astream` open at once over async generators that give one frame a turn.

| what | figure |
|---|---|
| frames a second of one core's CPU time, the event loop and the source included | {rate:,.0f} |
| of that, the source and the loop alone | {share:.0%} |
| memory a stream in the middle of it, its source included | {size:.1f} KiB |
| longest that one callback kept the loop, in CPU time | {stall:.1f} ms |
| longest run of the garbage collector beside that | {pause:.0f} ms |
| the same with the source alone | {alone:.0f} ms |
| longest that anything kept the loop with the collector off, in CPU time | {uncollected:.1f} ms |
| objects in cycles that it then found | {left:,} |

No callback of ours keeps the loop for long. What CPython's collector looks at in its longest run is what one turn of all streams
has made, 13 objects a stream: coroutines, generators and handles of the loop most of them, the event at hand, the list that it is
in. It finds nothing there: streams that end whole leave no cycles behind. So a program that counts milliseconds can do without it
while they run (`gc.disable()`), and collect when it has the time.
"""

_PARSER = """## Why there is no extra for a faster JSON parser

The plain path with another parser in place of the standard library's, which still gets what the other one rejects; whole
pipelines over the `json.loads` floor.
"""

_PARSER_REASON = """
In long answers most frames never reach a parser, and in short ones what the library does with a payload costs more than the
parser. Against that stands a second set of answers: parsers differ in what
they make of large integers and of half a surrogate pair, and each difference would have to be found and sent to the standard
one. So there is none.
"""


def page(rows: Rows) -> tuple[str, str]:
    """The page as Markdown, and the plot as SVG."""
    versions = ", ".join(f"{package} {number}" for package, number in sorted(rows.versions.items()) if package != _OURS)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    parts = [
        "<!-- written by `python -m benchmarks` -->",
        _INTRO.format(python=python, machine=f"{platform.system()} {platform.machine()}", versions=f"Peers: {versions}."),
        *([_RECORDINGS, _table("dialect", rows.recordings, str)] if rows.recordings else []),
        _SHORT,
        _table("workload", rows.short, _times),
        _LONG,
        _table("workload", rows.long, _times),
        _FRAMES,
        _table("reads of", rows.frames, _times),
        _GROWTH,
        _table("stream", _joined(rows), str),
        _ACCEPTANCE,
        _table("dialect", rows.acceptance, str),
    ]
    if rows.crowd is not None:
        crowd = rows.crowd
        numbers = {"streams": crowd.streams, "rate": crowd.frames_per_s, "share": crowd.source_share}
        numbers |= {"size": crowd.bytes_each / 1024, "stall": crowd.stall_ms}
        numbers |= {"pause": crowd.pause_ms, "alone": crowd.source_pause_ms, "left": crowd.left}
        numbers |= {"uncollected": crowd.uncollected_stall_ms}
        parts.append(_CROWD.format(**numbers))
    parts += [_PARSER, _table("workload", rows.parsers, lambda value: f"{value:.2f}") + _PARSER_REASON]
    return "\n".join(part.strip() + "\n" for part in parts), plot({**rows.short, **rows.long})


def _times(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _joined(rows: Rows) -> dict[str, dict[str, str]]:
    return {
        name: {peer: f"{value:.1f} ({rows.memory[name][peer]:,.0f})" for peer, value in peers.items()}
        for name, peers in rows.growth.items()
    }


def _table(corner: str, rows: dict[str, dict[str, float]] | dict[str, dict[str, str]], text: Callable[..., str]) -> str:
    """A row a name, a column a peer, in the order of their first appearance; ours first."""
    peers = list(dict.fromkeys(peer for row in rows.values() for peer in row))
    peers.sort(key=lambda peer: not peer.startswith(_OURS))
    lines = [f"| {corner} | {' | '.join(peers)} |", f"|---|{'---:|' * len(peers)}"]
    lines += [
        f"| {name} | {' | '.join(text(row[peer]) if peer in row else '' for peer in peers)} |" for name, row in rows.items()
    ]
    return "\n".join(lines) + "\n"
