"""What a reply says, in words that all dialects share."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

__all__ = ["Content", "tool_call", "usage"]


class Content:
    """What one reply says.

    Attributes:
        parts: the pieces of the answer in their order; every tool call has an id.
        finish_reason: why it ends, in this package's word. native_finish_reason: in the provider's, if that was given.
        id, model: None for an id of the dialect's kind.
        usage: None for a stream without usage.
        alternatives: the contents of further choices.
        key: what the ids are made of that nobody gave: a digest of the content, so that the same reply always has the same ids,
            and another reply has others.
    """

    __slots__ = ("_given", "alternatives", "finish_reason", "id", "key", "model", "native_finish_reason", "parts", "usage")

    def __init__(
        self,
        parts: Iterable[sd.Part],
        *,
        finish_reason: sd.FinishReason | None,
        native_finish_reason: str | None,
        id: str | None,
        model: str,
        usage: sd.Usage | None,
        alternatives: Sequence[Content],
    ) -> None:
        self._given = list(parts)
        self.key = _digest(model, finish_reason, *({"type": part.type, **part.to_dict()} for part in self._given))
        self.parts = _with_ids(self._given, self.key)
        self.finish_reason: sd.FinishReason = finish_reason or ("tool_calls" if self.tool_calls else "stop")
        self.native_finish_reason = native_finish_reason
        self.id = id
        self.model = model
        self.usage = usage
        self.alternatives = list(alternatives)

    def again(self, number: int) -> Self:
        """The same content said once more, with other ids where none were given, as a provider would have it.

        Args:
            number: how often it was said before; 0 gives the same ids.
        """
        if not number:
            return self
        other = copy.copy(self)
        other.key = _digest(self.key, number)
        other.parts = _with_ids(self._given, other.key)
        other.alternatives = [alternative.again(number) for alternative in self.alternatives]
        return other

    @property
    def text(self) -> str:
        """All of the text."""
        return "".join(part.text for part in self.parts if isinstance(part, sd.TextPart))

    @property
    def tool_calls(self) -> list[sd.ToolCall]:
        """The tool calls."""
        return [part for part in self.parts if isinstance(part, sd.ToolCall)]

    @property
    def is_cut_off(self) -> bool:
        """Whether the last part stops in the middle, by its finish reason."""
        return self.finish_reason in ("length", "content_filter")

    def word(self, dialect: str, words: dict[str, str]) -> str:
        """The finish reason in the provider's word: the given one, or what ``words`` has for ours.

        Raises:
            MisuseError: the dialect has no word for it.
        """
        word = self.native_finish_reason or words.get(self.finish_reason)
        if word is None:
            raise sd.MisuseError(
                f"the dialect {dialect} has no word for the finish reason {self.finish_reason!r}: "
                f"use one of {', '.join(words)}, or say the provider's own with native_finish_reason"
            )
        return word


def tool_call(name: str, arguments: dict[str, Any] | str = "", *, id: str | None = None, custom: bool = False) -> sd.ToolCall:
    """A tool call for `reply`.

    Args:
        name: the tool's.
        arguments: an object, or the exact text of the arguments (which may be no JSON); of a custom tool its free text.
        id: the call's; without one its reply makes one that no other reply has.
        custom: whether the tool takes free text in place of JSON.
    """
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return sd.ToolCall(id, name, "custom" if custom else "function", text, complete=True)


def usage(
    input_tokens: int = 0,
    output_tokens: int = 0,
    *,
    cached_input_tokens: int = 0,
    cache_write_tokens: int = 0,
    reasoning_tokens: int = 0,
) -> sd.Usage:
    """Token counts for `reply`. As in `sse_dialects.Usage`, the input's count includes what came from the cache or went to it."""
    total = input_tokens + output_tokens
    return sd.Usage(input_tokens, output_tokens, total, cached_input_tokens, cache_write_tokens, reasoning_tokens, {})


def _digest(*values: Any) -> str:
    """Eight hexadecimal digits that differ where the values differ."""
    return hashlib.sha256(json.dumps(values, default=repr).encode()).hexdigest()[:8]


def _with_ids(parts: Iterable[sd.Part], key: str) -> list[sd.Part]:
    identified: list[sd.Part] = []
    calls = 0
    for part in parts:
        if isinstance(part, sd.ToolCall):
            calls += 1
            identified.append(sd.ToolCall(part.id or f"call_{key}_{calls}", part.name, part.kind, part.arguments, complete=True))
        else:
            identified.append(part)
    return identified
