"""Every payload is valid by the types of the official SDKs, and their clients read the streams; where they are installed."""

from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.testing import Provider, reply, tool_call

CALL = tool_call("get_weather", {"city": "Oslo"})
CUSTOM = tool_call("shell", "ls", custom=True)
SAID = {"text": "Hello, world", "reasoning": "Hm.", "signature": "sig"}


def validate(model, stream):
    adapter = pytest.importorskip("pydantic").TypeAdapter(model)
    for frame in sd.FrameParser().feed(stream.bytes()):
        if not frame.done:
            adapter.validate_python(frame.json())


def test_chat():
    types = pytest.importorskip("openai.types.chat")
    validate(types.ChatCompletionChunk, reply(**SAID, refusal="no", tool_calls=[CALL], alternatives=["x"]).as_chat())
    validate(types.ChatCompletionChunk, reply(encrypted="xxx", finish_reason="length").as_chat())


def test_responses():
    types = pytest.importorskip("openai.types.responses")
    validate(types.ResponseStreamEvent, reply(**SAID, encrypted="xxx", refusal="no", tool_calls=[CALL, CUSTOM]).as_responses())
    validate(types.ResponseStreamEvent, reply(**SAID, finish_reason="length").as_responses())
    validate(types.ResponseStreamEvent, reply(**SAID).as_responses().error("Busy"))


def test_messages():
    types = pytest.importorskip("anthropic.types")
    validate(types.RawMessageStreamEvent, reply(**SAID, tool_calls=[CALL]).as_messages())
    validate(types.RawMessageStreamEvent, reply("Hi", encrypted="xxx", finish_reason="pause").as_messages())


def test_the_openai_client():
    openai, httpx2 = pytest.importorskip("openai"), pytest.importorskip("httpx2")
    provider = Provider(reply("Hello", tool_calls=[CALL]))
    with openai.OpenAI(api_key="x", http_client=httpx2.Client(transport=provider.httpx2_transport())) as client:
        *_, last = client.responses.create(model="m", input="x", stream=True)
        chunks = list(client.chat.completions.create(model="m", messages=[], stream=True))
    assert last.response.output_text == "Hello"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Hello"


def test_the_anthropic_client():
    anthropic, httpx2 = pytest.importorskip("anthropic"), pytest.importorskip("httpx2")
    provider = Provider(reply("Hello", tool_calls=[CALL]))
    http_client = httpx2.Client(transport=provider.httpx2_transport())
    with anthropic.Anthropic(api_key="x", http_client=http_client) as client:
        with client.messages.stream(model="m", max_tokens=5, messages=[]) as stream:
            message = stream.get_final_message()
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert message.stop_reason == "tool_use"
