"""The providers' finish reasons in one vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..answer import FinishReason

__all__ = ["finish_reason"]

# What providers, and servers in front of them, write; in lower case and with "_" for "-".
_WORDS: dict[FinishReason, str] = {
    "stop": "stop end_turn stop_sequence completed complete eos eos_token",
    "length": "length max_tokens max_output_tokens max_length model_length model_context_window_exceeded",
    "tool_calls": "tool_calls tool_call tool_use function_call",
    "content_filter": "content_filter content_filtered safety image_safety sensitive prohibited_content blocklist recitation spii"
    " guardrail_intervened",
    "refusal": "refusal",
    "pause": "pause_turn compaction",
    "cancelled": "cancelled canceled abort aborted",
    "error": "error failed network_error insufficient_system_resource malformed_function_call",
}
_REASONS: dict[str, FinishReason] = {word: reason for reason, words in _WORDS.items() for word in words.split()}

# Words that say no more than that the model stopped of itself: with calls to make, it stopped for them.
_STOPPED_OF_ITSELF = frozenset({"stop", "end_turn", "completed"})


def finish_reason(native: str | None, *, has_calls: bool) -> FinishReason | None:
    """The word of `FinishReason` for a provider's own, None for None."""
    if native is None:
        return None
    word = native.lower().replace("-", "_")
    if has_calls and word in _STOPPED_OF_ITSELF:
        return "tool_calls"
    return _REASONS.get(word, "other")
