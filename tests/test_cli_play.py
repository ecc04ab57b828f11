from __future__ import annotations

import io
from typing import Any

import pytest

import sse_dialects as sd
from sse_dialects.cli.console import STATUS_OF_KIND, Channel, ReaderLeft
from sse_dialects.cli.printers import Printer, play

DELTA = b'data: {"id": "c-1", "choices": [{"index": 0, "delta": {"content": "hello"}}]}\n\n'
ENDINGS = {
    "truncated": b"",
    "upstream": b'data: {"error": {"message": "no"}}\n\n',
    "malformed": b"data: {no JSON\n\n",
}


class Told(Printer):
    """A printer that only remembers what it was told."""

    def __init__(self) -> None:
        super().__init__(Channel(io.StringIO(), vital=True), Channel(io.StringIO(), vital=False))
        self.calls: list[tuple[str, Any]] = []

    def __exit__(self, *raised: object) -> None:
        self.calls.append(("exit", None))

    def watch(self, stream: sd.EventStream) -> None:
        self.calls.append(("watch", None))

    def event(self, event: sd.Event) -> None:
        self.calls.append((event.type, None))

    def finish(self, answer: sd.Answer) -> None:
        self.calls.append(("finish", answer.text))

    def fail(self, error: sd.SSEDialectsError, partial: sd.Answer) -> None:
        self.calls.append((error.kind, partial.text))


def test_a_complete_stream() -> None:
    told = Told()
    assert play(lambda: sd.stream(iter([DELTA, b"data: [DONE]\n\n"])), told) == 0
    named = [name for name, _ in told.calls]
    assert named == ["watch", "started", "text_delta", "finished", "finish", "exit"]
    assert ("finish", "hello") in told.calls


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_stream_that_broke(kind: str) -> None:
    told = Told()
    assert play(lambda: sd.stream(iter([DELTA, ENDINGS[kind]])), told) == STATUS_OF_KIND[kind]
    assert told.calls[-2:] == [(kind, "hello"), ("exit", None)]


def test_a_stream_that_never_opened() -> None:
    def rejected() -> sd.EventStream:
        raise sd.RequestRejectedError(429)

    told = Told()
    assert play(rejected, told) == 4
    assert told.calls == [("rejected", ""), ("exit", None)]


def test_the_stream_is_closed_when_printing_fails() -> None:
    class Leaves(Told):
        def event(self, event: sd.Event) -> None:
            raise ReaderLeft

    told, stream = Leaves(), sd.stream(iter([DELTA]))
    with pytest.raises(ReaderLeft):
        play(lambda: stream, told)
    assert told.calls[-1] == ("exit", None)
    assert list(stream) == []
