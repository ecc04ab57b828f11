"""The object that an unfinished JSON text describes so far."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["object_so_far"]

# A string (group 1 is its closing quote, empty where the text ends first) or a structural character.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?("?)|[{}\[\],]', re.DOTALL)
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
        return value if isinstance(value, dict) else {}
    return {}


def _candidates(text: str) -> list[str]:
    closers: list[str] = []
    safe, safe_closers, end = 0, "", text
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in _CLOSER:
            closers.append(_CLOSER[mark])
            safe, safe_closers = token.end(), "".join(reversed(closers))
        elif mark in ("}", "]"):
            if closers:
                closers.pop()
        elif mark == ",":
            safe, safe_closers = token.start(), "".join(reversed(closers))
        elif not token.group(1):
            end = _closed(text)
    return [end + "".join(reversed(closers)), text[:safe] + safe_closers]


def _closed(text: str) -> str:
    """``text``, which ends inside a string, with half an escape removed and the quote added."""
    tail = re.search(r"\\(?:u[0-9a-fA-F]{0,3})?$", text)
    escaped = tail is not None and (len(text[: tail.start() + 1]) - len(text[: tail.start() + 1].rstrip("\\"))) % 2 == 1
    return (text[: tail.start()] if tail and escaped else text) + '"'
