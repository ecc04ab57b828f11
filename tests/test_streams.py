"""The streams package: what it is imported for, that importing it costs nothing, and structured output on its way."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys

import httpx
import pytest
from bodies import CHAT

import sse_dialects
import sse_dialects as sd
from sse_dialects import streams, testing
from sse_dialects.partial_json import object_so_far


def test_the_public_names():
    for name in ("stream", "astream", "EventStream", "AsyncEventStream", "Stats"):
        assert getattr(sse_dialects, name) is getattr(streams, name)


@pytest.mark.alone
def test_a_sync_stream_loads_no_event_loop():
    code = (
        "import sys, sse_dialects\n"
        'with sse_dialects.stream([b\'data: {"choices": [{"delta": {"content": "x"}}]}\\n\\ndata: [DONE]\\n\\n\']) as events:\n'
        "    assert events.answer().text == 'x'\n"
        "unwanted = ('asyncio', 'trio', 'anyio', 'httpx', 'socket', 'threading', 'email', 'html')\n"
        "print([name for name in unwanted if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == "[]"


# ---- structured output

DOCUMENT = '{"title": "Rain", "items": [{"n": 1, "ok": true}, {"n": 2, "text": "a \\"b\\""}]}'


def beginnings(of):
    """What may be known of the document at some point, in order, each thing once."""
    seen = []
    for each in of:
        if each not in seen:
            seen.append(each)
    return seen


def document_in(dialect):
    return testing.reply(DOCUMENT).in_dialect(dialect, piece=1)


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_the_object_while_it_is_written(dialect):
    with sse_dialects.stream(document_in(dialect).frames()) as events:
        assert events.text_so_far_json() == {}
        told = beginnings(events.text_so_far_json() for _ in events)
        assert events.text_so_far_json() == events.answer().text_so_far_json() == json.loads(DOCUMENT)
    assert told == beginnings(object_so_far(DOCUMENT[:end]) for end in range(len(DOCUMENT) + 1))

    async def read():
        async with sse_dialects.astream(document_in(dialect).frames()) as events:
            return beginnings([events.text_so_far_json() async for _ in events])

    assert asyncio.run(read()) == told


def test_the_object_of_a_cut_stream():
    cut = document_in("chat").cut(after_frames=20)
    with sse_dialects.stream(cut.bytes()) as events, pytest.raises(sse_dialects.TruncatedStreamError) as caught:
        events.answer()
    assert caught.value.partial.text_so_far_json() == events.text_so_far_json() == {"title": "Rain"}


def test_jiter_is_imported_when_it_is_first_asked_for_and_missed_by_nobody():
    code = (
        "import sys, sse_dialects\n"
        "if sys.argv[1] == 'without': sys.modules['jiter'] = None\n"
        'events = sse_dialects.stream([b\'data: {"choices": [{"delta": {"content": "{\\\\"a\\\\": 1"}}]}\\n\\n\'])\n'
        "for event in events:\n"
        "    if event.type == 'text_delta':\n"
        "        before = 'jiter' in sys.modules\n"
        "        print(before, events.text_so_far_json(), sys.modules.get('jiter') is not None)\n"
        "        break\n"
        "events.close()\n"
    )
    installed = importlib.util.find_spec("jiter") is not None
    for way, expected in (("with", f"False {{'a': 1}} {installed}"), ("without", "True {'a': 1} False")):
        done = subprocess.run([sys.executable, "-c", code, way], capture_output=True, text=True, timeout=30, check=True)
        assert done.stdout.strip() == expected


# ---- which request it was

IDS = {"x-request-id": "req_1", "set-cookie": "secret=1", "x-other": "y"}
CUT = b"".join(CHAT[:2])


def errors_with_a_response():
    """A response for each kind of error, and how it is asked."""
    failed = b'data: {"error": {"message": "no", "type": "server_error"}}\n\n'
    return {
        "rejected": (httpx.Response(429, headers=IDS, content=b"{}"), {}),
        "not_event_stream": (httpx.Response(200, headers=IDS, content=b"<html>"), {}),
        "truncated": (httpx.Response(200, headers=IDS, content=CUT), {}),
        "upstream": (httpx.Response(200, headers=IDS, content=CUT + failed), {}),
        "malformed": (httpx.Response(200, headers=IDS, content=CUT + b"data: {oops\n\n"), {}),
        "limit": (httpx.Response(200, headers=IDS, content=CUT), {"limits": sd.Limits(max_frame_bytes=20)}),
    }


@pytest.mark.parametrize("kind", errors_with_a_response())
@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_request_is_named_by_every_error(kind, way):
    response, options = errors_with_a_response()[kind]

    async def read():
        async with sd.astream(response, **options) as events:
            await events.answer()

    def ask():
        return sd.stream(response, **options).answer() if way == "sync" else asyncio.run(read())

    with pytest.raises(sd.SSEDialectsError) as caught:
        ask()
    error = caught.value
    assert (error.kind, error.request_id) == (kind, "req_1")
    assert error.headers["x-other"] == "y"
    assert "set-cookie" not in error.headers
    assert error.to_dict()["request_id"] == "req_1"
    assert "headers" not in error.to_dict()
    assert "x-other" not in repr(error)


def test_the_request_is_named_by_misuse_and_by_the_stream():
    response = httpx.Response(200, headers=IDS, content=b"".join(CHAT))
    with sd.stream(response) as events:
        assert events.request_id == "req_1"
        events.close()
        with pytest.raises(sd.MisuseError) as caught:
            events.answer()
    assert caught.value.request_id == "req_1"

    async def name():
        async with sd.astream(httpx.Response(200, headers=IDS, content=b"")) as events:
            return events.request_id

    assert asyncio.run(name()) == "req_1"
    assert sd.stream(CHAT).request_id is None
    with pytest.raises(sd.TruncatedStreamError) as caught:
        sd.stream(CHAT[:1]).answer()
    assert (caught.value.request_id, caught.value.headers) == (None, {})
