"""The case table, run in every shape: however a stream is cut, and through whichever door it comes."""

from __future__ import annotations

import json

import pytest
from cases import bodies, chat, failures, messages, responses
from shapes import KNOWING, STREAMS, by_decoder, by_decoder_at_close, chunkings, in_pieces

from sse_dialects import NotAnEventStreamError

pytestmark = pytest.mark.thorough

TABLES = {"chat": chat, "messages": messages, "responses": responses, "failures": failures, "bodies": bodies}
CASES = [pytest.param(case, id=f"{name}: {case}") for name, table in TABLES.items() for case in table.CASES]
every_case = pytest.mark.parametrize("case", CASES)


def same(facts, others):
    """Compared as text, because NaN is not itself."""
    return json.dumps(facts, sort_keys=True) == json.dumps(others, sort_keys=True)


@every_case
def test_what_a_stream_says(case):
    outcome = by_decoder([case.data], case.dialect, **case.options)
    assert same([event.to_dict() for event in outcome.events], [event.to_dict() for event in case.events])
    if case.error:
        error = outcome.error.to_dict()
        assert {name: error[name] for name in case.error} == case.error
    else:
        assert outcome.error is None
    if not isinstance(outcome.error, NotAnEventStreamError):
        assert {name: getattr(outcome.partial, name) for name in case.answer} == case.answer


@every_case
def test_the_decoder_whatever_the_chunking(case):
    expected = by_decoder([case.data], case.dialect, **case.options).facts()
    for name, chunks in chunkings(case.data, case.name):
        assert same(by_decoder(chunks, case.dialect, **case.options).facts(), expected), name
        if case.auto:
            assert same(by_decoder(chunks, "auto", **case.options).facts(), expected), f"{name}, recognised"


@every_case
def test_the_decoder_when_nothing_is_taken_before_its_end(case):
    expected = by_decoder([case.data], case.dialect, **case.options).facts()
    if expected["error"] is not None:
        expected["error"]["delivered"] = False
    for name, chunks in chunkings(case.data, case.name):
        assert same(by_decoder_at_close(chunks, case.dialect, **case.options).facts(), expected), name


@pytest.mark.parametrize("case", [case for case in CASES if case.values[0].framed])
@pytest.mark.parametrize("drive", KNOWING.values(), ids=KNOWING)
def test_the_accumulators_alone(case, drive):
    expected = by_decoder([case.data], case.dialect, **case.options).facts(of_bytes=False)
    for chunks in ([case.data], in_pieces(case.data, 7)):
        assert same(drive(chunks, case.dialect, **case.options).facts(of_bytes=False), expected)


@every_case
@pytest.mark.parametrize("drive", STREAMS.values(), ids=STREAMS)
def test_streams(case, drive):
    expected = by_decoder([case.data], case.dialect, **case.options).facts(of_bytes=False)
    for chunks in ([case.data], in_pieces(case.data, 7)):
        assert same(drive(chunks, case.dialect, **case.options).facts(of_bytes=False), expected)


@pytest.mark.parametrize("case", [case for case in CASES if not case.values[0].error])
def test_no_cut_before_the_end_passes_as_an_answer(case):
    whole = case.whole_at if case.options.get("require_done", True) else case.data.rfind(b"}")
    for size in sorted({*range(0, whole, 5), *range(max(whole - 60, 0), whole)}):
        error = by_decoder([case.data[:size]], case.dialect, **case.options).error
        assert error is not None, f"{size} bytes passed"
        if error.kind == "not_event_stream":  # cut behind a first line that is none of an event stream
            continue
        assert error.byte_count == size
        # Before a dialect is told there is none whose end could be missing; white space alone may be too much of it.
        assert error.kind in {"auto": {"truncated", "malformed"}}.get(case.dialect, {"truncated", "limit"})


@pytest.mark.parametrize("case", [case for case in CASES if not case.values[0].error])
def test_from_the_end_on_nothing_more_is_needed(case):
    expected = by_decoder([case.data], case.dialect, **case.options).facts()
    for size in range(case.whole_at, len(case.data) + 1):
        assert same(by_decoder([case.data[:size]], case.dialect, **case.options).facts(), expected)
