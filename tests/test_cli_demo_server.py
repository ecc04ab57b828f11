from __future__ import annotations

import threading

import pytest

from sse_dialects.cli.demo_server import serving
from sse_dialects.cli.demo_streams import SCRIPTS, Rote

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
