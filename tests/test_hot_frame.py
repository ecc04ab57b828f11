"""What an engine remembers of the last frame."""

from __future__ import annotations

from sse_dialects.dialects.hot_frame import HotFrame
from sse_dialects.dialects.parts import TextBuilder


def test_a_hot_frame_knows_where_its_string_stands():
    payload = {"choices": [{"delta": {"content": "x"}}]}
    hot = HotFrame(payload, ("choices", 0, "delta"), "content", TextBuilder(0, 0))
    hot.holder[hot.name] = "y"
    assert payload == {"choices": [{"delta": {"content": "y"}}]}
