"""OpenAI Chat Completions, and everything that imitates it: ``data:`` lines only, ended by ``data: [DONE]``."""

from __future__ import annotations

from bisect import bisect_left
from sys import intern
from typing import TYPE_CHECKING, Any, ClassVar

from ..envelope import error_in
from ..errors import UpstreamError
from ..events import Extra, Finished
from ..values import JSONObject
from .base import Accumulator
from .chat_choice import ChatChoice
from .chat_delta import flush, take_delta
from .chat_snapshot import take_snapshot
from .finish import finish_reason
from .joined import JoinedLogprobs
from .telling import items, object_member
from .usage import holds_count, input_includes_cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..answer import Answer, Choice, DialectName

__all__ = ["ChatAccumulator"]

# Members of a chunk with a meaning here, or that only wrap it: those stand in `native`, the first that says something counts.
_HANDLED = frozenset({"id", "object", "created", "model", "obfuscation", "choices", "usage", "error"})

# Reasons that cut a call off, so that its arguments may be half of what the model meant.
_CUTS_CALLS = frozenset({"length", "content_filter"})


class ChatAccumulator(Accumulator):
    """Chunks of one chat completion in, events and the answer out. See `Accumulator` for the verbs.

    Args:
        require_done: whether ``data: [DONE]`` is needed. False also lets the stream end after every choice has a finish reason.
        think_tags: whether ``<think>`` blocks in the content are told apart as reasoning.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_choice_error", "_choice_failed", "_choices", "_created", "_extra", "_padding")

    dialect: ClassVar[DialectName] = "chat"
    expected: ClassVar[str] = "data: [DONE]"
    reasoning_joint: ClassVar[str] = ""  # a chat stream has one run of reasoning, however often text comes between

    # ---- chunks

    def _prepare(self) -> None:
        self._choices: list[ChatChoice] = []  # in the order of their index
        self._created: Any = None
        self._padding: Any = None
        self._extra: dict[str, Any] = {}  # of the chunks themselves; each choice has its own
        self._choice_error: Any = None
        self._choice_failed = False

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        raw = error_in(payload) or (payload if event == "error" else None)
        if raw is None or "choices" in payload:
            self._take_chunk(payload)
        self._raise_failure(raw, payload)
        if payload.get("object") == "chat.completion.done":
            self.finish()

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._take_chunk(payload)
        self._raise_failure(None, payload)
        self.finish()

    def _raise_failure(self, raw: Any, payload: dict[str, Any]) -> None:
        """What the chunk itself says counts before what one of its choices says."""
        raw = raw or self._choice_error
        if raw:
            raise self._upstream(raw, payload)
        if self._choice_failed:
            raise UpstreamError(message="a choice finished with reason 'error'", payload=self._tell.clean(payload))

    def _on_done(self) -> None:
        self.finish()

    def _take_chunk(self, payload: dict[str, Any]) -> None:
        self.id = self.id or self._tell.word(payload, "id")
        self.model = self.model or self._tell.word(payload, "model")
        self._start()
        choices = items(payload, "choices")
        for fields in choices:
            if isinstance(fields, JSONObject):
                self._take_choice(fields)
        if len(choices) > 1:
            self._tell.cold = True  # a path does not say which of them told something
        self._created = payload.get("created") if self._created is None else self._created
        self._padding = payload.get("obfuscation") if self._padding is None else self._padding
        for name, value in payload.items():
            if value is not None and name not in _HANDLED:
                self._tell.extra(self._extra, intern(name), value)  # one string for all streams of the process
        self._take_usage(_reported(payload))

    def _take_usage(self, usage: Any) -> None:
        """The last usage object that holds a count replaces earlier ones whole."""
        if isinstance(usage, JSONObject) and holds_count(usage):
            self._report_usage(input_includes_cache(self._tell.clean(usage)))

    # ---- choices

    def _take_choice(self, fields: dict[str, Any]) -> None:
        choice = self._choice_at(fields.get("index"))
        for name, take in self._CHOICE_MEMBERS.items():
            if fields.get(name) is not None:
                take(self, choice, fields)
        for name, value in fields.items():
            if value is not None and name not in self._CHOICE_MEMBERS and name != "index":
                self._tell.extra(choice.extra, name, value, choice.index)
                self._keep_other(choice, name)

    def _keep_other(self, choice: ChatChoice, name: str) -> None:
        if choice.other is None:
            choice.other = {}
        choice.other[name] = choice.extra[name]

    def _choice_at(self, index: Any) -> ChatChoice:
        number = index if isinstance(index, int) and not isinstance(index, bool) else 0
        at = bisect_left(self._choices, number, key=_index)
        if at < len(self._choices) and self._choices[at].index == number:
            return self._choices[at]
        self._tell.check("max_choices", len(self._choices) + 1)
        choice = ChatChoice(number, think_tags=self.think_tags)
        self._choices.insert(at, choice)
        return choice

    def _delta(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_delta(choice, object_member(fields, "delta"), self._tell)

    def _message(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_snapshot(choice, object_member(fields, "message"), self._tell)

    def _logprobs(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        logprobs = self._tell.clean(fields["logprobs"])
        if not isinstance(logprobs, JSONObject):
            self._tell.extra(choice.extra, "logprobs", logprobs, choice.index)
        elif new := {name: value for name, value in logprobs.items() if value}:
            kept = choice.extra.get("logprobs")
            if not isinstance(kept, JoinedLogprobs):
                kept = choice.extra["logprobs"] = JoinedLogprobs()
            kept.add(new)
            self._tell.out.append(Extra("logprobs", new, choice.index))
        if "logprobs" in choice.extra:
            self._keep_other(choice, "logprobs")

    def _usage(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        self._take_usage(fields["usage"])

    def _error(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        self._choice_error = fields["error"]

    def _finish_reason(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The first one binds; some servers send a second, and empty ones say nothing."""
        choice.finish_reason = choice.finish_reason or self._tell.word(fields, "finish_reason")
        self._choice_failed = fields["finish_reason"] == "error"

    # In this order, whatever the order in the chunk: text counts before the reason it ended for.
    _CHOICE_MEMBERS: ClassVar[dict[str, Callable[[ChatAccumulator, ChatChoice, dict[str, Any]], None]]] = {
        "delta": _delta,
        "message": _message,
        "logprobs": _logprobs,
        "usage": _usage,
        "error": _error,
        "finish_reason": _finish_reason,
    }

    # ---- the end

    def _ends_without_terminator(self) -> bool:
        return not self.require_done and self._every_choice_finished()

    def _hint(self) -> str | None:
        if self.require_done and self._every_choice_finished():
            return "Every choice had its finish_reason: if this server never sends [DONE], pass require_done=False."
        return None

    def _every_choice_finished(self) -> bool:
        return bool(self._choices) and all(choice.finish_reason for choice in self._choices)

    def finish(self) -> None:
        """Flush what was held back, then finish calls, then choices."""
        self._start()
        for choice in self._choices:
            flush(choice, self._tell)
            for call in choice.calls_in_order():
                if choice.finish_reason not in _CUTS_CALLS:
                    self._tell.out.append(call.finish())
        self.complete = True
        for choice in self._choices:
            normal = finish_reason(choice.finish_reason, has_calls=bool(choice.calls_in_order()))
            self._tell.out.append(Finished(normal, choice.finish_reason, choice.index))

    # ---- the answer

    def _built(self) -> Answer:
        envelope = {"id": self.id, "created": self._created, "model": self.model, "obfuscation": self._padding}
        native = {name: value for name, value in envelope.items() if value is not None}
        native.update(self._extra)
        native["object"] = "chat.completion"
        native["choices"] = [choice.native() for choice in self._choices]
        if self.usage is not None:
            native["usage"] = self.usage.native
        turn = self._choices[0].turn() if self._choices else []
        extra = {**self._extra, **next((choice.extra for choice in self._choices if choice.index == 0), {})}
        return self._answer([self._built_choice(choice) for choice in self._choices], extra, native, turn)

    def _built_choice(self, choice: ChatChoice) -> Choice:
        parts = [part.build() for part in choice.parts]
        calls = [call.build() for call in choice.calls_in_order()]
        extra = None if choice.index == 0 else choice.extra
        return self._choice(choice.index, parts, calls, choice.finish_reason, extra)


def _index(choice: ChatChoice) -> int:
    return choice.index


def _reported(payload: dict[str, Any]) -> Any:
    """The usage object of a chunk; some servers put it into a member of their own."""
    if payload.get("usage") is not None:
        return payload["usage"]
    vendor = payload.get("x_groq")
    return vendor.get("usage") if isinstance(vendor, JSONObject) else None
