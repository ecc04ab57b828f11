"""The errors that a stream itself reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UpstreamError
from ..failures import ErrorEnvelope

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["error_event", "upstream_error"]


def upstream_error(raw: Any, payload: dict[str, Any], clean: Callable[[Any], Any], kind: str | None = None) -> UpstreamError:
    """The error that the envelope ``raw`` in ``payload`` describes. ``kind`` is its type where the envelope has none."""
    whole = raw is payload  # whose `type` then says what the payload is, not what went wrong
    raw, payload = clean(raw), clean(payload)
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


def error_event(values: list[Any], clean: Callable[[Any], Any]) -> UpstreamError:
    """The failure that an event reports by its name alone: its data is a text, or says nothing."""
    said = next((clean(value) for value in values if isinstance(value, str) and value), None)
    return UpstreamError(message=said, raw=said, payload=said)
