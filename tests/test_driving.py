"""The decoder's one queue, driven in any way: reads without taking, taking a few, asking in between, old iterators."""

from __future__ import annotations

import random
import time

import pytest
from cases import DONE, chunk
from generators import SCRIPTS, written
from mutations import RandomPen, spoiled
from shapes import by_decoder

import sse_dialects as sd

ASK = ("complete", "error", "dialect", "frame_count", "content_count", "comment_count", "byte_count")
HI = [sd.Started(None, None), sd.TextDelta("Hi")]


class Driver:
    """Drives one decoder at random, and notes what it gives."""

    def __init__(self, rng, dialect):
        self.rng = rng
        self.decoder = sd.Decoder(dialect)
        self.iterators = []
        self.events = []
        self.errors = []

    def step(self, data):
        self.iterators.append(self.decoder.feed(self.rng.choice([bytes, bytearray, memoryview])(data)))
        for _ in range(self.rng.randrange(4)):
            self.rng.choice([self.take, self.take, self.ask])()

    def take(self):
        """Some events, from one of the last iterators."""
        iterator = self.rng.choice(self.iterators[-3:])
        try:
            for _ in range(self.rng.choice([1, 2, 100])):
                self.events.append(next(iterator))
        except StopIteration:
            pass
        except sd.StreamError as error:
            self.errors.append(error)

    def ask(self):
        getattr(self.decoder, self.rng.choice(ASK))
        self.decoder.partial()
        if not self.decoder.complete:
            with pytest.raises(sd.SSEDialectsError) as caught:
                self.decoder.answer()
            assert caught.value is self.decoder.error or caught.value.kind == "misuse"

    def close(self):
        try:
            self.events += self.decoder.close()
        except sd.SSEDialectsError as error:
            self.events += error.decoded
            self.errors.append(error)
        assert self.decoder.close() == []


@pytest.mark.parametrize("dialect", SCRIPTS)
def test_nothing_is_lost_doubled_or_reordered(dialect):
    for seed in range(60):
        rng = random.Random(f"{seed} {dialect}")
        pen = RandomPen(rng)
        data = spoiled(seed, dialect) if seed % 2 else written(pen, SCRIPTS[dialect](pen)).data
        expected = by_decoder([data], dialect)
        driver = Driver(rng, dialect)
        at = 0
        while at < len(data):
            size = rng.choice([0, 1, 7, 60, 300])
            driver.step(data[at : at + size])
            at += size
        driver.close()
        assert [str(event.to_dict()) for event in driver.events] == [str(event.to_dict()) for event in expected.events]
        if expected.error is None:
            assert driver.errors == []
            assert driver.decoder.answer().to_dict() == expected.answer.to_dict()
        else:
            (error,) = driver.errors  # raised once, wherever the queue reached it
            assert {**error.to_dict(), "delivered": None} == {**expected.error.to_dict(), "delivered": None}
            assert error is driver.decoder.error


def test_what_was_fed_may_change_afterwards():
    decoder = sd.Decoder("chat")
    buffer = bytearray(chunk({"content": "Hi"}))
    decoder.feed(buffer)
    buffer[:] = b"x" * len(buffer)
    assert list(decoder.feed(memoryview(DONE))) == [*HI, sd.Finished(None, None)]


def test_an_empty_read_is_no_end():
    decoder = sd.Decoder("chat")
    assert list(decoder.feed(b"")) == []
    assert list(decoder.feed(chunk({"content": "Hi"}))) == HI
    assert list(decoder.feed(b"")) == []
    assert not decoder.complete


def test_iterators_share_the_one_queue():
    decoder = sd.Decoder("chat")
    first = decoder.feed(chunk({"content": "Hi"}))
    second = decoder.feed(chunk({"content": "!"}))
    assert next(second) == HI[0]
    assert [*first, *second] == [HI[1], sd.TextDelta("!")]


@pytest.mark.parametrize("ask", ["complete", "error", "partial", "answer"])
def test_asking_decodes_what_is_pending_and_takes_no_event(ask):
    decoder = sd.Decoder("chat")
    events = decoder.feed(chunk({"content": "Hi"}, "stop") + DONE)
    value = getattr(decoder, ask)
    assert {"complete": True, "error": None}.get(ask, "Hi") == (value().text if callable(value) else value)
    assert list(events) == [*HI, sd.Finished("stop", "stop")]


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_delivered_says_whether_something_was_shown(taken):
    decoder = sd.Decoder("chat")
    events = decoder.feed(chunk({"content": "Hi"}))
    for _ in range(taken):
        next(events)
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoder.close()
    assert caught.value.delivered is (taken == 2)
    assert caught.value.decoded == HI[taken:]


def test_delivered_by_an_accumulator_counts_the_calls_before():
    for state in (sd.ChatAccumulator(), sd.ChatAccumulator()):
        state.add(sd.Frame(data='{"choices": []}'))
    with pytest.raises(sd.UpstreamError) as caught:
        state.add(sd.Frame(data='{"choices": [{"delta": {"content": "Hi"}}], "error": "gone"}'))
    assert not caught.value.delivered
    assert caught.value.decoded == [sd.TextDelta("Hi")]
    state = sd.ChatAccumulator()
    state.add(sd.Frame(data='{"choices": [{"delta": {"content": "Hi"}}]}'))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        state.close()
    assert caught.value.delivered


def test_a_stream_whose_error_nobody_took_raises_it_at_the_close():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk({"content": "Hi"}) + b"data: {\n\n")
    with pytest.raises(sd.MalformedStreamError) as caught:
        decoder.close()
    assert caught.value.decoded == HI
    assert decoder.close() == []
    with pytest.raises(sd.MalformedStreamError):
        decoder.answer()


def test_the_first_event_is_out_when_its_blank_line_is_in():
    for end in (b"\n", b"\r", b"\r\n"):
        decoder = sd.Decoder("chat")
        line = chunk({"content": "Hi"}).rstrip() + end
        assert list(decoder.feed(line)) == []
        assert list(decoder.feed(end[:1])) == HI


@pytest.mark.parametrize("between", [b"\n", b"\n\n", b"\n\n\n"])
@pytest.mark.parametrize("size", range(4))
def test_an_lf_behind_a_cr_is_skipped_only_there(between, size):
    """A frame that the fast path takes comes between the CR and an LF of its own."""
    frame, longer = chunk({"content": "Hi"}), chunk({"content": "Hi" + size * "x"})
    reads = [frame, frame, frame[:-2] + b"\r\r", frame, between, longer]
    options = {"limits": sd.Limits(max_frame_bytes=len(longer) - 2)}
    whole = by_decoder([b"".join(reads)], "chat", **options)
    assert by_decoder(reads, "chat", **options).facts() == whole.facts()


@pytest.mark.alone
def test_counting_bytes_costs_the_same_however_many_wait():
    def each(count):
        decoder, frame = sd.Decoder("chat"), chunk({"content": "Hi"})
        began = time.process_time()
        for number in range(1, count + 1):
            decoder.feed(frame)
            assert decoder.byte_count == number * len(frame)
        return (time.process_time() - began) / count

    # Work that grew with the square would cost eight times as much. Tried again, against a neighbour's disturbance.
    assert any(each(8_000) / each(1_000) < 3 for _ in range(4))
