"""The ways in which one stream can be driven: however it is cut, and through whichever of the public doors.

Every way gives an `Outcome`, and all outcomes of one stream have to be the same.
"""

from __future__ import annotations

import asyncio
import copy
import io
import json
import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import httpx
from httpx_sse import ServerSentEvent

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

ACCUMULATORS = {"chat": sd.ChatAccumulator, "messages": sd.MessagesAccumulator, "responses": sd.ResponsesAccumulator}

# Facts that only whoever saw the bytes can know.
_OF_BYTES = ("byte_count", "content_type", "description", "last_event_id")


class Outcome:
    """What came of a stream: the events in their order, then an answer or an error."""

    def __init__(self, events: list[sd.Event], answer: sd.Answer | None, error: sd.SSEDialectsError | None) -> None:
        self.events = events
        self.answer = answer
        self.error = error

    @property
    def status(self) -> str:
        return "complete" if self.error is None else self.error.kind

    @property
    def partial(self) -> sd.Answer:
        """The answer, or the part of it that an error holds."""
        if self.answer is not None:
            return self.answer
        assert isinstance(self.error, sd.StreamError)
        return self.error.partial

    def facts(self, *, of_bytes: bool = True) -> dict[str, Any]:
        """All of it in plain types, for comparing; without what needs bytes where ``of_bytes`` is false."""
        error = self.error.to_dict() if self.error is not None else None
        if error is not None and not of_bytes:
            error = {name: value for name, value in error.items() if name not in _OF_BYTES}
        events = [event.to_dict() for event in self.events]
        known = self.answer is not None or isinstance(self.error, sd.StreamError)
        answer = self.partial.to_dict() if known else None
        turn = self.answer.turn if self.answer is not None else None
        return {"events": events, "answer": answer, "turn": turn, "error": error}


# ---- cutting


def chunkings(data: bytes, seed: object = 0) -> Iterator[tuple[str, list[bytes]]]:
    """``(name, chunks)`` for every way of cutting that is tried."""
    yield "whole", [data]
    yield "byte by byte", in_pieces(data, 1)
    yield "sevens", in_pieces(data, 7)
    rng = random.Random(str(seed))
    for number in range(2):
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 9)))
        edges = [0, *cuts, len(data)]
        yield f"random {number}", [data[start:end] for start, end in pairwise(edges)]


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


# ---- the core


def by_decoder(chunks: Iterable[bytes], dialect: str = "auto", **options: Any) -> Outcome:
    """`Decoder`, each event taken as soon as it is due."""
    decoder = sd.Decoder(dialect, **options)
    events: list[sd.Event] = []
    try:
        for chunk in chunks:
            for event in decoder.feed(chunk):
                events.append(copy.deepcopy(event))  # later bytes must not change what has been told
        events += decoder.close()
        return Outcome(events, decoder.answer(), None)
    except sd.SSEDialectsError as error:
        return Outcome([*events, *error.decoded], None, error)


def by_decoder_at_close(chunks: Iterable[bytes], dialect: str = "auto", **options: Any) -> Outcome:
    """`Decoder`, nothing taken before `close` gives it all at once."""
    decoder = sd.Decoder(dialect, **options)
    try:
        for chunk in chunks:
            decoder.feed(bytearray(chunk))
        return Outcome(decoder.close(), decoder.answer(), None)
    except sd.SSEDialectsError as error:
        return Outcome(error.decoded, None, error)


def by_accumulator(chunks: Iterable[bytes], dialect: str, **options: Any) -> Outcome:
    """An accumulator over our own frames."""
    return _accumulate(lambda frame: frame, chunks, dialect, options)


def by_accumulator_of_httpx_sse(chunks: Iterable[bytes], dialect: str, **options: Any) -> Outcome:
    """An accumulator over somebody else's frames."""
    return _accumulate(lambda frame: ServerSentEvent(frame.event, frame.data, frame.id, frame.retry), chunks, dialect, options)


def _accumulate(as_given: Callable[[sd.Frame], Any], chunks: Iterable[bytes], dialect: str, options: dict[str, Any]) -> Outcome:
    parser = sd.FrameParser(options.get("limits", sd.Limits()))
    state = ACCUMULATORS[dialect](**options)
    events: list[sd.Event] = []
    try:
        for chunk in chunks:
            for frame in _frames(parser, chunk):
                events += copy.deepcopy(state.add(as_given(frame)))
                if state.complete:  # nothing more is needed
                    return Outcome(events, state.answer(), None)
        last = parser.close()
        if last is not None and _is_whole(last):
            events += state.add(as_given(last))
        events += state.close()
        return Outcome(events, state.answer(), None)
    except sd.SSEDialectsError as error:
        return Outcome([*events, *(event for event in error.decoded if not isinstance(event, sd.Frame))], None, error)


def _frames(parser: sd.FrameParser, chunk: bytes) -> Iterator[sd.Frame]:
    """The frames of a chunk, also those that come before a fault."""
    try:
        yield from parser.feed(chunk)
    except sd.LimitExceededError as error:
        yield from error.decoded
        raise


def _is_whole(frame: sd.Frame) -> bool:
    """Whether the unfinished last frame counts: ``[DONE]``, alone or behind other payloads, or one whole object."""
    *lines, last = frame.data.strip(" \t\r\n").split("\n")
    if last.strip(" \t\r") == "[DONE]":
        return all(_is_json(line) for line in lines if line.strip(" \t\r"))
    return _is_json(frame.data, dict)


def _is_json(text: str, kind: type = object) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), kind)
    except (ValueError, RecursionError):
        return False


# ---- streams


def by_stream(source: Any, dialect: str = "auto", **options: Any) -> Outcome:
    events: list[sd.Event] = []
    try:
        with sd.stream(source, dialect, **options) as stream:
            events.extend(stream)
            return Outcome(events, stream.answer(), None)
    except sd.SSEDialectsError as error:
        return Outcome(events, None, error)


def by_astream(make: Callable[[], Any], dialect: str = "auto", **options: Any) -> Outcome:
    async def read() -> Outcome:
        events: list[sd.Event] = []
        try:
            async with sd.astream(make(), dialect, **options) as stream:
                async for event in stream:
                    events.append(event)
                return Outcome(events, await stream.answer(), None)
        except sd.SSEDialectsError as error:
            return Outcome(events, None, error)

    return asyncio.run(read())


async def _agen(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that arrives in given pieces."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


def _response(chunks: list[bytes]) -> httpx.Response:
    headers = {"Content-Type": "text/event-stream"}
    return httpx.Response(200, headers=headers, stream=_Body(chunks), request=httpx.Request("POST", "http://localhost"))


# ---- all of them, by name: those that need to be told the dialect apart

KNOWING: dict[str, Callable[..., Outcome]] = {
    "accumulator": by_accumulator,
    "accumulator of httpx_sse frames": by_accumulator_of_httpx_sse,
}
STREAMS: dict[str, Callable[..., Outcome]] = {
    "stream of an iterable": lambda chunks, *args, **options: by_stream(iter(chunks), *args, **options),
    "stream of a file": lambda chunks, *args, **options: by_stream(io.BytesIO(b"".join(chunks)), *args, **options),
    "stream of a response": lambda chunks, *args, **options: by_stream(_response(list(chunks)), *args, **options),
    "astream of an iterable": lambda chunks, *args, **options: by_astream(lambda: _agen(chunks), *args, **options),
    "astream of a response": lambda chunks, *args, **options: by_astream(lambda: _response(list(chunks)), *args, **options),
}
