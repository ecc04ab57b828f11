"""What the installed distribution says of itself; skipped where only the source is on the path."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

import sse_dialects

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def distribution() -> metadata.Distribution:
    try:
        return metadata.distribution("sse-dialects")
    except metadata.PackageNotFoundError:
        pytest.skip("sse-dialects is not installed here: python3 run.py tests installs it")


def requirements(distribution, extra=None):
    """``{name: what follows it}`` for the requirements of the package alone, or of one extra."""
    marker = f'extra == "{extra}"' if extra else None
    found = {}
    for line in distribution.requires or []:
        requirement, _, condition = (part.strip().replace("'", '"') for part in line.partition(";"))
        if (condition or None) == marker:
            name = re.match(r"[\w.-]+", requirement).group()
            found[name] = requirement.removeprefix(name)
    return found


def test_the_version_comes_from_one_place(distribution):
    assert distribution.version == sse_dialects.__version__
    assert f"## [{sse_dialects.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_package_alone_needs_typing_extensions_and_nothing_else(distribution):
    assert list(requirements(distribution)) == ["typing-extensions"]
    assert sorted(requirements(distribution, "httpx")) == ["httpx", "httpx-sse"]


@pytest.mark.parametrize(
    ("file", "extras"),
    [("lowest.txt", [None, "completion", "httpx", "jiter", "test"]), ("lowest-clients.txt", ["clients", "niquests", "otel"])],
)
def test_the_lowest_versions_tested_are_those_declared(distribution, file, extras):
    lines = (ROOT / ".ci" / file).read_text(encoding="utf-8").splitlines()
    lowest = dict(line.split("==") for line in lines if not line.startswith("#"))
    declared = {name: wanted for extra in extras for name, wanted in requirements(distribution, extra).items()}
    declared.pop("sse-dialects", None)  # one extra may ask for others
    assert sorted(lowest) == sorted(name.replace("_", "-") for name in declared)
    for name, wanted in declared.items():
        version = re.search(r">=([\d.]+)", wanted).group(1)
        assert f"{lowest[name.replace('_', '-')]}.".startswith(f"{version}.")


def test_the_metadata_says_what_it_is(distribution):
    fields = distribution.metadata
    assert fields["License-Expression"] == "MIT"
    assert fields["Requires-Python"] == ">=3.10"
    assert "Typing :: Typed" in fields.get_all("Classifier")
    (script,) = [point for point in distribution.entry_points if point.group == "console_scripts"]
    assert (script.name, script.value) == ("sse-dialects", "sse_dialects.cli:main")


def test_the_package_is_marked_as_typed():
    assert (Path(sse_dialects.__file__).parent / "py.typed").exists()


def test_the_licence_is_mit():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License\n")
    assert "The sse-dialects authors" in text
