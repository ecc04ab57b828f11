"""What each event between a response's beginning and its end adds to the output, by the event's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...values import JSONObject
from ..emit import object_member, word
from .items import WRAPPING, CallItem, OtherItem, names_in
from .message import MessageItem
from .reasoning import ReasoningItem

if TYPE_CHECKING:
    from .output import Output

__all__ = ["EVENTS", "fold_status"]


def _item_added(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "item")
    return output.added(payload.get("output_index"), fields).place if fields else None


def _item_done(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "item")
    return output.finished(payload.get("output_index"), fields).place if fields else None


def _part(output: Output, payload: dict[str, Any]) -> int | None:
    """A content part has been announced, or has ended. Some servers send those of a reasoning item under the type of text."""
    part = object_member(payload, "part")
    found = output.find(payload.get("output_index"), payload.get("item_id"))
    is_reasoning = part.get("type") == "reasoning_text" or (
        isinstance(found, ReasoningItem) and (not part.get("text") or word(payload.get("item_id")) in names_in(found.fields))
    )
    item = output.item_for(payload, "reasoning" if is_reasoning else "message")
    assert isinstance(item, (MessageItem, ReasoningItem))
    return item.take_part(payload)


def _part_delta(output: Output, payload: dict[str, Any]) -> int | None:
    """A delta that does not say its kind: the kind of the part at its index, text where there is none."""
    delta = payload.get("delta")
    if not isinstance(delta, str) and not (isinstance(delta, JSONObject) and isinstance(delta.get("text"), str)):
        place = output.place_of(payload)
        output.extra_items(payload["type"], [payload], place)
        return place
    item, stem = output.find(payload.get("output_index"), payload.get("item_id")), "output_text"
    if isinstance(item, ReasoningItem):
        stem = "reasoning_text"
    elif isinstance(item, MessageItem) and item.announced_content(payload.get("content_index"), "refusal") is not None:
        stem = "refusal"
    kind, take, _ = EVENTS[f"response.{stem}.delta"]
    return take(output.item_for(payload, kind), payload)


# Of each event: the type of the item that it adds to, the item's method that takes it, and the members that are taken; others
# become Extra. Without a type, a function here finds the item.
_Take = Callable[[Any, dict[str, Any]], int | None]
_Row = tuple[str, _Take, frozenset[str]]


def _row(kind: str, take: _Take, *members: str) -> _Row:
    return kind, take, WRAPPING.union(members)


def _rows(kind: str, stem: str, take_delta: _Take, take_done: _Take, whole: str, *others: str) -> dict[str, _Row]:
    """The rows of what comes in deltas, and then in ``whole`` of a ``.done``."""
    delta, done = _row(kind, take_delta, "delta", *others), _row(kind, take_done, whole, *others)
    return {f"response.{stem}.delta": delta, f"response.{stem}.done": done}


EVENTS: dict[str, _Row] = {
    "response.output_item.added": _row("", _item_added, "item"),
    "response.output_item.done": _row("", _item_done, "item"),
    "response.content_part.added": _row("", _part, "part"),
    "response.content_part.delta": _row("", _part_delta, "delta"),
    "response.content_part.done": _row("", _part, "part"),
    **_rows("message", "output_text", MessageItem.take_text, MessageItem.take_whole_text, "text", "logprobs"),
    "response.output_text.annotation.added": _row("message", MessageItem.take_annotation, "annotation"),
    **_rows("message", "refusal", MessageItem.take_refusal, MessageItem.take_whole_refusal, "refusal"),
    "response.reasoning_summary_part.added": _row("reasoning", ReasoningItem.take_part, "part"),
    "response.reasoning_summary_part.done": _row("reasoning", ReasoningItem.take_part, "part"),
    **_rows("reasoning", "reasoning_summary_text", ReasoningItem.take_delta, ReasoningItem.take_done, "text"),
    **_rows("reasoning", "reasoning_text", ReasoningItem.take_delta, ReasoningItem.take_done, "text"),
    # The same under the names that the open specification of this dialect has, and that some local servers use.
    **_rows("reasoning", "reasoning", ReasoningItem.take_delta, ReasoningItem.take_done, "text"),
    "response.reasoning_part.added": _row("reasoning", ReasoningItem.take_part, "part"),
    "response.reasoning_part.done": _row("reasoning", ReasoningItem.take_part, "part"),
    **_rows("function_call", "function_call_arguments", CallItem.take_piece, CallItem.take_whole, "arguments", "name"),
    **_rows("custom_tool_call", "custom_tool_call_input", CallItem.take_piece, CallItem.take_whole, "input", "name"),
    **_rows("mcp_call", "mcp_call_arguments", OtherItem.take_piece, OtherItem.take_whole, "arguments"),
    **_rows("code_interpreter_call", "code_interpreter_call_code", OtherItem.take_piece, OtherItem.take_whole, "code"),
}

# Of each hosted tool: the status that its item has while it works. Items that list tools have none.
_WORKING: dict[str, str] = {
    "web_search_call": "searching",
    "file_search_call": "searching",
    "code_interpreter_call": "interpreting",
    "image_generation_call": "generating",
    "mcp_call": "in_progress",
    "computer_call": "in_progress",
}


def fold_status(output: Output, payload: dict[str, Any]) -> None:
    """Put the status that an event reports of a hosted tool into the tool's item, as the provider's SDK for Node does."""
    prefix, _, rest = payload["type"].partition(".")
    kind, _, status = rest.partition(".")
    if prefix == "response" and kind in _WORKING and status in ("in_progress", _WORKING[kind], "completed", "failed"):
        item = output.find_kind(payload, kind)
        if isinstance(item, OtherItem) and item.kind == kind:
            item.set_status(status)
