"""The checks that may lie beside this checkout, run as they are; skipped where they don't."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


# Rows of the recordings that the design overrules since, each with the member that is another: a fallback's model answers.
OVERRULED = {
    "messages/anthropic-python__streaming_fallback_response.sse: [whole] model: ",
    "messages/vercel-ai__anthropic_anthropic-fallback.sse: [whole] model: ",
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["frames.py"], ["cases.py", "--cuts"], ["corpus.py"]], ids=lambda arguments: arguments[0])
def test_a_shared_check_holds(arguments, shared):
    script, *options = arguments
    command = [sys.executable, str(shared / "check" / script), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    lines = done.stdout.splitlines()
    overruled = [line for line in lines if line.startswith(tuple(OVERRULED)) and script == "corpus.py"]
    assert f" {len(overruled)} failed" in lines[-1], f"{script}:\n{done.stdout[-4000:]}{done.stderr[-2000:]}"
