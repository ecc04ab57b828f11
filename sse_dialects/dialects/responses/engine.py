"""OpenAI Responses: named events around output items, ended by ``response.completed`` or one of its sisters."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, ClassVar

from ...answer import ToolCall
from ...errors import MalformedStreamError, TruncatedStreamError
from ...events import Finished, ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta
from ...failures import is_padding
from ...values import JSONObject, copied
from ..emit import items, object_member, typed, word
from ..finish import finish_reason
from ..hot_frame import HotFrame
from ..parts import CallBuilder, TextBuilder
from ..payload import clean
from ..typed_events import TypedEngine, failure_in
from ..usage import holds_count, input_includes_cache
from .events import EVENTS, fold_status
from .items import WRAPPING, has_news
from .output import Output
from .reasoning import ReasoningItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...answer import Answer
    from ..parts import PartBuilder

__all__ = ["ResponsesEngine"]

# Members of a response that only wrap it or echo the request: they stand in `native`. The others become Extra.
_ECHOED = frozenset(
    {
        "id", "object", "created_at", "completed_at", "status", "error", "incomplete_details", "model", "output", "output_text",
        "usage", "background", "conversation", "frequency_penalty", "instructions", "max_output_tokens", "max_tool_calls",
        "metadata", "parallel_tool_calls", "presence_penalty", "previous_response_id", "prompt", "prompt_cache_key",
        "prompt_cache_retention", "reasoning", "safety_identifier", "store", "temperature", "text", "tool_choice", "tools",
        "top_logprobs", "top_p", "truncation", "user",
    }
)  # fmt: skip

# Members of the events around a response.
_LIFECYCLE = WRAPPING | {"response"}

_ENDS = frozenset({"response.completed", "response.incomplete", "response.cancelled", "response.failed", "response.done"})

# The status that a terminating event's name stands for where its response says none.
_STATUS_OF = {name: name.rpartition(".")[2] for name in _ENDS} | {"response.done": "completed"}

# The last version of the format in which equal values have equal bytes.
_MARSHAL_VERSION = 2

_UNFINISHED = frozenset({"queued", "in_progress"})


class ResponsesEngine(TypedEngine):
    """Events of one response in, our events and the answer out. See `Engine` for the verbs.

    Args:
        require_done: changes nothing here; a terminating event is always needed.
        think_tags: changes nothing here; reasoning has items of its own.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_final", "_output", "_reason", "_resumed", "_skip_up_to", "_snapshots")

    dialect = "responses"
    terminator: ClassVar[str] = "response.completed"
    dataless_events: ClassVar[frozenset[str]] = TypedEngine.dataless_events | _ENDS

    def _prepare(self) -> None:
        # The response as each of the events around it shows it, without its output, marshalled: it echoes the whole request, and
        # thousands may be open. Most events show the same.
        self._snapshots: list[bytes] = []
        self._final: dict[str, Any] = {}  # the terminating event's
        self._reason: str | None = None  # the final status, or why the response is incomplete
        self._output = Output(self._emit, self._extra)
        self._resumed = False
        self._skip_up_to: int | None = None  # frames up to this number are skipped, until one has a greater number

    # ---- frames

    def take(self, payload: dict[str, Any], event: str) -> PartBuilder | None:
        """Take one payload. Most are deltas that differ from the last one in their text, their number and their padding."""
        hot = self.hot
        if hot is not None:
            piece, expected, number = payload.get("delta"), hot.payload, None
            if type(piece) is str and piece:
                expected["delta"] = piece
                if "sequence_number" in expected:
                    number = expected["sequence_number"] = payload.get("sequence_number")
                if "obfuscation" in expected:
                    expected["obfuscation"] = payload.get("obfuscation")
                if payload == expected and _has_int_indexes(payload):  # to Python, true and 1.0 are equal to 1
                    if type(number) is int:
                        self.last_sequence_number = number
                    if hot.member is not None:
                        hot.member.append(piece)
                    hot.buffer.add(piece, self.out)
                    return hot.buffer
        output, count = self._output, len(self.out)
        opened = len(output.items) + len(output.parts)
        self.take_general(payload, event)
        if len(self.out) == count + 1 and len(output.items) + len(output.parts) == opened:
            self._remember(payload)
        return None

    def _remember(self, payload: dict[str, Any]) -> None:
        """Remember a delta that had one event and opened no part: the next one like it adds to the same part."""
        event, kind, item = self.out[-1], payload.get("type"), self._output.last
        if not isinstance(event, (TextDelta, ReasoningDelta, RefusalDelta, ToolCallDelta)) or type(kind) is not str:
            return
        part = self._output.parts[event.part]
        if kind.endswith(".delta") and _has_int_indexes(payload) and not part.half:
            self.hot = HotFrame(payload, (), "delta", part, item.current if isinstance(item, ReasoningItem) else None)

    def take_general(self, payload: dict[str, Any], event: str) -> None:
        """Take one payload of any kind."""
        self.hot = None
        if self._skip_up_to is not None and self._is_repeated(payload, event):
            return
        kind = payload.get("type")
        if type(kind) is str and not self._emit.has_surrogates and (kind in EVENTS or kind in self._EVENTS):  # no keep-alive
            self._on_event(kind, payload)
        else:
            super().take_general(payload, event)

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        has_surrogates = self._emit.has_surrogates
        if has_surrogates and not (word(payload.get("type")) or event).endswith(".delta"):
            payload, self._emit.has_surrogates = clean(payload), False  # only in a delta may half a pair wait for its other half
        kind, typed_payload = typed(event, payload)
        if not self._on_event(kind, typed_payload):
            fold_status(self._output, typed_payload)
            self._on_other_event(event, payload, self._extra, lambda: self._output.place_of(payload))
        self._emit.has_surrogates = has_surrogates

    def _on_event(self, kind: str, payload: dict[str, Any]) -> bool:
        """Take an event that has a row, and return whether it has one."""
        if type(number := payload.get("sequence_number")) is int:
            self.last_sequence_number = number
        if kind not in EVENTS:
            take_response = self._EVENTS.get(kind)
            if take_response is not None:
                take_response(self, payload)
            return take_response is not None
        if not self._started:
            self._start()
        output = self._output
        item_kind, take, members = EVENTS[kind]
        place = take(output.item_for(payload, item_kind) if item_kind else output, payload)
        if not payload.keys() <= members:
            self._emit.unknown_members(self._extra, payload, members, place)
        return True

    # ---- another connection for the same response

    @property
    def resumable(self) -> bool:
        """Whether the provider keeps the response and goes on with it: a background response that it stores."""
        if self.complete or self.id is None or self.last_sequence_number is None:
            return False
        response = self._response()
        return response.get("background") is True and response.get("store") is not False

    def resume(self) -> None:
        """Expect the frames of another connection for the same response. Those that have been taken are skipped by number."""
        self.hot = None
        self._resumed, self._skip_up_to = True, self.last_sequence_number

    def _is_repeated(self, payload: dict[str, Any], event: str) -> bool:
        """Whether a frame of the next connection has been taken on the last one. A failure is always new."""
        number, last = payload.get("sequence_number"), self._skip_up_to
        if type(number) is not int or last is None or payload.get("type") == "response.failed" or failure_in(event, payload):
            return False
        if number > last:
            self._skip_up_to = None
            return False
        self._check_id(object_member(payload, "response"))
        return True

    def _check_id(self, response: dict[str, Any]) -> None:
        id = word(response.get("id"))
        if self._resumed and self.id is not None and id is not None and id != self.id:
            raise MalformedStreamError("the next connection continues another response: its id is not that of the first")

    # ---- the response

    def _progress(self, payload: dict[str, Any]) -> None:
        """A snapshot of the response as it is so far."""
        response = object_member(payload, "response")
        if response.get("status") == "failed":
            self._end(payload)
        snapshot = _marshalled(response)
        if not self._snapshots or self._snapshots[-1] != snapshot:
            self._snapshots.append(snapshot)
            self._take_response(response)
        elif response.get("output") or has_news(self._extra, response, _ECHOED):
            self._take_response(response)
        self._emit_members(payload)

    def _emit_members(self, payload: dict[str, Any]) -> None:
        if not payload.keys() <= _LIFECYCLE:
            others = {name: value for name, value in payload.items() if name != "error" or not is_padding(value)}
            self._emit.unknown_members(self._extra, others, _LIFECYCLE)

    def _take_response(self, response: dict[str, Any], *, final: bool = False) -> None:
        """The last id and model that say something bind; null and empty members erase nothing."""
        self._check_id(response)
        self.id = word(response.get("id")) or self.id
        self.model = word(response.get("model")) or self.model
        if not self._started:
            self._start()
        self._output.unknown_members(response, _ECHOED, None)
        self._output.take_snapshot(items(response, "output"), final=final)
        text = response.get("output_text") if final else None
        if text and isinstance(text, str) and not any(isinstance(part, TextBuilder) for part in self._output.parts):
            self._output.take_text(text)  # some servers send it there, where the SDK has it for convenience, and nowhere else
        usage = response.get("usage")
        if isinstance(usage, JSONObject) and holds_count(usage):
            self._report_usage(input_includes_cache(copied(usage)))

    def _take_final(self, response: dict[str, Any], status: str) -> None:
        """The response of a terminating event. It is kept as it came but for the members that an Extra holds."""
        self._final = response | {name: copied(response[name]) for name in response.keys() - _ECHOED}
        self._take_response(response, final=True)
        self._reason = status
        if status == "incomplete":
            details = self._response().get("incomplete_details")
            self._reason = (word(details.get("reason")) if isinstance(details, JSONObject) else None) or status

    def _response(self) -> dict[str, Any]:
        """The unstreamed response without its output. Only the final one adds members that are null."""
        response: dict[str, Any] = {}
        for snapshot in self._snapshots:
            response |= {name: value for name, value in marshal.loads(snapshot).items() if value is not None}
        response |= {name: value for name, value in self._final.items() if value is not None or name not in response}
        response.pop("output", None)
        return response

    def _end(self, payload: dict[str, Any]) -> None:
        """The terminating frame. The status counts for more than the event's name, but for that of a failure."""
        response, kind = object_member(payload, "response"), payload["type"]
        status = word(response.get("status"))
        if status is None or status in _UNFINISHED or kind == "response.failed":
            status = _STATUS_OF.get(kind, "completed")
        raw = response.get("error") or payload.get("error")
        if status == "completed" and not is_padding(raw):
            status = "failed"
        self._take_final(response, status)
        if status == "failed":
            raise self._upstream(raw or {}, payload)
        self._emit_members(payload)
        self.finish()

    def _on_whole(self, payload: dict[str, Any]) -> None:
        if word(payload.get("status")) in _UNFINISHED:  # what a request in the background is answered with
            self._final = payload
            self._take_response(payload, final=True)
            raise TruncatedStreamError(f"a response whose status is final; its status is {payload['status']!r}")
        self._end({"type": "", "response": payload})

    # ---- the end

    def finish(self) -> None:
        """Flush what was held back; calls that nobody said were cut are whole where the response is completed."""
        output, reason = self._output, self._reason
        output.finish()
        if reason == "completed":
            output.finish_calls()
        self.complete = True
        has_calls = any(isinstance(part, CallBuilder) and part.name for part in output.parts)
        self.out.append(Finished(finish_reason(reason, has_calls=has_calls), reason))

    # ---- the answer

    def _built(self) -> Answer:
        native = {**self._response(), "object": "response", "output": self._output.native()}
        parts = self._output.build()  # after that: other items show the same native form
        calls = [part for part in parts if isinstance(part, ToolCall)]
        choices = [self._choice(0, parts, calls, self._reason)] if self._started else []
        return self._answer(choices, self._extra, native, turn_of)

    _EVENTS: ClassVar[dict[str, Callable[[ResponsesEngine, dict[str, Any]], None]]] = {
        "response.created": _progress,
        "response.queued": _progress,
        "response.in_progress": _progress,
        "response.completed": _end,
        "response.incomplete": _end,
        "response.cancelled": _end,
        "response.failed": _end,
        "response.done": _end,
    }


def _has_int_indexes(payload: dict[str, Any]) -> bool:
    """Whether the indexes that an event names are whole numbers, as far as it names any."""
    get = payload.get
    return type(get("output_index", 0)) is type(get("content_index", 0)) is type(get("summary_index", 0)) is int


def _marshalled(response: dict[str, Any]) -> bytes:
    """A response without its output, whose items are gathered apart."""
    return marshal.dumps(response | {"output": None} if response.get("output") else response, _MARSHAL_VERSION)


def turn_of(native: dict[str, Any]) -> list[dict[str, Any]]:
    """What the next request's history takes of a response: its output items."""
    return list(native["output"])
