"""What `import sse_dialects` costs: no HTTP client, no event loop, nothing that loads half the standard library."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.alone

CLIENTS = ["httpx", "httpx_sse", "httpcore", "h11", "anyio", "trio", "sniffio", "requests", "urllib3", "aiohttp"]
HEAVY = ["asyncio", "concurrent", "dataclasses", "email", "http", "inspect", "logging", "select", "socket", "ssl", "threading"]
LOADED = "import sys; before = set(sys.modules); {code}; print(*sorted(set(sys.modules) - before))"


def loaded_by(code: str) -> set[str]:
    """The modules that running ``code`` loads beyond what a bare interpreter has loaded."""
    command = [sys.executable, "-c", LOADED.format(code=code)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split())


# What a program may do, and what that must not load.
USES = {
    "import": ("import sse_dialects", [*CLIENTS, *HEAVY, "typing_extensions"]),
    "core": ("import sse_dialects as sd; list(sd.Decoder().feed(b'data: {}'))", [*CLIENTS, *HEAVY, "typing_extensions"]),
    "frames": ("import sse_dialects as sd; sd.FrameParser().feed(b'data: {}')", [*CLIENTS, *HEAVY, "typing_extensions"]),
    "stream": ("import sse_dialects as sd; sd.stream([b'data: {}']).close()", [*CLIENTS, "asyncio", "typing_extensions"]),
    "all names": ("from sse_dialects import *", CLIENTS),
}


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return loaded_by("import sse_dialects")


@pytest.mark.parametrize("use", USES)
def test_a_use_loads_no_more_than_it_needs(use):
    code, unwanted = USES[use]
    found = loaded_by(code)
    assert "sse_dialects" in found
    assert {module for module in found if module.partition(".")[0] in unwanted} == set()


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
