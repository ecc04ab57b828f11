"""What docs/reference/conformance.md claims, rule by rule, event by event: every row there names a case here, and the reverse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import sse_dialects as sd
from sse_dialects import Frame

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "conformance.md"

# Rules of the event stream format. Name: bytes, and the frames that they are, after the end of input too.
RULES: dict[str, tuple[bytes, list[Frame]]] = {
    "bom": (b"\xef\xbb\xbfdata: a\n\n", [Frame(data="a")]),
    "second-bom": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\ndata: b\n\n", [Frame(data="b")]),
    "utf-8": (b"data: \xc3\xa9\xff\n\n", [Frame(data="é\ufffd")]),
    "lf": (b"data: a\n\n", [Frame(data="a")]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", [Frame(data="a"), Frame(data="b")]),
    "cr": (b"data: a\r\rdata: b\r\r", [Frame(data="a"), Frame(data="b")]),
    "mixed-line-ends": (b"data: a\ndata: b\rdata: c\r\n\ndata: d\n\r", [Frame(data="a\nb\nc"), Frame(data="d")]),
    "no-other-line-ends": (
        "data: a\u2028b\u2029c\x85d\x0be\x0cf\n\n".encode(),
        [Frame(data="a\u2028b\u2029c\x85d\x0be\x0cf")],
    ),
    "blank-line": (b"data: a\n\n\n\ndata: b\n\n", [Frame(data="a"), Frame(data="b")]),
    "comment": (b": hello\n:\ndata: a\n: again\n\n", [Frame(data="a")]),
    "one-space": (b"data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n", [Frame(data=d) for d in ("a", "a", " a", "\ta")]),
    "colon-in-value": (b"data: a: b\n\n", [Frame(data="a: b")]),
    "no-colon": (b"data\ndata\n\n", [Frame(data="\n")]),
    "event": (b"event: a\nevent: b\ndata: x\n\n", [Frame("b", "x")]),
    "event-default": (b"event:\ndata: x\n\n", [Frame("message", "x")]),
    "event-reset": (b"event: a\ndata: x\n\ndata: y\n\n", [Frame("a", "x"), Frame("message", "y")]),
    "data": (b"data: a\ndata: b\n\n", [Frame(data="a\nb")]),
    "data-empty": (b"data:\n\n", [Frame(data="")]),
    "no-data": (b"event: a\nid: 1\n\ndata: x\n\n", [Frame("message", "x", "1")]),
    "id": (b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", [Frame(data="a", id="1"), Frame(data="b", id="1"), Frame(data="c")]),
    "id-nul": (b"id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n", [Frame(data="a", id="1"), Frame(data="b", id="1")]),
    "retry": (b"retry: 1500\ndata: a\n\n", [Frame(data="a", retry=1500)]),
    "retry-digits": (
        "retry: +5\nretry: 1_0\nretry: ٣\nretry: 5 \nretry:\ndata: a\n\n".encode(),
        [Frame(data="a")],
    ),
    "retry-huge": (b"retry: " + b"9" * 5000 + b"\ndata: a\n\n", [Frame(data="a")]),
    "unknown-field": (b"Data: x\nfoo: y\n data: z\ndata: a\n\n", [Frame(data="a")]),
    "end-of-file": (b"data: a\n\ndata: b\n", [Frame(data="a")]),
}

CHAT = '{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}'


def chat(delta, finish_reason=None):
    return f"data: {CHAT % (json.dumps(delta), json.dumps(finish_reason))}\n\n"


def named(type, **members):
    return f"event: {type}\ndata: {json.dumps({'type': type, **members})}\n\n"


CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
START = named("message_start", message={"id": "m", "model": "x", "content": [], "usage": {"input_tokens": 1}})
STOP = named("message_delta", delta={"stop_reason": "end_turn"}) + named("message_stop")
CREATED = named("response.created", response={"id": "r", "status": "in_progress"})


def block(kind, *deltas, index=0, **members):
    """A content block from its start to its stop."""
    return (
        named("content_block_start", index=index, content_block={"type": kind, **members})
        + "".join(named("content_block_delta", index=index, delta=delta) for delta in deltas)
        + named("content_block_stop", index=index)
    )


def item(kind, **members):
    return named("response.output_item.added", output_index=0, item={"id": "i", "type": kind, **members})


def in_item(kind, type, *, member="item_id", **members):
    """An event inside an output item."""
    return CREATED + item(kind) + named(type, output_index=0, **{member: "i"}, **members)


def ended(type, **response):
    return CREATED + named(type, response={"id": "r", "status": type.partition(".")[2], **response})


# Events of the dialects. Name: the dialect, the stream, and the types of event that it has to tell, besides `started`.
EVENTS: dict[str, tuple[str, str, list[str]]] = {
    # chat: members of a delta, of a choice, of a chunk
    "chat role": ("chat", chat({"role": "assistant"}), []),
    "chat content": ("chat", chat({"content": "a"}), ["text_delta"]),
    "chat content list": ("chat", chat({"content": [{"type": "text", "text": "a"}]}), ["text_delta"]),
    "chat refusal": ("chat", chat({"refusal": "a"}), ["refusal_delta"]),
    "chat reasoning_content": ("chat", chat({"reasoning_content": "a"}), ["reasoning_delta"]),
    "chat reasoning": ("chat", chat({"reasoning": "a"}), ["reasoning_delta"]),
    "chat reasoning_details": (
        "chat",
        chat({"reasoning_details": [{"type": "reasoning.text", "text": "a"}]}),
        ["reasoning_delta", "extra"],
    ),
    "chat thinking_blocks": (
        "chat",
        chat({"thinking_blocks": [{"type": "thinking", "thinking": "a"}]}),
        ["reasoning_delta", "extra"],
    ),
    "chat content_blocks": (
        "chat",
        chat({"content_blocks": [{"index": 0, "delta": {"thinking": "a"}}]}),
        ["reasoning_delta", "extra"],
    ),
    "chat tool_calls": ("chat", chat({"tool_calls": [CALL]}), ["tool_call_started", "tool_call_delta"]),
    "chat function_call": ("chat", chat({"function_call": CALL["function"]}), ["tool_call_started", "tool_call_delta"]),
    "chat annotations": ("chat", chat({"annotations": [{"type": "url_citation"}]}), ["extra"]),
    "chat audio": ("chat", chat({"audio": {"id": "a", "data": "AA=="}}), ["extra"]),
    "chat other member": ("chat", chat({"hologram": 1}), ["extra"]),
    "chat logprobs": (
        "chat",
        'data: {"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a"}]}}]}\n\n',
        ["text_delta", "extra"],
    ),
    "chat usage": ("chat", 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n', ["usage_reported"]),
    "chat message": ("chat", 'data: {"choices":[{"index":0,"message":{"content":"a"}}]}\n\n', ["text_delta"]),
    "chat finish_reason": ("chat", chat({}, "stop"), []),
    "chat [DONE]": ("chat", chat({"content": "a"}, "stop") + "data: [DONE]\n\n", ["text_delta", "finished"]),
    "chat chat.completion.done": (
        "chat",
        chat({"content": "a"}, "stop") + 'data: {"object":"chat.completion.done"}\n\n',
        ["text_delta", "finished"],
    ),
    "chat error": ("chat", chat({"content": "a"}) + 'data: {"error":{"message":"no"}}\n\n', ["text_delta", "!upstream"]),
    # messages
    "messages ping": ("messages", START + named("ping"), ["usage_reported"]),
    "messages message_start": ("messages", START, ["usage_reported"]),
    "messages content_block_start text": ("messages", START + block("text", text="a"), ["usage_reported", "text_delta"]),
    "messages text_delta": (
        "messages",
        START + block("text", {"type": "text_delta", "text": "a"}, text=""),
        ["usage_reported", "text_delta"],
    ),
    "messages citations_delta": (
        "messages",
        START + block("text", {"type": "citations_delta", "citation": {"type": "char_location"}}, text=""),
        ["usage_reported", "extra"],
    ),
    "messages thinking_delta": (
        "messages",
        START + block("thinking", {"type": "thinking_delta", "thinking": "a"}, thinking=""),
        ["usage_reported", "reasoning_delta"],
    ),
    "messages signature_delta": (
        "messages",
        START + block("thinking", {"type": "signature_delta", "signature": "s"}, thinking=""),
        ["usage_reported", "extra"],
    ),
    "messages redacted_thinking": ("messages", START + block("redacted_thinking", data="s"), ["usage_reported", "extra"]),
    "messages tool_use": (
        "messages",
        START + block("tool_use", {"type": "input_json_delta", "partial_json": "{}"}, id="t", name="f", input={}) + STOP,
        ["usage_reported", "tool_call_started", "tool_call_delta", "tool_call_finished", "finished"],
    ),
    "messages other block": (
        "messages",
        START + block("server_tool_use", id="t", name="f", input={}),
        ["usage_reported", "extra"],
    ),
    "messages message_delta": (
        "messages",
        START + named("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2}),
        ["usage_reported", "usage_reported"],
    ),
    "messages message_stop": ("messages", START + STOP, ["usage_reported", "finished"]),
    "messages error": ("messages", START + named("error", error={"type": "overloaded_error"}), ["usage_reported", "!upstream"]),
    "messages other event": ("messages", START + named("hologram"), ["usage_reported", "extra"]),
    "messages without a type": ("messages", START + 'data: {"own": 1}\n\n', ["usage_reported", "extra"]),
    # responses
    "responses response.created": ("responses", CREATED, []),
    "responses response.queued": ("responses", named("response.queued", response={"id": "r"}), []),
    "responses response.in_progress": ("responses", named("response.in_progress", response={"id": "r"}), []),
    "responses response.output_item.added": (
        "responses",
        CREATED + item("function_call", call_id="c", name="f"),
        ["tool_call_started"],
    ),
    "responses response.output_item.done": (
        "responses",
        CREATED
        + named(
            "response.output_item.done",
            output_index=0,
            item={"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"},
        ),
        ["tool_call_started", "tool_call_delta", "tool_call_finished"],
    ),
    "responses response.content_part.added": (
        "responses",
        in_item("message", "response.content_part.added", content_index=0, part={"type": "output_text", "text": ""}),
        [],
    ),
    "responses response.content_part.done": (
        "responses",
        in_item("message", "response.content_part.done", content_index=0, part={"type": "output_text", "text": "a"}),
        ["text_delta"],
    ),
    "responses response.output_text.delta": (
        "responses",
        in_item("message", "response.output_text.delta", content_index=0, delta="a"),
        ["text_delta"],
    ),
    "responses response.output_text.done": (
        "responses",
        in_item("message", "response.output_text.done", content_index=0, text="a"),
        ["text_delta"],
    ),
    "responses response.output_text.annotation.added": (
        "responses",
        in_item("message", "response.output_text.annotation.added", content_index=0, annotation={"type": "url_citation"}),
        ["extra"],
    ),
    "responses response.refusal.delta": (
        "responses",
        in_item("message", "response.refusal.delta", content_index=0, delta="a"),
        ["refusal_delta"],
    ),
    "responses response.refusal.done": (
        "responses",
        in_item("message", "response.refusal.done", content_index=0, refusal="a"),
        ["refusal_delta"],
    ),
    "responses response.reasoning_summary_part.added": (
        "responses",
        in_item("reasoning", "response.reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}),
        [],
    ),
    "responses response.reasoning_summary_part.done": (
        "responses",
        in_item("reasoning", "response.reasoning_summary_part.done", summary_index=0, part={"type": "summary_text", "text": "a"}),
        ["reasoning_delta"],
    ),
    "responses response.reasoning_summary_text.delta": (
        "responses",
        in_item("reasoning", "response.reasoning_summary_text.delta", summary_index=0, delta="a"),
        ["reasoning_delta"],
    ),
    "responses response.reasoning_summary_text.done": (
        "responses",
        in_item("reasoning", "response.reasoning_summary_text.done", summary_index=0, text="a"),
        ["reasoning_delta"],
    ),
    "responses response.reasoning_text.delta": (
        "responses",
        in_item("reasoning", "response.reasoning_text.delta", content_index=0, delta="a"),
        ["reasoning_delta"],
    ),
    "responses response.reasoning_text.done": (
        "responses",
        in_item("reasoning", "response.reasoning_text.done", content_index=0, text="a"),
        ["reasoning_delta"],
    ),
    "responses response.function_call_arguments.delta": (
        "responses",
        CREATED
        + item("function_call", call_id="c", name="f")
        + named("response.function_call_arguments.delta", output_index=0, delta='{"a":1}'),
        ["tool_call_started", "tool_call_delta"],
    ),
    "responses response.function_call_arguments.done": (
        "responses",
        CREATED
        + item("function_call", call_id="c", name="f")
        + named("response.function_call_arguments.done", output_index=0, arguments='{"a":1}'),
        ["tool_call_started", "tool_call_delta"],
    ),
    "responses response.custom_tool_call_input.delta": (
        "responses",
        CREATED
        + item("custom_tool_call", call_id="c", name="f")
        + named("response.custom_tool_call_input.delta", output_index=0, delta="a"),
        ["tool_call_started", "tool_call_delta"],
    ),
    "responses response.custom_tool_call_input.done": (
        "responses",
        CREATED
        + item("custom_tool_call", call_id="c", name="f")
        + named("response.custom_tool_call_input.done", output_index=0, input="a"),
        ["tool_call_started", "tool_call_delta"],
    ),
    "responses response.mcp_call_arguments.delta": (
        "responses",
        in_item("mcp_call", "response.mcp_call_arguments.delta", delta="{}"),
        ["extra", "extra"],
    ),
    "responses response.mcp_call_arguments.done": (
        "responses",
        in_item("mcp_call", "response.mcp_call_arguments.done", arguments="{}"),
        ["extra", "extra"],
    ),
    "responses response.code_interpreter_call_code.delta": (
        "responses",
        in_item("code_interpreter_call", "response.code_interpreter_call_code.delta", delta="1"),
        ["extra", "extra"],
    ),
    "responses response.code_interpreter_call_code.done": (
        "responses",
        in_item("code_interpreter_call", "response.code_interpreter_call_code.done", code="1"),
        ["extra", "extra"],
    ),
    "responses response.completed": ("responses", ended("response.completed"), ["finished"]),
    "responses response.incomplete": ("responses", ended("response.incomplete"), ["finished"]),
    "responses response.cancelled": ("responses", ended("response.cancelled"), ["finished"]),
    "responses response.done": ("responses", CREATED + named("response.done", response={"status": "completed"}), ["finished"]),
    "responses response.content_part.delta": (
        "responses",
        in_item("message", "response.content_part.delta", content_index=0, delta="a"),
        ["text_delta"],
    ),
    "responses response.web_search_call.searching": (
        "responses",
        in_item("web_search_call", "response.web_search_call.searching"),
        ["extra", "extra"],
    ),
    "responses without a type": ("responses", CREATED + 'data: {"own": 1}\n\n', ["extra"]),
    "responses response.failed": ("responses", ended("response.failed", error={"code": "server_error"}), ["!upstream"]),
    "responses error": ("responses", CREATED + named("error", message="no"), ["!upstream"]),
    "responses other event": ("responses", CREATED + named("response.hologram"), ["extra"]),
}


def parsed(pieces):
    parser = sd.FrameParser()
    frames = [frame for piece in pieces for frame in parser.feed(piece)]
    parser.close()
    return frames


@pytest.mark.parametrize("name", RULES)
def test_a_rule_holds_wherever_the_bytes_are_cut(name):
    data, frames = RULES[name]
    assert parsed([data]) == frames
    assert parsed(bytes([byte]) for byte in data) == frames
    for cut in range(len(data) if len(data) < 200 else 0):
        assert parsed([data[:cut], data[cut:]]) == frames, cut


def told(decoder, pieces):
    """Types of the events, and of the error, of a stream that is not closed."""
    types: list[str] = []
    try:
        for piece in pieces:
            types.extend(event.type for event in decoder.feed(piece))
    except sd.UpstreamError as error:
        types.append(f"!{error.kind}")
    return types


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("asked_for", ["its name", "auto"])
def test_an_event_tells_what_the_page_says(name, asked_for):
    dialect, text, types = EVENTS[name]
    for pieces in ([text.encode()], [bytes([byte]) for byte in text.encode()]):
        decoder = sd.Decoder("auto" if asked_for == "auto" else dialect)
        assert [type for type in told(decoder, pieces) if type != "started"] == types
        assert decoder.complete is ("finished" in types)


@pytest.mark.parametrize("name", EVENTS)
def test_without_its_terminating_frame_none_of_them_is_an_answer(name):
    dialect, text, types = EVENTS[name]
    decoder = sd.Decoder(dialect)
    told(decoder, [text.encode()])
    if "finished" not in types and "!upstream" not in types:
        with pytest.raises(sd.TruncatedStreamError):
            decoder.close()


def test_the_page_and_the_cases_name_the_same():
    page = PAGE.read_text(encoding="utf-8")
    named_there = re.findall(r"\| `([^`|]+)` \|$", page, re.MULTILINE)
    assert sorted(named_there) == sorted([*RULES, *EVENTS])
