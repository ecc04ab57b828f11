"""What the first pieces of a body show; `test_driver` has what a stream makes of it."""

from __future__ import annotations

import pytest

from sse_dialects.streams.head import is_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", True),
        (b"data: x\r\n\t\x0c\x1b[0m", True),
        ("é".encode()[:1], True),
        ("\U0001f600".encode()[:3], True),
        ("é".encode()[1:], False),
        (b"\xff\xfe", False),
        (b"\x00", False),
        (b"\x1f\x8b", False),
    ],
)
def test_what_is_text(data, text):
    assert is_text(data) == text
