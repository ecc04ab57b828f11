"""Finish reasons in one vocabulary."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from sse_dialects import FinishReason
from sse_dialects.dialects.finish import _WORDS, cuts_calls, failure_word, finish_reason, is_for_calls, means_failure


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (None, None),
        ("stop", "stop"),
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("completed", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("max_output_tokens", "length"),
        ("model_length", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_calls", "tool_calls"),
        ("tool_use", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("SAFETY", "content_filter"),
        ("refusal", "refusal"),
        ("pause_turn", "pause"),
        ("cancelled", "cancelled"),
        ("canceled", "cancelled"),
        ("error", "error"),
        ("failed", "error"),
        ("STOP", "stop"),
        ("COMPLETE", "stop"),
        ("tool-calls", "tool_calls"),
        ("content-filter", "content_filter"),
        ("RECITATION", "content_filter"),
        ("sensitive", "content_filter"),
        ("guardrail_intervened", "content_filter"),
        ("compaction", "pause"),
        ("abort", "cancelled"),
        ("network_error", "error"),
        ("insufficient_system_resource", "error"),
        ("token_limit", "length"),
        ("stop_limit", "length"),
        ("time_limit", "length"),
        ("incomplete", "length"),
        ("maxTokens", "length"),
        ("timeout", "error"),
        ("FinishReason.MAX_TOKENS", "length"),
        (" stop ", "stop"),
        ("something_new", "other"),
        ("", "other"),
    ],
)
def test_a_providers_word_in_ours(native, expected):
    assert finish_reason(native, has_calls=False) == expected
    assert expected is None or expected in get_args(FinishReason)


@pytest.mark.parametrize("native", ["stop", "end_turn", "completed", "STOP"])
def test_a_model_that_stopped_of_itself_with_calls_to_make_stopped_for_them(native):
    assert finish_reason(native, has_calls=True) == "tool_calls"


@pytest.mark.parametrize("native", ["length", "content_filter", "stop_sequence", "cancelled", "new", None])
def test_calls_change_no_other_reason(native):
    assert finish_reason(native, has_calls=True) == finish_reason(native, has_calls=False)


def test_in_a_reason_of_several_words_the_first_known_one_decides():
    assert finish_reason("content_filter: SAFETY", has_calls=False) == "content_filter"
    assert finish_reason("function_call_filter: MALFORMED_FUNCTION_CALL", has_calls=True) == "error"
    assert finish_reason("two unknown words", has_calls=False) == "other"


def test_reasons_that_mean_failure_and_reasons_that_cut_a_call():
    assert all(map(means_failure, ("network-error", "any_kind_of_error", "networkError", "upstream: Overloaded_Error.")))
    assert not any(map(means_failure, ("length", "error_toxic", "terror", None)))
    assert all(map(cuts_calls, ("max_tokens", "refusal", "stop_limit", "timeout", "user_cancel")))
    assert not any(map(cuts_calls, ("tool_calls", "stop", "something_new", None)))
    assert all(map(is_for_calls, ("tool_calls", "TOOL_CALL", "toolUse", "function-call")))
    assert not any(map(is_for_calls, ("stop", "length", "other", None)))


def test_the_word_that_says_failure_is_the_one_that_was_sent():
    assert failure_word("function_call_filter: MALFORMED_FUNCTION_CALL") == "MALFORMED_FUNCTION_CALL"
    assert failure_word("TIMEOUT") == "TIMEOUT"
    assert failure_word("content_filter: error") is None


def test_the_page_lists_each_word_that_is_mapped():
    page = Path(__file__).resolve().parent.parent.joinpath("docs", "reference", "events.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([a-z_, ]+) \|$", page, re.MULTILINE)
    listed = {reason: words.split(", ") for reason, words in rows if reason in get_args(FinishReason)}
    assert listed == {**{reason: words.split() for reason, words in _WORDS.items()}, "other": ["anything else"]}
