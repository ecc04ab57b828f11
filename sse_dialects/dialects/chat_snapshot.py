"""``message`` beside or in place of ``delta``: a snapshot of the whole message, of which only the new is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..events import Extra
from ..values import JSONObject
from .chat_calls import word
from .chat_delta import take_delta
from .joined import built
from .telling import items

if TYPE_CHECKING:
    from .chat_choice import ChatChoice
    from .telling import Teller

__all__ = ["take_snapshot"]

_TEXTS = ("reasoning_content", "reasoning", "refusal", "content")


def take_snapshot(choice: ChatChoice, message: dict[str, Any], tell: Teller) -> None:
    """Take what the deltas have not brought yet as one more delta, and report what contradicts them."""
    tell.cold = True
    rest: dict[str, Any] = {}
    contradicted: dict[str, Any] = {}
    for name, value in message.items():
        if name in _TEXTS and isinstance(value, str):
            new = choice.rest_of(name, value)
            if new is not None:
                rest[name] = new
            elif value:
                contradicted[name] = value
        elif name == "tool_calls":
            rest[name] = _rest_of_calls(choice, items(message, name), contradicted)
        elif name == "function_call":
            if choice.calls.legacy is None:
                rest[name] = value
        elif name not in (choice.entries or ()) and built(choice.extra.get(name)) != value:
            rest[name] = value
    # Reasoning comes before the text it led to, and calls after it, in whatever order the members stand.
    take_delta(choice, {name: rest.pop(name) for name in _TEXTS if name in rest}, tell)
    take_delta(choice, rest, tell)
    if contradicted:
        tell.out.append(Extra("snapshot", tell.clean(contradicted), choice.index))


def _rest_of_calls(choice: ChatChoice, calls: list[Any], contradicted: dict[str, Any]) -> list[dict[str, Any]]:
    """The snapshot's calls, in its order, less what the deltas brought."""
    rest: list[dict[str, Any]] = []
    for place, element in enumerate(calls):
        if not isinstance(element, JSONObject):
            continue
        call = choice.calls.with_id(word(element.get("id"))) or choice.calls.at(place)
        body_name = "custom" if isinstance(element.get("custom"), JSONObject) else "function"
        body = element.get(body_name)
        arguments = body.get("input" if body_name == "custom" else "arguments") if isinstance(body, JSONObject) else None
        if call is None:
            rest.append({**element, "index": element.get("index", f"snapshot {place}")})
        elif isinstance(arguments, str) and (new := call.rest_of(arguments)) is not None:
            if new:
                name = "input" if body_name == "custom" else "arguments"
                rest.append({"index": call.index, "id": call.id, body_name: {name: new}})
        elif arguments:
            contradicted.setdefault("tool_calls", []).append(element)
    return rest
