"""An archive of streams, one file each, read by many processes: what they cost in all,
and which of them are no whole answers.

    pip install sse-dialects 'dask[bag]'
    python examples/replay_archive.py archive/*.sse archive/*.jsonl

It needs no provider; without an archive, make one (start ``sse-dialects demo --serve``
in another terminal):

    curl -sSN http://127.0.0.1:8765/v1/messages -d '{"stream": true}' > whole.sse
    curl -sSN http://127.0.0.1:8765/cut/v1/messages -d '{"stream": true}' > cut.sse
    python examples/replay_archive.py whole.sse cut.sse

With Dask, here on one machine; with a cluster's address the same runs on many. Answers
and errors pickle, partial answers included, so a worker may return them as they are.
"""

from __future__ import annotations

import sys
from typing import Any

import dask.bag

import sse_dialects as sd
from sse_dialects.recording import replay

Outcome = sd.Answer | sd.SSEDialectsError | OSError | ValueError


def read(path: str) -> tuple[str, Outcome]:
    """A file's answer or error. ``.jsonl`` is a recording of ours, anything else the
    stream's bytes."""
    try:
        source: Any = replay(path) if path.endswith(".jsonl") else open(path, "rb")  # noqa: SIM115  # the stream closes it
        with sd.stream(source) as events:
            return path, events.answer()
    except (
        sd.SSEDialectsError,
        OSError,
        ValueError,
    ) as error:  # one bad file must not stop the others
        return path, error


def tokens(outcome: Outcome) -> int:
    """What a stream cost, as far as it said so: a cut one may have lost its usage."""
    answer = (
        outcome if isinstance(outcome, sd.Answer) else getattr(outcome, "partial", None)
    )
    return (
        (answer.usage.total_tokens or 0) if answer is not None and answer.usage else 0
    )


def total(
    paths: list[str], scheduler: str = "processes"
) -> tuple[int, dict[str, Exception]]:
    """``(tokens, errors by path)`` over all files."""
    outcomes = (
        dask.bag.from_sequence(paths, npartitions=min(len(paths), 64))
        .map(read)
        .compute(scheduler=scheduler)
    )
    errors = {
        path: outcome
        for path, outcome in outcomes
        if not isinstance(outcome, sd.Answer)
    }
    return sum(tokens(outcome) for _, outcome in outcomes), errors


def main() -> None:
    """Prints the sum, and a line for each file that is no whole answer."""
    if not sys.argv[1:]:
        sys.exit("usage: python examples/replay_archive.py FILE ...")
    cost, errors = total(sys.argv[1:])
    print(cost, "tokens")
    for path, error in sorted(errors.items()):
        if isinstance(error, sd.StreamError):
            print(f"{path}: {error.kind}, {len(error.partial.text)} characters came")
        else:
            print(f"{path}: {error}")


if __name__ == "__main__":
    main()
