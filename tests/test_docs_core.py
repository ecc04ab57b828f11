"""The pages about the code name files, functions and tables that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import sse_dialects as sd

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(sd.__file__).parent
DOCS = ROOT / "docs"

PAGES = [
    "explanation/layers.md",
    "explanation/one-read.md",
    "explanation/fast-path.md",
    "explanation/glossary.md",
    "howto/add-an-event.md",
]

_FILE = re.compile(r"`([\w/]+\.py)`")
_CALL = re.compile(r"`((?:[A-Z]\w+\.)?_?[a-z]\w*)\(\)`")


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def names_in(path):
    """What a module defines: functions, classes, their methods and tables as ``Class.name``, and its own tables."""
    names = set()
    body = [(None, node) for node in ast.parse(path.read_text(encoding="utf-8")).body]
    while body:
        owner, node = body.pop()
        found = []
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found = [node.name]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found = [node.target.id]
        elif isinstance(node, ast.Assign):
            found = [target.id for target in node.targets if isinstance(target, ast.Name)]
        names |= {name if owner is None else f"{owner}.{name}" for name in found}
        if isinstance(node, ast.ClassDef):
            body += [(node.name, inner) for inner in node.body]
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_exists(page):
    places = (PACKAGE, ROOT)
    assert [name for name in _FILE.findall(text_of(page)) if not any((place / name).is_file() for place in places)] == []


def test_the_walk_names_functions_of_the_files_that_it_is_in():
    """A method stands somewhere in the package. A function stands in a file that its section names."""
    everywhere = set().union(*(names_in(path) for path in PACKAGE.rglob("*.py")))
    missing = []
    for section in re.split(r"^##", text_of("explanation/one-read.md"), flags=re.MULTILINE):
        there = everywhere & set().union(*(names_in(PACKAGE / name) for name in _FILE.findall(section)))
        missing += [name for name in _CALL.findall(section) if name not in (everywhere if "." in name else there)]
    assert missing == []


def test_the_how_to_names_tables_of_the_files_that_they_are_in():
    rows = re.findall(r"^\|[^|]+\|([^|]+)\| `([\w/]+\.py)` \|$", text_of("howto/add-an-event.md"), re.MULTILINE)
    assert len(rows) == 10
    for cell, name in rows:
        tables = re.findall(r"`([\w.]+)`", cell)
        assert tables
        assert set(tables) <= names_in(PACKAGE / name), name


def test_a_new_reader_finds_three_places_by_their_files_names():
    rows = dict(re.findall(r"^\| ([^|]+) \| `([\w/]+\.py)`", text_of("explanation/one-read.md"), re.MULTILINE))
    assert rows["where a chat tool call's pieces are joined"] == "dialects/chat/tool_calls.py"
    assert rows["a new spelling of a token count"] == "dialects/usage.py"
    assert rows["a responses event"] == "dialects/responses/events.py"


@pytest.mark.parametrize("name", ["ChatAccumulator", "MessagesAccumulator", "ResponsesAccumulator"])
def test_accumulators_show_what_the_how_to_says(name):
    accumulator = getattr(sd, name)
    (said,) = re.findall(r"An accumulator has (.+?), and nothing else\.", text_of("howto/embed.md"))
    assert sorted(re.findall(r"`(\w+)`", said)) == [name for name in dir(accumulator()) if not name.startswith("_")]


def test_an_answer_s_bytes_are_those_of_all_lines_but_comments():
    assert "bytes of all lines but comments" in text_of("reference/limits.md")
    frame = b"data: {}\r\n\r\n"
    limits = sd.Limits(max_answer_bytes=len(frame) - 2)  # each line end counts as one byte
    assert list(sd.Decoder("chat", limits=limits).feed(b": a comment\r\n" + frame)) == []
    with pytest.raises(sd.LimitExceededError, match="max_answer_bytes"):
        list(sd.Decoder("chat", limits=limits).feed(b"id: 1\r\n" + frame))
