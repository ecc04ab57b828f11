"""The playground: what it computes, and the page in a browser on the built site, decoded by the built wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser import CHROMIUM, DRIVER, chromium, static_server

from sse_dialects import testing
from sse_dialects.recording import Recorder

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def decode():
    spec = importlib.util.spec_from_file_location("decode", ROOT / "docs" / "playground" / "decode.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHUNKS = ["whole", "frames", "random", "1024", "64", "7", "1"]


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("name", ["chat", "messages", "responses", "failure", "cut", "html"])
def test_pieces_change_nothing_but_when_an_event_comes(decode, name, chunks):
    stream = decode.samples()[name]
    shown, whole = decode.snapshot(stream, chunks=chunks), decode.snapshot(stream)
    for each in (shown, whole):
        del each["pieces"]
        for row in [*each["events"], *each["frames"]]:
            del row["piece"]
    assert shown == whole


def test_the_samples_are_what_their_buttons_say(decode):
    shown = {name: decode.snapshot(stream) for name, stream in decode.samples().items()}
    outcome = {name: each["error"] and each["error"]["kind"] for name, each in shown.items()}
    dialects = dict.fromkeys(("chat", "messages", "responses"))
    assert outcome == {**dialects, "failure": "upstream", "cut": "truncated", "html": "not_event_stream"}
    assert {shown[name]["answer"]["dialect"] for name in dialects} == set(dialects)


def test_a_cut_is_a_closed_connection(decode):
    stream = decode.samples()["chat"]
    shown = decode.snapshot(stream, cut=len(stream) // 2, chunks="7")
    assert shown["bytes"] == len(stream) // 2
    assert shown["length"] == len(stream)
    assert shown["error"]["class"] == "TruncatedStreamError"
    assert not shown["complete"]
    assert shown["frames"][-1]["unfinished"]


def test_a_recording_is_played_in_its_own_pieces(decode, tmp_path):
    pieces = testing.reply("Hello").as_chat().reads(50).pieces()
    with Recorder(tmp_path / "r.jsonl") as recorder:
        recorder.begin()
        for piece in pieces:
            recorder.write(piece)
        recorder.end()
    data = (tmp_path / "r.jsonl").read_bytes()
    assert decode.snapshot(data, chunks="recorded")["pieces"] == len(pieces)
    assert decode.snapshot(data, chunks="whole")["pieces"] == 1
    assert decode.snapshot(data)["recorded"]
    assert decode.snapshot(data)["answer"]["text"] == "Hello"


def test_nothing_is_no_stream(decode):
    shown = decode.snapshot(b"")
    assert shown["frames"] == shown["events"] == []
    assert shown["error"]["kind"] == "truncated"


# ---- in the browser

needs_a_browser = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; $SSE_DIALECTS_SITE names one that is built already."""
    if built := os.environ.get("SSE_DIALECTS_SITE"):
        return Path(built)
    if not importlib.util.find_spec("mkdocs") or not shutil.which("npm"):
        pytest.skip("needs the extra docs, and npm")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    return folder


@pytest.fixture(scope="module")
def page(site):
    """The playground once Python runs in it."""
    with static_server(site) as url, chromium() as browser:
        browser.open(f"{url}/playground/")
        shown(browser)
        yield browser


def shown(browser):
    """Waits until the page shows what its controls say."""
    browser.wait("const p = document.getElementById('pg-playground'); return p.dataset.ready && p.dataset.shown", seconds=180)


def act(browser, script, *arguments):
    """Does something on the page, and waits for what it shows then."""
    before = browser.run("return document.getElementById('pg-playground').dataset.shown")
    browser.run(script, *arguments)
    browser.wait("return document.getElementById('pg-playground').dataset.shown !== arguments[0]", before)


def paste(browser, text):
    act(
        browser,
        "const t = document.getElementById('pg-stream'); t.value = arguments[0]; t.dispatchEvent(new Event('input'))",
        text,
    )


def close_at(browser, position):
    act(
        browser,
        "const c = document.getElementById('pg-cut'); c.value = arguments[0]; c.dispatchEvent(new Event('input'))",
        position,
    )


@needs_a_browser
def test_a_pasted_stream_is_an_answer_and_a_cut_one_an_error(page):
    stream = testing.reply("Grüße aus Orléans").as_messages().bytes()
    paste(page, stream.decode())
    assert page.text("#pg-verdict") == "A whole answer"
    assert '"text": "Grüße aus Orléans"' in page.text("#pg-answer")
    assert f"byte {len(stream)} of {len(stream)}" in page.text("#pg-position")

    close_at(page, len(stream) - 30)
    assert page.text("#pg-verdict") == "TruncatedStreamError"
    assert "message_stop" in page.text("#pg-said")
    assert page.text("#pg-answer-title") == "Partial answer"
    assert '"retryable": true' in page.text("#pg-error")


@needs_a_browser
def test_pieces_are_chosen(page):
    stream = testing.reply("Hello, world").as_chat().bytes()
    paste(page, stream.decode())
    whole = page.run("return [...document.querySelectorAll('#pg-events .pg-row')].map(row => row.textContent)")
    act(page, "const c = document.getElementById('pg-chunks'); c.value = '7'; c.dispatchEvent(new Event('change'))")
    assert f"fed in {-(-len(stream) // 7)} pieces" in page.text("#pg-position")
    assert page.run("return [...document.querySelectorAll('#pg-events .pg-row')].map(row => row.textContent)") == whole


@needs_a_browser
@pytest.mark.parametrize(
    ("sample", "verdict"),
    [("responses", "A whole answer"), ("failure", "UpstreamError"), ("html", "NotAnEventStreamError")],
)
def test_a_sample_is_shown(page, sample, verdict):
    act(page, "document.querySelector(`[data-sample=${arguments[0]}]`).click()", sample)
    assert page.text("#pg-verdict") == verdict


@needs_a_browser
def test_a_dropped_file_is_read_as_bytes(page):
    script = """
        const bytes = Uint8Array.from(arguments[0]), data = new DataTransfer();
        data.items.add(new File([bytes], "stream.sse"));
        document.getElementById("pg-playground").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    """
    stream = b'data: {"choices": [{"index": 0, "delta": {"content": "a\xff"}}]}\n\ndata: [DONE]\n\n'
    act(page, script, list(stream))
    assert '"text": "a\ufffd"' in page.text("#pg-answer")


@needs_a_browser
def test_a_stream_is_shown_as_text_and_never_as_markup(page):
    paste(page, 'data: {"choices": [{"index": 0, "delta": {"content": "<img src=x onerror=document.title=1>"}}]}\n\n')
    assert page.run("return document.querySelectorAll('#pg-playground img').length") == 0


@needs_a_browser
def test_the_page_complains_of_nothing_and_asks_no_other_host(page):
    assert page.complaints() == []
    hosts = page.run("return [...new Set(performance.getEntriesByType('resource').map(entry => new URL(entry.name).hostname))]")
    assert hosts == ["127.0.0.1"]


@needs_a_browser
@pytest.mark.parametrize("path", ["/", "/tutorial/", "/reference/api/", "/reference/conformance/", "/moving/openai/"])
def test_a_page_fits_a_narrow_window_and_asks_no_other_host(site, path):
    with static_server(site) as url, chromium(500, 900) as browser:
        browser.open(url + path)
        assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
        script = "return [...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).hostname))]"
        assert browser.run(script) in ([], ["127.0.0.1"])
        assert browser.complaints() == []
