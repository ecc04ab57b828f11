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
        type: its word for the kind of error; without one a word of the dialect's.
        code: its code, if there is one.
        retry_after: seconds in a Retry-After header.
        dialect: whose envelope.
    """
    body = dumped(_WRITERS[dialect](message, type, code)).encode()
    headers = {"content-type": "application/json"} | ({} if retry_after is None else {"retry-after": f"{retry_after:g}"})
    return ScriptedStream(dialect, [body]).answered(status, headers)
