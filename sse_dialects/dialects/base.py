"""What the three accumulators share: the verbs, payloads, errors with the partial answer on them, and the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from ..answer import Answer, Choice, DialectName, ReasoningPart, RefusalPart, TextPart
from ..errors import LimitExceededError, MalformedStreamError, StreamError, TruncatedStreamError
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
from ..failures import error_in
from ..limits import DEFAULT_LIMITS, Limits
from ..parser import as_limits
from ..root import MisuseError
from ..values import JSONObject
from .finish import finish_reason
from .frame_like import data_of
from .joined import built
from .keep_alive import is_keep_alive, own_members
from .payload import DONE, TOO_DEEP, WHITE_SPACE, has_halves, scrubbed
from .telling import Teller, word
from .unidentified import Unidentified
from .upstream import upstream_error, values_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..answer import Part, ToolCall, Usage
    from ..errors import UpstreamError
    from ..events import Event
    from .frame_like import FrameLike
    from .telling import Hot

__all__ = ["SHOWN", "Accumulator"]

# Events that show something of the answer: after one of these a retry is visible to whoever watches.
SHOWN = (TextDelta, ReasoningDelta, RefusalDelta, ToolCallStarted, ToolCallDelta, ToolCallFinished)


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
        "_early",
        "_extra",
        "_had_halves",
        "_named",
        "_payload_bytes",
        "_started",
        "_tell",
        "_unidentified",
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
    foreign: ClassVar[str] = "has a type"  # what no payload in another format does, in the words of MalformedStreamError
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
        self.frame_count = self.content_count = self._payload_bytes = 0
        self._started = self._delivered = self._had_halves = False
        self._named = True  # by the caller; False where the first frames told the dialect
        self._extra: dict[str, Any] = {}
        self._early: dict[str, Any] | None = None  # members of keep-alives that came before the answer started
        self._tell = Teller(limits)
        self._whole: Answer | None = None
        self._prepare()
        self._unidentified: Unidentified | None = Unidentified(self.foreign, self.dialect)

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
        data = data_of(frame)
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
        other._unidentified = Unidentified(other.foreign, None)  # no advice to ask for another dialect

    def keep_members(self, members: dict[str, Any]) -> None:
        """Keep the members of a keep-alive that say more than that it is one. Events for them come once the answer starts."""
        if self._started:
            for name, value in members.items():
                self._tell.extra(self._extra, name, value)
        elif members:
            self._early = self._early or {}
            self._early.update(members)

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
        if not (text or event in self.bare):
            return  # a keep-alive
        try:
            self._take_text(event, text or "{}")
        except RecursionError:  # within `max_depth`, but the caller has most of the stack
            raise MalformedStreamError(TOO_DEEP) from None

    def _take_text(self, event: str, text: str) -> None:
        self._tell.halves = has_halves(text)
        values = [DONE] if text == "[DONE]" else values_in(event, text, self.limits.max_depth, self._tell)
        waiting = self._unidentified
        if waiting is not None:
            if any(self._identifies(event, value) for value in values) or waiting.ends_with(event, values):
                self._release(waiting)
                self._tell.halves = has_halves(text)
            elif not all(is_keep_alive(event, value) for value in values):
                waiting.keep(event, text)
                self.content_count += any(isinstance(value, JSONObject) for value in values)
                return
        for value in values:
            if self.complete:
                return
            self._take_value(event, value)

    def _release(self, waiting: Unidentified) -> None:
        """Take the frames that were kept back."""
        self._unidentified = None
        count = self.content_count
        for event, text in waiting.frames:
            self._take_text(event, text)
        self.content_count = count

    def _take_value(self, event: str, value: Any) -> None:
        if value is DONE:
            self.content_count += 1
            self._on_done()
        elif is_keep_alive(event, value):
            self._had_halves |= self._tell.halves
            self.keep_members(self._tell.clean(own_members(value)))
        elif isinstance(value, JSONObject):
            self.content_count += 1
            self._had_halves |= self._tell.halves
            self._on_payload(event, value)

    def end(self, *, broken: bool = False) -> None:
        """The bytes have ended, because the transport broke if ``broken``."""
        if self._unidentified is not None and not broken:
            self._unidentified.end()
        if not broken and self._ends_without_terminator():
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
        if in_stream and self._unidentified is not None:
            self._release(self._unidentified)
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
        return self.content_count > 0 and not came

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

    def _identifies(self, event: str, payload: Any) -> bool:
        """Whether a payload is of this dialect, as far as that can be told, or reports a failure."""
        if not isinstance(payload, JSONObject) or is_keep_alive(event, payload):
            return False
        return word(payload.get("type")) is not None or event != "message" or error_in(payload) is not None

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

    def _upstream(self, raw: Any, payload: dict[str, Any], *, kind: str | None = None) -> UpstreamError:
        """The error that an envelope describes. ``kind`` is its type where the envelope has none."""
        return upstream_error(raw, payload, self._tell, kind)

    # ---- events

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self._tell.out.append(Started(self.id, self.model))
            self.keep_members(self._early or {})
            self._early = None

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
            finish_reason(native_finish_reason, has_calls=any(call.name for call in tool_calls)),
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
