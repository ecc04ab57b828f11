"""What the engines share, beside what the tests of the accumulators and of the decoder show."""

from __future__ import annotations

import pytest

from sse_dialects import Limits
from sse_dialects.dialects.base import Engine


def test_an_engine_of_no_dialect_is_none():
    with pytest.raises(NotImplementedError):
        Engine(Limits(), [])
