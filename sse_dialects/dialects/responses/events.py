"""What each event between a response's beginning and its end adds to the output, by the event's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...values import JSONArray, JSONObject, copied
from ..emit import arguments_member, object_member, text_member, word
from .items import CallItem, OtherItem
from .message import MessageItem, content_kind
from .reasoning import ReasoningItem

if TYPE_CHECKING:
    from .message import Content
    from .output import Output

__all__ = ["EVENTS", "WRAPPING", "fold_status"]

# Members of an event that only wrap it.
WRAPPING = frozenset(
    {
        *("type", "sequence_number", "item_id", "output_index", "content_index", "summary_index", "annotation_index"),
        *("call_id", "obfuscation"),
    }
)


# Each function takes one event and returns the place of the part that it belongs to, where there is one.


def _delta_of(payload: dict[str, Any]) -> str:
    """The text that an event brings; some servers wrap it in an object, as a part has it."""
    delta = payload.get("delta")
    if isinstance(delta, JSONObject) and isinstance(text := delta.get("text"), str):
        return text
    return text_member(payload, "delta")


# ---- items


def _item_added(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "item")
    return output.added(payload.get("output_index"), fields).place if fields else None


def _item_done(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "item")
    return output.finished(payload.get("output_index"), fields).place if fields else None


# ---- messages


def _message(output: Output, payload: dict[str, Any]) -> MessageItem:
    item = output.item_for(payload, MessageItem, {"type": "message", "role": "assistant"})
    assert isinstance(item, MessageItem)
    return item


def _content(output: Output, payload: dict[str, Any], kind: str) -> Content:
    return _message(output, payload).content(payload.get("content_index"), kind, output.emit, output.parts)


def _content_of(output: Output, payload: dict[str, Any], kind: str) -> Content:
    """The content part that an event says more of without adding text, which may come after its ``.done``."""
    item = _message(output, payload)
    return item.content_done(payload.get("content_index"), kind, None, output.emit, output.parts, again=True)


def _content_done(output: Output, payload: dict[str, Any], kind: str, fields: dict[str, Any], *, again: bool = False) -> Content:
    """The content part that a ``.done`` event ends, with its rest taken from ``fields``."""
    text = word(fields.get("text")) or word(fields.get("refusal"))
    item, index = _message(output, payload), payload.get("content_index")
    content = item.content_done(index, kind, text, output.emit, output.parts, again=again)
    content.update(fields, output.emit, output.extra)
    content.said = True
    return content


def _part_added(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "part")
    if _is_of_reasoning(output, payload, fields):
        return _reasoning_part(output, payload)
    content = _message(output, payload).announce(payload.get("content_index"), fields, output.emit, output.parts)
    content.update(fields, output.emit, output.extra)
    return content.part.place


def _part_delta(output: Output, payload: dict[str, Any]) -> int | None:
    """A delta that does not say its kind: the kind of the part at its index, text where there is none."""
    delta, index = payload.get("delta"), payload.get("content_index")
    if not isinstance(delta, str) and not (isinstance(delta, JSONObject) and isinstance(delta.get("text"), str)):
        place = output.place_of(payload)
        output.emit.extra_items(output.extra, payload["type"], [payload], 0, place)
        return place
    item = output.find(payload.get("output_index"), payload.get("item_id"))
    if isinstance(item, ReasoningItem):
        return _reasoning_delta(output, payload)
    if isinstance(item, MessageItem) and item.announced_content(index, "refusal") is not None:
        return _refusal_delta(output, payload)
    return _text_delta(output, payload)


def _part_done(output: Output, payload: dict[str, Any]) -> int | None:
    fields = object_member(payload, "part")
    if _is_of_reasoning(output, payload, fields):
        return _reasoning_part(output, payload)
    content = _content_done(output, payload, content_kind(fields), fields, again=True)
    content.closed = True
    return content.part.place


def _is_of_reasoning(output: Output, payload: dict[str, Any], part: dict[str, Any]) -> bool:
    """Whether a content part is a reasoning item's, under whatever type it comes: some servers call it text."""
    if part.get("type") == "reasoning_text":
        return True
    item = output.find(payload.get("output_index"), payload.get("item_id"))
    return isinstance(item, ReasoningItem) and (not part.get("text") or word(payload.get("item_id")) in item.names)


def _text_delta(output: Output, payload: dict[str, Any]) -> int | None:
    text, logprobs = _delta_of(payload), payload.get("logprobs")
    content = (_content if text else _content_of)(output, payload, "output_text")
    output.emit.text(content.part, text)
    if isinstance(logprobs, JSONArray) and logprobs:
        content.logprobs.extend(copied(output.emit.clean(logprobs)))
        output.emit.extra_items(output.extra, "logprobs", logprobs, 0, content.part.place)
    return content.part.place


def _text_done(output: Output, payload: dict[str, Any]) -> int | None:
    fields: dict[str, Any] = {name: payload[name] for name in ("text", "logprobs") if name in payload}
    return _content_done(output, payload, "output_text", fields).part.place


def _refusal_delta(output: Output, payload: dict[str, Any]) -> int | None:
    part = _content(output, payload, "refusal").part
    output.emit.text(part, _delta_of(payload))
    return part.place


def _refusal_done(output: Output, payload: dict[str, Any]) -> int | None:
    return _content_done(output, payload, "refusal", {"refusal": text_member(payload, "refusal")}).part.place


def _annotation_added(output: Output, payload: dict[str, Any]) -> int | None:
    content = _content_of(output, payload, "output_text")
    annotation = payload.get("annotation")
    if annotation is not None:
        content.annotations.append(copied(annotation))
        output.emit.extra_items(output.extra, "annotations", [annotation], 0, content.part.place)
    return content.part.place


# ---- reasoning


def _reasoning(output: Output, payload: dict[str, Any]) -> ReasoningItem:
    item = output.item_for(payload, ReasoningItem, {"type": "reasoning"})
    assert isinstance(item, ReasoningItem)
    return item


def _channel(payload: dict[str, Any]) -> tuple[str, Any]:
    """The channel of the reasoning that an event speaks of, and which part of it."""
    if payload["type"].startswith("response.reasoning_summary"):
        return "summary", payload.get("summary_index")
    return "content", payload.get("content_index")


def _reasoning_delta(output: Output, payload: dict[str, Any]) -> int | None:
    item, text = _reasoning(output, payload), _delta_of(payload)
    item.add(*_channel(payload), text, output.emit)
    return item.place


def _reasoning_done(output: Output, payload: dict[str, Any]) -> int | None:
    item, text = _reasoning(output, payload), text_member(payload, "text")
    item.end(*_channel(payload), {"text": text}, output.emit, output.extra)
    return item.place


def _reasoning_part(output: Output, payload: dict[str, Any]) -> int | None:
    item, part = _reasoning(output, payload), object_member(payload, "part")
    channel, index = _channel(payload)
    if str(payload.get("type")).endswith(".added"):
        item.announce_part(channel, index, part, output.emit, output.extra)
    else:
        item.announce(channel, None, output.emit)
        item.end(channel, index, part, output.emit, output.extra)
    return item.place


# ---- calls


def _call(output: Output, payload: dict[str, Any], kind: str) -> CallItem:
    guess = {"type": kind, "call_id": payload.get("call_id"), "name": payload.get("name")}
    item = output.item_for(payload, CallItem, {name: value for name, value in guess.items() if value is not None})
    assert isinstance(item, CallItem)
    return item


def _call_delta(output: Output, payload: dict[str, Any]) -> int | None:
    part = _call(output, payload, _CALLS[_stem(payload)]).part
    output.emit.arguments(part, arguments_member(payload, "delta"))
    return part.place


def _call_done(output: Output, payload: dict[str, Any]) -> int | None:
    kind = _CALLS[_stem(payload)]
    item, member = _call(output, payload, kind), CallItem.MEMBERS[kind]
    fields: dict[str, Any] = {name: payload[name] for name in ("name", "call_id") if isinstance(payload.get(name), str)}
    fields[member] = payload.get(member)
    item.update(fields, output.emit, output.parts, output.extra)
    return item.place


# ---- what the provider runs itself: kept in the item's own member, and told under the event's type


def _hosted_delta(output: Output, payload: dict[str, Any]) -> int | None:
    member, kind = _HOSTED[_stem(payload)]
    item = _hosted(output, payload, kind)
    item.add(member, _delta_of(payload), output.emit)
    return _emit(output, payload, item)


def _hosted_done(output: Output, payload: dict[str, Any]) -> int | None:
    member, kind = _HOSTED[_stem(payload)]
    item = _hosted(output, payload, kind)
    item.fields[member] = text_member(payload, member)
    return _emit(output, payload, item)


def _hosted(output: Output, payload: dict[str, Any], kind: str) -> OtherItem:
    item = output.item_for(payload, OtherItem, {"type": kind})
    assert isinstance(item, OtherItem)
    return item


def _stem(payload: dict[str, Any]) -> str:
    return str(payload.get("type")).rpartition(".")[0]


def _emit(output: Output, payload: dict[str, Any], item: OtherItem) -> int | None:
    value = {name: value for name, value in payload.items() if name not in WRAPPING}
    output.emit.extra_items(output.extra, str(payload.get("type")), [value], 0, item.part.place)
    return item.place


# By the events' stem, the kind of call, or the member that grows and the kind of item.
_CALLS: dict[str, str] = {
    "response.function_call_arguments": "function_call",
    "response.custom_tool_call_input": "custom_tool_call",
}
_HOSTED: dict[str, tuple[str, str]] = {
    "response.mcp_call_arguments": ("arguments", "mcp_call"),
    "response.code_interpreter_call_code": ("code", "code_interpreter_call"),
}

# What each event of a hosted tool says its item's status is now. Items that list tools have none, and a partial image is none.
_WORKING: dict[str, str] = {
    "web_search_call": "searching",
    "file_search_call": "searching",
    "code_interpreter_call": "interpreting",
    "image_generation_call": "generating",
    "mcp_call": "in_progress",
    "computer_call": "in_progress",
}
_STATUSES: dict[str, tuple[str, str]] = {
    f"response.{kind}.{status}": (kind, status)
    for kind, working in _WORKING.items()
    for status in ("in_progress", working, "completed", "failed")
}


def fold_status(output: Output, payload: dict[str, Any]) -> None:
    """Put the status that an event reports of a hosted tool into the tool's item, as the provider's SDK for Node does."""
    if (row := _STATUSES.get(payload["type"])) is not None:
        kind, status = row
        if (item := output.item_of(payload, kind)) is not None:
            item.fields["status"] = status
            item.touched()


_Take = Callable[["Output", dict[str, Any]], int | None]


def _row(take: _Take, *members: str) -> tuple[_Take, frozenset[str]]:
    """A function, and the members of its event that it takes; others are told as they come."""
    return take, WRAPPING.union(members)


EVENTS: dict[str, tuple[_Take, frozenset[str]]] = {
    "response.output_item.added": _row(_item_added, "item"),
    "response.output_item.done": _row(_item_done, "item"),
    "response.content_part.added": _row(_part_added, "part"),
    "response.content_part.delta": _row(_part_delta, "delta"),
    "response.content_part.done": _row(_part_done, "part"),
    "response.output_text.delta": _row(_text_delta, "delta", "logprobs"),
    "response.output_text.done": _row(_text_done, "text", "logprobs"),
    "response.output_text.annotation.added": _row(_annotation_added, "annotation"),
    "response.refusal.delta": _row(_refusal_delta, "delta"),
    "response.refusal.done": _row(_refusal_done, "refusal"),
    "response.reasoning_summary_part.added": _row(_reasoning_part, "part"),
    "response.reasoning_summary_part.done": _row(_reasoning_part, "part"),
    "response.reasoning_summary_text.delta": _row(_reasoning_delta, "delta"),
    "response.reasoning_summary_text.done": _row(_reasoning_done, "text"),
    "response.reasoning_text.delta": _row(_reasoning_delta, "delta"),
    "response.reasoning_text.done": _row(_reasoning_done, "text"),
    # The same under the names that the open specification of this dialect has, and that some local servers use.
    "response.reasoning.delta": _row(_reasoning_delta, "delta"),
    "response.reasoning.done": _row(_reasoning_done, "text"),
    "response.reasoning_part.added": _row(_reasoning_part, "part"),
    "response.reasoning_part.done": _row(_reasoning_part, "part"),
    **{f"{stem}.delta": _row(_call_delta, "delta", "name") for stem in _CALLS},
    **{f"{stem}.done": _row(_call_done, CallItem.MEMBERS[kind], "name") for stem, kind in _CALLS.items()},
    **{f"{stem}.delta": _row(_hosted_delta, "delta") for stem in _HOSTED},
    **{f"{stem}.done": _row(_hosted_done, member) for stem, (member, _) in _HOSTED.items()},
}
