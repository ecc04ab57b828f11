"""What `import sse_dialects` costs: no HTTP client, no event loop, nothing that loads half the standard library."""

from __future__ import annotations

import subprocess
import sys

import pytest

CLIENTS = ["httpx", "httpx_sse", "httpcore", "h11", "anyio", "trio", "sniffio", "requests", "urllib3", "aiohttp"]
HEAVY = ["asyncio", "concurrent", "dataclasses", "email", "http", "inspect", "logging", "select", "socket", "ssl", "threading"]
LOADED = "import sys; before = set(sys.modules); {code}; print(*sorted(set(sys.modules) - before))"


def loaded_by(code: str) -> set[str]:
    """The modules that running ``code`` loads beyond what a bare interpreter has loaded."""
    command = [sys.executable, "-c", LOADED.format(code=code)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split())


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return loaded_by("import sse_dialects")


@pytest.mark.parametrize("name", [*CLIENTS, *HEAVY, "typing_extensions"])
def test_the_import_leaves_alone(loaded, name):
    assert not {module for module in loaded if module == name or module.startswith(f"{name}.")}


def test_the_import_loads_nothing_third_party(loaded):
    ours = {module for module in loaded if module.partition(".")[0] == "sse_dialects"}
    assert {module.partition(".")[0] for module in loaded - ours} <= set(sys.stdlib_module_names)


def test_the_command_line_is_not_part_of_it(loaded):
    assert "argparse" not in loaded
    assert not {
        module for module in loaded if module.startswith(("sse_dialects.cli", "sse_dialects.testing", "sse_dialects.recording"))
    }


def test_the_measure_sees_what_is_loaded():
    assert "json.decoder" in loaded_by("import json")
