"""``message`` beside or in place of ``delta``: a snapshot of the whole message, of which only what is new is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import Extra
from ...values import JSONArray, JSONObject
from ..emit import items
from ..merge import MergedObject
from ..text_buffer import TextBuffer
from .content import part_of
from .deltas import REASONING_NAMES, take_delta
from .tool_calls import ARGUMENTS, Calls, arguments_in, id_of

if TYPE_CHECKING:
    from ...answer import ToolCallKind
    from ..emit import Emitter
    from .choices import ChatChoice
    from .tool_calls import ChatCall

__all__ = ["take_snapshot"]

_TEXTS = (*REASONING_NAMES, "refusal", "content")


def take_snapshot(choice: ChatChoice, message: dict[str, Any], emit: Emitter) -> None:
    """Take what the deltas have not brought yet as one more delta, and report what contradicts them."""
    rest: dict[str, Any] = {}
    contradicted: dict[str, Any] = {}
    for name, value in message.items():
        if value is None:
            continue
        if name in _TEXTS:
            _text(choice, name, value, rest, contradicted)
        elif name == "tool_calls":
            rest[name] = _rest_of_calls(choice.calls or Calls(), items(message, name), contradicted)
        elif name == "function_call":
            if choice.calls is None or choice.calls.legacy is None:
                rest[name] = value
        elif name not in (choice.entries or ()):
            _other(choice.message.raw(name) if choice.message is not None else None, name, value, rest)
    # Reasoning comes before the text it led to, and calls after it, in whatever order the members stand.
    take_delta(choice, {name: rest.pop(name) for name in _TEXTS if name in rest}, emit)
    take_delta(choice, rest, emit)
    if contradicted:
        emit.out.append(Extra("snapshot", emit.clean(contradicted), choice.index))


def _text(choice: ChatChoice, name: str, value: Any, rest: dict[str, Any], contradicted: dict[str, Any]) -> None:
    text = value
    if isinstance(value, JSONArray):  # of parts: the text is theirs
        if choice.suffix_after(name, "") == "":
            rest[name] = value
            return
        text = "".join(text for kind, text, _ in map(part_of, value) if kind == "text")
    new = choice.suffix_after(name, text) if isinstance(text, str) else None
    if new is not None:
        rest[name] = new
    elif value:
        contradicted[name] = value


def _other(had: Any, name: str, value: Any, rest: dict[str, Any]) -> None:
    """What is new of a member that the vocabulary has no word for. Linear in the snapshot."""
    new: Any = None
    if isinstance(had, TextBuffer) and isinstance(value, str):
        new = had.suffix_after(value)
    elif isinstance(had, JSONArray) and isinstance(value, JSONArray):
        new = value[len(had) :]
    elif isinstance(had, MergedObject) and isinstance(value, JSONObject):
        new = {member: item for member, item in value.items() if member not in had}
    elif had != value:
        new = value
    if new:
        rest[name] = new


def _rest_of_calls(calls: Calls, elements: list[Any], contradicted: dict[str, Any]) -> list[dict[str, Any]]:
    """The snapshot's calls, in its order, less what the deltas brought."""
    rest: list[dict[str, Any]] = []
    for place, element in enumerate(elements):
        if isinstance(element, JSONObject):
            call = _call_of(calls, id_of(element.get("id")), place)
            if call is None:
                rest.append({**element, "index": element.get("index", f"snapshot {place}")})
            elif not _rest_of_call(call, element, rest):
                contradicted.setdefault("tool_calls", []).append(element)
    return rest


def _call_of(calls: Calls, id: str | None, place: int) -> ChatCall | None:
    """The call of that id, which may be that of others too: then the one at its place, and so where the id is nobody's."""
    at_place = calls.in_order[place] if place < len(calls.in_order) else None
    return at_place if at_place is not None and (at_place.id or None) == id else calls.with_id(id) or at_place


def _rest_of_call(call: ChatCall, element: dict[str, Any], rest: list[dict[str, Any]]) -> bool:
    """Add what is new of one call to ``rest``, or return False where the snapshot contradicts what came."""
    kind: ToolCallKind = "custom" if isinstance(element.get("custom"), JSONObject) else "function"
    body = element.get(kind)
    arguments = arguments_in(body, kind) if isinstance(body, JSONObject) else ""
    new = call.suffix_after(arguments)
    if new:
        rest.append({"index": call.index, "id": call.id, kind: {ARGUMENTS[kind]: new}})
    return new is not None or not arguments
