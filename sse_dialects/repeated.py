"""A short way for frames that are the same bytes but for the delta, a counter and padding. They need no JSON parser.

It is optional: without it the engines' hot functions take the same frames. It pays from some hundred deltas on, so it begins
after `AFTER` hot frames in a row. `learn` cuts the last of them at up to four tokens: the delta's string, the digits of
``sequence_number``, the string of ``obfuscation``, and spaces ahead of the last brace. `RepeatedFrames.take` then takes the
frames that have the same text around the cuts.

Why that is right: a JSON string in place of a JSON string, or a number in place of a number, gives an equal value but for that
leaf; other spaces give the same value. `learn` parses the frame once with other tokens in the cuts, which shows that the leaves
are the ones it means. So a frame that matches equals the engine's hot frame but for the delta, the counter and the padding, and
the hot function would do what `take` does. Whatever does not match ends the pattern before anything of it is taken, so no other
module has to remember it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .dialects.payload import SURROGATE_ESCAPE, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from .dialects.hot_frame import HotFrame
    from .events import Event

__all__ = ["AFTER", "PAUSE", "RepeatedFrames", "learn"]

AFTER = 16  # hot frames in a row before a pattern is learned
PAUSE = 64  # hot frames before the next try, if none could be

# The JSON module's own, in C where there is that: from behind the opening quote to behind the closing one.
_scan_string: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]  # not in typeshed

_COUNTER = re.compile(r'"sequence_number": ?(\d{1,15})(?=[,}])')
_PADDING = re.compile(r'"obfuscation": ?"([^"\\]*)(?=")')
_DELTA, _SPACES = "delta", "spaces"
_MEMBERS: list[tuple[Any, str, str]] = [(_COUNTER, "sequence_number", "7"), (_PADDING, "obfuscation", "~")]


class RepeatedFrames:
    """The text around the cuts of one kind of frame.

    A frame is ``first``, then for each of ``cuts`` a token of that kind and the text behind it, up to and including the blank
    line.

    Attributes:
        count: how many frames have been taken. last_count: the counter of the last one, None if the frames have none.
    """

    __slots__ = ("_cuts", "_first", "_hot", "count", "last_count")

    def __init__(self, first: str, cuts: list[tuple[Any, str]], hot: HotFrame) -> None:
        self._first = first
        self._cuts = cuts
        self._hot = hot
        self.count = 0
        self.last_count: int | None = None

    def take(self, text: str, at: int, out: list[Event]) -> int:
        """Take the frame at ``at`` if it matches. Returns where the next one begins, 0 if nothing was taken."""
        if not text.startswith(self._first, at):
            return 0
        at += len(self._first)
        delta = count = ""
        for kind, behind in self._cuts:
            end = text.find(behind[0], at)
            token = text[at:end]
            if kind is _DELTA:
                delta = token
                if "\\" in token:
                    delta, end = _unescaped(text, at)
            elif kind is _COUNTER:
                count = token
            elif (kind is _SPACES and token.strip(" ")) or (kind is _PADDING and "\\" in token):
                return 0
            if not text.startswith(behind, end) or "\n" in token:
                return 0
            at = end + len(behind)
        if not delta or (count and not _is_count(count)):
            return 0
        self.last_count = int(count) if count else None
        hot = self._hot
        if hot.member is not None:
            hot.member.append(delta)
        for member, again in hot.repeated:
            member.append(again)
        hot.buffer.add(delta, out)
        return at


def _unescaped(text: str, at: int) -> tuple[str, int]:
    """The string at ``at`` and where its closing quote stands; "" for one that the engine has to see."""
    try:
        delta, end = _scan_string(text, at)
    except ValueError:
        return "", at
    if text.find("\\u", at, end) >= 0 and SURROGATE_ESCAPE.search(text, at, end):
        return "", at
    return delta, end - 1


def _is_count(token: str) -> bool:
    return token.isascii() and token.isdecimal() and token[0] != "0" and len(token) <= 15


def learn(text: str, at: int, start: int, stop: int, hot: HotFrame) -> RepeatedFrames | None:
    """The pattern of the hot frame that begins at ``at`` and has its payload from ``start`` to ``stop``; None if it has none."""
    cuts = _cuts(text, start, stop, hot)
    if not cuts:
        return None
    changed, end = "", at
    between: list[str] = []
    for begin, after, _, other in cuts:
        between.append(text[end:begin])
        changed += text[max(end, start) : begin] + other
        end = after
    changed += text[end:stop]
    if not _is_shown(text, start, changed, cuts, hot):
        return None
    between.append(text[end : stop + 2])
    return RepeatedFrames(between[0], [(kind, behind) for (_, _, kind, _), behind in zip(cuts, between[1:], strict=True)], hot)


def _cuts(text: str, start: int, stop: int, hot: HotFrame) -> list[tuple[int, int, Any, str]]:
    """Where the tokens begin and end, in their order: each with its kind, and another token of that kind."""
    delta = hot.holder[hot.name]
    cuts: list[tuple[int, int, Any, str]] = []
    for token in (json.dumps(delta, ensure_ascii=False), json.dumps(delta)):
        begin = text.find(token, start, stop)
        if begin >= 0:
            cuts.append((begin + 1, begin + len(token) - 1, _DELTA, json.dumps(f"{delta}~")[1:-1]))
            break
    else:
        return []
    for kind, _, other in _MEMBERS:
        if found := kind.search(text, start, stop):
            cuts.append((*found.span(1), kind, other if found.group(1) != other else other * 2))
    behind = start + len(text[start : stop - 1].rstrip(" "))
    if behind < stop - 1:
        cuts.append((behind, stop - 1, _SPACES, ""))
    return sorted(cuts, key=lambda cut: cut[0])


def _is_shown(text: str, start: int, changed: str, cuts: list[tuple[int, int, Any, str]], hot: HotFrame) -> bool:
    """Whether the changed payload is the same but for the leaves that were meant."""
    try:
        value, original = scan(changed, 0)[0], scan(text, start)[0]
        holder: Any = value
        for step in hot.path:
            holder = holder[step]
        if holder[hot.name] != f"{hot.holder[hot.name]}~":
            return False
        holder[hot.name] = hot.holder[hot.name]
        others = {kind: other for _, _, kind, other in cuts}
        for kind, name, _ in _MEMBERS:
            if kind in others:
                if str(value[name]) != others[kind]:
                    return False
                value[name] = original[name]
    except (ValueError, StopIteration, LookupError, TypeError):
        return False
    return bool(value == original)
