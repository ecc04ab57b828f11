"""No call slower than linear: an input is made longer by repeating something in it, and its time must not grow by much more."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from zlib import crc32

from test_growth import TRIES, UNLIMITED, WORST, seconds

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_growth", "decode"]

_SMALL, _LARGE = 12_000, 48_000  # bytes: large enough for a square to show, small enough to be waited for
_NOTHING = 0.02  # seconds that are too few to tell


def check_growth(data: bytes, use: Callable[[bytes], object]) -> None:
    """Four times the bytes take no more than eight times as long to ``use``, in CPU time, more than once.

    Raises:
        AssertionError: they do.
    """
    before, repeated, behind = _parts(data)
    if not repeated:
        return
    small, large = (before + repeated * (size // len(repeated)) + behind for size in (_SMALL, _LARGE))
    for _ in range(TRIES):
        took = _seconds(large, use)
        if took < _NOTHING or took < WORST * max(_seconds(small, use), _NOTHING / WORST):
            return
    raise AssertionError(f"repeating {repeated[:100]!r} takes more time than it adds bytes: {took:.3f} s for {len(large)} bytes")


def decode(data: bytes, dialect: str, options: dict[str, Any]) -> None:
    """Decode without limits, and ask for what there is of the answer."""
    with suppress(sd.SSEDialectsError):
        seconds(data, dialect, 1_024, {**options, "limits": UNLIMITED})


def _seconds(data: bytes, use: Callable[[bytes], object]) -> float:
    began = time.process_time()
    use(data)
    return time.process_time() - began


def _parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """What stands before the part that is repeated, that part, and what stands behind it: a few frames, or some bytes."""
    rng = random.Random(crc32(data))
    blocks = data.split(b"\n\n")
    if rng.random() < 0.7 and len(blocks) > 1:
        start = rng.randrange(len(blocks) - 1)
        end = min(start + rng.choice([1, 1, 2, 3]), len(blocks) - 1)
        pieces = [b"".join(block + b"\n\n" for block in blocks[:start]), b"".join(block + b"\n\n" for block in blocks[start:end])]
        return (*pieces, b"\n\n".join(blocks[end:]))
    # What begins something that never ends is one byte that is no letter, most often.
    marks = [at for at, byte in enumerate(data) if not chr(byte).isalnum()] if rng.random() < 0.7 else []
    start = rng.choice(marks) if marks else rng.randrange(len(data) + 1)
    end = start + rng.choice([1, 1, 2, 8, 40])
    return data[:start], data[start:end], data[end:]
