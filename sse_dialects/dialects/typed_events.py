"""What the dialects of typed events share: which events are failures, and what becomes of those without a row of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..failures import error_in, is_padding
from ..values import JSONObject
from .base import Engine
from .emit import word
from .keep_alive import ENVELOPE
from .payload import replace_lone_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TypedEngine", "failure_in", "has_type"]

# What a frame is called that names no event: the default of the event stream's own rules.
_UNNAMED = "message"

# Types that report a failure, and those of them that say no more than that.
_FAILURE = re.compile(r"error|response\.error|\w+_error")
_PLAIN_FAILURES = frozenset({"error", "response.error"})

# A flat envelope may have the name of an exception class for its type.
_EXCEPTION = re.compile(r"\w+(error|exception)", re.IGNORECASE)


class TypedEngine(Engine):
    """An engine of a dialect whose payloads have a type."""

    __slots__ = ()

    def _on_other_event(
        self, event: str, payload: dict[str, Any], store: dict[str, Any], place: Callable[[], int | None]
    ) -> None:
        """Take an event that the dialect has no row for: raise it if it is a failure, else keep it as Extra.

        One with a type is kept whole under it. One without a type is kept member by member, as in chat.

        Raises:
            UpstreamError: the event reports a failure.
        """
        if raw := failure_in(event, payload):
            kind = word(payload.get("type")) or event
            raise self._upstream(raw, payload, kind=kind if _FAILURE.fullmatch(kind) and kind not in _PLAIN_FAILURES else None)
        if has_type(event, payload):
            self._start()
            kind = word(payload.get("type")) or replace_lone_surrogates(event)
            self._emit.extra_items(store, kind, [{**payload, "type": kind}], 0, place())
        elif not payload.keys() <= ENVELOPE:
            self._start()
            others = {name: value for name, value in payload.items() if name != "error" or not is_padding(value)}
            self._emit.unknown_members(store, others, ENVELOPE, place())


def has_type(event: str, payload: dict[str, Any]) -> bool:
    """True if the payload or else the ``event:`` line says the type."""
    return word(payload.get("type")) is not None or event != _UNNAMED


def failure_in(event: str, payload: dict[str, Any]) -> Any:
    """The error envelope of an event that reports a failure; None for any other, whatever members it has."""
    if not has_type(event, payload):
        return error_in(payload)
    kind = word(payload.get("type")) or event
    if event == "error" or payload.get("object") == "error" or _FAILURE.fullmatch(kind):
        return _envelope(payload)
    said = word(payload.get("message")) or word(payload.get("msg"))
    return payload if said and _EXCEPTION.fullmatch(kind) else None


def _envelope(payload: dict[str, Any]) -> Any:
    """Where the words of a failure stand: in its ``error``, in its response's, or in the payload itself."""
    response = payload.get("response")
    inner = response.get("error") if isinstance(response, JSONObject) else None
    return payload.get("error") or inner or payload
