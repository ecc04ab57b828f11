"""JSON that is still being written, in an answer so far: by jiter where that is installed."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sse_dialects.answer import ToolCall
from sse_dialects.root import MisuseError

if TYPE_CHECKING:
    from sse_dialects.answer import Answer

__all__ = ["call_so_far", "text_so_far_json"]


def text_so_far_json(answer: Answer) -> Any:
    """The best-effort value of choice 0's text."""
    _use_jiter()
    return answer.text_so_far_json()


def call_so_far(answer: Answer, part: int, choice: int) -> dict[str, Any]:
    """The best-effort object of a tool call's arguments.

    Raises:
        MisuseError: that part of that choice is no tool call.
    """
    _use_jiter()
    parts = [found for option in answer.choices if option.index == choice for found in option.parts]
    call = parts[part] if 0 <= part < len(parts) else None
    if not isinstance(call, ToolCall):
        found = f"is a {call.type} part" if call is not None else "has not come"
        raise MisuseError(
            f"part {part!r} of choice {choice!r} {found}, and so_far() reads tool calls: take `part` and `choice` from a "
            "ToolCallStarted or ToolCallDelta"
        )
    return call.so_far()


def _use_jiter() -> None:
    if "jiter" not in sys.modules:
        with suppress(ImportError):
            import_module("jiter")
