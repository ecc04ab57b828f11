"""Fuzzing: any bytes at all, steered by coverage into whatever they have not reached yet. Run `python -m fuzz`.

`targets.check` is what has to hold, of one input; `tests/test_fuzz.py` asks the same of what hypothesis thinks of. The streams to
begin with, and the ways of spoiling them, are those of the tests.
"""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parent.parent / "tests")
if _TESTS not in sys.path:
    sys.path.append(_TESTS)
