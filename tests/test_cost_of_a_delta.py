"""What one delta costs: the Python functions that it crosses, and how many of the recordings' deltas are hot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from test_repeated import BEGINNINGS, ENDS, delta

import sse_dialects as sd
from sse_dialects.detect import ENGINES

PACKAGE = str(Path(sd.__file__).parent)
DELTAS = (sd.TextDelta, sd.ReasoningDelta, sd.RefusalDelta, sd.ToolCallDelta)
EACH = 50


def functions_called(dialect, *, fast):
    """The names of the package's functions that run between two deltas of one read, in their order."""
    decoder = sd.Decoder(dialect)
    decoder._fast = fast
    names = {"model": "m", "created": 1} if dialect == "chat" else {}  # as real chunks have
    rows = [delta(dialect, " word", number, **names) for number in range(2 + EACH)]
    list(decoder.feed(b"".join([*BEGINNINGS[dialect], *rows[:2]])))
    called = []

    def note(frame, event, _):
        name = frame.f_code.co_name
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE) and not name.startswith("<"):  # no comprehension
            called.append(name)

    sys.setprofile(note)
    try:
        events = list(decoder.feed(b"".join(rows[2:])))
    finally:
        sys.setprofile(None)
    assert len(events) == EACH
    list(decoder.feed(ENDS[dialect]))
    middle = len(called) // 2
    each = called[middle:].index(called[middle], 1)
    assert called.count(called[middle]) >= EACH - 1
    return called[middle : middle + each]


@pytest.mark.parametrize("dialect", BEGINNINGS)
@pytest.mark.parametrize(("fast", "allowed"), [(True, 8), (False, 25)])
def test_a_delta_crosses_few_functions(monkeypatch, dialect, fast, allowed):
    monkeypatch.setattr("sse_dialects.repeated.AFTER", 1 << 60)
    called = functions_called(dialect, fast=fast)
    assert len(called) <= allowed, " ".join(called)


def hot_share(dialect, streams, monkeypatch):
    """Of all deltas in these streams, how many a hot frame or a repeated frame gave."""
    hot = total = 0
    general = ENGINES[dialect].take_general
    inner = []

    def counted(self, payload, event):
        before = len(self.out)
        general(self, payload, event)
        inner.extend(event for event in self.out[before:] if isinstance(event, DELTAS))

    monkeypatch.setattr(ENGINES[dialect], "take_general", counted)
    for data in streams:
        decoder = sd.Decoder(dialect)
        events = []
        inner.clear()
        try:
            events += decoder.feed(data)
            events += decoder.close()
        except sd.SSEDialectsError:
            pass
        deltas = sum(isinstance(event, DELTAS) for event in events)
        total += deltas
        hot += deltas - len(inner)
    return hot, total


def test_most_deltas_of_the_recordings_are_hot(monkeypatch, shared):
    found = {}
    for dialect in ENGINES:
        paths = sorted((shared / "corpus" / dialect).rglob("*.sse"))
        found[dialect] = hot_share(dialect, [path.read_bytes() for path in paths], monkeypatch)
    hot, total = (sum(counts) for counts in zip(*found.values(), strict=True))
    assert hot > 0.8 * total, found
