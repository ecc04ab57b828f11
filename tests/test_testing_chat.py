"""Replies as Chat Completions streams, member by member."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import reply, tool_call


def chunks(stream):
    return [frame.json() for frame in sd.FrameParser().feed(stream.bytes()) if not frame.done]


def deltas(stream, index=0):
    return [choice["delta"] for chunk in chunks(stream) for choice in chunk["choices"] if choice["index"] == index]


def test_the_frame_of_a_stream():
    first, *_, finish, counts = chunks(reply("Hi", id="c-1", model="m-1").as_chat())
    assert first == {
        "id": "c-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "m-1",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
    }
    assert finish["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert counts["choices"] == []
    assert counts["usage"]["total_tokens"] == 46


def test_it_ends_with_done_unless_the_server_is_one_that_leaves_it_out():
    assert reply("Hi").as_chat().frames()[-1] == b"data: [DONE]\n\n"
    short = reply("Hi").as_chat(done=False)
    assert b"[DONE]" not in short.bytes()
    assert sd.stream(short.source(), require_done=False).answer().text == "Hi"
    with pytest.raises(sd.TruncatedStreamError, match="require_done=False"):
        sd.stream(short.source()).answer()


def test_pieces_and_order():
    stream = reply("abcd", reasoning="xyz", refusal="no").as_chat(piece=2)
    assert deltas(stream)[1:-1] == [
        {"reasoning_content": "xy"},
        {"reasoning_content": "z"},
        {"content": "ab"},
        {"content": "cd"},
        {"refusal": "no"},
    ]


def test_reasoning_under_another_name():
    assert {"reasoning": "hm"} in deltas(reply("Hi", reasoning="hm").as_chat(reasoning_name="reasoning"))


def test_what_proves_or_hides_reasoning():
    first, second, third = deltas(reply(reasoning="hm", signature="sig", encrypted="xxx").as_chat())[1:-1]
    assert first == {"reasoning_content": "hm", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "hm"}]}
    assert second == {"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "sig"}]}
    assert third == {"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "data": "xxx"}]}


def test_calls():
    calls = [tool_call("f", "{}", id="call_x"), tool_call("g", "ls", custom=True, id="call_y")]
    assert deltas(reply(tool_calls=calls).as_chat())[:-1] == [
        {"role": "assistant", "content": None},
        {"tool_calls": [{"index": 0, "id": "call_x", "type": "function", "function": {"name": "f", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
        {"tool_calls": [{"index": 1, "id": "call_y", "type": "custom", "custom": {"name": "g", "input": ""}}]},
        {"tool_calls": [{"index": 1, "custom": {"input": "ls"}}]},
    ]


def test_choices_come_in_turns():
    stream = reply("aabb", alternatives=["cc", reply("dd", finish_reason="length")]).as_chat(piece=2)
    places = [choice["index"] for chunk in chunks(stream) for choice in chunk["choices"]]
    assert places == [0, 1, 2, 0, 1, 2, 0, 0, 1, 2]
    assert [(choice.text, choice.finish_reason) for choice in sd.stream(stream.source()).answer().choices] == [
        ("aabb", "stop"),
        ("cc", "stop"),
        ("dd", "length"),
    ]


def test_a_failure():
    (failure,) = chunks(reply("Hi").as_chat().error("Busy", type="overloaded", code="503", after_frames=0))
    assert failure == {"error": {"message": "Busy", "type": "overloaded", "param": None, "code": "503"}}


def test_without_usage_there_is_no_usage():
    assert b"usage" not in reply("Hi", usage=None).as_chat().bytes()


def test_counts_that_are_not_known_are_left_out():
    stream = reply("Hi", usage=sd.Usage(None, 7, None, None, None, None, {})).as_chat()
    assert chunks(stream)[-1]["usage"] == {"completion_tokens": 7, "prompt_tokens_details": {}}


def test_what_it_has_no_place_for():
    with pytest.raises(sd.MisuseError, match="leave the OtherPart out"):
        reply(parts=[sd.OtherPart({"type": "web_search_call"})]).as_chat()
    with pytest.raises(sd.MisuseError, match="no word for the finish reason 'pause'"):
        reply("Hi", finish_reason="pause").as_chat()
