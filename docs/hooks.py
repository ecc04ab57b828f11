"""What the build adds to the site: the wheel, and Pyodide to run it in the browser. Neither is kept in the repository."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CACHE = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sse-dialects-docs"
)

PYODIDE = "314.0.7"
PYODIDE_SHA512 = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)


def on_post_build(config: Any) -> None:
    """Put both beside the playground."""
    playground = Path(config["site_dir"]) / "playground"
    with tempfile.TemporaryDirectory() as work:
        command = [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--outdir",
            work,
            str(ROOT),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = Path(work).glob("*.whl")
        shutil.copyfile(wheel, playground / "sse_dialects.whl")
    with tarfile.open(_pyodide()) as package:
        (playground / "pyodide").mkdir(exist_ok=True)
        for name in PYODIDE_FILES:
            member = package.extractfile(f"package/{name}")
            assert member, f"the npm package pyodide {PYODIDE} holds no {name}"
            (playground / "pyodide" / name).write_bytes(member.read())


def _pyodide() -> Path:
    """The npm package's file, fetched once."""
    file = CACHE / f"pyodide-{PYODIDE}.tgz"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "pack",
            "--silent",
            "--pack-destination",
            str(CACHE),
            f"pyodide@{PYODIDE}",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=CACHE)
    digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
    if digest != PYODIDE_SHA512:
        raise SystemExit(
            f"{file} is not the file that was pinned (SHA-512 {digest}): remove it and build again"
        )
    return file
