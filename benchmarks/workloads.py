"""Seeded streams, each named after a situation. `tests/test_benchmarks.py` checks that each decodes to what it claims."""

from __future__ import annotations

import json
import random
from typing import Any

__all__ = ["LONG", "SHORT", "WORKLOADS", "Workload"]

_PROSE = (
    "the of and to in is that for with as on are this by be from or it not at which has can a stream frame delta answer "
    "value list module function return café naïve résumé 你好 世界 🚀 → “so”"
)
_WORDS = _PROSE.split()
_MARKS = [",", ".", ":", "\n", "\n\n", '"', ' "', " (", ")", "`", "\\"]
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

_USAGE = {"input_tokens": 120, "output_tokens": 2000, "total_tokens": 2120}


class Workload:
    """One stream: its frames, the JSON payloads in them, and what they add up to.

    ``texts``, ``reasonings`` and ``arguments`` list the text and reasoning of each choice, and the arguments of each call in
    the order of the calls' indexes; ``reads`` is the size in bytes in which the stream is read.
    """

    def __init__(
        self,
        name: str,
        dialect: str,
        frames: list[bytes],
        *,
        texts: list[str],
        reasonings: list[str] | None = None,
        arguments: list[str] | None = None,
        comments: int = 0,
        reads: int = 16384,
    ) -> None:
        self.name = name
        self.dialect = dialect
        self.frames = frames
        self.wire = b"".join(frames)
        self.texts = texts
        self.reasonings = reasonings or ["" for _ in texts]
        self.arguments = arguments or []
        self.comments = comments
        lines = self.wire.decode().split("\n")
        self.payloads = [line[6:] for line in lines if line.startswith("data: {")]
        self.chunks = [self.wire[start : start + reads] for start in range(0, len(self.wire), reads)]

    def cut_after(self, count: int) -> Workload:
        """The same, ended after that many frames."""
        return Workload(self.name, self.dialect, self.frames[:count], texts=self.texts, arguments=self.arguments)


# ---- pieces


def _rng(name: str) -> random.Random:
    return random.Random(f"sse-dialects {name}")


def _tokens(rng: random.Random, count: int) -> list[str]:
    """Pieces as a model's tokens are: mostly a word with a space before it, sometimes a mark."""
    return [rng.choice(_MARKS) if rng.random() < 0.14 else f" {rng.choice(_WORDS)}" for _ in range(count)]


def _arguments(rng: random.Random, size: int) -> list[str]:
    """The JSON text of an object of about ``size`` characters, in pieces of four."""
    rows: list[dict[str, Any]] = []
    length = 0
    while length < size:
        rows.append({"id": len(rows), "path": f"/srv/{rng.getrandbits(32):x}", "note": "".join(_tokens(rng, 9)), "ok": True})
        length += len(json.dumps(rows[-1], ensure_ascii=False)) + 2
    text = json.dumps({"rows": rows}, ensure_ascii=False)
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def _dumped(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def _padding(rng: random.Random) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(1, 16)))


# ---- chat

_DONE = b"data: [DONE]\n\n"


def _chunk(rng: random.Random, delta: dict[str, Any], finish: str | None = None, index: int = 0, **more: Any) -> bytes:
    payload = {
        "id": "chatcmpl-C8f2k1mQeXn0aV7yTr5uZsB3wLd9H",
        "object": "chat.completion.chunk",
        "created": 1764430000,
        "model": "gpt-4.1-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_51e1070cf2",
        "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
        "obfuscation": _padding(rng),
        **more,
    }
    return f"data: {_dumped(payload)}\n\n".encode()


def _chat_end(rng: random.Random, finish: str) -> list[bytes]:
    usage = {"prompt_tokens": 120, "completion_tokens": 2000, "total_tokens": 2120}
    return [_chunk(rng, {}, finish), _chunk(rng, {}, choices=[], usage=usage), _DONE]


def chat_text(name: str = "chat: a page of text", count: int = 1000, **reading: Any) -> Workload:
    """A plain answer."""
    rng = _rng(name)
    tokens = _tokens(rng, count)
    first = _chunk(rng, {"role": "assistant", "content": "", "refusal": None})
    frames = [first, *(_chunk(rng, {"content": token}) for token in tokens), *_chat_end(rng, "stop")]
    return Workload(name, "chat", frames, texts=["".join(tokens)], **reading)


def chat_short() -> Workload:
    """What most people have: some sentences, each frame padded."""
    return chat_text("chat: a short answer", 25)


def chat_call() -> Workload:
    """The other common answer: one call of a tool."""
    return chat_parallel_calls("chat: a tool call", calls=1, size=60)


def chat_reasoning() -> Workload:
    """As reasoning servers send it: a long run of thought, then the answer."""
    name = "chat: reasoning, then text"
    rng = _rng(name)
    thoughts, tokens = _tokens(rng, 750), _tokens(rng, 250)
    frames = [_chunk(rng, {"role": "assistant", "content": None, "reasoning_content": ""})]
    frames += [_chunk(rng, {"reasoning_content": thought}) for thought in thoughts]
    frames += [_chunk(rng, {"content": token}) for token in tokens]
    frames += _chat_end(rng, "stop")
    return Workload(name, "chat", frames, texts=["".join(tokens)], reasonings=["".join(thoughts)])


def chat_parallel_calls(name: str = "chat: 32 parallel tool calls", calls: int = 32, size: int = 150) -> Workload:
    """An agent that calls 32 tools at once, one after the other in the stream."""
    rng = _rng(name)
    frames = [_chunk(rng, {"role": "assistant", "content": None})]
    arguments = []
    for index in range(calls):
        pieces = _arguments(rng, size)
        arguments.append("".join(pieces))
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": "read_rows", "arguments": ""}}
        frames.append(_chunk(rng, {"tool_calls": [call]}))
        frames += [_chunk(rng, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces]
    frames += _chat_end(rng, "tool_calls")
    return Workload(name, "chat", frames, texts=[""], arguments=arguments)


def chat_three_choices() -> Workload:
    """An evaluation that asks for n=3: the choices' deltas take turns."""
    name = "chat: three choices that take turns"
    rng = _rng(name)
    texts = [_tokens(rng, 300) for _ in range(3)]
    frames = [_chunk(rng, {"role": "assistant", "content": ""}, index=index) for index in range(3)]
    frames += [
        _chunk(rng, {"content": token}, index=index) for row in zip(*texts, strict=True) for index, token in enumerate(row)
    ]
    frames += [_chunk(rng, {}, "stop", index) for index in range(3)]
    return Workload(name, "chat", [*frames, _DONE], texts=["".join(tokens) for tokens in texts])


def chat_keep_alives() -> Workload:
    """A slow model behind a proxy that sends a comment before every frame."""
    name = "chat: a keep-alive before every frame"
    plain = chat_text(name, 1000)
    frames = [part for frame in plain.frames for part in (b": keep-alive\n\n", frame)]
    return Workload(name, "chat", frames, texts=plain.texts, comments=len(plain.frames))


def chat_huge_frame(mebibytes: int = 4) -> Workload:
    """One frame of 4 MiB, an image as base64 say, that drips in 1 KiB reads."""
    name = f"chat: one frame of {mebibytes} MiB in 1 KiB reads"
    rng = _rng(name)
    text = "".join(rng.choice(_LETTERS) for _ in range(1 << 10)) * (mebibytes << 10)
    return Workload(name, "chat", [_chunk(rng, {"content": text}), *_chat_end(rng, "stop")], texts=[text], reads=1024)


# ---- messages


def _event(payload: dict[str, Any], spaces: int = 0) -> bytes:
    """The frame of an event; some servers pad it with spaces ahead of the last brace."""
    return f"event: {payload['type']}\ndata: {_dumped(payload)[:-1]}{' ' * spaces}}}\n\n".encode()


def _message(name: str, blocks: list[tuple[dict[str, Any], str, str, list[str]]], reason: str, **claims: Any) -> Workload:
    """``blocks``: what opens each, its deltas' type, the member they stand in, and the pieces."""
    usage = {"input_tokens": 120, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 1}
    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    rng = _rng(f"padding of {name}")
    frames = [_event({"type": "message_start", "message": message}), b'event: ping\ndata: {"type": "ping"}\n\n']
    for index, (block, kind, member, pieces) in enumerate(blocks):
        frames.append(_event({"type": "content_block_start", "index": index, "content_block": block}))
        frames += [
            _event({"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}}, rng.randint(1, 15))
            for piece in pieces
        ]
        frames.append(_event({"type": "content_block_stop", "index": index}))
    end = {"stop_reason": reason, "stop_sequence": None}
    frames += [
        _event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 2000}}),
        _event({"type": "message_stop"}),
    ]
    return Workload(name, "messages", frames, **claims)


def messages_text(count: int = 1000, name: str = "messages: a page of text") -> Workload:
    """A plain answer."""
    tokens = _tokens(_rng(name), count)
    block = ({"type": "text", "text": ""}, "text_delta", "text", tokens)
    return _message(name, [block], "end_turn", texts=["".join(tokens)])


def messages_short() -> Workload:
    """Some sentences; this provider puts several tokens into a frame."""
    return messages_text(12, "messages: a short answer")


def messages_call() -> Workload:
    """One call of a tool."""
    return messages_tool(60, "messages: a tool call")


def messages_thinking() -> Workload:
    """Extended thinking, then the answer."""
    name = "messages: thinking, then text"
    rng = _rng(name)
    thoughts, tokens = _tokens(rng, 750), _tokens(rng, 250)
    blocks = [
        ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking", thoughts),
        ({"type": "text", "text": ""}, "text_delta", "text", tokens),
    ]
    return _message(name, blocks, "end_turn", texts=["".join(tokens)], reasonings=["".join(thoughts)])


def messages_tool(size: int = 50_000, name: str = "") -> Workload:
    """A coding agent that writes a file: 50 KB of arguments in pieces of four characters."""
    name = name or f"messages: a tool call with {size // 1000} KB of arguments"
    pieces = _arguments(_rng(name), size)
    block = ({"type": "tool_use", "id": "toolu_01", "name": "write", "input": {}}, "input_json_delta", "partial_json", pieces)
    return _message(name, [block], "tool_use", texts=[""], arguments=["".join(pieces)])


# ---- responses


class _Response:
    """The events of one response, numbered."""

    def __init__(self, tools: list[Any], instructions: str | None) -> None:
        self.frames: list[bytes] = []
        self.echo = {
            "id": "resp_01",
            "object": "response",
            "created_at": 1764430000,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": instructions,
            "max_output_tokens": None,
            "model": "gpt-5-2025-08-07",
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "reasoning": {"effort": "medium", "summary": "auto"},
            "service_tier": "default",
            "store": True,
            "temperature": 1.0,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": tools,
            "top_logprobs": 0,
            "top_p": 1.0,
            "truncation": "disabled",
            "metadata": {},
        }
        self.whole("response.created", "in_progress", [])
        self.whole("response.in_progress", "in_progress", [])

    def event(self, kind: str, **members: Any) -> None:
        members["sequence_number"] = len(self.frames)
        self.frames.append(_event({"type": kind, **dict(sorted(members.items()))}))

    def whole(self, kind: str, status: str, output: list[Any], usage: Any = None) -> None:
        self.event(kind, response={**self.echo, "status": status, "output": output, "usage": usage})

    def end(self, output: list[Any]) -> list[bytes]:
        self.whole("response.completed", "completed", output, _USAGE)
        return self.frames

    def message(self, rng: random.Random, tokens: list[str]) -> dict[str, Any]:
        place = {"item_id": "msg_01", "output_index": 0}
        item = {"id": "msg_01", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
        self.event("response.output_item.added", output_index=0, item=item)
        part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
        place["content_index"] = 0
        self.event("response.content_part.added", **place, part=part)
        for token in tokens:
            self.event("response.output_text.delta", **place, delta=token, logprobs=[], obfuscation=_padding(rng))
        text = "".join(tokens)
        self.event("response.output_text.done", **place, text=text, logprobs=[])
        part = {**part, "text": text}
        self.event("response.content_part.done", **place, part=part)
        item = {**item, "status": "completed", "content": [part]}
        self.event("response.output_item.done", output_index=0, item=item)
        return item


def responses_text(count: int = 1000, name: str = "responses: a page of text") -> Workload:
    """A plain answer."""
    rng = _rng(name)
    tokens = _tokens(rng, count)
    response = _Response([], None)
    return Workload(name, "responses", response.end([response.message(rng, tokens)]), texts=["".join(tokens)])


def responses_short() -> Workload:
    """Some sentences, each delta padded."""
    return responses_text(25, "responses: a short answer")


def responses_call() -> Workload:
    """One call of a tool."""
    return responses_tool(60, "responses: a tool call")


def responses_real_size() -> Workload:
    """A short answer to a real agent's request, which is echoed three times: 40 tools and 20 KB of instructions."""
    name = "responses: 300 deltas, the request echoed at real size"
    rng = _rng(name)
    parameters = {
        "type": "object",
        "properties": {f"argument_{n}": {"type": "string", "description": "x" * 90} for n in range(8)},
    }
    tools = [{"type": "function", "name": f"tool_{n}", "strict": True, "parameters": parameters} for n in range(40)]
    tokens = _tokens(rng, 300)
    response = _Response(tools, "You are careful. " * 1200)
    return Workload(name, "responses", response.end([response.message(rng, tokens)]), texts=["".join(tokens)])


def responses_tool(size: int = 50_000, name: str = "") -> Workload:
    """A coding agent that writes a file: 50 KB of arguments in pieces of four characters."""
    name = name or f"responses: a tool call with {size // 1000} KB of arguments"
    rng = _rng(name)
    pieces = _arguments(rng, size)
    response = _Response([], None)
    item = {
        "id": "fc_01",
        "type": "function_call",
        "status": "in_progress",
        "arguments": "",
        "call_id": "call_1",
        "name": "write",
    }
    response.event("response.output_item.added", output_index=0, item=item)
    for piece in pieces:
        members = {"item_id": "fc_01", "output_index": 0, "delta": piece, "obfuscation": _padding(rng)}
        response.event("response.function_call_arguments.delta", **members)
    text = "".join(pieces)
    response.event("response.function_call_arguments.done", item_id="fc_01", output_index=0, name="write", arguments=text)
    item = {**item, "status": "completed", "arguments": text}
    response.event("response.output_item.done", output_index=0, item=item)
    return Workload(name, "responses", response.end([item]), texts=[""], arguments=[text])


SHORT = [chat_short, chat_call, messages_short, messages_call, responses_short, responses_call]
LONG = [
    chat_text,
    chat_reasoning,
    chat_parallel_calls,
    chat_three_choices,
    chat_keep_alives,
    chat_huge_frame,
    messages_text,
    messages_thinking,
    messages_tool,
    responses_text,
    responses_real_size,
    responses_tool,
]
WORKLOADS = [*SHORT, *LONG]
