"""What the demonstration's server plays: the same turn in three dialects, a failure, and a cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["SCRIPTS", "UNSENT", "Script"]

_REASONING = "They ask about today, so the weather comes first."
_TEXT = "Let me look up the weather in Orléans."
_NAME = "get_weather"
_ARGUMENTS = '{"city": "Orléans", "unit": "°C"}'
_CUT_TEXT = "You can delete the old backup"
UNSENT = " once the new one has been verified."
_MODEL = "demo-1"


class Script:
    """One response of the server.

    Attributes:
        path: where a POST gets it.
        body: all its bytes.
        seconds: how long it plays.
        sample: one line of the body, to show what this dialect looks like on the wire.
    """

    __slots__ = ("body", "path", "sample", "seconds")

    def __init__(self, path: str, frames: Iterable[str], seconds: float, sample: str) -> None:
        text = "".join(frames)
        self.path = path
        self.body = text.encode()
        self.seconds = seconds
        self.sample = next(line for line in text.splitlines() if sample in line)


def _dumps(payload: dict[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def _pieces(text: str, size: int = 7) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _chunk(delta: dict[str, Any], finish_reason: str | None = None, **members: Any) -> str:
    choice = {"index": 0, "delta": delta} | ({"finish_reason": finish_reason} if finish_reason else {})
    return f"data: {_dumps({'id': 'chat-1', 'model': _MODEL, 'choices': [choice], **members})}\n\n"


def _call_chunk(arguments: str, **members: Any) -> str:
    function = {"arguments": arguments}
    if name := members.pop("name", None):
        function = {"name": name, **function}
    return _chunk({"tool_calls": [{"index": 0, **members, "function": function}]})


def _chat() -> Iterator[str]:
    yield _chunk({"role": "assistant", "content": ""})
    yield ": keep-alive\n\n"
    yield from (_chunk({"reasoning_content": piece}) for piece in _pieces(_REASONING))
    yield from (_chunk({"content": piece}) for piece in _pieces(_TEXT))
    yield _call_chunk("", id="call_1", type="function", name=_NAME)
    yield from (_call_chunk(piece) for piece in _pieces(_ARGUMENTS))
    yield _chunk({}, "tool_calls", usage={"prompt_tokens": 31, "completion_tokens": 24, "total_tokens": 55})
    yield "data: [DONE]\n\n"


def _event(type: str, **members: Any) -> str:
    return f"event: {type}\ndata: {_dumps({'type': type, **members})}\n\n"


def _block(index: int, block: dict[str, Any], deltas: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield _event("content_block_start", index=index, content_block=block)
    yield from (_event("content_block_delta", index=index, delta=delta) for delta in deltas)
    yield _event("content_block_stop", index=index)


def _message_start() -> str:
    usage = {"input_tokens": 31, "output_tokens": 0}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [],
        "usage": usage,
    }
    return _event("message_start", message=message)


def _messages() -> Iterator[str]:
    yield _message_start()
    thinking = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(_REASONING)]
    yield from _block(0, {"type": "thinking", "thinking": ""}, [*thinking, {"type": "signature_delta", "signature": "c2lnbmVk"}])
    yield _event("ping")
    yield from _block(1, {"type": "text", "text": ""}, ({"type": "text_delta", "text": piece} for piece in _pieces(_TEXT)))
    arguments = ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces(_ARGUMENTS))
    yield from _block(2, {"type": "tool_use", "id": "call_1", "name": _NAME, "input": {}}, arguments)
    yield _event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None}, usage={"output_tokens": 24})
    yield _event("message_stop")


def _responses() -> Iterator[str]:
    reasoning: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": _REASONING}]}
    content: list[dict[str, Any]] = [{"type": "output_text", "text": _TEXT, "annotations": []}]
    message: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    call: dict[str, Any] = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": _NAME, "arguments": _ARGUMENTS}
    response = {"id": "resp_1", "object": "response", "model": _MODEL}
    yield _event("response.created", response={**response, "status": "in_progress", "output": []})
    yield from _item(0, {**reasoning, "summary": []}, reasoning, "reasoning_summary_text", _REASONING, summary_index=0)
    yield from _item(1, {**message, "content": [], "status": "in_progress"}, message, "output_text", _TEXT, content_index=0)
    yield from _item(
        2,
        {**call, "arguments": "", "status": "in_progress"},
        {**call, "status": "completed"},
        "function_call_arguments",
        _ARGUMENTS,
    )
    usage = {"input_tokens": 31, "output_tokens": 24, "total_tokens": 55}
    final: dict[str, Any] = {
        **response,
        "status": "completed",
        "output": [reasoning, message, {**call, "status": "completed"}],
        "usage": usage,
    }
    yield _event("response.completed", response=final)


def _item(index: int, opened: dict[str, Any], done: dict[str, Any], channel: str, text: str, **place: int) -> Iterator[str]:
    where: dict[str, Any] = {"output_index": index, "item_id": opened["id"], **place}
    yield _event("response.output_item.added", output_index=index, item=opened)
    yield from (_event(f"response.{channel}.delta", **where, delta=piece) for piece in _pieces(text))
    yield _event("response.output_item.done", output_index=index, item=done)


def _failing() -> Iterator[str]:
    yield _message_start()
    deltas = ({"type": "text_delta", "text": piece} for piece in _pieces("The three highest mountains are Everest, K2 and"))
    *frames, _ = _block(0, {"type": "text", "text": ""}, deltas)
    yield from frames
    yield _event("error", error={"type": "overloaded_error", "message": "Overloaded"})


def _cut() -> Iterator[str]:
    yield _chunk({"role": "assistant", "content": ""})
    yield from (_chunk({"content": piece}) for piece in _pieces(_CUT_TEXT))


# Together six seconds, the cut being played twice.
SCRIPTS = {
    "chat": Script("/v1/chat/completions", _chat(), 1.3, '"content":"L'),
    "messages": Script("/v1/messages", _messages(), 1.3, '"text":"L'),
    "responses": Script("/v1/responses", _responses(), 1.3, '"delta":"L'),
    "failing": Script("/failing/v1/messages", _failing(), 0.9, "overloaded"),
    "cut": Script("/cut/v1/chat/completions", _cut(), 0.6, '"content":"Y'),
}
