"""Writes a reply as a Responses stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .frames import CREATED, named_frame, no_place, pieces_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .content import Content

__all__ = ["responses_error", "responses_failure", "responses_frames"]

# For finish reasons that are a status; others are the reason of status "incomplete".
_WORDS = {
    "stop": "completed",
    "length": "max_output_tokens",
    "tool_calls": "completed",
    "content_filter": "content_filter",
    "cancelled": "cancelled",
}
_STATUSES = frozenset({"completed", "cancelled"})


def responses_frames(content: Content, *, piece: int | None, background: bool = False) -> tuple[list[bytes], list[bytes]]:
    """The frames of the stream, and the one that finishes it.

    Args:
        content: what to say.
        piece: characters in one delta; None for whole parts.
        background: whether the response runs in the background, so that a stream of it can be resumed.

    Raises:
        MisuseError: the content has something that the dialect has no place or word for.
    """
    if content.alternatives:
        raise no_place("responses", "more than one choice", "send one request a choice")
    items = _items(content)
    members = {"background": True, "store": True} if background else {}
    begun = {**_response(content, "in_progress"), **members}
    events: list[dict[str, Any]] = [{"type": f"response.{name}", "response": begun} for name in ("created", "in_progress")]
    for index, item in enumerate(items):
        events += _item_events(index, item, piece)
    frames = [_numbered_frame(event, number) for number, event in enumerate([*events, _last(content, items, members)])]
    return frames[:-1], frames[-1:]


def responses_error(message: str, type: str | None, code: str | None) -> dict[str, Any]:
    """The body of an HTTP error."""
    return {"error": {"message": message, "type": type or "server_error", "param": None, "code": code}}


def responses_failure(content: Content, message: str, type: str | None, code: str | None, number: int) -> bytes:
    """The frame that reports a failure in the stream. The dialect has codes and no types; one is added to its members."""
    error = {"code": code or "server_error", "message": message, **({"type": type} if type is not None else {})}
    response = {**_response(content, "failed"), "error": error}
    return _numbered_frame({"type": "response.failed", "response": response}, number)


def _numbered_frame(event: dict[str, Any], number: int) -> bytes:
    return named_frame({**event, "sequence_number": number})


# ---- the response


def _id(content: Content) -> str:
    return content.id or f"resp_{content.key}"


def _response(content: Content, status: str) -> dict[str, Any]:
    """The members that the dialect's own types require, without an answer in them."""
    return {
        "id": _id(content),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": content.model,
        "output": [],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None,
    }


def _last(content: Content, items: list[dict[str, Any]], members: dict[str, Any]) -> dict[str, Any]:
    """The terminating event, with the whole response and further members of it."""
    word = content.word("responses", _WORDS)
    status = word if word in _STATUSES else "incomplete"
    response = {**_response(content, status), **members, "output": items}
    if status == "incomplete":
        response["incomplete_details"] = {"reason": word}
    if content.usage is not None:
        response["usage"] = _usage(content.usage)
    return {"type": f"response.{status}", "response": response}


def _usage(usage: sd.Usage) -> dict[str, Any]:
    details = {"cached_tokens": usage.cached_input_tokens, "cache_write_tokens": usage.cache_write_tokens}
    counts = {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {name: count for name, count in details.items() if count is not None},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {} if usage.reasoning_tokens is None else {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }
    return {name: count for name, count in counts.items() if count is not None}


# ---- its items, as they are in the end


def _items(content: Content) -> list[dict[str, Any]]:
    """Text and refusals that follow each other are one message; any other part is an item of its own."""
    items: list[dict[str, Any]] = []
    key = _id(content).removeprefix("resp_")  # so that items of one response have other ids than those of another
    for part in content.parts:
        if isinstance(part, (sd.TextPart, sd.RefusalPart)):
            if not items or items[-1]["type"] != "message":
                items.append(
                    {
                        "id": f"msg_{key}_{len(items)}",
                        "type": "message",
                        "role": "assistant",
                        "status": "completed",
                        "content": [],
                    }
                )
            items[-1]["content"].append(_content_part(part))
        else:
            items.append(_item(part, f"{key}_{len(items)}"))
    if items and content.is_cut_off and "status" in items[-1]:
        items[-1]["status"] = "incomplete"
    return items


def _content_part(part: sd.TextPart | sd.RefusalPart) -> dict[str, Any]:
    if isinstance(part, sd.RefusalPart):
        return {"type": "refusal", "refusal": part.text}
    return {"type": "output_text", "text": part.text, "annotations": [], "logprobs": []}


def _item(part: sd.ReasoningPart | sd.ToolCall | sd.OtherPart, key: str) -> dict[str, Any]:
    if isinstance(part, sd.OtherPart):
        return dict(part.native)
    if isinstance(part, sd.ReasoningPart):
        summary = [{"type": "summary_text", "text": part.text}] if part.text else []
        proofs = {"encrypted_content": part.encrypted, "signature": part.signature}
        proofs = {name: value for name, value in proofs.items() if value is not None}
        return {"id": f"rs_{key}", "type": "reasoning", "summary": summary, **proofs}
    call = {"status": "completed", "call_id": part.id, "name": part.name}
    if part.kind == "custom":
        return {"id": f"ctc_{key}", "type": "custom_tool_call", **call, "input": part.arguments}
    return {"id": f"fc_{key}", "type": "function_call", **call, "arguments": part.arguments}


# ---- and as they come


def _item_events(index: int, item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    """From ``output_item.added`` to ``output_item.done``."""
    emptied, events = _IN_PIECES.get(item["type"], (None, _nothing))
    opened = dict(item) if emptied is None else {**item, emptied: type(item[emptied])()}
    if "status" in item:
        opened["status"] = "in_progress"
    yield {"type": "response.output_item.added", "output_index": index, "item": opened}
    for event in events(item, piece):
        yield {"type": event["type"], "output_index": index, "item_id": item.get("id"), **event}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _message(item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    for index, part in enumerate(item["content"]):
        member = "refusal" if part["type"] == "refusal" else "text"
        event = "response.refusal" if member == "refusal" else "response.output_text"
        logprobs: dict[str, Any] = {} if member == "refusal" else {"logprobs": []}
        yield {"type": "response.content_part.added", "content_index": index, "part": {**part, member: ""}}
        for text in pieces_of(part[member], piece):
            yield {"type": f"{event}.delta", "content_index": index, "delta": text, **logprobs}
        yield {"type": f"{event}.done", "content_index": index, member: part[member], **logprobs}
        yield {"type": "response.content_part.done", "content_index": index, "part": part}


def _reasoning(item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    for index, part in enumerate(item["summary"]):
        yield {"type": "response.reasoning_summary_part.added", "summary_index": index, "part": {**part, "text": ""}}
        for text in pieces_of(part["text"], piece):
            yield {"type": "response.reasoning_summary_text.delta", "summary_index": index, "delta": text}
        yield {"type": "response.reasoning_summary_text.done", "summary_index": index, "text": part["text"]}
        yield {"type": "response.reasoning_summary_part.done", "summary_index": index, "part": part}


def _function_call(item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    for text in pieces_of(item["arguments"], piece):
        yield {"type": "response.function_call_arguments.delta", "delta": text}
    yield {"type": "response.function_call_arguments.done", "name": item["name"], "arguments": item["arguments"]}


def _custom_call(item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    for text in pieces_of(item["input"], piece):
        yield {"type": "response.custom_tool_call_input.delta", "delta": text}
    yield {"type": "response.custom_tool_call_input.done", "input": item["input"]}


def _nothing(item: dict[str, Any], piece: int | None) -> Iterator[dict[str, Any]]:
    """What comes between for an item of another provider's making."""
    return iter(())


# By the item's type: the member that is empty when it is opened, and the events that fill it.
_IN_PIECES: dict[str, tuple[str | None, Callable[[dict[str, Any], int | None], Iterator[dict[str, Any]]]]] = {
    "message": ("content", _message),
    "reasoning": ("summary", _reasoning),
    "function_call": ("arguments", _function_call),
    "custom_tool_call": ("input", _custom_call),
}
