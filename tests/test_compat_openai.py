"""The check under the real `openai` package, over loopback: the SDK alone accepts a cut stream, guarded it raises."""

from __future__ import annotations

import asyncio

import pytest
from bodies import DONE, frame
from server import FOREVER, FaultServer, Reply

import sse_dialects as sd
from sse_dialects.compat.openai import guard, to_sdk

openai = pytest.importorskip("openai")


def chunk(delta, finish=None, **members):
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return frame({**chunk, **members})


def event(kind, number, **members):
    return frame({"type": kind, "sequence_number": number, **members}, kind)


def response(status, *output):
    members = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": status, "output": [*output], **members}


PART = {"type": "output_text", "text": "", "annotations": []}
ITEM = {"id": "i", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
WHOLE_ITEM = {**ITEM, "status": "completed", "content": [{**PART, "text": "Hello"}]}
PLACE = {"output_index": 0, "content_index": 0, "item_id": "i"}
CALL = {"index": 0, "id": "t", "type": "function", "function": {"name": "look", "arguments": '{"a":'}}

CHAT = [
    chunk({"role": "assistant", "content": "Hel"}),
    chunk({"content": "lo"}),
    chunk({"tool_calls": [CALL]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
    chunk({}, "tool_calls"),
    frame({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
           "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}),
    DONE,
]  # fmt: skip
RESPONSES = [
    event("response.created", 0, response=response("in_progress")),
    event("response.output_item.added", 1, output_index=0, item=ITEM),
    event("response.content_part.added", 2, part=PART, **PLACE),
    event("response.output_text.delta", 3, delta="Hel", logprobs=[], **PLACE),
    event("response.output_text.delta", 4, delta="lo", logprobs=[], **PLACE),
    event("response.output_text.done", 5, text="Hello", logprobs=[], **PLACE),
    event("response.content_part.done", 6, part={**PART, "text": "Hello"}, **PLACE),
    event("response.output_item.done", 7, output_index=0, item=WHOLE_ITEM),
    event("response.completed", 8, response=response("completed", WHOLE_ITEM)),
]
QUESTION = [{"role": "user", "content": "Hello?"}]


@pytest.fixture(autouse=True)
def version(request):
    """Goes into the results, from which the documentation's matrix is made."""
    request.node.user_properties.append(("sdk", f"openai {openai.__version__.partition('.')[0]}.x"))


@pytest.fixture(scope="module")
def server():
    with FaultServer() as running:
        yield running


class Asked:
    """What came of one request: the SDK's own objects, and the error that ended them."""

    def __init__(self):
        self.chunks = []
        self.error = None

    def facts(self):
        return [chunk.model_dump() for chunk in self.chunks]


def opened(url):
    """A client. Nothing is encrypted on loopback, so time is not spent on reading certificates."""
    return openai.OpenAI(base_url=url, api_key="k", max_retries=0, http_client=openai.DefaultHttpxClient(verify=False))


def ways(call):
    """``call(client)`` as a request of the sync and of the async client, given a base URL: ``ask(url, guarded) -> Asked``."""

    def sync(url, guarded, **options):
        asked = Asked()
        with opened(url) as client:
            try:
                for chunk in call(guard(client, **options) if guarded else client):
                    asked.chunks.append(chunk)
            except Exception as error:
                asked.error = error
        return asked

    def run_async(url, guarded, **options):
        async def ask():
            asked = Asked()
            unverified = openai.DefaultAsyncHttpxClient(verify=False)
            async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0, http_client=unverified) as client:
                try:
                    async for chunk in await call(guard(client, **options) if guarded else client):
                        asked.chunks.append(chunk)
                except Exception as error:
                    asked.error = error
            return asked

        return asyncio.run(ask())

    return {"sync": sync, "async": run_async}


def chat(client):
    return client.chat.completions.create(model="m", messages=QUESTION, stream=True)


def responses(client):
    return client.responses.create(model="m", input="Hello?", stream=True)


CALLS = {"chat": (chat, CHAT), "responses": (responses, RESPONSES)}


@pytest.fixture(params=["sync", "async"])
def way(request):
    return request.param


@pytest.fixture(params=CALLS)
def called(request, way):
    call, frames = CALLS[request.param]
    return ways(call)[way], frames


@pytest.fixture
def at(server):
    """``at(reply)``: the base URL whose every path plays ``reply``."""
    return lambda reply: f"{server.serve(reply)}/"


def test_whole(called, at):
    ask, frames = called
    alone, guarded = (ask(at(Reply(frames)), guarded) for guarded in (False, True))
    assert (alone.error, guarded.error) == (None, None)
    assert guarded.facts() == alone.facts()
    assert [type(chunk) for chunk in guarded.chunks] == [type(chunk) for chunk in alone.chunks]


def test_cut_after_each_frame(called, at):
    ask, frames = called
    for count in range(len(frames)):
        alone, guarded = (ask(at(Reply(frames[:count])), guarded) for guarded in (False, True))
        assert alone.error is None
        assert isinstance(guarded.error, sd.TruncatedStreamError)
        assert guarded.facts() == alone.facts()
    assert guarded.error.partial.text == "Hello"


def test_a_connection_that_breaks(called, at):
    ask, frames = called
    asked = ask(at(Reply(frames, cut_at=len(frames[0]) + 1)), True)
    assert len(asked.chunks) == 1
    assert isinstance(asked.error, sd.TruncatedStreamError)
    assert "httpx" in type(asked.error.cause).__module__


def test_nothing_matters_after_the_terminating_frame(called, at):
    ask, frames = called
    asked = ask(at(Reply(frames, framing="length", length=9999, cut_at=sum(map(len, frames)))), True)
    assert asked.error is None


def test_a_failure_in_the_stream(called, at):
    ask, frames = called
    failed = {**response("failed"), "error": {"code": "server_error", "message": "overloaded"}}
    failures = [frame({"error": {"message": "overloaded", "type": "server_error"}})]
    if frames is RESPONSES:  # the SDK alone gives this one out as an ordinary event
        failures.append(event("response.failed", 1, response=failed))
    for failure in failures:
        asked = ask(at(Reply([frames[0], failure])), True)
        assert (len(asked.chunks), type(asked.error), asked.error.message) == (1, sd.UpstreamError, "overloaded")


def test_rejections_are_the_sdks_own(way, at):
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'
    asked = ways(chat)[way](at(Reply(body, status=429, headers={"Content-Type": "application/json"})), True)
    assert type(asked.error) is openai.RateLimitError


def test_a_stall(at, way):
    ask = ways(lambda client: chat(client.with_options(timeout=0.2)))[way]
    asked = ask(at(Reply([CHAT[0], FOREVER])), True)
    assert (len(asked.chunks), type(asked.error), asked.error.partial.text) == (1, sd.StalledStreamError, "Hel")
    assert "Timeout" in type(asked.error.cause).__name__


def test_options_reach_the_decoder_and_copies(at, way):
    ask = ways(lambda client: chat(client.with_options(timeout=5)))[way]
    assert isinstance(ask(at(Reply(CHAT[:-1])), True).error, sd.TruncatedStreamError)
    assert ask(at(Reply(CHAT[:-1])), True, require_done=False).error is None


def test_the_old_completions(at, way):
    frames = [frame({"id": "c", "object": "text_completion", "created": 1, "model": "m",
                     "choices": [{"index": 0, "text": "Hello", "finish_reason": "stop", "logprobs": None}]}), DONE]  # fmt: skip
    ask = ways(lambda client: client.completions.create(model="m", prompt="Hello?", stream=True))[way]
    asked = ask(at(Reply(frames)), True)
    assert ([chunk.choices[0].text for chunk in asked.chunks], asked.error) == (["Hello"], None)
    assert isinstance(ask(at(Reply(frames[:1])), True).error, sd.TruncatedStreamError)


def test_other_endpoints_pass(at, way):
    frames = [event("speech.audio.delta", 0, audio="aGk="), event("speech.audio.done", 1, usage={})]
    cast = {"sync": openai.Stream, "async": openai.AsyncStream}[way][object]
    ask = ways(lambda client: client.post("speech", cast_to=object, stream=True, stream_cls=cast))[way]
    asked = ask(at(Reply(frames)), True)
    assert ([chunk["type"] for chunk in asked.chunks], asked.error) == (["speech.audio.delta", "speech.audio.done"], None)


def test_a_json_body_in_place_of_a_stream(called, at):
    ask, _ = called
    reply = Reply(b'{"object": "chat.completion", "choices": []}', headers={"Content-Type": "application/json"})
    assert (ask(at(reply), False).chunks, ask(at(reply), False).error) == ([], None)
    assert isinstance(ask(at(reply), True).error, (sd.NotAnEventStreamError, sd.StreamError))


def test_helpers(at):
    for count in (*range(len(CHAT)), None):
        with guard(opened(at(Reply(CHAT[:count])))) as client:
            with client.chat.completions.stream(model="m", messages=QUESTION) as events:
                if count is None:
                    assert events.get_final_completion().choices[0].message.content == "Hello"
                else:
                    with pytest.raises(sd.TruncatedStreamError):
                        events.until_done()
    for count in (*range(len(RESPONSES)), None):
        with guard(opened(at(Reply(RESPONSES[:count])))) as client:
            with client.responses.stream(model="m", input="Hello?") as events:
                if count is None:
                    assert events.get_final_response().output_text == "Hello"
                else:
                    with pytest.raises(sd.TruncatedStreamError):
                        events.until_done()


def decoded(frames):
    with sd.stream(b"".join(frames)) as events:
        return events.answer()


def test_the_sdks_own_objects(at):
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    completion = to_sdk(decoded(CHAT))
    assert type(completion) is ChatCompletion
    with opened(at(Reply(CHAT))) as client:
        with client.chat.completions.stream(model="m", messages=QUESTION) as events:
            accumulated = events.get_final_completion()
    assert as_plain(completion) == as_plain(accumulated)
    assert ChatCompletion.model_validate(completion.model_dump()) == completion
    answer = to_sdk(decoded(RESPONSES))
    assert type(answer) is Response
    assert answer.output_text == "Hello"
    assert Response.model_validate(answer.model_dump()) == answer


def as_plain(model):
    """Without what only the SDK's accumulator adds."""

    def cleaned(value):
        if isinstance(value, list):
            return [cleaned(item) for item in value]
        if isinstance(value, dict):
            return {name: cleaned(item) for name, item in value.items() if item is not None and not name.startswith("parsed")}
        return value

    plain = cleaned(model.model_dump())
    for call in plain["choices"][0]["message"]["tool_calls"]:
        call.pop("index", None)
    return plain


def test_only_whole_answers_of_its_dialects():
    with pytest.raises(sd.TruncatedStreamError) as caught:
        decoded(CHAT[:3])
    with pytest.raises(sd.MisuseError, match="not complete"):
        to_sdk(caught.value.partial)
    with pytest.raises(sd.MisuseError, match="no type"):
        to_sdk(sd.Answer(None))
