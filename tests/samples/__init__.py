"""Small streams of our own, at least one for each thing that providers send. Tests against the SDKs' types, of turns and of
nothing being dropped run over all of them."""

from __future__ import annotations

import json
from typing import Any

import sse_dialects as sd

__all__ = ["Sample", "answered", "chat", "messages", "responses"]


class Sample:
    """One complete stream: its name and the payloads of its frames, the terminating one included."""

    def __init__(self, dialect: str, name: str, payloads: list[dict[str, Any]]) -> None:
        self.dialect = dialect
        self.name = name
        self.payloads = payloads

    @property
    def data(self) -> bytes:
        """The stream's bytes. Non-ASCII characters are escaped, so that half a surrogate pair can be told."""
        frames = [_frame(payload) for payload in self.payloads]
        return "".join(frames + ["data: [DONE]\n\n"] * (self.dialect == "chat")).encode("utf-8", "surrogatepass")

    def __repr__(self) -> str:
        return f"{self.dialect}: {self.name}"


def _frame(payload: dict[str, Any]) -> str:
    event = f"event: {payload['type']}\n" if isinstance(payload.get("type"), str) else ""
    return f"{event}data: {json.dumps(payload)}\n\n"


def answered(data: bytes, dialect: str) -> tuple[list[sd.Event], sd.Answer]:
    """All events of a complete stream, and its answer."""
    decoder = sd.Decoder(dialect)
    events = [*decoder.feed(data), *decoder.close()]
    return events, decoder.answer()


# ---- chat


def chunk(
    delta: dict[str, Any], finish_reason: str | None = None, *, index: int = 0, top: dict[str, Any] | None = None, **choice: Any
):
    """A chunk of one choice; ``top`` are other members of the chunk, ``choice`` of the choice."""
    return chunk_of({"index": index, "delta": delta, "finish_reason": finish_reason, **choice}, **(top or {}))


def chunk_of(*choices: dict[str, Any], **top: Any) -> dict[str, Any]:
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m-1"}
    return {**head, "choices": list(choices), **top}


def piece(arguments: str, index: int = 0, **opened: Any) -> dict[str, Any]:
    """A delta with one piece of a tool call; with ``id`` and ``name`` it opens the call."""
    name = opened.pop("name", None)
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, **opened, "function": function}]}


def chat(name: str, *chunks: dict[str, Any], finish: str = "stop") -> Sample:
    """A chat stream: a role, the chunks, and a finish chunk."""
    return Sample("chat", name, [chunk({"role": "assistant", "content": ""}), *chunks, chunk({}, finish)])


# ---- messages


def start(**message: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    fields = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": [], "stop_reason": None}
    return {"type": "message_start", "message": {**fields, "stop_sequence": None, "usage": usage, **message}}


def block(index: int, opened: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """A content block from its start to its stop."""
    return [
        {"type": "content_block_start", "index": index, "content_block": opened},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def ended(stop_reason: str = "end_turn", *, usage: dict[str, Any] | None = None, top: dict[str, Any] | None = None, **delta: Any):
    """A message_delta; ``delta`` are other members of its delta, ``top`` of the event."""
    delta = {"stop_reason": stop_reason, "stop_sequence": None, **delta}
    return {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 7}, **(top or {})}


def messages(name: str, *parts: Any, opened: dict[str, Any] | None = None, end: dict[str, Any] | None = None) -> Sample:
    """A messages stream of frames and of blocks, which are lists of frames."""
    frames: list[dict[str, Any]] = [opened or start()]
    for part in parts:
        frames += part if isinstance(part, list) else [part]
    return Sample("messages", name, [*frames, end or ended(), {"type": "message_stop"}])


# ---- responses


def response_of(status: str, output: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    return {
        "id": "resp_1", "object": "response", "created_at": 1700000000, "status": status, "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "model": "m-1", "output": output,
        "parallel_tool_calls": True, "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1, **members,
    }  # fmt: skip


def responses(name: str, *items: tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]], last: dict[str, Any] | None = None,
              end: str = "completed") -> Sample:  # fmt: skip
    """A responses stream. An item is what is announced, what it is when it is done, and the events between, without their
    wrapping; ``last`` are members of the final response."""
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 17,
    }
    frames = [{"type": "response.created", "response": response_of("in_progress", [])}]
    frames.append({"type": "response.in_progress", "response": response_of("in_progress", [])})
    for index, (announced, done, events) in enumerate(items):
        frames.append({"type": "response.output_item.added", "output_index": index, "item": announced})
        wrapped = {"output_index": index, **({"item_id": done["id"]} if "id" in done else {})}
        frames += [{**wrapped, **event, "type": f"response.{event['type']}"} for event in events]
        frames.append({"type": "response.output_item.done", "output_index": index, "item": done})
    final = response_of(end, [done for _, done, _ in items], **{"usage": usage, **(last or {})})
    frames.append({"type": f"response.{end}", "response": final})
    return Sample("responses", name, [{**frame, "sequence_number": number} for number, frame in enumerate(frames)])


def message(*contents: tuple[dict[str, Any], list[dict[str, Any]]], id: str = "msg_1", **members: Any):
    """A message item. A content part is what it is when it is done, and its events."""
    head = {"id": id, "type": "message", "role": "assistant", **members}
    events: list[dict[str, Any]] = []
    for index, (part, between) in enumerate(contents):
        empty = {name: value if name == "type" else type(value)() for name, value in part.items()}
        events.append({"type": "content_part.added", "content_index": index, "part": empty})
        events += [{"content_index": index, **event} for event in between]
        events.append({"type": "content_part.done", "content_index": index, "part": part})
    done = {**head, "status": "completed", "content": [part for part, _ in contents]}
    return {**head, "status": "in_progress", "content": []}, done, events


def output_text(text: str, *, cut: int = 2, **members: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    pieces = [text[:cut], text[cut:]]
    deltas = [{"type": "output_text.delta", "delta": piece, "logprobs": []} for piece in pieces]
    done = {"type": "output_text.done", "text": text, "logprobs": []}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": [], **members}, [*deltas, done]


def whole(item: dict[str, Any], *events: dict[str, Any], **changes: Any):
    """An item that is announced with some members other than they are in the end."""
    return {**item, **changes}, item, list(events)
