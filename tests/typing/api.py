"""What type checkers must infer from the public API. Checked, never run: see test_typing.py."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TextIO

from typing_extensions import assert_never, assert_type

import sse_dialects as sd
from sse_dialects import native, telemetry

if TYPE_CHECKING:
    import asyncio
    import io

    import httpx


def events_narrow_by_class(event: sd.Event) -> None:
    match event:
        case sd.Started(id, model):
            assert_type(id, str | None)
            assert_type(model, str | None)
        case sd.TextDelta(text) | sd.ReasoningDelta(text) | sd.RefusalDelta(text):
            assert_type(text, str)
        case sd.ToolCallStarted(id, name, kind):
            assert_type(name, str | None)
            assert_type(kind, Literal["function", "custom"])
        case sd.ToolCallDelta(arguments):
            assert_type(arguments, str)
        case sd.ToolCallFinished(tool_call):
            assert_type(tool_call, sd.ToolCall)
        case sd.UsageReported(usage):
            assert_type(usage, sd.Usage)
        case sd.Finished():
            assert_type(event.native, str | None)
        case sd.Extra():
            assert_type(event.part, int | None)
        case _:
            assert_never(event)


def events_narrow_by_type(event: sd.Event) -> None:
    if event.type == "text_delta":
        assert_type(event, sd.TextDelta)
        assert_type(event.text, str)
        assert_type(event.choice, int)
    elif event.type == "tool_call_finished":
        assert_type(event.tool_call.parsed(), dict[str, Any])
    elif event.type == "usage_reported":
        assert_type(event.usage.input_tokens, int | None)
    elif event.type == "finished":
        assert_type(event, sd.Finished)


def streams(response: httpx.Response) -> None:
    with sd.stream(response, "chat", content_timeout=5.0) as events:
        assert_type(events, sd.EventStream)
        for event in events:
            events_narrow_by_class(event)
        assert_type(events.text(), Iterator[str])
        assert_type(events.answer(), sd.Answer)
        assert_type(events.partial(), sd.Answer)
        assert_type(events.text_so_far_json(), Any)
        assert_type(events.so_far(0, choice=1), dict[str, Any])
        assert_type(events.request_id, str | None)
        assert_type(events.complete, bool)
        assert_type(events.stats, sd.Stats)
        assert_type(events.stats.longest_gap_s, float | None)
        assert_type(events.last_sequence_number, int | None)
        assert_type(events.last_event_id, str | None)
        assert_type(events.resumable, bool)
        assert_type(events.dialect, Literal["chat", "messages", "responses"] | None)


async def async_streams(response: httpx.Response) -> None:
    async with sd.astream(response, idle_timeout=30) as events:
        assert_type(events, sd.AsyncEventStream)
        async for event in events:
            events_narrow_by_type(event)
        async for text in events.text():
            assert_type(text, str)
        assert_type(events.text_so_far_json(), Any)
        assert_type(events.so_far(0, choice=1), dict[str, Any])
        assert_type(events.request_id, str | None)
        assert_type(await events.answer(), sd.Answer)


def resumed(response: httpx.Response, earlier: sd.EventStream, other: sd.AsyncEventStream, maybe: sd.EventStream | None) -> None:
    assert_type(sd.stream(response, resume=earlier), sd.EventStream)
    assert_type(sd.stream(response, resume=other), sd.EventStream)
    assert_type(sd.astream(response, resume=earlier), sd.AsyncEventStream)
    assert_type(sd.astream(response, resume=maybe), sd.AsyncEventStream)
    sd.stream(response, resume=response)  # type: ignore[arg-type]
    sd.stream(response, resume=True)  # type: ignore[arg-type]


def errors_of_a_cut(error: sd.TruncatedStreamError | sd.StalledStreamError) -> None:
    assert_type(error.resumable, bool)
    assert_type(error.last_sequence_number, int | None)
    assert_type(error.last_event_id, str | None)


class OwnResponse:
    status_code = 200

    def iter_bytes(self) -> Iterator[bytes]:
        return iter(())


def sources(client: httpx.Client, response: httpx.Response, file: BinaryIO, raw: io.BytesIO, text: TextIO) -> None:
    for source in (b"", bytearray(), memoryview(b""), [b"a"], iter([b"a"]), file, raw, response, OwnResponse()):
        sd.stream(source)
    sd.stream("data: 1")  # type: ignore[arg-type]
    sd.stream(text)  # type: ignore[arg-type]
    sd.stream(client.stream("GET", "http://x"))  # type: ignore[arg-type]
    sd.stream(["data: 1"])  # type: ignore[list-item]
    sd.stream(7)  # type: ignore[arg-type]


async def async_sources(
    client: httpx.AsyncClient, response: httpx.Response, reader: asyncio.StreamReader, pieces: AsyncIterator[bytes]
) -> None:
    sd.astream(response)
    sd.astream(reader)
    sd.astream(pieces)
    sd.astream([b"a"])
    sd.astream("data: 1")  # type: ignore[arg-type]
    sd.astream(client.stream("GET", "http://x"))  # type: ignore[arg-type]
    sd.astream(client.get("http://x"))  # type: ignore[arg-type]


def ask(source: httpx.Response, dialect: sd.DialectOrAuto = "auto") -> str:
    return sd.stream(source, dialect).answer().text


def core(data: bytes) -> None:
    decoder = sd.Decoder("responses", require_done=False, limits=sd.Limits(max_parts=None))
    assert_type(decoder.feed(data), Iterator[sd.Event])
    assert_type(decoder.close(), list[sd.Event])
    assert_type(decoder.answer(), sd.Answer)
    assert_type(decoder.start_next_connection(), None)
    assert_type(decoder.resumable, bool)
    parser = sd.FrameParser()
    assert_type(parser.feed(memoryview(data)), list[sd.Frame])
    assert_type(parser.close(), sd.Frame | None)
    for frame in parser.feed(data):
        assert_type(sd.ChatAccumulator().add(frame), list[sd.Event])
        assert_type(frame.retry, int | None)


def answers(answer: sd.Answer) -> None:
    assert_type(answer.text, str)
    assert_type(answer.tool_calls, list[sd.ToolCall])
    assert_type(answer.tool_calls[0].so_far(), dict[str, Any])
    assert_type(answer.text_so_far_json(), Any)
    assert_type(answer.choices, list[sd.Choice])
    assert_type(answer.usage, sd.Usage | None)
    assert_type(answer.turn, list[dict[str, Any]])
    assert_type(answer.native, dict[str, Any])
    for part in answer.parts:
        match part:
            case sd.TextPart(text):
                assert_type(text, str)
            case sd.ReasoningPart():
                assert_type(part.signature, str | None)
            case sd.RefusalPart() | sd.OtherPart():
                pass
            case sd.ToolCall():
                assert_type(part.complete, bool)
            case _:
                assert_never(part)


def a_dialect_gives_its_native_form(answer: sd.Answer) -> None:
    assert_type(native.native_of(answer, "chat"), native.ChatCompletion)
    assert_type(native.native_of(answer, "messages")["content"], list[dict[str, Any]])
    assert_type(native.native_of(answer, "responses").get("status"), str | None)


def errors() -> None:
    try:
        sd.stream(b"").answer()
    except sd.TruncatedStreamError as error:
        assert_type(error.partial, sd.Answer)
        assert_type(error.retry_after, float | None)
        assert_type(error.retryable, bool)
        assert_type(error.expected, str)
    except sd.RequestRejectedError as error:
        assert_type(error.status, int)
    except sd.SSEDialectsError as error:
        assert_type(error.kind, str)


def spans(events: sd.AsyncEventStream) -> None:
    with telemetry.generation("m", "openai") as request:
        assert_type(request, telemetry.Generation)
        assert_type(request.watch(events), sd.AsyncEventStream)
