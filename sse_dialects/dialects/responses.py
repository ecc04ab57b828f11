"""OpenAI Responses: named events around output items, ended by ``response.completed`` or one of its sisters."""

from __future__ import annotations

import json
from collections.abc import Callable  # noqa: TC003  # hints resolve at run time
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import TruncatedStreamError
from ..events import Finished
from ..failures import is_padding
from ..values import JSONObject
from .finish import finish_reason
from .parts import CallBuilder, TextBuilder
from .payload import dumped
from .responses_events import EVENTS, WRAPPING, fold_status
from .responses_output import Output
from .telling import items, object_member, typed, word
from .typed_events import TypedAccumulator
from .usage import holds_count, input_includes_cache

if TYPE_CHECKING:
    from ..answer import Answer

__all__ = ["ResponsesAccumulator"]

# Members of a response that only wrap it or echo the request: they stand in `native`. Whatever else comes is told as Extra.
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

# The status that a terminating event's name stands for where its response says none. ``response.done`` stands for no other.
_STATUS_OF = {name: name.rpartition(".")[2] for name in _ENDS - {"response.done"}}

_UNFINISHED = frozenset({"queued", "in_progress"})


class ResponsesAccumulator(TypedAccumulator):
    """Events of one response in, our events and the answer out. See `Accumulator` for the verbs.

    Args:
        require_done: changes nothing here; a terminating event is always needed.
        think_tags: changes nothing here; reasoning has items of its own.
        limits: bounds on everything that grows.
    """

    __slots__ = ("_extra", "_output", "_snapshots", "_status")

    dialect = "responses"
    expected: ClassVar[str] = "response.completed"
    bare: ClassVar[frozenset[str]] = TypedAccumulator.bare | _ENDS

    def _prepare(self) -> None:
        # The response as each of the events around it shows it, without its output, as JSON text: it echoes the whole request,
        # and thousands may be open. Most events show the same.
        self._snapshots: list[str] = []
        self._extra: dict[str, Any] = {}
        self._output = Output(self._tell, self._extra)
        self._status: str | None = None  # once the terminating frame has said it

    # ---- frames

    def idle(self) -> dict[str, Any]:
        """What counts the events, and what pads them."""
        return {"sequence_number": None, "obfuscation": None}

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        sent = payload
        kind, payload = typed(event, payload)
        if (ours := self._EVENTS.get(kind)) is not None:
            ours(self, payload)
        elif (row := EVENTS.get(kind)) is not None:
            self._start()
            take, members = row
            place = take(self._output, payload)
            self._tell.rest(self._extra, payload, members, place)
        else:
            fold_status(self._output, payload)
            self._on_other_event(event, sent, self._extra, lambda: self._output.place_of(payload))

    # ---- the response

    def _progress(self, payload: dict[str, Any]) -> None:
        """A snapshot of the response as it is so far."""
        response = object_member(payload, "response")
        if response.get("status") == "failed":
            self._failed(payload)
        self._take_response(response, final=False)
        self._rest(payload)

    def _rest(self, payload: dict[str, Any]) -> None:
        others = {name: value for name, value in payload.items() if name != "error" or not is_padding(value)}
        self._tell.rest(self._extra, others, _LIFECYCLE)

    def _take_response(self, response: dict[str, Any], *, final: bool = True) -> None:
        """The last id and model that say something bind; null and empty members erase nothing."""
        self.id = self._tell.word(response, "id") or self.id
        self.model = self._tell.word(response, "model") or self.model
        self._start()
        fields = {name: value for name, value in response.items() if name != "output" and (final or value is not None)}
        snapshot = dumped(self._tell.clean(fields))
        if self._snapshots[-1:] != [snapshot]:
            self._snapshots.append(snapshot)
        self._tell.rest(self._extra, fields, _ECHOED)
        self._output.take_snapshot(items(response, "output"), final=final)
        if final and not any(isinstance(part, TextBuilder) for part in self._output.parts):
            self._take_text_alone(response)
        usage = response.get("usage")
        if isinstance(usage, JSONObject) and holds_count(usage):
            self._report_usage(input_includes_cache(self._tell.clean(usage)))

    def _take_text_alone(self, response: dict[str, Any]) -> None:
        """Some servers send the text beside the output, where the SDK has it for convenience, and nowhere else."""
        if isinstance(text := response.get("output_text"), str) and text:
            take_done, _ = EVENTS["response.output_text.done"]
            take_done(self._output, {"text": text})

    def _response(self) -> dict[str, Any]:
        """The unstreamed response without its output."""
        response: dict[str, Any] = {}
        for snapshot in self._snapshots:
            for name, value in json.loads(snapshot).items():
                if value is not None or name not in response:
                    response[name] = value
        return response

    def _end(self, payload: dict[str, Any]) -> None:
        """The terminating frame. The status counts for more than the event's name."""
        response = object_member(payload, "response")
        self._take_response(response)
        status = self._tell.word(response, "status")
        named = _STATUS_OF.get(str(payload.get("type")), "completed")
        self._status = status if status is not None and status not in _UNFINISHED else named
        raw = response.get("error") or payload.get("error")
        if self._status == "failed" or (self._status == "completed" and not is_padding(raw)):
            self._status = "failed"
            raise self._upstream(raw or {}, payload)
        self._rest(payload)
        self.finish()

    def _failed(self, payload: dict[str, Any]) -> None:
        self._take_response(object_member(payload, "response"))
        self._status = "failed"
        raise self._upstream(object_member(payload, "response").get("error") or payload.get("error") or {}, payload)

    def _on_whole(self, payload: dict[str, Any]) -> None:
        if word(payload.get("status")) in _UNFINISHED:  # what a request in the background is answered with
            self._take_response(payload)
            raise TruncatedStreamError(f"a response whose status is final; its status is {payload['status']!r}")
        self._end({"type": "", "response": payload})

    # ---- the end

    @property
    def _reason(self) -> str | None:
        if self._status == "incomplete":
            details = self._response().get("incomplete_details")
            return (word(details.get("reason")) if isinstance(details, JSONObject) else None) or self._status
        return self._status

    def finish(self) -> None:
        """Flush what was held back; calls that nobody said were cut are whole where the response is completed."""
        self._output.finish()
        calls, reason = [part for part in self._output.parts if isinstance(part, CallBuilder)], self._reason
        if reason == "completed":
            self._output.finish_calls()
        self.complete = True
        self._tell.out.append(Finished(finish_reason(reason, has_calls=bool(calls)), reason))

    # ---- the answer

    def _built(self) -> Answer:
        self._output.settle()
        output = self._output.native()
        native = {**self._response(), "object": "response", "output": output}
        parts = [part.build() for part in self._output.parts]
        calls = [part.build() for part in self._output.parts if isinstance(part, CallBuilder)]
        choices = [self._choice(0, parts, calls, self._reason)] if self._started else []
        return self._answer(choices, self._extra, native, output)

    _EVENTS: ClassVar[dict[str, Callable[[ResponsesAccumulator, dict[str, Any]], None]]] = {
        "response.created": _progress,
        "response.queued": _progress,
        "response.in_progress": _progress,
        "response.completed": _end,
        "response.incomplete": _end,
        "response.cancelled": _end,
        "response.failed": _failed,
        "response.done": _end,
    }
