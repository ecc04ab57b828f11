"""The types of sources name the methods that the tables of sources know. What type checkers make of them: typing/api.py."""

from __future__ import annotations

import typing

import pytest

from sse_dialects.sources import for_async, for_sync
from sse_dialects.sources.types import AsyncSource, SyncSource

# Names that tell one client from another of the same methods, and those of JavaScript's objects, which have no types.
UNTYPED = {"oheaders", "read_chunked", "read1", "js_response", "getReader", "arrayBuffer"}


def methods(source_type):
    found = set()
    for member in typing.get_args(source_type):
        origin = typing.get_origin(member) or member
        found |= {name for name in vars(origin) if name in {"__iter__", "__aiter__"} or not name.startswith("_")}
    return found


@pytest.mark.parametrize(("source_type", "table"), [(SyncSource, for_sync._ROWS), (AsyncSource, for_async._ROWS)])
def test_each_row_has_its_type(source_type, table):
    assert table.keys() - UNTYPED <= methods(source_type)
