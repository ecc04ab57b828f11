from __future__ import annotations

import json
import threading
from typing import Any

import pytest

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.cli.demo_server import FAULTS, PATHS, SCRIPTS, UNSENT, DemoProvider, KeptResponses, Script, serving

httpx = pytest.importorskip("httpx")


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_comes_whole_and_in_pieces(name: str) -> None:
    script = SCRIPTS[name]
    with serving(0.1) as address, httpx.stream("POST", address + script.path, json={}, trust_env=False) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        pieces = list(response.iter_raw())
    assert b"".join(pieces) == script.body
    assert len(pieces) > 10


def test_other_paths_are_not_found() -> None:
    with serving(0) as address:
        assert httpx.post(f"{address}/v1/embeddings", json={}, trust_env=False).status_code == 404


def test_a_client_that_leaves_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(0.1) as address:
        with httpx.stream("POST", address + SCRIPTS["chat"].path, json={}, trust_env=False) as response:
            next(response.iter_raw())
        assert httpx.post(address + SCRIPTS["cut"].path, json={}, trust_env=False).status_code == 200
    assert capfd.readouterr() == ("", "")


def test_the_server_ends_with_the_block() -> None:
    before = threading.active_count()
    with serving(0) as address:
        assert httpx.post(address + SCRIPTS["cut"].path, json={}, trust_env=False).content == SCRIPTS["cut"].body
    with pytest.raises(httpx.ConnectError):
        httpx.post(address + SCRIPTS["cut"].path, json={}, trust_env=False)
    assert threading.active_count() <= before + 1  # a handler may still close its connection


def test_it_serves_any_answers_at_any_port() -> None:
    with serving(0, DemoProvider().answer) as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(OSError), serving(0, port=port):  # noqa: PT011  # the number differs by system
            pass
        response = httpx.post(f"{address}/rejected/v1/messages", json={"stream": True}, trust_env=False)
        assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")
    with serving(0, DemoProvider().answer, port) as again:  # at once, though its connections are not forgotten yet
        assert again == address


def test_a_response_in_the_background_can_be_resumed() -> None:
    request = {"stream": True, "background": True, "input": "Why?"}
    with serving(0, DemoProvider().answer) as address, httpx.Client(trust_env=False) as client:
        url = f"{address}/cut/v1/responses"
        for _ in range(2):
            with client.stream("POST", url, json=request) as response, sd.stream(response) as events:
                with pytest.raises(sd.TruncatedStreamError) as caught:
                    events.answer()
            assert caught.value.resumable
            rest = {"stream": "true", "starting_after": events.last_sequence_number}
            with client.stream("GET", f"{url}/{events.partial().id}", params=rest) as response:
                with sd.stream(response, resume=events) as resumed:
                    assert resumed.answer().text == "Because of Rayleigh scattering."
            assert resumed.stats.frames == resumed.last_sequence_number + 1
        with client.stream("GET", f"{url}/{events.partial().id}?stream=true&starting_after=soon") as response:
            assert sd.stream(response).answer() == resumed.answer()
        unknown = client.get(f"{url}/resp_of_another")
        assert (unknown.status_code, unknown.json()["error"]["message"]) == (404, "Response with id 'resp_of_another' not found.")
        assert [client.get(address + path).status_code for path in ("/v1/responses/", "/v1/embeddings", "/")] == [404] * 3


def test_the_last_responses_are_kept() -> None:
    kept = KeptResponses()
    replies = [testing.reply("Hi", id=f"resp_{number}") for number in range(102)]
    for reply in replies:
        kept.keep(reply)
    found = [kept.rest(f"/v1/responses/resp_{number}?stream=true") for number in (1, 2, 101)]
    assert [stream.status for stream in found if stream] == [404, 200, 200]
    assert kept.rest("/v1/responses") is None


# ---- the streams of `sse-dialects demo`


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


# ---- the provider with prepared answers

TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}


def asked(path: str, provider: DemoProvider | None = None, **request: Any) -> Script:
    script = (provider or DemoProvider()).answer(path, json.dumps({"stream": True, **request}).encode())
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
    provider = DemoProvider()
    for question in "ab":
        first, second, third = (asked(f"/flaky{path}", provider, input=question) for _ in range(3))
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
    assert DemoProvider().answer("/v1/embeddings", b"{}") is None
    assert DemoProvider().answer("/slow/v1/messages", b"{}") is None
    for body in (b"", b"[]", b"{"):
        script = DemoProvider().answer("/v1/messages", body)
        assert script is not None
        assert script.stream.status == 400


def test_no_two_answers_have_the_same_ids() -> None:
    provider = DemoProvider()
    answers = [decoded(asked("/v1/messages", provider, tools=[TOOL]).body) for _ in range(2)]
    assert answers[0].id != answers[1].id
    assert answers[0].tool_calls[0].id != answers[1].tool_calls[0].id
