"""Replies as Messages streams, event by event."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import reply, tool_call, usage


def events(stream):
    frames = sd.FrameParser().feed(stream.bytes())
    assert all(frame.event == frame.json()["type"] for frame in frames)
    return [frame.json() for frame in frames]


def test_the_frame_of_a_stream():
    counts = usage(10, 5, cached_input_tokens=3, cache_write_tokens=2, reasoning_tokens=1)
    first, *_, delta, last = events(reply("Hi", id="m-1", model="m", usage=counts).as_messages())
    assert first["message"] == {
        "id": "m-1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": 1},
    }
    assert delta["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert delta["usage"]["output_tokens"] == 5
    assert delta["usage"]["output_tokens_details"] == {"thinking_tokens": 1}
    assert last == {"type": "message_stop"}


def test_blocks_in_order_and_in_pieces():
    stream = reply("abc", reasoning="xyz", signature="sig", tool_calls=[tool_call("f", "{}", id="call_x")]).as_messages(piece=2)
    told = [
        event.get("delta") or event.get("content_block") or event["index"]
        for event in events(stream)
        if event["type"].startswith("content_block")
    ]
    assert told == [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "xy"},
        {"type": "thinking_delta", "thinking": "z"},
        {"type": "signature_delta", "signature": "sig"},
        0,
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "ab"},
        {"type": "text_delta", "text": "c"},
        1,
        {"type": "tool_use", "id": "call_x", "name": "f", "input": {}},
        {"type": "input_json_delta", "partial_json": "{}"},
        2,
    ]


def test_blocks_that_come_whole():
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    stream = reply(encrypted="xxx", parts=[sd.OtherPart(search)]).as_messages()
    blocks = [event["content_block"] for event in events(stream) if event["type"] == "content_block_start"]
    assert blocks == [{"type": "redacted_thinking", "data": "xxx"}, search]
    assert sd.stream(stream.source()).answer().native["content"] == blocks


def test_a_failure():
    _, failure = events(reply("Hi").as_messages().error("Busy", type="overloaded_error", after_frames=1))
    assert failure == {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
    _, failure = events(reply("Hi").as_messages().error("Busy", code="c", after_frames=1))
    assert failure == {"type": "error", "error": {"type": "api_error", "message": "Busy", "code": "c"}}


def test_without_usage_there_is_no_usage():
    assert b"usage" not in reply("Hi", usage=None).as_messages().bytes()


def test_counts_that_are_not_known_are_left_out():
    stream = reply("Hi", usage=sd.Usage(None, 7, None, None, None, None, {})).as_messages()
    assert [event["usage"] for event in events(stream) if "usage" in event] == [{"output_tokens": 7}]


@pytest.mark.parametrize(
    ("description", "advice"),
    [
        ({"refusal": "no"}, 'finish_reason="refusal"'),
        ({"tool_calls": [tool_call("f", custom=True)]}, "give it JSON arguments"),
        ({"alternatives": ["x"]}, "one request a choice"),
        ({"reasoning": "hm", "encrypted": "xxx"}, "make two parts"),
        ({"signature": "sig", "encrypted": "xxx"}, "make two parts"),
        ({"finish_reason": "content_filter"}, "native_finish_reason"),
    ],
)
def test_what_it_has_no_place_for(description, advice):
    with pytest.raises(sd.MisuseError, match=advice):
        reply("Hi", **description).as_messages()
