"""The providers' token counts under one set of names. A new spelling goes into the tables."""

from __future__ import annotations

from typing import Any

from ..answer import Usage
from ..values import JSONObject

__all__ = ["holds_count", "input_includes_cache", "input_without_cache"]

# What a count is called. Of several names the first that holds a count decides.
_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_TOTAL = ("total_tokens",)
_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
_CACHE_WRITE = ("cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")
_REASONING = ("reasoning_tokens", "thinking_tokens")

# The objects that hold the details of the input and of the output; some servers put details flat into the usage object instead.
_INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details")

_BEYOND = 1 << 63  # more tokens than that are no count, and the sum of two has more digits than Python writes


def holds_count(usage: dict[str, Any]) -> bool:
    """Whether a usage object says how many tokens there were, rather than only details or nulls."""
    return any(_first(usage, names) is not None for names in (_INPUT, _OUTPUT, _TOTAL))


def input_includes_cache(native: dict[str, Any]) -> Usage:
    """Usage as OpenAI and its imitators send it: cached tokens are part of the input's count."""
    return _usage(native, cache_is_apart=False)


def input_without_cache(native: dict[str, Any]) -> Usage:
    """Usage as Anthropic sends it: ``input_tokens`` is what was neither read from the cache nor written to it."""
    return _usage(native, cache_is_apart=True)


def _usage(native: dict[str, Any], *, cache_is_apart: bool) -> Usage:
    input_tokens, output_tokens, total = _first(native, _INPUT), _first(native, _OUTPUT), _first(native, _TOTAL)
    if cache_is_apart:
        cached, written = _first(native, _CACHED[-1:]), _first(native, _CACHE_WRITE[-1:])
        if input_tokens is not None:
            input_tokens += (cached or 0) + (written or 0)
    else:
        cached, written = _detail(native, _INPUT_DETAILS, _CACHED), _detail(native, _INPUT_DETAILS, _CACHE_WRITE)
    reasoning = _detail(native, _OUTPUT_DETAILS, _REASONING)
    if input_tokens is not None and output_tokens is not None:
        if total is None:
            total = input_tokens + output_tokens
        elif reasoning and total == input_tokens + output_tokens + reasoning:
            output_tokens += reasoning  # the total shows that the output was counted without it
    return Usage(input_tokens, output_tokens, total, cached, written, reasoning, native)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> int | None:
    """The first of the members that is a whole number, also where it is written with a fraction of zero."""
    for name in names:
        if name in fields:
            value = fields[name]
            if type(value) is float and value.is_integer():
                value = int(value)
            if type(value) is int and 0 <= value < _BEYOND:
                return value
    return None


def _detail(usage: dict[str, Any], places: tuple[str, ...], names: tuple[str, ...]) -> int | None:
    """A count from a details object, else from the usage object itself."""
    for place in places:
        if place in usage and isinstance(details := usage[place], JSONObject):
            count = _first(details, names)
            if count is not None:
                return count
    return _first(usage, names)
