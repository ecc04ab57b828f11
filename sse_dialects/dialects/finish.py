"""The providers' finish reasons in one vocabulary: one table for all dialects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..answer import FinishReason

__all__ = ["cuts_calls", "finish_reason", "means_failure"]

# What providers, and servers in front of them, write; in lower case and with "_" for "-".
_WORDS: dict[FinishReason, str] = {
    "stop": "stop end_turn stop_sequence completed complete eos eos_token",
    "length": "length max_tokens max_output_tokens max_length model_length model_context_window_exceeded incomplete",
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

# Reasons that cut a call off, so that its arguments may be half of what the model meant.
_CUTS_CALLS = frozenset({"length", "content_filter", "refusal", "cancelled", "error"})

_BETWEEN_WORDS = re.compile(r"[^\w-]+")


def finish_reason(native: str | None, *, has_calls: bool) -> FinishReason | None:
    """The word of `FinishReason` for a provider's own, None for None. In a reason of several words the first known one decides."""
    if native is None:
        return None
    word, reason = _known(native)
    return "tool_calls" if has_calls and word in _STOPPED_OF_ITSELF else reason


def means_failure(native: str | None) -> bool:
    """True if a reason says that the answer failed. Words that end in ``_error`` do, known or not."""
    return native is not None and _known(native)[1] == "error"


def cuts_calls(native: str | None) -> bool:
    """True if a reason says that the model was stopped in the middle of whatever it was writing."""
    return native is not None and _known(native)[1] in _CUTS_CALLS


def _known(native: str) -> tuple[str, FinishReason]:
    """The word of a reason that decides, and what it means."""
    text = native.lower().replace("-", "_")
    for word in (text, *_BETWEEN_WORDS.split(text)):
        if word in _REASONS:
            return word, _REASONS[word]
        if word.endswith("_error"):
            return word, "error"
    return text, "other"
