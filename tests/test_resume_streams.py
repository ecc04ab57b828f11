"""Streams that go on over another connection: the events and the answer are those of one that was never cut."""

from __future__ import annotations

import random

import httpx
import pytest
from keeping_server import KeepingServer, cuts_at_frames
from loops import both

import sse_dialects as sd
from sse_dialects import testing

SAID = testing.reply(
    "Because of Rayleigh scattering: \U0001f600 é.",
    reasoning="Short waves scatter more.",
    tool_calls=[testing.tool_call("get_weather", {"city": "Orléans"}, id="call_1")],
    id="resp_1",
)
STREAM = SAID.as_responses(piece=3, background=True)
BODY = STREAM.bytes()
with sd.stream(STREAM.source()) as _events:
    EVENTS = list(_events)
    ANSWER = _events.answer()
SHOWN = (sd.TextDelta, sd.ReasoningDelta, sd.RefusalDelta, sd.ToolCallStarted, sd.ToolCallDelta, sd.ToolCallFinished)
CUTS = (sd.TruncatedStreamError, sd.StalledStreamError)


@pytest.fixture
def server():
    with KeepingServer(STREAM).running() as server:
        yield server


@pytest.fixture
def client():
    with httpx.Client(trust_env=False, timeout=10) as client:
        yield client


def request_after(url, error):
    """The arguments of the request that follows: a new one, or one for the rest."""
    if error is None:
        return ("POST", url)
    query = {"stream": "true", "starting_after": error.last_sequence_number}
    return ("GET", f"{url}/resp_1?{httpx.QueryParams(query)}")


def read_all(client, url, handed_out):
    """Read an answer over as many connections as it takes. Returns it, the last stream and the errors."""
    events, errors = None, []
    while True:
        method, address = request_after(url, errors[-1] if errors else None)
        try:
            with client.stream(method, address) as response, sd.stream(response, resume=events) as events:
                handed_out.extend(events)  # also those before an error
            return events.answer(), events, errors
        except CUTS as error:
            if begin_again(error, handed_out, errors):
                events = None


def begin_again(error, handed_out, errors):
    """Whether not even the first event came. Notes the error if one did."""
    assert error.delivered == any(isinstance(event, SHOWN) for event in handed_out)
    assert error.resumable or not handed_out
    if error.resumable:
        errors.append(error)
    else:
        errors.clear()
    return not error.resumable


async def read_all_async(client, url, handed_out):
    events, errors = None, []
    while True:
        method, address = request_after(url, errors[-1] if errors else None)
        try:
            async with client.stream(method, address) as response, sd.astream(response, resume=events) as events:
                async for event in events:
                    handed_out.append(event)
            return await events.answer(), events, errors
        except CUTS as error:
            if begin_again(error, handed_out, errors):
                events = None


def check(handed_out, answer, events, errors):
    assert handed_out == EVENTS
    assert answer == ANSWER
    assert events.complete
    assert events.stats.frames >= len(STREAM.frames())
    assert {error.partial.id for error in errors} <= {None, "resp_1"}


# ---- cuts over HTTP


@pytest.mark.parametrize("breaks", [False, True])
def test_cut_at_every_frame(server, client, breaks):
    server.breaks = breaks
    for end in cuts_at_frames(STREAM.frames())[:-1]:
        server.cuts = [end]
        handed_out = []
        answer, events, errors = read_all(client, server.url, handed_out)
        check(handed_out, answer, events, errors)
        assert len(errors) == 1
        assert errors[0].resumable
        assert (errors[0].cause is not None) == breaks


def test_cut_behind_each_frame_all_the_time(server, client):
    """One new frame a connection, with some that have come before."""
    server.again = 1
    frames = STREAM.frames()
    server.cuts = [len(frames[0])] + [len(b"".join(frames[number - 1 : number + 1])) for number in range(1, len(frames) - 1)]
    handed_out = []
    answer, events, errors = read_all(client, server.url, handed_out)
    check(handed_out, answer, events, errors)
    assert len(errors) == len(frames) - 1
    assert [error.last_sequence_number for error in errors] == list(range(len(frames) - 1))


@pytest.mark.parametrize("seed", range(20))
def test_cut_at_random_bytes(server, client, seed):
    rng = random.Random(seed)
    server.again = rng.choice([0, 0, 1, 3, None])
    server.breaks = rng.random() < 0.5
    server.cuts = [rng.randrange(len(BODY)) for _ in range(rng.randint(1, 8))]
    handed_out = []
    check(handed_out, *read_all(client, server.url, handed_out))


@both
def test_cut_at_random_bytes_async(server, loop):
    async def main():
        async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
            for seed in range(10):
                rng = random.Random(seed)
                server.again = rng.choice([0, 0, 1, 3, None])
                server.breaks = rng.random() < 0.5
                server.cuts = [rng.randrange(len(BODY)) for _ in range(rng.randint(1, 8))]
                handed_out = []
                check(handed_out, *await read_all_async(client, server.url, handed_out))

    loop.run(main)


# ---- cuts of sources, at every byte


def cut_at(place):
    """The first stream, which ended in a cut, and the events that it gave."""
    events, handed_out = sd.stream([BODY[:place]]), []
    with pytest.raises(sd.TruncatedStreamError) as caught, events:
        handed_out.extend(events)
    return events, handed_out, caught.value


FIRST = len(STREAM.frames()[0])


@pytest.mark.parametrize("again", [0, 2])
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.thorough])])
def test_cut_at_every_byte(again, step):
    for place in range(FIRST, len(BODY) - 2, step):
        first, handed_out, error = cut_at(place)
        rest = STREAM.starting_after(error.last_sequence_number - again).reads(seed=place)
        with sd.stream(rest.source(), resume=first) as second:
            handed_out += second
        assert handed_out == EVENTS, place
        assert second.answer() == ANSWER


@both
def test_between_sync_and_async(loop):
    first, handed_out, error = cut_at(len(BODY) // 3)
    rest = STREAM.starting_after(error.last_sequence_number)

    async def main():
        async with sd.astream(rest.cut(after_frames=5).source(), resume=first) as second:
            try:
                async for event in second:
                    handed_out.append(event)
            except sd.TruncatedStreamError as error:
                return second, error
        raise AssertionError("it was not cut")

    second, error = loop.run(main)
    with sd.stream(STREAM.starting_after(error.last_sequence_number).source(), resume=second) as third:
        handed_out += third
    assert handed_out == EVENTS
    assert third.answer() == ANSWER


def test_the_whole_response_as_json_in_place_of_the_rest():
    first, handed_out, _ = cut_at(len(BODY) // 2)
    body = sd.FrameParser().feed(STREAM.frames()[-1])[0].json()["response"]
    with sd.stream(httpx.Response(200, json=body), resume=first) as second:
        handed_out += second
    assert second.answer() == ANSWER
    assert "".join(event.text for event in handed_out if isinstance(event, sd.TextDelta)) == ANSWER.text


# ---- what the streams tell


def test_what_the_streams_tell():
    first, _, error = cut_at(len(BODY) // 2)
    assert first.resumable
    assert error.resumable
    assert (first.last_sequence_number, first.last_event_id) == (error.last_sequence_number, None)
    before = first.stats
    rest = b"id: 7\n\n" + STREAM.starting_after(first.last_sequence_number).bytes()
    with sd.stream([rest], resume=first) as second:
        assert (second.dialect, second.complete, second.resumable) == ("responses", False, True)
        assert second.partial() == error.partial == first.partial()
        next(second)
        answer = second.answer()
    assert (second.complete, second.resumable, second.last_event_id) == (True, False, "7")
    assert second.last_sequence_number == len(STREAM.frames()) - 1
    stats = second.stats
    assert stats.bytes == len(BODY[: len(BODY) // 2]) + len(rest)
    assert stats.frames == len(STREAM.frames())
    for name in ("time_to_first_byte_s", "time_to_first_event_s", "time_to_first_token_s", "time_to_first_text_s"):
        assert getattr(before, name) in (None, getattr(stats, name))
    assert before.time_to_first_token_s is not None
    assert stats.duration_s > before.duration_s
    # The first one stays as it was.
    assert (first.complete, first.resumable, first.stats) == (False, False, before)
    assert first.partial() == error.partial != answer
    assert list(first) == []
    with pytest.raises(sd.TruncatedStreamError):
        first.answer()


def test_a_cut_of_the_resumed_stream_tells_of_both_connections():
    first, _, error = cut_at(len(BODY) // 2)
    rest = STREAM.starting_after(error.last_sequence_number)
    with sd.stream(rest.cut(after_frames=0).source(), resume=first) as second, pytest.raises(sd.TruncatedStreamError) as caught:
        next(second)
    again = caught.value
    assert again.delivered
    assert (again.frame_count, again.byte_count) == (error.frame_count, error.byte_count)
    assert (again.partial, again.last_sequence_number) == (error.partial, error.last_sequence_number)
    assert f"Resume it with starting_after={error.last_sequence_number}, or send the request again" in str(again)


def test_so_far_goes_on():
    frames = STREAM.frames()
    place = next(place for place, frame in enumerate(frames) if b"function_call_arguments.delta" in frame)
    first, _, _ = cut_at(len(b"".join(frames[: place + 4])))
    part = next(part for part, each in enumerate(first.partial().parts) if isinstance(each, sd.ToolCall))
    assert first.so_far(part) == {"city": "Or"}
    with sd.stream(STREAM.starting_after(first.last_sequence_number).source(), resume=first) as second:
        assert second.so_far(part) == {"city": "Or"}
        found = [second.so_far(part) for _ in second]
    assert found[-1] == {"city": "Orléans"}


def test_a_stream_that_was_not_shown_is_not_delivered():
    first = sd.stream([BODY[: len(BODY) // 2]])
    with pytest.raises(sd.TruncatedStreamError) as caught:
        first.answer()
    assert not caught.value.delivered
    second = sd.stream(STREAM.starting_after(first.last_sequence_number).cut().source(), resume=first)
    with pytest.raises(sd.TruncatedStreamError) as caught:
        second.answer()
    assert not caught.value.delivered


# ---- streams that ended in another way than a cut


def test_a_stalled_stream():
    first = sd.stream(STREAM.stall(0.2, after_frames=9, keep_alives=4).source(), content_timeout=0.05)
    handed_out = []
    with pytest.raises(sd.StalledStreamError) as caught, first:
        handed_out.extend(first)
    error = caught.value
    assert error.resumable
    assert f"Resume it with starting_after={error.last_sequence_number}, or send the request again" in str(error)
    with sd.stream(STREAM.starting_after(error.last_sequence_number).source(), resume=first) as second:
        handed_out += second
    assert handed_out == EVENTS
    assert second.answer() == ANSWER


@pytest.mark.parametrize("taken", range(1, len(EVENTS) - 2))
def test_a_stream_that_its_caller_left(taken):
    """What was decoded and not taken comes first."""
    with sd.stream([BODY[:-100]]) as first:
        handed_out = [next(first) for _ in range(taken)]
        assert not any(isinstance(event, sd.Finished) for event in handed_out)
    assert first.resumable
    rest = STREAM.starting_after(first.last_sequence_number)
    with sd.stream(rest.source(), resume=first) as second:
        assert list(first) == []  # takes nothing away
        handed_out += second
    assert handed_out == EVENTS
    assert second.answer() == ANSWER
    with pytest.raises(sd.MisuseError, match="another stream has resumed this one"):
        first.answer()


@both
def test_an_async_stream_that_its_caller_left(loop):
    async def main():
        async with sd.astream([BODY[:-100]]) as first:
            handed_out = [await first.__anext__() for _ in range(3)]
        async with sd.astream(STREAM.starting_after(first.last_sequence_number).source(), resume=first) as second:
            assert [event async for event in first] == []
            handed_out += [event async for event in second]
        assert handed_out == EVENTS
        assert await second.answer() == ANSWER

    loop.run(main)


def test_a_rejected_request_for_the_rest_spends_nothing(server, client):
    """The loop names the stream only once it is entered, so it tries again with the one that was cut."""
    server.cuts = [len(BODY) // 2]
    server.statuses = [200, 503, 429]
    events, handed_out, rejections = None, [], []
    error = None
    while True:
        method, address = request_after(server.url, error)
        try:
            with client.stream(method, address) as response, sd.stream(response, resume=events) as events:
                handed_out.extend(events)
            break
        except sd.TruncatedStreamError as cut:
            error = cut
        except sd.RequestRejectedError as rejected:
            rejections.append(rejected.status)
            assert events.resumable
    assert rejections == [503, 429]
    assert handed_out == EVENTS
    assert events.answer() == ANSWER


@pytest.mark.parametrize("left", [False, True])
def test_a_rejected_stream_can_be_resumed_itself(left):
    """What the first one has left is for whoever is accepted."""
    if left:
        with sd.stream([BODY[:-100]]) as first:
            handed_out = [next(first)]
    else:
        first, handed_out, _ = cut_at(len(BODY) // 2)
    rejected = sd.stream(httpx.Response(503), resume=first)
    with pytest.raises(sd.RequestRejectedError) as caught:
        handed_out += rejected
    assert (caught.value.status, rejected.resumable, rejected.partial()) == (503, True, first.partial())
    again = sd.stream(httpx.Response(503), resume=rejected)
    with pytest.raises(sd.RequestRejectedError):
        again.answer()
    with sd.stream(STREAM.starting_after(first.last_sequence_number).source(), resume=again) as second:
        handed_out += second
    assert handed_out == EVENTS
    with pytest.raises(sd.MisuseError, match="has been resumed before"):
        sd.stream([b""], resume=rejected)


def test_another_response_is_no_rest():
    first, _, error = cut_at(len(BODY) // 2)
    other = testing.reply("Other", id="resp_2").as_responses(background=True)
    with sd.stream(other.source(), resume=first) as second, pytest.raises(sd.MalformedStreamError, match="another response"):
        second.answer()
    with pytest.raises(sd.MisuseError, match="ended in MalformedStreamError"):
        sd.stream([b""], resume=second)
    assert first.partial() == error.partial


# ---- timeouts


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in ("driver", "timeouts", "stats", "sync_stream"):
        monkeypatch.setattr(f"sse_dialects.streams.{module}.monotonic", clock)
    return clock


def paced(clock, seconds, pieces):
    for piece in pieces:
        clock.now += seconds
        yield piece


def test_what_first_token_timeout_waits_for_may_have_come_before(clock):
    first, _, _ = cut_at(len(BODY) // 2)
    frames = STREAM.starting_after(first.last_sequence_number).frames()
    with sd.stream(paced(clock, 0.9, frames), resume=first, first_token_timeout=1.0) as second:
        assert second.answer() == ANSWER
    first, _, _ = cut_at(FIRST)
    silent = [b'data: {"type":"response.in_progress","sequence_number":1}\n\n'] * 9
    with sd.stream(paced(clock, 0.5, silent), resume=first, first_token_timeout=1.0) as second:
        with pytest.raises(sd.StalledStreamError, match="first_token_timeout"):
            second.answer()


def test_keep_alives_of_the_new_connection_are_no_content(clock):
    first, _, _ = cut_at(len(BODY) // 2)
    with sd.stream(paced(clock, 0.4, [b": alive\n\n"] * 9), resume=first, content_timeout=1.0) as second:
        with pytest.raises(sd.StalledStreamError, match="content_timeout") as caught:
            second.answer()
    assert caught.value.waited_s == pytest.approx(1.2)


def test_silence_is_counted_from_the_new_connection(clock):
    first, _, _ = cut_at(len(BODY) // 2)
    clock.now += 60.0

    def silent():
        clock.now += 2.0
        yield from ()
        raise httpx.ReadTimeout("silence")

    class Response:
        __module__ = "httpx"
        status_code = 200

        def iter_bytes(self):
            return silent()

    with sd.stream(Response(), resume=first) as second, pytest.raises(sd.StalledStreamError) as caught:
        second.answer()
    assert caught.value.waited_s == pytest.approx(2.0)
    assert second.stats.duration_s == pytest.approx(62.0)
