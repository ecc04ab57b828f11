"""Error envelopes are found where there is a failure and read whatever their shape; which failures are worth another request."""

from __future__ import annotations

import json

import pytest
from bodies import CHAT, MESSAGES, RESPONSES
from shapes import by_decoder, chunkings

from sse_dialects import Frame, FrameParser
from sse_dialects.failures import ErrorEnvelope, error_in, failure_in_line, retryable_failure, retryable_status

OPENAI = {"message": "Bad model", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"error": OPENAI}, OPENAI),
        ({"error": "it broke"}, "it broke"),
        ({"error": ["a", "b"]}, ["a", "b"]),
        ({"error": OPENAI, "choices": []}, OPENAI),
        ({"error": "it broke", "choices": []}, "it broke"),
        ({"error": {"message": ""}}, {"message": ""}),
        ({"object": "error", "message": "m"},) * 2,
        ({"type": "error"},) * 2,
        ({"errors": [{"message": "m"}]}, [{"message": "m"}]),
        ({"type": "ThrottlingException", "message": "m"},) * 2,
        ({"type": 7, "code": "Bad", "message": "m"},) * 2,
        ({"type": "", "code": "Bad", "message": "m"},) * 2,
        ({"status": "failed", "message": "m"},) * 2,
        ({"status": 400, "message": "m"},) * 2,
        ({"type": "error", "error": {"message": "Overloaded"}}, {"message": "Overloaded"}),
        ({"object": "error", "message": "m", "code": 400},) * 2,
        ({"detail": "Not authenticated"}, "Not authenticated"),
        ({"detail": {"msg": "no"}}, {"msg": "no"}),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]},) * 2,
        ({"choices": None, "error_type": "BadRequestError", "error_message": "too long"},) * 2,
        ({"error_code": 336003, "error_msg": "no user"},) * 2,
        ({"code": "InvalidParameter", "message": "m", "request_id": "r"},) * 2,
        ({"code": 10013, "message": "m", "choices": []},) * 2,
        ({"status": 503, "message": "busy"},) * 2,
        ({"status": "error", "message": "m"},) * 2,
        ({"success": False, "msg": "m"},) * 2,
        ({"type": "invalid_request_error", "message": "m"},) * 2,
        ({"choices": None, "base_resp": {"status_code": 1004, "status_msg": "m"}}, {"status_code": 1004, "status_msg": "m"}),
        ({"error": True, "message": "m"}, True),
    ],
    ids=str,
)
def test_a_failure_is_found(payload, expected):
    assert error_in(payload) == expected


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"error": None},
        {"error": ""},
        {"error": {}},
        {"error": False},
        {"error": {"message": "", "code": None}, "choices": []},
        {"errors": []},
        {"errors": {"a": 1}},
        {"errors": "text"},
        {"code": "Success", "message": "fine"},
        {"code": "OK", "message": "fine"},
        {"choices": [], "detail": "a provider's own member"},
        {"detail": ""},
        {"object": "chat.completion.chunk", "choices": []},
        {"code": 0, "message": "Success", "choices": []},
        {"code": 10000, "message": "success"},
        {"code": "200", "message": "fine"},
        {"choices": [{"index": 0}], "code": 7, "message": "m"},
        {"status": "completed", "message": "m"},
        {"status": 200, "message": "m"},
        {"type": "an_event", "code": 7, "message": "m"},
        {"type": "an_error", "code": 7},
        {"message": "m"},
        *({"base_resp": {"status_code": fine, "status_msg": "success"}, "choices": None} for fine in (0, "0", 200, "Success")),
    ],
    ids=str,
)
def test_padding_is_no_failure(payload):
    assert error_in(payload) is None


@pytest.mark.parametrize(
    ("raw", "type", "code", "message"),
    [
        (OPENAI, "invalid_request_error", "model_not_found", "Bad model"),
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded_error", None, "Overloaded"),
        ({"status": "RESOURCE_EXHAUSTED", "code": 429, "message": "Slow"}, "RESOURCE_EXHAUSTED", 429, "Slow"),
        ({"error_type": "t", "error_code": "7", "error_msg": "m"}, "t", "7", "m"),
        ({"title": "Forbidden", "status_code": 403}, None, 403, "Forbidden"),
        ({"code": 0, "message": "zero is a code"}, None, 0, "zero is a code"),
        ({"code": True, "type": 3, "message": ["a field", "another"]}, None, None, "a field; another"),
        ({"code": "", "type": "", "message": "", "msg": "second name"}, None, None, "second name"),
        ("it broke", None, None, "it broke"),
        ("", None, None, None),
        ([{"loc": ["body"], "msg": "field required"}, {"msg": "too long"}, 3], None, None, "field required; too long"),
        ([3, {"type": "t", "code": 7, "message": "m"}], "t", 7, "m"),
        ([], None, None, None),
        (7, None, None, None),
        ({"detail": "Not authenticated"}, None, None, "Not authenticated"),
        ({"detail": [{"msg": "field required"}]}, None, None, "field required"),
        ({"error": "plain words in a wrapper"}, None, None, "plain words in a wrapper"),
        ({"error": {"error": {"detail": {"error": "four wrappers"}}}}, None, None, "four wrappers"),
        ({"detail": {"detail": {"detail": {"detail": {"detail": "five"}}}}}, None, None, None),
    ],
    ids=str,
)
def test_an_envelope_is_read(raw, type, code, message):
    envelope = ErrorEnvelope(raw)
    assert (envelope.type, envelope.code, envelope.message) == (type, code, message)
    assert envelope.raw is raw


@pytest.mark.parametrize(
    ("payload", "type", "code", "message"),
    [
        ({"error": "rate_limited", "message": "Slow down"}, "rate_limited", None, "Slow down"),
        ({"error": "it broke", "error_type": "overloaded"}, "overloaded", None, "it broke"),
        ({"error": True, "code": 7, "message": "m"}, None, 7, "m"),
        ({"error": 500, "message": "m"}, None, 500, "m"),
        ({"error": "it broke", "type": "an_event"}, None, None, "it broke"),
    ],
    ids=str,
)
def test_an_error_that_is_no_object_may_have_its_facts_beside_it(payload, type, code, message):
    envelope = ErrorEnvelope(payload["error"], payload)
    assert (envelope.type, envelope.code, envelope.message) == (type, code, message)


def test_a_wrapped_envelope_counts_where_the_wrapper_says_nothing():
    wrapped = {"code": 502, "error": {"error": {"message": "inner", "type": "server_error"}}}
    envelope = ErrorEnvelope(wrapped)
    assert (envelope.type, envelope.message) == ("server_error", "inner")
    assert envelope.raw is wrapped


def test_a_wrapper_with_words_counts_itself():
    assert ErrorEnvelope({"message": "outer", "error": {"message": "inner"}}).message == "outer"


def test_wrapping_deeper_than_the_interpreter_s_stack_ends():
    raw = {"message": "too deep"}
    for _ in range(2000):
        raw = {"error": raw}
    envelope = ErrorEnvelope(raw)
    assert (envelope.type, envelope.message) == (None, None)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (3, 3.0),
        (0.5, 0.5),
        (0, 0.0),
        (-1, None),
        (True, None),
        ("3", 3.0),
        ("39.5s", 39.5),
        ("soon", None),
        ("-1s", None),
        ({"seconds": 3}, None),
        (31_536_000, 31_536_000.0),
        (31_536_001, None),
        (None, None),
        (1e9, None),
        (1e12, None),
        (float("nan"), None),
    ],
)
def test_retry_after_is_seconds_or_nothing(value, seconds):
    assert ErrorEnvelope({"message": "m", "retry_after": value}).retry_after == seconds


def test_the_parameter_at_fault_is_kept():
    assert ErrorEnvelope(OPENAI).param == "model"
    assert ErrorEnvelope({"message": "m", "param": None}).param is None


# ---- whether to send the request again


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 524, 529, 599])
def test_statuses_that_another_request_may_mend(status):
    assert retryable_status(status)


@pytest.mark.parametrize("status", [100, 200, 301, 302, 400, 401, 402, 403, 404, 405, 410, 413, 415, 418, 422, 451, 499])
def test_statuses_that_another_request_does_not_mend(status):
    assert not retryable_status(status)


@pytest.mark.parametrize(
    ("type", "code"),
    [
        (None, None),
        ("", ""),
        ("server_error", None),
        ("api_error", None),
        ("overloaded_error", None),
        ("timeout_error", None),
        ("rate_limit_error", None),
        ("tokens", "rate_limit_exceeded"),
        ("internal_error", "502"),
        ("internal_error", 502),
        ("service_unavailable", 503),
        (None, "server_is_overloaded"),
        (None, "connection_refused"),
        (None, "ECONNREFUSED"),
        (None, "upstream_timeout"),
        ("error", 1301),
        ("error", 99),
        ("error", "099"),
        ("error", True),
        (["no", "word"], {"no": "word"}),
    ],
)
def test_failures_of_the_provider_are_retryable(type, code):
    assert retryable_failure(type, code)


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("invalid_request_error", None),
        ("Invalid Request", None),
        ("INVALID_ARGUMENT", None),
        ("BadRequestError", 400),
        ("request_too_large", None),
        ("not_found_error", "model_not_found"),
        ("unsupported_parameter", None),
        (None, "context_length_exceeded"),
        ("authentication_error", None),
        (None, "invalid_api_key"),
        ("permission_error", None),
        ("access_denied", None),
        ("insufficient_quota", None),
        ("server_error", "insufficient_quota"),
        (None, "insufficient_balance"),
        ("billing_error", None),
        ("payment_required", None),
        ("content_policy_violation", None),
        (None, "content_filter"),
        ("moderation_blocked", None),
        ("refusal", None),
        ("error", "401"),
        ("error", 403),
        (None, 422),
        (None, 100),
        (None, "100"),
    ],
)
def test_failures_that_name_the_request_the_key_the_balance_or_the_policy_are_not(type, code):
    assert not retryable_failure(type, code)


def test_a_word_of_the_request_outweighs_a_status():
    assert not retryable_failure("invalid_request_error", 500)


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("invalid_request_error", "request_timeout"),
        ("invalid_request_error", "rate_limit_exceeded"),
        ("invalid_request_error", "engine_overloaded"),
        ("BadRequestError", "ThrottlingException"),
        ("invalid_request_error", 429),
        ("INVALID_ARGUMENT", "504"),
        ("insufficient_quota", "rate_limit_exceeded"),
        (None, "Throttling.AllocationQuota"),
        ("image_generation_server_error", None),
        ("server_error", "vector_store_timeout"),
        (None, "database_error"),
        (None, "metadata_unreachable"),
    ],
)
def test_a_code_for_a_timeout_a_rate_or_an_overload_decides_over_the_type(type, code):
    assert retryable_failure(type, code)


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("rate_limit_error", "insufficient_quota"),
        ("insufficient_quota", 429),
        ("authentication_error", 429),
        ("invalid_request_error", 500),
        ("invalid_request_error", "invalid_timeout"),
        ("server_error", "image_parse_error"),
        (None, "empty_image_file"),
        (None, "failed_to_download_image"),
        (None, "image_too_small"),
        (None, "image_file_too_large"),
        (None, "invalid_base64_image"),
        ("image_generation_user_error", None),
        (None, "data_inspection_failed"),
        (None, "DataInspectionFailed"),
        (None, "unreadable_data"),
    ],
)
def test_other_codes_of_the_request_are_final(type, code):
    assert not retryable_failure(type, code)


@pytest.mark.parametrize(
    ("payload", "type", "code", "message"),
    [
        ({"type": "error", "message": {"type": "api_error", "message": "Overloaded"}}, "api_error", None, "Overloaded"),
        ({"error": {"message": {"code": "c", "message": "m"}}}, None, "c", "m"),
        ({"error": {"message": "m", "code": "None", "type": "null"}}, None, None, "m"),
        ({"error": {"message": "None", "code": "None", "status": 503}}, None, 503, None),
        ({"error": "the model is loading, 20 s to go", "message": "Error"}, None, None, "the model is loading, 20 s to go"),
        ({"error": "Bad Request", "message": "max_tokens is too large"}, None, None, "max_tokens is too large"),
        ({"error": "overloaded_error", "message": "Slow down"}, "overloaded_error", None, "Slow down"),
        ({"error": "no such model: x", "message": "failed"}, None, None, "no such model: x"),
        ({"error": {"error": "the tool x is not known", "message": "Bad Request"}}, None, None, "the tool x is not known"),
        ({"error": "Internal Server Error", "message": "boom"}, None, None, "boom"),
    ],
    ids=str,
)
def test_of_several_words_the_more_telling_ones_are_shown(payload, type, code, message):
    envelope = ErrorEnvelope(error_in(payload), payload)
    assert (envelope.type, envelope.code, envelope.message) == (type, code, message)


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "39.5s"}


@pytest.mark.parametrize(
    ("payload", "seconds"),
    [
        ({"error": {"message": "m", "retry_after": 3}}, 3.0),
        ({"error": {"message": "m", "retry_after_seconds": 1.5}}, 1.5),
        ({"error": {"message": "m", "resets_in_seconds": 600}}, 600.0),
        ({"error": {"message": "m", "details": [{"@type": "Help"}, RETRY_INFO]}}, 39.5),
        ({"error": {"error": {"message": "m"}, "retry_after": 7}}, 7.0),
        ({"error": {"message": "m"}, "retry_after": 8}, 8.0),
        ({"error": "m", "retry_after": 9}, 9.0),
        ({"error": {"message": "m", "details": "text"}}, None),
        ({"error": {"message": "m", "details": [None, 7]}}, None),
    ],
    ids=str,
)
def test_a_body_names_the_wait(payload, seconds):
    assert ErrorEnvelope(error_in(payload), payload).retry_after == seconds


# ---- failures outside of data


@pytest.mark.parametrize(
    ("line", "payload"),
    [
        ('error: {"message": "m"}', {"error": {"message": "m"}}),
        ('error:{"code":500,"message":"m"}', {"error": {"code": 500, "message": "m"}}),
        ('error: {"error": {"message": "m"}}', {"error": {"message": "m"}}),
        ('error: {"type": "error", "message": "m"}', {"type": "error", "message": "m"}),
        ('{"error": {"message": "m"}}', {"error": {"message": "m"}}),
        (' {"error": "m"}\t', {"error": "m"}),
        ('{"detail": "m"}', {"detail": "m"}),
        ('{"type": "error", "message": "m"}', {"type": "error", "message": "m"}),
    ],
)
def test_a_failure_in_a_line(line, payload):
    assert failure_in_line(line, json.loads) == payload


@pytest.mark.parametrize(
    "line",
    [
        *(
            "",
            "error",
            "error:",
            "error: none",
            "error: {}",
            'error: {"message": ""',
            "error: [1]",
            "error: 500",
            'error: "text"',
        ),
        *('error: {"error": {}}', 'error: {"message": "", "code": null}', '{"error": {"message": ""}}', '{"error": null}', "{}"),
        *('{"choices": []}', '[{"error": "m"}]', '{"error": "m"} x', 'errors: {"message": "m"}', 'x error: {"message": "m"}'),
        *('data: {"error": "m"}', 'Error: {"message": "m"}', ': {"error": "m"}', "{x}"),
    ],
)
def test_no_failure_in_a_line(line):
    assert failure_in_line(line, json.loads) is None


DIALECTS = {"chat": (CHAT, "Hello"), "messages": (MESSAGES, "Hello"), "responses": (RESPONSES, "Hello")}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("ending", [b"\n\n", b"\r\n\r\n", b"\r\r", b"\n", b"\r", b""], ids=repr)
@pytest.mark.parametrize("line", [b'error: {"message": "m", "type": "t"}', b'{"error": {"message": "m", "type": "t"}}'])
def test_a_failure_outside_of_data_is_raised_in_every_dialect(dialect, line, ending):
    frames, _ = DIALECTS[dialect]
    for begun in ([], frames[:-1], frames[:3]):
        before = by_decoder([b"".join(begun)], dialect)
        for behind in (b"", frames[-1]) if len(ending) > 1 and ending != b"\r\n" else (b"",):
            data = b"".join(begun) + line + ending + behind
            if line.startswith(b"{") and not begun:
                continue  # a JSON body
            for named in (dialect, "auto"):
                expected = by_decoder([data], named)
                assert (expected.error.kind, expected.error.type, expected.error.message) == ("upstream", "t", "m")
                assert expected.error.in_stream
                assert [event.to_dict() for event in expected.events] == [
                    event.to_dict() for event in before.events
                ] or named == "auto"
                for name, chunks in chunkings(data, dialect):
                    assert by_decoder(chunks, named).facts() == expected.facts(), name


def test_every_cut_of_a_failure_outside_of_data_is_an_error():
    data = b"".join(CHAT[:2]) + b'error: {"message": "m"}\n\ndata: [DONE]\n\n'
    for end in range(len(data)):
        assert by_decoder([data[:end]], "chat").error.kind in {"truncated", "upstream"}


def test_a_failure_outside_of_data_that_is_nested_too_deeply():
    data = b'data: {"choices": []}\n\nerror: {"a": ' + b"[" * 300 + b"]" * 300 + b"}\n\n"
    assert by_decoder([data], "chat").error.kind == "limit"


def test_half_a_surrogate_pair_in_a_failure_outside_of_data():
    error = by_decoder([b'data: {"choices": []}\n\nerror: {"message": "\\ud83d"}\n\n'], "chat").error
    assert error.message == "\ufffd"


def test_the_frame_parser_keeps_to_the_letter():
    assert FrameParser().feed(b'error: {"message": "m"}\n{"error": "m"}\ndata: x\n\n') == [Frame(data="x")]
