"""The checks that may lie beside this checkout, run as they are; skipped where they don't."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["frames.py"], ["cases.py", "--cuts"], ["corpus.py"]], ids=lambda arguments: arguments[0])
def test_a_shared_check_holds(arguments, shared):
    script, *options = arguments
    command = [sys.executable, str(shared / "check" / script), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{script}:\n{done.stdout[-4000:]}{done.stderr[-2000:]}"
    assert " 0 failed" in done.stdout
