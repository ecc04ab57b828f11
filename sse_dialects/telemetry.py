"""An answer and its stream in the words of OpenTelemetry's GenAI semantic conventions.

The names are those of https://github.com/open-telemetry/semantic-conventions-genai in September 2026, which has no release yet;
all of them are in status "development". They stand here as constants: those in the package
``opentelemetry-semantic-conventions`` are older and deprecated (it calls cache writes ``cache_creation``).

Only the names and counts are recorded, never text of the answer.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar, Union

from sse_dialects import RequestRejectedError, SSEDialectsError, UpstreamError

if TYPE_CHECKING:
    from collections.abc import Generator

    from opentelemetry.trace import Span, Tracer

    from sse_dialects import Answer, AsyncEventStream, EventStream, Stats

__all__ = ["AttributeValue", "Generation", "answer_attributes", "error_attributes", "generation"]

ERROR_TYPE: Final = "error.type"
OPERATION_NAME: Final = "gen_ai.operation.name"
PROVIDER_NAME: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_STREAM: Final = "gen_ai.request.stream"
RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
RESPONSE_ID: Final = "gen_ai.response.id"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_TIME_TO_FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
USAGE_CACHE_READ_INPUT_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
USAGE_CACHE_WRITE_INPUT_TOKENS: Final = "gen_ai.usage.cache_write.input_tokens"
USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
USAGE_REASONING_OUTPUT_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"
# What the conventions have no word for.
COMPLETE: Final = "sse_dialects.complete"
DIALECT: Final = "sse_dialects.dialect"
LONGEST_GAP: Final = "sse_dialects.longest_gap"
REQUEST_ID: Final = "sse_dialects.request_id"
TIME_TO_FIRST_TEXT: Final = "sse_dialects.time_to_first_text"
TIME_TO_FIRST_TOKEN: Final = "sse_dialects.time_to_first_token"

AttributeValue = Union[str, bool, int, float, list[str]]  # noqa: UP007  # what OpenTelemetry accepts, as far as it is used here
_Stream = TypeVar("_Stream", bound="EventStream | AsyncEventStream")


def answer_attributes(answer: Answer, stats: Stats | None = None) -> dict[str, AttributeValue]:
    """The attributes of an answer, whole or partial, and of its stream's timing. What is not known is left out.

    ``gen_ai.response.time_to_first_chunk`` counts seconds from the request, but ``stats`` from the call of `stream`: where that
    comes later, as it does with a client whose response is opened first, add the difference, or use `generation`.
    """
    usage = answer.usage
    found: dict[str, AttributeValue | None] = {
        RESPONSE_ID: answer.id,
        RESPONSE_MODEL: answer.model,
        RESPONSE_FINISH_REASONS: [choice.finish_reason for choice in answer.choices if choice.finish_reason] or None,
        DIALECT: answer.dialect,
        COMPLETE: answer.complete,
    }
    if usage is not None:
        found[USAGE_INPUT_TOKENS] = usage.input_tokens
        found[USAGE_OUTPUT_TOKENS] = usage.output_tokens
        found[USAGE_CACHE_READ_INPUT_TOKENS] = usage.cached_input_tokens
        found[USAGE_CACHE_WRITE_INPUT_TOKENS] = usage.cache_write_tokens
        found[USAGE_REASONING_OUTPUT_TOKENS] = usage.reasoning_tokens
    if stats is not None:
        found[RESPONSE_TIME_TO_FIRST_CHUNK] = stats.time_to_first_event_s
        found[TIME_TO_FIRST_TOKEN] = stats.time_to_first_token_s
        found[TIME_TO_FIRST_TEXT] = stats.time_to_first_text_s
        found[LONGEST_GAP] = stats.longest_gap_s
    return {name: value for name, value in found.items() if value is not None}


def error_attributes(error: BaseException) -> dict[str, AttributeValue]:
    """``error.type``: the provider's own code or type, the HTTP status, our `kind`, or another exception's class. And the id by
    which the provider knows the request, where its response had one."""
    kind: Any = type(error).__qualname__
    if isinstance(error, UpstreamError):
        kind = error.code or error.type or error.kind
    elif isinstance(error, RequestRejectedError):
        kind = error.status
    elif isinstance(error, SSEDialectsError):
        kind = error.kind
    found: dict[str, AttributeValue] = {ERROR_TYPE: str(kind)}
    if isinstance(error, SSEDialectsError) and error.request_id is not None:
        found[REQUEST_ID] = error.request_id
    return found


class Generation:
    """One request under a span; made by `generation`."""

    __slots__ = ("_later_s", "_started", "_stream", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self._started = monotonic()
        self._later_s = 0.0
        self._stream: EventStream | AsyncEventStream | None = None

    def watch(self, events: _Stream) -> _Stream:
        """Names the stream whose answer and timing the span is to carry. Returns it."""
        self._stream = events
        self._later_s = monotonic() - self._started - events.stats.duration_s
        return events

    def attributes(self) -> dict[str, AttributeValue]:
        """What the watched stream has come to so far, times counted from the start of the span."""
        if self._stream is None:
            return {}
        found = answer_attributes(self._stream.partial(), self._stream.stats)
        if (request_id := self._stream.request_id) is not None:
            found[REQUEST_ID] = request_id
        for name in (RESPONSE_TIME_TO_FIRST_CHUNK, TIME_TO_FIRST_TOKEN, TIME_TO_FIRST_TEXT):
            if isinstance(seconds := found.get(name), float):
                found[name] = seconds + self._later_s
        return found


@contextmanager
def generation(
    model: str, provider: str, *, tracer: Tracer | None = None, operation: str = "chat"
) -> Generator[Generation, None, None]:
    """A span around one request, from before it is sent until its stream is closed, sync or async.

        with telemetry.generation("gpt-5", "openai") as request:
            async with client.stream("POST", url, json=body) as response, request.watch(astream(response)) as events:
                ...

    Args:
        model: the model that the request names.
        provider: whose it is, in the conventions' words ("openai", "anthropic", "aws.bedrock").
        tracer: whose spans to make; the global provider's if there is none.
        operation: "chat", or another of the conventions' operations.

    Raises:
        ImportError: `opentelemetry-api` is not installed (extra ``otel``).
    """
    from opentelemetry import trace

    asked: dict[str, AttributeValue] = {
        OPERATION_NAME: operation,
        PROVIDER_NAME: provider,
        REQUEST_MODEL: model,
        REQUEST_STREAM: True,
    }
    used = trace.get_tracer("sse_dialects") if tracer is None else tracer
    with used.start_as_current_span(
        f"{operation} {model}",
        kind=trace.SpanKind.CLIENT,
        attributes=asked,
        record_exception=False,  # status and error.type are enough: an exception's text may hold a provider's message
        set_status_on_exception=False,
    ) as span:
        current = Generation(span)
        try:
            yield current
        except BaseException as error:
            span.set_attributes(error_attributes(error))
            span.set_status(trace.StatusCode.ERROR)
            raise
        finally:
            span.set_attributes(current.attributes())
