"""Fixtures that more than one test file uses."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis.strategies import none

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows has none: what measures time may need `-n 0` there
    fcntl = None

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


# ---- several workers


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First what no other test may run beside, while the others' are short: each waits for one of theirs. Then the long ones, so
    that no worker is left with one at the end."""
    items.sort(key=lambda item: (item.get_closest_marker("alone") is None, item.get_closest_marker("slow") is None))


def pytest_collection_finish() -> None:
    """Many tests look for what is left open with a full garbage collection, which would walk over every collected test."""
    _try_nothing()
    gc.collect()
    gc.freeze()


@given(none())
def _try_nothing(_: None) -> None:
    """A first run, in which hypothesis looks for the referrers of its random numbers: those that are frozen are not found."""


@pytest.fixture(autouse=True)
def _beside_others_or_alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """While a test marked ``alone`` runs, the other workers wait: what it measures is its own doing."""
    if fcntl is None or not hasattr(request.config, "workerinput"):
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent  # the same for all workers of a run
    alone = request.node.get_closest_marker("alone") is not None
    # Everyone passes the gate; whoever wants to be alone keeps it shut, or there would always be another test running.
    with _locked(folder / "gate", fcntl.LOCK_EX) as gate, _locked(folder / "running", fcntl.LOCK_EX if alone else fcntl.LOCK_SH):
        if not alone:
            fcntl.flock(gate, fcntl.LOCK_UN)
        yield


@contextmanager
def _locked(path: Path, kind: int) -> Iterator[int]:
    """An open file's descriptor, locked; closing it unlocks it."""
    with path.open("a") as file:
        fcntl.flock(file, kind)
        yield file.fileno()
