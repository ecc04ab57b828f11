"""HTTP errors in place of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chat import chat_error
from .frames import dumped
from .messages import messages_error
from .responses import responses_error
from .stream import ScriptedStream

if TYPE_CHECKING:
    import sse_dialects as sd

__all__ = ["rejection"]

_WRITERS = {"chat": chat_error, "messages": messages_error, "responses": responses_error}

# What a status means, in the providers' words. Statuses that are not here are those of `_BAD_REQUEST` below 500, and the
# dialect's own word for a fault of the server from there up. OpenAI calls most faults of a request alike:
# https://platform.openai.com/docs/guides/error-codes, https://docs.claude.com/en/api/errors
_BAD_REQUEST = "invalid_request_error"
_OPENAI_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    408: "timeout_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_ANTHROPIC_TYPES = {
    **_OPENAI_TYPES,
    402: "billing_error",
    404: "not_found_error",
    413: "request_too_large",
    504: "timeout_error",
    529: "overloaded_error",
}


def rejection(
    status: int,
    message: str = "the request was refused",
    *,
    type: str | None = None,
    code: str | None = None,
    retry_after: float | None = None,
    dialect: sd.DialectName = "chat",
) -> ScriptedStream:
    """An HTTP error in place of a stream: a JSON body with the dialect's error envelope.

    Args:
        status: the HTTP status.
        message: what the provider says.
        type: its word for the kind of error; without one that which the status means in the dialect.
        code: its code, if there is one.
        retry_after: seconds in a Retry-After header.
        dialect: whose envelope.
    """
    body = dumped(_WRITERS[dialect](message, type or _type_of(status, dialect), code)).encode()
    headers = {"content-type": "application/json"} | ({} if retry_after is None else {"retry-after": f"{retry_after:g}"})
    return ScriptedStream(dialect, [body]).answered(status, headers)


def _type_of(status: int, dialect: sd.DialectName) -> str | None:
    """The type of an error with this status; None for the one that the dialect's writer puts in."""
    types = _ANTHROPIC_TYPES if dialect == "messages" else _OPENAI_TYPES
    return types.get(status, _BAD_REQUEST if status < 500 else None)
