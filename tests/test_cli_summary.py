from __future__ import annotations

import pytest

import sse_dialects as sd
from sse_dialects.cli.printers import advice, sentence, summary, tokens


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


def received(error: sd.StreamError) -> sd.StreamError:
    error.byte_count = 100
    return error


RECEIVED = [
    (
        sd.TruncatedStreamError("data: [DONE]", hint="If this server never sends [DONE], pass require_done=False."),
        "Send the request again as a new one. If this server never sends [DONE], add --no-require-done.",
    ),
    (sd.UpstreamError(message="no"), "failure in the stream: no. No answer was started. Send the request again as a new one."),
    (sd.MalformedStreamError("not JSON"), "or look at what stands between you and the provider."),
    (
        sd.MalformedStreamError('none is a chunk; if the server speaks another dialect than "chat", pass that or "auto"'),
        'if the server speaks another dialect than "chat", use --dialect auto. Nothing after it',
    ),
    (sd.LimitExceededError("max_parts", 3000), "the stream is larger than max_parts (3,000); --limit max_parts=N allows more."),
    (sd.StalledStreamError(3, setting="httpx.Timeout(read=...)"), "stalled (--timeout ran out after 3 s)"),
    (sd.StalledStreamError(3, setting="--timeout"), "(--timeout ran out after 3 s)"),
    (sd.StalledStreamError(3, setting="first_token_timeout"), "(--first-token-timeout ran out after 3 s)"),
    (sd.StalledStreamError(3, setting="total_timeout"), "(--total-timeout ran out after 3 s)"),
    # A recording's.
    (sd.StalledStreamError(3, setting="the client's read timeout"), "(the client's read timeout ran out after 3 s)"),
]
OTHERS = [
    (
        sd.NotAnEventStreamError(
            'a JSON answer of the dialect "messages"', advice='name the dialect "messages", or check the URL'
        ),
        "not an event stream: use --dialect messages, or check the URL.",
    ),
    (
        sd.RequestRejectedError(
            307, message="redirected to https://x/; let the client follow redirects (httpx: follow_redirects=True)"
        ),
        "redirected to https://x/; send the request there. No answer",
    ),
]


@pytest.mark.parametrize(("error", "said"), [*((received(error), said) for error, said in RECEIVED), *OTHERS], ids=repr)
def test_a_sentence_at_a_prompt_names_no_argument_of_python(error: sd.SSEDialectsError, said: str) -> None:
    assert said in sentence(error)
    for word in ("error.", "require_done=", "Limits(", "httpx", "follow_redirects", '"auto"', ".."):
        assert word not in sentence(error)
    assert advice(error) == ""


def test_where_else_to_look() -> None:
    assert "before it" in advice(sd.TruncatedStreamError("message_stop"))  # nothing came
