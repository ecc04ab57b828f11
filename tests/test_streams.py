"""The streams package: what it is imported for, and that importing it costs nothing."""

from __future__ import annotations

import subprocess
import sys

import sse_dialects
from sse_dialects import streams


def test_the_public_names():
    for name in ("stream", "astream", "EventStream", "AsyncEventStream", "Stats"):
        assert getattr(sse_dialects, name) is getattr(streams, name)


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
