"""examples/convert.py: all six directions say the same, live, and pass faults on."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sdks
from generators import SCRIPTS, streams
from hypothesis import HealthCheck, given, settings

import sse_dialects as sd
from sse_dialects import testing

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "convert.py"
DEPTH = int(os.environ.get("SSE_DIALECTS_DEPTH", "1"))
DIRECTIONS = [(source, target) for source in SCRIPTS for target in SCRIPTS if source != target]
COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens", "reasoning_tokens")

every_direction = pytest.mark.parametrize(("source", "target"), DIRECTIONS)

spec = importlib.util.spec_from_file_location("convert", EXAMPLE)
assert spec is not None
assert spec.loader is not None
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


def decoded(data):
    """The answer, or the error, of a body."""
    try:
        return sd.stream([data]).answer()
    except sd.StreamError as error:
        return error


def converted(data, target):
    frames = list(example.convert([data], target))
    answer = decoded(b"".join(frames))
    assert answer.dialect == target or isinstance(answer, sd.StreamError)
    return answer


# ---- what a target can say of an answer


def text_of(answer, target):
    """In messages a refusal is text."""
    if target != "messages":
        return answer.text
    return "".join(part.text for part in answer.parts if isinstance(part, (sd.TextPart, sd.RefusalPart)))


def reasoning_of(answer, target):
    """A chat's runs of reasoning have nothing between them; in the others they are parts, with a blank line between them."""
    runs = [part.text for part in answer.parts if isinstance(part, sd.ReasoningPart) and part.text]
    return ("\n\n" if target != "chat" or answer.dialect != "chat" else "").join(runs)


def calls_of(answer, target, *, whole=True):
    """Messages has no custom calls, and nobody has calls without a name."""
    told = []
    for call in answer.tool_calls:
        if not call.name:
            continue
        kind, arguments = call.kind, call.arguments
        if target == "messages":
            arguments = json.dumps({"input": arguments}) if kind == "custom" else arguments or "{}"
            arguments = arguments_of(arguments)
            kind = "function"
        told.append((call.name, kind, arguments, call.id, *([call.complete] if whole else [])))
    return told


def arguments_of(text):
    """Objects compare as objects: a custom call's text is escaped piece by piece, and null is the empty one."""
    try:
        value = json.loads(text, strict=False)
        return {} if value is None else value
    except ValueError:
        return text


def finish_of(answer, target):
    """No reason is told as the usual one; in responses both usual ones are the status completed."""
    reason = answer.finish_reason
    if target == "messages" and answer.refusal and reason == "stop":
        return "refusal"
    if reason is None or (reason == "tool_calls" and target == "responses"):
        return "tool_calls" if answer.tool_calls else "stop"
    return reason


def usage_of(answer):
    """Counts; one that is not told is 0 where the dialect always tells it."""
    return [getattr(answer.usage, name, None) or 0 for name in COUNTS]


def check(before, after, target):
    assert isinstance(after, sd.Answer), after
    assert after.text == text_of(before, target)
    assert after.reasoning == reasoning_of(before, target)
    assert after.refusal == ("" if target == "messages" else before.refusal)
    # A chat says of the whole choice that it was cut; the others say it of each part.
    whole = before.finish_reason not in ("length", "content_filter", "refusal", "cancelled", "other", None)
    assert calls_of(after, target, whole=whole) == calls_of(before, target, whole=whole)
    assert after.finish_reason == finish_of(before, target)
    assert usage_of(after) == usage_of(before)
    assert after.model == (before.model or "unknown")
    if before.id and before.dialect != "responses":  # whose last event may have another id than its first
        assert after.id == before.id


def overlaps(script):
    """Whether blocks of a message are open at the same time, which the dialect allows and nobody writes."""
    opened = 0
    for type, _ in script.frames:
        opened += (type == "content_block_start") - (type == "content_block_stop")
        if opened > 1:
            return True
    return False


@pytest.mark.thorough
@every_direction
def test_the_answer_stays_the_same(source, target):
    @settings(max_examples=60 * DEPTH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(streams(source))
    def run(written):
        after = converted(written.data, target)
        if overlaps(written.script) and isinstance(after, sd.UpstreamError):
            assert after.code == "provider_correction"  # never told wrongly
        else:
            check(decoded(written.data), after, target)

    run()


@pytest.mark.slow
@every_direction
def test_the_recordings_stay_the_same(source, target, shared):
    apart = []
    for path in sorted((shared / "corpus" / source).glob("*.sse")):
        data = path.read_bytes()
        before, after = decoded(data), converted(data, target)
        try:
            if isinstance(after, sd.UpstreamError) and after.code == "provider_correction":
                assert any(isinstance(event, sd.Extra) and event.name == "snapshot" for event in sd.stream([data]))
            elif isinstance(before, sd.Answer):
                check(before, after, target)
            else:
                assert isinstance(after, sd.UpstreamError)
        except AssertionError as error:
            apart.append((path.name, str(error)[:300]))
    assert apart == []


# ---- live


@every_direction
def test_every_frame_comes_with_its_event(source, target):
    said = testing.reply("abcdef", reasoning="xyz", tool_calls=[testing.tool_call("f", {"a": 1})])
    given = 0

    def frames():
        nonlocal given
        for given, frame in enumerate(said.in_dialect(source, piece=1).frames(), 1):  # noqa: B007  # the caller looks at it
            yield frame

    came = [(given, frame.decode()) for frame in example.convert(frames(), target)]
    before = [
        (given, event.text if not isinstance(event, sd.ToolCallDelta) else event.arguments)
        for event in sd.stream(frames())
        if isinstance(event, (sd.TextDelta, sd.ReasoningDelta, sd.ToolCallDelta))
    ]
    for place, text in before:
        assert any(number == place and json.dumps(text)[1:-1] in json.dumps(frame) for number, frame in came), (place, text)


@every_direction
def test_parallel_calls_keep_apart(source, target):
    calls = [testing.tool_call("f", {"a": n}, id=f"c{n}") for n in range(3)]
    data = testing.reply("Hm.", tool_calls=calls).in_dialect(source, piece=3).bytes()
    check(decoded(data), converted(data, target), target)


def test_calls_whose_pieces_are_mixed_and_names_that_come_late():
    def chunk(*calls, **more):
        return ("data: " + json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": calls}, **more}]}) + "\n\n").encode()

    frames = [
        chunk({"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}),
        chunk({"index": 1, "id": "b", "function": {"arguments": '{"n"'}}),
        chunk({"index": 0, "function": {"arguments": '{"m": '}}),
        chunk({"index": 1, "function": {"name": "g", "arguments": ": 2}"}}),
        chunk({"index": 0, "function": {"arguments": "1}"}}, finish_reason="tool_calls"),
        b"data: [DONE]\n\n",
    ]
    for target in ("messages", "responses"):
        answer = converted(b"".join(frames), target)
        assert [(call.name, call.parsed(), call.complete) for call in answer.tool_calls] == [
            ("f", {"m": 1}, True),
            ("g", {"n": 2}, True),
        ]


def test_proofs_of_reasoning_go_on():
    parts = [sd.ReasoningPart("", None, "hidden"), sd.ReasoningPart("Hm.", "signed"), sd.TextPart("Hi")]
    for source, target in (("messages", "responses"), ("responses", "messages")):
        after = converted(testing.reply(parts=parts).in_dialect(source).bytes(), target)
        assert after.parts == parts
    after = converted(testing.reply(parts=parts[1:]).as_messages().bytes(), "chat")
    assert after.parts == parts[1:]


# ---- faults


@every_direction
def test_a_cut_ends_in_an_error_and_never_like_a_whole_stream(source, target):
    whole = testing.reply("Hello there", tool_calls=[testing.tool_call("f", {"a": 1})]).in_dialect(source, piece=2)
    for place in range(len(whole.frames()) - 1):
        after = decoded(b"".join(example.convert(whole.cut(after_frames=place).source(), target)))
        assert isinstance(after, sd.UpstreamError)
        assert after.retryable
        assert after.message == "the provider's stream was cut"
        assert "Hello there".startswith(after.partial.text)


@every_direction
def test_a_failure_goes_on(source, target):
    for type, code, retryable in (
        ("overloaded_error", None, True),
        (None, "rate_limit_exceeded", True),
        (None, "invalid_prompt", False),
    ):
        failing = testing.reply("Hello").in_dialect(source).error("Busy", type=type, code=code)
        before = decoded(failing.bytes())
        after = decoded(b"".join(example.convert(failing.source(), target)))
        assert isinstance(after, sd.UpstreamError)
        assert (after.message, after.retryable, after.partial.text) == ("Busy", before.retryable, "Hello")
        assert retryable == after.retryable


def test_how_long_to_wait_goes_on():
    failing = b'data: {"error": {"message": "Busy", "type": "rate_limit_error", "retry_after": 7}}\n\n'
    for target in ("messages", "responses"):
        after = decoded(b"".join(example.convert([failing], target)))
        assert (after.message, after.retry_after) == ("Busy", 7)


@every_direction
def test_a_malformed_stream_is_not_tried_again(source, target):
    stream = testing.reply("Hello").in_dialect(source).insert(b"data: {nonsense\n\n")
    after = decoded(b"".join(example.convert(stream.source(), target)))
    assert isinstance(after, sd.UpstreamError)
    assert not after.retryable


@every_direction
def test_a_rejection_is_answered_with_its_status(source, target):
    refused = testing.rejection(429, "slow down", retry_after=3, dialect=source)
    with pytest.raises(sd.RequestRejectedError) as caught:
        list(example.convert(refused.source(), target))
    with pytest.raises(sd.RequestRejectedError) as again, sd.stream(example.rejection(caught.value, target).source()):
        pass
    assert (again.value.status, again.value.message, again.value.retry_after) == (429, "slow down", 3)


def test_a_correction_is_no_answer_where_it_can_not_be_said():
    frames = testing.reply("Hello").as_responses().frames()
    corrected = b"".join(frames).replace(b'"text":"Hello"', b'"text":"Good bye"')
    assert isinstance(converted(corrected, "chat"), sd.UpstreamError)
    assert converted(corrected, "messages").code == "provider_correction"


# ---- the official SDKs


def said():
    return testing.reply(
        "Let me look.",
        reasoning="They ask.",
        tool_calls=[testing.tool_call("f", {"a": 1}), testing.tool_call("g", {"b": "é"})],
        usage=testing.usage(31, 24, cached_input_tokens=3, reasoning_tokens=4),
    )


@pytest.mark.parametrize("source", ["messages", "responses"])
def test_openai_reads_a_chat(source):
    pytest.importorskip("openai")
    chat = sdks.by_openai_chat(b"".join(example.convert([said().in_dialect(source).bytes()], "chat")))
    (choice,) = chat["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("Let me look.", "tool_calls")
    assert [call["function"]["name"] for call in choice["message"]["tool_calls"]] == ["f", "g"]
    assert [json.loads(call["function"]["arguments"]) for call in choice["message"]["tool_calls"]] == [{"a": 1}, {"b": "é"}]
    assert (chat["usage"]["prompt_tokens"], chat["usage"]["completion_tokens"]) == (31, 24)


@pytest.mark.parametrize("source", ["chat", "responses"])
@pytest.mark.parametrize("beta", [False, True])
def test_anthropic_reads_a_message(source, beta):
    pytest.importorskip("anthropic")
    message = sdks.by_anthropic(b"".join(example.convert([said().in_dialect(source).bytes()], "messages")), beta=beta)
    assert [block["type"] for block in message["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block["input"] for block in message["content"][2:]] == [{"a": 1}, {"b": "é"}]
    assert message["stop_reason"] == "tool_use"
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (28, 24)


@pytest.mark.parametrize("source", ["chat", "messages"])
def test_openai_reads_a_response(source):
    pytest.importorskip("openai")
    response = sdks.by_openai_responses(b"".join(example.convert([said().in_dialect(source).bytes()], "responses")))
    assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call", "function_call"]
    assert response["output"][1]["content"][0]["text"] == "Let me look."
    assert [json.loads(item["arguments"]) for item in response["output"][2:]] == [{"a": 1}, {"b": "é"}]
    assert (response["status"], response["usage"]["total_tokens"]) == ("completed", 55)


@pytest.mark.parametrize(("source", "target"), [(source, target) for source, target in DIRECTIONS if target != "responses"])
def test_the_sdks_own_clients_read_it_over_http(source, target):
    """With their streaming helpers, which check the order of events."""
    httpx2 = pytest.importorskip("httpx2")
    sdk = pytest.importorskip("openai" if target == "chat" else "anthropic")
    body = b"".join(example.convert([said().in_dialect(source).bytes()], target))
    transport = testing.Provider(testing.ScriptedStream(target, [body])).httpx2_transport()
    with httpx2.Client(transport=transport) as http_client:
        if target == "chat":
            client = sdk.OpenAI(api_key="k", base_url="http://host/v1", http_client=http_client)
            with client.chat.completions.stream(model="m", messages=[]) as stream:
                assert stream.get_final_completion().choices[0].message.content == "Let me look."
        else:
            client = sdk.Anthropic(api_key="k", base_url="http://host", http_client=http_client)
            with client.messages.stream(model="m", max_tokens=5, messages=[]) as stream:
                assert stream.get_final_message().content[1].text == "Let me look."


# ---- its doors


@every_direction
def test_async_gives_the_same(source, target):
    data = said().in_dialect(source).bytes()

    async def main():
        return [frame async for frame in example.aconvert([data], target)]

    after = decoded(b"".join(asyncio.run(main())))
    check(decoded(data), after, target)
    cut = said().in_dialect(source).cut()

    async def cut_main():
        return [frame async for frame in example.aconvert(cut.source(), target)]

    assert isinstance(decoded(b"".join(asyncio.run(cut_main()))), sd.UpstreamError)


def test_the_command_line():
    environment = {**os.environ, "PYTHONPATH": str(Path(sd.__file__).parent.parent)}

    def run(*arguments, data=b""):
        return subprocess.run([sys.executable, EXAMPLE, *arguments], input=data, capture_output=True, timeout=60, env=environment)

    done = run("chat", data=said().as_messages().bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert decoded(done.stdout).text == "Let me look."
    assert b"usage: " in run("morse").stderr
    done = run("chat", data=b"<html>")
    assert done.returncode == 1
    assert done.stderr.startswith(b"convert.py: ")
