"""Streams that would eat the machine, at their full size and under the default limits, each in a process of its own: the outcome,
the time, and the most memory that the process ever had."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing tells the memory here"),
]

MIB = 1 << 20

# What is decoded: an expression for an iterable of bytes. Then what comes of it, and MiB that the process may grow by.
HOSTILE = {
    "an endless line": ("itertools.chain([b'data: '], itertools.repeat(b'x' * 65536))", "limit max_frame_bytes", 80),
    "a line of 64 MiB that drips in": ("itertools.repeat(b'x' * 64, 1_000_000)", "limit max_frame_bytes", 80),
    "endless data lines": ("itertools.repeat(b'data: x\\n' * 8192)", "limit max_frame_bytes", 80),
    "a million comments": ("itertools.repeat(b': keep-alive\\n\\n' * 1000, 1000)", "truncated", 20),
    "comments in one frame": ("itertools.repeat(b': keep-alive\\n' * 5000)", "limit max_frame_bytes", 80),
    "a million tiny frames": ("itertools.repeat(b'data: {}\\n\\n' * 1000, 1000)", "malformed", 20),
    "a million tiny frames behind text": (
        "itertools.chain([CHAT], itertools.repeat(b'data: {}\\n\\n' * 1000, 1000))",
        "truncated",
        20,
    ),
    "deltas without an end": ("itertools.repeat(chunk({'content': 'x' * 60_000}) * 16)", "limit max_answer_bytes", 600),
    "an index of 2^31": ("[chunk({'content': 'x'}, index=2**31), DONE]", "complete", 20),
    "calls with indexes of 2^31": (
        "[*(chunk({'tool_calls': [{'index': 2**31 * n, 'id': f'c{n}', 'function': {'name': 'f'}}]}) for n in range(4096)), DONE]",
        "complete",
        60,
    ),
    "100,000 choices": ("(chunk({'content': 'x'}, index=n) for n in range(100_000))", "limit max_choices", 20),
    "100,000 choices in one frame": (
        "[data({'choices': [{'index': n, 'delta': {'content': 'x'}} for n in range(100_000)]})]",
        "limit max_choices",
        150,
    ),
    "100,000 calls": (
        "(chunk({'tool_calls': [{'index': n, 'id': f'c{n}', 'function': {'name': 'f'}}]}) for n in range(100_000))",
        "limit max_tool_calls",
        60,
    ),
    "100,000 parts": ("(chunk({('content', 'reasoning')[n % 2]: 'x'}) for n in range(100_000))", "limit max_parts", 60),
    "100,000 nested arrays": ("[data('[' * 100_000)]", "limit max_depth", 20),
    "100,000 nested arrays as a body": ("[b'[' * 100_000]", "limit max_depth", 20),
    "a number of 5,000 digits": ("[CHAT, data('{\"choices\":[],\"x\":' + '9' * 5000 + '}')]", "malformed", 20),
    "a name of 10 MB": (
        "[chunk({'tool_calls': [{'index': 0, 'id': 'c', 'function': {'name': 'n' * 10**7, 'arguments': '{}'}}]}), DONE]",
        "complete",
        150,
    ),
    "blank lines": ("itertools.repeat(b'\\n' * 65536, 40)", "truncated", 20),
    "lines of white space": ("itertools.repeat(b' \\n' * 32768, 1600)", "limit max_frame_bytes", 80),
    "white space ahead of a body": ("[*itertools.repeat(b' ' * 65536, 1600), b'{}']", "not_event_stream", 120),
    "a retry of 15 MB": ("[b'retry: ' + b'9' * 15_000_000 + b'\\n\\n', CHAT, DONE]", "complete", 80),
    "a body of 400 MiB": (
        'itertools.chain([b\'{"choices":[{"message":{"content":"\'], itertools.repeat(b\'x\' * 65536, 6400))',
        "limit max_answer_bytes",
        600,
    ),
}

CODE = """
import itertools, json, sys, time
sys.path.insert(0, sys.argv[1])
import sse_dialects as sd
from cases import DONE, chunk, data
CHAT = chunk({"content": "Hi"})
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
before, began, fed, kind = peak(), time.process_time(), 0, "complete"
decoder = sd.Decoder()
try:
    for piece in eval(sys.argv[2]):
        fed += len(piece)
        for _ in decoder.feed(piece):
            pass
    decoder.close()
except sd.LimitExceededError as error:
    kind = f"limit {error.limit}"
except sd.SSEDialectsError as error:
    kind = error.kind
decoder.partial()
print(json.dumps({"kind": kind, "fed": fed, "grown": peak() - before, "seconds": time.process_time() - began}))
"""


@pytest.mark.parametrize(("pieces", "kind", "grows"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_stream_at_its_full_size(pieces, kind, grows):
    command = [sys.executable, "-c", CODE, __file__.rpartition("/")[0], pieces]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(f"{found['fed'] / MIB:,.1f} MiB fed, {found['grown']:,.0f} MiB more memory, {found['seconds']:.2f} s")
    assert found["kind"] == kind
    assert found["grown"] < grows
    assert found["seconds"] < 60
