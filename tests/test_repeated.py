"""Frames that are taken without the JSON parser, against the same frames taken by the engines."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

import sse_dialects as sd
from sse_dialects import repeated

DONE = b"data: [DONE]\n\n"
TEXTS = [" a", " b", ' "q"', " \\", " \u00e9", " \U0001f600", "\t", " \u2028", "\x7f", " }", " ,", " [", "x" * 300]


def chat(text, **members):
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}], **members}


def messages(text, **members):
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}, **members}


def responses(text, number, **members):
    return {
        "type": "response.output_text.delta",
        "item_id": "i",
        "output_index": 0,
        "content_index": 0,
        "delta": text,
        "logprobs": [],
        "sequence_number": number,
        **members,
    }


def frame(payload, *, ascii=False, event=None):
    data = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=ascii, separators=(",", ":"))
    return (f"event: {event}\n" if event else "").encode() + f"data: {data}\n\n".encode()


BEGINNINGS = {
    "chat": [],
    "messages": [
        frame({"type": "message_start", "message": {"id": "m", "model": "x"}}),
        frame({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ],
    "responses": [
        frame({"type": "response.created", "response": {"id": "r", "status": "in_progress"}, "sequence_number": 1}),
        frame({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "i", "content": []}}),
    ],
}
ENDS = {
    "chat": DONE,
    "messages": frame({"type": "message_stop"}),
    "responses": frame({"type": "response.completed", "response": {"id": "r", "status": "completed"}}),
}


def delta(dialect, text, number, *, ascii=False, **members):
    if dialect == "responses":
        return frame(responses(text, number, **members), ascii=ascii, event="response.output_text.delta")
    make = chat if dialect == "chat" else messages
    return frame(make(text, **members), ascii=ascii, event=None if dialect == "chat" else "content_block_delta")


def spaced(row, count):
    """The frame with spaces ahead of its last brace, as some servers pad it."""
    return row[: -len(b"}\n\n")] + b" " * count + b"}\n\n"


def facts(chunks, dialect, *, fast=True):
    decoder = sd.Decoder(dialect)
    decoder._fast = fast
    events, error, answer, turn = [], None, None, None
    try:
        for chunk in chunks:
            for event in decoder.feed(chunk):
                events.append(event.to_dict())
        for event in decoder.finish():
            events.append(event.to_dict())
        answer, turn = decoder.answer().to_dict(), decoder.answer().turn
    except sd.StreamError as failure:
        error, answer = failure.to_dict(), failure.partial.to_dict()
    return events, answer, turn, error, decoder.frame_count, decoder._engine.last_sequence_number


def cuttings(data, seed):
    yield [data]
    rng = random.Random(seed)
    for count in (1, 5, 40):
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(count))
        yield [data[start:end] for start, end in pairwise([0, *cuts, len(data)])]


def same(data, dialect):
    expected = facts([data], dialect, fast=False)
    for chunks in cuttings(data, len(data)):
        assert facts(chunks, dialect) == expected
    return expected


def run_of(dialect, count, **members):
    return [delta(dialect, TEXTS[number % 2], number + 3, **members) for number in range(count)]


def taken(monkeypatch):
    """Counts the frames that patterns take."""
    found = []
    take = repeated.RepeatedFrames.take

    def counted(self, text, at, out):
        after = take(self, text, at, out)
        found.append(bool(after))
        return after

    monkeypatch.setattr(repeated.RepeatedFrames, "take", counted)
    return found


each = pytest.mark.parametrize("dialect", BEGINNINGS)


@each
@pytest.mark.parametrize("padded", [False, True])
def test_a_long_answer_is_taken_by_its_pattern(monkeypatch, dialect, padded):
    found = taken(monkeypatch)
    members = {"obfuscation": "aB3"} if padded and dialect != "messages" else {}
    data = b"".join([*BEGINNINGS[dialect], *run_of(dialect, 100, **members), ENDS[dialect]])
    assert facts([data], dialect) == facts([data], dialect, fast=False)
    assert sum(found) > 70


@pytest.mark.parametrize("dialect", ["chat", "messages"])
def test_frames_may_differ_in_the_spaces_ahead_of_the_last_brace(monkeypatch, dialect):
    found = taken(monkeypatch)
    rows = [spaced(row, 1 + number * 7 % 15) for number, row in enumerate(run_of(dialect, 100))]
    rows[60:62] = [spaced(rows[60], 0), changed(dialect, (b"}\n\n", b'   "x": 1}\n\n'))]
    data = b"".join([*BEGINNINGS[dialect], *rows])
    assert facts([data], dialect) == facts([data], dialect, fast=False)
    assert sum(found) in (43, 44)  # up to the frame with a member more


@each
@pytest.mark.parametrize("ascii", [False, True])
def test_any_text_is_the_same(dialect, ascii):
    rows = [delta(dialect, text, number + 60, ascii=ascii) for number, text in enumerate(TEXTS * 2)]
    same(b"".join([*BEGINNINGS[dialect], *run_of(dialect, 30), *rows, ENDS[dialect]]), dialect)


def changed(dialect, *replacements, number=40):
    """A delta of the text "@" with some of its bytes replaced."""
    row = delta(dialect, "@", number)
    for old, new in replacements:
        row = row.replace(old, new)
    return row


OTHERS = {
    "an empty delta": lambda dialect: delta(dialect, "", 40),
    "half a surrogate pair": lambda dialect: (
        changed(dialect, (b"@", rb"\ud83d")) + changed(dialect, (b"@", rb"\ude00"), number=41)
    ),
    "a lone surrogate": lambda dialect: changed(dialect, (b"@", rb"\ud83d")),
    "a member more": lambda dialect: delta(dialect, " c", 40, own=1),
    "another value": lambda dialect: delta(dialect, " c", 40, id="d"),
    "a comment": lambda dialect: b": alive\n\n",
    "a ping": lambda dialect: frame({"type": "ping"}, event="ping"),
    "another counter": lambda dialect: changed(dialect, (b'"sequence_number":40', b'"sequence_number":040')),
    "no counter": lambda dialect: changed(dialect, (b'"sequence_number":40', b'"sequence_number":null')),
    "a string cut by a line end": lambda dialect: changed(dialect, (b'@"', b"@\n\n")),
    "an escaped quote at the end": lambda dialect: changed(dialect, (b'@"', b'@\\"')),
    "a member twice": lambda dialect: changed(dialect, (b'"@"', b'"@","delta":"other"' if dialect == "responses" else b'"@"')),
    "no json": lambda dialect: b"data: {\n\n",
    "an error": lambda dialect: frame({"type": "error", "error": {"message": "no"}}, event="error"),
    "the end": lambda dialect: ENDS[dialect],
    "two data lines": lambda dialect: changed(dialect, (b'"index"', b'\ndata: "index"'), (b'"item_id"', b'\ndata: "item_id"')),
    "crlf": lambda dialect: changed(dialect, (b"\n", b"\r\n")),
}


@each
@pytest.mark.parametrize("other", OTHERS)
def test_whatever_comes_between_is_the_same(dialect, other):
    between = OTHERS[other](dialect)
    rows = [*BEGINNINGS[dialect], *run_of(dialect, 30), between, *run_of(dialect, 30), between, ENDS[dialect]]
    same(b"".join(rows), dialect)


@pytest.mark.thorough
@each
@pytest.mark.parametrize("spaces", [0, 4])
def test_what_changes_at_every_byte_of_a_frame_is_the_same(dialect, spaces):
    good = spaced(delta(dialect, " c", 40), spaces)
    head = b"".join([*BEGINNINGS[dialect], *(spaced(row, spaces) for row in run_of(dialect, 20))])
    for at in range(len(good)):
        for byte in (b'"', b"\\", b"0", b"\n", b"}", b"\xff", b" "):
            data = head + good[:at] + byte + good[at + 1 :] + good + ENDS[dialect]
            assert facts([data], dialect) == facts([data], dialect, fast=False), (at, byte)


def test_a_delta_that_stands_elsewhere_too_is_found_or_left_alone():
    rows = [frame({**chat("x"), "id": "x", "own": "x"})] * 20 + [frame({**chat("y"), "id": "x", "own": "x"})] * 5
    same(b"".join([*rows, DONE]), "chat")


def test_without_a_pattern_the_next_try_waits():
    decoder = sd.Decoder("responses")
    rows = run_of("responses", 40)
    rows = [row.replace(b'"sequence_number":', b'"sequence_number" :') for row in rows]  # spaces that no pattern reads
    for row in [*BEGINNINGS["responses"], *rows]:
        list(decoder.feed(row))
    assert decoder._repeated is None
    assert decoder._hot_in_a_row < 0
