"""Anthropic Messages: named events around content blocks, ended by ``message_stop``."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003  # hints resolve at run time
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import MalformedStreamError, TruncatedStreamError
from ..events import Finished
from ..failures import is_padding
from ..values import JSONObject
from .blocks import Block, block_of, delta_kind, opened
from .finish import cuts_calls, finish_reason
from .parts import CallBuilder
from .payload import shared
from .telling import items, object_member, typed, word
from .typed_events import TypedAccumulator
from .usage import holds_count, input_without_cache

if TYPE_CHECKING:
    from ..answer import Answer

__all__ = ["MessagesAccumulator"]

# Message members with a word of ours, or that only wrap it; the others are told as Extra.
_ENVELOPE = frozenset({"id", "type", "role", "model", "content", "stop_reason", "usage"})

# The same for the events around it, each with the member that holds what it is about.
_WRAPPING = {
    kind: frozenset({"type", "index", "usage", member})
    for kind, member in {
        "message_start": "message",
        "content_block_start": "content_block",
        "content_block_delta": "delta",
        "content_block_stop": "type",
        "message_delta": "delta",
        "message_stop": "type",
    }.items()
}

# Each report is whole, so a usage object that grew for ever would cost the square of its size. Providers send about twenty.
_MAX_USAGE_MEMBERS = 1_000


class MessagesAccumulator(TypedAccumulator):
    """Events of one message in, our events and the answer out. See `Accumulator` for the verbs.

    Args:
        require_done: whether ``message_stop`` is needed. False also lets the stream end after a stop reason.
        think_tags: changes nothing here; reasoning has blocks of its own.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_begun", "_blocks", "_by_index", "_extra", "_message", "_opened", "_parts", "_reasoned", "_stopped", "_usage")

    dialect = "messages"
    expected: ClassVar[str] = "message_stop"
    bare: ClassVar[frozenset[str]] = TypedAccumulator.bare | {"message_stop"}

    def _prepare(self) -> None:
        self._opened = False  # message_start has come
        self._reasoned = False  # a message_delta with a stop reason has come
        self._message: dict[str, Any] = {}  # the unstreamed message without its content
        self._blocks: list[Block[Any]] = []
        self._by_index: dict[str, Block[Any]] = {}
        self._begun: Block[Any] | None = None  # the block that was opened last, as long as nobody has closed it
        self._parts: list[Any] = []
        # Calls whose block has been closed, until another event of the dialect says that they are whole or were cut.
        self._stopped: list[CallBuilder] | None = None
        self._usage: dict[str, Any] = {}
        self._extra: dict[str, Any] = {}

    # ---- frames

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        sent = payload
        kind, payload = typed(event, payload)
        take = self._EVENTS.get(kind)
        if take is None:
            self._on_other_event(event, sent, self._extra, lambda: None)
            return
        self._settle_calls(kind, payload)
        take(self, payload)

    def _settle_calls(self, kind: str, payload: dict[str, Any]) -> None:
        """Finish the calls whose blocks have been closed, unless this event says that they were cut, or goes on with them.

        A message_delta without a stop reason says neither. Events of types unknown here never come to this.
        """
        if not self._stopped:
            return
        going_on, reason = None, self._stop_reason  # one that came ahead of the block's end cuts it, too
        if kind == "message_delta":
            new = word(object_member(payload, "delta").get("stop_reason")) or word(payload.get("stop_reason"))
            if new is None:
                return
            reason = new if not cuts_calls(reason) else reason
        elif kind == "content_block_delta":
            going_on = self._by_index.get(self._key_of(payload))
        stopped, self._stopped = self._stopped, None
        for call in stopped if not cuts_calls(reason) else ():
            if going_on is not None and call is going_on.part:
                self._stopped = [call]
            else:
                self._tell.out.extend(call.finish())

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
        self._merge_usage(payload.get("usage"))
        for index, block in enumerate(items(message, "content")):
            if isinstance(block, JSONObject):
                self._open(str(index), block)

    def _message_delta(self, payload: dict[str, Any]) -> None:
        self._start()
        delta = object_member(payload, "delta")
        beside = {name: value for name, value in payload.items() if name not in ("type", "delta", "usage")}
        self._merge(delta)
        self._merge(beside)
        self._reasoned = self._reasoned or any(word(each.get("stop_reason")) for each in (delta, beside))
        self._merge_usage(delta.get("usage"))
        self._merge_usage(payload.get("usage"))

    def _message_stop(self, payload: dict[str, Any]) -> None:
        self._start()
        self._merge_usage(payload.get("usage"))
        self._rest(payload)
        self.finish()

    def _rest(self, payload: dict[str, Any], part: int | None = None) -> None:
        known = _WRAPPING[payload["type"]]
        if not payload.keys() <= known:
            others = {name: value for name, value in payload.items() if name != "error" or not is_padding(value)}
            self._tell.rest(self._extra, others, known, part)

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
        key = str(payload.get("index"))
        if fields := object_member(payload, "content_block"):
            before = self._by_index.get(key)
            if before is None or not _is_same(before.fields, fields):
                self._begun = self._open(key, fields)
        self._rest(payload, self._by_index[key].part.place if fields else None)
        if "usage" in payload:
            self._merge_usage(payload["usage"])

    def _open(self, key: str, fields: dict[str, Any]) -> Block[Any]:
        to = fields.get("to") if fields.get("type") == "fallback" else None
        if isinstance(to, JSONObject) and (model := self._tell.word(to, "model")):  # from here on that one answers
            self.model = self._message["model"] = model
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
        if "usage" in payload:
            self._merge_usage(payload["usage"])

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
            if kind in block.DELTAS:
                return block
            apart = f"{key} {block_of(kind)['type']}"
            if block.takes(kind) and apart not in self._by_index:
                return block
            key = apart
        return self._by_index.get(key) or self._open(key, block_of(kind))

    def _block_stop(self, payload: dict[str, Any]) -> None:
        self._start()
        block = self._by_index.get(self._key_of(payload))
        self._rest(payload, block.part.place if block is not None else None)
        if "usage" in payload:
            self._merge_usage(payload["usage"])
        if block is None:
            return
        block.end(self._tell)
        self._begun = None if block is self._begun else self._begun
        if isinstance(block.part, CallBuilder) and not block.part.stopped:
            block.part.stopped = True
            self._stopped = [*(self._stopped or ()), block.part]

    # ---- the end

    def _ends_without_terminator(self) -> bool:
        return not self.require_done and self._reasoned

    def _hint(self) -> str | None:
        if self.require_done and self._reasoned:
            return "The message had its stop_reason: if this server never sends message_stop, pass require_done=False."
        return None

    def finish(self) -> None:
        """Close what is open. A call whose block was never closed is not certain to be whole."""
        self._start()
        reason = self._stop_reason
        for block in self._blocks:
            block.end(self._tell)
            self._tell.flush(block.part)
        if self._stopped and not cuts_calls(reason):
            for call in self._stopped:
                self._tell.out.extend(call.finish())
        self.complete = True
        has_calls = any(isinstance(block.part, CallBuilder) for block in self._blocks)
        self._tell.out.append(Finished(finish_reason(reason, has_calls=has_calls), reason))

    @property
    def _stop_reason(self) -> str | None:
        return word(self._message.get("stop_reason"))

    # ---- a whole message in place of a stream

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._message_start({"type": "message_start", "message": payload})
        for block in self._blocks:
            block.end(self._tell)
        if self._stop_reason is None:
            raise TruncatedStreamError("a message with a stop_reason")
        self._stopped = [block.part for block in self._blocks if isinstance(block.part, CallBuilder)]
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
    }


def _is_same(block: dict[str, Any], fields: dict[str, Any]) -> bool:
    """Whether a block is announced again: gateways repeat a call's, under the same id."""
    return block.get("id") is not None and block["id"] == fields.get("id") and fields.get("type") in (None, block.get("type"))
