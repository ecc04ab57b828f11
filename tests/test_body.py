"""What a body begins with, however its first bytes are cut, and bodies that are no event stream."""

from __future__ import annotations

import json

import pytest

from sse_dialects import Decoder, LimitExceededError, Limits, NotAnEventStreamError, TruncatedStreamError, UpstreamError
from sse_dialects.body import BodySniffer, NonStreamBody, foreign

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


# ---- which JSON is an answer


@pytest.mark.parametrize(
    ("value", "dialect"),
    [
        (CHAT, "chat"),
        (MESSAGE, "messages"),
        (RESPONSE, "responses"),
        ({"object": "response"}, "responses"),
        ({"output": []}, "responses"),
    ],
)
def test_the_dialect_of_a_body(value, dialect):
    assert decoded(json.dumps(value).encode())[1].dialect == dialect


@pytest.mark.parametrize(
    "value", [{"choices": None}, {"type": "message"}, [CHAT], [], [1], [{"a": 1}], {"error": None}, [[], CHAT]]
)
def test_json_without_an_answer_or_an_error(value):
    with pytest.raises(NotAnEventStreamError, match="JSON of another kind"):
        decoded(json.dumps(value).encode())


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
    (b"retry:3\n", "stream"),
    (b"id\r\n", "stream"),
    (b'error: {"message": "m"}\n', "stream"),
    (b"\x1fx", "text"),
    (b"(data", "text"),
    (b"database is down", "text"),
    (b"error: something broke", "text"),
    (b"\0\0\0\xb9", "binary"),
    (b"\xff\xfed\0", "UTF-16"),
    (b"\xfe\xff\0d", "UTF-16"),
    (b'{"a": 1}', "json"),
    (b"[1]", "json"),
    (b"<html>", "markup"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd\x00", "zstd"),
    (b"\xef\xbbx", "text"),
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
    assert len(sniffer._head) <= 4


@pytest.mark.parametrize("other", [b"\x0b", b"\x0c", b"\xa0"])
def test_no_other_white_space_stands_ahead_of_json(other):
    assert BodySniffer(Limits())._look(other + b"{}") == ("text", other + b"{}")


def test_only_one_bom_is_dropped():
    assert BodySniffer(Limits())._look(BOM + BOM + b"data") == ("text", BOM + b"data")
    sniffer = BodySniffer(Limits())
    assert sniffer._look(b" ") == ("", b"")
    assert sniffer._look(BOM + b"{") == ("text", BOM + b"{")


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
    assert not sniffer.feed(b' {"output"')
    assert not sniffer.feed(b":[]}")
    assert not sniffer.is_stream
    assert sniffer.body is not None
    assert sniffer.body.read(None) == ("responses", {"output": []})
    assert sniffer.body.size == len('{"output":[]}')


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


# ---- bodies of other kinds, through the decoder


def refused(data, size, dialect="auto"):
    """The `NotAnEventStreamError` of a body, whole or in pieces."""
    with pytest.raises(NotAnEventStreamError) as caught:
        decoded(data, size, dialect=dialect)
    assert not caught.value.retryable
    assert "preview" not in caught.value.to_dict()
    return caught.value


@sizes
@pytest.mark.parametrize("dialect", ["auto", "chat", "messages", "responses"])
@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"Internal Server Error", "plain text"),
        (b"\n\nupstream connect error\n\nreset before headers\n", "plain text"),
        (b"error: the model is not loaded\n", "plain text"),
        (b"database locked", "plain text"),
        (b"OK", "plain text"),
        (b"\x0b\x02\x80abc\x03", "binary data"),
        ("\u4e0a\u6e38\u9519\u8bef".encode() * 100, "plain text"),
        (b"x" * 5000 + b"\n\n" * 10, "plain text"),
        (b"\0\0\0\xb9\0\0\0K\x8b\\\x1f\xd3\x0b:event-type\x07\0\x05chunk\r:message-type\x07", "an AWS event stream"),
        (b"\0" * 3000, "binary data"),
        ("\ufeffdata: {}\n\n".encode("utf-16-le"), "UTF-16 text"),
        ("\ufeffdata: {}\n\n".encode("utf-16-be"), "UTF-16 text"),
    ],
)
def test_a_body_of_another_kind_is_no_event_stream(data, what, dialect, size):
    error = refused(data, size, dialect)
    assert f"the body is {what}" in str(error)
    assert error.preview == data.lstrip(b"\n")[:512].decode("utf-8", "replace")[:200]


@sizes
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"d",
        b"dat",
        b"data",
        b"data:",
        b"data: {",
        b"even",
        b"id",
        b"id: 7\n\n",
        b": x",
        b"retry",
        b"err",
        b"error: {",
        b"\xef\xbb",
    ],
)
def test_the_beginning_of_a_stream_is_truncated(data, size):
    with pytest.raises(TruncatedStreamError) as caught:
        decoded(data, size)
    assert caught.value.retryable


@sizes
def test_foreign_lines_ahead_of_frames_or_a_comment_do_not_matter(size):
    stream = b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n'
    assert decoded(b"HTTP/1.1 200 OK\nserver: x\n\n" + stream, size)[1].text == "x"
    with pytest.raises(TruncatedStreamError):
        decoded(b"hello\n\n: keep-alive\n\n", size)


# ---- what may stand behind a JSON body


CHUNK = {
    "id": "c",
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}],
}
FAILED = {"error": {"message": "It broke"}}


@sizes
@pytest.mark.parametrize("body", [CHAT, MESSAGE, RESPONSE], ids=["chat", "messages", "responses"])
def test_an_answer_with_any_beginning_of_an_end_behind_it(body, size):
    for end in ("data: [DONE]", "data:[DONE]"):
        for cut in range(len(end) + 1):
            for gap in ("", "\n\n", " "):
                assert decoded((json.dumps(body) + gap + end[:cut]).encode(), size)[1].text == "Hi"
    assert decoded(json.dumps(body).encode() + b"\r\n\r\ndata: [DONE]\r\n\r\n", size)[1].text == "Hi"


@sizes
@pytest.mark.parametrize("first", [CHAT, CHUNK, {"a": 1}], ids=["answer", "chunk", "other"])
@pytest.mark.parametrize("second", ["{", "[", json.dumps(CHUNK), '{"a": 1}\n{"b'])
def test_a_value_and_the_beginning_of_another_are_json_lines(first, second, size):
    for gap in ("\n", "", " "):
        error = refused((json.dumps(first) + gap + second).encode(), size)
        assert "the body is JSON lines (NDJSON), not an event stream: ask for server-sent events" in str(error)


@sizes
@pytest.mark.parametrize(
    "chunk",
    [
        CHUNK,
        {**CHUNK, "object": None},
        {"choices": [{"delta": {"content": "Hi"}}]},
        {**CHUNK, "choices": []},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "response.output_text.delta", "delta": "Hi"},
    ],
)
def test_one_chunk_is_the_first_of_json_lines_that_were_cut(chunk, size):
    for end in ("", "\n", "\n\ndata: [DONE]"):
        with pytest.raises(TruncatedStreamError) as caught:
            decoded(json.dumps(chunk).encode() + end.encode(), size)
        assert caught.value.expected == "the rest of its JSON lines"


@sizes
def test_a_finished_choice_under_delta_is_an_answer(size):
    body = {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    assert decoded(json.dumps(body).encode(), size)[1].finish_reason == "stop"


@sizes
@pytest.mark.parametrize("dialect", ["auto", "chat", "messages", "responses"])
@pytest.mark.parametrize("first", [FAILED, [FAILED], {"detail": "It broke"}], ids=["object", "array", "detail"])
@pytest.mark.parametrize("behind", ["\n\ndata: [DONE]\n\n", "\n{", "garbage", 'data: {"choices": []}\n\n', "]", ""])
def test_an_error_object_at_the_head_wins_whatever_follows(first, behind, dialect, size):
    with pytest.raises(UpstreamError) as caught:
        decoded((json.dumps(first) + behind).encode(), size, dialect=dialect)
    assert caught.value.message == "It broke"
    assert "answered with an error in place of a stream: It broke. No answer was started." in str(caught.value)


@sizes
def test_an_answer_of_another_dialect_says_which(size):
    error = refused(json.dumps(MESSAGE).encode(), size, "chat")
    assert 'a JSON answer of the dialect "messages", not an event stream: name the dialect "messages"' in str(error)


@sizes
def test_frames_behind_json_are_no_answer(size):
    error = refused(b'{"id": 1}\n\ndata: {"choices": []}\n\ndata: [DONE]\n\n', size)
    assert "JSON with something else behind it" in str(error)
