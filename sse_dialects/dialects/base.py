"""What the three accumulators share: the verbs, payloads, errors with the partial answer on them, and the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..answer import Answer, Choice, ReasoningPart, RefusalPart, TextPart
from ..errors import LimitExceededError, MalformedStreamError, StreamError, TruncatedStreamError, UpstreamError
from ..events import (
    ReasoningDelta,
    RefusalDelta,
    Started,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from ..failures import ErrorEnvelope, error_in
from ..limits import DEFAULT_LIMITS, Limits
from ..parser import as_limits
from ..root import MisuseError
from ..values import JSONObject
from .finish import finish_reason
from .joined import built
from .payload import DONE, TOO_DEEP, WHITE_SPACE, BadPayloadError, has_halves, named, payloads_in, scrubbed
from .telling import Teller

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..answer import DialectName, Part, ToolCall, Usage
    from ..events import Event
    from .telling import Hot

__all__ = ["SHOWN", "Accumulator", "FrameLike"]

# Events that show something of the answer: after one of these a retry is visible to whoever watches.
SHOWN = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallStarted, ToolCallDelta, ToolCallFinished)


class FrameLike(Protocol):
    """Anything with an event's name and data: `Frame`, ``httpx_sse.ServerSentEvent``, what the official SDKs' decoders give."""

    @property
    def event(self) -> str | None:
        """The event's name; "" or None where the stream named none."""
        ...

    @property
    def data(self) -> str:
        """Its data lines, joined by LF."""
        ...


class Accumulator:
    """One stream of one dialect: `add` takes frames and returns events, `answer` says what they add up to.

    No I/O, no clock, no state outside the object; nothing is kept of a frame but what the answer needs.

    Attributes:
        complete: whether the terminating frame has been seen; what follows it need not be waited for.
        error: the error that ended the stream, None if there was none so far.
        id, model, usage: of the answer, as far as they came.
        frame_count: frames added. content_count: those that were no keep-alive.

    Raises:
        MisuseError: ``limits`` is no `Limits`.
    """

    __slots__ = (
        "_delivered",
        "_had_halves",
        "_named",
        "_payload_bytes",
        "_started",
        "_tell",
        "_whole",
        "complete",
        "content_count",
        "error",
        "frame_count",
        "id",
        "limits",
        "model",
        "require_done",
        "think_tags",
        "usage",
    )

    dialect: ClassVar[DialectName]
    expected: ClassVar[str]  # the terminating frame, in the words of TruncatedStreamError
    bare: ClassVar[frozenset[str]] = frozenset({"error"})  # events that say enough without data: a failure, an end
    reasoning_joint: ClassVar[str] = "\n\n"

    def __init__(self, *, require_done: bool = True, think_tags: bool = False, limits: Limits = DEFAULT_LIMITS) -> None:
        self.require_done = require_done
        self.think_tags = think_tags
        self.limits = as_limits(limits)
        self.id: str | None = None
        self.model: str | None = None
        self.usage: Usage | None = None
        self.complete = False
        self.error: StreamError | None = None
        self.frame_count = 0
        self.content_count = 0
        self._payload_bytes = 0
        self._started = False
        self._delivered = False
        self._named = True  # by the caller; False where the first frames told the dialect
        self._had_halves = False
        self._tell = Teller(limits)
        self._whole: Answer | None = None
        self._prepare()

    # ---- the public verbs

    def add(self, frame: FrameLike) -> list[Event]:
        """Take one frame and return the events it tells. Frames after the terminating one, or after an error, are ignored.

        Raises:
            UpstreamError: the frame reports a failure.
            MalformedStreamError: its data is not JSON, or not of the dialect's shape.
            LimitExceededError: the answer is larger than ``limits`` allow.
            TruncatedStreamError: another dialect's end came in place of this one's.
            MisuseError: the frame's data is no str.
        """
        if self.complete or self.error is not None:
            return []
        data = _data_of(frame)
        size = len(data) if data.isascii() else len(data.encode("utf-8", "surrogatepass"))
        return self._collected(lambda: self.take(frame.event or "message", data, size))

    def close(self) -> list[Event]:
        """Say that no more frames will come.

        Raises:
            TruncatedStreamError: the terminating frame has not been seen.
        """
        if self.complete or self.error is not None:
            return []
        return self._collected(self.end)

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            StreamError: the one that ended the stream.
            MisuseError: the terminating frame has not been seen.
        """
        if self._whole is not None:
            return self._whole
        if self.error is not None:
            raise self.error
        if not self.complete:
            raise MisuseError("the stream has not ended yet: add its other frames and close() the accumulator, or take partial()")
        self._whole = self._built()
        return self._whole

    def partial(self) -> Answer:
        """What there is so far, in time linear in it. What comes later does not change it."""
        return self._whole if self._whole is not None else self._built()

    def _collected(self, step: Callable[[], None]) -> list[Event]:
        out: list[Event] = []
        self._tell.out = out
        try:
            step()
        except StreamError as error:
            error.decoded, error.delivered = out, self._delivered
            raise self.fail(error) from error.__cause__
        self._delivered = self._delivered or any(isinstance(event, SHOWN) for event in out)
        return out

    def pop_hot(self) -> Hot | None:
        """What the last frame did, where that was no more than adding a string; told once."""
        hot, self._tell.hot = self._tell.hot, None
        return None if self._tell.cold else hot

    def idle(self) -> dict[str, Any]:
        """The members of a payload that add nothing from here on, whatever they hold, each with the value that is kept of it, if
        one is."""
        return {}

    # ---- the decoder's verbs: they add events to the list that `deliver_to` named, and leave errors as they are

    def deliver_to(self, out: list[Event]) -> None:
        """Put events into ``out`` from now on."""
        self._tell.out = out

    def hand_over(self, other: Accumulator) -> None:
        """Let ``other`` go on with this one's counts and its place for events."""
        other.frame_count, other._payload_bytes = self.frame_count, self._payload_bytes
        other._tell.out, other._named = self._tell.out, False

    @property
    def room(self) -> int:
        """How many more payload bytes are sure to stay within the limit."""
        allowed = self.limits.max_answer_bytes
        return sys.maxsize if allowed is None else allowed - self._payload_bytes

    def note(self, count: int, size: int) -> None:
        """Count frames that did no more than add a string, which somebody else has added."""
        self.frame_count += count
        self.content_count += count
        self._payload_bytes += size

    def take(self, event: str, data: str, size: int) -> None:
        """Take the data of one frame, ``size`` bytes of it."""
        self.frame_count += 1
        self._tell.hot = None
        self._tell.cold = False
        self._payload_bytes += size
        allowed = self.limits.max_answer_bytes
        if allowed is not None and self._payload_bytes > allowed:
            raise LimitExceededError("max_answer_bytes", allowed)
        text = data.strip(WHITE_SPACE)
        if event == "ping" or not (text or event in self.bare):
            return  # a keep-alive, whatever it carries
        if text == "[DONE]":
            self.content_count += 1
            self._on_done()
            return
        self._tell.halves = has_halves(text)
        try:
            for payload in self._values(event, text or "{}"):
                if self.complete:
                    return
                if payload is DONE:
                    self._on_done()
                elif isinstance(payload, JSONObject) and payload.get("type") != "ping":
                    self.content_count += 1
                    self._had_halves |= self._tell.halves
                    self._on_payload(event, payload)
        except RecursionError:  # within `max_depth`, but the caller has most of the stack
            raise MalformedStreamError(TOO_DEEP) from None

    def end(self) -> None:
        """The bytes have ended."""
        if self._ends_without_terminator():
            self.finish()
        else:
            raise TruncatedStreamError(self.expected, hint=self._hint())

    def take_whole(self, payload: dict[str, Any], size: int) -> None:
        """Take the unstreamed object, which came as a JSON body in place of a stream."""
        self.frame_count += 1
        self.content_count += 1
        self._payload_bytes += size
        self._tell.halves = True
        self._on_whole(scrubbed(payload))

    def take_error(self, payload: dict[str, Any], *, in_stream: bool = True) -> None:
        """Raise what an error object says that came outside of data: as a line of the stream, or as a JSON body in its place."""
        self.frame_count += 1
        self._tell.halves = True
        error = self._upstream(error_in(payload), payload)
        error.in_stream = in_stream
        raise error

    def filled(self, error: StreamError) -> StreamError:
        """``error`` with what this accumulator knows on it."""
        try:
            error.partial = self.partial()
        except RecursionError:
            error.partial = Answer(self.dialect)
        if isinstance(error, TruncatedStreamError) and error.hint is None and self._named and self._has_nothing(error.partial):
            error.hint = f'If the server speaks another dialect than "{self.dialect}", pass that or "auto".'
        error.dialect = self.dialect
        error.frame_count = self.frame_count
        if isinstance(error, MalformedStreamError) and not error.frame_number:
            error.frame_number = self.frame_count
        return error

    def _has_nothing(self, partial: Answer) -> bool:
        """Whether frames came, and nothing of an answer that the dialect has words for."""
        came = partial.id or partial.model or any(choice.parts or choice.native_finish_reason for choice in partial.choices)
        return self.content_count > 0 and self.dialect is not None and not came

    def fail(self, error: StreamError) -> StreamError:
        """End the stream with ``error``: filled, kept for `answer`, and returned for raising."""
        self.error = self.filled(error)
        return error

    # ---- for the dialects to fill in

    def _prepare(self) -> None:
        raise NotImplementedError

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        raise NotImplementedError

    def _on_whole(self, payload: dict[str, Any]) -> None:
        raise NotImplementedError

    def _on_done(self) -> None:
        raise TruncatedStreamError(f"{self.expected}; data: [DONE] came in its place")

    def _ends_without_terminator(self) -> bool:
        return False

    def _hint(self) -> str | None:
        return None

    def finish(self) -> None:
        """The terminating frame has come: flush what was held back, finish calls and choices."""
        raise NotImplementedError

    def _built(self) -> Answer:
        raise NotImplementedError

    # ---- payloads

    def _values(self, event: str, text: str) -> list[Any]:
        try:
            values = payloads_in(text, self.limits.max_depth)
        except BadPayloadError as bad:
            if event != "error":
                raise MalformedStreamError(str(bad)) from None
            values = [text]
        if event == "error" and not any(isinstance(value, JSONObject) and value for value in values):
            raise self._bare_failure(values)
        return named(values) if self._tell.halves else values

    def _bare_failure(self, values: list[Any]) -> UpstreamError:
        """The failure that a frame is by its name alone: its data is a text, or says nothing."""
        said = next((self._tell.clean(value) for value in values if isinstance(value, str) and value), None)
        return UpstreamError(message=said, raw=said, payload=said)

    def _upstream(self, raw: Any, payload: dict[str, Any], *, kind: str | None = None) -> UpstreamError:
        """The error that an envelope describes. ``kind`` is its type where the envelope has none."""
        whole = raw is payload  # whose `type` then says what the payload is, not what went wrong
        raw, payload = self._tell.clean(raw), self._tell.clean(payload)
        envelope = ErrorEnvelope(raw, payload)
        return UpstreamError(
            type=kind if whole and envelope.type in ("error", "response.error") else envelope.type or kind,
            code=envelope.code,
            message=envelope.message,
            param=envelope.param,
            raw=envelope.raw,
            payload=payload,
            retry_after=envelope.retry_after,
        )

    # ---- events

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self._tell.out.append(Started(self.id, self.model))

    def _report_usage(self, usage: Usage) -> None:
        if self.usage is None or usage.native != self.usage.native:
            self.usage = usage
            self._tell.out.append(UsageReported(usage))

    # ---- the answer

    def _choice(
        self,
        index: int,
        parts: list[Part],
        tool_calls: list[ToolCall],
        native_finish_reason: str | None,
        extra: dict[str, Any] | None = None,
    ) -> Choice:
        """A choice whose texts are its parts joined."""
        return Choice(
            index,
            parts,
            "".join(part.text for part in parts if isinstance(part, TextPart)),
            self.reasoning_joint.join(part.text for part in parts if isinstance(part, ReasoningPart) and part.text),
            "".join(part.text for part in parts if isinstance(part, RefusalPart)),
            tool_calls,
            finish_reason(native_finish_reason, has_calls=bool(tool_calls)),
            native_finish_reason,
            {name: built(value) for name, value in extra.items()} if extra else None,
        )

    def _answer(self, choices: list[Choice], extra: dict[str, Any], native: dict[str, Any], turn: list[dict[str, Any]]) -> Answer:
        extra = {name: built(value) for name, value in extra.items()}
        if self._had_halves:
            native, turn, extra = scrubbed(native), scrubbed(turn), scrubbed(extra)
            for choice in choices:
                choice.extra = scrubbed(choice.extra)
        return Answer(self.dialect, self.id, self.model, self.complete, choices, self.usage, extra, native, turn)


def _data_of(frame: object) -> str:
    is_frame = not isinstance(frame, (str, bytes, JSONObject))
    data = getattr(frame, "data", None) if is_frame else frame
    if is_frame and isinstance(data, str):
        return data
    what = "the data of a frame is a str" if is_frame else "add() takes a frame"
    raise MisuseError(
        f"{what}, not {type(data).__name__}: pass sd.Frame(data=...) with the payload's JSON text (bytes: decode them)"
    )
