from __future__ import annotations

import json
from typing import Any

import pytest

import sse_dialects as sd
from sse_dialects.cli.demo_streams import FAULTS, PATHS, SCRIPTS, UNSENT, Rote, Script


def decoded(body: bytes) -> sd.Answer:
    decoder = sd.Decoder()
    assert all(isinstance(event.type, str) for event in decoder.feed(body))
    decoder.close()
    return decoder.answer()


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_the_same_turn_in_each_dialect(dialect: str) -> None:
    answer, first = decoded(SCRIPTS[dialect].body), decoded(SCRIPTS["chat"].body)
    assert answer.dialect == dialect
    assert answer.finish_reason == "tool_calls"
    assert answer.reasoning
    assert (answer.text, answer.reasoning, answer.tool_calls) == (first.text, first.reasoning, first.tool_calls)
    assert answer.usage
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (31, 24)


def test_the_failure() -> None:
    with pytest.raises(sd.UpstreamError) as caught:
        decoded(SCRIPTS["failing"].body)
    assert caught.value.type == "overloaded_error"
    assert caught.value.partial.text.endswith("K2 and")


def test_the_cut_reads_like_an_answer() -> None:
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoded(SCRIPTS["cut"].body)
    assert caught.value.partial.text == "You can delete the old backup"
    assert UNSENT.encode() not in SCRIPTS["cut"].body


def test_all_of_it_fits_into_ten_seconds() -> None:
    assert sum(script.seconds for script in SCRIPTS.values()) + SCRIPTS["cut"].seconds < 7


@pytest.mark.parametrize("name", SCRIPTS)
def test_samples_are_lines_of_their_streams(name: str) -> None:
    script = SCRIPTS[name]
    assert script.sample.startswith("data: {")
    assert script.sample.encode() in script.body.splitlines()


# ---- the provider that answers by rote

TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}


def asked(path: str, rote: Rote | None = None, **request: Any) -> Script:
    script = (rote or Rote()).answer(path, json.dumps({"stream": True, **request}).encode())
    assert script is not None
    return script


@pytest.mark.parametrize("path", PATHS)
def test_it_answers_in_the_dialect_of_the_path(path: str) -> None:
    answer = decoded(asked(path).body)
    assert (answer.dialect, answer.text) == (PATHS[path], "Because of Rayleigh scattering.")
    assert (answer.usage is None) == (answer.dialect == "chat")
    assert decoded(asked(path, stream_options={"include_usage": True}).body).usage


@pytest.mark.parametrize(
    ("path", "tool", "result"),
    [
        ("/v1/chat/completions", {"type": "function", "function": TOOL}, {"role": "tool", "content": "12"}),
        ("/v1/messages", {"name": "get_weather", "input_schema": TOOL["parameters"]}, {"content": [{"type": "tool_result"}]}),
        ("/v1/responses", {"type": "function", **TOOL}, {"type": "function_call_output", "output": "12"}),
    ],
)
def test_it_calls_a_tool_until_that_has_given_a_result(path: str, tool: dict[str, Any], result: dict[str, Any]) -> None:
    history = "input" if path.endswith("responses") else "messages"
    (call,) = decoded(asked(path, tools=[tool]).body).tool_calls
    assert (call.name, call.parsed()) == ("get_weather", {"city": "Orléans"})
    after = decoded(asked(path, tools=[tool], **{history: [result]}).body)
    assert (after.text, after.tool_calls) == ("It is 12 °C and raining in Orléans.", [])


def test_another_tool_gets_arguments_of_its_types() -> None:
    properties = {"n": {"type": "integer"}, "deep": {"type": "object"}, "name": {"type": "string"}}
    tool = {"name": "f", "input_schema": {"properties": properties}}
    (call,) = decoded(asked("/v1/messages", tools=[tool]).body).tool_calls
    assert (call.name, call.parsed()) == ("f", {"n": 1, "deep": {}, "name": "Orléans"})


@pytest.mark.parametrize(
    ("path", "request_"),
    [("/v1/chat/completions", {"response_format": {}}), ("/v1/responses", {"text": {"format": {}}})],
)
def test_a_format_gets_an_object(path: str, request_: dict[str, Any]) -> None:
    assert json.loads(decoded(asked(path, **request_).body).text)["city"] == "Orléans"


@pytest.mark.parametrize("path", PATHS)
def test_faults(path: str) -> None:
    assert set(FAULTS) == {"cut", "failing", "rejected", "flaky"}
    with pytest.raises(sd.TruncatedStreamError) as cut:
        decoded(asked(f"/cut{path}").body)
    assert cut.value.partial.text
    with pytest.raises(sd.UpstreamError):
        decoded(asked(f"/failing{path}").body)
    assert asked(f"/rejected{path}").stream.status == 400


@pytest.mark.parametrize("path", PATHS)
def test_a_flaky_request_succeeds_at_its_third_try(path: str) -> None:
    rote = Rote()
    for question in "ab":
        first, second, third = (asked(f"/flaky{path}", rote, input=question) for _ in range(3))
        with pytest.raises(sd.TruncatedStreamError):
            decoded(first.body)
        assert (second.stream.status, second.stream.headers["retry-after"]) == (429, "0.01")
        assert decoded(third.body).complete


@pytest.mark.parametrize("path", PATHS)
def test_without_stream_it_is_one_object(path: str) -> None:
    script = asked(path, stream=False)
    assert script.stream.headers["content-type"] == "application/json"
    answer = decoded(script.body)
    assert answer.text == "Because of Rayleigh scattering."
    assert answer.usage
    assert asked(f"/cut{path}", stream=False).stream.status == 500


def test_what_it_does_not_serve() -> None:
    assert Rote().answer("/v1/embeddings", b"{}") is None
    assert Rote().answer("/slow/v1/messages", b"{}") is None
    for body in (b"", b"[]", b"{"):
        script = Rote().answer("/v1/messages", body)
        assert script is not None
        assert script.stream.status == 400


def test_no_two_answers_have_the_same_ids() -> None:
    rote = Rote()
    answers = [decoded(asked("/v1/messages", rote, tools=[TOOL]).body) for _ in range(2)]
    assert answers[0].id != answers[1].id
    assert answers[0].tool_calls[0].id != answers[1].tool_calls[0].id
