"""The sources package: what it is imported for."""

from __future__ import annotations

from sse_dialects.sources import Source, open_async_source, open_source


def test_the_two_doors():
    assert isinstance(open_source([b"a", b"b"]), Source)
    assert list(open_source([b"a", b"b"]).iterator) == [b"a", b"b"]
    assert hasattr(open_async_source([b"a"]).iterator, "__anext__")
