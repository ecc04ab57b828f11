"""Read streamed LLM answers: bytes in, a whole answer or one clear error out."""

from ._version import __version__
from .answer import (
    Answer,
    Choice,
    DialectName,
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
from .dialects.chat import ChatAccumulator
from .dialects.messages import MessagesAccumulator
from .dialects.responses import ResponsesAccumulator
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
from .frames import Frame
from .limits import Limits
from .parser import FrameParser
from .streams import AsyncEventStream, EventStream, Stats, astream, stream

__all__ = [
    "Answer",
    "AsyncEventStream",
    "ChatAccumulator",
    "Choice",
    "Decoder",
    "DialectName",
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
