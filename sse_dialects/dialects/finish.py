"""The providers' finish reasons in one vocabulary: one table for all dialects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..answer import FinishReason

__all__ = ["cuts_calls", "failure_word", "finish_reason", "is_for_calls", "means_failure"]

# What providers, and servers in front of them, write; in lower case and with "_" for "-". docs/reference/events.md has the same.
_WORDS: dict[FinishReason, str] = {
    "stop": "stop end_turn stop_sequence stop_string stop_token completed complete finished done normal"
    " eos eos_token eot eot_id eog_token end_of_text endoftext end_of_sequence end_of_turn",
    "length": "length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length max_len max_context"
    " model_length model_max_length context_length context_length_exceeded context_window_exceeded"
    " model_context_window_exceeded token_limit stop_limit time_limit error_limit incomplete truncated",
    "tool_calls": "tool_calls tool_call tool_use function_call function_calls",
    "content_filter": "content_filter content_filtered content_policy content_policy_violation policy_violation moderation"
    " safety image_safety sensitive blocked blocklist prohibited_content image_prohibited_content recitation image_recitation"
    " spii language guardrail guardrails guardrail_intervened model_armor error_toxic",
    "refusal": "refusal refused",
    "pause": "pause_turn pause compaction",
    "cancelled": "cancelled canceled cancel user_cancel client_cancelled abort aborted interrupted",
    "error": "error failed failure exception timeout timed_out overloaded rate_limit rate_limited rate_limit_exceeded"
    " unavailable service_unavailable network_error insufficient_system_resource malformed_function_call malformed_tool_call"
    " malformed_tool_use malformed_response malformed_model_output unexpected_tool_call too_many_tool_calls"
    " missing_thought_signature",
}
_REASONS: dict[str, FinishReason] = {word: reason for reason, words in _WORDS.items() for word in words.split()}

# Words that say no more than that the model stopped of itself: with calls to make, it stopped for them.
_STOPPED_OF_ITSELF = frozenset({"stop", "end_turn", "completed"})

# Reasons that cut a call off, so that its arguments may be half of what the model meant.
_CUTS_CALLS = frozenset({"length", "content_filter", "refusal", "cancelled", "error"})

_BETWEEN_WORDS = re.compile(r"[^\w-]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # where camelCase has what others write as "_"


def finish_reason(native: str | None, *, has_calls: bool) -> FinishReason | None:
    """The word of `FinishReason` for a provider's own, None for None. Of several words the first known one decides."""
    if native is None:
        return None
    word, reason = _known(native)
    return "tool_calls" if has_calls and _plain(word) in _STOPPED_OF_ITSELF else reason


def means_failure(native: str | None) -> bool:
    """True if a reason says that the answer failed. Words that end in ``_error`` do, known or not."""
    return failure_word(native) is not None


def failure_word(native: str | None) -> str | None:
    """The word, as it was sent, by which a reason says that the answer failed; None for any other reason."""
    if native is None:
        return None
    word, reason = _known(native)
    return word if reason == "error" else None


def cuts_calls(native: str | None) -> bool:
    """True if a reason says that the model was stopped in the middle of whatever it was writing."""
    return native is not None and _known(native)[1] in _CUTS_CALLS


def is_for_calls(native: str | None) -> bool:
    """True if a reason says that the model stopped to have tools called, and not only that it stopped."""
    return native is not None and _known(native)[1] == "tool_calls"


def _known(native: str) -> tuple[str, FinishReason]:
    """The word of a reason that decides, as it was sent, and what it means."""
    if native in _REASONS:  # one word as the table has it, as nearly all are
        return native, _REASONS[native]
    for word in _BETWEEN_WORDS.split(native):
        plain = _plain(word)
        if plain in _REASONS:
            return word, _REASONS[plain]
        if plain.endswith("_error"):
            return word, "error"
    return native, "other"


def _plain(word: str) -> str:
    """A word as the table has it."""
    return word if word in _REASONS else _HUMP.sub("_", word).lower().replace("-", "_")
