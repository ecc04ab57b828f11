"""Writes a reply as a Chat Completions stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .frames import CREATED, frame, no_place, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .content import Content

__all__ = ["chat_error", "chat_failure", "chat_frames"]

_WORDS = {"stop": "stop", "length": "length", "tool_calls": "tool_calls", "content_filter": "content_filter"}


def chat_frames(content: Content, *, piece: int | None, reasoning_name: str, done: bool) -> tuple[list[bytes], list[bytes]]:
    """The frames of the stream, and those that finish it.

    Args:
        content: what to say.
        piece: characters in one delta; None for whole parts.
        reasoning_name: the delta's member that holds reasoning.
        done: whether ``[DONE]`` comes last.

    Raises:
        MisuseError: the content has something that the dialect has no place or word for.
    """
    choices = [content, *content.alternatives]
    deltas = [_deltas(choice, piece, reasoning_name) for choice in choices]
    said = [_chunk(content, [_choice(index, delta)]) for index, delta in _in_turns(deltas)]
    ends = [_chunk(content, [_choice(index, {}, choice.word("chat", _WORDS))]) for index, choice in enumerate(choices)]
    if content.usage is not None:
        ends.append(_chunk(content, [], usage=_usage(content.usage)))
    return said, [*ends, *([frame("[DONE]")] if done else [])]


def chat_failure(message: str, type: str | None, code: str | None, number: int) -> bytes:
    """The frame that reports a failure in the stream."""
    return frame(chat_error(message, type, code))


def chat_error(message: str, type: str | None, code: str | None) -> dict[str, Any]:
    """The payload of a failure; also the body of an HTTP error."""
    return {"error": {"message": message, "type": type or "server_error", "param": None, "code": code}}


def _chunk(content: Content, choices: list[dict[str, Any]], **members: Any) -> bytes:
    head = {
        "id": content.id or f"chatcmpl-{content.key}",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": content.model,
    }
    return frame({**head, "choices": choices, **members})


def _choice(index: int, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "finish_reason": finish_reason}


def _in_turns(choices: Iterable[Iterable[dict[str, Any]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The choices' deltas one after the other, as a server sends them that writes all choices at once."""
    left = {index: iter(deltas) for index, deltas in enumerate(choices)}
    while left:
        for index, deltas in list(left.items()):
            delta = next(deltas, None)
            if delta is None:
                del left[index]
            else:
                yield index, delta


def _deltas(content: Content, piece: int | None, reasoning_name: str) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if content.text else None}
    calls = 0
    for number, part in enumerate(content.parts):
        if isinstance(part, sd.TextPart):
            yield from ({"content": text} for text in pieces_of(part.text, piece))
        elif isinstance(part, sd.RefusalPart):
            yield from ({"refusal": text} for text in pieces_of(part.text, piece))
        elif isinstance(part, sd.ReasoningPart):
            yield from _reasoning(part, piece, reasoning_name, number)
        elif isinstance(part, sd.ToolCall):
            yield from _call(part, piece, calls)
            calls += 1
        else:
            raise no_place("chat", "another provider's block or item", "leave the OtherPart out")


def _reasoning(part: sd.ReasoningPart, piece: int | None, name: str, index: int) -> Iterator[dict[str, Any]]:
    """Plain text where nothing has to go back; what proves or hides it goes into ``reasoning_details``, as gateways do it."""
    details = part.signature is not None or part.encrypted is not None
    for text in pieces_of(part.text, piece):
        entry = {"type": "reasoning.text", "index": index, "text": text}
        yield {name: text, **({"reasoning_details": [entry]} if details else {})}
    if part.signature is not None:
        yield {"reasoning_details": [{"type": "reasoning.text", "index": index, "signature": part.signature}]}
    if part.encrypted is not None:
        yield {"reasoning_details": [{"type": "reasoning.encrypted", "index": index, "data": part.encrypted}]}


def _call(call: sd.ToolCall, piece: int | None, index: int) -> Iterator[dict[str, Any]]:
    kind, member = call.kind, "input" if call.kind == "custom" else "arguments"
    yield {"tool_calls": [{"index": index, "id": call.id, "type": kind, kind: {"name": call.name, member: ""}}]}
    for text in pieces_of(call.arguments, piece):
        yield {"tool_calls": [{"index": index, kind: {member: text}}]}


def _usage(usage: sd.Usage) -> dict[str, Any]:
    details = {"cached_tokens": usage.cached_input_tokens, "cache_write_tokens": usage.cache_write_tokens}
    counts = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {name: count for name, count in details.items() if count is not None},
    }
    if usage.reasoning_tokens is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return {name: count for name, count in counts.items() if count is not None}
