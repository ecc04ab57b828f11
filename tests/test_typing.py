"""tests/typing/api.py under each type checker that is installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

API = Path(__file__).parent / "typing" / "api.py"
PYTHON = sys.executable
BIN = Path(PYTHON).parent

CHECKERS = {
    "mypy": [PYTHON, "-m", "mypy", "--strict", "--config-file=", "--cache-dir={cache}"],
    "pyright": [PYTHON, "-m", "pyright", "--pythonpath", PYTHON],
    "pyrefly": [str(BIN / "pyrefly"), "check", "--python-interpreter-path", PYTHON],
    "ty": [str(BIN / "ty"), "check", "--python", PYTHON],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKERS)
def test_the_public_api(name, tmp_path):
    if not (importlib.util.find_spec(name) or shutil.which(str(BIN / name))):
        pytest.skip(f"{name} is not installed")
    command = [part.format(cache=tmp_path) for part in CHECKERS[name]]
    done = subprocess.run([*command, str(API)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
