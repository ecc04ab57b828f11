"""The error tree: whose fault, which facts, and a sentence that says what to do next."""

from __future__ import annotations

import json
import pickle

import pytest

from sse_dialects import errors
from sse_dialects.answer import Answer, Choice, TextPart, ToolCall
from sse_dialects.errors import (
    InvalidArgumentsError,
    LimitExceededError,
    MalformedStreamError,
    MisuseError,
    NotAnEventStreamError,
    RequestRejectedError,
    SSEDialectsError,
    StalledStreamError,
    StreamError,
    TruncatedStreamError,
    UpstreamError,
)

SECRET = "the model's own words"
CALL = ToolCall("call_1", "f", "function", '{"a"', False)


def placed(error: StreamError) -> StreamError:
    """``error`` as a decoder hands it out."""
    error.partial = Answer("chat", choices=[Choice(0, text=SECRET)])
    error.dialect = "chat"
    error.frame_count = 3
    error.byte_count = 1234
    error.delivered = True
    return error


EXAMPLES = [
    MisuseError("close() was called: make another decoder"),
    InvalidArgumentsError("the arguments are not JSON: send the model an error", tool_call=CALL),
    RequestRejectedError(
        429,
        type="rate_limit_error",
        code="slow_down",
        message="Too many requests",
        param="model",
        body={"error": {}},
        headers={"x-key": SECRET},
        retry_after=3.0,
    ),
    NotAnEventStreamError("an HTML page", advice="check the URL", content_type="text/html", preview="<html>"),
    placed(TruncatedStreamError("`data: [DONE]`", hint="Pass require_done=False.", cause=ConnectionResetError("reset by peer"))),
    placed(
        UpstreamError(
            type="overloaded_error",
            code=529,
            message="Overloaded",
            param="p",
            raw={"type": "overloaded_error"},
            payload={"error": {}},
            retry_after=1.5,
        )
    ),
    placed(MalformedStreamError("its payload is not JSON (Expecting value)", frame_number=4)),
    placed(LimitExceededError("max_answer_bytes", 268_435_456)),
    placed(StalledStreamError(30.04, setting="content_timeout", cause=TimeoutError())),
]
each = pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)

SENTENCES = {
    RequestRejectedError: "the server rejected the request with HTTP status 429 (rate_limit_error, slow_down): "
    "Too many requests. No answer was started; send it again later, after 3 s as the server asks.",
    NotAnEventStreamError: "the body is an HTML page (Content-Type: text/html), not an event stream: check the URL.",
    TruncatedStreamError: "the stream closed before its terminating frame, `data: [DONE]` (ConnectionResetError): "
    "after 3 frames and 1,234 bytes the answer is not whole. Send the request again as a new one; error.partial holds what came. "
    "Pass require_done=False.",
    UpstreamError: "the provider reported a failure in the stream (overloaded_error, 529): Overloaded. "
    "No answer was started. Send the request again as a new one; error.partial holds what came.",
    MalformedStreamError: "frame 4 can't be read: its payload is not JSON (Expecting value). Nothing after it was decoded; "
    "record the bytes and compare them with the provider's page, or look at what stands between you and the provider; "
    "error.partial holds what came.",
    LimitExceededError: "the stream is larger than Limits(max_answer_bytes=268,435,456) allows. If this provider's answers are "
    "honestly that large, pass limits=Limits(max_answer_bytes=...) with a higher number; error.partial holds what came.",
    StalledStreamError: "the stream stalled (content_timeout ran out after 30 s) after 3 frames: the answer is not whole. "
    "Send the request again as a new one, or allow more time; error.partial holds what came.",
}


def test_the_sentence_of_a_cut_before_the_dialect_was_known():
    error = TruncatedStreamError("the terminating frame of any dialect")
    assert str(error).startswith("the stream closed before the terminating frame of any dialect: nothing came. Send ")
    error.byte_count = 2
    assert str(error).startswith("the stream closed before the terminating frame of any dialect: after 0 frames and 2 bytes ")


def test_the_sentence_of_a_cut_where_only_frames_were_counted():
    error = TruncatedStreamError("data: [DONE]", hint="Pass require_done=False.")
    error.frame_count = 1
    assert ": after 1 frame the answer is not whole. " in str(error)
    assert str(error).endswith("Pass require_done=False.")


def test_the_tree_is_the_documented_one():
    tree = {name: [base.__name__ for base in getattr(errors, name).__mro__[1:]] for name in errors.__all__}
    stream = ["StreamError", "SSEDialectsError", "Exception", "BaseException", "object"]
    root = stream[1:]
    assert tree == {
        "SSEDialectsError": root[1:],
        "MisuseError": ["SSEDialectsError", "RuntimeError", *root[1:]],
        "InvalidArgumentsError": ["SSEDialectsError", "ValueError", *root[1:]],
        "RequestRejectedError": root,
        "NotAnEventStreamError": root,
        "StreamError": root,
        "TruncatedStreamError": stream,
        "UpstreamError": stream,
        "MalformedStreamError": stream,
        "LimitExceededError": stream,
        "StalledStreamError": stream,
    }
    for name in errors.__all__:
        assert f" {name}" in errors.__doc__.replace("\n", " "), f"{name} is missing in the drawing of the tree"


def test_every_kind_is_a_word_of_its_own():
    kinds = [getattr(errors, name).kind for name in errors.__all__]
    assert sorted(kinds) == sorted(set(kinds))


@pytest.mark.parametrize("kind", SENTENCES, ids=lambda kind: kind.__name__)
def test_the_sentence_says_what_to_do_next(kind):
    assert [str(error) for error in EXAMPLES if type(error) is kind] == [SENTENCES[kind]]


@each
def test_to_dict_is_plain_json_with_every_fact_that_is_no_model_text(error):
    facts = error.to_dict()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["kind"] == error.kind
    assert facts["description"] == str(error)
    assert {"retryable", "delivered", "retry_after", "request_id"} <= set(facts)
    assert not {"headers", "raw", "payload", "body", "preview"} & set(facts)
    assert SECRET not in json.dumps(facts)
    if isinstance(error, StreamError):
        assert (facts["dialect"], facts["frame_count"], facts["byte_count"]) == ("chat", 3, 1234)


@each
def test_neither_sentence_nor_repr_shows_model_text_or_headers(error):
    assert SECRET not in str(error)
    assert SECRET not in repr(error)


@each
def test_errors_go_to_worker_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert again.to_dict() == error.to_dict()
    for name, value in vars(error).items():
        if name != "cause":
            assert getattr(again, name) == value


@each
def test_errors_can_be_raised_and_caught_as_the_root(error):
    with pytest.raises(SSEDialectsError) as caught:
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (408, True),
        (409, True),
        (413, False),
        (422, False),
        (425, True),
        (429, True),
        (500, True),
        (503, True),
        (529, True),
        (302, False),
    ],
)
def test_a_rejected_request_says_whether_to_try_again(status, retryable):
    error = RequestRejectedError(status)
    assert error.retryable is retryable
    assert ("send it again later" in str(error)) is retryable
    assert ("fix the request" in str(error)) is not retryable


def test_a_rejected_request_without_words_is_still_a_sentence():
    assert str(RequestRejectedError(400)) == (
        "the server rejected the request with HTTP status 400. No answer was started; fix the request before sending it again."
    )
    assert RequestRejectedError(400).headers == {}


@pytest.mark.parametrize(
    ("type", "code", "named"),
    [
        (None, "insufficient_quota", " (insufficient_quota)"),
        ("invalid_request_error", "invalid_api_key", " (invalid_request_error, invalid_api_key)"),
        ("server_error", "server_error", " (server_error)"),
        ("server_error", 500, " (server_error, 500)"),
        (None, 0, " (0)"),
        ("", "", ""),
    ],
)
def test_type_and_code_are_both_named(type, code, named):
    assert f"HTTP status 402{named}." in str(RequestRejectedError(402, type=type, code=code))
    assert f"a failure in the stream{named} without" in str(UpstreamError(type=type, code=code))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.25, "0.25 s"),
        (59.9994, "60 s"),
        (599, "599 s"),
        (600, "10 minutes"),
        (36_000, "10 hours"),
        (2_300_000_000, "26,620 days"),
    ],
)
def test_the_time_that_a_server_asks_for_is_one_that_people_read(seconds, said):
    error = RequestRejectedError(429, retry_after=seconds)
    assert f"after {said} as the server asks" in str(error)
    assert error.retry_after == seconds


def test_a_sentence_has_so_much_of_a_long_message():
    for error in (UpstreamError(message="m" * 10_000), RequestRejectedError(400, message="m" * 10_000)):
        assert f"{'m' * 998} … " in str(error)
        assert len(str(error)) < 1_300
        assert len(error.message) == len(error.to_dict()["message"]) == 10_000


def test_a_sentence_has_so_much_of_a_long_type_or_code():
    for error in (
        UpstreamError(type="t" * 100_000, code="c" * 100_000),
        RequestRejectedError(400, type="t" * 100_000, code="c" * 100_000),
    ):
        assert f"({'t' * 998} …, {'c' * 998} …)" in str(error)
        assert len(str(error)) < 2_300
        assert error.type == "t" * 100_000


def test_an_upstream_failure_says_where_the_answer_stops():
    error = UpstreamError(type="server_error")
    error.frame_count = 3
    assert "No answer was started" in str(error)
    error.partial = Answer("chat", choices=[Choice(0, [TextPart("Hel")])])
    assert "The answer stops after 3 frames" in str(error)


def test_a_truncated_stream_may_be_sent_again_and_counts_in_the_singular():
    error = TruncatedStreamError("`message_stop`")
    error.frame_count = error.byte_count = 1
    assert error.retryable
    assert error.cause is None
    assert "after 1 frame and 1 byte the" in str(error)


def test_an_upstream_failure_without_a_word_of_its_own():
    assert str(UpstreamError()) == (
        "the provider reported a failure in the stream without a message. No answer was started. "
        "Send the request again as a new one; error.partial holds what came."
    )


def test_an_upstream_failure_that_names_the_request_is_not_sent_again():
    error = UpstreamError(type="invalid_request_error", message="no such tool")
    assert not error.retryable
    assert "Fix the request before sending it again" in str(error)


def test_a_malformed_stream_need_not_know_the_frame():
    assert str(MalformedStreamError("nothing in it names a dialect")).startswith("the stream can't be read: nothing in it")


def test_a_stall_need_not_know_how_long():
    error = StalledStreamError(None, setting="the client's read timeout")
    assert error.retryable
    assert "the stream stalled (the client's read timeout ran out) after" in str(error)


@pytest.mark.parametrize("error", [MalformedStreamError("x"), LimitExceededError("max_parts", 1), StreamError("x")])
def test_what_another_try_would_not_mend_is_not_retryable(error):
    assert not error.retryable


def test_a_stream_error_always_has_a_partial_answer():
    error = StreamError("it broke")
    assert (error.partial, error.dialect, error.frame_count, error.byte_count) == (Answer(None), None, 0, 0)
    assert not error.partial.complete


# ---- what a sentence and a repr may hold


@each
def test_a_repr_shows_the_facts_of_to_dict(error):
    facts = error.to_dict()
    assert repr(error).startswith(f"{type(error).__name__}({str(error)!r}, retryable=")
    for name in facts.keys() - {"kind", "description"}:
        assert f", {name}={facts[name]!r}" in repr(error)


def test_the_text_of_a_transport_error_is_nowhere_but_on_its_cause():
    cause = ConnectionError(f"illegal chunk header: bytearray({SECRET!r})")
    for error in (TruncatedStreamError("data: [DONE]", cause=cause), StalledStreamError(3, setting="idle_timeout", cause=cause)):
        assert SECRET not in f"{error} {error!r} {error.to_dict()}"
        assert error.cause is cause


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("one\r\ntwo\n\n three\tfour", "one two three four"),
        ("red \x1b[31mtext\x07", "red \\x1b[31mtext\\x07"),
        ("\u202eright to left\u2066", "\\u202eright to left\\u2066"),
        ("a\u2028b\x85c", "a b c"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("half \ud83d", "half \\ud83d"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("caf\u00e9 \U0001f600 \u0645\u0631\u062d\u0628\u0627", "caf\u00e9 \U0001f600 \u0645\u0631\u062d\u0628\u0627"),
    ],
)
def test_the_provider_s_words_are_one_clean_line_in_a_sentence(message, shown):
    for error in (UpstreamError(message=message, type=message), RequestRejectedError(400, message=message, code=message)):
        assert f"({shown}): {shown}. No answer" in str(error)
        assert error.message == message
    labelled = NotAnEventStreamError("text", advice="look", content_type=message)
    assert f"(Content-Type: {shown})" in str(labelled)
    assert f": {shown}. Nothing" in str(MalformedStreamError(message))


@pytest.mark.parametrize(
    ("message", "shown"),
    [("Slow down.", "Slow down."), ("Really?", "Really?"), ("Wait...", "Wait."), ("Wait. ", "Wait."), ("No!", "No!")],
)
def test_a_message_with_a_full_stop_gets_no_second_one(message, shown):
    for error in (UpstreamError(message=message), RequestRejectedError(500, message=message)):
        assert f": {shown} No answer was started" in str(error)


@pytest.mark.parametrize("message", ["", ".", "..."])
def test_a_message_of_nothing_is_left_out(message):
    assert "500. No answer" in str(RequestRejectedError(500, message=message))


def test_a_json_body_s_error_is_not_called_one_in_the_stream():
    error = UpstreamError(message="m")
    error.in_stream = False
    assert str(error).startswith("the provider answered with an error in place of a stream: m. No answer was started.")


def test_every_error_has_the_facts_of_its_response():
    for error in (MisuseError("m"), TruncatedStreamError("x"), NotAnEventStreamError("text", advice="look")):
        assert (error.request_id, error.headers) == (None, {})
    stream = TruncatedStreamError("x")
    assert (stream.last_event_id, stream.last_sequence_number, stream.resumable) == (None, None, False)
    error = RequestRejectedError(500, headers={"X-Request-ID": " a\nb ", "Set-Cookie": "secret", "Via": "x"})
    assert error.request_id == "a b"
    assert error.headers == {"x-request-id": " a\nb ", "via": "x"}


@pytest.mark.parametrize("name", ["x-request-id", "Request-Id", "apim-request-id", "x-amzn-RequestId"])
def test_the_request_id_has_several_names(name):
    assert RequestRejectedError(500, headers={name: "r" * 300}).request_id == "r" * 254 + " …"


@pytest.mark.parametrize(
    ("status", "asked", "retryable"),
    [(400, "true", True), (500, "false", False), (429, "False", False), (429, "maybe", True), (400, "", False)],
)
def test_x_should_retry_decides(status, asked, retryable):
    error = RequestRejectedError(status, headers={"x-should-retry": asked})
    assert error.retryable is retryable
    assert ("send it again later" in str(error)) is retryable


@pytest.mark.parametrize(
    ("facts", "retryable"),
    [
        ({"code": "insufficient_quota"}, False),
        ({"type": "insufficient_quota"}, False),
        ({"code": "billing_not_active"}, False),
        ({"type": "Arrearage"}, False),
        ({"code": "insufficient_quota", "retry_after": 3.0}, True),
        ({"type": "insufficient_quota", "code": "rate_limit_exceeded"}, True),
        ({"type": "insufficient_quota", "code": "Throttling.AllocationQuota"}, True),
        ({"code": "my_insufficient_quota_code"}, True),
        ({"code": "quota_exceeded"}, True),
    ],
    ids=str,
)
def test_a_code_that_no_wait_helps_wins_over_the_status(facts, retryable):
    for status in (429, 503):
        assert RequestRejectedError(status, **facts).retryable is retryable
    assert not RequestRejectedError(400, **facts).retryable
