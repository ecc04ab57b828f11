"""What the playground shows of one stream: run in the browser by Pyodide, on the wheel as it is published."""

from __future__ import annotations

import io
import random
import re
from contextlib import suppress
from typing import Any

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.recording import replay

_RECORDING = b'{"sse-dialects-recording":'
_FRAME_END = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)|(?<=\r\r)")
_SHOWN = 1_500  # rows of a list; a page of more helps nobody


def samples() -> dict[str, bytes]:
    """Streams to begin with, by the names on the buttons."""
    call = testing.tool_call("get_weather", {"city": "Orléans"})
    weather = testing.reply(
        "Let me look that up.", reasoning="They ask about today.", tool_calls=[call]
    )
    advice = testing.reply(
        "You can delete the old backup once the new one has been verified."
    )
    return {
        "chat": weather.as_chat().bytes(),
        "messages": weather.as_messages().keep_alives(3).bytes(),
        "responses": weather.as_responses(piece=12).bytes(),
        "failure": weather.as_messages()
        .error("Overloaded", type="overloaded_error", after_frames=6)
        .bytes(),
        "cut": advice.as_chat().cut(after_frames=6).bytes(),
        "html": b"<!doctype html>\n<title>502 Bad Gateway</title>\n<h1>Bad Gateway</h1>\n",
    }


def snapshot(
    data: bytes,
    *,
    chunks: str = "whole",
    cut: int | None = None,
    dialect: str = "auto",
    require_done: bool = True,
    think_tags: bool = False,
) -> dict[str, Any]:
    """The first ``cut`` bytes of a raw or recorded stream, fed in pieces: what comes out, in plain JSON types.

    ``chunks`` is "recorded", "whole", "frames", "random", or a number of bytes.
    """
    recorded = _recorded(data)
    stream = data if recorded is None else b"".join(recorded)
    pieces = _until(
        recorded
        if recorded is not None and chunks == "recorded"
        else _cut_up(stream, chunks),
        cut,
    )
    decoder = sd.Decoder(dialect, require_done=require_done, think_tags=think_tags)
    events: list[dict[str, Any]] = []
    error: sd.SSEDialectsError | None = None
    try:
        for number, piece in enumerate(pieces, 1):
            events.extend(
                {"piece": number, **event.to_dict()} for event in decoder.feed(piece)
            )
        events.extend({"piece": 0, **event.to_dict()} for event in decoder.close())
    except sd.SSEDialectsError as raised:
        events += [{"piece": 0, **event.to_dict()} for event in raised.decoded]
        error = raised
    frames = _frames(pieces)
    answer = decoder.partial().to_dict()
    return {
        "recorded": recorded is not None,
        "length": len(stream),
        "bytes": sum(map(len, pieces)),
        "pieces": len(pieces),
        "frames": frames[:_SHOWN],
        "frame_count": len(frames),
        "events": events[:_SHOWN],
        "event_count": len(events),
        "answer": answer,
        "complete": answer["complete"],
        "error": None
        if error is None
        else {"class": type(error).__name__, **error.to_dict()},
    }


def _recorded(data: bytes) -> list[bytes] | None:
    """The reads of a recording, None where it is none."""
    if not data.startswith(_RECORDING):
        return None
    pieces: list[bytes] = []
    with suppress(
        OSError
    ):  # the transport broke, or the recording is damaged from here on: what came before counts
        pieces.extend(replay(io.BytesIO(data)))
    return pieces


def _cut_up(stream: bytes, chunks: str) -> list[bytes]:
    if chunks == "frames":
        return [piece for piece in _FRAME_END.split(stream) if piece]
    if chunks in ("whole", "recorded"):
        return [stream] if stream else []
    if chunks == "random":
        return _randomly(stream)
    size = int(chunks)
    return [stream[start : start + size] for start in range(0, len(stream), size)]


def _randomly(stream: bytes) -> list[bytes]:
    """Pieces of 1 to 200 bytes, the same for the same stream."""
    rolls = random.Random(len(stream))
    pieces, start = [], 0
    while start < len(stream):
        size = rolls.randint(1, 200)
        pieces.append(stream[start : start + size])
        start += size
    return pieces


def _until(pieces: list[bytes], cut: int | None) -> list[bytes]:
    """The pieces of the first ``cut`` bytes, as if the connection had closed there."""
    if cut is None:
        return pieces
    kept: list[bytes] = []
    for piece in pieces:
        if cut <= 0:
            break
        kept.append(piece[:cut])
        cut -= len(piece)
    return kept


def _frames(pieces: list[bytes]) -> list[dict[str, Any]]:
    parser = sd.FrameParser()
    frames: list[dict[str, Any]] = []
    for number, piece in enumerate(pieces, 1):
        try:
            new = parser.feed(piece)
        except sd.LimitExceededError as error:
            return frames + [_frame(frame, number) for frame in error.decoded]
        frames += [_frame(frame, number) for frame in new]
    rest = parser.close()
    return (
        frames
        if rest is None
        else [*frames, {**_frame(rest, len(pieces)), "unfinished": True}]
    )


def _frame(frame: sd.Frame, piece: int) -> dict[str, Any]:
    return {
        "piece": piece,
        "event": frame.event,
        "data": frame.data,
        "id": frame.id,
        "retry": frame.retry,
        "unfinished": False,
    }
