"""Error envelopes: the shapes in which providers, gateways and servers report a failure, in a stream or in the body of an HTTP
error; and whether the request that failed is worth sending again."""

from __future__ import annotations

import re
from typing import Any

from .values import JSONArray, JSONObject

__all__ = ["ErrorEnvelope", "error_in", "is_padding", "retryable_failure", "retryable_status"]

_MAX_WRAPPINGS = 4  # of an envelope in another; two are the most seen

_MESSAGE_NAMES = (
    *("message", "msg", "detail", "error_description", "error_message", "error_msg", "status_msg", "reason", "title"),
)
_TYPE_NAMES = ("type", "status", "error_type")
_TYPE_NAMES_BESIDE = ("error_type",)  # a payload's own `type` says what the payload is
_CODE_NAMES = ("code", "status_code", "statusCode", "error_code", "status")
_STATUS_NAMES = ("status", "statusCode", "status_code")
_WAIT_NAMES = ("retry_after", "retry_after_seconds")

# Members that only a failure has, and words that say there was none.
_FAILURE_NAMES = ("error_message", "error_msg", "error_code", "error_type")
_WORD = re.compile(r"[\w.-]+")
_FINE = frozenset({"0", "200", "ok", "success"})

# An object that some servers put into every chunk to say how the call went.
_OUTCOME = "base_resp"


class ErrorEnvelope:
    """What an error envelope says. ``raw`` is the error member as sent: a dict, a list, or a string or another plain value.

    An error that is no object may have its type, code and message beside it, in the ``payload`` that holds it.
    """

    __slots__ = ("code", "message", "param", "raw", "retry_after", "type")

    def __init__(self, raw: Any, payload: Any = None) -> None:
        alone = not isinstance(raw, (JSONObject, JSONArray))
        beside: dict[str, Any] = payload if alone and isinstance(payload, JSONObject) else {}
        fields = _innermost(_fields(raw)) or beside
        self.raw = raw
        self.type: str | None = _first_text(fields, _TYPE_NAMES_BESIDE if beside else _TYPE_NAMES)
        self.code: str | int | None = _code(fields)
        self.message: str | None = _message(raw, fields)
        if isinstance(raw, str) and self.type is None and self.message != raw and _WORD.fullmatch(raw):
            self.type = raw  # the words are beside it
        if beside and self.code is None and isinstance(raw, int) and not isinstance(raw, bool):
            self.code = raw
        self.param: str | None = _first_text(fields, ("param",))
        self.retry_after: float | None = next(
            (wait for name in _WAIT_NAMES if (wait := _seconds(fields.get(name))) is not None), None
        )


def error_in(payload: dict[str, Any]) -> Any:
    """The error member of a payload or body, or None where it reports no failure.

    An ``error`` that is null, false, empty, or on a normal chunk an object of such members, is padding. Without one, ``object``
    or ``type`` being "error" makes the whole payload the error (vLLM, OpenAI Responses), and so do FastAPI's ``detail`` and
    ``errors`` where there are no ``choices``, and members that only a failure has where no choice is in them.
    """
    error = payload.get("error")
    if error and not ("choices" in payload and is_padding(error)):
        return error
    if payload.get("object") == "error" or payload.get("type") == "error":
        return payload
    outcome = payload.get(_OUTCOME)
    if isinstance(outcome, JSONObject) and not _is_fine(outcome.get("status_code")):
        return outcome
    if not payload.get("choices") and _is_flat(payload):
        return payload
    if "choices" in payload:
        return None
    detail = payload.get("detail")
    if detail:
        return detail if isinstance(detail, (JSONObject, str)) else payload
    errors = payload.get("errors")
    return errors if isinstance(errors, JSONArray) and errors else None


def _is_flat(payload: dict[str, Any]) -> bool:
    """Whether a payload is itself an envelope. One whose type is no error's is an event, whatever else it has."""
    said, kind = _first_text(payload, ("message", "msg")), payload.get("type")
    if isinstance(kind, str) and kind:
        return said is not None and kind.lower().endswith(("error", "exception"))
    if any(payload.get(name) for name in _FAILURE_NAMES):
        return True
    if _is_fine(said):
        return False
    statuses = [payload.get(name) for name in _STATUS_NAMES]
    failed = payload.get("success") is False or any(
        status in ("error", "failed") or (isinstance(status, int) and status >= 400) for status in statuses
    )
    return failed or not _is_fine(_code({"code": payload.get("code")}))


def _is_fine(said: Any) -> bool:
    """Whether a code or a word is none, or says that nothing went wrong."""
    return not said or str(said).lower() in _FINE


def is_padding(error: Any) -> bool:
    """Whether an ``error`` is the empty one of a server that writes out all members of its structures."""
    return not any(error.values()) if isinstance(error, JSONObject) else not error


def _fields(raw: Any) -> dict[str, Any]:
    """The envelope, or the first of several."""
    if isinstance(raw, JSONArray):
        raw = next((item for item in raw if isinstance(item, JSONObject)), None)
    return raw if isinstance(raw, JSONObject) else {}


def _innermost(fields: dict[str, Any]) -> dict[str, Any]:
    """Gateways wrap the upstream's envelope in their own: the one that has the words is the one that counts."""
    for _ in range(_MAX_WRAPPINGS):
        inner = fields.get("error")
        if not isinstance(inner, JSONObject) or _first_text(fields, _MESSAGE_NAMES):
            break
        fields = inner
    return fields


def _first_text(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), None)


def _message(raw: Any, fields: dict[str, Any]) -> str | None:
    said = None if isinstance(raw, JSONArray) else _first_text(fields, _MESSAGE_NAMES)  # of several, all are said
    return said or _spoken(raw)


def _code(fields: dict[str, Any]) -> str | int | None:
    for name in _CODE_NAMES:
        value = fields.get(name)
        if isinstance(value, int if name == "status" else (str, int)) and not isinstance(value, bool) and value != "":
            return value
    return None


def _spoken(raw: Any, wrappings: int = _MAX_WRAPPINGS) -> str | None:
    """The words of an error that is no envelope: a plain string, a wrapped string, FastAPI's list of ``{"loc", "msg"}``."""
    if isinstance(raw, str):
        return raw or None
    if isinstance(raw, JSONObject) and wrappings:
        return next((spoken for name in ("error", "detail") if (spoken := _spoken(raw.get(name), wrappings - 1))), None)
    if isinstance(raw, JSONArray):
        return (
            "; ".join(text for item in raw if isinstance(item, JSONObject) and (text := _first_text(item, _MESSAGE_NAMES)))
            or None
        )
    return None


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9 else None


# ---- whether to send the request again

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
