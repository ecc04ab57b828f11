"""The object that an unfinished JSON text describes so far."""

from __future__ import annotations

import json
import re
from typing import Any

from .values import JSONObject

__all__ = ["object_so_far"]

# A string (group 1 is its closing quote, empty where the text ends first) or a structural character.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?("?)|[{}\[\],]', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?$")
_CLOSER = {"{": "}", "[": "]"}


def object_so_far(text: str) -> dict[str, Any]:
    """The best-effort object of an unfinished JSON text: open strings, arrays and objects closed, a dangling key or half a
    literal left out. ``{}`` where nothing can be told yet, or where the text is no object. One pass and at most two parses.
    """
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, JSONObject) else {}
    return {}


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
            end = _closed(text)
    closing = "".join(reversed(closers))
    return [end + closing, text[:safe] + "".join(popped) + closing]


def _closed(text: str) -> str:
    """``text``, which ends inside a string, with half an escape, or half a surrogate pair, removed and the quote added."""
    tail = _HALF_ESCAPE.search(text)
    escaped = tail is not None and (len(text[: tail.start() + 1]) - len(text[: tail.start() + 1].rstrip("\\"))) % 2 == 1
    return (text[: tail.start()] if tail and escaped else text) + '"'
