"""The engine of chat streams: chunks in, events and the answer out.

`ChatEngine.take` is the common way of a delta, `_take_chunk` the way of every other chunk: the chunk's own members, then by
`CHOICE_MEMBERS` those of each choice, then by `deltas.DELTA_MEMBERS` those of its delta.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from ...answer import ToolCall
from ...errors import MalformedStreamError, UpstreamError
from ...events import Extra, Finished
from ...values import JSONObject
from ..base import Engine
from ..emit import object_member, objects
from ..finish import cuts_calls, failure_word, finish_reason, is_for_calls
from ..merge import MergedLogprobs, snapshot
from ..usage import holds_count, input_includes_cache
from .choices import ChatChoice, turn_of
from .chunks import HANDLED, failure_in, is_chunk, member_of_own, remembered
from .deltas import flush, take_delta
from .snapshots import take_snapshot
from .tool_calls import index_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...answer import Answer, Choice
    from ..parts import PartBuilder

__all__ = ["ChatEngine"]

# Members that only wrap a chunk: of each the first that says something stands in `native`.
_WRAPPING = ("id", "created", "model")

# What some servers write for no reason yet.
_NO_REASON = frozenset({"null", "none"})

# Two chunks whose choices have the indexes 0 and 1 may well be two choices.
_MIN_COUNTED_CHUNKS = 3


class ChatEngine(Engine):
    """Chunks of one chat completion in, events and the answer out. See `Engine` for the verbs.

    Args:
        require_done: whether ``data: [DONE]`` is needed. False also lets the stream end after every choice has a finish reason.
        think_tags: whether ``<think>`` blocks in the content are reasoning.
        limits: bounds on everything that grows.
    """

    __slots__ = (
        *("_choice_error", "_choices", "_chunk_count", "_created", "_failed", "_indexes_may_count_chunks"),
        *("_last_choice", "_objects", "_unnamed"),
    )

    dialect = "chat"
    terminator: ClassVar[str] = "data: [DONE]"
    sign: ClassVar[str] = "is a chunk of a chat completion"
    reasoning_joint: ClassVar[str] = ""  # a chat stream has one run of reasoning, however often text comes between

    def _prepare(self) -> None:
        self._choices: list[ChatChoice] = []  # in the order of their index
        self._last_choice: ChatChoice | None = None  # of the last chunk
        self._chunk_count = 0  # of chunks that have choices
        self._indexes_may_count_chunks = True  # see `_indexes_count_chunks`
        self._created: Any = None
        self._unnamed: dict[str, Any] | None = None  # names that came but do not bind, such as "" for an id
        self._objects: dict[str, dict[str, Any]] | None = None  # objects of the chunks that came more than once, by member
        self._choice_error: Any = None
        self._failed: tuple[str, str] | None = None  # the finish reason that means failure, and its word that does

    # ---- chunks

    def take(self, payload: dict[str, Any], event: str) -> PartBuilder | None:
        """Take one chunk: at once if it differs from the last only in the string that was new there, else the general way.

        Python's equality takes ``true`` for 1, so the indexes have to be numbers.
        """
        hot = self.hot
        if hot is None or event == "error":
            self._take_and_remember(payload, event)
            return None
        index = piece = None
        try:
            choice = payload["choices"][0]
            index, holder = choice["index"], choice["delta"]
            if hot.name == "arguments":
                call = holder["tool_calls"][0]
                index, holder = (index if type(call["index"]) is int else None), call["function"]
            piece = holder[hot.name]
        except (LookupError, TypeError):
            pass  # a chunk of another shape
        if type(piece) is str and piece and type(index) is int:
            hot.holder[hot.name] = piece
            for name in hot.padding:
                hot.payload[name] = payload.get(name)
            if payload == hot.payload:
                self._chunk_count += 1
                if hot.member is not None:
                    hot.member.append(piece)
                for member, text in hot.repeated:
                    member.append(text)
                hot.buffer.add(piece, self.out)
                return hot.buffer
        self._take_and_remember(payload, event)
        return None

    def _take_and_remember(self, payload: dict[str, Any], event: str) -> None:
        """Take one chunk the general way, and remember it if the next one may be compared with it."""
        before, count = self.hot, len(self.out)
        self.take_general(payload, event)
        choice = self._last_choice
        if choice is not None and len(self.out) == count + 1:
            names_known = bool(self.id and self.model and self._created)
            self.hot = remembered(payload, self.out[-1], choice, before, names_known=names_known)

    def count_repeated(self, count: int, last_number: int | None) -> None:
        """Count hot frames that were taken without this engine."""
        super().count_repeated(count, last_number)
        self._chunk_count += count

    def take_general(self, payload: dict[str, Any], event: str) -> None:
        """Take one chunk of any kind."""
        if "choices" not in payload:  # it may be a keep-alive
            super().take_general(payload, event)
            return
        self.hot = None
        self._had_surrogates |= self._emit.has_surrogates
        self._on_payload(event, payload)

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        raw = failure_in(event, payload)
        if raw is None or "choices" in payload:
            self._take_chunk(payload)
        if raw is not None or self._choice_error or self._failed is not None:
            self._raise_failure(raw, payload)
        if payload.get("object") == "chat.completion.done":
            self.finish()

    def _identifies(self, event: str, payload: dict[str, Any]) -> bool:
        return is_chunk(payload) or failure_in(event, payload) is not None

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._take_chunk(payload)
        self._raise_failure(None, payload)
        self.finish()

    def _raise_failure(self, raw: Any, payload: dict[str, Any]) -> None:
        """Raise the failure that the chunk reports itself, else the one that one of its choices reports."""
        raw = raw or self._choice_error
        if raw:
            raise self._upstream(raw, payload)
        if self._failed is not None:
            reason, word = self._failed
            said = f"a choice finished with reason {reason!r}"
            raise UpstreamError(type=word, message=said, payload=self._emit.clean(payload))

    def _on_done(self) -> None:
        self.finish()

    def _take_chunk(self, payload: dict[str, Any]) -> None:
        if not (self.id and self.model and self._created):
            self._bind_names(payload)
        if not self._started:
            self._start()
        if choices := objects(payload, "choices"):
            self._chunk_count += 1
            if len(choices) > 1:
                self._indexes_may_count_chunks = False
            for fields in choices:
                self._take_choice(fields)
        self._take_members(payload)

    def _take_members(self, payload: dict[str, Any]) -> None:
        """Take the members of a chunk beside its choices."""
        extra, own_usage = self._extra, None
        for name, value in payload.items():
            if value is not None and name not in HANDLED:
                if name not in extra:
                    self._emit.extra(extra, name, value)
                elif extra[name] != value:
                    self._merge(name, value)
                    self._emit.extra(extra, name, value)
                if own_usage is None and name[:2] == "x_":
                    own_usage = member_of_own(name, value, "usage")
        usage = payload.get("usage")
        if usage or own_usage:
            self._take_usage(usage, own_usage)

    def _bind_names(self, payload: dict[str, Any]) -> None:
        """The first id, model and time of creation that say something bind."""
        self.id = self.id or self._emit.word(payload, "id")
        self.model = self.model or self._emit.word(payload, "model")
        self._created = self._created or self._emit.clean(payload.get("created"))
        if not (self.id and self.model and self._created):
            came = {name: self._emit.clean(payload[name]) for name in _WRAPPING if payload.get(name) is not None}
            if came:
                self._unnamed = {**came, **(self._unnamed or {})}

    def _merge(self, name: str, value: Any) -> None:
        """In the unstreamed object, objects of the chunks are merged by member; of anything else the last counts."""
        before = self._extra.get(name)
        if isinstance(before, JSONObject) and isinstance(value, JSONObject):
            if self._objects is None:
                self._objects = {}
            self._objects.setdefault(name, dict(before)).update(self._emit.clean(value))

    def _take_usage(self, *reports: Any) -> None:
        """Take the first usage object of a chunk that holds a count; it replaces an earlier chunk's as a whole. If none holds a
        count, the first is an extra."""
        first = None
        for usage in reports:
            if isinstance(usage, JSONObject) and holds_count(usage):
                self._report_usage(input_includes_cache(self._emit.clean(usage)))
                return
            first = first or usage
        if first:
            self._emit.extra(self._extra, "usage", first)

    # ---- choices

    def _take_choice(self, fields: dict[str, Any]) -> None:
        index, choice = fields.get("index"), self._last_choice
        if choice is None or type(index) is not int or index != choice.index:
            choice = self._last_choice = self._choice_at(index)
        choice.ending = bool(fields.get("finish_reason"))
        for name, take in self.CHOICE_MEMBERS.items():
            if name in fields and fields[name] is not None:
                take(self, choice, fields)
        if choice.error is not None:
            self._choice_error = choice.error
        if not fields.keys() <= _KNOWN_IN_CHOICE:
            for name, value in fields.items():
                if value is not None and name not in _KNOWN_IN_CHOICE:
                    self._keep(choice, name, value)

    def _keep(self, choice: ChatChoice, name: str, value: Any) -> None:
        """Keep a member that the vocabulary has no word for."""
        self._emit.extra(choice.extra, name, value, choice.index)
        choice.keep(name, choice.extra[name])

    def _choice_at(self, index: Any) -> ChatChoice:
        """The choice of that index, which is 0 where it is no number; a new one if there is none."""
        number = index_of(index)
        if not isinstance(number, int):
            number = 0
        expected = (0,) if self._last_choice is None else (self._last_choice.index, self._last_choice.index + 1)
        self._indexes_may_count_chunks = self._indexes_may_count_chunks and number in expected
        at = bisect_left(self._choices, number, key=attrgetter("index"))
        if at < len(self._choices) and self._choices[at].index == number:
            return self._choices[at]
        self._emit.check_limit("max_choices", len(self._choices) + 1)
        choice = ChatChoice(number, think_tags=self.think_tags)
        self._choices.insert(at, choice)
        return choice

    def _delta(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_delta(choice, object_member(fields, "delta"), self._emit)

    def _message(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        take_snapshot(choice, object_member(fields, "message"), self._emit)

    def _text(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The content as the older endpoint for bare completions sends it; some servers repeat it there beside the delta."""
        if isinstance(fields["text"], str) and fields.get("delta") is None and fields.get("message") is None:
            take_delta(choice, {"content": fields["text"]}, self._emit)
        else:
            self._keep(choice, "text", fields["text"])

    def _logprobs(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        logprobs = self._emit.clean(fields["logprobs"])
        if not isinstance(logprobs, JSONObject):
            self._keep(choice, "logprobs", logprobs)
            return
        kept = (choice.other or {}).get("logprobs")
        kept = choice.keep("logprobs", kept if isinstance(kept, MergedLogprobs) else MergedLogprobs())
        if new := {name: value for name, value in logprobs.items() if value}:
            kept.add(new)
            choice.extra["logprobs"] = kept
            self._emit.out.append(Extra("logprobs", new, choice.index))

    def _usage(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        self._take_usage(fields["usage"])

    def _error(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        choice.note_error(fields["error"])

    def _finish_reason(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The first one binds; some servers send a second, and empty ones say nothing."""
        reason = self._emit.word(fields, "finish_reason")
        if reason is not None and reason.lower() not in _NO_REASON:
            choice.finish_reason = choice.finish_reason or reason
            choice.cut = choice.cut or cuts_calls(reason)
            if (word := failure_word(reason)) is not None:
                self._failed = self._failed or (reason, word)

    def _native_finish_reason(self, choice: ChatChoice, fields: dict[str, Any]) -> None:
        """The upstream's own word, where a router writes another one of its own."""
        choice.cut = choice.cut or cuts_calls(self._emit.word(fields, "native_finish_reason"))
        self._keep(choice, "native_finish_reason", fields["native_finish_reason"])

    # In this order, whatever the order in the chunk: text counts before the reason it ended for.
    CHOICE_MEMBERS: ClassVar[dict[str, Callable[[ChatEngine, ChatChoice, dict[str, Any]], None]]] = {
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
        if self._indexes_count_chunks():
            raise MalformedStreamError("the index of a choice counts the chunks, so that each piece is a choice of its own")
        self._start()
        for choice in self._choices:
            flush(choice, self._emit)
            self._finish_calls(choice)
        self.complete = True
        for choice in self._choices:
            has_calls = any(call.name for call in choice.calls_in_order())
            normal = finish_reason(choice.finish_reason, has_calls=has_calls)
            self.out.append(Finished(normal, choice.finish_reason, choice.index))

    def _indexes_count_chunks(self) -> bool:
        """Whether the indexes of the choices count the chunks, as some servers write them: they are 0, 1, 2 and so on, and only
        the last has a finish reason. Each piece of such an answer would be a choice of its own."""
        if not self._indexes_may_count_chunks or self._chunk_count < _MIN_COUNTED_CHUNKS or len(self._choices) == 1:
            return False
        return [choice for choice in self._choices if choice.finish_reason] == [self._last_choice]

    def _finish_calls(self, choice: ChatChoice) -> None:
        """Finish the calls of a choice, unless something says that it was cut, or nothing says that it ended."""
        for call in choice.calls_in_order():
            replaced = call.replace_by_last_snapshot()
            if replaced:
                body = call.native()
                value = {"function_call": body} if call.legacy else {"tool_calls": [body]}
                self.out.append(Extra("snapshot", value, choice.index))
            certain = is_for_calls(choice.finish_reason) if replaced else choice.finish_reason is not None
            if certain and not choice.cut:
                call.finish(self.out)

    # ---- the answer

    def _built(self) -> Answer:
        said = {"id": self.id, "created": self._created, "model": self.model}
        native = {**(self._unnamed or {}), **{name: value for name, value in said.items() if value}}
        native["object"] = "chat.completion"
        native["choices"] = [choice.native() for choice in self._choices]
        for name, value in self._extra.items():
            native[name] = snapshot(value)
        native.update(self._objects or {})
        if self.usage is not None:
            native["usage"] = self.usage.native
        extra = self._extra
        for choice in self._choices:
            if choice.index == 0:
                extra = {**extra, **choice.extra}
        reasoning = self._choices[0].reasoning_entries() if self._choices else ()
        turn = partial(turn_of, reasoning=reasoning) if reasoning else turn_of
        return self._answer([self._built_choice(choice) for choice in self._choices], extra, native, turn)

    def _built_choice(self, choice: ChatChoice) -> Choice:
        parts = [part.build() for part in choice.parts]
        calls = [part for call in choice.calls_in_order() if isinstance(part := parts[call.place], ToolCall)]
        extra = None if choice.index == 0 else choice.extra
        return self._choice(choice.index, parts, calls, choice.finish_reason, extra)


_KNOWN_IN_CHOICE = frozenset({"index", *ChatEngine.CHOICE_MEMBERS})
