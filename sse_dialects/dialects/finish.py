"""The providers' finish reasons in one vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..answer import FinishReason

__all__ = ["finish_reason"]

_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
    "pause_turn": "pause",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "error": "error",
    "failed": "error",
}

# Words that say no more than that the model stopped of itself: with calls to make, it stopped for them.
_STOPPED_OF_ITSELF = frozenset({"stop", "end_turn", "completed"})


def finish_reason(native: str | None, *, has_calls: bool) -> FinishReason | None:
    """The word of `FinishReason` for a provider's own, None for None."""
    if native is None:
        return None
    word = native.lower()
    if has_calls and word in _STOPPED_OF_ITSELF:
        return "tool_calls"
    return _REASONS.get(word, "other")
