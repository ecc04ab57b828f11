"""What a payload is to the chat dialect: a chunk, a failure, or neither."""

from __future__ import annotations

from typing import Any

from ...failures import error_in, is_padding
from ...values import JSONObject

__all__ = ["HANDLED", "failure_in", "is_chunk", "member_of_own"]

# Members of a chunk with a meaning here, or that only wrap it: of those the first that says something stands in `native`, but
# for the padding against guessing the text from its length.
HANDLED = frozenset({"id", "object", "created", "model", "obfuscation", "choices", "usage", "error"})

# Members in which no chunk reports a failure; the word "error" as its `object` aside.
_HARMLESS = HANDLED - {"error"} | {"system_fingerprint", "service_tier"}


def is_chunk(payload: Any) -> bool:
    """Whether a payload is a chunk of a chat completion: it has choices or usage, or is an object of that family."""
    if not isinstance(payload, JSONObject):
        return False
    return "choices" in payload or "usage" in payload or str(payload.get("object")).startswith("chat.completion")


def failure_in(event: str, payload: dict[str, Any]) -> Any:
    """The error that a chunk reports itself, or in a server's own object, or by its event's name; None where it reports none."""
    raw = None
    if not payload.keys() <= _HARMLESS or payload.get("object") == "error":
        raw = error_in(payload)
        if raw is None:
            owns = (member_of_own(name, value, "error") for name, value in payload.items())
            own = next((own for own in owns if own is not None), None)
            raw = None if is_padding(own) else own
    return payload if raw is None and event == "error" else raw


def member_of_own(name: str, value: Any, member: str) -> Any:
    """What a server's own object says under ``member``, if anything: some report there, in a member of the chunk whose name
    begins with ``x_``, what has no place in a chunk."""
    return (value.get(member) or None) if name[:2] == "x_" and isinstance(value, JSONObject) else None
