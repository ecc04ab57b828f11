"""What holds for every input there can be. An input's first byte chooses one of `TARGETS`, its second one the options."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from shapes import Outcome, by_accumulator, by_astream, by_stream
from test_frames_at_random import parsed, read_out
from test_hostile import check_any, text_of

import sse_dialects as sd

from .commands import check_commands
from .growth import check_growth, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["TALLY", "TARGETS", "check"]

TALLY: Counter[str] = Counter()  # what came of the inputs so far

_DIALECTS = ("chat", "messages", "responses", "auto")
_GROWN = 200  # of so many inputs one is also measured: that takes as long as they do
_STREAMED = 16  # of so many one is also read through streams, sync and async
_READS = 300  # the most that an input is cut into
_FAILURE_LINE = re.compile(rb"(?:^|[\r\n])[ \t]*(?:error|\{)")  # a line outside of data that may report a failure is in no frame
_TIGHT = sd.Limits(max_frame_bytes=300, max_answer_bytes=1_000, max_parts=2, max_choices=1, max_tool_calls=1, max_depth=5)


def check(data: bytes) -> None:
    """Decode an input in every way that there is.

    Raises:
        AssertionError: two ways give different things, or one gives what none may give.
        Exception: whatever else comes out of the library, which nothing should.
    """
    if len(data) > 2:
        TARGETS[data[0] % len(TARGETS)](data[2:], data[1])


def options_of(bits: int) -> dict[str, Any]:
    """The decoder's keywords; limits are tight in one of four."""
    options: dict[str, Any] = {"require_done": not bits & 1, "think_tags": bool(bits & 2)}
    return options | {"limits": _TIGHT} if bits & 12 == 12 else options


# ---- the targets


def check_frames(data: bytes, bits: int) -> None:
    """Frames are what the standard's own algorithm reads, wherever the bytes are cut."""
    TALLY["frames"] += 1
    if any(len(digits) > 18 for line in data.splitlines() if (digits := line.partition(b"retry:")[2])):
        return  # the standard has no longest number
    for end in (b"", b"\n\n"):
        frames, last_id, retry = read_out(data + end)
        for chunks in cuts(data + end):
            found = parsed(chunks)
            assert found[:2] == (frames, last_id)
            assert found[2] == retry or not end
    parser = sd.FrameParser(sd.Limits(max_frame_bytes=40) if bits & 1 else sd.Limits())
    with suppress(sd.LimitExceededError):
        parser.feed(data)
        repr(parser.close())


def check_stream(data: bytes, bits: int, dialect: str) -> None:
    """One outcome, by whatever way it comes."""
    options = options_of(bits)
    whole = drive([data], dialect, options)
    TALLY[f"{dialect}: {whole.status}"] += 1
    check_any(whole)
    check_values(whole)
    expected = text_of(whole)
    ways = cuts(data)
    for chunks in ways:
        assert text_of(drive(chunks, dialect, options)) == expected, "the chunking makes a difference"
    assert text_of(drive(ways[-1], dialect, options, fast=False)) == expected, "the fast path makes a difference"
    assert text_of(drive(ways[-1], dialect, options, nosy=True)) == expected, "asking makes a difference"
    # Where a stream it is, the frames alone say the same, but for what only whoever saw the bytes can say.
    framed = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"{", b"["}
    if framed and dialect != "auto" and whole.status not in {"not_event_stream", "limit"} and not _FAILURE_LINE.search(data):
        alone = by_accumulator([data], dialect, **options)
        # An accumulator counts a last frame without its blank line, too.
        assert alone.status == "limit" or _alone(alone) == _alone(whole), "the frames alone say something else"
    if crc32(data) % _STREAMED == 0:
        for streamed in (by_stream(iter(ways[1]), dialect, **options), by_astream(lambda: iter(ways[2]), dialect, **options)):
            # Pieces that begin like lines and have no line end are the caller's mistake.
            assert streamed.status == "misuse" or _alone(streamed) == _alone(whole), "a stream around it makes a difference"
    if crc32(data) % _GROWN == 0:
        TALLY["grown"] += 1
        check_growth(data, lambda grown: decode(grown, dialect, options))


def check_body(data: bytes, bits: int) -> None:
    """JSON in place of a stream: the bytes without the lines around them."""
    check_stream(data if data.lstrip()[:1] in {b"{", b"["} else b"{" + data, bits, _DIALECTS[bits >> 4 & 3])


def check_command_line(data: bytes, bits: int) -> None:
    """`sse-dialects read`, in this process."""
    TALLY["command line"] += 1
    check_commands(data, bits)


class _Response:
    """A response with a status outside 2xx; the first line of the data stands in the headers that are read."""

    def __init__(self, chunks: Iterable[bytes], bits: int) -> None:
        first, *self._body = chunks
        line, _, rest = first.partition(b"\n")
        self._body.insert(0, rest)
        self.status_code = (400, 401, 429, 500, 302, 399, 599, 100)[bits & 7]
        self.headers = dict.fromkeys(("retry-after", "date", "location", "retry-after-ms"), line.decode("latin-1"))

    def iter_bytes(self) -> Iterable[bytes]:
        return iter(self._body)


def check_rejection(data: bytes, bits: int) -> None:
    """An HTTP error is one of ours, in words that can be shown, whatever its body and its headers."""
    TALLY["rejected"] += 1
    line, _, body = data.partition(b"\n")
    said = {_rejection([line + b"\n", *chunks], bits) for chunks in ([body], *cuts(body))}
    assert len(said) == 1, "the chunking makes a difference"
    if crc32(data) % (_GROWN // 20) == 0:  # a page's words are looked for with patterns
        check_growth(data, lambda grown: _rejection([grown], bits))


def _rejection(chunks: list[bytes], bits: int) -> str:
    with pytest.raises(sd.RequestRejectedError) as caught:
        sd.stream(_Response(chunks, bits)).answer()
    error = caught.value
    assert len(str(error).encode()) < 8_000
    assert error.retry_after is None or 0 <= error.retry_after < float("inf")
    return json.dumps([error.to_dict(), error.body, repr(error)])


TARGETS: list[Callable[[bytes, int], None]] = [
    check_frames,
    lambda data, bits: check_stream(data, bits, "chat"),
    lambda data, bits: check_stream(data, bits, "messages"),
    lambda data, bits: check_stream(data, bits, "responses"),
    lambda data, bits: check_stream(data, bits, "auto"),
    check_body,
    check_command_line,
    check_rejection,
]


# ---- driving


def cuts(data: bytes) -> list[list[bytes]]:
    """Three cuttings that the bytes themselves choose: pieces of one size, frame by frame, and anywhere."""
    rng = random.Random(crc32(data))
    size = max(rng.choice([1, 1, 2, 3, 7, 64]), len(data) // _READS)
    *closed, rest = data.split(b"\n\n")
    edges = [0, *sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 9))), len(data)]
    return [
        [data[start : start + size] for start in range(0, len(data), size)],
        [*(block + b"\n\n" for block in closed), rest],
        [data[start:end] for start, end in pairwise(edges)],
    ]


def drive(chunks: Iterable[bytes], dialect: str, options: dict[str, Any], *, fast: bool = True, nosy: bool = False) -> Outcome:
    """Decode. ``nosy`` asks for all there is after each chunk, and sees that no event changes after it was handed out."""
    decoder = sd.Decoder(dialect, **options)
    decoder._fast = fast
    events: list[sd.Event] = []
    said: list[str] = []
    try:
        for chunk in chunks:
            for event in decoder.feed(chunk):
                events.append(event)
                if nosy:
                    said.append(_said(event))
            if nosy:
                _ask(decoder)
        events += decoder.close()
        outcome = Outcome(events, decoder.answer(), None)
    except sd.SSEDialectsError as error:
        outcome = Outcome([*events, *error.decoded], None, error)
    assert [_said(event) for event in events[: len(said)]] == said, "an event has changed"
    return outcome


def _alone(outcome: Outcome) -> str:
    """Without what only whoever saw the bytes can say; and `add` may have delivered what a decoder keeps for its close."""
    facts = outcome.facts(of_bytes=False)
    facts["error"] = {name: value for name, value in (facts["error"] or {}).items() if name != "delivered"}
    return json.dumps(facts, sort_keys=True)


def _said(event: sd.Event) -> str:
    return json.dumps(event.to_dict())


def _ask(decoder: sd.Decoder) -> None:
    partial = decoder.partial()
    assert partial.complete is (decoder.complete and decoder.error is None)
    repr(partial)
    json.dumps(partial.to_dict())
    assert decoder.error is None or isinstance(decoder.error, sd.SSEDialectsError)


def check_values(outcome: Outcome) -> None:
    """Every value can be shown, compared and put into JSON, and arguments are parsed or refused."""
    for event in outcome.events:
        assert len(repr(event)) < 2_000
    if outcome.answer is None and not isinstance(outcome.error, sd.StreamError):
        return
    answer = outcome.partial
    json.dumps(answer.native)
    assert len(repr(answer)) < 5_000
    for call in (call for choice in answer.choices for call in choice.tool_calls):
        assert isinstance(call.so_far(), dict)
        try:
            assert isinstance(call.parsed(), dict)
        except sd.InvalidArgumentsError as error:
            json.dumps([str(error), repr(error), error.to_dict()])
