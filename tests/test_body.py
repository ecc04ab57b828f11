"""What a body begins with, however its first bytes are cut, and bodies that are no event stream."""

from __future__ import annotations

import json

import pytest

from sse_dialects import Decoder, LimitExceededError, Limits, NotAnEventStreamError, TruncatedStreamError, UpstreamError
from sse_dialects.body import BodySniffer, NonStreamBody, dialect_of_body, error_of_body, foreign

CHAT = {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]}
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "text", "text": "Hi"}],
    "stop_reason": "end_turn",
}
RESPONSE = {
    "id": "r",
    "object": "response",
    "status": "completed",
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}],
}


def decoded(data, size=None, **options):
    """``(events, answer)`` of a body, whole or in pieces."""
    decoder, events = Decoder(**options), []
    size = size or max(1, len(data))
    for start in range(0, len(data), size):
        events += decoder.feed(data[start : start + size])
    return events + decoder.close(), decoder.answer()


sizes = pytest.mark.parametrize("size", [None, 1, 7])


# ---- answers and errors


@sizes
@pytest.mark.parametrize(("body", "dialect"), [(CHAT, "chat"), (MESSAGE, "messages"), (RESPONSE, "responses")])
def test_a_whole_answer_object_is_an_answer(body, dialect, size):
    """A gateway's cache hit, say."""
    events, answer = decoded(f"\ufeff \n{json.dumps(body, indent=1)}\n".encode(), size)
    assert [event.type for event in events] == ["started", "text_delta", "finished"]
    assert (answer.dialect, answer.text, answer.finish_reason, answer.complete) == (dialect, "Hi", "stop", True)


@sizes
@pytest.mark.parametrize(
    "body", [{"error": {"message": "It broke"}}, [{"error": {"message": "It broke"}}], {"detail": "It broke"}]
)
def test_an_error_object_is_a_failure(body, size):
    with pytest.raises(UpstreamError) as caught:
        decoded(json.dumps(body).encode(), size)
    assert caught.value.message == "It broke"


@sizes
@pytest.mark.parametrize("data", [b'{"choices": [', b"[", b'{"a": "b', b'{"a": tr', b'{"a": "\\u00', b'{"a": -Infi', b'{"a":'])
def test_a_json_body_that_ends_too_soon_is_truncated(data, size):
    with pytest.raises(TruncatedStreamError):
        decoded(data, size)


@sizes
@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}',
        b"[]",
        b"[1]",
        b'{"choices": 7}',
        b"{x}",
        b'{"a": 1} x',
        b'{"a": "\\x", "b": 1}',
        b'{"a": 1 "b": 2}',
        b"{]" + b"9" * 5000,
    ],
)
def test_any_other_json_is_no_event_stream(data, size):
    with pytest.raises(NotAnEventStreamError) as caught:
        decoded(data, size)
    assert caught.value.preview == data[:200].decode()


# ---- what is foreign


@sizes
@pytest.mark.parametrize("tail", [b"", b"x" * 1000], ids=["short", "long"])
@pytest.mark.parametrize(("start", "word"), [(b"<html>", "markup"), (b"\x1f\x8b\x08", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd")])
def test_markup_and_compressed_bytes_are_no_event_stream(start, word, tail, size):
    with pytest.raises(NotAnEventStreamError) as caught:
        decoded(start + tail, size)
    assert word in str(caught.value)
    assert caught.value.preview == (start + tail)[:512].decode("utf-8", "replace")[:200]


def test_what_is_foreign_is_refused_once_there_is_enough_to_show():
    body = NonStreamBody("markup", Limits())
    body.add(b"<" + b"x" * 510)
    with pytest.raises(NotAnEventStreamError):
        body.add(b"x")
    assert body.size == 512


def test_advice_differs_with_what_it_is():
    assert "proxy" in str(foreign("markup", b"<html>"))
    assert "Accept-Encoding" in str(foreign("gzip", b"\x1f\x8b"))


# ---- limits


def test_a_json_body_is_bounded():
    body = NonStreamBody("json", Limits(max_answer_bytes=10))
    body.add(b"[" * 10)
    with pytest.raises(LimitExceededError) as caught:
        body.add(b"[")
    assert (caught.value.limit, caught.value.allowed) == ("max_answer_bytes", 10)
    NonStreamBody("json", Limits(max_answer_bytes=None)).add(b"[" * 100)


def test_its_depth_is_too():
    with pytest.raises(LimitExceededError) as caught:
        decoded(b"[" * 100 + b"]" * 100, limits=Limits(max_depth=50))
    assert caught.value.limit == "max_depth"
    with pytest.raises((NotAnEventStreamError, LimitExceededError)):
        decoded(b"[" * 100_000 + b"]" * 100_000, limits=Limits(max_depth=None))


# ---- the module itself


@pytest.mark.parametrize(
    ("value", "dialect"),
    [
        (CHAT, "chat"),
        (MESSAGE, "messages"),
        (RESPONSE, "responses"),
        ({"object": "response"}, "responses"),
        ({"output": []}, "responses"),
        ({"choices": None}, None),
        ({"type": "message"}, None),
        ([CHAT], None),
        ("x", None),
        (None, None),
    ],
)
def test_the_dialect_of_a_body(value, dialect):
    assert dialect_of_body(value) == dialect


@pytest.mark.parametrize("value", [CHAT, [], [1], [{"a": 1}], "x", None, {"error": None}])
def test_a_body_without_an_error_has_none(value):
    assert error_of_body(value) is None


def test_the_error_of_a_body_may_be_an_arrays_first():
    failed = {"error": {"message": "x"}}
    assert error_of_body(failed) is failed
    assert error_of_body([failed, CHAT]) is failed


@pytest.mark.parametrize(
    "body",
    [
        {"object": "response", "id": "r", "status": "in_progress", "output": []},
        {"object": "response", "id": "r", "status": "queued", "output": []},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "a"}], "stop_reason": None},
    ],
)
def test_an_answer_that_is_not_final_is_no_whole_answer(body):
    with pytest.raises(TruncatedStreamError):
        decoded(json.dumps(body).encode())


@pytest.mark.parametrize("text", ['{"a": true false', '{"a": "\\x"}', '{"a": 1 "b"', '{"a": "\\u12x4"}', "{garbage"])
def test_what_no_more_bytes_would_mend_is_not_truncated(text):
    with pytest.raises(NotAnEventStreamError):
        decoded(text.encode())


def test_every_cut_of_a_json_body_is_truncated():
    text = '{"choices": [true, false, null, -1.5e+3, "x\\u00e9\\n", {"b": {}}], "c": "d"}'
    for end in range(1, len(text)):
        with pytest.raises(TruncatedStreamError):
            decoded(text[:end].encode())


def test_bytes_that_are_no_utf_8_become_replacement_characters_in_a_body_too():
    _, answer = decoded(json.dumps(CHAT).encode().replace(b"Hi", b"H\xff"))
    assert answer.text == "H\ufffd"


def test_a_cut_body_says_that_its_end_is_missing():
    decoder = Decoder()
    decoder.feed(json.dumps(CHAT).encode()[:-1])
    with pytest.raises(TruncatedStreamError) as caught:
        decoder.close()
    assert caught.value.expected == "the end of its JSON body"


@pytest.mark.parametrize("status", [[1], {"a": 1}, 7, None])
def test_a_response_whose_status_is_no_word_is_not_one_under_way(status):
    decoder = Decoder()
    decoder.feed(json.dumps({**RESPONSE, "status": status}).encode())
    decoder.close()
    assert decoder.answer().text == "Hi"


# ---- the first bytes

BOM = b"\xef\xbb\xbf"
BEGINNINGS = [
    (b"data: {}\n\n", "stream"),
    (b": comment\n", "stream"),
    (b"event: x\n", "stream"),
    (b"\x1fx", "stream"),
    (b"(data", "stream"),
    (b'{"a": 1}', "json"),
    (b"[1]", "json"),
    (b"<html>", "markup"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd\x00", "zstd"),
    (b"\xef\xbbx", "stream"),
]


@pytest.mark.parametrize(("body", "kind"), BEGINNINGS)
@pytest.mark.parametrize("before", [b"", BOM, b" \r\n\t", BOM + b"\n \n"], ids=["bare", "BOM", "space", "both"])
def test_a_bom_and_white_space_are_skipped(body, kind, before):
    assert BodySniffer(Limits())._look(before + body) == (kind, body)


@pytest.mark.parametrize(("body", "kind"), BEGINNINGS)
def test_cutting_changes_neither_the_kind_nor_the_bytes(body, kind):
    for before in (b"", BOM, b"\n", BOM + b" "):
        data = before + body
        for size in (1, 2, 3):
            sniffer, told, rest = BodySniffer(Limits()), "", b""
            for start in range(0, len(data), size):
                if told:
                    rest += data[start : start + size]
                else:
                    told, rest = sniffer._look(data[start : start + size])
            assert (told, rest) == (kind, body)


@pytest.mark.parametrize("data", [b"", b"\xef", b"\xef\xbb", BOM, b"  \n", b"\x1f", b"\x28", b"\x28\xb5\x2f", BOM + b"\x1f"])
def test_too_little_tells_nothing_and_little_is_kept(data):
    sniffer = BodySniffer(Limits())
    assert sniffer._look(data)[0] == ""
    assert len(sniffer._seen) <= 4


@pytest.mark.parametrize("other", [b"\x0b", b"\x0c", b"\xa0"])
def test_no_other_white_space_stands_ahead_of_json(other):
    assert BodySniffer(Limits())._look(other + b"{}") == ("stream", other + b"{}")


def test_only_one_bom_is_dropped():
    assert BodySniffer(Limits())._look(BOM + BOM + b"data") == ("stream", BOM + b"data")
    sniffer = BodySniffer(Limits())
    assert sniffer._look(b" ") == ("", b"")
    assert sniffer._look(BOM + b"{") == ("stream", BOM + b"{")


def test_a_stream_passes_from_its_first_byte():
    sniffer = BodySniffer(Limits())
    assert sniffer.feed(b" \n")  # nothing is known yet
    assert not sniffer.is_stream
    assert sniffer.feed(b"data: 1\n\n")
    assert sniffer.is_stream
    assert sniffer.body is None


def test_json_is_gathered_without_the_white_space_ahead_of_it():
    sniffer = BodySniffer(Limits())
    assert sniffer.feed(b"\r\n ")
    assert not sniffer.feed(b' {"a"')
    assert not sniffer.feed(b":1}")
    assert not sniffer.is_stream
    assert sniffer.body is not None
    assert sniffer.body.value() == {"a": 1}
    assert sniffer.body.size == len('{"a":1}')


def test_what_is_neither_is_refused_once_there_is_enough_to_show():
    sniffer = BodySniffer(Limits())
    assert not sniffer.feed(b"<html>")
    with pytest.raises(NotAnEventStreamError, match="markup"):
        sniffer.feed(b"x" * 1000)


def test_json_has_its_bound():
    sniffer = BodySniffer(Limits(max_answer_bytes=10))
    assert not sniffer.feed(b'{"a": "')
    with pytest.raises(LimitExceededError):
        sniffer.feed(b"x" * 10)
