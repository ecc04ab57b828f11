"""Read streamed LLM answers: bytes in, a whole answer or one clear error out.

Names are loaded when they are first used, so that a program which imports this package and reads no stream, or embeds the core
alone, does not pay for the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .answer import (
        Answer,
        Choice,
        DialectName,
        DialectOrAuto,
        FinishReason,
        OtherPart,
        Part,
        ReasoningPart,
        RefusalPart,
        TextPart,
        ToolCall,
        ToolCallKind,
        Usage,
    )
    from .decoder import Decoder
    from .dialects.accumulators import ChatAccumulator, MessagesAccumulator, ResponsesAccumulator
    from .errors import (
        InvalidArgumentsError,
        LimitExceededError,
        MalformedStreamError,
        MisuseError,
        NotAnEventStreamError,
        RequestRejectedError,
        SSEDialectsError,
        StalledStreamError,
        StreamError,
        TruncatedStreamError,
        UpstreamError,
    )
    from .events import (
        Event,
        Extra,
        Finished,
        ReasoningDelta,
        RefusalDelta,
        Started,
        TextDelta,
        ToolCallDelta,
        ToolCallFinished,
        ToolCallStarted,
        UsageReported,
    )
    from .frames import Frame, FrameParser
    from .limits import Limits
    from .streams import AsyncEventStream, EventStream, Stats, astream, stream

__all__ = [
    "Answer",
    "AsyncEventStream",
    "ChatAccumulator",
    "Choice",
    "Decoder",
    "DialectName",
    "DialectOrAuto",
    "Event",
    "EventStream",
    "Extra",
    "FinishReason",
    "Finished",
    "Frame",
    "FrameParser",
    "InvalidArgumentsError",
    "LimitExceededError",
    "Limits",
    "MalformedStreamError",
    "MessagesAccumulator",
    "MisuseError",
    "NotAnEventStreamError",
    "OtherPart",
    "Part",
    "ReasoningDelta",
    "ReasoningPart",
    "RefusalDelta",
    "RefusalPart",
    "RequestRejectedError",
    "ResponsesAccumulator",
    "SSEDialectsError",
    "StalledStreamError",
    "Started",
    "Stats",
    "StreamError",
    "TextDelta",
    "TextPart",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallFinished",
    "ToolCallKind",
    "ToolCallStarted",
    "TruncatedStreamError",
    "UpstreamError",
    "Usage",
    "UsageReported",
    "__version__",
    "astream",
    "stream",
]

# Where each name lives; a test holds it against the imports above, which type checkers read.
_HOMES = {
    "answer": (
        "Answer",
        "Choice",
        "DialectName",
        "DialectOrAuto",
        "FinishReason",
        "OtherPart",
        "Part",
        "ReasoningPart",
        "RefusalPart",
        "TextPart",
        "ToolCall",
        "ToolCallKind",
        "Usage",
    ),
    "decoder": ("Decoder",),
    "dialects.accumulators": ("ChatAccumulator", "MessagesAccumulator", "ResponsesAccumulator"),
    "errors": (
        "InvalidArgumentsError",
        "LimitExceededError",
        "MalformedStreamError",
        "MisuseError",
        "NotAnEventStreamError",
        "RequestRejectedError",
        "SSEDialectsError",
        "StalledStreamError",
        "StreamError",
        "TruncatedStreamError",
        "UpstreamError",
    ),
    "events": (
        "Event",
        "Extra",
        "Finished",
        "ReasoningDelta",
        "RefusalDelta",
        "Started",
        "TextDelta",
        "ToolCallDelta",
        "ToolCallFinished",
        "ToolCallStarted",
        "UsageReported",
    ),
    "frames": ("Frame", "FrameParser"),
    "limits": ("Limits",),
    "streams": (
        "AsyncEventStream",
        "EventStream",
        "Stats",
        "astream",
        "stream",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return list(__all__)
