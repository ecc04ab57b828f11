"""The answer that a stream adds up to, and its parts: values only."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Union

from .partial_json import object_so_far, value_so_far
from .root import MisuseError, SSEDialectsError
from .values import JSONObject, Value, copied

__all__ = [
    "Answer",
    "Choice",
    "DialectName",
    "DialectOrAuto",
    "FinishReason",
    "InvalidArgumentsError",
    "OtherPart",
    "Part",
    "ReasoningPart",
    "RefusalPart",
    "TextPart",
    "ToolCall",
    "ToolCallKind",
    "Usage",
]

DialectName = Literal["chat", "messages", "responses"]
DialectOrAuto = Literal["chat", "messages", "responses", "auto"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "cancelled", "error", "other"]
ToolCallKind = Literal["function", "custom"]


class InvalidArgumentsError(SSEDialectsError, ValueError):
    """A tool call's arguments are not a JSON object.

    Attributes:
        tool_call: the call, with the arguments as they came.
    """

    kind = "invalid_arguments"

    def __init__(self, message: str, *, tool_call: ToolCall) -> None:
        super().__init__(message)
        self.tool_call = tool_call


class TextPart(Value):
    """A run of the answer's text."""

    __slots__ = ("text",)
    __match_args__ = ("text",)
    type: ClassVar[Literal["text"]] = "text"

    def __init__(self, text: str) -> None:
        self.text = text


class ReasoningPart(Value):
    """A run of the model's reasoning.

    ``signature`` is the provider's proof that the text is its own; ``encrypted`` is what comes in place of text or beside it
    (Anthropic's redacted thinking ``data``, OpenAI's ``encrypted_content``). Both have to go back unchanged, in `Answer.turn`.
    """

    __slots__ = ("encrypted", "signature", "text")
    __match_args__ = ("text", "signature", "encrypted")
    type: ClassVar[Literal["reasoning"]] = "reasoning"

    def __init__(self, text: str, signature: str | None = None, encrypted: str | None = None) -> None:
        self.text = text
        self.signature = signature
        self.encrypted = encrypted


class RefusalPart(Value):
    """A refusal, on the channel that providers keep apart from text."""

    __slots__ = ("text",)
    __match_args__ = ("text",)
    type: ClassVar[Literal["refusal"]] = "refusal"

    def __init__(self, text: str) -> None:
        self.text = text


class ToolCall(Value):
    """A call that the model asks the client to make.

    ``arguments`` is the exact joined string: a JSON text for kind "function", free text for "custom". ``complete`` is true
    exactly for calls that are certainly whole, those for which `ToolCallFinished` came.
    """

    __slots__ = ("arguments", "complete", "id", "kind", "name")
    __match_args__ = ("id", "name", "kind", "arguments", "complete")
    type: ClassVar[Literal["tool_call"]] = "tool_call"

    def __init__(self, id: str | None, name: str | None, kind: ToolCallKind, arguments: str, complete: bool) -> None:
        self.id = id
        self.name = name
        self.kind: ToolCallKind = kind
        self.arguments = arguments
        self.complete = complete

    def parsed(self) -> dict[str, Any]:
        """The arguments as an object; an empty string and ``null`` are ``{}``. Control characters inside strings are accepted.

        Raises:
            InvalidArgumentsError: the arguments are anything but a JSON object, or the call is of kind "custom".
        """
        if self.kind == "custom":
            raise InvalidArgumentsError(
                f"tool call {self.name!r} takes free text, not JSON: read .arguments instead", tool_call=self
            )
        if not self.arguments:
            return {}
        try:
            value = json.loads(self.arguments, strict=False)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
            raise InvalidArgumentsError(
                f"{self._described()} are not JSON ({reason}): {self._advice()}", tool_call=self
            ) from None
        if value is None:
            return {}
        if not isinstance(value, JSONObject):
            raise InvalidArgumentsError(f"{self._described()} are JSON but no object: {self._advice()}", tool_call=self)
        return value

    def so_far(self) -> dict[str, Any]:
        """The best-effort object of arguments that may be unfinished. Open strings, arrays and objects are closed, and what is
        not certain yet is left out. Computed anew at each call, in linear time; faster if ``jiter`` has been imported.
        """
        return {} if self.kind == "custom" else object_so_far(self.arguments)

    def _described(self) -> str:
        return f"the arguments of tool call {self.name!r} ({len(self.arguments)} characters)"

    def _advice(self) -> str:
        if self.complete:
            return "send the model an error as the call's result, so that it can correct itself"
        return "the call is not complete; don't execute it, raise the token limit or send the request again"


class OtherPart(Value):
    """Any other block or item (server tools and their results, images, ...) in its native form."""

    __slots__ = ("native",)
    __match_args__ = ("native",)
    type: ClassVar[Literal["other"]] = "other"

    def __init__(self, native: dict[str, Any]) -> None:
        self.native = native


# Each says its `type`, for code that prefers a word to a class.
Part = Union[TextPart, ReasoningPart, RefusalPart, ToolCall, OtherPart]  # noqa: UP007  # prints the same on 3.10 to 3.14


class Usage(Value):
    """Token counts, the same meaning in every dialect. What the provider did not send as a whole number is None.

    ``input_tokens`` is all of the input, cached and cache-written included, as OpenTelemetry's GenAI conventions define it;
    ``total_tokens`` is as received, else the sum; ``native`` is the provider's own object.
    """

    __slots__ = (
        "cache_write_tokens",
        "cached_input_tokens",
        "input_tokens",
        "native",
        "output_tokens",
        "reasoning_tokens",
        "total_tokens",
    )
    __match_args__ = (
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "cached_input_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "native",
    )

    def __init__(
        self,
        input_tokens: int | None,
        output_tokens: int | None,
        total_tokens: int | None,
        cached_input_tokens: int | None,
        cache_write_tokens: int | None,
        reasoning_tokens: int | None,
        native: dict[str, Any],
    ) -> None:
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.total_tokens = total_tokens
        self.cached_input_tokens = cached_input_tokens
        self.cache_write_tokens = cache_write_tokens
        self.reasoning_tokens = reasoning_tokens
        self.native = native


class Choice(Value):
    """One of the alternatives that a request asked for. Most answers have only number 0. ``parts`` keeps the order of arrival."""

    __slots__ = (
        "extra",
        "finish_reason",
        "index",
        "native_finish_reason",
        "parts",
        "reasoning",
        "refusal",
        "text",
        "tool_calls",
    )
    __match_args__ = (
        "index",
        "parts",
        "text",
        "reasoning",
        "refusal",
        "tool_calls",
        "finish_reason",
        "native_finish_reason",
        "extra",
    )

    def __init__(
        self,
        index: int,
        parts: Sequence[Part] = (),
        text: str = "",
        reasoning: str = "",
        refusal: str = "",
        tool_calls: Sequence[ToolCall] = (),
        finish_reason: FinishReason | None = None,
        native_finish_reason: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.index = index
        self.parts = list(parts)
        self.text = text
        self.reasoning = reasoning
        self.refusal = refusal
        self.tool_calls = list(tool_calls)
        self.finish_reason: FinishReason | None = finish_reason
        self.native_finish_reason = native_finish_reason
        self.extra = extra if extra is not None else {}

    def text_so_far_json(self) -> Any:
        """The best-effort object or list of a text that is JSON, in a fenced block or not, and may be unfinished. ``{}`` where
        the text is no JSON."""
        return value_so_far(self.text)

    def to_dict(self) -> dict[str, Any]:
        """The members in plain JSON types; each part also says its ``type``."""
        return {**super().to_dict(), "parts": [{"type": part.type, **part.to_dict()} for part in self.parts]}


_SHORTCUTS = ("text", "reasoning", "refusal", "tool_calls", "parts", "finish_reason", "native_finish_reason")


class Answer(Value):
    """The answer that a stream adds up to. ``complete`` is true only if the terminating frame was seen.

    Attributes:
        native: the unstreamed object (``chat.completion``, ``message``, ``response``) in plain dicts, built from what arrived.
        extra: what the vocabulary has no word for, by name.
    """

    __slots__ = ("_turn_of", "choices", "complete", "dialect", "extra", "id", "model", "native", "usage")
    __match_args__ = ("dialect", "id", "model", "complete", "choices", "usage", "extra", "native")

    def __init__(
        self,
        dialect: DialectName | None,
        id: str | None = None,
        model: str | None = None,
        complete: bool = False,
        choices: Sequence[Choice] = (),
        usage: Usage | None = None,
        extra: dict[str, Any] | None = None,
        native: dict[str, Any] | None = None,
        turn: Callable[[dict[str, Any]], list[dict[str, Any]]] | None = None,
    ) -> None:
        self.dialect: DialectName | None = dialect
        self.id = id
        self.model = model
        self.complete = complete
        self.choices = list(choices)
        self.usage = usage
        self.extra = extra if extra is not None else {}
        self.native = native if native is not None else {}
        self._turn_of = turn  # makes the turn from `native`; a module's function, so that answers can be pickled

    @property
    def turn(self) -> list[dict[str, Any]]:
        """What to extend the next request's history with, unchanged: a fresh copy at each access.

        Raises:
            MisuseError: the answer is not complete. All later answers would build on half of one.
        """
        if not self.complete:
            raise MisuseError(
                "this answer is not complete, so it has no turn: send the request again instead of going on from a part"
            )
        return self._turn_of(copied(self.native)) if self._turn_of is not None else []

    @property
    def text(self) -> str:
        """Choice 0's text, "" where there is none."""
        return self._first.text

    @property
    def reasoning(self) -> str:
        """Choice 0's reasoning, "" where there is none."""
        return self._first.reasoning

    @property
    def refusal(self) -> str:
        """Choice 0's refusal, "" where there is none."""
        return self._first.refusal

    @property
    def tool_calls(self) -> list[ToolCall]:
        """Choice 0's calls."""
        return self._first.tool_calls

    @property
    def parts(self) -> list[Part]:
        """Choice 0's parts in the order of arrival."""
        return self._first.parts

    @property
    def finish_reason(self) -> FinishReason | None:
        """Choice 0's finish reason in the vocabulary of `FinishReason`."""
        return self._first.finish_reason

    @property
    def native_finish_reason(self) -> str | None:
        """Choice 0's finish reason in the provider's own word."""
        return self._first.native_finish_reason

    def text_so_far_json(self) -> Any:
        """Choice 0's text as an object or list, also if it is unfinished: `Choice.text_so_far_json`."""
        return self._first.text_so_far_json()

    @property
    def _first(self) -> Choice:
        return next((choice for choice in self.choices if choice.index == 0), self.choices[0] if self.choices else Choice(0))

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain JSON types, the shortcuts included, without ``turn``."""
        return {**super().to_dict(), **{name: value for name, value in self._first.to_dict().items() if name in _SHORTCUTS}}
