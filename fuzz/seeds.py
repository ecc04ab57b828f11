"""What fuzzing begins with: streams of our own writing, valid and spoiled, answers as JSON bodies, recordings."""

from __future__ import annotations

import io
import json
import random
from typing import TYPE_CHECKING

import generators
from cases import bodies, chat, failures, messages, responses
from mutations import RandomPen, spoiled
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from test_conformance import RULES
from test_http_errors import BODIES

import sse_dialects as sd
from sse_dialects.recording import Recorder
from sse_dialects.testing import reply, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["streams", "write_corpus"]

_FRAMES, _CHAT, _MESSAGES, _RESPONSES, _AUTO, _BODY, _COMMANDS, _REJECTED = range(8)  # places in `targets.TARGETS`
_PLACES = {"chat": _CHAT, "messages": _MESSAGES, "responses": _RESPONSES, "auto": _AUTO}


def streams() -> Iterator[tuple[int, bytes]]:
    """``(target, data)`` of all that is known to be worth beginning with."""
    for data, _ in RULES.values():
        yield _FRAMES, data
    for sample in (*CHAT, *MESSAGES, *RESPONSES):
        yield _PLACES[sample.dialect], sample.data
        yield _AUTO, sample.data
    for table in (bodies, chat, failures, messages, responses):
        for case in table.CASES:
            yield _PLACES[case.dialect], case.data
    for dialect in generators.SCRIPTS:
        for seed in range(40):
            pen = RandomPen(random.Random(f"{seed} {dialect}"))
            yield _PLACES[dialect], generators.written(pen, generators.SCRIPTS[dialect](pen)).data
            yield _PLACES[dialect], spoiled(seed, dialect)
    for sample in (*CHAT[::5], *MESSAGES[::5], *RESPONSES[::5]):
        yield _COMMANDS, sample.data
        yield _COMMANDS, _recorded(sample.data)
    for sample in (*CHAT, *MESSAGES, *RESPONSES):
        yield _BODY, json.dumps(sd.stream(sample.data, sample.dialect).answer().native).encode()
    for body, _ in BODIES:
        yield _REJECTED, b"3\n" + body
        yield _REJECTED, b"https://user@host/path?query\n" + body
        yield _REJECTED, b"Wed, 21 Oct 2099 07:28:00 GMT\n" + body
    said = reply("Hello, world", reasoning="Say hello", tool_calls=[tool_call("greet", {"who": "world"})])
    for dialect in generators.SCRIPTS:
        data = said.in_dialect(dialect, piece=2).bytes()
        yield _PLACES[dialect], data


def _recorded(data: bytes) -> bytes:
    file = io.BytesIO()
    sd.stream([data[:50], data[50:]], record=Recorder(file)).answer()
    return file.getvalue()


def write_corpus(folder: Path, longest: int) -> int:
    """Write those of at most ``longest`` bytes as inputs into a folder, which is made if need be; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = sorted({bytes([target, 0]) + data for target, data in streams() if len(data) + 2 <= longest}, key=len)
    for number, data in enumerate(inputs):
        (folder / f"seed-{number:04}").write_bytes(data)
    return len(inputs)
