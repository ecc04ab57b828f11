"""`python -m fuzz`: atheris over all targets.

Everything that goes wrong is written into the corpus folder's ``found``; the first ends the run, unless ``--keep-going``.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LONGEST = 2_048  # bytes of an input: most of what there is to find needs a few hundred
_WAIT_S = 30  # one input that takes longer hangs
_EVERY_S = 60.0  # between two lines of figures


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status is 1 where something was found."""
    options = _options(argv)
    if options.replay:
        return replayed(options.replay)
    try:
        import atheris
    except ImportError:
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"atheris is not installed for this CPython {version}; `pip install atheris` where it has a wheel. Nothing fuzzed.")
        return 0
    with atheris.instrument_imports(include=["sse_dialects"], exclude=["sse_dialects.values"]):  # all it does is to be called
        from .targets import TALLY, TARGETS, check
    from .mutator import Mutator
    from .seeds import streams, write_corpus

    corpus = options.corpus or Path(tempfile.mkdtemp(prefix="fuzz-"))
    print(f"{write_corpus(corpus / 'seeds', _LONGEST)} seeds in {corpus}")
    known = [block for _, data in streams() for block in data.split(b"\n\n") if block]
    run = Run(check, TALLY, corpus / "found", options.keep_going)
    mutate = Mutator(known, len(TARGETS))

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        return mutate(data, seed, lambda body: atheris.Mutate(body, max(len(body), 1)))[:max_size]

    (corpus / "grown").mkdir(exist_ok=True)
    limits = [f"-runs={options.runs}", f"-max_total_time={options.seconds}", f"-seed={options.seed}"]
    arguments = [*limits, f"-max_len={_LONGEST}", f"-timeout={_WAIT_S}", f"-artifact_prefix={corpus}/", "-rss_limit_mb=4096"]
    atheris.Setup([sys.argv[0], *arguments, str(corpus / "grown"), str(corpus / "seeds")], run, custom_mutator=mutator)
    atheris.Fuzz()
    return 0


def replayed(paths: Sequence[Path]) -> int:
    """Check inputs that were written before, without coverage."""
    from .targets import check

    for path in paths:
        print(path)
        check(path.read_bytes())
    return 0


class Run:
    """Checks one input after another, and keeps those that fail, one of each kind.

    Args:
        check: what is asked of an input.
        tally: what came of the inputs so far.
        folder: where failing inputs go.
        keep_going: whether to go on after one.
    """

    def __init__(self, check: Callable[[bytes], None], tally: dict[str, int], folder: Path, keep_going: bool) -> None:
        self._check = check
        self._tally = tally
        self._folder = folder
        self._keep_going = keep_going
        self._found: set[str] = set()
        self._count = 0
        self._said = time.monotonic()

    def __call__(self, data: bytes) -> None:
        """Check one input."""
        self._count += 1
        try:
            self._check(data)
        except Exception as error:
            if self._is_new(error):
                self._write(data, error)
            if not self._keep_going:
                raise
        if time.monotonic() - self._said > _EVERY_S:
            self._said = time.monotonic()
            figures = ", ".join(f"{name} {number:,}" for name, number in sorted(self._tally.items()))
            print(f"{self._count:,} inputs, {len(self._found)} kinds of failure; {figures}", flush=True)

    def _is_new(self, error: Exception) -> bool:
        """By where it was raised, in the library if it passed through there."""
        frames = traceback.extract_tb(error.__traceback__)
        last = next((frame for frame in reversed(frames) if "sse_dialects" in frame.filename), frames[-1])
        said = re.sub("[^a-z ]", "", str(error).partition("\n")[0])[:60]  # an assertion may say nothing
        kind = f"{type(error).__name__} {last.filename}:{last.lineno} {said}"
        known = kind in self._found
        self._found.add(kind)
        return not known

    def _write(self, data: bytes, error: Exception) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / hashlib.sha1(data).hexdigest()[:12]
        path.write_bytes(data)
        print(f"FOUND, {path}:\n{''.join(traceback.format_exception(error))}", flush=True)


def _options(argv: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz the library, steered by coverage.")
    parser.add_argument("--runs", type=int, default=-1, help="how many inputs to try (default: without end)")
    parser.add_argument("--seconds", type=int, default=0, help="for how long (default: without end)")
    parser.add_argument("--seed", type=int, default=1, help="the same inputs for the same seed (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, help="a folder for inputs, to go on from another time (default: a new one)")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure, and keep one input of each kind")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="only check these inputs again")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
