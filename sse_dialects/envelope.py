"""The shapes in which providers, gateways and servers report a failure, in a stream or in the body of an HTTP error."""

from __future__ import annotations

import re
from typing import Any

from .values import JSONArray, JSONObject

__all__ = ["Envelope", "error_in", "is_padding"]

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


class Envelope:
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
