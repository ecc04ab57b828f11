"""What docs/reference/tolerances.md claims: every row there names a case here, and the reverse.

Each case is a stream of ours, as small as shows it, and what its answer has. It runs whole, byte by byte, in sevens and through
an accumulator, its dialect named and recognised. The streams are in `tolerated`.
"""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from shapes import by_decoder, in_pieces
from told import told
from tolerated import CASES, streamed

import sse_dialects as sd

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "tolerances.md"


def shown(outcome, names):
    """What a case says of the outcome, under the names that it uses."""
    answer = outcome.partial if "kind" not in names or outcome.error is None or hasattr(outcome.error, "partial") else None
    views = {
        "kind": lambda: outcome.status,
        "calls": lambda: [f"{call.id} {call.name} {call.arguments}" for call in answer.tool_calls],
        "whole": lambda: [call.complete for call in answer.tool_calls],
        "parts": lambda: [type(part).__name__ for part in answer.parts],
        "input": lambda: answer.usage.input_tokens,
        "output": lambda: answer.usage.output_tokens,
        "cached": lambda: answer.usage.cached_input_tokens,
        "message": lambda: outcome.error.message,
        "code": lambda: outcome.error.code,
        "type": lambda: outcome.error.type,
        "retryable": lambda: outcome.error.retryable,
        "retry_after": lambda: outcome.error.retry_after,
        "reason": lambda: outcome.error.reason,
        "extra": lambda: answer.extra,
        "told": lambda: [event.type for event in outcome.events],
    }
    return {name: views[name]() if name in views else getattr(answer, name) for name in names}


@pytest.mark.parametrize("name", CASES)
def test_a_tolerance_does_what_the_page_says(name):
    dialect, payloads, expected, options = CASES[name]
    data = streamed(payloads)
    expected = {"kind": "complete", **expected}
    for asked_for in (dialect, "auto"):
        whole = by_decoder([data], asked_for, **options)
        assert shown(whole, expected) == expected, asked_for
        for size in (1, 7):
            assert by_decoder(in_pieces(data, size), asked_for, **options).facts() == whole.facts()


@pytest.mark.parametrize("name", [name for name, (_, payloads, *_) in CASES.items() if isinstance(payloads, list)])
def test_so_does_an_accumulator_alone(name):
    dialect, payloads, expected, options = CASES[name]
    expected = {"kind": "complete", **expected}
    assert shown(told(dialect, *payloads, **options), expected) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (_, _, expected, _) in CASES.items() if "kind" not in expected])
def test_no_cut_of_one_passes_as_an_answer(name):
    dialect, payloads, _, options = CASES[name]
    data = streamed(payloads)
    whole = by_decoder([data], dialect, **options).answer
    for end in range(0, len(data), 5):
        outcome = by_decoder([data[:end]], dialect, **options)
        if outcome.error is None:  # all that counts is there: what is missing is a line end, or comes after the end
            assert outcome.answer.to_dict() == whole.to_dict(), end


def test_labels_do_not_count_against_the_bytes():
    """The case `labels`."""
    for content_type, body in (
        ("application/json", streamed(CASES["call-normal"][1])),
        ("text/event-stream", b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}'),
        ("text/plain", streamed(CASES["call-normal"][1])),
    ):
        response = httpx.Response(200, headers={"Content-Type": content_type}, content=body)
        with sd.stream(response) as stream:
            assert stream.answer().complete


def test_an_error_of_the_transport_after_the_end_changes_nothing():
    """The case `broken-after-the-end`."""

    def body():
        yield streamed(CASES["call-normal"][1])
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    with sd.stream(body()) as stream:
        assert stream.answer().complete


OF_STREAMS = ["labels", "broken-after-the-end"]


def test_the_page_and_the_cases_name_the_same():
    page = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"\| `([^`|]+)` \|$", page, re.MULTILINE)
    assert sorted(named) == sorted([*CASES, *OF_STREAMS])
