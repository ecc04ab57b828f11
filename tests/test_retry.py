"""Whether a reported failure is worth another request: statuses, and words as providers compose them."""

from __future__ import annotations

import pytest

from sse_dialects.retry import retryable_failure, retryable_status


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
