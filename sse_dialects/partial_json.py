"""The object that an unfinished JSON text describes so far."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from .values import JSONArray, JSONObject

__all__ = ["object_so_far", "value_so_far"]

# A string (group 1 is its closing quote, empty where the text ends first) or a structural character.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?("?)|[{}\[\],]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?$")
# The first block, up to its end or the text's. JSON has no line end inside a string, so a fence is none of its own.
_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?=\n[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_CLOSER = {"{": "}", "[": "]"}
_WHITE_SPACE = " \t\n\r"  # JSON's
_DECODER = json.JSONDecoder()


def object_so_far(text: str) -> dict[str, Any]:
    """The best-effort object of an unfinished JSON text: open strings, arrays and objects closed, a dangling key or half a
    literal left out, what follows the object passed over. ``{}`` if nothing is known yet, or if the text is no object.

    One pass and at most two parses, in time and memory linear in the text. Where the program has imported ``jiter``, as the SDKs
    of OpenAI and Anthropic do, that parses it some twenty times as fast, with the same result.
    """
    value = _by_jiter(text)
    if value is None:
        value = _by_json(text)
    return value if isinstance(value, JSONObject) else {}


def value_so_far(text: str) -> Any:
    """The best-effort object or list of an unfinished text, as `object_so_far` gives an object. The JSON may stand in a fenced
    block of Markdown, whatever words stand around that. ``{}`` where the text is no JSON.
    """
    if not text.lstrip(_WHITE_SPACE).startswith(("{", "[")):
        block = _FENCED.search(text)
        text = block.group(1) if block else ""
    value = _by_jiter(text)
    if value is None:
        value = _by_json(text)
    return value if isinstance(value, (JSONObject, JSONArray)) else {}


def _by_jiter(text: str) -> Any:
    """None also for what it refuses: half a surrogate pair, more levels than 200, a comma too many."""
    jiter: Any = sys.modules.get("jiter")
    if jiter is not None:
        try:
            # Before 0.11, a string that ended in half an escape was left out.
            return jiter.from_json(_without_half_escape(text).encode(), partial_mode="trailing-strings")
        except (ValueError, TypeError):  # TypeError: one before 0.5, which has no such mode
            pass
    return None


def _by_json(text: str) -> Any:
    for candidate in _candidates(text.lstrip(_WHITE_SPACE)):
        try:
            return _DECODER.raw_decode(candidate)[0]
        except (ValueError, RecursionError):
            continue
    return None


def _candidates(text: str) -> list[str]:
    closers: list[str] = []
    popped: list[str] = []  # since `safe`, the last place after which what follows can be left out
    safe, end = 0, text
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in _CLOSER:
            closers.append(_CLOSER[mark])
            safe = token.end()
            popped.clear()
        elif mark in ("}", "]"):
            if closers:
                popped.append(closers.pop())
        elif mark == ",":
            safe = token.start()
            popped.clear()
        elif not token.group(1):
            end = _without_half_escape(text) + '"'
    closing = "".join(reversed(closers))
    return [end + closing, text[:safe] + "".join(popped) + closing]


def _without_half_escape(text: str) -> str:
    """``text``, without the half of an escape, or of a surrogate pair, that it may end in."""
    tail = _HALF_ESCAPE.search(text)
    escaped = tail is not None and (len(text[: tail.start() + 1]) - len(text[: tail.start() + 1].rstrip("\\"))) % 2 == 1
    return text[: tail.start()] if tail and escaped else text
