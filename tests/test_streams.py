"""The streams package: what it is imported for, that importing it costs nothing, and structured output on its way."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys

import pytest

import sse_dialects
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
