"""Replies as Responses streams, event by event."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import reply, tool_call, usage


def events(stream):
    frames = sd.FrameParser().feed(stream.bytes())
    told = [frame.json() for frame in frames]
    assert [frame.event for frame in frames] == [event["type"] for event in told]
    assert [event.pop("sequence_number") for event in told] == list(range(len(told)))
    return told


def kinds(stream):
    return [event["type"].removeprefix("response.") for event in events(stream)]


def test_the_events_of_every_kind_of_part():
    calls = [tool_call("f", "{}"), tool_call("g", "ls", custom=True)]
    assert kinds(reply("abc", reasoning="hm", refusal="no", tool_calls=calls).as_responses(piece=2)) == [
        *("created", "in_progress"),
        *("output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"),
        *("reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"),
        *("output_item.added", "content_part.added", "output_text.delta", "output_text.delta", "output_text.done"),
        *("content_part.done", "content_part.added", "refusal.delta", "refusal.done", "content_part.done", "output_item.done"),
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"),
        *("output_item.added", "custom_tool_call_input.delta", "custom_tool_call_input.done", "output_item.done"),
        "completed",
    ]


def test_the_last_event_has_the_whole_response():
    counts = usage(10, 5, cached_input_tokens=3, cache_write_tokens=2, reasoning_tokens=1)
    stream = reply("Hi", id="r-1", model="m", usage=counts).as_responses()
    *_, last = events(stream)
    assert last["response"]["usage"] == {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 15,
    }
    assert last["response"]["output"] == sd.stream(stream.source()).answer().turn
    assert (last["response"]["id"], last["response"]["model"], last["response"]["status"]) == ("r-1", "m", "completed")


def test_items_are_opened_empty():
    calls = [tool_call("f", "{}", id="call_x"), tool_call("g", "ls", custom=True, id="call_y")]
    said = reply("abc", reasoning="hm", signature="sig", encrypted="xxx", tool_calls=calls)
    stream, key = said.as_responses(), said.key
    opened = [event["item"] for event in events(stream) if event["type"] == "response.output_item.added"]
    assert opened == [
        {"id": f"rs_{key}_0", "type": "reasoning", "summary": [], "encrypted_content": "xxx", "signature": "sig"},
        {"id": f"msg_{key}_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []},
        {
            "id": f"fc_{key}_2",
            "type": "function_call",
            "status": "in_progress",
            "call_id": "call_x",
            "name": "f",
            "arguments": "",
        },
        {
            "id": f"ctc_{key}_3",
            "type": "custom_tool_call",
            "status": "in_progress",
            "call_id": "call_y",
            "name": "g",
            "input": "",
        },
    ]


@pytest.mark.parametrize(
    ("finish", "kind", "word"), [("length", "incomplete", "max_output_tokens"), ("cancelled", "cancelled", "cancelled")]
)
def test_other_ends(finish, kind, word):
    stream = reply("Hi", finish_reason=finish).as_responses()
    assert kinds(stream)[-1] == kind
    answer = sd.stream(stream.source()).answer()
    assert (answer.finish_reason, answer.native_finish_reason) == (finish, word)


def test_a_call_that_was_cut_off_is_not_whole():
    calls = [tool_call("f", "{}"), tool_call("g", '{"a')]
    answer = sd.stream(reply(tool_calls=calls, finish_reason="length").as_responses().source()).answer()
    assert [call.complete for call in answer.tool_calls] == [True, False]


def test_items_of_another_making_come_whole():
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}}
    stream = reply("Hi", parts=[sd.OtherPart(search)]).as_responses()
    assert kinds(stream)[-3:] == ["output_item.added", "output_item.done", "completed"]
    assert sd.stream(stream.source()).answer().native["output"][1] == search


def test_a_failure_is_the_same_responses():
    *_, failure = events(reply("Hi", id="r-1").as_responses().error("Busy", code="overloaded", type="t"))
    assert failure["type"] == "response.failed"
    assert failure["response"]["id"] == "r-1"
    assert failure["response"]["error"] == {"code": "overloaded", "message": "Busy", "type": "t"}
    *_, failure = events(reply("Hi").as_responses().error("Busy"))
    assert failure["response"]["error"] == {"code": "server_error", "message": "Busy"}


def test_without_usage_there_is_no_usage():
    *_, last = events(reply("Hi", usage=None).as_responses())
    assert last["response"]["usage"] is None


@pytest.mark.parametrize("description", [{"alternatives": ["x"]}, {"finish_reason": "pause"}])
def test_what_it_has_no_place_for(description):
    with pytest.raises(sd.MisuseError):
        reply("Hi", **description).as_responses()


def test_a_response_in_the_background():
    first, *_, last = events(reply("Hi").as_responses(background=True))
    for event in (first, last):
        assert (event["response"]["background"], event["response"]["store"]) == (True, True)
    assert "background" not in events(reply("Hi").as_responses())[0]["response"]
