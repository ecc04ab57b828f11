"""The programs in examples/, run against a provider on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from docs_provider import AFTER_TOOL, TEXT, DocsProvider

import sse_dialects as sd

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
REQUEST = {
    "model": "m",
    "stream": True,
    "stream_options": {"include_usage": True},
    "messages": [{"role": "user", "content": "Why is the sky blue?"}],
}


@pytest.fixture(scope="module")
def server():
    with DocsProvider() as server:
        yield server


@pytest.fixture
def provider(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    server.faults.clear()
    server.requests.clear()
    return server


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- chat_with_tools


def test_the_chat_runs_its_tool_and_goes_on(provider, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("What is the weather in Orléans?\nAnd now?\n"))
    loaded("chat_with_tools").main()
    printed = capsys.readouterr()
    assert '[get_weather {"city": "Orléans"}]' in printed.out
    assert printed.out.count(AFTER_TOOL) == 2
    assert printed.err == ""
    roles = [message["role"] for message in provider.requests[-1]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert json.loads(provider.requests[-1]["messages"][2]["content"])["celsius"] == 12


def test_the_chat_retries_only_what_nobody_saw(provider, monkeypatch, capsys):
    provider.faults = ["busy", "cut"]
    monkeypatch.setattr("sys.stdin", io.StringIO("Well?\n"))
    loaded("chat_with_tools").main()
    printed = capsys.readouterr()
    assert len(provider.requests) == 2
    assert "the stream closed before its terminating frame" in printed.err


def test_the_chat_outlives_a_server_that_is_not_there(provider, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setattr("sys.stdin", io.StringIO("Well?\nWell?\n"))
    loaded("chat_with_tools").main()
    assert capsys.readouterr().err.count("refused") == 2


@pytest.mark.parametrize("arguments", ['{"date": 1', '{"date": "soon"}', '{"day": "2026-01-01"}'])
def test_a_tool_s_failure_is_told_to_the_model(provider, arguments):
    call = sd.ToolCall("call_1", "days_until", "function", arguments, complete=True)
    assert "error" in json.loads(loaded("chat_with_tools").result_of(call)["content"])


# ---- retry


def test_no_two_attempts_are_glued_together(provider):
    retry = loaded("retry")
    screen: list[str] = []
    taken_back: list[str] = []

    def restart(error):
        taken_back.append("".join(screen))
        assert error.partial.text.startswith(taken_back[-1])
        screen.clear()

    provider.faults = ["cut", "busy", "failing", "whole"]
    with httpx.Client(timeout=10) as client:
        answer = retry.whole_answer(client, REQUEST, show=screen.append, restart=restart, first_wait_s=0.01)
    assert answer.text == "".join(screen) == TEXT
    assert len(taken_back) == 2
    assert all(text and TEXT.startswith(text) for text in taken_back)


def test_what_another_attempt_cannot_change_is_raised_at_once(provider):
    retry = loaded("retry")
    provider.faults = ["rejected"]
    with httpx.Client(timeout=10) as client, pytest.raises(sd.RequestRejectedError):
        retry.whole_answer(client, REQUEST, show=print, restart=print)
    assert len(provider.requests) == 1


def test_the_last_attempt_s_error_is_raised(provider):
    retry = loaded("retry")
    provider.faults = ["cut"] * 3
    with httpx.Client(timeout=10) as client, pytest.raises(sd.TruncatedStreamError):
        retry.whole_answer(client, REQUEST, show=lambda _: None, restart=lambda _: None, attempts=3, first_wait_s=0.01)
    assert len(provider.requests) == 3


# ---- gateway_metering


def through_the_gateway(provider, monkeypatch, path, request):
    """What a client gets through the gateway, and the status."""
    pytest.importorskip("starlette")
    monkeypatch.setenv("UPSTREAM", provider.url)
    gateway = loaded("gateway_metering")

    async def ask():
        async with gateway.lifespan(gateway.app):
            transport = httpx.ASGITransport(app=gateway.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
                response = await client.post(path, json=request)
                return response.status_code, response.content

    return asyncio.run(ask())


@pytest.mark.parametrize(("fault", "outcome", "tokens"), [("whole", "complete", 46), ("cut", "truncated", None)])
def test_the_gateway_forwards_bytes_untouched_and_meters_them(provider, monkeypatch, caplog, fault, outcome, tokens):
    caplog.set_level(logging.INFO, "gateway")
    provider.faults = [fault]
    status, body = through_the_gateway(provider, monkeypatch, "/v1/chat/completions", REQUEST)
    provider.faults = [fault]
    assert (status, body) == (200, httpx.post(f"{provider.url}/v1/chat/completions", json=REQUEST).content)
    assert f"dialect=chat model=scripted-1 outcome={outcome} tokens={tokens}" in caplog.text


def test_the_gateway_forwards_a_failure_and_a_rejection(provider, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "gateway")
    provider.faults = ["failing", "rejected"]
    _, body = through_the_gateway(provider, monkeypatch, "/v1/messages", REQUEST)
    assert b"overloaded_error" in body
    assert "dialect=messages model=scripted-1 outcome=upstream" in caplog.text
    status, body = through_the_gateway(provider, monkeypatch, "/v1/messages", REQUEST)
    assert status == 400
    assert b"max_tokens is too large" in body


def test_the_gateway_says_that_the_provider_is_not_there(monkeypatch):
    class Nowhere:
        url = "http://127.0.0.1:1"

    status, body = through_the_gateway(Nowhere, monkeypatch, "/v1/messages", REQUEST)
    assert (status, json.loads(body)["error"]["type"]) == (502, "server_error")


def test_the_gateway_logs_when_it_is_started_as_it_says(provider, tmp_path):
    """In a process of its own: nothing but the example has set up logging there."""
    pytest.importorskip("starlette")
    program = """
import asyncio, httpx, gateway_metering as gateway

async def main():
    async with gateway.lifespan(gateway.app):
        transport = httpx.ASGITransport(app=gateway.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
            await client.post("/v1/messages", json={"stream": True})

asyncio.run(main())
"""
    root = str(Path(sd.__file__).parent.parent)
    path = os.pathsep.join([root, str(EXAMPLES)])
    environment = {**os.environ, "UPSTREAM": provider.url, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert "gateway: dialect=messages model=scripted-1 outcome=complete tokens=46" in done.stderr
    assert "HTTP Request" not in done.stderr


# ---- as programs


def ended(name, monkeypatch, capsys, *arguments):
    """The program's sentence at its end; a traceback would be another exception."""
    monkeypatch.setattr("sys.argv", [name, *arguments])
    with pytest.raises(SystemExit) as caught:
        loaded(name).main()
    return str(caught.value.code).strip()


def test_retry_ends_in_a_sentence(provider, monkeypatch, capsys):
    assert ended("retry", monkeypatch, capsys).startswith("usage:")
    provider.faults = ["rejected"]
    assert ended("retry", monkeypatch, capsys, "Well?").startswith("no answer: ")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "no connection to http://127.0.0.1:1/v1/chat/completions: " in ended("retry", monkeypatch, capsys, "Well?")


def test_retry_reaches_an_answer_of_a_flaky_provider(provider, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/flaky/v1")
    monkeypatch.setattr("sys.argv", ["retry", "Why?"])
    loaded("retry").main()
    printed = capsys.readouterr()
    assert printed.out.endswith(f"{TEXT}")
    assert "[truncated: beginning again]" in printed.err


def test_the_sdk_s_client_as_a_program(provider, monkeypatch, capsys):
    assert ended("sdk_client", monkeypatch, capsys).startswith("usage:")
    monkeypatch.setenv("ACME_BASE_URL", provider.url)
    monkeypatch.setattr("sys.argv", ["sdk_client", "Why?"])
    loaded("sdk_client").main()
    assert capsys.readouterr().out.strip() == TEXT
    provider.faults = ["rejected"]
    assert "max_tokens is too large" in ended("sdk_client", monkeypatch, capsys, "Why?")
    monkeypatch.setenv("ACME_BASE_URL", "http://127.0.0.1:1")
    assert ended("sdk_client", monkeypatch, capsys, "Why?").startswith("no reply: ")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_says_what_to_install_and_how_to_start_it_without_a_key(path):
    about = " ".join(path.read_text(encoding="utf-8").split('"""')[1].split())
    assert "pip install " in about
    assert "sse-dialects demo --serve" in about
    assert re.search(rf"{path.stem}(?:\.py|:app)", about)
