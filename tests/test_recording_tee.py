"""``record=``: what streams read is recorded, whatever happens to them."""

from __future__ import annotations

import json

import httpx
import pytest
from bodies import CHAT, DIALECTS, PING
from loops import both
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd
from sse_dialects.recording import Recorder, replay
from sse_dialects.recording.tee import tee
from sse_dialects.sources import open_async_source, open_source


@pytest.fixture(scope="module")
def server():
    with FaultServer() as server:
        yield server


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answer.jsonl"


def head_and_end(path):
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return lines[0], lines[-1]


@both
@pytest.mark.parametrize("dialect", DIALECTS)
def test_exactly_the_reads(loop, dialect, path):
    pieces = [PING, *DIALECTS[dialect]]
    assert sd.stream(iter(pieces), record=path).answer().text == "Hello"
    assert list(replay(path)) == pieces

    async def read():
        async with sd.astream(iter(pieces), record=path) as events:
            return (await events.answer()).text

    path.unlink()
    assert loop.run(read) == "Hello"
    assert list(replay(path)) == pieces


@both
def test_over_http(server, loop, path):
    url = server.serve(Reply([CHAT[0], 0.05, *CHAT[1:]], headers={"X-Request-Id": "r-1"}))
    with httpx.stream("POST", url) as response, sd.stream(response, record=str(path)) as events:
        assert events.answer().text == "Hello"
    head, end = head_and_end(path)
    assert head["url"] == url
    assert head["status"] == 200
    assert head["headers"] == {
        "content-type": "text/event-stream",
        "transfer-encoding": "chunked",
        "x-request-id": "[redacted]",
    }
    assert end["end"] in {"eof", "closed"}  # draining may have reached the end of the body
    assert sd.stream(replay(path)).answer() == events.answer()

    async def read():
        async with httpx.AsyncClient() as client, client.stream("POST", url) as response:
            async with sd.astream(response, record=Recorder(path, keep_headers=["x-request-id"])) as events:
                return await events.answer()

    assert loop.run(read) == events.answer()
    assert head_and_end(path)[0]["headers"]["x-request-id"] == "r-1"
    assert sd.stream(replay(path)).answer() == events.answer()


def test_the_recording_is_there_while_the_stream_is_read(path):
    with sd.stream(iter(CHAT), record=path) as events:
        next(events)
        assert list(replay(path)) == CHAT[:1]


def test_a_broken_connection(server, path):
    url = server.serve(Reply(CHAT, cut_at=len(CHAT[0])))
    with (
        pytest.raises(sd.TruncatedStreamError) as caught,
        httpx.stream("POST", url) as response,
        sd.stream(response, record=path) as events,
    ):
        events.answer()
    _, end = head_and_end(path)
    assert (end["end"], end["error"]) == ("failed", type(caught.value.cause).__name__)
    with pytest.raises(sd.TruncatedStreamError) as again:
        sd.stream(replay(path)).answer()
    assert again.value.partial == caught.value.partial


def test_a_stall(server, path):
    url = server.serve(Reply([CHAT[0]], hold_s=FOREVER))
    with (
        pytest.raises(sd.StalledStreamError),
        httpx.stream("POST", url, timeout=0.1) as response,
        sd.stream(response, record=path) as events,
    ):
        events.answer()
    _, end = head_and_end(path)
    assert (end["error"], end["timeout"]) == ("ReadTimeout", True)
    with pytest.raises(sd.StalledStreamError):
        sd.stream(replay(path)).answer()


@both
def test_an_idle_timeout(server, loop, path):
    url = server.serve(Reply([CHAT[0]], hold_s=FOREVER))

    async def read():
        async with httpx.AsyncClient() as client, client.stream("POST", url) as response:
            async with sd.astream(response, record=path, idle_timeout=0.1) as events:
                await events.answer()

    with pytest.raises(sd.StalledStreamError):
        loop.run(read)
    _, end = head_and_end(path)
    assert end["end"] == "closed"
    assert end["delay"] > 0.08


def test_a_rejection(server, path):
    url = server.serve(Reply(b'{"error": {"message": "slow down"}}', status=429, headers={"Content-Type": "application/json"}))
    with (
        pytest.raises(sd.RequestRejectedError) as caught,
        httpx.stream("POST", url) as response,
        sd.stream(response, record=path),
    ):
        pass
    with pytest.raises(sd.RequestRejectedError) as again, sd.stream(replay(path)):
        pass
    assert again.value.to_dict() == caught.value.to_dict()


@both
def test_left_early(loop, path):
    with sd.stream(iter(CHAT), record=path) as events:
        next(events)
    assert head_and_end(path)[1]["end"] == "closed"

    async def leave():
        async with sd.astream(iter(CHAT), record=path) as events:
            await events.__anext__()

    loop.run(leave)
    assert head_and_end(path)[1]["end"] == "closed"
    assert len(path.read_bytes().splitlines()) == 3


def test_dropped(path):
    with pytest.warns(ResourceWarning, match="dropped before its end"):
        next(sd.stream(iter(CHAT), record=path))
    assert head_and_end(path)[1]["end"] == "closed"


@both
def test_what_the_callers_own_source_raises_goes_on_to_him(loop, path):
    def pieces():
        yield CHAT[0]
        raise LookupError("his own")

    async def async_pieces():
        yield CHAT[0]
        raise LookupError("his own")

    with pytest.raises(LookupError), sd.stream(pieces(), record=path) as events:
        events.answer()
    assert head_and_end(path)[1]["error"] == "LookupError"

    async def read():
        async with sd.astream(async_pieces(), record=path) as events:
            await events.answer()

    with pytest.raises(LookupError):
        loop.run(read)
    assert head_and_end(path)[1]["error"] == "LookupError"


@both
def test_what_is_recorded_can_still_be_iterated(loop, path):
    source = open_source(iter(CHAT))
    tee(source, path)
    assert list(source.iterator) == CHAT

    async def read():
        source = open_async_source(iter(CHAT))
        tee(source, path)
        return [piece async for piece in source.iterator]

    assert loop.run(read) == CHAT


def test_what_is_no_bytes_is_not_recorded(path):
    with pytest.raises(sd.MisuseError, match="gives str"), sd.stream(iter([CHAT[0], "text"]), record=path) as events:
        events.answer()
    assert list(replay(path)) == CHAT[:1]


def test_pieces_of_other_kinds_of_bytes(path):
    pieces = [bytearray(CHAT[0]), memoryview(CHAT[1]), *CHAT[2:]]
    sd.stream(iter(pieces), record=path).answer()
    assert list(replay(path)) == CHAT


@both
def test_a_recorder_takes_one_stream(loop, path):
    recorder = Recorder(path)
    sd.stream(iter(CHAT), record=recorder).answer()
    with pytest.raises(sd.MisuseError, match="make a new one"):
        sd.stream(iter(CHAT), record=recorder)


def test_a_file_that_can_not_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError):
        sd.stream(iter(CHAT), record=tmp_path / "absent" / "answer.jsonl")


def test_a_full_disk_does_not_cost_the_answer(path):
    file = open(path, "wb")  # noqa: SIM115  # closed before the stream ends
    events = sd.stream(iter(CHAT), record=file)
    next(events)
    file.close()
    with pytest.warns(RuntimeWarning, match="the recording ends here"):
        assert events.answer().text == "Hello"
