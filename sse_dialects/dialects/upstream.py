"""The payloads of a frame, and `UpstreamError` from what one says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import MalformedStreamError, UpstreamError
from ..failures import ErrorEnvelope
from ..values import JSONObject
from .keep_alive import KEEP_ALIVES
from .payload import BadPayloadError, named, payloads_in

if TYPE_CHECKING:
    from .telling import Teller

__all__ = ["upstream_error", "values_in"]


def upstream_error(raw: Any, payload: dict[str, Any], tell: Teller, kind: str | None = None) -> UpstreamError:
    """The error that the envelope ``raw`` in ``payload`` describes. ``kind`` is its type where the envelope has none."""
    whole = raw is payload  # whose `type` then says what the payload is, not what went wrong
    raw, payload = tell.clean(raw), tell.clean(payload)
    envelope = ErrorEnvelope(raw, payload)
    return UpstreamError(
        type=kind if whole and envelope.type in ("error", "response.error") else envelope.type or kind,
        code=envelope.code,
        message=envelope.message,
        param=envelope.param,
        raw=envelope.raw,
        payload=payload,
        retry_after=envelope.retry_after,
    )


def values_in(event: str, text: str, max_depth: int | None, tell: Teller) -> list[Any]:
    """The payloads of a frame.

    Raises:
        MalformedStreamError: its data is no JSON.
        UpstreamError: the event is an error by its name, and its data is no object.
    """
    try:
        values = payloads_in(text, max_depth)
    except BadPayloadError as bad:
        if event in KEEP_ALIVES:
            return []
        if event != "error":
            raise MalformedStreamError(str(bad)) from None
        values = [text]
    if event == "error" and not any(isinstance(value, JSONObject) and value for value in values):
        raise _error_event(values, tell)
    return named(values) if tell.halves else values


def _error_event(values: list[Any], tell: Teller) -> UpstreamError:
    """The failure that an event reports by its name alone: its data is a text, or says nothing."""
    said = next((tell.clean(value) for value in values if isinstance(value, str) and value), None)
    return UpstreamError(message=said, raw=said, payload=said)
