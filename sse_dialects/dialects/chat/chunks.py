"""What a payload is to the chat dialect: a chunk, a failure, or neither, and whether the next chunk may be compared with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta
from ...failures import OUTCOME, error_in, is_padding
from ...values import JSONObject
from ..hot_frame import HotFrame
from .deltas import DELTA_MEMBERS, REASONING_NAMES
from .tool_calls import ChatCall

if TYPE_CHECKING:
    from ..parts import PartBuilder
    from ..text_buffer import TextBuffer
    from .choices import ChatChoice

__all__ = ["HANDLED", "failure_in", "is_chunk", "member_of_own", "remembered"]

# Members of a chunk that the engine has its own functions for, and padding ("obfuscation"), which means nothing. All others are
# extras.
HANDLED = frozenset({"id", "object", "created", "model", "obfuscation", "choices", "usage", "error"})

# Members that report no failure, unless `object` is "error".
_HARMLESS = HANDLED - {"error"} | {"system_fingerprint", "service_tier"}

_DELTAS = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallDelta)
_TEXT_NAMES = frozenset({"content", "refusal", *REASONING_NAMES})
_DELTA_PATH = ("choices", 0, "delta")
_CALL_PATH = (*_DELTA_PATH, "tool_calls", 0, "function")


def is_chunk(payload: Any) -> bool:
    """Whether a payload is a chunk of a chat completion: it has choices or usage, or is an object of that family."""
    if not isinstance(payload, JSONObject):
        return False
    return "choices" in payload or "usage" in payload or str(payload.get("object")).startswith("chat.completion")


def failure_in(event: str, payload: dict[str, Any]) -> Any:
    """The error that a chunk reports: itself, in a server's own object, or by its event's name. None where it reports none."""
    raw = None
    if not payload.keys() <= _HARMLESS or payload.get("object") == "error":
        raw = error_in(payload)
        if raw is None:
            owns = (member_of_own(name, value, "error") for name, value in payload.items())
            own = next((own for own in owns if own is not None), None)
            raw = None if is_padding(own) else own
    return payload if raw is None and event == "error" else raw


def member_of_own(name: str, value: Any, member: str) -> Any:
    """What the chunk's member ``name`` holds under ``member`` if it is a server's own object, that is if its name begins with
    ``x_``. Some servers report errors or usage there."""
    return (value.get(member) or None) if name[:2] == "x_" and isinstance(value, JSONObject) else None


def remembered(
    payload: dict[str, Any], event: Any, choice: ChatChoice, before: HotFrame | None, *, names_known: bool
) -> HotFrame | None:
    """The chunk, if all it did was to add one string to a part, and if all the rest of it would do nothing a second time.

    Args:
        payload: the chunk.
        event: the one event that it gave. Where that is the string's, it holds the very string, which shows that all of it was
            taken.
        choice: the last choice that a chunk had.
        before: what was remembered before this chunk.
        names_known: whether the answer's id, model and time of creation are known, so that others mean nothing.
    """
    choices: list[dict[str, Any]] | None = payload.get("choices")
    if type(event) not in _DELTAS or not choices or len(choices) > 1 or choice.tags is not None:
        return None
    fields = choices[0]
    delta = fields.get("delta")
    if (
        not isinstance(delta, JSONObject)
        or type(fields.get("index")) is not int
        or fields.get("finish_reason")
        or ("message" in fields and not _is_empty(fields["message"]))
    ):
        return None
    if OUTCOME in payload:
        return None  # numbers that are equal need not mean the same there
    main, repeated = _members(delta, choice)
    padding = _padding(payload, before if names_known else None)
    place: int = event.part
    part = choice.parts[place]
    if main in _TEXT_NAMES and event.text is delta[main]:
        member = choice.members.get(main)
        if main == "content" and choice.content_parts is not None:
            member = choice.content_parts.last_text
        return HotFrame(payload, _DELTA_PATH, main, part, member, padding, repeated)
    if main == "tool_calls" and _is_piece(delta[main], event, part):
        return HotFrame(payload, _CALL_PATH, "arguments", part, None, padding, repeated)
    return None


def _members(delta: dict[str, Any], choice: ChatChoice) -> tuple[str, tuple[tuple[TextBuffer, str], ...]]:
    """The one member of a delta that is not empty, and the strings that are only gathered beside it. "" if there is more than
    one such member, or none."""
    main = ""
    repeated: list[tuple[TextBuffer, str]] = []
    for name, value in delta.items():
        if value is None or name == "role" or _is_empty(value):
            continue
        text = choice.message.gathered(name) if name not in DELTA_MEMBERS and choice.message is not None else None
        if text is not None and type(value) is str:
            repeated.append((text, value))
        elif main:
            return "", ()
        else:
            main = name
    return main, tuple(repeated)


def _padding(payload: dict[str, Any], before: HotFrame | None) -> tuple[str, ...]:
    """The members of a chunk that may differ in the next: what pads it, and names of the answer that differ from those in the
    chunk ``before``."""
    padding = ["obfuscation"] if "obfuscation" in payload else []
    if before is not None:
        old = before.payload
        padding += [name for name in ("id", "created") if name in before.padding or payload.get(name) != old.get(name)]
    return tuple(padding)


def _is_piece(elements: Any, event: Any, part: PartBuilder) -> bool:
    """Whether the elements of ``tool_calls`` are one piece of a call's arguments, which can't be all of the arguments so far."""
    if len(elements) > 1 or not isinstance(part, ChatCall) or part.may_be_snapshots:
        return False
    element = elements[0]
    function = element.get("function")
    if not isinstance(function, JSONObject) or type(element.get("index")) is not int:
        return False
    if "custom" in element:
        return False
    return not function.get("name") and event.arguments is function.get("arguments")


def _is_empty(value: Any) -> bool:
    """Whether a member is null or empty. A number never is, because Python's equality takes 0 for ``false``."""
    return value is None or (not value and isinstance(value, (str, list, dict)))
