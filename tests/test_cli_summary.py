from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.cli.summary import advice, sentence, summary, tokens


def usage(*counts: int | None) -> sd.Usage:
    return sd.Usage(*counts, {})


def test_the_plainest_line() -> None:
    answer = sd.Answer(
        "chat", model="m-1", complete=True, choices=[sd.Choice(0, finish_reason="stop", native_finish_reason="stop")]
    )
    assert summary(answer, 1.25) == "stop | chat m-1 | 1.2 s"


def test_everything_at_once() -> None:
    calls = [sd.ToolCall("1", "f", "function", "{}", complete=True), sd.ToolCall("2", "g", "function", "{", complete=False)]
    first = sd.Choice(
        0, [*calls, sd.OtherPart({})], refusal="no", tool_calls=calls, finish_reason="length", native_finish_reason="max_tokens"
    )
    answer = sd.Answer("messages", complete=True, choices=[first, sd.Choice(1), sd.Choice(2)], usage=usage(14, 6, 20, 10, 0, 4))
    assert summary(answer, 0) == (
        "length (max_tokens) | messages | tokens 14 in (10 cached), 6 out (4 reasoning)"
        " | 2 tool calls | 1 other part | 2 more choices | 1 tool call cut short: not to be executed | refusal | 0.0 s"
    )


def test_an_answer_that_says_nothing() -> None:
    assert summary(sd.Answer(None), 0.04) == "no finish reason | 0.0 s"


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (None, ""),
        (usage(None, None, None, None, None, None), ""),
        (usage(1234, None, None, None, None, None), "tokens 1,234 in"),
        (usage(None, 0, None, None, None, 0), "tokens 0 out"),
    ],
)
def test_tokens(counts: sd.Usage | None, told: str) -> None:
    assert tokens(counts) == told


@pytest.mark.parametrize(
    "error",
    [
        sd.TruncatedStreamError("data: [DONE]", hint="Pass require_done=False."),
        sd.UpstreamError(message="no"),
        sd.MalformedStreamError("not JSON"),
        sd.LimitExceededError("max_parts", 3),
        sd.StalledStreamError(3, setting="idle_timeout"),
    ],
)
def test_a_sentence_at_a_prompt_names_no_attribute(error: sd.StreamError) -> None:
    error.byte_count = 100
    assert "error." in str(error)
    assert "error." not in sentence(error)
    assert sentence(error).endswith((".", ". Pass require_done=False."))


def test_the_option_that_would_have_helped() -> None:
    assert "--no-require-done" in advice(sd.TruncatedStreamError("data: [DONE]", hint="Pass require_done=False."))
    assert "--dialect" in advice(sd.TruncatedStreamError("data: [DONE]", hint="Nothing of an answer came."))
    cut = sd.TruncatedStreamError("message_stop")
    assert "before it" in advice(cut)  # nothing came
    cut.byte_count = 1
    assert not advice(cut)
    assert "--timeout" in advice(sd.StalledStreamError(3, setting="httpx.Timeout(read=...)"))
    assert not advice(sd.StalledStreamError(3, setting="--timeout"))
    assert not advice(sd.StalledStreamError(3, setting="the client's read timeout"))  # a recording's: `read` has no such option
    assert not advice(sd.UpstreamError())
