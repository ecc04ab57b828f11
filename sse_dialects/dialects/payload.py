"""A frame's data to JSON values, with every way of failing turned into one of ours."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from ..errors import LimitExceededError
from ..values import JSONArray, JSONObject

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "DONE",
    "SURROGATE_ESCAPE",
    "TOO_DEEP",
    "WHITE_SPACE",
    "BadPayloadError",
    "as_json",
    "clean",
    "clean_names",
    "depth_allowed",
    "dumped",
    "is_whole",
    "may_have_surrogates",
    "parse",
    "parse_lines",
    "parsed_at",
    "payloads_in",
    "replace_lone_surrogates",
    "scan",
]

WHITE_SPACE = " \t\r\n"  # JSON's, and no more: str.strip() alone would also take U+2028 and its like

# The scanner that json.loads builds anew behind two Python calls; reusing one halves the cost of a small payload. It accepts
# control characters inside strings, which can be read in one way only (case `raw-control`).
scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]  # not in typeshed

TOO_DEEP = "nested deeper than Python's recursion limit lets it be read"

DONE = object()  # stands for a line that says so among several payloads

_SHALLOW = 200  # characters, which can't be nested deeper than Python follows

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")


# Of a surrogate in a JSON text. UTF-8 has none, so in decoded bytes only an escape can be one.
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class BadPayloadError(ValueError):
    """Not JSON; the reason holds none of the payload's text."""


def depth_allowed(max_depth: int | None) -> int:
    """How deep payloads may be nested. Whatever the limit, Python has its own: walking a value takes up to three calls a level,
    and the caller has some of the stack."""
    allowed = sys.getrecursionlimit() // 5
    return allowed if max_depth is None else min(allowed, max_depth)


def parsed_at(text: str, start: int, stop: int, max_depth: int) -> dict[str, Any] | None:
    """The JSON object that stands in ``text`` from ``start`` to ``stop``. None for anything else, for one that may be nested too
    deeply, and for one that may hold half a surrogate pair: `payloads_in` looks closer."""
    if stop - start > 2 * max_depth and text.count("{", start, stop) + text.count("[", start, stop) > max_depth:
        return None
    if text.find("\\u", start, stop) >= 0 and SURROGATE_ESCAPE.search(text, start, stop):
        return None
    try:
        value, end = scan(text, start)
    except (StopIteration, ValueError):
        return None
    return value if end == stop and isinstance(value, JSONObject) else None


def parse(text: str, max_depth: int | None) -> Any:
    """The value of ``text``, which has no white space around it.

    Raises:
        BadPayloadError: the JSON parser refuses it, for whatever reason.
        LimitExceededError: it is nested deeper than ``max_depth``.
    """
    if len(text) > _SHALLOW or (max_depth is not None and len(text) > max_depth):
        _check_depth(text, max_depth)
    try:
        value, end = scan(text, 0)
    except StopIteration as stop:
        raise BadPayloadError(_reason("no value", int(stop.value or 0), text)) from None
    except json.JSONDecodeError as error:
        raise BadPayloadError(_reason(error.msg, error.pos, text)) from None
    except (ValueError, RecursionError) as error:  # an integer of over 4,300 digits; nesting, where max_depth is off
        raise BadPayloadError(f"not JSON that Python reads ({type(error).__name__})") from None
    if end != len(text):
        raise BadPayloadError(_reason("more after the value", end, text))
    return value


def parse_lines(text: str, max_depth: int | None) -> list[Any] | None:
    """The values of several payloads sent under one blank line, one a line, or None where the lines are not that.

    ``[DONE]`` may be the last of them; it stands as `DONE`, which no JSON is.
    """
    lines = [line.strip(WHITE_SPACE) for line in text.split("\n")]
    try:
        return [DONE if line == "[DONE]" else parse(line, max_depth) for line in lines if line]
    except BadPayloadError:
        return None


def payloads_in(text: str, max_depth: int | None) -> list[Any]:
    """The payloads that a frame holds: one for most servers, one a line or the items of an array for some.

    Raises:
        BadPayloadError: the text is neither one JSON value nor one a line.
        LimitExceededError: one is nested deeper than ``max_depth``.
    """
    try:
        values = [parse(text, max_depth)]
        if isinstance(values[0], JSONObject):  # as nearly all are
            return values
    except BadPayloadError:
        several = parse_lines(text, max_depth) if "\n" in text else None
        if several is None:
            raise
        values = several
    return [item for value in values for item in (value if isinstance(value, JSONArray) else (value,))]


def is_whole(data: str) -> bool:
    """Whether an undispatched frame's data is ``[DONE]``, one whole JSON object, or several payloads up to ``[DONE]``."""
    text = data.strip(WHITE_SPACE)
    if not text.endswith(("}", "[DONE]")):  # a cut, as nearly all are
        return False
    try:
        return isinstance(parse(text, None), JSONObject)
    except BadPayloadError:
        values = parse_lines(text, None)
        return values is not None and values[-1:] == [DONE]


def _reason(what: str, position: int, text: str) -> str:
    if text.startswith("data:"):
        return "the payload begins with a second `data:` prefix, so something between you and the provider wraps the frames twice"
    if text.startswith("<"):
        return "the payload is markup, not JSON"
    where = f"at character {position + 1} of {len(text)}" if position < len(text) else f"after character {len(text)}"
    return f"not JSON: {what.lower()} {where}"


def _check_depth(text: str, max_depth: int | None) -> None:
    """Linear, and only where the payload has as many brackets as levels are allowed."""
    allowed = depth_allowed(max_depth)
    if text.count("[") + text.count("{") <= allowed:
        return
    depth = 0
    for mark in re.finditer(r"[\[{\]}]", _STRING.sub("", text)):
        depth += 1 if mark.group() in "[{" else -1
        if depth > allowed:
            if max_depth is not None and depth > max_depth:
                raise LimitExceededError("max_depth", max_depth)
            raise BadPayloadError(TOO_DEEP)


def dumped(value: Any) -> str:
    """JSON text for arguments that came as a value: compact, other scripts kept as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_json(value: Any) -> str:
    """A whole call's arguments as text; some servers send the value itself."""
    return value if isinstance(value, str) else dumped(value)


# ---- lone surrogates: UTF-8 has none, so only an escape (or somebody else's lenient decoding) brings them in


def may_have_surrogates(text: str) -> bool:
    """Whether the values of this JSON text may hold half a surrogate pair."""
    if "\\ud" in text or "\\uD" in text:
        return True
    return not text.isascii() and _HALF.search(text) is not None


def replace_lone_surrogates(text: str) -> str:
    """``text`` with each pair of surrogates made one character and every lone one made U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _HALF.search(text) else text


def clean_names(value: Any) -> Any:
    """A parsed value in which every member's name is `replace_lone_surrogates`: no other half can follow there."""
    if isinstance(value, JSONArray):
        return [clean_names(item) for item in value]
    if isinstance(value, JSONObject):
        return {replace_lone_surrogates(name): clean_names(item) for name, item in value.items()}
    return value


def clean(value: Any) -> Any:
    """A parsed value in which every string is `replace_lone_surrogates`."""
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    if isinstance(value, JSONArray):
        return [clean(item) for item in value]
    if isinstance(value, JSONObject):
        return {replace_lone_surrogates(name): clean(item) for name, item in value.items()}
    return value
