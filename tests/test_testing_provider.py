"""A provider that answers in its turn, and remembers what it was asked."""

from __future__ import annotations

import httpx
import pytest

import sse_dialects as sd
from sse_dialects.testing import Provider, Request, rejection, reply, tool_call


def request(path="/v1/chat/completions"):
    return Request("POST", path, {"Content-Type": "application/json"}, b'{"stream": true}')


def test_scripts_come_in_their_turn_and_the_last_one_goes_on():
    first, second = reply("a").as_chat(), reply("b").as_chat()
    provider = Provider(first, second)
    assert [provider.answer(request()) for _ in range(4)] == [first, second, second, second]
    third = reply("c").as_chat()
    provider.add(third, first)
    assert provider.answer(request()) is first
    assert repr(provider) == "<Provider of 4 scripts, 5 requests so far>"


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/chat/completions", "chat"),
        ("/v1/messages", "messages"),
        ("/openai/v1/responses/", "responses"),
        ("/messages/of/another/kind", "chat"),
        ("", "chat"),
    ],
)
def test_a_reply_is_written_in_the_dialect_that_the_path_asks_for(path, dialect):
    assert Provider(reply("Hi")).answer(request(path)).dialect == dialect


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/responses"])
def test_no_two_answers_have_the_same_ids(path):
    call = reply(tool_calls=[tool_call("f")])
    provider = Provider(call, reply("Hi"), call)
    answers = [sd.stream(provider.answer(request(path)).source()).answer() for _ in range(5)]
    assert len({answer.id for answer in answers}) == 5
    assert len({each.id for answer in answers for each in answer.tool_calls}) == 4
    assert answers[0].id == sd.stream(call.in_dialect(answers[0].dialect).source()).answer().id


def test_requests_are_remembered():
    provider = Provider(reply("Hi"))
    provider.answer(request())
    (seen,) = provider.requests
    assert (seen.method, seen.path, seen.headers) == ("POST", "/v1/chat/completions", {"content-type": "application/json"})
    assert seen.json() == {"stream": True}
    assert repr(seen) == "<Request POST /v1/chat/completions>"


def test_without_scripts():
    with pytest.raises(sd.MisuseError, match=r"nothing was scripted for POST /v1"):
        Provider().answer(request())


def test_a_retry():
    """What a test of a program that retries looks like."""
    provider = Provider(rejection(429, retry_after=0), reply("Hel").as_chat().cut(), reply("Hello"))

    def attempt(client):
        with client.stream("POST", "https://host/v1/chat/completions", json={}) as response, sd.stream(response) as events:
            return events.answer().text

    def ask():
        with httpx.Client(transport=provider.httpx_transport()) as client:
            while True:
                try:
                    return attempt(client)
                except sd.SSEDialectsError as error:
                    if not error.retryable:
                        raise

    assert ask() == "Hello"
    assert len(provider.requests) == 3
