"""Exceptions that a signal handler raises, anywhere in a stream: the ``with`` closes, and no answer misses anything."""

from __future__ import annotations

import gc
import random
import signal
from functools import partial

import pytest
from bodies import CHAT, DIALECTS, frame

import sse_dialects as sd
from sse_dialects.sources.source import Source
from sse_dialects.streams.driver import StreamDriver
from sse_dialects.streams.sync_stream import EventStream


class Interrupt(Exception):
    """What the handler raises: a worker's soft time limit is an ordinary exception."""

    __module__ = "worker"  # not that of the response, whose own exceptions are transport errors


class Response:
    """A response whose pieces come at once."""

    status_code = 200

    def __init__(self, pieces):
        self.pieces = iter(pieces)
        self.closed = 0

    def iter_bytes(self):
        return self.pieces

    def close(self):
        self.closed += 1


def outcome(function):
    """What it returns, or the error of ours that it raises."""
    try:
        return function()
    except sd.SSEDialectsError as error:
        return error


def sure(events, text):
    """No answer but the whole one; otherwise an error that does not speak of threads."""
    found = outcome(events.answer)
    if isinstance(found, sd.Answer):
        assert found.text == text
    elif isinstance(found, sd.MisuseError):
        assert "left before its end" in str(found)
    else:
        assert not found.partial.complete


# ---- by a timer, wherever it finds the interpreter

WORDS = [f"{number} " for number in range(2000)]
BODY = b"".join(frame({"choices": [{"index": 0, "delta": {"content": word}}]}) for word in WORDS) + b"".join(CHAT[2:])
PIECES = [BODY[start : start + 97] for start in range(0, len(BODY), 97)]


@pytest.fixture
def timer():
    """Runs a function that is interrupted after so many seconds at most; whether it was."""

    def interrupt(*_):
        raise Interrupt

    if not hasattr(signal, "setitimer"):
        pytest.skip("Windows has no timer signals")
    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # what others run at a collection would only be reported as interrupted

    def run(function, most_s):
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, most_s))
                function()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Interrupt:
            return True
        return False

    yield run
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    gc.enable()


def take(events, into):
    for event in events:
        into.append(event)


def test_events_are_taken_fast(timer):
    random.seed(11)
    for _ in range(150):
        response = Response(iter(lambda: CHAT[1], b""))
        with sd.stream(response, "chat") as events:
            assert timer(partial(take, events, []), 0.003)
        assert response.closed == 1
        assert list(events) == []
        sure(events, "never whole")


def leave(response, into):
    with sd.stream(response, "chat") as events:
        into.append(events)
        for _ in events:
            pass


def test_the_interrupt_leaves_the_with(timer):
    random.seed(14)
    for _ in range(150):
        response, opened = Response(iter(lambda: CHAT[1], b"")), []
        assert timer(partial(leave, response, opened), 0.003)
        for events in opened:
            assert response.closed == 1
            sure(events, "never whole")


def test_a_stream_goes_on_after_an_interrupt_or_says_that_it_can_not(timer):
    random.seed(12)
    went_on = said_so = 0
    for _ in range(200):
        response, seen = Response(PIECES), []
        with sd.stream(response, "chat") as events:
            if timer(partial(take, events, seen), 0.005):
                error = outcome(partial(take, events, seen))
                assert error is None or isinstance(error, sd.TruncatedStreamError)
                went_on += error is None
                said_so += error is not None
            text = "".join(event.text for event in seen if isinstance(event, sd.TextDelta))
            whole = "".join(WORDS)
            # One event may go with the interrupt, if that comes after the stream gave it and before the loop kept it.
            assert whole.startswith(text) or any(whole.replace(word, "", 1).startswith(text) for word in WORDS)
            sure(events, "".join(WORDS))
        assert response.closed == 1
    assert went_on + said_so > 50
    assert went_on


def test_answer_is_interrupted(timer):
    random.seed(13)
    for _ in range(50):
        response = Response(PIECES)
        with sd.stream(response, "chat") as events:
            if timer(events.answer, 0.004):
                sure(events, "".join(WORDS))
        assert response.closed == 1


# ---- at one place, ahead of what is done there and after it


class Interrupting(sd.Decoder):
    """Raises in one of its calls."""

    __slots__ = ("after", "at", "calls")

    def __init__(self, at=-1, *, after=False):
        super().__init__()
        self.at, self.after, self.calls = at, after, 0

    def _call(self, function, *args):
        number, self.calls = self.calls, self.calls + 1
        if number == self.at and not self.after:
            raise Interrupt
        result = function(*args)
        if number == self.at:
            raise Interrupt
        return result

    def feed(self, data):
        return self._call(super().feed, data)

    def finish(self, cause=None):
        return self._call(super().finish, cause)

    @property
    def complete(self):
        return self._call(lambda: super(Interrupting, self).complete)


FAILING = [CHAT[0], frame({"error": {"message": "overloaded", "type": "server_error"}})]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("body", [*DIALECTS.values(), CHAT[:2], FAILING], ids=[*DIALECTS, "cut", "failing"])
def test_at_each_call_of_the_decoder(body, after):
    def read(at):
        response, decoder = Response(body), Interrupting(at, after=after)
        source = Source(iter(body), response, [response.close])
        seen, error = [], None
        with EventStream(source, StreamDriver(source, decoder)) as events:
            for _ in range(2):
                try:
                    seen.extend(event.type for event in events)
                except Interrupt:
                    continue
                except sd.StreamError as caught:
                    error = caught
            calls = decoder.calls
            decoder.at = -1
            if error is None:
                assert body in DIALECTS.values()
                assert seen[-1] == "finished"
                assert events.answer().text == "Hello"
            else:
                assert list(events) == []
                with pytest.raises(type(error)):
                    events.answer()
        assert response.closed == 1
        return calls

    for at in range(read(-1)):
        read(at)


def test_closing_is_interrupted():
    class Closing(Response):
        def __init__(self, error):
            super().__init__(CHAT)
            self.error = error

        def close(self):
            error, self.error = self.error, None
            if error is not None:
                raise error
            super().close()

    response = Closing(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt), sd.stream(response) as events:
        next(events)
    assert response.closed == 1
    first, second = Closing(None), []
    source = Source(iter(CHAT), first, [lambda: second.append(1 / 0), first.close])
    with pytest.raises(ZeroDivisionError), EventStream(source, StreamDriver(source, sd.Decoder())) as events:
        next(events)
    assert first.closed == 1
