"""Error envelopes: the shapes in which providers, gateways and servers report a failure, in a stream or in the body of an HTTP
error. Also: whether to send the failed request again, and after how many seconds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .values import JSONArray, JSONObject

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "MAX_WAIT_S",
    "OUTCOME",
    "ErrorEnvelope",
    "error_in",
    "failure_in_line",
    "is_padding",
    "one_line",
    "retryable_failure",
    "retryable_rejection",
    "retryable_status",
]

MAX_WAIT_S = 365 * 86_400.0  # one year. A server that asks for more means no time at all
_MAX_WRAPPINGS = 4  # of an envelope in others; no more than two have been seen

_MESSAGE_NAMES = (
    *("message", "msg", "detail", "error_description", "error_message", "error_msg", "status_msg", "reason", "title"),
)
_TYPE_NAMES = ("type", "status", "error_type")
_TYPE_NAMES_BESIDE = ("error_type",)  # a payload's own `type` says what the payload is
_CODE_NAMES = ("code", "status_code", "statusCode", "error_code", "status")
_STATUS_NAMES = ("status", "statusCode", "status_code")
_WAIT_NAMES = ("retry_after", "retry_after_seconds", "resets_in_seconds", "retryDelay", "retry_delay")

# Members that only a failure has, and words that say there was none.
_FAILURE_NAMES = ("error_message", "error_msg", "error_code", "error_type")
_WORD = re.compile(r"[\w.-]+")
_FINE = frozenset({"0", "200", "ok", "success"})
# Texts that some servers write for a missing value.
_NULLS = frozenset({"none", "null", "nil", "undefined"})
# Phrases that say no more than the status does.
_PHRASES = frozenset(
    {
        *("error", "failed", "failure", "unknown error", "an error occurred", "server error", "internal error"),
        *("bad request", "unauthorized", "payment required", "forbidden", "not found", "method not allowed", "conflict"),
        *("request timeout", "unprocessable entity", "too many requests", "internal server error", "bad gateway"),
        *("service unavailable", "gateway timeout"),
    }
)

# An object that some servers put into every chunk to say how the call went.
OUTCOME = "base_resp"


class ErrorEnvelope:
    """What an error envelope says. ``raw`` is the error member as sent: a dict, a list, or a string or another plain value.

    An error that is no object may have its type, code and message beside it, in the ``payload`` that holds it.
    """

    __slots__ = ("code", "message", "param", "raw", "retry_after", "type")

    def __init__(self, raw: Any, payload: Any = None) -> None:
        around: dict[str, Any] = payload if isinstance(payload, JSONObject) else {}
        alone = not isinstance(raw, (JSONObject, JSONArray))
        beside = around if alone else {}
        levels = _levels(_fields(raw))
        fields = levels[-1] or beside
        self.raw = raw
        self.type: str | None = _first_text(fields, _TYPE_NAMES_BESIDE if beside else _TYPE_NAMES)
        self.code: str | int | None = _code(fields)
        self.message: str | None = _message(raw, fields)
        if isinstance(raw, str) and self.type is None and self.message != raw and _WORD.fullmatch(raw):
            self.type = raw  # the message is in another member
        if beside and self.code is None and isinstance(raw, int) and not isinstance(raw, bool):
            self.code = raw
        self.param: str | None = _first_text(fields, ("param",))
        self.retry_after: float | None = _wait([*reversed(levels), around])


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
    outcome = payload.get(OUTCOME)
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


def failure_in_line(line: str, parse: Callable[[str], Any]) -> dict[str, Any] | None:
    """The payload of a failure that a server wrote outside of data, as one line of an event stream.

    Two forms are in use: a field named ``error`` whose value is a JSON object, and a line that as a whole is a JSON object which
    reports an error. A text value, an empty error and any other line are no failure; the standard says to ignore such lines.

    Args:
        line: one line without its line end.
        parse: makes a JSON text a value, and raises ValueError for what is none.
    """
    is_field = line.startswith("error:")
    text = line.removeprefix("error:").strip(" \t\r\n")
    if text[:1] != "{" or text[-1:] != "}":
        return None
    try:
        payload = parse(text)
    except ValueError:
        return None
    if not isinstance(payload, JSONObject):
        return None
    if is_field and not (payload.get("error") or payload.get("type") == "error" or payload.get("object") == "error"):
        payload = {"error": payload}
    reported = error_in(payload)
    return payload if reported is not None and not is_padding(reported) else None


def _is_flat(payload: dict[str, Any]) -> bool:
    """True if a payload is itself an envelope. One with a type that is not an error's is an event, whatever its other members."""
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
    """True if a code or a word is missing, or says that nothing went wrong."""
    return not said or str(said).lower() in _FINE


def is_padding(error: Any) -> bool:
    """Whether an ``error`` is the empty one of a server that writes out all members of its structures."""
    return not any(error.values()) if isinstance(error, JSONObject) else not error


def _fields(raw: Any) -> dict[str, Any]:
    """The envelope, or the first of several."""
    if isinstance(raw, JSONArray):
        raw = next((item for item in raw if isinstance(item, JSONObject)), None)
    return raw if isinstance(raw, JSONObject) else {}


def _levels(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """The envelope and those inside it, the innermost last. Gateways wrap the provider's envelope in their own, so the innermost
    one has the message."""
    levels = [fields]
    while len(levels) <= _MAX_WRAPPINGS and not _first_text(fields, _MESSAGE_NAMES):
        inner = next((value for name in ("error", "message") if isinstance(value := fields.get(name), JSONObject)), None)
        if inner is None:
            break
        fields = inner
        levels.append(fields)
    return levels


def _first_text(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := fields.get(name), str) and _says_something(value)), None)


def _says_something(text: str) -> bool:
    return text != "" and text.lower() not in _NULLS


def _message(raw: Any, fields: dict[str, Any]) -> str | None:
    if isinstance(raw, JSONArray):  # several errors: the messages of all
        return _spoken(raw)
    error = raw if isinstance(raw, str) else _first_text(fields, ("error",))
    message = _first_text(fields, _MESSAGE_NAMES) or _spoken(fields.get("message"))
    return _more_telling(error, message) or _spoken(raw)


def _more_telling(error: str | None, message: str | None) -> str | None:
    """The better message, where a server sends one under ``error`` and one under ``message``: a sentence is better than a single
    word, and a phrase that only repeats the status is the worst."""
    return max((message, error), key=_rank) or None


def _rank(words: str | None) -> tuple[bool, bool, int]:
    if not words:
        return False, False, 0
    number = len(words.split())
    return words.strip(" .!").lower() not in _PHRASES, number > 1, number


def _code(fields: dict[str, Any]) -> str | int | None:
    for name in _CODE_NAMES:
        value = fields.get(name)
        if isinstance(value, str) and name != "status" and _says_something(value):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _spoken(raw: Any, wrappings: int = _MAX_WRAPPINGS) -> str | None:
    """The words of an error that is no envelope: a plain string, a wrapped string, FastAPI's list of ``{"loc", "msg"}``, a list
    of strings."""
    if isinstance(raw, str):
        return raw if _says_something(raw) else None
    if isinstance(raw, JSONObject) and wrappings:
        return next((spoken for name in ("error", "detail") if (spoken := _spoken(raw.get(name), wrappings - 1))), None)
    if isinstance(raw, JSONArray):
        words = (item if isinstance(item, str) else _first_text(_fields(item), _MESSAGE_NAMES) for item in raw)
        return "; ".join(text for text in words if text) or None
    return None


# Control characters, marks and overrides of direction, separators, tags, half surrogate pairs.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def one_line(text: str, limit: int) -> str:
    """A provider's words as one line of at most ``limit`` characters. Line ends become spaces; escape characters and what changes
    the direction of writing become visible."""
    words = _UNSEEN.sub(lambda match: ascii(match.group())[1:-1], " ".join(text[: 4 * limit].split()))
    return words if len(words) <= limit else f"{words[: limit - 2]} …"


# ---- how long to wait


def _wait(levels: list[dict[str, Any]]) -> float | None:
    """The seconds to wait that an envelope, or what is around it, names. Google puts them into one of ``details``:
    https://cloud.google.com/apis/design/errors#error_details."""
    for fields in levels:
        details = fields.get("details")
        for holder in (fields, *(details if isinstance(details, JSONArray) else (details,))):
            if isinstance(holder, JSONObject):
                for name in _WAIT_NAMES:
                    if (wait := _seconds(holder.get(name))) is not None:
                        return wait
    return None


def _seconds(value: Any) -> float | None:
    """A number, or one as text with or without its unit: "39.5s"."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?s?", value):
        value = float(value.removesuffix("s"))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= MAX_WAIT_S else None


# ---- whether to send the request again

# 408 timeout, 409 conflict, 425 too early, 429 too many requests: the request itself is fine.
_RETRYABLE_STATUS = frozenset({408, 409, 425, 429})

# Statuses that name a timeout, a rate limit or an overload.
_TEMPORARY_STATUS = frozenset({408, 425, 429, 503, 504, 529})

# Words of error types and codes that name the request, the key, a permission, balance or quota, or content policy.
# Matched inside the word because vendors compose them: invalid_request_error, insufficient_quota, content_policy_violation.
_FINAL = re.compile(
    r"invalid(?!_(?:upstream_)?response)|bad_request|too_large|too_long|too_small|malformed|unsupported|not_supported|not_found"
    r"|unprocessable|validation|failed_precondition|out_of_range|deprecated|decommissioned"
    r"|context_length|context_window|context_size|max_tokens|above_max_length"
    r"|(?<![a-z0-9])(?:images?(?!_generation_(?!user))|(?<!no_)data|base64)(?![a-z0-9])"
    r"|auth|api_?key|credential|forbidden|permission|access_denied|not_allowed|blocked|suspended|deactivated"
    r"|quota|usage_limit|balance|billing|credit|payment|funds|budget|spend|arrear"
    r"|policy|content_filter|moderation|safety|guardrail|refusal|inspection|prohibited|sensitive"
)

# Words of codes that name a timeout, a rate limit or an overload: waiting helps.
_TEMPORARY = re.compile(
    r"time_?out|timed_out|deadline_exceeded|rate_?limit|rate_exceeded|too_many_requests|throttl|overload|over_?capacity|at_capacity"
    r"|busy|(?:service|server|upstream|backend)_(?:is_)?(?:temporarily_)?unavailable"
)
_OF_A_VALUE = re.compile(r"invalid|unsupported|not_supported|malformed")  # "invalid_timeout" is about the request

# Types that say only that something is wrong with a request.
_GENERAL = re.compile(r"(?:invalid|bad|client)_?request|invalid_argument")

# Whole codes that say that waiting does not help: somebody has to pay, or to open the account again. Providers send them with
# status 429, as they send rate limits.
_HOPELESS = frozenset(
    {
        *("insufficient_quota", "insufficient_user_quota", "insufficient_balance", "insufficient_credit", "insufficient_credits"),
        *(
            "insufficient_funds",
            "exceeded_current_quota",
            "exceeded_current_quota_error",
            "quota_not_enough",
            "credits_exhausted",
        ),
        *("credit_balance_too_low", "billing_error", "billing_not_active", "billing_hard_limit_reached", "payment_required"),
        *("usage_limit_reached", "usage_limit_exceeded", "usage_not_included", "budget_exceeded", "spend_limit_exceeded"),
        *("spending_limit_reached", "arrearage", "access_terminated", "account_deactivated", "account_disabled"),
        *("account_suspended", "organization_deactivated", "organization_suspended"),
    }
)

# Where one word of a composed name ends and the next begins: ServiceQuotaExceeded, "Invalid Request", data-inspection-failed.
_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")


def retryable_status(status: int) -> bool:
    """Whether a request answered with this HTTP status may succeed when sent again."""
    return status >= 500 or status in _RETRYABLE_STATUS


def retryable_rejection(status: int, type: object, code: object, retry_after: float | None) -> bool:
    """Whether a rejected request may succeed when sent again: its status decides, unless the body's type or code says that no
    wait helps. A stated wait, or a word for a rate limit or an overload, wins over that."""
    words = _words(type), _words(code)
    hopeless = not _HOPELESS.isdisjoint(words) and retry_after is None and not any(map(_TEMPORARY.search, words))
    return retryable_status(status) and not hopeless


def retryable_failure(type: object, code: object) -> bool:
    """Whether a failure with this ``type`` and ``code``, as a provider sends them, may succeed when sent again.

    A code that is an HTTP status is read as one; words are searched for those that name a fault of the request. A code that
    names a timeout, a rate limit or an overload decides over the type, because it is the closer fact.
    """
    kind, word, status = _words(type), _words(code), _status(code)
    if _TEMPORARY.search(word) and not _OF_A_VALUE.search(word):
        return True
    if status in _TEMPORARY_STATUS and _GENERAL.fullmatch(kind.removesuffix("_error")):
        return True
    if _FINAL.search(f"{kind} {word}"):
        return False
    return status is None or retryable_status(status)


def _words(name: object) -> str:
    """A type or code as lower-case words with ``_`` between them, "" for what is no text."""
    return _WORD_END.sub("_", name.strip()).lower() if isinstance(name, str) else ""


def _status(code: object) -> int | None:
    if isinstance(code, str) and re.fullmatch(r"[1-5][0-9]{2}", code):
        code = int(code)
    return code if isinstance(code, int) and 100 <= code <= 599 else None
