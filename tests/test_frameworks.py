"""The check under the frameworks that use an OpenAI or Anthropic client, with the real packages, over loopback.

Each way to ask for a streamed answer plays a whole, a cut, a broken, a failed and a stalled stream, with the client guarded: only
the whole one may return. `python tests/test_frameworks.py` prints what happens with and without the guard, from which the table
of docs/howto/frameworks.md was written.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.compat import anthropic as for_anthropic
from sse_dialects.compat import openai as for_openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]  # warnings are those packages' own matter

STALL_S = 0.5  # the timeout of clients whose stream stalls; the others may take their time on a busy machine
TEXT = "Because of Rayleigh scattering."
ORLEANS = {"name": "Orleans", "country": "France"}
QUESTION = "Why is the sky blue?"
MESSAGES = [{"role": "user", "content": QUESTION}]
CLIENT: dict[str, Any] = {"api_key": "k", "max_retries": 0, "timeout": 10}
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it asks another host when it is imported
os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")


class Way(NamedTuple):
    """One way to ask a framework. ``ask(url, guarded)`` gives the text, or a coroutine that does."""

    needs: str  # the module without which it is left out
    dialect: sd.DialectName
    ask: Callable[[str, bool], Any]
    reply: testing.Reply = testing.reply(TEXT)


# ---- reading what a framework gives


def joined(chunks: Iterator[Any], text: Callable[[Any], str | None]) -> str:
    return "".join(text(chunk) or "" for chunk in chunks)


async def ajoined(chunks: AsyncIterator[Any] | Awaitable[AsyncIterator[Any]], text: Callable[[Any], str | None]) -> str:
    opened = await chunks if inspect.isawaitable(chunks) else chunks
    return "".join([text(chunk) or "" async for chunk in opened])


async def atext(message: Awaitable[Any]) -> str:
    return (await message).text


def imported(name: str) -> Any:
    return importlib.import_module(name)


# ---- clients of the SDKs


def openai_client(url: str, guarded: bool, kind: str = "OpenAI", **options: Any) -> Any:
    client = getattr(imported("openai"), kind)(base_url=url, **{**CLIENT, **options})
    return for_openai.guard(client) if guarded else client


def anthropic_client(url: str, guarded: bool, kind: str = "Anthropic") -> Any:
    client = getattr(imported("anthropic"), kind)(base_url=url, **CLIENT)
    return for_anthropic.guard(client) if guarded else client


# ---- LangChain


def chat_openai(url: str, guarded: bool, **options: Any) -> Any:
    llm = imported("langchain_openai").ChatOpenAI(model="m", base_url=url, **CLIENT, **options)
    if guarded:
        for_openai.guard(llm.root_client)
        for_openai.guard(llm.root_async_client)
    return llm


def chat_anthropic(url: str, guarded: bool, **options: Any) -> Any:
    llm = imported("langchain_anthropic").ChatAnthropic(model="m", base_url=url, **CLIENT, **options)
    if guarded:
        for_anthropic.guard(llm._client)
        for_anthropic.guard(llm._async_client)
    return llm


def langchain(needs: str, dialect: sd.DialectName, make: Callable[..., Any], name: str, **options: Any) -> dict[str, Way]:
    def text(chunk: Any) -> str:
        return chunk.text

    asks: dict[str, Callable[[str, bool], Any]] = {
        ".stream": lambda url, guarded: joined(make(url, guarded, **options).stream(QUESTION), text),
        ".astream": lambda url, guarded: ajoined(make(url, guarded, **options).astream(QUESTION), text),
        ".invoke, streaming=True": lambda url, guarded: make(url, guarded, streaming=True, **options).invoke(QUESTION).text,
        ".ainvoke, streaming=True": lambda url, guarded: atext(make(url, guarded, streaming=True, **options).ainvoke(QUESTION)),
    }
    return {name + way: Way(needs, dialect, ask) for way, ask in asks.items()}


# ---- pydantic-ai


def agent(dialect: sd.DialectName) -> Callable[[str, bool], Any]:
    def make(url: str, guarded: bool) -> Any:
        ai = imported("pydantic_ai")
        if dialect == "messages":
            provider = imported("pydantic_ai.providers.anthropic").AnthropicProvider(
                anthropic_client=anthropic_client(url, guarded, "AsyncAnthropic")
            )
            return ai.Agent(imported("pydantic_ai.models.anthropic").AnthropicModel("m", provider=provider))
        provider = imported("pydantic_ai.providers.openai").OpenAIProvider(
            openai_client=openai_client(url, guarded, "AsyncOpenAI")
        )
        kind = {"chat": "OpenAIChatModel", "responses": "OpenAIResponsesModel"}[dialect]
        return ai.Agent(getattr(imported("pydantic_ai.models.openai"), kind)("m", provider=provider))

    return make


async def by_run_stream(agent: Any) -> str:
    async with agent.run_stream(QUESTION) as result:
        return await ajoined(result.stream_text(delta=True), str)


async def by_handler(agent: Any) -> str:
    async def handle(_: Any, events: AsyncIterator[Any]) -> None:
        async for _ in events:
            pass

    return (await agent.run(QUESTION, event_stream_handler=handle)).output


async def by_stream_events(agent: Any) -> str:
    output = ""
    async with agent.run_stream_events(QUESTION) as events:
        async for event in events:
            output = event.result.output if hasattr(event, "result") and hasattr(event.result, "output") else output
    return output


def by_run_stream_sync(agent: Any) -> str:
    return joined(agent.run_stream_sync(QUESTION).stream_text(delta=True), str)


def pydantic_ai(dialect: sd.DialectName) -> dict[str, Way]:
    make = agent(dialect)
    asks = {
        "run_stream": by_run_stream,
        "run(event_stream_handler=)": by_handler,
        "run_stream_events": by_stream_events,
        "run_stream_sync": by_run_stream_sync,
    }
    return {
        f"pydantic-ai {dialect} {name}": Way("pydantic_ai", dialect, lambda url, guarded, ask=ask: ask(make(url, guarded)))
        for name, ask in asks.items()
    }


# ---- LlamaIndex


def llama_openai(kind: str) -> Callable[[str, bool], Any]:
    def make(url: str, guarded: bool) -> Any:
        return getattr(imported("llama_index.llms.openai"), kind)(
            model="gpt-4o-mini",
            max_retries=0,
            openai_client=openai_client(url, guarded),
            async_openai_client=openai_client(url, guarded, "AsyncOpenAI"),
        )

    return make


def llama_anthropic(url: str, guarded: bool) -> Any:
    llm = imported("llama_index.llms.anthropic").Anthropic(model="claude-sonnet-5", base_url=url, **CLIENT)
    if guarded:
        for_anthropic.guard(llm._client)
        for_anthropic.guard(llm._aclient)
    return llm


def llama_index(needs: str, dialect: sd.DialectName, make: Callable[[str, bool], Any], name: str) -> dict[str, Way]:
    def text(chunk: Any) -> str | None:
        return chunk.delta

    def asked() -> list[Any]:
        return [imported("llama_index.core.llms").ChatMessage(role="user", content=QUESTION)]

    asks: dict[str, Callable[[str, bool], Any]] = {
        ".stream_chat": lambda url, guarded: joined(make(url, guarded).stream_chat(asked()), text),
        ".stream_complete": lambda url, guarded: joined(make(url, guarded).stream_complete(QUESTION), text),
        ".astream_chat": lambda url, guarded: ajoined(make(url, guarded).astream_chat(asked()), text),
    }
    return {f"LlamaIndex {name}{way}": Way(needs, dialect, ask) for way, ask in asks.items()}


# ---- Instructor


def instructor(dialect: sd.DialectName) -> dict[str, Way]:
    def make(url: str, guarded: bool, prefix: str = "") -> Any:
        if dialect == "messages":
            return imported("instructor").from_anthropic(anthropic_client(url, guarded, f"{prefix}Anthropic"))
        return imported("instructor").from_openai(openai_client(url, guarded, f"{prefix}OpenAI"))

    def request() -> dict[str, Any]:
        city = imported("pydantic").create_model("City", name=(str, ...), country=(str, ...))
        return {"response_model": city, "model": "m", "max_tokens": 99, "max_retries": 0, "messages": MESSAGES}

    def last(chunks: list[Any]) -> str:
        return chunks[-1].model_dump_json()

    async def alast(chunks: AsyncIterator[Any]) -> str:
        return last([chunk async for chunk in chunks])

    one = testing.reply(tool_calls=[testing.tool_call("City", ORLEANS)])
    several = testing.reply(tool_calls=[testing.tool_call("IterableCity", {"tasks": [ORLEANS]})])
    asks: dict[str, tuple[Callable[[str, bool], Any], testing.Reply]] = {
        "create_partial": (lambda url, guarded: last(list(make(url, guarded).create_partial(**request()))), one),
        "create_partial, async": (lambda url, guarded: alast(make(url, guarded, "Async").create_partial(**request())), one),
        "create_iterable": (lambda url, guarded: last(list(make(url, guarded).create_iterable(**request()))), several),
        "create_iterable, async": (
            lambda url, guarded: alast(make(url, guarded, "Async").create_iterable(**request())),
            several,
        ),
    }
    return {f"Instructor {dialect} {name}": Way("instructor", dialect, ask, reply) for name, (ask, reply) in asks.items()}


# ---- the OpenAI Agents SDK


async def run_streamed(url: str, guarded: bool, api: str) -> str:
    agents = imported("agents")
    agents.set_default_openai_client(openai_client(url, guarded, "AsyncOpenAI"), use_for_tracing=False)
    agents.set_default_openai_api(api)
    result = agents.Runner.run_streamed(agents.Agent(name="a", model="m"), QUESTION)
    async for _ in result.stream_events():
        pass
    return result.final_output


# ---- LiteLLM


def litellm(name: str, kind: str, call: str = "") -> Callable[[str, bool], Any]:
    def text(chunk: Any) -> str | None:
        return chunk.choices[0].delta.content

    def ask(url: str, guarded: bool) -> Any:
        client = openai_client(url, guarded, kind)
        opened = getattr(imported("litellm"), name)(
            model="openai/m", messages=MESSAGES, stream=True, timeout=CLIENT["timeout"], client=client, num_retries=0
        )
        return ajoined(opened, text) if inspect.isawaitable(opened) else joined(opened, text)

    return ask


WAYS = {
    **langchain("langchain_openai", "chat", chat_openai, "ChatOpenAI"),
    **langchain("langchain_openai", "responses", chat_openai, "ChatOpenAI(use_responses_api=True)", use_responses_api=True),
    **langchain("langchain_anthropic", "messages", chat_anthropic, "ChatAnthropic"),
    **pydantic_ai("chat"),
    **pydantic_ai("responses"),
    **pydantic_ai("messages"),
    **llama_index("llama_index.llms.openai", "chat", llama_openai("OpenAI"), "OpenAI"),
    **llama_index("llama_index.llms.openai", "responses", llama_openai("OpenAIResponses"), "OpenAIResponses"),
    **llama_index("llama_index.llms.anthropic", "messages", llama_anthropic, "Anthropic"),
    **instructor("chat"),
    **instructor("messages"),
    "Agents SDK chat run_streamed": Way("agents", "chat", lambda url, guarded: run_streamed(url, guarded, "chat_completions")),
    "Agents SDK responses run_streamed": Way("agents", "responses", lambda url, guarded: run_streamed(url, guarded, "responses")),
    "litellm.completion": Way("litellm", "chat", litellm("completion", "OpenAI")),
    "litellm.acompletion": Way("litellm", "chat", litellm("acompletion", "AsyncOpenAI")),
}


# ---- the faults


def faults(dialect: sd.DialectName, reply: testing.Reply) -> dict[str, list[Reply]]:
    """What is played for each fault, and whole."""
    stream = reply.in_dialect(dialect)
    size, count = len(stream.bytes()), len(stream.frames())
    late = stream.cut(after_frames=count - 2).bytes()
    failed = stream.error("Overloaded", type="overloaded_error", after_frames=count - 2).bytes()
    return {
        "whole": [Reply(stream.pieces())],
        "cut": [Reply(stream.cut(after_frames=after).bytes()) for after in (0, count // 2, count - 1)],
        "broken": [Reply(stream.bytes(), cut_at=size * 2 // 3)],
        "failed": [Reply(failed)],
        "stalled": [Reply([late, FOREVER])],
    }


RAISED = {
    "cut": sd.TruncatedStreamError,
    "broken": sd.TruncatedStreamError,
    "failed": sd.UpstreamError,
    "stalled": sd.StalledStreamError,
}


def asked(way: Way, url: str, guarded: bool) -> str:
    answer = way.ask(url, guarded)
    return asyncio.run(asyncio.wait_for(answer, 30)) if inspect.isawaitable(answer) else answer


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from, as the how-to says to look for ours."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


FRAMEWORKS = {
    "agents": "OpenAI Agents SDK",
    "instructor": "Instructor",
    "langchain_anthropic": "LangChain",
    "langchain_openai": "LangChain",
    "litellm": "LiteLLM",
    "llama_index.llms.anthropic": "LlamaIndex",
    "llama_index.llms.openai": "LlamaIndex",
    "pydantic_ai": "pydantic-ai",
}
TRIED = [name for name, way in WAYS.items() if is_installed(way.needs)]


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_is_there(framework):
    if not is_installed(framework):
        pytest.skip(f"{framework} is not installed")
    imported(framework)


@pytest.fixture(params=TRIED)
def way(request):
    tried = WAYS[request.param]
    request.node.user_properties.append(("sdk", FRAMEWORKS[tried.needs]))  # for the documentation's matrix
    return tried


def test_a_whole_answer_is_returned(way, server):
    for reply in faults(way.dialect, way.reply)["whole"]:
        answer = asked(way, server.serve(reply), True)
        assert answer == TEXT or ORLEANS["country"] in answer


@pytest.mark.parametrize("fault", RAISED)
def test_a_fault_is_raised_as_ours(way, fault, server, monkeypatch):
    if fault == "stalled":
        monkeypatch.setitem(CLIENT, "timeout", STALL_S)
    for reply in faults(way.dialect, way.reply)[fault]:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            asked(way, server.serve(reply), True)
        ours = [error for error in chain(caught.value) if isinstance(error, sd.SSEDialectsError)]
        assert [type(error) for error in ours] == [RAISED[fault]], list(chain(caught.value))
        assert ours[0].dialect in {way.dialect, None}


# ---- the table


def outcome(way: Way, reply: Reply, guarded: bool, server: FaultServer) -> str:
    try:
        asked(way, server.serve(reply), guarded)
    except BaseException as error:
        seen = list(chain(error))
        return " < ".join(type(each).__name__ for each in seen if each is error or isinstance(each, sd.SSEDialectsError))
    return "returned"


def main() -> None:
    """Prints a row for each way and fault."""
    with FaultServer() as server, contextlib.suppress(KeyboardInterrupt):
        for name in TRIED:
            way = WAYS[name]
            for fault, replies in faults(way.dialect, way.reply).items():
                CLIENT["timeout"] = STALL_S if fault == "stalled" else 10
                alone = [outcome(way, reply, False, server) for reply in replies]
                guarded = [outcome(way, reply, True, server) for reply in replies]
                print(f"| {name} | {fault} | {', '.join(alone)} | {', '.join(guarded)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
