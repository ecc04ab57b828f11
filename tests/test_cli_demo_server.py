from __future__ import annotations

import threading

import pytest

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.cli.demo_server import serving
from sse_dialects.cli.demo_streams import SCRIPTS, Kept, Rote

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
    with serving(0, Rote().answer) as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(OSError), serving(0, port=port):  # noqa: PT011  # the number differs by system
            pass
        response = httpx.post(f"{address}/rejected/v1/messages", json={"stream": True}, trust_env=False)
        assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")
    with serving(0, Rote().answer, port) as again:  # at once, though its connections are not forgotten yet
        assert again == address


def test_a_response_in_the_background_can_be_resumed() -> None:
    request = {"stream": True, "background": True, "input": "Why?"}
    with serving(0, Rote().answer) as address, httpx.Client(trust_env=False) as client:
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
    kept = Kept()
    replies = [testing.reply("Hi", id=f"resp_{number}") for number in range(102)]
    for reply in replies:
        kept.keep(reply)
    found = [kept.rest(f"/v1/responses/resp_{number}?stream=true") for number in (1, 2, 101)]
    assert [stream.status for stream in found if stream] == [404, 200, 200]
    assert kept.rest("/v1/responses") is None
