"""What the engines share. An engine reads one stream of one dialect, payload by payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..answer import Answer, Choice, OtherPart, ReasoningPart, RefusalPart, TextPart
from ..errors import MalformedStreamError, MisuseError, StreamError, TruncatedStreamError
from ..events import Started, UsageReported
from ..failures import error_in
from ..values import JSONObject, copied, replaced
from .emit import Emitter, word
from .finish import finish_reason
from .keep_alive import KEEP_ALIVES, is_keep_alive, is_metadata, own_members
from .merge import snapshot
from .payload import DONE, WHITE_SPACE, BadPayloadError, clean, clean_names, may_have_surrogates, payloads_in
from .upstream import error_event, upstream_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..answer import DialectName, Part, ToolCall, Usage
    from ..errors import UpstreamError
    from ..events import Event
    from ..limits import Limits
    from .hot_frame import HotFrame
    from .parts import PartBuilder

    TurnOf = Callable[[dict[str, Any]], list[dict[str, Any]]]
    Take = Callable[[dict[str, Any], str], PartBuilder | None]

__all__ = ["NAMES_THAT_DECIDE", "Engine"]

# The first or second payload of a provider is of the dialect. A stream with so many others before it is of another format.
_MAX_HELD = 1_000

# Names of events that count for more than the payload below them.
NAMES_THAT_DECIDE = frozenset({"error"})


class Engine:
    """Reads one stream of one dialect and appends its events to ``out``. No I/O, no clock, no state outside the object.

    The decoder and the accumulators drive it with few verbs: `take` and `take_general` for a payload, `take_frame` for the data
    of a frame of any kind, `take_whole` for an unstreamed object, `end` for the end of input, `answer` for what came so far.
    Errors are raised as they are found; `with_context` adds what the engine knows.

    Attributes:
        complete: the terminating frame has been seen. What follows it need not be waited for.
        id, model, usage: of the answer, as far as they came.
        frame_count: frames taken. keep_alive_count: those that were keep-alives.
        named: the caller named the dialect; False if it was detected.
        identified: a payload of the dialect has come. Frames before it may be of another format: they are ``held`` back, as event
            and data, until it comes.
        last_sequence_number: the ``sequence_number`` of the last payload of the dialect, None in a dialect that has none.
        hot: what `take` compares the next payload with, None after a frame of another kind.
    """

    __slots__ = (
        *("_early", "_emit", "_extra", "_foreign", "_had_surrogates", "_started", "complete", "frame_count"),
        *("held", "hot", "id", "identified", "keep_alive_count", "last_sequence_number", "limits"),
        *("model", "named", "out", "require_done", "think_tags", "usage"),
    )

    dialect: ClassVar[DialectName | None]
    terminator: ClassVar[str]  # the terminating frame, in the words of TruncatedStreamError
    sign: ClassVar[str] = "has a type"  # what each payload of the dialect does, in the words of MalformedStreamError
    dataless_events: ClassVar[frozenset[str]] = frozenset({"error"})  # events that mean something even with empty data
    reasoning_joint: ClassVar[str] = "\n\n"

    def __init__(self, limits: Limits, out: list[Event], *, require_done: bool = True, think_tags: bool = False) -> None:
        self.limits = limits
        self.out = out
        self.require_done = require_done
        self.think_tags = think_tags
        self.id: str | None = None
        self.model: str | None = None
        self.usage: Usage | None = None
        self.complete = False
        self.named = True
        self.frame_count = self.keep_alive_count = 0
        self.identified = False
        self.held: list[tuple[str, str]] = []
        self._foreign = False  # a payload came that is not of the dialect, and more than metadata
        self.last_sequence_number: int | None = None
        self.hot: HotFrame | None = None
        self._started = self._had_surrogates = False
        self._extra: dict[str, Any] = {}
        self._early: dict[str, Any] | None = None  # members of keep-alives that came before the answer started
        self._emit = Emitter(limits, out)
        self._prepare()

    @property
    def content_count(self) -> int:
        """Frames taken that were no keep-alive."""
        return self.frame_count - self.keep_alive_count

    # ---- payloads and frames

    def take(self, payload: dict[str, Any], event: str) -> PartBuilder | None:
        """Take one payload under the event's name, "message" if it has none. Returns the buffer that a frame of the most common
        kind added to, None after any other frame."""
        self.take_general(payload, event)
        return None

    def take_general(self, payload: dict[str, Any], event: str) -> None:
        """Take one payload of any kind."""
        self.hot = None
        if is_keep_alive(event, payload):
            self.keep_alive_count += 1
            if members := own_members(payload):
                self.keep_members(self._emit.clean(members))
            return
        self._had_surrogates |= self._emit.has_surrogates
        self._on_payload(event, payload)

    def count_repeated(self, count: int, last_number: int | None) -> None:
        """Count hot frames that were taken without this engine; ``last_number`` is the sequence_number of the last one."""
        self.frame_count += count
        if last_number is not None:
            self.last_sequence_number = last_number

    def take_frame(self, event: str, data: str, take: Take) -> None:
        """Take the data of one frame; ``take`` is `take`, or `take_general` where the common kind of frame gets no short way.

        Raises:
            UpstreamError: the frame reports a failure.
            MalformedStreamError: its data is not JSON, or not of the dialect's shape, or it ends a stream of another format.
            TruncatedStreamError: another dialect's end came in place of this one's.
            LimitExceededError: the answer is larger than the limits allow.
        """
        self.frame_count += 1
        text = data.strip(WHITE_SPACE)
        if not (text or event in self.dataless_events):
            self.keep_alive_count += 1
            return
        has_surrogates = self._emit.has_surrogates = may_have_surrogates(text)
        if has_surrogates:
            take = self.take_general
        values = [DONE] if text == "[DONE]" else self._values(event, text or "{}")
        if self.identified or self._identify(event, values, data):
            self._emit.has_surrogates = has_surrogates  # which frames that were held back have reset
            for value in values:
                if self.complete:
                    break
                if value is DONE:
                    self._on_done()
                elif isinstance(value, JSONObject):
                    (self.take_general if has_surrogates else take)(value, event)
        self._emit.has_surrogates = False

    def _values(self, event: str, text: str) -> list[Any]:
        try:
            values = payloads_in(text, self.limits.max_depth)
        except BadPayloadError as bad:
            if event in KEEP_ALIVES:
                return [{"type": event}]
            if event != "error":
                raise MalformedStreamError(str(bad)) from None
            values = [text]
        if event == "error" and not any(isinstance(value, JSONObject) and value for value in values):
            raise error_event(values, self._emit.clean)
        return clean_names(values) if self._emit.has_surrogates else values

    def identify(self, payload: dict[str, Any], event: str) -> bool:
        """Whether this payload shows that the stream is of the dialect, and no frame is held back."""
        self.identified = not self.held and self._identifies(event, payload)
        return self.identified

    def _identify(self, event: str, values: list[Any], data: str) -> bool:
        """True if these payloads are to be taken now: one of them is of the dialect, or they are keep-alives or the end. Frames
        that were held back are taken first. A frame of any other kind is held back.

        Raises:
            MalformedStreamError: they are the end of a stream of another format, or too many frames have been held back.
        """
        for value in values:
            if isinstance(value, JSONObject) and self._identifies(event, value):
                self._release()
                return True
        others = [value for value in values if value is not DONE and not is_keep_alive(event, value)]
        self._foreign |= not values or not all(map(self._is_little, others))
        if DONE in values:
            self._check_identified()
            self._release()
        elif others or not values:
            self._hold(event, data)
            return False
        return True

    def _hold(self, event: str, data: str) -> None:
        self.held.append((event, data))
        if len(self.held) > _MAX_HELD:
            self._foreign = True
            self._check_identified()

    def _release(self) -> None:
        self.identified = True
        held, self.held = self.held, []
        for event, data in held:
            self.frame_count -= 1
            self.take_frame(event, data, self.take_general)

    def _is_little(self, payload: Any) -> bool:
        """True if a payload that is not of the dialect does not show another format either."""
        return is_metadata(payload)

    def keep_members(self, members: dict[str, Any]) -> None:
        """Keep the members of a keep-alive besides those that only wrap it. Their events come once the answer has started."""
        if self._started:
            for name, value in members.items():
                self._emit.extra(self._extra, name, value)
        elif members:
            self._early = {**(self._early or {}), **members}

    def take_whole(self, payload: dict[str, Any]) -> None:
        """Take the unstreamed object, which came as a JSON body in place of a stream."""
        self.frame_count += 1
        self._emit.has_surrogates = True
        self._on_whole(clean(payload))

    def take_error(self, payload: dict[str, Any], *, in_stream: bool = True) -> None:
        """Raise the failure that an object outside of data reports: a line of the stream, or a JSON body in its place."""
        if in_stream:
            self._release()
        self.frame_count += 1
        self._emit.has_surrogates = True
        error = self._upstream(error_in(payload), payload)
        error.in_stream = in_stream
        raise error

    # ---- the end of input

    def end(self, *, broken: bool = False) -> None:
        """The input has ended, because the transport broke if ``broken``.

        Raises:
            TruncatedStreamError: the terminating frame has not been seen.
            MalformedStreamError: payloads came, and none was of the dialect.
        """
        if not broken:
            self._check_identified()
        if not broken and self._ends_without_terminator():
            self.finish()
        else:
            raise TruncatedStreamError(self.terminator, hint=self._hint())

    def _check_identified(self) -> None:
        """Raise MalformedStreamError if payloads of another format came, and none of this dialect."""
        if self._foreign and not self.identified:
            advice = f'; if the server speaks another dialect than "{self.dialect}", pass that or "auto"' if self.named else ""
            raise MalformedStreamError(f"none of the payloads up to here {self.sign}{advice}")

    # ---- another connection for the same answer

    @property
    def resumable(self) -> bool:
        """Whether the provider can send the rest of this answer over another connection."""
        return False

    def resume(self) -> None:
        """Expect the frames of another connection, which may begin with some that have been taken.

        Raises:
            MisuseError: the dialect has no such thing.
        """
        raise MisuseError(f'a stream of the dialect "{self.dialect}" cannot be resumed: send the request again')

    # ---- the answer so far, and errors

    def answer(self) -> Answer:
        """The answer so far, in time linear in it. What comes later does not change it."""
        return self._built()

    def with_context(self, error: StreamError) -> StreamError:
        """``error`` with what this engine knows on it."""
        try:
            error.partial = self.answer()
        except RecursionError:
            error.partial = Answer(self.dialect)
        if isinstance(error, TruncatedStreamError) and error.hint is None and self.named and self._has_nothing(error.partial):
            error.hint = f'If the server speaks another dialect than "{self.dialect}", pass that or "auto".'
        error.dialect = self.dialect
        error.frame_count = self.frame_count
        error.last_sequence_number = self.last_sequence_number
        error.resumable = isinstance(error, TruncatedStreamError) and self.resumable
        if isinstance(error, MalformedStreamError) and not error.frame_number:
            error.frame_number = self.frame_count
        return error

    def _has_nothing(self, partial: Answer) -> bool:
        """True if frames came, but nothing of an answer in this dialect."""
        came = partial.id or partial.model or any(choice.parts or choice.native_finish_reason for choice in partial.choices)
        return self.content_count > 0 and not came

    def _upstream(self, raw: Any, payload: dict[str, Any], *, kind: str | None = None) -> UpstreamError:
        """The error that the envelope ``raw`` in ``payload`` describes. ``kind`` is its type where the envelope has none."""
        return upstream_error(raw, payload, self._emit.clean, kind)

    # ---- for the dialects to fill in

    def _prepare(self) -> None:
        raise NotImplementedError

    def _on_payload(self, event: str, payload: dict[str, Any]) -> None:
        raise NotImplementedError

    def _on_whole(self, payload: dict[str, Any]) -> None:
        raise NotImplementedError

    def _identifies(self, event: str, payload: dict[str, Any]) -> bool:
        """Whether a payload that is no keep-alive is of this dialect, or reports a failure."""
        typed = word(payload.get("type")) is not None or event != "message"
        return (typed and not is_keep_alive(event, payload)) or error_in(payload) is not None

    def _on_done(self) -> None:
        raise TruncatedStreamError(f"{self.terminator}; data: [DONE] came in its place")

    def _ends_without_terminator(self) -> bool:
        return False

    def _hint(self) -> str | None:
        return None

    def finish(self) -> None:
        """The terminating frame has come: flush what was held back, finish calls and choices."""
        raise NotImplementedError

    def _built(self) -> Answer:
        raise NotImplementedError

    # ---- events

    def _start(self) -> None:
        if not self._started:
            self._started = True
            self.out.append(Started(self.id, self.model))
            self.keep_members(self._early or {})
            self._early = None

    def _report_usage(self, usage: Usage) -> None:
        if self.usage is None or usage.native != self.usage.native:
            self.usage = usage
            self.out.append(UsageReported(usage))

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
        texts: dict[type[Part], list[str]] = {TextPart: [], ReasoningPart: [], RefusalPart: []}
        for part in parts:
            if isinstance(part, (TextPart, ReasoningPart, RefusalPart)) and part.text:
                texts[type(part)].append(part.text)
        has_calls = any(call.name for call in tool_calls)
        return Choice(
            index,
            parts,
            "".join(texts[TextPart]),
            self.reasoning_joint.join(texts[ReasoningPart]),
            "".join(texts[RefusalPart]),
            tool_calls,
            finish_reason(native_finish_reason, has_calls=has_calls),
            native_finish_reason,
            {name: snapshot(value) for name, value in extra.items()} if extra else None,
        )

    def _answer(self, choices: list[Choice], extra: dict[str, Any], native: dict[str, Any], turn: TurnOf) -> Answer:
        """An answer that shares no mutable object with the engine: what is in it is copied here, once."""
        copy = clean if self._had_surrogates else copied
        native = copy(native)
        extra = copy({name: snapshot(value) for name, value in extra.items()}) if extra else {}
        for choice in choices:
            if choice.extra:
                choice.extra = copy(choice.extra)
            for part in choice.parts:
                if isinstance(part, OtherPart):
                    part.native = copy(part.native)
        usage = self.usage
        if usage is not None:
            usage = replaced(usage, native=copy(usage.native))
        return Answer(self.dialect, self.id, self.model, self.complete, choices, usage, extra, native, turn)
