"""Threads: decoders share nothing, and a stream that two threads use at once works or says clearly that it can't."""

from __future__ import annotations

import importlib
import pkgutil
import random
import sys
import threading
import types

import pytest
from bodies import CHAT
from generators import SCRIPTS, written
from mutations import RandomPen, spoiled
from shapes import by_decoder, in_pieces

import sse_dialects as sd

THREADS = 6


@pytest.fixture(autouse=True)
def _hurried():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*functions):
    """Run the functions in a thread each, beginning at once; raises what one of them raised."""
    barrier, failures = threading.Barrier(len(functions)), []

    def run(function):
        barrier.wait(10)
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failures:
        raise failures[0]


def some_streams():
    for dialect in SCRIPTS:
        for seed in range(4):
            pen = RandomPen(random.Random(f"{seed} {dialect}"))
            yield dialect, written(pen, SCRIPTS[dialect](pen)).data
            yield dialect, spoiled(seed, dialect)


def test_decoders_share_nothing():
    streams = list(some_streams())
    expected = [str(by_decoder([data], dialect).facts()) for dialect, data in streams]

    def decode_all(seed):
        order = list(range(len(streams)))
        random.Random(seed).shuffle(order)
        for number in order:
            dialect, data = streams[number]
            assert str(by_decoder(in_pieces(data, 50), dialect).facts()) == expected[number]

    together(*(lambda seed=seed: decode_all(seed) for seed in range(THREADS)))


def test_a_stream_that_threads_share_gives_each_event_once_or_refuses():
    for _ in range(20):
        events = sd.stream(in_pieces(b"".join(CHAT[:1] * 40 + CHAT[1:]), 40))
        taken, refused = [], []

        def take(events=events, taken=taken, refused=refused):
            while True:
                try:
                    taken.append(next(events))
                except StopIteration:
                    return
                except sd.MisuseError as error:
                    refused.append(str(error))

        together(*[take] * THREADS)
        assert len(taken) == 43
        assert sum(isinstance(event, sd.TextDelta) for event in taken) == 41
        assert events.answer().text == "Hel" * 40 + "lo"
        assert all("another thread is reading" in sentence for sentence in refused)


def test_a_stream_that_is_closed_while_others_read_ends_for_all_and_closes_once():
    for number in range(60):
        closed = []

        class Source:
            status_code = 200

            def iter_bytes(self):
                yield from in_pieces(b"".join(CHAT[:1] * 30), 30)

            def close(self, closed=closed):
                closed.append(True)

        events = sd.stream(Source())

        def read(events=events):
            for _ in range(200):
                try:
                    next(events)
                except (StopIteration, sd.StreamError):
                    return
                except sd.MisuseError:
                    continue

        def close(events=events, number=number):
            for _ in range(number):
                pass
            events.close()

        together(read, read, close)
        events.close()
        assert closed == [True]
        assert list(events) == []
        assert not events.partial().complete


def test_events_and_answers_may_go_to_other_threads():
    decoder = sd.Decoder("chat")
    told, partials = [], []

    def feed():
        for data in in_pieces(b"".join(CHAT), 5):
            told.extend(decoder.feed(data))

    together(feed)
    together(lambda: partials.append(decoder.partial()), lambda: partials.append(decoder.answer()))
    assert [event.type for event in told][-1] == "finished"
    assert all(answer.text == "Hello" for answer in partials)


# ---- state


def mutable_state():
    """Every list, dict, set and bytearray that a module or class of ours holds by name, as it is now."""
    state = {}
    for found in pkgutil.walk_packages(sd.__path__, "sse_dialects."):
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # of an extra that is not installed
            continue
        for name, value in vars(module).items():
            owner = f"{module.__name__}.{name}"
            if isinstance(value, type) and value.__module__.startswith("sse_dialects"):
                state.update({f"{owner}.{inner}": held for inner, held in vars(value).items() if is_mutable(inner, held)})
            elif is_mutable(name, value):
                state[owner] = value
    return state


def is_mutable(name, value):
    own = not name.startswith("__") or name == "__all__"
    return own and isinstance(value, (list, dict, set, bytearray)) and not isinstance(value, types.MappingProxyType)


def test_no_module_keeps_anything_between_streams():
    before = {name: repr(value) for name, value in mutable_state().items()}
    assert "sse_dialects.decoder.__all__" in before
    for dialect, data in some_streams():
        by_decoder(in_pieces(data, 20), dialect)
        by_decoder([data], "auto")
    assert {name: repr(value) for name, value in mutable_state().items()} == before
