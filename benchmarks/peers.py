"""What users would pick instead, fed the same bytes inside this process. Peers that are not installed are left out.

A pipeline takes a workload's reads and returns the answer's text or its calls' arguments, so that a peer that reads a stream
wrongly shows; a frame layer returns how many events it saw. The SDKs build richer objects (pydantic models of every chunk, and
whole snapshots); that is what their users pay for all the same.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from sse_dialects import Decoder, FrameParser

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from .workloads import Workload

__all__ = ["FRAME_LAYERS", "PIPELINES", "UnavailableError", "version"]


class UnavailableError(Exception):
    """The peer is not installed, or does not read this dialect."""


def version(package: str) -> str:
    """The installed version, or "-"."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "-"


# ---- pipelines: bytes to events to the answer


def ours(workload: Workload) -> Callable[[], str]:
    """The decoder, each event taken, then the answer."""

    def job() -> str:
        decoder = Decoder(workload.dialect)
        for chunk in workload.chunks:
            for _ in decoder.feed(chunk):
                pass
        decoder.close()
        answer = decoder.answer()
        return answer.text or "".join(call.arguments for call in answer.tool_calls)

    return job


def _transport(chunks: Iterable[bytes], kind: str) -> Any:
    """A client of `httpx2`, which both SDKs use, whose every response is these reads."""
    import httpx2

    class Sync(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return iter(chunks)

    class Async(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in chunks:
                yield chunk

    def respond(request: Any) -> Any:
        stream = Sync() if kind == "sync" else Async()
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=stream)

    transport = httpx2.MockTransport(respond)
    return httpx2.Client(transport=transport) if kind == "sync" else httpx2.AsyncClient(transport=transport)


def _openai(workload: Workload, kind: str = "sync") -> Any:
    import openai

    client = openai.OpenAI if kind == "sync" else openai.AsyncOpenAI
    return client(api_key="none", base_url="http://peer.invalid/v1", http_client=_transport(workload.chunks, kind), max_retries=0)


def _anthropic(workload: Workload) -> Any:
    import anthropic

    client = _transport(workload.chunks, "sync")
    return anthropic.Anthropic(api_key="none", base_url="http://peer.invalid", http_client=client, max_retries=0)


_ASK: dict[str, Any] = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}


def openai_stream(workload: Workload) -> Callable[[], str]:
    """`client.chat.completions.stream`, or `client.responses.stream`: events and a final object."""
    if workload.dialect == "messages":
        raise UnavailableError
    client = _openai(workload)

    def chat() -> str:
        with client.chat.completions.stream(**_ASK) as stream:
            for _ in stream:
                pass
            message = stream.get_final_completion().choices[0].message
        return message.content or "".join(call.function.arguments for call in message.tool_calls)

    def responses() -> str:
        with client.responses.stream(model="gpt-5", input="hi") as stream:
            for _ in stream:
                pass
            response = stream.get_final_response()
        return response.output_text or "".join(item.arguments for item in response.output)

    return chat if workload.dialect == "chat" else responses


def openai_chunks(workload: Workload) -> Callable[[], str]:
    """`create(stream=True)`: typed chunks, nothing put together but the text."""
    if workload.dialect != "chat":
        raise UnavailableError
    client = _openai(workload)

    def job() -> str:
        text, arguments = [], []
        for chunk in client.chat.completions.create(**_ASK, stream=True):
            for choice in chunk.choices[:1]:
                if choice.index == 0:
                    text.append(choice.delta.content or "")
                arguments += [call.function.arguments or "" for call in choice.delta.tool_calls or ()]
        return "".join(text) or "".join(arguments)

    return job


def anthropic_stream(workload: Workload) -> Callable[[], str]:
    """`client.messages.stream`: events and a final message."""
    if workload.dialect != "messages":
        raise UnavailableError
    client = _anthropic(workload)

    def job() -> str:
        with client.messages.stream(model="claude", max_tokens=9, messages=_ASK["messages"]) as stream:
            for _ in stream:
                pass
            blocks = stream.get_final_message().content
        text = "".join(block.text for block in blocks if block.type == "text")
        return text or "".join(json.dumps(block.input, ensure_ascii=False) for block in blocks if block.type == "tool_use")

    return job


def litellm_builder(workload: Workload) -> Callable[[], str]:
    """`completion(stream=True)` over the OpenAI client, then `stream_chunk_builder`."""
    if workload.dialect != "chat":
        raise UnavailableError
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would ask another host for prices while it is imported
    import litellm

    client = _openai(workload)

    def job() -> str:
        chunks = list(litellm.completion(**{**_ASK, "model": "openai/gpt-4.1"}, stream=True, client=client))
        message = litellm.stream_chunk_builder(chunks).choices[0].message
        return message.content or "".join(call.function.arguments for call in message.tool_calls)

    return job


def pydantic_ai_stream(workload: Workload) -> Callable[[], str]:
    """`model_request_stream` over the OpenAI client."""
    if workload.dialect != "chat":
        raise UnavailableError
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> str:
        model = OpenAIChatModel("gpt-4.1", provider=OpenAIProvider(openai_client=_openai(workload, "async")))
        async with model_request_stream(model, [ModelRequest.user_text_prompt("hi")]) as stream:
            async for _ in stream:
                pass
            parts = stream.get().parts
        text = "".join(part.content for part in parts if part.part_kind == "text")
        return text or "".join(part.args for part in parts if part.part_kind == "tool-call")

    return lambda: asyncio.run(run())


def llmstream_events(workload: Workload) -> Callable[[], str]:
    """`iter_events`."""
    if workload.dialect == "responses":
        raise UnavailableError
    import llmstream

    def job() -> str:
        text, arguments = [], []
        provider = {"chat": "openai", "messages": "anthropic"}[workload.dialect]
        for event in llmstream.iter_events(workload.chunks, provider=provider):
            if event.type == "delta":
                text.append(event.text)
            elif event.type == "tool_call_delta":
                arguments.append(event.arguments_delta)
        return "".join(text) or "".join(arguments)

    return job


PIPELINES: dict[str, tuple[str, Callable[[Workload], Callable[[], str]]]] = {
    "sse-dialects": ("sse-dialects", ours),
    "openai, .stream()": ("openai", openai_stream),
    "openai, create(stream=True)": ("openai", openai_chunks),
    "anthropic, .stream()": ("anthropic", anthropic_stream),
    "litellm with its chunk builder": ("litellm", litellm_builder),
    "pydantic-ai over openai": ("pydantic-ai-slim", pydantic_ai_stream),
    "llmstream": ("llmstream", llmstream_events),
}


# ---- frame layers: bytes to frames


def our_frames(chunks: list[bytes]) -> int:
    """`FrameParser`."""
    parser = FrameParser()
    return sum(len(parser.feed(chunk)) for chunk in chunks)


def httpx_sse_frames(chunks: list[bytes]) -> int:
    """`EventSource.iter_sse` over a response of `httpx`."""
    import httpx
    import httpx_sse

    class Stream(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return iter(chunks)

    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Stream())
    return sum(1 for _ in httpx_sse.EventSource(response).iter_sse())


def httpx2_frames(chunks: list[bytes]) -> int:
    """`EventSource` of `httpx2`."""
    import httpx2

    with _transport(chunks, "sync").stream("GET", "http://peer.invalid") as response:
        return sum(1 for _ in httpx2.EventSource(response, max_event_size=None))


def sseclient_frames(chunks: list[bytes]) -> int:
    """`SSEClient.events` of sseclient-py."""
    import sseclient

    class Source:
        def __iter__(self) -> Iterator[bytes]:
            return iter(chunks)

        def close(self) -> None:
            pass

    return sum(1 for _ in sseclient.SSEClient(Source()).events())


def assel_frames(chunks: list[bytes]) -> int:
    """`parse` of assel."""
    import assel

    return sum(1 for _ in assel.parse(chunks))


def _sdk_frames(module: str) -> Callable[[list[bytes]], int]:
    def frames(chunks: list[bytes]) -> int:
        __import__(f"{module}._streaming")
        return sum(1 for _ in sys.modules[f"{module}._streaming"].SSEDecoder().iter_bytes(iter(chunks)))

    return frames


FRAME_LAYERS: dict[str, tuple[str, Callable[[list[bytes]], int]]] = {
    "sse-dialects, FrameParser": ("sse-dialects", our_frames),
    "httpx-sse": ("httpx-sse", httpx_sse_frames),
    "httpx2, EventSource": ("httpx2", httpx2_frames),
    "sseclient-py": ("sseclient-py", sseclient_frames),
    "assel": ("assel", assel_frames),
    "openai, SSEDecoder": ("openai", _sdk_frames("openai")),
    "anthropic, SSEDecoder": ("anthropic", _sdk_frames("anthropic")),
}
