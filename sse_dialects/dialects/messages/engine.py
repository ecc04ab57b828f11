"""Anthropic Messages: named events around content blocks, ended by ``message_stop``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...answer import ToolCall
from ...errors import MalformedStreamError, TruncatedStreamError
from ...events import Finished
from ...failures import is_padding
from ...values import JSONObject, copied
from ..emit import items, object_member, word
from ..finish import cuts_calls, finish_reason
from ..hot_frame import HotFrame
from ..payload import as_json, replace_lone_surrogates
from ..typed_events import TypedEngine
from ..usage import holds_count, input_without_cache
from .blocks import Block, ToolBlock, block_fields_for, delta_kind, open_block

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...answer import Answer
    from ..parts import PartBuilder

__all__ = ["MessagesEngine"]

# Members of a message that the vocabulary has words for, or that only wrap it. The others become Extra.
_ENVELOPE = frozenset({"id", "type", "role", "model", "content", "stop_reason", "usage"})

_MERGED_APART = frozenset({"usage", "content"})

# Each report is whole, so a usage object that grew for ever would cost the square of its size. Providers send about twenty.
_MAX_USAGE_MEMBERS = 64

# Where the provider's pages put an input that is no JSON object, so that it can go back: a request takes objects only.
_INVALID = "INVALID_JSON"

# Members of a citation that only answers have.
_ANSWER_ONLY = frozenset({"file_id"})


class MessagesEngine(TypedEngine):
    """Reads the events of one message. See `Engine` for the verbs.

    Args:
        require_done: whether ``message_stop`` is needed. False also lets the stream end after a stop reason.
        think_tags: changes nothing here; reasoning has blocks of its own.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_begun", "_blocks", "_by_index", "_message", "_opened", "_reasoned", "_stopped", "_usage")

    dialect = "messages"
    terminator: ClassVar[str] = "message_stop"
    dataless_events: ClassVar[frozenset[str]] = TypedEngine.dataless_events | {"message_stop"}

    def _prepare(self) -> None:
        self._opened = False  # message_start has come
        self._reasoned = False  # a message_delta with a stop reason has come
        self._message: dict[str, Any] = {}  # the unstreamed message without its content and usage
        self._usage: dict[str, Any] = {}
        self._blocks: list[Block] = []
        self._by_index: dict[str, Block] = {}
        self._begun: Block | None = None  # the block that was opened last, until it is closed
        # Calls whose block has been closed, until another event of the dialect says that they are whole or were cut.
        self._stopped: list[ToolBlock] = []

    # ---- frames

    def take(self, payload: dict[str, Any], event: str) -> PartBuilder | None:
        """Take one payload. A hot frame is one that equals the last payload but for its string: a delta of the same block."""
        hot = self.hot
        if hot is not None and type(payload.get("index")) is int:  # for True == 1
            delta = payload.get("delta")
            piece = delta.get(hot.name) if isinstance(delta, JSONObject) else None
            if type(piece) is str and piece:
                hot.holder[hot.name] = piece
                if payload == hot.payload:
                    hot.buffer.add(piece, self.out)
                    return hot.buffer
        count = len(self.out)
        self.take_general(payload, event)
        if len(self.out) == count + 1 and payload.get("type") == "content_block_delta" and "usage" not in payload:
            self._remember(payload)
        return None

    def _remember(self, payload: dict[str, Any]) -> None:
        """Remember a delta that had one event, if all it did was to add its string to a block, and it would do that again."""
        emitted, delta = self.out[-1], payload.get("delta")
        place: int | None = getattr(emitted, "part", None)
        if place is None or not isinstance(delta, JSONObject) or type(payload.get("index")) is not int:
            return
        block = self._blocks[place]
        name = block.hot_member(delta, emitted)
        if name is not None:
            self.hot = HotFrame(payload, ("delta",), name, block)

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if not isinstance(kind, str) or not kind:
            kind = replace_lone_surrogates(event)
        row = self._EVENTS.get(kind)
        if row is None:
            self._on_other_event(event, payload, self._extra, _no_place)
            return
        if self._stopped:
            self._finish_stopped_calls(kind, payload)
        if not self._started and kind != "message_start":  # which has the id and the model of `Started`
            self._start()
        take, known = row
        take(self, payload, known)

    def _finish_stopped_calls(self, kind: str, payload: dict[str, Any]) -> None:
        """Finish the calls whose blocks have been closed, unless this event says that they were cut, or goes on with them.

        A message_delta without a stop reason says neither. Events of types unknown here never come to this.
        """
        going_on, reason = None, self._reason  # one that came ahead of the block's end cuts it, too
        if kind == "message_delta":
            new = word(object_member(payload, "delta").get("stop_reason")) or word(payload.get("stop_reason"))
            if new is None:
                return
            reason = new if not cuts_calls(reason) else reason
        elif kind == "content_block_delta":
            going_on = self._by_index.get(self._key_of(payload))
        stopped, self._stopped = self._stopped, []
        for call in stopped if not cuts_calls(reason) else ():
            if call is going_on:
                self._stopped = [call]
            else:
                call.finish(self.out)

    # ---- the message

    def _message_start(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        """Gateways send it twice under one id; two ids are two answers spliced into one stream."""
        message = object_member(payload, "message")
        id = self._emit.word(message, "id")
        if self._opened:
            if id is not None and self.id is not None and id != self.id:
                raise MalformedStreamError("a second message_start with another id: two answers are spliced into one stream")
            return
        self._opened = True
        self.id = id
        self.model = self._emit.word(message, "model")
        self._start()
        self._merge(message)
        self._merge_usage(message.get("usage"))
        self._members_beside(payload, known)
        for index, block in enumerate(items(message, "content")):
            if isinstance(block, JSONObject):
                self._open(str(index), block)

    def _message_delta(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        delta = object_member(payload, "delta")
        self._merge(delta)
        if not payload.keys() <= known:
            self._merge({name: value for name, value in payload.items() if name not in known})
        if word(delta.get("stop_reason")) or word(payload.get("stop_reason")):
            self._reasoned = True
        self._merge_usage(delta.get("usage"))
        self._merge_usage(payload.get("usage"))

    def _message_stop(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        self._members_beside(payload, known)
        self.finish()

    def _members_beside(self, payload: dict[str, Any], known: frozenset[str], part: int | None = None) -> None:
        """Keep the members of an event around what it is about: usage, and those that are not ``known``."""
        if not payload.keys() <= known:
            others = {name: value for name, value in payload.items() if name != "error" or not is_padding(value)}
            self._emit.unknown_members(self._extra, others, known, part)
        if "usage" in payload:
            self._merge_usage(payload["usage"])

    def _merge(self, fields: dict[str, Any]) -> None:
        """Merge members into the message's own. Null erases nothing."""
        own = copied(self._emit.clean({name: value for name, value in fields.items() if name not in _MERGED_APART}))
        for name, value in own.items():
            if value is None:
                self._message.setdefault(name, None)
                continue
            self._message[name] = value
            if name not in _ENVELOPE:
                self._emit.extra(self._extra, name, fields[name])

    def _merge_usage(self, usage: Any) -> None:
        """Merge member by member: later values replace earlier ones, null erases nothing."""
        if not isinstance(usage, JSONObject):
            return
        merged = dict(self._usage)
        for name, value in copied(self._emit.clean(usage)).items():
            if value is not None or name not in merged:
                merged[name] = value
        if len(merged) > _MAX_USAGE_MEMBERS:
            raise MalformedStreamError(f"'usage' has more than {_MAX_USAGE_MEMBERS} members")
        self._usage = merged
        if holds_count(merged):
            self._report_usage(input_without_cache(merged))

    # ---- content blocks

    def _block_start(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        key, place = str(payload.get("index")), None
        if fields := object_member(payload, "content_block"):
            block = self._by_index.get(key)
            if block is None or not _is_same(block.fields, fields):
                self._begun = block = self._open(key, fields)
            place = block.place
        self._members_beside(payload, known, place)

    def _open(self, key: str, fields: dict[str, Any]) -> Block:
        to = fields.get("to") if fields.get("type") == "fallback" else None
        if isinstance(to, JSONObject) and (model := self._emit.word(to, "model")):  # from here on that one answers
            self.model = self._message["model"] = model
        block = self._by_index[key] = open_block(fields, self._blocks, self._emit, self._extra)
        return block

    def _block_delta(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        delta = payload.get("delta")
        if not isinstance(delta, JSONObject):
            delta = object_member(payload, "delta")
        kind = delta_kind(delta)
        block = self._block_for(self._key_of(payload), kind)
        block.take_delta(kind, delta, self._emit, self._extra)
        self._members_beside(payload, known, block.place)

    def _key_of(self, payload: dict[str, Any]) -> str:
        """What names the block of an event: its index; without one it is the block that was opened last."""
        index = payload.get("index")
        return str(index) if index is not None else next(reversed(self._by_index), "0")

    def _block_for(self, key: str, kind: str) -> Block:
        """The block at that index; where nothing was opened under it, it may be another number of the block that was opened last
        and waits. A delta that speaks of another kind gets a block of its own, so that neither is spoiled."""
        block = self._by_index.get(key)
        if block is None and self._begun is not None and self._begun.waits_for(kind):
            block = self._by_index[key] = self._begun
        if block is not None:
            if kind in block.DELTAS:
                return block
            apart = f"{key} {block_fields_for(kind)['type']}"
            if block.takes(kind) and apart not in self._by_index:
                return block
            key = apart
        return self._by_index.get(key) or self._open(key, block_fields_for(kind))

    def _block_stop(self, payload: dict[str, Any], known: frozenset[str]) -> None:
        block = self._by_index.get(self._key_of(payload))
        self._members_beside(payload, known, block.place if block is not None else None)
        if block is None:
            return
        block.close(self._emit)
        if block is self._begun:
            self._begun = None
        if isinstance(block, ToolBlock) and not block.stopped:
            block.stopped = True
            self._stopped.append(block)

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
        reason, has_calls = self._reason, False
        for block in self._blocks:
            block.close(self._emit)
            self._emit.flush(block)
            has_calls = has_calls or (isinstance(block, ToolBlock) and block.name is not None)
        for call in self._stopped if not cuts_calls(reason) else ():
            call.finish(self.out)
        self.complete = True
        self.out.append(Finished(finish_reason(reason, has_calls=has_calls), reason))

    @property
    def _reason(self) -> str | None:
        return word(self._message.get("stop_reason"))

    # ---- a whole message in place of a stream

    def _on_whole(self, payload: dict[str, Any]) -> None:
        self._on_payload("message_start", {"type": "message_start", "message": payload})
        for block in self._blocks:
            block.close(self._emit)
        if self._reason is None:
            raise TruncatedStreamError("a message with a stop_reason")
        self._stopped = [block for block in self._blocks if isinstance(block, ToolBlock)]
        self.finish()

    # ---- the answer

    def _built(self) -> Answer:
        native = {**self._message, "type": "message", "content": [block.native() for block in self._blocks]}
        if self._usage:
            native["usage"] = self._usage
        parts = [block.build() for block in self._blocks]
        calls = [part for part in parts if isinstance(part, ToolCall)]
        choices = [self._choice(0, parts, calls, self._reason)] if self._started else []
        return self._answer(choices, self._extra, native, turn_of)

    # Each event: the function that takes it, and the members of its payload that the function or `_members_beside` reads.
    _EVENTS: ClassVar[dict[str, tuple[Callable[[MessagesEngine, dict[str, Any], frozenset[str]], None], frozenset[str]]]] = {
        "message_start": (_message_start, frozenset({"type", "index", "usage", "message"})),
        "content_block_start": (_block_start, frozenset({"type", "index", "usage", "content_block"})),
        "content_block_delta": (_block_delta, frozenset({"type", "index", "usage", "delta"})),
        "content_block_stop": (_block_stop, frozenset({"type", "index", "usage"})),
        "message_delta": (_message_delta, frozenset({"type", "usage", "delta"})),
        "message_stop": (_message_stop, frozenset({"type", "index", "usage"})),
    }


def _no_place() -> None:
    """Where an event of another type belongs: to the whole answer."""


def _is_same(block: dict[str, Any], fields: dict[str, Any]) -> bool:
    """Whether a block is announced again: gateways repeat a call's, under the same id."""
    return block.get("id") is not None and block["id"] == fields.get("id") and fields.get("type") in (None, block.get("type"))


def turn_of(native: dict[str, Any]) -> list[dict[str, Any]]:
    """What the next request's history takes of a message: its content blocks, but for what a request must not carry."""
    blocks = [_in_request(block) for block in native["content"] if block.get("type") != "text" or block["text"].strip()]
    return [{"role": "assistant", "content": blocks}] if blocks else []


def _in_request(block: dict[str, Any]) -> dict[str, Any]:
    kind, given = block.get("type"), block.get("input")
    if kind == "text" and block.get("citations"):
        block["citations"] = [_without(citation, _ANSWER_ONLY) for citation in block["citations"]]
    elif kind == "thinking":
        return {"signature": "", **block}  # a request has to have one, be it empty
    elif "input" in block and not isinstance(given, JSONObject):
        block["input"] = {_INVALID: as_json(given)} if given else {}
    return block


def _without(value: Any, names: frozenset[str]) -> Any:
    return {name: item for name, item in value.items() if name not in names} if isinstance(value, JSONObject) else value
