from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.cli.demo_streams import SCRIPTS, UNSENT


def decoded(body: bytes) -> sd.Answer:
    decoder = sd.Decoder()
    assert all(isinstance(event.type, str) for event in decoder.feed(body))
    decoder.close()
    return decoder.answer()


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_the_same_turn_in_each_dialect(dialect: str) -> None:
    answer, first = decoded(SCRIPTS[dialect].body), decoded(SCRIPTS["chat"].body)
    assert answer.dialect == dialect
    assert answer.finish_reason == "tool_calls"
    assert answer.reasoning
    assert (answer.text, answer.reasoning, answer.tool_calls) == (first.text, first.reasoning, first.tool_calls)
    assert answer.usage
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (31, 24)


def test_the_failure() -> None:
    with pytest.raises(sd.UpstreamError) as caught:
        decoded(SCRIPTS["failing"].body)
    assert caught.value.type == "overloaded_error"
    assert caught.value.partial.text.endswith("K2 and")


def test_the_cut_reads_like_an_answer() -> None:
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoded(SCRIPTS["cut"].body)
    assert caught.value.partial.text == "You can delete the old backup"
    assert UNSENT.encode() not in SCRIPTS["cut"].body


def test_all_of_it_fits_into_ten_seconds() -> None:
    assert sum(script.seconds for script in SCRIPTS.values()) + SCRIPTS["cut"].seconds < 7


@pytest.mark.parametrize("name", SCRIPTS)
def test_samples_are_lines_of_their_streams(name: str) -> None:
    script = SCRIPTS[name]
    assert script.sample.startswith("data: {")
    assert script.sample.encode() in script.body.splitlines()
