"""Whether a failure that a server reports is worth sending the request again."""

from __future__ import annotations

import re

__all__ = ["retryable_failure", "retryable_status"]

# 408 timeout, 409 conflict, 425 too early, 429 too many requests: the request itself is fine.
_RETRYABLE_STATUS = frozenset({408, 409, 425, 429})

# Words of error types and codes that name the request, the key, a permission, balance or quota, or content policy.
# Matched inside the word because vendors compose them: invalid_request_error, insufficient_quota, content_policy_violation.
_FINAL = re.compile(
    r"invalid(?!_(?:upstream_)?response)|bad_request|too_large|too_long|malformed|unsupported|not_supported|not_found"
    r"|unprocessable|validation|failed_precondition|out_of_range|deprecated|decommissioned"
    r"|context_length|context_window|context_size|max_tokens|above_max_length"
    r"|auth|api_?key|credential|forbidden|permission|access_denied|not_allowed|blocked|suspended|deactivated"
    r"|quota|usage_limit|balance|billing|credit|payment|funds|budget|spend|arrear"
    r"|policy|content_filter|moderation|safety|guardrail|refusal|inspection|prohibited|sensitive"
)

# Where one word of a composed name ends and the next begins: ServiceQuotaExceeded, "Invalid Request", data-inspection-failed.
_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")


def retryable_status(status: int) -> bool:
    """Whether a request answered with this HTTP status may succeed when sent again."""
    return status >= 500 or status in _RETRYABLE_STATUS


def retryable_failure(type: object, code: object) -> bool:
    """Whether a failure with this ``type`` and ``code``, as a provider sends them, may succeed when sent again.

    A code that is an HTTP status is read as one; words are searched for those that name a fault of the request.
    """
    words = " ".join(word for word in (type, code) if isinstance(word, str))
    if _FINAL.search(_WORD_END.sub("_", words).lower()):
        return False
    status = _status(code)
    return status is None or retryable_status(status)


def _status(code: object) -> int | None:
    if isinstance(code, str) and re.fullmatch(r"[1-5][0-9]{2}", code):
        code = int(code)
    return code if isinstance(code, int) and 100 <= code <= 599 else None
