"""Token counts under one set of names, whatever the provider calls them."""

from __future__ import annotations

import pytest

from sse_dialects.dialects.usage import holds_count, input_includes_cache, input_without_cache


def counts(usage):
    return {
        name: getattr(usage, name)
        for name in (
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "cached_input_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
        )
        if getattr(usage, name) is not None
    }


@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens"])
def test_a_usage_object_holds_a_count_under_any_of_the_names(name):
    assert holds_count({name: 0})
    assert not holds_count({name: None})


def test_a_number_that_no_count_can_be_is_none():
    assert holds_count({"prompt_tokens": (1 << 63) - 1})
    assert not holds_count({"prompt_tokens": 1 << 63})


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens_details": {"cached_tokens": 1}}, {"queue_time": 0.1}])
def test_details_alone_are_no_count(usage):
    assert not holds_count(usage)


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}),
        ({"input_tokens": 3, "output_tokens": 4, "total_tokens": 9}, {"input_tokens": 3, "output_tokens": 4, "total_tokens": 9}),
        ({"prompt_tokens": 3}, {"input_tokens": 3}),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}, {"input_tokens": 9, "cached_input_tokens": 4}),
        ({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}}, {"input_tokens": 9, "cached_input_tokens": 4}),
        ({"prompt_tokens": 9, "cached_tokens": 4}, {"input_tokens": 9, "cached_input_tokens": 4}),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, {"input_tokens": 9, "cached_input_tokens": 4}),
        (
            {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 4}},
            {"output_tokens": 9, "reasoning_tokens": 4},
        ),
        ({"output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4}}, {"output_tokens": 9, "reasoning_tokens": 4}),
        ({"completion_tokens": 9, "reasoning_tokens": 4}, {"output_tokens": 9, "reasoning_tokens": 4}),
        ({"prompt_tokens": 9, "cache_write_tokens": 2}, {"input_tokens": 9, "cache_write_tokens": 2}),
        ({"prompt_tokens": 9, "prompt_tokens_details": None, "cached_tokens": 4}, {"input_tokens": 9, "cached_input_tokens": 4}),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": None}, "cached_tokens": 4},
            {"input_tokens": 9, "cached_input_tokens": 4},
        ),
    ],
)
def test_cached_tokens_are_part_of_the_input(native, expected):
    usage = input_includes_cache(native)
    assert counts(usage) == expected
    assert usage.native is native


def test_details_count_before_what_stands_flat():
    usage = input_includes_cache({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 1}, "cached_tokens": 4})
    assert usage.cached_input_tokens == 1


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ({"input_tokens": 3, "output_tokens": 4}, {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}),
        (
            {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 20, "output_tokens": 4},
            {"input_tokens": 33, "output_tokens": 4, "total_tokens": 37, "cached_input_tokens": 10, "cache_write_tokens": 20},
        ),
        ({"input_tokens": 3, "cache_read_input_tokens": 0}, {"input_tokens": 3, "cached_input_tokens": 0}),
        ({"cache_read_input_tokens": 5, "output_tokens": 1}, {"output_tokens": 1, "cached_input_tokens": 5}),
        ({"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}, {"output_tokens": 9, "reasoning_tokens": 4}),
    ],
)
def test_input_is_all_of_it_where_the_provider_counts_the_cache_apart(native, expected):
    usage = input_without_cache(native)
    assert counts(usage) == expected
    assert usage.native is native


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (7, 7),
        (7.0, 7),
        (7.5, None),
        (-1, None),
        (-1.0, None),
        (True, None),
        ("7", None),
        (None, None),
        ([7], None),
        (float("inf"), None),
    ],
)
def test_what_is_not_a_whole_number_is_none(value, count):
    assert input_includes_cache({"prompt_tokens": value}).input_tokens == count


@pytest.mark.parametrize(
    ("native", "output"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 40, "reasoning_tokens": 23}, 30),
        ({"input_tokens": 10, "output_tokens": 7, "total_tokens": 40, "output_tokens_details": {"reasoning_tokens": 23}}, 30),
        ({"prompt_tokens": 10, "completion_tokens": 30, "total_tokens": 40, "reasoning_tokens": 23}, 30),
        ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 41, "reasoning_tokens": 23}, 7),
        ({"prompt_tokens": 10, "completion_tokens": 7, "reasoning_tokens": 23}, 7),
        ({"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17, "reasoning_tokens": 0}, 7),
        ({"completion_tokens": 7, "total_tokens": 40, "reasoning_tokens": 23}, 7),
    ],
)
def test_reasoning_is_added_where_the_total_shows_that_the_output_lacks_it(native, output):
    for usage in (input_includes_cache(native), input_without_cache(native)):
        assert usage.output_tokens == output or usage.input_tokens is None
        assert usage.total_tokens == native.get("total_tokens", 17)
    assert input_includes_cache(native).output_tokens == output
