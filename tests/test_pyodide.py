"""The built wheel under Pyodide, in Node and in Chromium: `fetch` as the transport, streams from loopback.

Slow, and needs a built site ($SSE_DIALECTS_SITE), which holds the wheel and Pyodide's files. Its CPython is 3.14.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bodies import CHAT, DIALECTS, frame
from browser import CHROMIUM, DRIVER, chromium, static_server
from server import FOREVER, FaultServer, Reply

HERE = Path(__file__).parent / "pyodide"
SITE = os.environ.get("SSE_DIALECTS_SITE")
SOURCES = ["pyfetch", "Response", "ReadableStream"]
OPEN = {"Access-Control-Allow-Origin": "*"}  # the streams come from another port than the page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not SITE, reason="$SSE_DIALECTS_SITE names no built site")]


def replies():
    failed = [CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})]
    plain = {**OPEN, "Content-Type": "application/json"}
    return {
        **{name: Reply(frames, headers=OPEN) for name, frames in DIALECTS.items()},
        "cut": Reply(CHAT[:2], headers=OPEN),
        # Browsers drop what has not been read when a connection breaks, hence the pause.
        "broken": Reply([*CHAT[:2], 0.3, *CHAT[2:]], cut_at=len(b"".join(CHAT[:2])) + 9, headers=OPEN),
        "failed": Reply(failed, headers=OPEN),
        "rejected": Reply(b'{"error": {"message": "slow down"}}', status=429, headers=plain),
        "html": Reply(b"<html>" + b" " * 600, headers={**OPEN, "Content-Type": "text/html"}),
        "slow": Reply([*CHAT[:2], 0.5, *CHAT[2:]], headers=OPEN),
        "open": Reply([*CHAT[:2], FOREVER], headers=OPEN),
    }


def in_node(playground, urls):
    arguments = [str(playground / "pyodide"), str(playground / "sse_dialects.whl"), str(HERE / "scenario.py"), urls]
    done = subprocess.run(["node", str(HERE / "run.mjs"), *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def in_chromium(playground, urls, folder):
    for path in (HERE / "page.html", HERE / "scenario.py", playground / "sse_dialects.whl"):
        shutil.copy(path, folder)
    (folder / "pyodide").symlink_to(playground / "pyodide")
    with static_server(folder) as url, chromium() as browser:
        browser.open(f"{url}/page.html")
        browser.wait("return window.ready")
        browser.run("run(arguments[0]).then(told => { window.told = told }, error => { window.told = String(error) })", urls)
        return browser.wait("return window.told", seconds=120)


@pytest.fixture(scope="module", params=["node", "chromium"])
def found(request, tmp_path_factory):
    """What the scenario told."""
    playground = Path(SITE or "").resolve() / "playground"
    with FaultServer() as server:
        urls = json.dumps({name: server.serve(reply) for name, reply in replies().items()})
        if request.param == "node":
            if not shutil.which("node"):
                pytest.skip("node is not installed")
            return json.loads(in_node(playground, urls))
        if not (CHROMIUM and DRIVER):
            pytest.skip("chromium and chromedriver are not installed")
        return json.loads(in_chromium(playground, urls, tmp_path_factory.mktemp("page")))


def test_it_is_the_newest_python(found):
    assert found["platform"] == "emscripten"
    assert found["python"].startswith("3.14.")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_whole(found, dialect, source):
    assert (found[dialect][source]["kind"], found[dialect][source]["text"]) == ("complete", "Hello")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["cut", "broken"])
def test_cut(found, name, source):
    assert found[name][source] == {"kind": "truncated", "status": None, "text": "Hello"}


@pytest.mark.parametrize("source", SOURCES)
def test_failed(found, source):
    assert (found["failed"][source]["kind"], found["failed"][source]["text"]) == ("upstream", "Hel")


def test_rejected(found):
    for source in ("pyfetch", "Response"):
        assert (found["rejected"][source]["kind"], found["rejected"][source]["status"]) == ("rejected", 429)
    assert found["rejected"]["ReadableStream"]["kind"] == "upstream"  # a body alone has no status


@pytest.mark.parametrize("source", SOURCES)
def test_another_body(found, source):
    assert found["html"][source]["kind"] == "not_event_stream"


def test_events_come_as_they_arrive(found):
    assert found["timing"]["whole"] - found["timing"]["first"] > 0.3


def test_a_stream_is_left_at_once(found):
    assert found["left"] < 1.0


def test_silence(found):
    assert found["idle"] == {"kind": "stalled", "status": None, "text": "Hello"}


def test_read_before(found):
    assert found["misused"]["kind"] == "misuse"
