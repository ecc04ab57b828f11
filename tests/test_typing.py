"""tests/typing/api.py under each type checker that is installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import typing
from pathlib import Path
from typing import get_args

import pytest
import typing_extensions

import sse_dialects
from sse_dialects import compat, native, recording, telemetry, testing

API = Path(__file__).parent / "typing" / "api.py"
PYTHON = sys.executable
BIN = Path(PYTHON).parent

CHECKERS = {
    "mypy": [PYTHON, "-m", "mypy", "--strict", "--config-file=", "--cache-dir={cache}"],
    "pyright": [PYTHON, "-m", "pyright", "--pythonpath", PYTHON],
    "pyrefly": [str(BIN / "pyrefly"), "check", "--python-interpreter-path", PYTHON],
    "ty": [str(BIN / "ty"), "check", "--python", PYTHON],
}


MODULES = [sse_dialects, compat, native, recording, telemetry, testing]
VALUES = [
    *get_args(sse_dialects.Event),
    *get_args(sse_dialects.Part),
    sse_dialects.Answer,
    sse_dialects.Choice,
    sse_dialects.Usage,
]
VALUES += [getattr(sse_dialects, name) for name in sse_dialects.__all__ if name.endswith("Error")]
VALUES += [sse_dialects.Answer, sse_dialects.Choice, sse_dialects.Frame, sse_dialects.Limits, sse_dialects.Usage]


def test_the_hints_of_every_public_type_resolve():
    types = [getattr(module, name) for module in MODULES for name in getattr(module, "__all__", [])]
    types = [each for each in types if isinstance(each, type)]
    assert len(types) > 40
    for each in types:
        assert typing.get_type_hints(each) is not None


def test_the_hints_of_what_makes_a_value_resolve():
    for each in VALUES:
        assert typing.get_type_hints(each.__init__) is not None


def test_native_types_know_which_members_are_required():
    assert native.ChatCompletion.__required_keys__ == {"object", "choices"}
    assert native.ChatChoice.__required_keys__ == {"index", "message", "finish_reason"}
    assert "content" in native.Message.__required_keys__
    hints = typing_extensions.get_type_hints(native.ChatChoice)
    assert hints["message"] is native.ChatMessage
    assert hints["finish_reason"] == (str | None)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKERS)
def test_the_public_api(name, tmp_path):
    if not (importlib.util.find_spec(name) or shutil.which(str(BIN / name))):
        pytest.skip(f"{name} is not installed")
    command = [part.format(cache=tmp_path) for part in CHECKERS[name]]
    done = subprocess.run([*command, str(API)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
