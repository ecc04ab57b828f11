"""An archive of streams, one file each, read by many processes: what they cost in all, and which of them are no whole answers.

    python examples/replay_archive.py archive/*.sse archive/*.jsonl

With Dask, here on one machine; with a cluster's address the same runs on many. Answers and errors pickle, partial answers
included, so a worker may return them as they are.
"""

from __future__ import annotations

import sys
from typing import Any

import dask.bag

import sse_dialects as sd
from sse_dialects.recording import replay


def read(path: str) -> tuple[str, sd.Answer | sd.SSEDialectsError]:
    """A file's answer or error. ``.jsonl`` is a recording of ours, anything else the stream's bytes."""
    source: Any = replay(path) if path.endswith(".jsonl") else open(path, "rb")  # noqa: SIM115  # the stream closes it
    try:
        with sd.stream(source) as events:
            return path, events.answer()
    except sd.SSEDialectsError as error:
        return path, error


def tokens(outcome: sd.Answer | sd.SSEDialectsError) -> int:
    """What a stream cost, as far as it said so: a cut one may have lost its usage."""
    answer = outcome if isinstance(outcome, sd.Answer) else getattr(outcome, "partial", None)
    return (answer.usage.total_tokens or 0) if answer is not None and answer.usage else 0


def total(paths: list[str], scheduler: str = "processes") -> tuple[int, dict[str, sd.SSEDialectsError]]:
    """``(tokens, errors by path)`` over all files."""
    outcomes = dask.bag.from_sequence(paths, npartitions=min(len(paths), 64)).map(read).compute(scheduler=scheduler)
    errors = {path: outcome for path, outcome in outcomes if isinstance(outcome, sd.SSEDialectsError)}
    return sum(tokens(outcome) for _, outcome in outcomes), errors


def main() -> None:
    """Prints the sum, and a line for each file that is no whole answer."""
    cost, errors = total(sys.argv[1:])
    print(cost, "tokens")
    for path, error in sorted(errors.items()):
        print(f"{path}: {error.kind}, {len(getattr(error, 'partial', sd.Answer(None)).text)} characters came")


if __name__ == "__main__":
    main()
