"""Writes a reply as a Messages stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .frames import named_frame, no_place, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .content import Content

__all__ = ["messages_error", "messages_failure", "messages_frames"]

_WORDS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "refusal": "refusal",
    "pause": "pause_turn",
}


def messages_frames(content: Content, *, piece: int | None) -> tuple[list[bytes], list[bytes]]:
    """The frames of the stream, and those that finish it.

    Args:
        content: what to say.
        piece: characters in one delta; None for whole blocks.

    Raises:
        MisuseError: the content has something that the dialect has no place or word for.
    """
    if content.alternatives:
        raise no_place("messages", "more than one choice", "send one request a choice")
    delta = {"stop_reason": content.word("messages", _WORDS), "stop_sequence": None}
    said = [named_frame(_message_start(content))]
    for index, part in enumerate(content.parts):
        block, deltas = _block(part, piece)
        said.append(named_frame({"type": "content_block_start", "index": index, "content_block": block}))
        said += (named_frame({"type": "content_block_delta", "index": index, "delta": each}) for each in deltas)
        said.append(named_frame({"type": "content_block_stop", "index": index}))
    counts = {"usage": _usage(content.usage)} if content.usage is not None else {}
    ends = [named_frame({"type": "message_delta", "delta": delta, **counts}), named_frame({"type": "message_stop"})]
    return said, ends


def messages_failure(message: str, type: str | None, code: str | None, number: int) -> bytes:
    """The frame that reports a failure in the stream."""
    return named_frame(messages_error(message, type, code))


def messages_error(message: str, type: str | None, code: str | None) -> dict[str, Any]:
    """The payload of a failure; also the body of an HTTP error. The dialect has no codes; one is added to its members."""
    coded = {"code": code} if code is not None else {}
    return {"type": "error", "error": {"type": type or "api_error", "message": message, **coded}}


def _message_start(content: Content) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": content.id or f"msg_{content.key}",
        "type": "message",
        "role": "assistant",
        "model": content.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    if content.usage is not None:
        counts = _usage(content.usage)
        counts.pop("output_tokens_details", None)
        message["usage"] = {**counts, "output_tokens": min(1, content.usage.output_tokens or 0)}
    return {"type": "message_start", "message": message}


def _block(part: sd.Part, piece: int | None) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
    """How the part's block is opened, and its deltas."""
    if isinstance(part, sd.TextPart):
        return {"type": "text", "text": ""}, ({"type": "text_delta", "text": text} for text in pieces_of(part.text, piece))
    if isinstance(part, sd.ReasoningPart):
        return _reasoning(part, piece)
    if isinstance(part, sd.ToolCall):
        if part.kind == "custom":
            raise no_place("messages", "a custom tool call", "give it JSON arguments, as a function")
        deltas = ({"type": "input_json_delta", "partial_json": text} for text in pieces_of(part.arguments, piece))
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}, deltas
    if isinstance(part, sd.RefusalPart):
        raise no_place("messages", "the text of a refusal", 'write it as text, with finish_reason="refusal"')
    return part.native, ()


def _reasoning(part: sd.ReasoningPart, piece: int | None) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
    if part.encrypted is not None:
        if part.text or part.signature is not None:
            raise no_place("messages", "reasoning that is both readable and encrypted", "make two parts of it")
        return {"type": "redacted_thinking", "data": part.encrypted}, ()
    return {"type": "thinking", "thinking": "", "signature": ""}, _thinking(part, piece)


def _thinking(part: sd.ReasoningPart, piece: int | None) -> Iterator[dict[str, Any]]:
    for text in pieces_of(part.text, piece):
        yield {"type": "thinking_delta", "thinking": text}
    if part.signature is not None:
        yield {"type": "signature_delta", "signature": part.signature}


def _usage(usage: sd.Usage) -> dict[str, Any]:
    """In this dialect the input's count is what was neither read from the cache nor written to it."""
    read, written = usage.cached_input_tokens, usage.cache_write_tokens
    fresh = None if usage.input_tokens is None else usage.input_tokens - (read or 0) - (written or 0)
    counts: dict[str, Any] = {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": usage.output_tokens,
    }
    if usage.reasoning_tokens is not None:
        counts["output_tokens_details"] = {"thinking_tokens": usage.reasoning_tokens}
    return {name: count for name, count in counts.items() if count is not None}
