"""The documentation: every Python block and every command runs as printed, and prints what is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from docs_blocks import PAGES, ROOT, WIDTH, Run, blocks_of, commands_of, comparable
from docs_provider import DocsProvider

import sse_dialects as sd
from sse_dialects.dialects.chat.deltas import DELTA_MEMBERS
from sse_dialects.dialects.messages.engine import MessagesEngine
from sse_dialects.dialects.responses.engine import ResponsesEngine
from sse_dialects.dialects.responses.events import EVENTS

DOCS = ROOT / "docs"
WITH_CODE = [page for page in PAGES if blocks_of(page)]


@pytest.fixture(scope="module")
def provider():
    with DocsProvider() as provider:
        yield provider


@pytest.fixture
def run(provider, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks another host when it is imported
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-docs")
    return Run(provider, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_runs_as_printed(page, run):
    for block in blocks_of(page):
        shown = run.block(block)
        if shown is not None:
            assert shown == comparable(block.text), block.name
    if run.left_out:
        pytest.skip(f"blocks that need {', '.join(run.left_out)} were left out")


def test_lines_of_code_fit_the_column():
    """But for output, which the site wraps; so it does with a console's, whose commands may go on after a backslash."""
    wide = []
    for page in [*PAGES, ROOT / "README.md"]:
        for kind, body in re.findall(r"^ *```(\w+)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            code = "\n".join(commands_of(body)) if kind == "console" else body
            wide += [(page.name, line) for line in code.splitlines() if len(line) > WIDTH and kind != "text"]
    assert not wide


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def rows_of(name):
    """The first cells of a page's tables that are one piece of code."""
    return set(re.findall(r"^\| `([^`]+)`", text_of(name), re.MULTILINE))


def test_the_events_page_names_every_event():
    assert rows_of("reference/events.md") >= {event.__name__ for event in get_args(sd.Event)}


def test_the_errors_page_names_every_error():
    assert rows_of("reference/errors.md") >= {name for name in sd.__all__ if name.endswith("Error")}


def test_the_limits_page_names_every_limit_with_its_number():
    page = text_of("reference/limits.md")
    limits = sd.Limits()
    for name in limits.__slots__:
        assert re.search(rf"^\| `{name}` \| {getattr(limits, name):,} ", page, re.MULTILINE), name


def test_the_conformance_page_names_every_event_that_is_dispatched():
    page = text_of("reference/conformance.md")
    ours = [*MessagesEngine._EVENTS, *ResponsesEngine._EVENTS, *EVENTS, *DELTA_MEMBERS]
    assert [name for name in ours if f"`{name}`" not in page] == []


def test_every_file_that_a_page_names_exists():
    named = {
        (page.name, path)
        for page in PAGES
        for path in re.findall(r"`((?:tests|examples|docs|sse_dialects)/[\w/.]+\.\w+)`", page.read_text(encoding="utf-8"))
    }
    installed = Path(sd.__file__).parent.parent  # the package may lie elsewhere than its tests
    assert [each for each in sorted(named) if not ((ROOT / each[1]).exists() or (installed / each[1]).exists())] == []


def test_the_api_page_lists_every_public_name():
    page = text_of("reference/api.md")
    assert [name for name in sd.__all__ if f"::: sse_dialects.{name}" not in page and name != "__version__"] == []
