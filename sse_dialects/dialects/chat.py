"""OpenAI Chat Completions, and everything that imitates it: ``data:`` lines only, ended by ``data: [DONE]``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable  # noqa: TC003  # hints resolve at run time
from sys import intern
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import MalformedStreamError, UpstreamError
from ..events import Extra, Finished
from ..failures import error_in, is_padding
from ..values import JSONObject
from .base import Accumulator
from .chat_calls import index_of
from .chat_choice import ChatChoice, Numbers
from .chat_delta import flush, take_delta
from .chat_snapshot import take_snapshot
from .finish import cuts_calls, failure_word, finish_reason, is_for_calls
from .joined import JoinedLogprobs, built
from .telling import object_member, objects
from .usage import holds_count, input_includes_cache

if TYPE_CHECKING:
    from ..answer import Answer, Choice

__all__ = ["ChatAccumulator", "failure_in", "is_chunk"]

# Members of a chunk with a meaning here, or that only wrap it: of those the first that says something stands in `native`, but
# for the padding against guessing the text from its length.
_HANDLED = frozenset({"id", "object", "created", "model", "obfuscation", "choices", "usage", "error"})
_WRAPPING = ("id", "created", "model")

# What some servers write for no reason yet.
_NO_REASON = frozenset({"null", "none"})


class ChatAccumulator(Accumulator):
    """Chunks of one chat completion in, events and the answer out. See `Accumulator` for the verbs.

    Args:
        require_done: whether ``data: [DONE]`` is needed. False also lets the stream end after every choice has a finish reason.
        think_tags: whether ``<think>`` blocks in the content are told apart as reasoning.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_choice_error", "_choices", "_created", "_failed", "_numbers", "_objects", "_unnamed")

    dialect = "chat"
    expected: ClassVar[str] = "data: [DONE]"
    foreign: ClassVar[str] = "is a chunk of a chat completion"
    reasoning_joint: ClassVar[str] = ""  # a chat stream has one run of reasoning, however often text comes between

    # ---- chunks

    def _prepare(self) -> None:
        self._choices: list[ChatChoice] = []  # in the order of their index
        self._created: Any = None
        self._unnamed: dict[str, Any] | None = None  # what wraps the chunks and says nothing: "" for an id
        self._objects: dict[str, dict[str, Any]] | None = None  # objects of the chunks that came more than once, by member
        self._numbers = Numbers()
        self._choice_error: Any = None
        self._failed: tuple[str, str] | None = None  # the finish reason that means failure, and its word that does

    def idle(self) -> dict[str, Any]:
        """What pads the chunks; and what wraps them, of which the first counts: some servers give every chunk its own id."""
        wrapping = {"id": self.id, "created": self._created, "model": self.model}
        return {"obfuscation": None, **{name: value for name, value in wrapping.items() if value}}

    def note(self, count: int, size: int) -> None:
        """Count frames that did no more than add a string, which somebody else has added."""
        super().note(count, size)
        self._numbers.chunks += count

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        raw = failure_in(event, payload)
        if raw is None or "choices" in payload:
            self._take_chunk(payload)
        self._raise_failure(raw, payload)
        if payload.get("object") == "chat.completion.done":
            self.finish()

    def _identifies(self, event: str, payload: Any) -> bool:
        return is_chunk(payload) or (isinstance(payload, JSONObject) and failure_in(event, payload) is not None)

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._take_chunk(payload)
        self._raise_failure(None, payload)
        self.finish()

    def _raise_failure(self, raw: Any, payload: dict[str, Any]) -> None:
        """What the chunk itself says counts before what one of its choices says."""
        raw = raw or self._choice_error
        if raw:
            raise self._upstream(raw, payload)
        if self._failed is not None:
            reason, word = self._failed
            said = f"a choice finished with reason {reason!r}"
            raise UpstreamError(type=word, message=said, payload=self._tell.clean(payload))

    def _on_done(self) -> None:
        self.finish()

    def _take_chunk(self, payload: dict[str, Any]) -> None:
        self.id = self.id or self._tell.word(payload, "id")
        self.model = self.model or self._tell.word(payload, "model")
        self._start()
        choices = objects(payload, "choices")
        for fields in choices:
            self._take_choice(fields)
        self._numbers.add([choice.get("index") for choice in choices])
        if len(choices) > 1:
            self._tell.cold = True  # a path does not say which of them told something
        self._created = self._created or self._tell.clean(payload.get("created"))
        if not (self.id and self.model and self._created):
            self._note_unnamed(payload)
        for name, value in payload.items():
            if value is not None and name not in _HANDLED:
                self._merge(name, value)
                self._tell.extra(self._extra, intern(name), value)  # one string for all streams of the process
        self._take_usage(*_reported(payload))

    def _note_unnamed(self, payload: dict[str, Any]) -> None:
        came = {name: self._tell.clean(payload[name]) for name in _WRAPPING if payload.get(name) is not None}
        if came:
            self._unnamed = {**came, **(self._unnamed or {})}

    def _merge(self, name: str, value: Any) -> None:
        """In the unstreamed object, objects of the chunks are merged by member; of anything else the last counts."""
        before = self._extra.get(name)
        if isinstance(before, JSONObject) and isinstance(value, JSONObject) and before != value:
            if self._objects is None:
                self._objects = {}
            self._objects.setdefault(name, dict(before)).update(self._tell.clean(value))

    def _take_usage(self, *reports: Any) -> None:
        """The last usage object that holds a count replaces earlier ones whole; of one chunk's, the first does. One without a
        count is kept as the other members are."""
        usages = [usage for usage in reports if usage]
        for usage in usages:
            if isinstance(usage, JSONObject) and holds_count(usage):
                self._report_usage(input_includes_cache(self._tell.clean(usage)))
                return
        if usages:
            self._tell.extra(self._extra, "usage", usages[0])

    # ---- choices

    def _take_choice(self, fields: dict[str, Any]) -> None:
        choice = self._choice_at(fields.get("index"))
        choice.ending = bool(fields.get("finish_reason"))
        for name, take in self._CHOICE_MEMBERS.items():
            if fields.get(name) is not None:
                take(self, choice, fields)
        for name, value in fields.items():
            if value is not None and name not in self._CHOICE_MEMBERS and name != "index":
                self._keep(choice, name, value)

    def _keep(self, choice: ChatChoice, name: str, value: Any) -> None:
        """A member without a word of ours."""
        self._tell.extra(choice.extra, name, value, choice.index)
        choice.keep(name, choice.extra[name])

    def _choice_at(self, index: Any) -> ChatChoice:
        number = index_of(index)
        number = number if isinstance(number, int) else 0
        at = bisect_left(self._choices, number, key=_index)
        if at < len(self._choices) and self._choices[at].index == number:
            return self._choices[at]
        self._tell.check("max_choices", len(self._choices) + 1)
        choice = ChatChoice(number, think_tags=self.think_tags)
        self._choices.insert(at, choice)
        return choice

    def _delta(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_delta(choice, self._sound(choice, object_member(fields, "delta")), self._tell)

    def _message(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_snapshot(choice, self._sound(choice, object_member(fields, "message")), self._tell)

    def _sound(self, choice: ChatChoice, fields: dict[str, Any]) -> dict[str, Any]:
        """A delta or message without its ``error``, which is the choice's."""
        if "error" not in fields:
            return fields
        self._error(choice, fields)
        return {name: value for name, value in fields.items() if name != "error"}

    def _text(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The content as the older endpoint for bare completions sends it; some servers repeat it there beside the delta."""
        if isinstance(fields["text"], str) and fields.get("delta") is None and fields.get("message") is None:
            take_delta(choice, {"content": fields["text"]}, self._tell)
            self._tell.cold = True  # the text stands elsewhere than a delta's
        else:
            self._keep(choice, "text", fields["text"])

    def _logprobs(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        logprobs = self._tell.clean(fields["logprobs"])
        if not isinstance(logprobs, JSONObject):
            self._keep(choice, "logprobs", logprobs)
            return
        kept = (choice.other or {}).get("logprobs")
        kept = choice.keep("logprobs", kept if isinstance(kept, JoinedLogprobs) else JoinedLogprobs())
        if new := {name: value for name, value in logprobs.items() if value}:
            kept.add(new)
            choice.extra["logprobs"] = kept
            self._tell.cold = True
            self._tell.out.append(Extra("logprobs", new, choice.index))

    def _usage(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        self._take_usage(fields["usage"])

    def _error(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        if not is_padding(fields["error"]):
            self._choice_error = fields["error"]

    def _finish_reason(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The first one binds; some servers send a second, and empty ones say nothing."""
        reason = self._tell.word(fields, "finish_reason")
        if reason is not None and reason.lower() not in _NO_REASON:
            choice.finish_reason = choice.finish_reason or reason
            choice.cut = choice.cut or cuts_calls(reason)
            if (word := failure_word(reason)) is not None:
                self._failed = self._failed or (reason, word)

    def _native_finish_reason(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The upstream's own word, where a router writes another one of its own."""
        choice.cut = choice.cut or cuts_calls(self._tell.word(fields, "native_finish_reason"))
        self._keep(choice, "native_finish_reason", fields["native_finish_reason"])

    # In this order, whatever the order in the chunk: text counts before the reason it ended for.
    _CHOICE_MEMBERS: ClassVar[dict[str, Callable[[ChatAccumulator, ChatChoice, dict[str, Any]], None]]] = {
        "delta": _delta,
        "message": _message,
        "text": _text,
        "logprobs": _logprobs,
        "usage": _usage,
        "error": _error,
        "finish_reason": _finish_reason,
        "native_finish_reason": _native_finish_reason,
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
        """Flush what was held back, then finish calls, then choices.

        Raises:
            MalformedStreamError: the indexes of the choices count chunks.
        """
        if self._numbers.count_chunks([choice.index for choice in self._choices if choice.finish_reason]):
            raise MalformedStreamError("the index of a choice counts the chunks, so that each piece is a choice of its own")
        self._start()
        for choice in self._choices:
            flush(choice, self._tell)
            self._finish_calls(choice)
        self.complete = True
        for choice in self._choices:
            normal = finish_reason(choice.finish_reason, has_calls=any(call.name for call in choice.calls_in_order()))
            self._tell.out.append(Finished(normal, choice.finish_reason, choice.index))

    def _finish_calls(self, choice: ChatChoice) -> None:
        """Finish the calls of a choice, unless something says that it was cut, or nothing says that it ended."""
        for call in choice.calls_in_order():
            replaced = call.replace_by_last_snapshot()
            if replaced:
                body = call.native()
                value = {"function_call": body} if call.legacy else {"tool_calls": [body]}
                self._tell.out.append(Extra("snapshot", value, choice.index))
            certain = is_for_calls(choice.finish_reason) if replaced else choice.finish_reason is not None
            if certain and not choice.cut:
                self._tell.out.extend(call.finish())

    # ---- the answer

    def _built(self) -> Answer:
        said = {"id": self.id, "created": self._created, "model": self.model}
        native = {**(self._unnamed or {}), **{name: value for name, value in said.items() if value}}
        native["object"] = "chat.completion"
        native["choices"] = [choice.native() for choice in self._choices]
        native.update((name, built(value)) for name, value in self._extra.items())
        native.update((name, dict(value)) for name, value in (self._objects or {}).items())
        if self.usage is not None:
            native["usage"] = self.usage.native
        turn = self._choices[0].turn() if self._choices else []
        first = next((choice.extra for choice in self._choices if choice.index == 0), self._extra)
        extra = {**self._extra, **first}
        return self._answer([self._built_choice(choice) for choice in self._choices], extra, native, turn)

    def _built_choice(self, choice: ChatChoice) -> Choice:
        parts = [part.build() for part in choice.parts]
        calls = [call.build() for call in choice.calls_in_order()]
        extra = None if choice.index == 0 else choice.extra
        return self._choice(choice.index, parts, calls, choice.finish_reason, extra)


def is_chunk(payload: Any) -> bool:
    """Whether a payload is a chunk of a chat completion: it has choices or usage, or is an object of that family."""
    if not isinstance(payload, JSONObject):
        return False
    return "choices" in payload or "usage" in payload or str(payload.get("object")).startswith("chat.completion")


def _index(choice: ChatChoice) -> int:
    return choice.index


def failure_in(event: str, payload: dict[str, Any]) -> Any:
    """The error that a chunk reports itself, or in a server's own object, or by its event's name; None where it reports none."""
    raw = error_in(payload)
    if raw is None and not is_padding(own := _own(payload, "error")):
        raw = own
    return payload if raw is None and event == "error" else raw


def _reported(payload: dict[str, Any]) -> tuple[Any, Any]:
    """The usage objects of a chunk; some servers put one into a member of their own, beside the usual place or in its stead."""
    return payload.get("usage"), _own(payload, "usage")


def _own(payload: dict[str, Any], member: str) -> Any:
    """What the first of a server's own objects that has it says under ``member``: some report there, under a name that begins
    with ``x_``, what has no place in a chunk."""
    for name, value in payload.items():
        if name[:2] == "x_" and isinstance(value, JSONObject) and value.get(member):
            return value[member]
    return None
