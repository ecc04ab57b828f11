"""Which dialect a stream speaks, from the first frame that tells."""

from __future__ import annotations

import json

import pytest
from told import told

from sse_dialects import (
    Decoder,
    LimitExceededError,
    Limits,
    MalformedStreamError,
    StreamError,
    TruncatedStreamError,
    UpstreamError,
)
from sse_dialects.dialects.payload import is_whole


@pytest.mark.parametrize(
    ("data", "event", "dialect"),
    [
        ('{"choices": []}', "message", "chat"),
        ('{"object": "chat.completion.chunk"}', "message", "chat"),
        ("[DONE]", "message", "chat"),
        ('{"_x": 1}\n[DONE]', "message", "chat"),
        ('{"x": 1}\n{"choices": []}', "message", "chat"),
        ('{"type": "message_start"}', "message", "messages"),
        ('{"type": "content_block_delta"}', "wrong", "messages"),
        ("{}", "message_stop", "messages"),
        ('{"type": null}', "message_delta", "messages"),
        ('{"type": "response.created"}', "message", "responses"),
        ("{}", "response.new.event", "responses"),
        ("", "message_stop", "messages"),
        ('{"x": 1}', "message", None),
        ('{"type": 7}', "message", None),
        ("null", "message", None),
        ("7", "message", None),
        ("", "message_start", None),
        (" \n", "message", None),
        ("now", "ping", None),
        ("{}", "keep_alive", None),
        ('{"type": "heartbeat", "n": 1}', "message", None),
    ],
)
def test_what_a_frame_identifies(data, event, dialect):
    decoder = Decoder()
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    list(decoder.feed(f"event: {event}\n{lines}\n".encode()))
    assert decoder.dialect == dialect


@pytest.mark.parametrize(
    ("data", "event", "kind"),
    [
        ("", "error", "upstream"),
        ('{"type": "error", "error": {}}', "message", "upstream"),
        ('{"error": "It broke"}', "message", "upstream"),
        ('{"message": "It broke"}', "error", "upstream"),
        ("not json", "message", "malformed"),
        ("not\ndata: json", "message", "malformed"),
    ],
)
def test_failures_need_no_dialect(data, event, kind):
    decoder = Decoder()
    list(decoder.feed(b"data: 7\n\n"))
    with pytest.raises(StreamError) as caught:
        list(decoder.feed(f"event: {event}\ndata: {data}\n\n".encode()))
    assert (caught.value.kind, caught.value.dialect, caught.value.frame_count) == (kind, None, 2)


def test_frames_that_identify_nothing_are_taken_once_one_does():
    decoder = Decoder()
    assert list(decoder.feed(b'data: {"x": 1}\n\n: hi\n\nevent: ping\ndata: {"cost": 1}\n\n')) == []
    events = list(decoder.feed(b'data: {"choices": []}\n\n'))
    assert [event.to_dict().get("name", event.type) for event in events] == ["started", "cost", "x"]
    assert (decoder.frame_count, decoder.content_count) == (3, 2)


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
    assert is_whole(data) == whole


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


@pytest.mark.parametrize("dialect", ["auto", "responses"])
def test_an_end_without_data_needs_no_other_frame(dialect):
    decoder = Decoder(dialect)
    with pytest.raises(UpstreamError):
        list(decoder.feed(b"event: response.failed\ndata:\n\n"))
    assert decoder.dialect == "responses"


def test_limits_hold_while_waiting():
    with pytest.raises(LimitExceededError):
        auto('{"x": "' + "y" * 100 + '"}', limits=Limits(max_answer_bytes=50))


def test_frames_that_are_held_count_for_the_limit():
    fed = b'data: {"x": 1}\n\n' * 2
    list(Decoder(limits=Limits(max_answer_bytes=len(fed))).feed(fed))
    with pytest.raises(LimitExceededError) as caught:
        list(Decoder(limits=Limits(max_answer_bytes=len(fed) - 1)).feed(fed))
    assert caught.value.limit == "max_answer_bytes"


def test_depth_is_bounded_before_the_dialect_is_known():
    deep = '{"x": ' + "[" * 9 + "]" * 9 + "}"
    with pytest.raises(LimitExceededError) as caught:
        list(Decoder(limits=Limits(max_depth=8)).feed(f"data: {deep}\n\n".encode()))
    assert caught.value.limit == "max_depth"


@pytest.mark.parametrize("other", ["\x0b", "\xa0"])
def test_only_jsons_white_space_stands_around_what_identifies(other):
    with pytest.raises(MalformedStreamError):
        auto(f"{other}[DONE]")
