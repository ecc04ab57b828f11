"""The engines for whoever has frames already: one accumulator a dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from ..answer import Answer  # noqa: TC001  # hints resolve at run time
from ..errors import LimitExceededError, MisuseError, StreamError
from ..events import SHOWN, Event
from ..limits import DEFAULT_LIMITS, Limits, as_limits
from ..values import JSONObject
from .base import Engine  # noqa: TC001
from .chat.engine import ChatEngine
from .messages.engine import MessagesEngine
from .responses.engine import ResponsesEngine

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ChatAccumulator", "MessagesAccumulator", "ResponsesAccumulator"]


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


class _Accumulator:
    """One stream of one dialect: `add` takes frames and returns events, `answer` says what they add up to.

    Args:
        require_done: whether the terminating frame is needed, as for `Decoder`.
        think_tags: whether ``<think>`` blocks in chat content are reasoning, as for `Decoder`.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: ``limits`` is no `Limits`.
    """

    __slots__ = ("_data_bytes", "_delivered", "_engine", "_error")

    _engine_class: ClassVar[type[Engine]]

    def __init__(self, *, require_done: bool = True, think_tags: bool = False, limits: Limits = DEFAULT_LIMITS) -> None:
        self._engine = self._engine_class(as_limits(limits), [], require_done=require_done, think_tags=think_tags)
        self._error: StreamError | None = None
        self._delivered = False
        self._data_bytes = 0

    def add(self, frame: FrameLike) -> list[Event]:
        """Take one frame and return its events. Frames after the terminating one, or after an error, are ignored.

        Raises:
            UpstreamError: the frame reports a failure.
            MalformedStreamError: its data is not JSON, or not of the dialect's shape.
            LimitExceededError: the answer is larger than ``limits`` allow.
            TruncatedStreamError: another dialect's end came in place of this one's.
            MisuseError: the frame's data is no str.
        """
        data = data_of(frame)
        return self._run(lambda: self._take(frame.event or "message", data))

    def close(self) -> list[Event]:
        """Say that no more frames will come.

        Raises:
            TruncatedStreamError: the terminating frame has not been seen.
        """
        return self._run(self._engine.end)

    def _take(self, event: str, data: str) -> None:
        engine = self._engine
        self._data_bytes += len(data) if data.isascii() else len(data.encode("utf-8", "surrogatepass"))
        allowed = engine.limits.max_answer_bytes
        if allowed is not None and self._data_bytes > allowed:
            engine.frame_count += 1
            raise LimitExceededError("max_answer_bytes", allowed)
        engine.take_frame(event, data, engine.take)

    def _run(self, step: Callable[[], None]) -> list[Event]:
        if self.complete or self._error is not None:
            return []
        out = self._engine.out
        try:
            step()
        except StreamError as error:
            self._error = self._engine.with_context(error)
            error.decoded, error.delivered = list(out), self._delivered
            raise
        events = list(out)
        out.clear()
        self._delivered = self._delivered or any(isinstance(event, SHOWN) for event in events)
        return events

    @property
    def complete(self) -> bool:
        """Whether the terminating frame has been seen. What follows it need not be waited for."""
        return self._engine.complete

    @property
    def error(self) -> StreamError | None:
        """The error that ended the stream, None if there was none so far."""
        return self._error

    def answer(self) -> Answer:
        """The whole answer.

        Raises:
            StreamError: the one that ended the stream.
            MisuseError: the terminating frame has not been seen.
        """
        if self._error is not None:
            raise self._error
        if not self.complete:
            raise MisuseError("the stream has not ended yet: add its other frames and close() the accumulator, or take partial()")
        return self._engine.answer()

    def partial(self) -> Answer:
        """The answer so far; after an error, the error's partial answer. Linear time. What comes later does not change it."""
        if self._error is not None:
            return self._error.partial
        return self._engine.answer()


class ChatAccumulator(_Accumulator):
    """OpenAI Chat Completions, and everything that imitates it."""

    __slots__ = ()
    _engine_class = ChatEngine


class MessagesAccumulator(_Accumulator):
    """Anthropic Messages."""

    __slots__ = ()
    _engine_class = MessagesEngine


class ResponsesAccumulator(_Accumulator):
    """OpenAI Responses."""

    __slots__ = ()
    _engine_class = ResponsesEngine


def data_of(frame: object) -> str:
    is_frame = not isinstance(frame, (str, bytes, JSONObject))
    data = getattr(frame, "data", None) if is_frame else frame
    if is_frame and isinstance(data, str):
        return data
    what = "the data of a frame is a str" if is_frame else "add() takes a frame"
    raise MisuseError(
        f"{what}, not {type(data).__name__}: pass sd.Frame(data=...) with the payload's JSON text (bytes: decode them)"
    )
