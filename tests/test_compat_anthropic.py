"""The check under the real `anthropic` package, over loopback: the SDK alone accepts a cut stream, guarded it raises."""

from __future__ import annotations

import asyncio
import sys
import types

import pytest
from bodies import frame
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd
from sse_dialects.compat.anthropic import guard, to_sdk

anthropic = pytest.importorskip("anthropic")


def event(kind, **members):
    return frame({"type": kind, **members}, kind)


def block(index, kind, *deltas, **members):
    return [
        event("content_block_start", index=index, content_block={"type": kind, **members}),
        *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
        event("content_block_stop", index=index),
    ]


START = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "x",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
MESSAGE = [
    event("message_start", message=START),
    event("ping"),
    *block(0, "thinking", {"type": "thinking_delta", "thinking": "Hm"}, {"type": "signature_delta", "signature": "c2ln"},
           thinking="", signature=""),
    *block(1, "text", {"type": "text_delta", "text": "Hel"}, {"type": "text_delta", "text": "lo"}, text=""),
    *block(2, "tool_use", {"type": "input_json_delta", "partial_json": '{"a":'},
           {"type": "input_json_delta", "partial_json": "1}"}, id="t", name="look", input={}),
    event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None}, usage={"output_tokens": 9}),
    event("message_stop"),
]  # fmt: skip
QUESTION = {"model": "x", "max_tokens": 99, "messages": [{"role": "user", "content": "Hello?"}]}


@pytest.fixture(autouse=True)
def version(request):
    """Goes into the results, from which the documentation's matrix is made."""
    request.node.user_properties.append(("sdk", f"anthropic {anthropic.__version__.partition('.')[0]}.x"))


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


@pytest.fixture
def at(server):
    """``at(reply)``: the base URL whose every path plays ``reply``."""
    return lambda reply: f"{server.serve(reply)}/"


def opened(url):
    """A client. Nothing is encrypted on loopback, so time is not spent on reading certificates."""
    unverified = anthropic.DefaultHttpxClient(verify=False)
    return anthropic.Anthropic(base_url=url, api_key="k", max_retries=0, http_client=unverified)


class Asked:
    """What came of one request: the SDK's own events, and the error that ended them."""

    def __init__(self):
        self.events = []
        self.error = None

    def facts(self):
        return [event.model_dump() for event in self.events]


def sync(url, guarded, call):
    asked = Asked()
    with opened(url) as client:
        try:
            for event in call(guard(client) if guarded else client):
                asked.events.append(event)
        except Exception as error:
            asked.error = error
    return asked


def run_async(url, guarded, call):
    async def ask():
        asked = Asked()
        unverified = anthropic.DefaultAsyncHttpxClient(verify=False)
        async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0, http_client=unverified) as client:
            try:
                async for event in await call(guard(client) if guarded else client):
                    asked.events.append(event)
            except Exception as error:
                asked.error = error
        return asked

    return asyncio.run(ask())


def messages(client):
    return client.messages.create(**QUESTION, stream=True)


def beta(client):
    return client.beta.messages.create(**QUESTION, stream=True)


@pytest.fixture(params=[sync, run_async], ids=["sync", "async"])
def ask(request):
    def asks(url, guarded, call=messages):
        return request.param(url, guarded, call)

    return asks


@pytest.mark.parametrize("call", [messages, beta])
def test_whole(ask, at, call):
    url = at(Reply(MESSAGE))
    alone, guarded = ask(url, False, call), ask(url, True, call)
    assert (alone.error, guarded.error) == (None, None)
    assert guarded.facts() == alone.facts()
    assert [type(event) for event in guarded.events] == [type(event) for event in alone.events]


@pytest.mark.parametrize("call", [messages, beta])
def test_cut_after_each_frame(ask, at, call):
    for count in range(len(MESSAGE)):
        url = at(Reply(MESSAGE[:count]))
        alone, guarded = ask(url, False, call), ask(url, True, call)
        assert alone.error is None
        assert isinstance(guarded.error, sd.TruncatedStreamError)
        assert guarded.facts() == alone.facts()
    assert guarded.error.partial.text == "Hello"


def test_a_connection_that_breaks(ask, at):
    asked = ask(at(Reply(MESSAGE, cut_at=len(MESSAGE[0]) + 1)), True)
    assert len(asked.events) == 1
    assert isinstance(asked.error, sd.TruncatedStreamError)
    assert "httpx" in type(asked.error.cause).__module__


def test_nothing_matters_after_the_terminating_frame(ask, at):
    asked = ask(at(Reply(MESSAGE, framing="length", length=9999, cut_at=sum(map(len, MESSAGE)))), True)
    assert asked.error is None


def test_a_failure_in_the_stream(ask, at):
    failure = event("error", error={"type": "overloaded_error", "message": "overloaded"})
    asked = ask(at(Reply([MESSAGE[0], failure])), True)
    assert (len(asked.events), type(asked.error), asked.error.message) == (1, sd.UpstreamError, "overloaded")


def test_rejections_are_the_sdks_own(ask, at):
    asked = ask(at(Reply(b'{"error": {"message": "slow down"}}', status=429)), True)
    assert type(asked.error) is anthropic.RateLimitError


def test_a_stall(ask, at):
    asked = ask(at(Reply([MESSAGE[0], FOREVER])), True, lambda client: messages(client.with_options(timeout=0.2)))
    assert (len(asked.events), type(asked.error), asked.error.dialect) == (1, sd.StalledStreamError, "messages")
    assert "Timeout" in type(asked.error.cause).__name__


def test_copies_are_guarded(ask, at):
    asked = ask(at(Reply(MESSAGE[:-1])), True, lambda client: messages(client.with_options(timeout=5)))
    assert isinstance(asked.error, sd.TruncatedStreamError)


def test_a_client_without_event_streams(monkeypatch):
    parsers = types.SimpleNamespace(EventStreamJSONParser=object)  # all that its decoder needs of botocore to be made
    monkeypatch.setitem(sys.modules, "botocore", types.ModuleType("botocore"))
    monkeypatch.setitem(sys.modules, "botocore.parsers", parsers)
    with pytest.raises(sd.MisuseError, match="does not read event streams"):
        guard(anthropic.AnthropicBedrock.__new__(anthropic.AnthropicBedrock))


def test_helpers(at):
    for count in (*range(len(MESSAGE)), None):
        with guard(opened(at(Reply(MESSAGE[:count])))) as client:
            with client.messages.stream(**QUESTION) as events:
                if count is None:
                    assert events.get_final_message().content[1].text == "Hello"
                else:
                    with pytest.raises(sd.TruncatedStreamError):
                        events.get_final_message()


def decoded(frames):
    with sd.stream(b"".join(frames)) as events:
        return events.answer()


def test_the_sdks_own_object(at):
    message = to_sdk(decoded(MESSAGE))
    assert type(message) is anthropic.types.Message
    with opened(at(Reply(MESSAGE))) as client, client.messages.stream(**QUESTION) as events:
        assert message.model_dump(exclude_none=True) == events.get_final_message().model_dump(exclude_none=True)
    assert anthropic.types.Message.model_validate(message.model_dump()) == message


def test_only_whole_messages():
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoded(MESSAGE[:3])
    with pytest.raises(sd.MisuseError, match="not complete"):
        to_sdk(caught.value.partial)
    with pytest.raises(sd.MisuseError, match="no type"):
        to_sdk(sd.Answer(None))
