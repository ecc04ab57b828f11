"""The accumulators: frames in, events and the answer out."""

from __future__ import annotations

import contextlib
import json
from types import SimpleNamespace

import pytest
from httpx_sse import ServerSentEvent

from sse_dialects import (
    ChatAccumulator,
    Frame,
    LimitExceededError,
    Limits,
    MalformedStreamError,
    MessagesAccumulator,
    MisuseError,
    ResponsesAccumulator,
    TextDelta,
    TruncatedStreamError,
    UpstreamError,
)

TEXT = {
    "chat": '{"choices": [{"index": 0, "delta": {"content": "x"}}]}',
    "messages": '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}',
    "responses": '{"type": "response.output_text.delta", "output_index": 0, "delta": "x"}',
}
END = {"chat": "[DONE]", "messages": '{"type": "message_stop"}', "responses": '{"type": "response.completed", "response": {}}'}
ACCUMULATORS = {"chat": ChatAccumulator, "messages": MessagesAccumulator, "responses": ResponsesAccumulator}

each = pytest.mark.parametrize("dialect", list(ACCUMULATORS))


def frame(data, event="message"):
    return Frame(event, data, "", None)


def begun(dialect, **options):
    """An accumulator that one delta has been added to."""
    state = ACCUMULATORS[dialect](**options)
    state.add(frame(TEXT[dialect]))
    return state


# ---- the verbs


@each
@pytest.mark.parametrize("made", [frame, lambda data: ServerSentEvent(data=data)], ids=["ours", "httpx_sse"])
def test_any_frame_with_an_event_and_data_is_taken(dialect, made):
    state = ACCUMULATORS[dialect]()
    events = state.add(made(TEXT[dialect]))
    assert [event.type for event in events] == ["started", "text_delta"]
    assert [event.type for event in state.add(made(END[dialect]))] == ["finished"]
    assert state.complete
    assert state.close() == []
    assert state.answer().text == "x"


@each
@pytest.mark.parametrize("unnamed", ["", None])
def test_an_event_without_a_name_is_taken_too(dialect, unnamed):
    accumulator = ACCUMULATORS[dialect]()
    for data in (TEXT[dialect], END[dialect]):
        accumulator.add(SimpleNamespace(event=unnamed, data=data))
    assert accumulator.answer().text == "x"


@pytest.mark.parametrize("data", [b"[DONE]", None, {}])
def test_data_that_is_no_text_is_the_callers_mistake(data):
    accumulator = ChatAccumulator()
    with pytest.raises(MisuseError, match=f"is a str, not {type(data).__name__}"):
        accumulator.add(SimpleNamespace(event="message", data=data))
    assert accumulator.error is None


@pytest.mark.parametrize("payload", ['{"choices": []}', b"[DONE]", {"choices": []}])
def test_a_payload_in_place_of_a_frame_is_the_callers_mistake(payload):
    accumulator = ChatAccumulator()
    with pytest.raises(MisuseError, match=f"takes a frame, not {type(payload).__name__}: pass sd.Frame"):
        accumulator.add(payload)
    assert accumulator.error is None


@each
def test_each_answer_is_an_object_of_its_own(dialect):
    state = begun(dialect)
    assert state.partial() is not state.partial()
    state.add(frame(END[dialect]))
    assert state.answer() == state.answer() == state.partial()
    assert state.answer() is not state.answer()  # so that changing one changes no other


@each
def test_before_the_end_there_is_a_partial_answer_alone(dialect):
    state = begun(dialect)
    with pytest.raises(MisuseError, match="has not ended yet"):
        state.answer()
    assert state.partial().text == "x"
    assert state.error is None  # asking too early ends nothing
    assert state.add(frame(TEXT[dialect])) == [TextDelta("x", 0, 0)]


@each
def test_close_without_the_terminating_frame_raises_once_and_answer_raises_the_same(dialect):
    state = begun(dialect)
    with pytest.raises(TruncatedStreamError) as closing:
        state.close()
    assert state.close() == []
    assert state.add(frame(END[dialect])) == []
    with pytest.raises(TruncatedStreamError) as asking:
        state.answer()
    assert asking.value is closing.value


@each
def test_frames_after_the_terminating_one_are_ignored(dialect):
    state = begun(dialect)
    state.add(frame(END[dialect]))
    assert state.add(frame("not json")) == []


@each
def test_an_error_holds_what_that_call_had_decoded_the_partial_answer_and_where_it_was(dialect):
    state = begun(dialect)
    with pytest.raises(MalformedStreamError) as caught:
        state.add(frame(f"{TEXT[dialect]}\n{TEXT[dialect]}\nnot json"))
    error = caught.value
    assert (error.frame_number, error.frame_count, error.dialect, error.delivered) == (2, 2, dialect, True)
    assert error.partial.text == "x"
    assert error.decoded == []
    assert state.error is error


def test_events_of_the_call_that_failed_are_on_the_error():
    state = ChatAccumulator()
    row = TEXT["chat"]
    with pytest.raises(UpstreamError) as caught:
        state.add(frame(f'{row}\n{{"error": "It broke"}}'))
    assert [event.type for event in caught.value.decoded] == ["started", "text_delta"]
    assert not caught.value.delivered


# ---- frames that say nothing


@each
@pytest.mark.parametrize(
    "given",
    [frame(""), frame(" \n\t"), frame("not json", "ping"), frame('{"type": "ping"}'), frame("null"), frame("[]"), frame("7")],
)
def test_keep_alives_and_what_is_no_object_give_no_event(dialect, given):
    state = ACCUMULATORS[dialect]()
    assert state.add(given) == []
    assert state.partial().choices == []


@pytest.mark.parametrize("data", ["[DONE]", " [DONE] ", "[DONE]\n"])
def test_done_is_compared_after_trimming(data):
    state = begun("chat")
    state.add(frame(data))
    assert state.complete


@pytest.mark.parametrize("other", ["\x0b", "\u2028", "\xa0"])
def test_only_jsons_white_space_is_trimmed(other):
    with pytest.raises(MalformedStreamError):
        begun("chat").add(frame(f"{other}[DONE]"))


def test_done_is_needed_unless_the_caller_says_otherwise():
    last = frame('{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}')
    state = begun("chat")
    state.add(last)
    with pytest.raises(TruncatedStreamError, match="require_done=False"):
        state.close()
    for options, complete in (({"require_done": True}, False), ({"require_done": False}, True)):
        state = begun("chat", **options)
        state.add(last)
        with contextlib.suppress(TruncatedStreamError):
            state.close()
        assert state.complete is complete


@each
def test_after_an_error_close_has_nothing_to_say(dialect):
    state = begun(dialect)
    with pytest.raises(MalformedStreamError) as caught:
        state.add(frame("not json"))
    assert state.close() == []
    assert state.error is caught.value


@pytest.mark.parametrize("dialect", ["messages", "responses"])
def test_another_dialects_end_is_truncation(dialect):
    state = begun(dialect)
    with pytest.raises(TruncatedStreamError, match="DONE"):
        state.add(frame("[DONE]"))
    assert not state.complete


# ---- limits


@each
def test_the_answers_size_is_the_payload_bytes_received(dialect):
    size = len(TEXT[dialect])
    state = begun(dialect, limits=Limits(max_answer_bytes=2 * size))
    state.add(frame(TEXT[dialect]))
    with pytest.raises(LimitExceededError) as caught:
        state.add(frame("7"))
    assert (caught.value.limit, caught.value.allowed) == ("max_answer_bytes", 2 * size)


def test_payload_bytes_are_utf_8_bytes():
    state = ChatAccumulator(limits=Limits(max_answer_bytes=8))
    state.add(frame('"äöü"'))
    with pytest.raises(LimitExceededError):
        state.add(frame("\ud83d"))


# ---- lone surrogates


@each
def test_every_string_of_an_answer_can_be_encoded(dialect):
    state = ACCUMULATORS[dialect]()
    row = TEXT[dialect].replace('"x"', r'"x\ud83d", "own\ud83d": "\ud83d"')
    state.add(frame(row))
    state.add(frame(r'{"choices": [], "type": "new\ud83d", "a": ["\ude00"], "\ud83d": 1}'))
    state.add(frame(END[dialect]))
    repr(state.answer().to_dict()).encode()
    assert state.answer().text == "x\ufffd"
    str([state.answer().turn, state.answer().native]).encode()


def test_halves_of_a_member_without_a_word_of_ours_may_come_in_two_frames():
    state = ChatAccumulator()
    for own in (r"a\ud83d", r"\ude00b", r"c\ud83d"):
        state.add(frame(f'{{"choices": [{{"index": 0, "delta": {{"own": "{own}"}}}}]}}'))
    state.add(frame(TEXT["chat"]))
    state.add(frame("[DONE]"))
    assert state.answer().native["choices"][0]["message"]["own"] == "a\U0001f600bc\ufffd"


# ---- failures and empty data


@pytest.mark.parametrize(
    ("payload", "type", "message"),
    [
        ('{"error": "rate_limited", "message": "Slow down"}', "rate_limited", "Slow down"),
        ('{"error": {"type": "error", "message": "m"}}', "error", "m"),
        ('{"type": "error", "message": "m"}', None, "m"),
        ('{"type": "invalid_request_error", "message": "m"}', "invalid_request_error", "m"),
    ],
)
def test_a_failure_has_the_type_and_the_words_that_came_with_it(payload, type, message):
    with pytest.raises(UpstreamError) as caught:
        begun("chat").add(frame(payload))
    assert (caught.value.type, caught.value.message, caught.value.payload) == (type, message, json.loads(payload))


@each
def test_an_event_named_error_is_a_failure_without_data_too(dialect):
    with pytest.raises(UpstreamError) as caught:
        begun(dialect).add(frame("", "error"))
    assert caught.value.partial.text == "x"
    assert not caught.value.message


@each
def test_other_events_without_data_are_nothing(dialect):
    assert begun(dialect).add(frame("", "new")) == []


def test_only_the_documented_names_are_public():
    names = {name for name in dir(ChatAccumulator()) if not name.startswith("_")}
    assert names == {"add", "answer", "close", "complete", "error", "partial"}
