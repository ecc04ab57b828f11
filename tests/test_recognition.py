"""Which dialect a stream speaks, from the first frame that tells."""

from __future__ import annotations

import json

import pytest
from told import told

from sse_dialects import Decoder, Frame, LimitExceededError, Limits, MalformedStreamError, TruncatedStreamError, UpstreamError
from sse_dialects.recognition import UNKNOWN, AnyDialect, Recogniser, is_whole


def frame(data, event="message"):
    return Frame(event, data, "", None)


def recognised(frame, max_depth):
    return Recogniser(Limits(max_depth=max_depth)).look(frame)


@pytest.mark.parametrize(
    ("data", "event", "dialect"),
    [
        ('{"choices": []}', "message", "chat"),
        ('{"object": "chat.completion.chunk"}', "message", "chat"),
        ("[DONE]", "message", "chat"),
        ("[DONE]", "ping", "chat"),
        ('{"choices": []}', "ping", "chat"),
        ('{"type": "message_start"}', "heartbeat", "messages"),
        ('{"type": "error"}', "ping", UNKNOWN),
        ("not json", "keepalive", None),
        ('{"x": 1}\n[DONE]', "message", "chat"),
        ('{"x": 1}\n{"choices": []}', "message", "chat"),
        ('{"type": "message_start"}', "message", "messages"),
        ('{"type": "content_block_delta"}', "wrong", "messages"),
        ("{}", "message_stop", "messages"),
        ('{"type": null}', "message_delta", "messages"),
        ('{"type": "response.created"}', "message", "responses"),
        ("{}", "response.new.event", "responses"),
        ("", "response.failed", "responses"),
        ("", "message_stop", "messages"),
        ("", "error", UNKNOWN),
        ('{"type": "error", "error": {}}', "message", UNKNOWN),
        ('{"error": "It broke"}', "message", UNKNOWN),
        ('{"message": "It broke"}', "error", UNKNOWN),
        ("not json", "message", UNKNOWN),
        ("not\njson", "message", UNKNOWN),
        ('{"x": 1}', "message", None),
        ('{"type": 7}', "message", None),
        ("null", "message", None),
        ("7", "message", None),
    ],
)
def test_what_a_frame_tells(data, event, dialect):
    assert recognised(frame(data, event), 64) == dialect


def test_depth_is_bounded_here_too():
    with pytest.raises(LimitExceededError):
        recognised(frame("[" * 9 + "]" * 9), 8)


@pytest.mark.parametrize(
    "given",
    [
        *(frame(""), frame(" \n"), frame("", "message_start"), frame("", "response.created")),
        *(frame("now", "ping"), frame("{}", "keep_alive"), frame('{"type": "heartbeat", "n": 1}'), frame("[]", "keep-alive")),
    ],
)
def test_keep_alives_tell_nothing_and_are_not_kept(given):
    waiting = Recogniser(Limits())
    assert waiting.look(given) is None
    assert waiting.untold == []


def test_frames_that_told_nothing_are_kept_to_be_replayed():
    waiting = Recogniser(Limits())
    assert waiting.look(frame('{"x": 1}')) is None
    assert waiting.look(frame('{"choices": []}')) == "chat"
    assert [each.data for each in waiting.untold] == ['{"x": 1}']


def test_a_stream_of_payloads_that_nobody_can_name_is_given_up():
    waiting = Recogniser(Limits())
    for _ in range(1000):
        assert waiting.look(frame('{"x": 1}')) is None
    with pytest.raises(MalformedStreamError, match="none of its payloads"):
        waiting.look(frame('{"x": 1}'))


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        ("[DONE]", True),
        (" [DONE] ", True),
        ("{}", True),
        ('{"a": 1}', True),
        ('{"a"', False),
        ("[]", False),
        ("7", False),
        ("[" * 100_000, False),
    ],
)
def test_an_undispatched_frame_counts_where_no_cut_can_have_made_it(data, whole):
    assert is_whole(frame(data)) == whole


def test_what_is_kept_is_bounded():
    waiting = Recogniser(Limits(max_answer_bytes=10))
    waiting.look(frame('{"x": 1}'))
    with pytest.raises(LimitExceededError) as caught:
        waiting.look(frame('{"x": 1}'))
    assert (caught.value.limit, caught.value.allowed) == ("max_answer_bytes", 10)
    assert Recogniser(Limits(max_answer_bytes=None)).look(frame('{"x": 1}')) is None


# ---- in a stream


def auto(*payloads, **options):
    """The same stream through a decoder that has not been told the dialect."""
    decoder, events = Decoder(**options), []
    for payload in payloads:
        events += decoder.feed(f"data: {payload}\n\n".encode())
    return decoder, events + decoder.close()


@pytest.mark.parametrize(
    ("dialect", "payloads"),
    [
        ("chat", [{"x": 1}, {"choices": [{"index": 0, "delta": {"content": "x"}}]}, "[DONE]"]),
        ("messages", [{"type": "ping"}, {"type": "message_start", "message": {"id": "m"}}, {"type": "message_stop"}]),
        ("responses", [{"type": "response.completed", "response": {"id": "r", "status": "completed"}}]),
    ],
)
def test_a_recognised_stream_tells_what_a_named_one_does(dialect, payloads):
    rows = [row if isinstance(row, str) else json.dumps(row) for row in payloads]
    decoder, events = auto(*rows)
    assert decoder.answer().dialect == dialect
    assert events == told(dialect, *payloads).events


def test_without_a_telling_frame_payloads_are_malformed_and_nothing_is_truncated():
    with pytest.raises(MalformedStreamError, match="none of its payloads"):
        auto('{"x": 1}')
    with pytest.raises(TruncatedStreamError):
        auto()


def test_an_error_frame_needs_no_dialect():
    with pytest.raises(UpstreamError, match="It broke") as caught:
        auto('{"error": {"message": "It broke"}}')
    assert caught.value.dialect is None
    assert AnyDialect.dialect is None


@pytest.mark.parametrize("dialect", ["auto", "responses"])
def test_an_end_without_data_needs_no_other_frame(dialect):
    decoder = Decoder(dialect)
    with pytest.raises(UpstreamError):
        list(decoder.feed(b"event: response.failed\ndata:\n\n"))
    assert decoder.dialect == "responses"


def test_limits_hold_while_waiting():
    with pytest.raises(LimitExceededError):
        auto('{"x": "' + "y" * 100 + '"}', limits=Limits(max_answer_bytes=50))


def test_frames_that_tell_nothing_are_kept_within_the_limit():
    untold = '{"x": 1}'
    fed = (f"data: {untold}\n\n" * 2).encode()
    list(Decoder(limits=Limits(max_answer_bytes=2 * len(untold))).feed(fed))
    with pytest.raises(LimitExceededError) as caught:
        list(Decoder(limits=Limits(max_answer_bytes=2 * len(untold) - 1)).feed(fed))
    assert caught.value.limit == "max_answer_bytes"


def test_depth_is_bounded_before_the_dialect_is_known():
    deep = '{"x": ' + "[" * 9 + "]" * 9 + "}"
    with pytest.raises(LimitExceededError) as caught:
        list(Decoder(limits=Limits(max_depth=8)).feed(f"data: {deep}\n\n".encode()))
    assert caught.value.limit == "max_depth"


@pytest.mark.parametrize("other", ["\x0b", "\xa0"])
def test_only_jsons_white_space_stands_around_what_tells(other):
    assert recognised(frame(f"{other}[DONE]"), 64) != "chat"
