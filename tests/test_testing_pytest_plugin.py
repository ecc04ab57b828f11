"""The fixture ``sse_provider``, used in a pytest of its own as users would, and that nobody else gets it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sse_dialects

CONFTEST = 'pytest_plugins = ["sse_dialects.testing.pytest_plugin"]\n'
TESTS = """
import httpx
import pytest
import sse_dialects as sd
from sse_dialects import testing

URL = "https://nowhere.invalid/v1/messages"


def ask():
    with httpx.stream("POST", URL, json={}) as response, sd.stream(response) as events:
        return events.answer().text


def test_the_code_under_test_is_answered(sse_provider):
    sse_provider.add(testing.reply("Hello").as_messages().cut(), testing.reply("Hello"))
    with pytest.raises(sd.TruncatedStreamError):
        ask()
    assert ask() == "Hello"
    assert [request.path for request in sse_provider.requests] == ["/v1/messages"] * 2


def test_so_is_async_code(sse_provider):
    import asyncio

    async def ask():
        async with httpx.AsyncClient() as client, client.stream("POST", URL) as response, sd.astream(response) as events:
            return (await events.answer()).text

    sse_provider.add(testing.reply("Hello"))
    assert asyncio.run(ask()) == "Hello"


def test_what_was_not_scripted_fails(sse_provider):
    with pytest.raises(sd.MisuseError, match="nothing was scripted"):
        ask()


def test_clients_with_a_transport_of_their_own_keep_it(sse_provider):
    with httpx.Client(transport=testing.Provider(testing.reply("Mine")).httpx_transport()) as client:
        with client.stream("POST", URL) as response:
            assert sd.stream(response).answer().text == "Mine"


def test_afterwards_all_is_as_before():
    assert httpx.HTTPTransport.handle_request.__module__.startswith("httpx")
    with pytest.raises(httpx.ConnectError):
        ask()
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(sse_dialects.__file__).parent.parent)}  # where this test found it
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_the_fixture(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


@pytest.mark.slow
def test_by_the_command_line_as_well(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    done = run(tmp_path, "-p", "sse_dialects.testing.pytest_plugin")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_pytest_does_not_load_it_by_itself(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_it(): assert not [name for name in sys.modules if name.startswith('sse_dialects')]\n"
    )
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
