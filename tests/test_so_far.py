"""Tool calls that are still being written, asked of a stream."""

from __future__ import annotations

import asyncio

import pytest
from bodies import frame

import sse_dialects as sd


def chunk(**delta):
    return frame({"choices": [{"index": 1, "delta": delta}]})


def call(arguments, **members):
    return chunk(tool_calls=[{"index": 0, **members, "function": {"name": "f", "arguments": arguments}}])


CALL = [
    chunk(content="Let me see."),
    call("", id="c"),
    call('{"city": "Os'),
    call('lo"}'),
    frame({"choices": [{"index": 1, "delta": {}, "finish_reason": "tool_calls"}]}),
    frame("[DONE]"),
]


def test_a_call_so_far():
    seen = []
    with sd.stream(CALL) as events:
        for event in events:
            if isinstance(event, (sd.ToolCallStarted, sd.ToolCallDelta)):
                seen.append(events.so_far(event.part, event.choice))
        for part, choice in ((0, 1), (2, 1), (-1, 1), (1, 0), (0, 7)):
            with pytest.raises(sd.MisuseError, match="is a text part" if (part, choice) == (0, 1) else "has not come"):
                events.so_far(part, choice)
        with pytest.raises(sd.MisuseError):
            events.so_far(1)
    assert seen == [{}, {"city": "Os"}, {"city": "Oslo"}]

    async def read():
        async with sd.astream(CALL) as events:
            return [events.so_far(1, 1) async for event in events if isinstance(event, sd.ToolCallDelta)]

    assert asyncio.run(read()) == seen[1:]
