"""Finish reasons in one vocabulary."""

from __future__ import annotations

from typing import get_args

import pytest

from sse_dialects import FinishReason
from sse_dialects.dialects.finish import cuts_calls, finish_reason, means_failure


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
    assert means_failure("network-error") and means_failure("any_kind_of_error") and not means_failure("length")
    assert cuts_calls("max_tokens") and cuts_calls("refusal") and not cuts_calls("tool_calls") and not cuts_calls(None)
