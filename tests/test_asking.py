"""Asking a stream or a decoder what there is so far, in the middle of a loop, changes nothing."""

from __future__ import annotations

import asyncio
import random

import pytest
from bodies import DIALECTS, frame
from generators import SCRIPTS, written
from mutations import RandomPen, spoiled
from shapes import in_pieces

import sse_dialects as sd

ASKED = {
    "partial": lambda asked: asked.partial(),
    "complete": lambda asked: asked.complete,
    "dialect": lambda asked: asked.dialect,
}
OF_STREAMS = {
    **ASKED,
    "stats": lambda events: events.stats,
    "text_so_far_json": lambda events: events.text_so_far_json(),
    "repr": repr,
}
OF_DECODERS = {
    **ASKED,
    "error": lambda decoder: decoder.error,
    "counts": lambda decoder: (decoder.byte_count, decoder.frame_count, decoder.content_count, decoder.comment_count),
}


def streams():
    """Whole streams and broken ones, of each dialect."""
    for dialect in SCRIPTS:
        for seed in range(6):
            pen = RandomPen(random.Random(f"asking {seed} {dialect}"))
            yield written(pen, SCRIPTS[dialect](pen)).data
            yield spoiled(seed, dialect)
        frames = DIALECTS[dialect]
        delta = frames[1] if dialect == "chat" else frames[2]
        yield b"".join([*frames[:2], delta, *[delta] * 300, *frames[3 if dialect == "messages" else 2 :]])
        body = b"".join(frames)
        yield body[:-40]
        yield body[:-40] + frame({"error": {"message": "overloaded", "type": "server_error"}})


class Asker:
    """Asks at random places, or never."""

    def __init__(self, seed, questions):
        self.random = random.Random(seed)
        self.questions = questions if seed is not None else {}

    def ask(self, asked):
        for question in self.questions.values():
            if self.random.random() < 0.4:
                question(asked)


def failed(error):
    """What is said of an error."""
    return {name: value for name, value in error.to_dict().items() if name != "delivered"}, error.partial.to_dict()


def by_stream(pieces, asker):
    seen = []
    with sd.stream(pieces) as events:
        asker.ask(events)
        try:
            for event in events:
                asker.ask(events)
                seen.append(event)
            return seen, events.answer().to_dict()
        except sd.StreamError as error:
            return seen, failed(error)


def by_astream(pieces, asker):
    async def read():
        seen = []
        async with sd.astream(pieces) as events:
            asker.ask(events)
            try:
                async for event in events:
                    asker.ask(events)
                    seen.append(event)
                return seen, (await events.answer()).to_dict()
            except sd.StreamError as error:
                return seen, failed(error)

    return asyncio.run(read())


def by_decoder(pieces, asker):
    """Takes some of the events of each read, and leaves the others for the next."""
    decoder, seen = sd.Decoder(), []
    lazy = random.Random(len(pieces))
    try:
        for piece in pieces:
            asker.ask(decoder)
            for event in decoder.feed(piece):
                seen.append(event)
                asker.ask(decoder)
                if lazy.random() < 0.3:
                    break
        asker.ask(decoder)
        for event in decoder.finish():
            asker.ask(decoder)
            seen.append(event)
        return seen, decoder.answer().to_dict()
    except sd.StreamError as error:
        return seen, failed(error)


@pytest.mark.parametrize(
    ("drive", "questions"),
    [
        pytest.param(by_stream, OF_STREAMS, id="stream"),
        pytest.param(by_astream, OF_STREAMS, id="astream"),
        pytest.param(by_decoder, OF_DECODERS, id="decoder"),
    ],
)
def test_asking_changes_nothing(drive, questions):
    for data in streams():
        for size in (40, 400, 1500, len(data)):
            pieces = in_pieces(data, size)
            expected = drive(pieces, Asker(None, questions))
            for seed in range(3):
                assert drive(pieces, Asker(seed, questions)) == expected
