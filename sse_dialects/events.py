"""The events of a stream: one vocabulary for the three dialects.

Every event has a ``type`` string for code that prefers it to ``match``. All but `Started` and `UsageReported` carry the
``choice`` they belong to; those that belong to a part carry ``part``, its place in that choice's ``parts``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Union

from .answer import FinishReason, ToolCall, ToolCallKind, Usage
from .values import Value

__all__ = [
    "Event",
    "Extra",
    "Finished",
    "ReasoningDelta",
    "RefusalDelta",
    "Started",
    "TextDelta",
    "ToolCallDelta",
    "ToolCallFinished",
    "ToolCallStarted",
    "UsageReported",
]


class _Event(Value):
    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """``type`` and the members, in plain JSON types."""
        return {"type": self.type, **super().to_dict()}  # type: ignore[attr-defined]


class Started(_Event):
    """The answer has begun. Comes once, before all other events. ``id`` and ``model`` are None if they have not come by then."""

    __slots__ = ("id", "model")
    __match_args__ = ("id", "model")
    type: ClassVar[Literal["started"]] = "started"

    def __init__(self, id: str | None, model: str | None) -> None:
        self.id = id
        self.model = model


class TextDelta(_Event):
    """A piece of the answer's text; never empty."""

    __slots__ = ("choice", "part", "text")
    __match_args__ = ("text", "choice", "part")
    type: ClassVar[Literal["text_delta"]] = "text_delta"

    def __init__(self, text: str, choice: int = 0, part: int = 0) -> None:
        self.text = text
        self.choice = choice
        self.part = part


class ReasoningDelta(_Event):
    """A piece of the model's reasoning; never empty."""

    __slots__ = ("choice", "part", "text")
    __match_args__ = ("text", "choice", "part")
    type: ClassVar[Literal["reasoning_delta"]] = "reasoning_delta"

    def __init__(self, text: str, choice: int = 0, part: int = 0) -> None:
        self.text = text
        self.choice = choice
        self.part = part


class RefusalDelta(_Event):
    """A piece of a refusal; never empty."""

    __slots__ = ("choice", "part", "text")
    __match_args__ = ("text", "choice", "part")
    type: ClassVar[Literal["refusal_delta"]] = "refusal_delta"

    def __init__(self, text: str, choice: int = 0, part: int = 0) -> None:
        self.text = text
        self.choice = choice
        self.part = part


class ToolCallStarted(_Event):
    """A tool call has been opened. ``id`` and ``name`` are None if they have not come yet."""

    __slots__ = ("choice", "id", "kind", "name", "part")
    __match_args__ = ("id", "name", "kind", "choice", "part")
    type: ClassVar[Literal["tool_call_started"]] = "tool_call_started"

    def __init__(self, id: str | None, name: str | None, kind: ToolCallKind, choice: int = 0, part: int = 0) -> None:
        self.id = id
        self.name = name
        self.kind: ToolCallKind = kind
        self.choice = choice
        self.part = part


class ToolCallDelta(_Event):
    """A piece of a tool call's arguments: of a JSON text for kind "function", of free text for "custom"; never empty."""

    __slots__ = ("arguments", "choice", "part")
    __match_args__ = ("arguments", "choice", "part")
    type: ClassVar[Literal["tool_call_delta"]] = "tool_call_delta"

    def __init__(self, arguments: str, choice: int = 0, part: int = 0) -> None:
        self.arguments = arguments
        self.choice = choice
        self.part = part


class ToolCallFinished(_Event):
    """The call is certainly whole and may be executed at once."""

    __slots__ = ("choice", "part", "tool_call")
    __match_args__ = ("tool_call", "choice", "part")
    type: ClassVar[Literal["tool_call_finished"]] = "tool_call_finished"

    def __init__(self, tool_call: ToolCall, choice: int = 0, part: int = 0) -> None:
        self.tool_call = tool_call
        self.choice = choice
        self.part = part


class UsageReported(_Event):
    """Token counts; each report replaces the earlier ones."""

    __slots__ = ("usage",)
    __match_args__ = ("usage",)
    type: ClassVar[Literal["usage_reported"]] = "usage_reported"

    def __init__(self, usage: Usage) -> None:
        self.usage = usage


class Finished(_Event):
    """A choice is whole. Comes once per choice after all other events, and never in a stream that was cut or failed."""

    __slots__ = ("choice", "finish_reason", "native")
    __match_args__ = ("finish_reason", "native", "choice")
    type: ClassVar[Literal["finished"]] = "finished"

    def __init__(self, finish_reason: FinishReason | None, native: str | None, choice: int = 0) -> None:
        self.finish_reason: FinishReason | None = finish_reason
        self.native = native
        self.choice = choice


class Extra(_Event):
    """Something this vocabulary has no word for: annotations, logprobs, images, sources, a provider's own member, an event
    type newer than this library. ``part`` is None where it belongs to the choice or the whole answer."""

    __slots__ = ("choice", "name", "part", "value")
    __match_args__ = ("name", "value", "choice", "part")
    type: ClassVar[Literal["extra"]] = "extra"

    def __init__(self, name: str, value: Any, choice: int = 0, part: int | None = None) -> None:
        self.name = name
        self.value = value
        self.choice = choice
        self.part = part


Event = Union[  # noqa: UP007  # a plain Union prints and pickles the same on 3.10 to 3.14
    Started,
    TextDelta,
    ReasoningDelta,
    RefusalDelta,
    ToolCallStarted,
    ToolCallDelta,
    ToolCallFinished,
    UsageReported,
    Finished,
    Extra,
]

# Events that show something of the answer. Once one was handed out, a retry repeats what the caller may have shown.
SHOWN = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallStarted, ToolCallDelta, ToolCallFinished)
