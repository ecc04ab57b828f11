"""The providers' token counts under one set of names."""

from __future__ import annotations

from typing import Any

from ..answer import Usage
from ..values import JSONObject

__all__ = ["holds_count", "input_includes_cache", "input_without_cache"]

_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details")
_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
_CACHE_WRITE = ("cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")
_BEYOND = 1 << 63  # more tokens than that are no count, and the sum of two has more digits than Python writes
_REASONING = ("reasoning_tokens", "thinking_tokens")


def holds_count(usage: dict[str, Any]) -> bool:
    """Whether a usage object says how many tokens there were, rather than only details or nulls."""
    return any(_count(usage.get(name)) is not None for name in (*_INPUT, *_OUTPUT, "total_tokens"))


def input_includes_cache(native: dict[str, Any]) -> Usage:
    """Usage as OpenAI and its imitators send it: cached tokens are part of the input's count."""
    cached, written = _detail(native, _INPUT_DETAILS, _CACHED), _detail(native, _INPUT_DETAILS, _CACHE_WRITE)
    return _usage(native, _first(native, _INPUT), cached, written)


def input_without_cache(native: dict[str, Any]) -> Usage:
    """Usage as Anthropic sends it: ``input_tokens`` is what was neither read from the cache nor written to it."""
    fresh, read = _first(native, _INPUT), _count(native.get("cache_read_input_tokens"))
    written = _count(native.get("cache_creation_input_tokens"))
    input_tokens = None if fresh is None else fresh + (read or 0) + (written or 0)
    return _usage(native, input_tokens, read, written)


def _usage(native: dict[str, Any], input_tokens: int | None, cached: int | None, written: int | None) -> Usage:
    output_tokens, total = _first(native, _OUTPUT), _count(native.get("total_tokens"))
    reasoning = _detail(native, _OUTPUT_DETAILS, _REASONING)
    if input_tokens is not None and output_tokens is not None:
        if total is None:
            total = input_tokens + output_tokens
        elif reasoning and total == input_tokens + output_tokens + reasoning:
            output_tokens += reasoning  # the total shows that the output was counted without it
    return Usage(input_tokens, output_tokens, total, cached, written, reasoning, native)


def _count(value: Any) -> int | None:
    """A whole number, or None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _BEYOND else None


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next((count for name in names if (count := _count(fields.get(name))) is not None), None)


def _detail(usage: dict[str, Any], places: tuple[str, ...], names: tuple[str, ...]) -> int | None:
    """A count from the details object, else from the usage object itself, where some put it flat."""
    for place in places:
        details = usage.get(place)
        if isinstance(details, JSONObject) and (count := _first(details, names)) is not None:
            return count
    return _first(usage, names)
