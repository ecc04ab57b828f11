"""What the accumulators take: anything with an event's name and its data as text."""

from __future__ import annotations

import pytest

from sse_dialects import Frame, MisuseError
from sse_dialects.dialects.frame_like import data_of


def test_data_is_text():
    assert data_of(Frame(data="x")) == "x"
    for given in (b"x", "x", {"a": 1}, Frame(data=b"x")):
        with pytest.raises(MisuseError, match=r"sd\.Frame"):
            data_of(given)
