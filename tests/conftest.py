"""Fixtures that more than one test file uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples at every run: what a change breaks shows on that change, and a busy machine is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of cases, recordings and checks that may lie beside this checkout; tests that need it are skipped without it."""
    folder = ROOT.parent / "shared"
    if not (folder / "check").is_dir():
        pytest.skip("no shared folder beside this checkout")
    return folder
