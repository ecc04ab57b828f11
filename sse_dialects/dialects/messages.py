"""Anthropic Messages: named events around content blocks, ended by ``message_stop``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import MalformedStreamError, TruncatedStreamError
from ..events import Finished
from ..failures import error_in, is_padding
from ..values import JSONObject
from .base import Accumulator
from .blocks import Block, block_of, delta_kind, opened
from .finish import finish_reason
from .parts import CallBuilder
from .payload import shared
from .telling import items, object_member, typed, word
from .usage import holds_count, input_without_cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..answer import Answer, DialectName

__all__ = ["MessagesAccumulator"]

# Message members with a word of ours, or that only wrap it; the others are told as Extra.
_ENVELOPE = frozenset({"id", "type", "role", "model", "content", "stop_reason", "usage"})

# The same for the events around it.
_WRAPPING = frozenset({"type", "index", "message", "delta", "content_block", "usage"})

# Each report is whole, so a usage object that grew for ever would cost the square of its size. Providers send about twenty.
_MAX_USAGE_MEMBERS = 1_000

# Reasons that say a call still open at the end is whole.
_FINISHES_CALLS = frozenset({"tool_use", "end_turn", "completed"})


class MessagesAccumulator(Accumulator):
    """Events of one message in, our events and the answer out. See `Accumulator` for the verbs.

    Args:
        require_done: changes nothing here; ``message_stop`` is always needed.
        think_tags: changes nothing here; reasoning has blocks of its own.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_begun", "_blocks", "_by_index", "_extra", "_message", "_opened", "_parts", "_stopped", "_usage")

    dialect: ClassVar[DialectName] = "messages"
    expected: ClassVar[str] = "message_stop"
    bare: ClassVar[frozenset[str]] = Accumulator.bare | {"message_stop"}

    def _prepare(self) -> None:
        self._opened = False  # message_start has come
        self._message: dict[str, Any] = {}  # the unstreamed message without its content
        self._blocks: list[Block[Any]] = []
        self._by_index: dict[str, Block[Any]] = {}
        self._begun: Block[Any] | None = None  # the block that was opened last, as long as nobody has closed it
        self._parts: list[Any] = []
        # Calls whose block has been closed, until the next frame says that they are whole.
        self._stopped: list[CallBuilder] | None = None
        self._usage: dict[str, Any] = {}
        self._extra: dict[str, Any] = {}

    # ---- frames

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        sent = payload
        kind, payload = typed(event, payload)
        self._finish_stopped(kind, payload)
        take = self._EVENTS.get(kind)
        if take is not None:
            if (raw := payload.get("error")) and not is_padding(raw):
                raise self._upstream(raw, sent)
            take(self, payload)
        elif raw := error_in(sent):
            raise self._upstream(raw, sent)
        elif kind != "message" or len(payload) > 1:
            self._start()
            self._tell.extra_items(self._extra, kind, [payload])

    def _finish_stopped(self, kind: str, payload: dict[str, Any]) -> None:
        """A closed call is whole unless the very next frame says that the model was cut off in it, or goes on with it."""
        if not self._stopped:
            return
        stopped, self._stopped = self._stopped, None
        if kind == "message_delta" and _cuts_calls(object_member(payload, "delta").get("stop_reason")):
            return
        going_on = self._by_index.get(self._key_of(payload)) if kind == "content_block_delta" else None
        for call in stopped:
            if going_on is None or call is not going_on.part:
                self._tell.out.extend(call.finish())
            else:
                call.stopped = False

    def _on_error(self, payload: dict[str, Any]) -> None:
        raise self._upstream(payload, payload)

    # ---- the message

    def _message_start(self, payload: dict[str, Any]) -> None:
        """Gateways send it twice under one id; two ids are two answers spliced into one stream."""
        message = object_member(payload, "message")
        id = self._tell.word(message, "id")
        if self._opened:
            if id is not None and self.id is not None and id != self.id:
                raise MalformedStreamError("a second message_start with another id: two answers are spliced into one stream")
            return
        self._opened = True
        self.id = id
        self.model = self._tell.word(message, "model")
        self._start()
        self._merge(message)
        self._merge_usage(message.get("usage"))
        self._rest(payload)
        for index, block in enumerate(items(message, "content")):
            if isinstance(block, JSONObject):
                self._open(str(index), block)

    def _message_delta(self, payload: dict[str, Any]) -> None:
        self._start()
        delta = object_member(payload, "delta")
        self._merge(delta)
        self._merge({name: value for name, value in payload.items() if name not in ("type", "delta", "usage")})
        self._merge_usage(delta.get("usage"))
        self._merge_usage(payload.get("usage"))

    def _message_stop(self, payload: dict[str, Any]) -> None:
        self._start()
        self._merge_usage(payload.get("usage"))
        self._rest(payload)
        self.finish()

    def _rest(self, payload: dict[str, Any], part: int | None = None) -> None:
        self._tell.rest(self._extra, payload, _WRAPPING, part)

    def _merge(self, fields: dict[str, Any]) -> None:
        for name, value in shared(fields).items():
            if name in ("usage", "content"):
                continue
            if value is None:
                self._message.setdefault(name, None)
                continue
            self._message[name] = self._tell.clean(value)
            if name not in _ENVELOPE:
                self._tell.extra(self._extra, name, value)

    def _merge_usage(self, usage: Any) -> None:
        """Member by member: later values replace earlier ones, null erases nothing."""
        if not isinstance(usage, JSONObject):
            return
        usage = shared(self._tell.clean(usage))
        merged = {**self._usage, **{name: value for name, value in usage.items() if value is not None}}
        for name, value in usage.items():
            merged.setdefault(name, value)
        if len(merged) > _MAX_USAGE_MEMBERS:
            raise MalformedStreamError(f"'usage' has more than {_MAX_USAGE_MEMBERS:,} members")
        self._usage = merged
        if holds_count(merged):
            self._report_usage(input_without_cache(merged))

    # ---- content blocks

    def _block_start(self, payload: dict[str, Any]) -> None:
        self._start()
        if fields := object_member(payload, "content_block"):
            key = str(payload.get("index"))
            before = self._by_index.get(key)
            if before is None or not _is_same(before.fields, fields):
                self._begun = self._open(key, fields)
            self._rest(payload, self._by_index[key].part.place)

    def _open(self, key: str, fields: dict[str, Any]) -> Block[Any]:
        block = opened(fields, self._parts, self._tell)
        self._blocks.append(block)
        self._by_index[key] = block
        block.begin(self._tell, self._extra)
        return block

    def _block_delta(self, payload: dict[str, Any]) -> None:
        self._start()
        delta = object_member(payload, "delta")
        kind = delta.get("type")
        kind = delta_kind(kind if isinstance(kind, str) else "", delta)
        block = self._block_for(self._key_of(payload), kind)
        block.add(kind, delta, self._tell, self._extra)
        self._rest(payload, block.part.place)

    def _key_of(self, payload: dict[str, Any]) -> str:
        """What names the block of an event: its index; without one it is the block that was opened last."""
        index = payload.get("index")
        return str(index) if index is not None else next(reversed(self._by_index), "0")

    def _block_for(self, key: str, kind: str) -> Block[Any]:
        """The block at that index; where nothing was opened under it, it may be another number of the block that was opened last
        and waits. A delta that speaks of another kind gets a block of its own, so that neither is spoiled."""
        block = self._by_index.get(key)
        if block is None and self._begun is not None and self._begun.waits_for(kind):
            block = self._by_index[key] = self._begun
        if block is not None:
            if block.takes(kind):
                return block
            key = f"{key} {block_of(kind)['type']}"
        return self._by_index.get(key) or self._open(key, block_of(kind))

    def _block_stop(self, payload: dict[str, Any]) -> None:
        self._start()
        block = self._by_index.get(self._key_of(payload))
        self._rest(payload, block.part.place if block is not None else None)
        if block is None:
            return
        block.end(self._tell)
        self._begun = None if block is self._begun else self._begun
        if isinstance(block.part, CallBuilder) and not block.part.stopped:
            block.part.stopped = True
            self._stopped = [*(self._stopped or ()), block.part]

    # ---- the end

    def finish(self) -> None:
        """Close what is open; a call still open is whole where the reason says so."""
        self._start()
        reason = self._stop_reason
        for block in self._blocks:
            block.end(self._tell)
            self._tell.flush(block.part)
            call = block.part
            if isinstance(call, CallBuilder) and not call.stopped and reason in _FINISHES_CALLS:
                self._tell.out.extend(call.finish())
        self.complete = True
        has_calls = any(isinstance(block.part, CallBuilder) for block in self._blocks)
        self._tell.out.append(Finished(finish_reason(reason, has_calls=has_calls), reason))

    @property
    def _stop_reason(self) -> str | None:
        return word(self._message.get("stop_reason"))

    # ---- a whole message in place of a stream

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._message_start({"message": payload})
        for block in self._blocks:
            block.end(self._tell)
            if isinstance(block.part, CallBuilder):
                block.part.stopped = True
                if not _cuts_calls(self._stop_reason):
                    self._tell.out.extend(block.part.finish())
        if self._stop_reason is None:
            raise TruncatedStreamError("a message with a stop_reason")
        self.finish()

    # ---- the answer

    def _built(self) -> Answer:
        blocks = [block.native() for block in self._blocks]
        native = {**self._message, "type": "message", "content": blocks}
        if self._usage:
            native["usage"] = self._usage
        parts = [part.build() for part in self._parts]
        calls = [part.build() for part in self._parts if isinstance(part, CallBuilder)]
        choices = [self._choice(0, parts, calls, self._stop_reason)] if self._started else []
        turn = [fields for block in self._blocks if (fields := block.turn()) is not None]
        turn = [{"role": "assistant", "content": turn}] if turn else []
        return self._answer(choices, self._extra, native, turn)

    _EVENTS: ClassVar[dict[str, Callable[[MessagesAccumulator, dict[str, Any]], None]]] = {
        "message_start": _message_start,
        "content_block_start": _block_start,
        "content_block_delta": _block_delta,
        "content_block_stop": _block_stop,
        "message_delta": _message_delta,
        "message_stop": _message_stop,
        "error": _on_error,
    }


def _cuts_calls(reason: Any) -> bool:
    """Whether a stop reason says that the model was stopped in the middle of whatever it was writing."""
    return isinstance(reason, str) and finish_reason(reason, has_calls=True) == "length"


def _is_same(block: dict[str, Any], fields: dict[str, Any]) -> bool:
    """Whether a block is announced again: gateways repeat a call's, under the same id."""
    return block.get("id") is not None and block["id"] == fields.get("id") and fields.get("type") in (None, block.get("type"))
