"""`python -m benchmarks`: measure everything, then write docs/benchmarks.md and docs/benchmarks.svg.

Needs the extra ``benchmark``; a peer that is not installed is left out. Takes some minutes. ``--quick`` measures fewer pairs.
``--recordings`` names a folder of recorded streams (`benchmarks.recordings`), which then stand first.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from pathlib import Path

from .report import page
from .rows import measured

_DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure, then write docs/benchmarks.md and .svg.")
    parser.add_argument("--quick", action="store_true", help="three pairs a figure in place of nine, and a crowd of 1,000")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="measure these recorded streams, too")
    options = parser.parse_args()
    quick = options.quick
    warnings.simplefilter("ignore")  # the peers' own
    logging.disable(logging.CRITICAL)
    rows = measured(pairs=3 if quick else 9, streams=1_000 if quick else 10_000, recordings=options.recordings)
    text, plot = page(rows)
    (_DOCS / "benchmarks.md").write_text(text, encoding="utf-8")
    (_DOCS / "benchmarks.svg").write_text(plot, encoding="utf-8")


if __name__ == "__main__":
    main()
