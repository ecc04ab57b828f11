"""`Decoder`: one queue, whatever the chunking; when it works, when it raises, and what it says of itself."""

from __future__ import annotations

import contextlib
import json
from itertools import islice

import pytest
from shapes import by_decoder, in_pieces

import sse_dialects as sd


def chunk(content, **fields):
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": None}
    return b"data: " + json.dumps({"id": "c1", "model": "m", "choices": [choice], **fields}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
BAD = b"data: {oops\n\n"


def texts(events):
    return [event.text for event in events if isinstance(event, sd.TextDelta)]


def test_feed_decodes_at_once():
    decoder = sd.Decoder("chat")
    events = decoder.feed(chunk("a"))
    assert decoder.frame_count == 1
    assert decoder.partial().text == "a"
    assert texts(events) == ["a"]


def test_asking_changes_nothing():
    decoder = sd.Decoder("chat")
    events = decoder.feed(chunk("a") + chunk("b") + BAD)
    assert next(events).type == "started"
    assert not decoder.complete
    assert (decoder.error.kind, decoder.partial().text) == ("malformed", "ab")
    assert texts([next(events)]) == ["a"]
    with pytest.raises(sd.MalformedStreamError):
        decoder.answer()
    assert texts([next(events)]) == ["b"]
    with pytest.raises(sd.MalformedStreamError):
        next(events)


def test_events_left_untaken_come_first_in_the_next():
    decoder = sd.Decoder("chat")
    next(decoder.feed(chunk("a") + chunk("b")))  # Started
    decoder.feed(chunk("c"))
    assert texts(decoder.feed(chunk("d"))) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_same_on_the_fast_path(count):
    decoder = sd.Decoder("chat")
    seen = []
    for letter in "abcdefgh":
        seen += islice(decoder.feed(chunk(letter)), count)
    seen += decoder.feed(DONE)
    assert texts(seen) == list("abcdefgh")


def test_an_error_is_raised_where_the_queue_reaches_it():
    decoder = sd.Decoder("chat")
    events = decoder.feed(chunk("a") + BAD + chunk("b"))
    assert texts([next(events), next(events)]) == ["a"]
    with pytest.raises(sd.MalformedStreamError) as caught:
        next(events)
    assert (caught.value.frame_number, caught.value.delivered, caught.value.decoded) == (2, True, [])
    assert caught.value.byte_count == len(chunk("a") + BAD)
    assert list(decoder.feed(chunk("c"))) == []  # after an error feed ignores its input
    with pytest.raises(sd.MalformedStreamError):
        decoder.answer()
    assert decoder.partial().text == "a"
    assert decoder.error is caught.value


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_where_an_error_is_does_not_depend_on_the_cuts(end):
    before = (chunk("a") * 3 + b": a comment\n" + chunk("b") + BAD).replace(b"\n", end)
    data = before + chunk("c").replace(b"\n", end) * 2
    for size in (*range(1, 20), *range(20, len(data) + 20, 7)):
        error = by_decoder(in_pieces(data, size), "chat").error
        assert error.byte_count == len(before) - (end == b"\r\n"), size  # at the CR the frame is out
        assert (error.frame_number, error.partial.text) == (5, "aaab"), size


def test_an_error_found_by_asking_is_kept_for_the_next_feed():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk("a") + BAD)
    assert not decoder.complete
    assert decoder.partial().text == "a"
    events = decoder.feed(b"")
    assert texts([next(events), next(events)]) == ["a"]
    with pytest.raises(sd.MalformedStreamError):
        next(events)


def test_close_works_at_once_and_gives_what_was_not_taken():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk("a") + DONE)
    events = decoder.close()
    assert [event.type for event in events] == ["started", "text_delta", "finished"]
    assert decoder.answer().text == "a"
    assert decoder.close() == []


def test_close_raises_without_the_terminating_frame():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk("a"))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoder.close()
    error = caught.value
    assert texts(error.decoded) == ["a"]
    assert (error.delivered, error.expected, error.dialect) == (False, "data: [DONE]", "chat")
    assert (error.frame_count, error.byte_count) == (1, len(chunk("a")))
    assert error.partial.to_dict() == decoder.partial().to_dict()


def test_data_after_close_is_a_misuse():
    decoder = sd.Decoder("chat")
    list(decoder.feed(DONE))
    decoder.close()
    with pytest.raises(sd.MisuseError, match=r"^this Decoder is closed: make a new one for the next stream$"):
        decoder.feed(b"")


def test_another_dialect_is_a_misuse():
    with pytest.raises(sd.MisuseError, match="auto"):
        sd.Decoder("chatml")


def test_text_is_a_misuse():
    with pytest.raises(sd.MisuseError, match="raw bytes"):
        sd.Decoder().feed("data: x")


def test_answer_before_the_end_is_misuse_and_no_end():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk("a"))
    with pytest.raises(sd.MisuseError, match="has not ended yet"):
        decoder.answer()
    assert texts(decoder.feed(DONE)) == ["a"]
    assert decoder.answer().text == "a"


def test_what_follows_the_terminating_frame_is_ignored():
    decoder = sd.Decoder("chat")
    assert texts(decoder.feed(chunk("a") + DONE + chunk("b") + BAD)) == ["a"]
    for more in (BAD, b"data: ", chunk("b") * 3):
        assert list(decoder.feed(more)) == []
    assert (decoder.error, decoder.frame_count) == (None, 2)
    assert decoder.close() == []
    assert decoder.answer().text == "a"


def test_counts():
    decoder = sd.Decoder("auto")
    data = b": hello\n\ndata:\n\n" + chunk("a") + b"event: ping\ndata: {}\n\n" + chunk("b") + chunk("c") + chunk("d")
    list(decoder.feed(data))
    assert (decoder.byte_count, decoder.frame_count, decoder.content_count, decoder.comment_count) == (len(data), 6, 4, 1)
    assert decoder.dialect == "chat"


@pytest.mark.parametrize("size", [1, 7, len(chunk("a")), 10_000])
def test_every_byte_fed_is_counted(size):
    decoder, data = sd.Decoder("chat"), chunk("a") * 8 + b"da"
    for at in range(0, len(data), size):
        list(decoder.feed(data[at : at + size]))
        assert decoder.byte_count == min(at + size, len(data))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoder.close()
    assert (caught.value.expected, caught.value.byte_count) == ("data: [DONE]", len(data))


def test_nothing_is_known_before_the_dialect():
    decoder = sd.Decoder()
    list(decoder.feed(b'data: {"x": 1}\n\n'))
    assert decoder.dialect is None
    assert decoder.partial().to_dict()["native"] == {}
    assert decoder.frame_count == 1
    with pytest.raises(sd.MalformedStreamError, match="none of its payloads"):
        decoder.close()


def test_frames_that_told_nothing_are_replayed():
    decoder = sd.Decoder()
    list(decoder.feed(b'data: {"note": "early"}\n\n' + chunk("a") + DONE))
    assert decoder.answer().extra == {"note": "early"}


def test_an_unfinished_last_frame_counts_where_it_is_whole():
    for tail in (b"data: [DONE]", b"data: [DONE]\n"):
        decoder = sd.Decoder("chat")
        decoder.feed(chunk("a") + tail)
        decoder.close()
        assert decoder.answer().text == "a"
    for tail in (b"data: [DON", b"da", b'data: {"choices": ['):
        decoder = sd.Decoder("chat")
        decoder.feed(chunk("a") + tail)
        with pytest.raises(sd.TruncatedStreamError):
            decoder.close()


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_answer_has_a_limit_that_counts_all_lines_but_comments(size):
    data = chunk("a") * 3 + b": a comment\n\n" + chunk("a") + DONE
    counted = 4 * len(chunk("a")) + 1  # the blank line behind the comment

    def fed(allowed):
        decoder = sd.Decoder("chat", limits=sd.Limits(max_answer_bytes=allowed))
        for at in range(0, len(data), size):
            list(decoder.feed(data[at : at + size]))
        decoder.close()

    fed(counted + len(DONE))
    with pytest.raises(sd.LimitExceededError) as caught:
        fed(counted - 1)
    assert (caught.value.limit, caught.value.frame_count, caught.value.partial.text) == ("max_answer_bytes", 4, "aaa")
    assert caught.value.byte_count == len(data) - len(DONE)


@pytest.mark.parametrize("line", [b"event: x", b"id: 7", b"foo"])
def test_lines_without_data_count_for_the_limit_of_an_answer(line):
    decoder = sd.Decoder("chat", limits=sd.Limits(max_answer_bytes=1000))
    data = (line + b"x" * 100 + b"\n\n") * 100
    with pytest.raises(sd.LimitExceededError):
        list(decoder.feed(data))


@pytest.mark.parametrize("per_read", [1, 2, 3, 40, 400])
def test_every_frame_is_counted_however_many_a_read_holds(per_read):
    decoder = sd.Decoder("chat")
    for _ in range(4):
        list(decoder.feed(chunk("c") * per_read))
    list(decoder.feed(chunk("c")[:30]))
    list(decoder.feed(chunk("c")[30:]))
    assert decoder.frame_count == 4 * per_read + 1
    assert decoder.partial().text == "c" * (4 * per_read + 1)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_buffers_are_read_like_bytes_and_may_change_afterwards(kind):
    decoder = sd.Decoder("chat")
    for letter in "abc":
        list(decoder.feed(chunk(letter)))
    assert texts(decoder.feed(kind(bytearray(chunk("d"))))) == ["d"]
    buffer = bytearray(chunk("e")[:20])
    decoder.feed(kind(buffer))
    buffer[:] = b"x" * 20
    assert texts(decoder.feed(chunk("e")[20:])) == ["e"]
    assert decoder.byte_count == 5 * len(chunk("a"))


def test_a_whole_frame_behind_half_a_line_is_the_rest_of_that_line():
    decoder = sd.Decoder("chat")
    for data, said in ((chunk("a"), "a"), (chunk("b"), "b"), (chunk("c"), "c"), (b"x", ""), (chunk("d"), ""), (chunk("e"), "e")):
        assert "".join(texts(decoder.feed(data))) == said


def test_all_iterators_are_over_one_queue():
    decoder = sd.Decoder("chat")
    older = decoder.feed(chunk("a") + chunk("b"))
    assert texts(islice(older, 3)) == ["a", "b"]
    newer = decoder.feed(chunk("c") + chunk("d"))
    assert texts([next(newer)]) == ["c"]
    assert texts(older) == ["d"]  # there is one queue
    assert list(newer) == []


def test_bytes_behind_the_end_are_counted():
    decoder = sd.Decoder("chat")
    list(decoder.feed(chunk("a") + DONE))
    for count in range(1, 4):
        list(decoder.feed(BAD))
        assert decoder.byte_count == len(chunk("a") + DONE + BAD * count)


def test_events_given_with_half_a_frame_are_delivered():
    decoder = sd.Decoder("chat")
    decoder.feed(chunk("a"))
    assert not decoder.complete
    assert texts(decoder.feed(b"da")) == ["a"]
    with pytest.raises(sd.MalformedStreamError) as caught:
        list(decoder.feed(b"ta: {\n\n"))
    assert caught.value.delivered


def test_the_options_reach_a_dialect_that_is_recognised():
    for dialect in ("auto", "chat"):
        decoder = sd.Decoder(dialect, require_done=False, think_tags=True)
        list(decoder.feed(chunk("<think>a</think>b")))
        list(decoder.feed(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'))
        decoder.close()
        assert (decoder.answer().reasoning, decoder.answer().text) == ("a", "b")
        decoder = sd.Decoder(dialect)
        list(decoder.feed(b'data: {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'))
        with pytest.raises(sd.TruncatedStreamError):
            decoder.close()


def test_a_dialect_that_was_given_stays():
    frame = b'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "role": "assistant"}}\n\n'
    for dialect, known in (("chat", "chat"), ("auto", "messages")):
        decoder = sd.Decoder(dialect)
        decoder.feed(frame)
        decoder.partial()
        assert decoder.dialect == known


def test_white_space_without_end_is_a_frame_too_long():
    decoder = sd.Decoder(limits=sd.Limits(max_frame_bytes=5))
    assert list(decoder.feed(b" " * 10)) == []
    with pytest.raises(sd.LimitExceededError) as caught:
        decoder.close()
    assert (caught.value.limit, caught.value.allowed) == ("max_frame_bytes", 5)


def test_nothing_is_decoded_of_a_body_that_is_too_large():
    decoder = sd.Decoder(limits=sd.Limits(max_answer_bytes=20))
    list(decoder.feed(b'{"a":'))
    with pytest.raises(sd.LimitExceededError) as caught:
        list(decoder.feed(b"\n\n" + chunk("a")))
    assert (caught.value.decoded, caught.value.frame_count) == ([], 0)
    assert caught.value.partial.text == ""


def test_a_body_that_is_no_stream_has_no_place_in_one():
    decoder = sd.Decoder()
    list(decoder.feed(b"<html>"))
    with pytest.raises(sd.NotAnEventStreamError) as caught:
        decoder.close()
    assert not hasattr(caught.value, "byte_count")


def test_the_limit_of_an_answer_counts_bytes():
    data = b"".join(b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % ("é" * count).encode() for count in (1, 2))
    size = len(data)
    assert texts(sd.Decoder("chat", limits=sd.Limits(max_answer_bytes=size)).feed(data)) == ["é", "éé"]
    with pytest.raises(sd.LimitExceededError):
        list(sd.Decoder("chat", limits=sd.Limits(max_answer_bytes=size - 1)).feed(data))


BEGINNINGS = {
    "chat": b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
    "messages": b'event: message_start\ndata: {"type":"message_start","message":{"id":"m"}}\n\n',
    "responses": b'data: {"type":"response.created","response":{"id":"r"}}\n\n',
}


@pytest.mark.parametrize("asked", BEGINNINGS)
@pytest.mark.parametrize("came", BEGINNINGS)
def test_a_stream_of_another_dialect_is_said_to_be_one(asked, came):
    """Sending the request again would not help: the dialect is wrong."""
    decoder = sd.Decoder(asked)
    list(decoder.feed(b": hi\n\n" + BEGINNINGS[came]))
    foreign = asked != came and "chat" in (asked, came)  # payloads with a type may be newer than this library
    with pytest.raises(sd.MalformedStreamError if foreign else sd.TruncatedStreamError) as caught:
        decoder.close()
    assert ("speaks another dialect" in str(caught.value)) is (asked != came)
    assert (f'"{asked}"' in str(caught.value)) is (asked != came)


def test_auto_is_not_advised_where_it_was_used():
    for dialect in ("auto", "chat"):
        decoder = sd.Decoder(dialect)
        list(decoder.feed(b'data: {"choices": []}\n\n'))
        with pytest.raises(sd.TruncatedStreamError) as caught:
            decoder.close()
        assert ('"auto"' in str(caught.value)) is (dialect == "chat")


@pytest.mark.parametrize("asked", BEGINNINGS)
def test_keep_alives_alone_say_nothing_of_the_dialect(asked):
    decoder = sd.Decoder(asked)
    list(decoder.feed(b": hi\n\nevent: ping\ndata: {}\n\n"))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoder.close()
    assert caught.value.hint is None


# ---- finish


def test_finish_does_what_close_does_and_raises_from_its_iterator():
    data = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
    decoder = sd.Decoder("chat")
    decoder.feed(data)
    events = decoder.finish()
    assert next(events).type == "started"
    assert next(events) == sd.TextDelta("a")
    with pytest.raises(sd.TruncatedStreamError) as caught:
        next(events)
    assert caught.value.cause is None
    with pytest.raises(sd.MisuseError):
        decoder.feed(b"x")
    assert list(decoder.finish()) == []
    decoder = sd.Decoder("chat")
    decoder.feed(data + b"data: [DONE]")
    assert [event.type for event in decoder.finish(OSError("reset"))] == ["started", "text_delta", "finished"]
    assert decoder.answer().text == "a"


def test_a_broken_transport_is_no_clean_end():
    data = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
    cause = OSError("reset")
    decoder = sd.Decoder("chat", require_done=False)
    list(decoder.feed(data))
    with pytest.raises(sd.TruncatedStreamError) as caught:
        list(decoder.finish(cause))
    assert caught.value.cause is caught.value.__cause__ is cause
    decoder = sd.Decoder("chat", require_done=False)
    list(decoder.feed(data))
    assert [event.type for event in decoder.finish()] == ["finished"]


def event(number, kind, **members):
    payload = {"type": f"response.{kind}", "sequence_number": number, **members}
    return f"event: response.{kind}\ndata: {json.dumps(payload)}\n\n".encode()


def a_response(pieces):
    response = {"id": "r", "model": "m", "status": "in_progress", "background": True, "store": True, "output": []}
    yield event(0, "created", response=response)
    for number, text in enumerate(pieces, 1):
        yield event(number, "output_text.delta", output_index=0, content_index=0, item_id="i", delta=text)
    yield event(len(pieces) + 1, "completed", response=response | {"status": "completed"})


def test_a_response_goes_on_over_another_connection():
    """Cut at every byte, once; the new connection sends the last frames again."""
    frames = list(a_response(["a", "b", "\u00e9", "d"]))
    data = b"".join(frames)
    whole = sd.Decoder("responses")
    expected = [*whole.feed(data), *whole.close()]
    for cut in range(len(frames[0]), len(data) - 2):
        decoder = sd.Decoder("responses")
        events = list(decoder.feed(data[:cut]))
        with pytest.raises(sd.TruncatedStreamError) as caught:
            decoder.close()
        events += caught.value.decoded
        assert caught.value.resumable
        again = max(caught.value.last_sequence_number - 1, 0)
        decoder.start_next_connection()
        events += decoder.feed(b"".join(frames[again:]))
        events += decoder.close()
        assert events == expected, cut
        assert decoder.answer() == whole.answer()


def test_what_another_connection_can_not_continue():
    for dialect, data in (("chat", chunk("a")), ("messages", BEGINNINGS["messages"]), ("responses", BAD)):
        decoder = sd.Decoder(dialect)
        with contextlib.suppress(sd.StreamError):
            list(decoder.feed(data))
        with pytest.raises(sd.MisuseError):
            decoder.start_next_connection()
