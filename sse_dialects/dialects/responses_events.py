"""What each event between a response's beginning and its end adds to the output, by the event's type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import JSONArray
from .responses_items import CallItem, MessageItem, OtherItem, ReasoningItem
from .telling import object_member, text_member

if TYPE_CHECKING:
    from collections.abc import Callable

    from .responses_items import Content
    from .responses_output import Output

__all__ = ["EVENTS"]

_DELTA = ("delta",)

# Members of an event that only wrap it.
_WRAPPING = frozenset({"type", "sequence_number", "item_id", "output_index", "content_index", "summary_index", "obfuscation"})


# ---- items


def _item_added(output: Output, payload: dict[str, Any]) -> None:
    if fields := object_member(payload, "item"):
        output.added(payload.get("output_index"), fields)


def _item_done(output: Output, payload: dict[str, Any]) -> None:
    if fields := object_member(payload, "item"):
        output.finished(payload.get("output_index"), fields)


# ---- messages


def _message(output: Output, payload: dict[str, Any]) -> MessageItem:
    item = output.item_for(payload, MessageItem, {"type": "message", "role": "assistant"})
    assert isinstance(item, MessageItem)
    return item


def _content(output: Output, payload: dict[str, Any], kind: str) -> Content:
    return _message(output, payload).content(payload.get("content_index"), kind, output.tell, output.parts)


def _part_added(output: Output, payload: dict[str, Any]) -> None:
    fields = object_member(payload, "part")
    if fields.get("type") == "reasoning_text":
        return _reasoning_part(output, payload)
    item, index = _message(output, payload), payload.get("content_index")
    content = item.announced_content(index, str(fields.get("type"))) or item.open(index, fields, output.tell, output.parts)
    content.update(fields, output.tell, output.extra)
    return None


def _part_done(output: Output, payload: dict[str, Any]) -> None:
    fields = object_member(payload, "part")
    if fields.get("type") == "reasoning_text":
        return _reasoning_part(output, payload)
    content = _content(output, payload, str(fields.get("type")))
    content.update(fields, output.tell, output.extra)
    content.closed = True
    return None


def _text_delta(output: Output, payload: dict[str, Any]) -> None:
    content = _content(output, payload, "output_text")
    output.tell.text(content.part, text_member(payload, "delta"), _DELTA)
    logprobs = payload.get("logprobs")
    if isinstance(logprobs, JSONArray) and logprobs:
        content.logprobs.extend(output.tell.clean(logprobs))
        output.tell.extra_items(output.extra, "logprobs", logprobs, 0, content.part.place)


def _text_done(output: Output, payload: dict[str, Any]) -> None:
    fields: dict[str, Any] = {name: payload[name] for name in ("text", "logprobs") if name in payload}
    _content(output, payload, "output_text").update(fields, output.tell, output.extra)


def _refusal_delta(output: Output, payload: dict[str, Any]) -> None:
    output.tell.text(_content(output, payload, "refusal").part, text_member(payload, "delta"), _DELTA)


def _refusal_done(output: Output, payload: dict[str, Any]) -> None:
    _content(output, payload, "refusal").update({"refusal": text_member(payload, "refusal")}, output.tell, output.extra)


def _annotation_added(output: Output, payload: dict[str, Any]) -> None:
    content = _content(output, payload, "output_text")
    annotation = output.tell.clean(payload.get("annotation"))
    content.annotations.append(annotation)
    output.tell.extra_items(output.extra, "annotations", [annotation], 0, content.part.place)


# ---- reasoning


def _reasoning(output: Output, payload: dict[str, Any]) -> ReasoningItem:
    item = output.item_for(payload, ReasoningItem, {"type": "reasoning"})
    assert isinstance(item, ReasoningItem)
    return item


def _summary_delta(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(payload, "delta")
    _reasoning(output, payload).add("summary", payload.get("summary_index"), text, output.tell, _DELTA)


def _summary_done(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(payload, "text")
    _reasoning(output, payload).catch_up("summary", payload.get("summary_index"), text, output.tell)


def _summary_part(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(object_member(payload, "part"), "text")
    item, index = _reasoning(output, payload), payload.get("summary_index")
    if text:
        item.catch_up("summary", index, text, output.tell)
    else:
        item.announce("summary", index)


def _reasoning_delta(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(payload, "delta")
    _reasoning(output, payload).add("content", payload.get("content_index"), text, output.tell, _DELTA)


def _reasoning_done(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(payload, "text")
    _reasoning(output, payload).catch_up("content", payload.get("content_index"), text, output.tell)


def _reasoning_part(output: Output, payload: dict[str, Any]) -> None:
    text = text_member(object_member(payload, "part"), "text")
    if text:
        _reasoning(output, payload).catch_up("content", payload.get("content_index"), text, output.tell)


# ---- calls


def _call(output: Output, payload: dict[str, Any], kind: str) -> CallItem:
    guess = {"type": kind, "call_id": payload.get("call_id"), "name": payload.get("name")}
    item = output.item_for(payload, CallItem, {name: value for name, value in guess.items() if value is not None})
    assert isinstance(item, CallItem)
    return item


def _arguments_delta(output: Output, payload: dict[str, Any]) -> None:
    _call(output, payload, "function_call").add(text_member(payload, "delta"), output.tell, _DELTA)


def _arguments_done(output: Output, payload: dict[str, Any]) -> None:
    fields: dict[str, Any] = {
        name: payload[name] for name in ("arguments", "name", "call_id") if isinstance(payload.get(name), str)
    }
    _call(output, payload, "function_call").update(fields, output.tell, output.parts, output.extra)


def _input_delta(output: Output, payload: dict[str, Any]) -> None:
    _call(output, payload, "custom_tool_call").add(text_member(payload, "delta"), output.tell, _DELTA)


def _input_done(output: Output, payload: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"input": text_member(payload, "input")} if payload.get("input") else {}
    _call(output, payload, "custom_tool_call").update(fields, output.tell, output.parts, output.extra)


# ---- what the provider runs itself: kept in the item's own member, and told under the event's type


def _hosted_delta(output: Output, payload: dict[str, Any]) -> None:
    member, kind = _HOSTED[_stem(payload)]
    item = _hosted(output, payload, kind)
    item.add(member, output.tell.clean(text_member(payload, "delta")))
    _tell(output, payload, item)


def _hosted_done(output: Output, payload: dict[str, Any]) -> None:
    member, kind = _HOSTED[_stem(payload)]
    item = _hosted(output, payload, kind)
    item.fields[member] = output.tell.clean(text_member(payload, member))
    _tell(output, payload, item)


def _hosted(output: Output, payload: dict[str, Any], kind: str) -> OtherItem:
    item = output.item_for(payload, OtherItem, {"type": kind})
    assert isinstance(item, OtherItem)
    return item


def _stem(payload: dict[str, Any]) -> str:
    return str(payload.get("type")).rpartition(".")[0]


def _tell(output: Output, payload: dict[str, Any], item: OtherItem) -> None:
    value = {name: value for name, value in payload.items() if name not in _WRAPPING}
    output.tell.extra_items(output.extra, str(payload.get("type")), [value], 0, item.part.place)


_HOSTED: dict[str, tuple[str, str]] = {
    "response.mcp_call_arguments": ("arguments", "mcp_call"),
    "response.code_interpreter_call_code": ("code", "code_interpreter_call"),
}

EVENTS: dict[str, Callable[[Output, dict[str, Any]], None]] = {
    "response.output_item.added": _item_added,
    "response.output_item.done": _item_done,
    "response.content_part.added": _part_added,
    "response.content_part.done": _part_done,
    "response.output_text.delta": _text_delta,
    "response.output_text.done": _text_done,
    "response.output_text.annotation.added": _annotation_added,
    "response.refusal.delta": _refusal_delta,
    "response.refusal.done": _refusal_done,
    "response.reasoning_summary_part.added": _summary_part,
    "response.reasoning_summary_part.done": _summary_part,
    "response.reasoning_summary_text.delta": _summary_delta,
    "response.reasoning_summary_text.done": _summary_done,
    "response.reasoning_text.delta": _reasoning_delta,
    "response.reasoning_text.done": _reasoning_done,
    "response.function_call_arguments.delta": _arguments_delta,
    "response.function_call_arguments.done": _arguments_done,
    "response.custom_tool_call_input.delta": _input_delta,
    "response.custom_tool_call_input.done": _input_done,
    **{f"{stem}.delta": _hosted_delta for stem in _HOSTED},
    **{f"{stem}.done": _hosted_done for stem in _HOSTED},
}
