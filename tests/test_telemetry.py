"""Attributes under the conventions' names, and a span around real streams where OpenTelemetry's SDK is installed."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest
from bodies import CHAT, MESSAGES, frame

import sse_dialects as sd
from sse_dialects import telemetry
from sse_dialects.telemetry import answer_attributes, error_attributes

USAGE = {
    "prompt_tokens": 9,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}
COUNTED = [*CHAT[:-1], frame({"id": "c", "model": "m", "choices": [], "usage": USAGE}), CHAT[-1]]


def read(pieces):
    with sd.stream(pieces) as events:
        return events.answer(), events.stats


def test_a_whole_answer():
    answer, stats = read(COUNTED)
    found = answer_attributes(answer, stats)
    assert {name: value for name, value in found.items() if "time" not in name and "gap" not in name} == {
        "gen_ai.response.id": "c",
        "gen_ai.response.model": "m",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.reasoning.output_tokens": 2,
        "sse_dialects.dialect": "chat",
        "sse_dialects.complete": True,
    }
    assert found["sse_dialects.time_to_first_token"] == stats.time_to_first_token_s
    assert found["gen_ai.response.time_to_first_chunk"] == stats.time_to_first_event_s
    assert found["sse_dialects.time_to_first_text"] == stats.time_to_first_text_s
    assert found["sse_dialects.longest_gap"] == stats.longest_gap_s


def test_cached_input_is_part_of_the_input():
    usage = {"input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300, "output_tokens": 2}
    start = frame({"type": "message_start", "message": {"id": "m", "content": [], "usage": usage}}, "message_start")
    found = answer_attributes(read([start, *MESSAGES[1:]])[0])
    assert found["gen_ai.usage.input_tokens"] == 321
    assert (found["gen_ai.usage.cache_read.input_tokens"], found["gen_ai.usage.cache_write.input_tokens"]) == (20, 300)


def test_what_is_not_known_is_left_out():
    assert answer_attributes(sd.Answer(None)) == {"sse_dialects.complete": False}


def failure(pieces):
    with pytest.raises(sd.StreamError) as caught:
        read(pieces)
    return caught.value


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (failure(CHAT[:1]), "truncated"),
        (failure([frame({"error": {"message": "no", "type": "server_error", "code": 529}})]), "529"),
        (failure([frame({"error": {"message": "no", "type": "server_error"}})]), "server_error"),
        (failure([frame({"error": "no"})]), "upstream"),
        (sd.RequestRejectedError(429), "429"),
        (KeyError("x"), "KeyError"),
    ],
    ids=str,
)
def test_the_type_of_an_error(error, kind):
    assert error_attributes(error) == {"error.type": kind}


def test_the_request_id_of_an_error():
    error = sd.RequestRejectedError(429, headers={"x-request-id": "req_1"})
    assert error_attributes(error) == {"error.type": "429", "sse_dialects.request_id": "req_1"}


@pytest.fixture
def spans():
    """``(tracer, finished)``: a tracer and a function that gives the spans that have ended."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(memory))
    yield provider.get_tracer("test"), memory.get_finished_spans
    provider.shutdown()


def test_a_span_around_a_request(spans):
    tracer, finished = spans
    with telemetry.generation("m-1", "openai", tracer=tracer) as request:
        time.sleep(0.05)  # the server thinks before it answers
        with request.watch(sd.stream(COUNTED)) as events:
            events.answer()
    (span,) = finished()
    assert (span.name, span.kind.name, span.status.status_code.name) == ("chat m-1", "CLIENT", "UNSET")
    asked = {"operation.name": "chat", "provider.name": "openai", "request.model": "m-1", "request.stream": True}
    assert asked.items() <= {name.removeprefix("gen_ai."): value for name, value in span.attributes.items()}.items()
    assert span.attributes["gen_ai.usage.output_tokens"] == 5
    assert 0.05 <= span.attributes["gen_ai.response.time_to_first_chunk"] <= (span.end_time - span.start_time) / 1e9


def test_a_span_around_a_cut_stream(spans):
    tracer, finished = spans

    async def ask():
        with telemetry.generation("m-1", "openai", tracer=tracer) as request:
            async with request.watch(sd.astream(COUNTED[:2])) as events:
                await events.answer()

    with pytest.raises(sd.TruncatedStreamError):
        asyncio.run(ask())
    (span,) = finished()
    assert (span.status.status_code.name, span.attributes["error.type"]) == ("ERROR", "truncated")
    assert span.attributes["sse_dialects.complete"] is False
    assert not span.events


def test_a_span_names_the_request(spans):
    tracer, finished = spans
    response = httpx.Response(200, headers={"request-id": "req_1"}, content=b"".join(CHAT))
    with telemetry.generation("m-1", "openai", tracer=tracer) as request, request.watch(sd.stream(response)) as events:
        events.answer()
    (span,) = finished()
    assert span.attributes["sse_dialects.request_id"] == "req_1"


def test_a_span_without_a_stream(spans):
    tracer, finished = spans
    with pytest.raises(ZeroDivisionError), telemetry.generation("m-1", "openai", tracer=tracer):
        1 / 0  # noqa: B018
    (span,) = finished()
    assert span.attributes["error.type"] == "ZeroDivisionError"
