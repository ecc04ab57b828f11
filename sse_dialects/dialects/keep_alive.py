"""Frames that only say that the connection is alive, and payloads that say nothing of the answer."""

from __future__ import annotations

from typing import Any

from ..failures import error_in
from ..values import JSONObject

__all__ = ["ENVELOPE", "KEEP_ALIVES", "is_keep_alive", "is_metadata", "own_members"]

# The names of keep-alives, as a payload's `type` or as the event's name.
KEEP_ALIVES = frozenset({"ping", "keepalive", "keep-alive", "keep_alive", "heartbeat"})

# Members that only wrap a frame, in any dialect. They carry nothing of the answer.
ENVELOPE = frozenset(
    {"type", "id", "item_id", "response_id", "object", "created", "role", "index", "sequence_number", "obfuscation"}
)

_TYPE = frozenset({"type"})


def is_keep_alive(event: str, payload: Any) -> bool:
    """True for a payload whose type says that it is a keep-alive.

    The event's name counts only where the payload has no type. A payload with choices or with an error is never a keep-alive.
    """
    if not isinstance(payload, JSONObject):
        return event in KEEP_ALIVES
    kind = payload.get("type")
    if not isinstance(kind, str) or not kind:
        kind = event
    if kind not in KEEP_ALIVES or event == "error" or "choices" in payload:
        return False
    return payload.keys() <= _TYPE or error_in(payload) is None


def own_members(payload: Any) -> dict[str, Any]:
    """The members of a keep-alive that say more than that it is one."""
    if not isinstance(payload, JSONObject) or payload.keys() <= ENVELOPE:
        return {}
    return {name: value for name, value in payload.items() if name not in ENVELOPE and value is not None}


def is_metadata(payload: Any) -> bool:
    """True for an object of members that servers add beside the dialect: each name begins with ``_`` or ``x_``."""
    return isinstance(payload, JSONObject) and bool(payload) and all(name.startswith(("_", "x_")) for name in payload)
