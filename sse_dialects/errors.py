"""The errors, by who is at fault. Each has its facts as attributes, and its text says what to do next.

SSEDialectsError
    MisuseError (also RuntimeError)       the caller's mistake
    InvalidArgumentsError (also ValueError)   a tool call's arguments are not a JSON object
    RequestRejectedError                  HTTP status outside 2xx
    NotAnEventStreamError                 2xx, but the body is no event stream
    StreamError                           a stream that broke; holds the partial answer
        TruncatedStreamError              closed before the terminating frame
        UpstreamError                     the stream itself reports a failure
        MalformedStreamError              not JSON, or not the dialect's shape
        LimitExceededError                more than `Limits` allows
        StalledStreamError                silent for too long
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .answer import Answer, DialectName, InvalidArgumentsError
from .failures import one_line, retryable_failure, retryable_rejection
from .http_errors import HTTPErrorBody, body_of, head_of, plain_headers, redirection, request_id, retry_after, should_retry
from .root import MisuseError, SSEDialectsError

__all__ = [
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
]

_PARTIAL = "error.partial holds what came"
_SHOWN = 1_000  # characters of a provider's message, type or code in an error's text; the attributes have all of it
_ENDS = ("!", "?", "…")


class RequestRejectedError(SSEDialectsError):
    """The server answered with an HTTP status outside 2xx, so no stream was opened.

    Attributes:
        status: the HTTP status code.
        type, code, message, param: from the body's error envelope, as sent; None where it has none.
        body: the parsed JSON body, or its text.
    """

    kind = "rejected"
    _facts = (*SSEDialectsError._facts, "status", "type", "code", "message", "param")

    def __init__(
        self,
        status: int,
        *,
        type: str | None = None,
        code: str | int | None = None,
        message: str | None = None,
        param: str | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        plain = plain_headers(headers.items() if headers else ())
        asked = should_retry(plain)
        retryable = retryable_rejection(status, type, code, retry_after) if asked is None else asked
        super().__init__("", retryable=retryable, retry_after=retry_after)
        self.status = status
        self.type = type
        self.code = code
        self.message = message
        self.param = param
        self.body = body
        self.headers = plain
        self.request_id = request_id(plain)

    @staticmethod
    def from_response(response: Any) -> RequestRejectedError:
        """Make the error for a client's response, whatever its status. For programs that send requests themselves.

        Args:
            response: one of httpx, httpx2, requests, aiohttp, urllib3 or another client, whose body has been read.

        Raises:
            MisuseError: the body has not been read; the text says how. Or it is no response.
        """
        status, headers = head_of(response)
        return rejection_of(status, headers, body_of(response))

    def __str__(self) -> str:
        advice = "send it again later" if self.retryable else "fix the request before sending it again"
        waits = self.retryable and self.retry_after is not None
        wait = f", after {_time(self.retry_after or 0.0)} as the server asks" if waits else ""
        rejected = _stop(
            f"the server rejected the request with HTTP status {self.status}{_named(self.type, self.code)}", self.message
        )
        return f"{rejected} No answer was started; {advice}{wait}."


def rejection_of(status: int, headers: Mapping[str, str], body: bytes) -> RequestRejectedError:
    """Make the error from the parts of a response. The names in ``headers`` are in lower case."""
    read = HTTPErrorBody(body)
    envelope, wait = read.envelope, retry_after(headers)
    return RequestRejectedError(
        status,
        type=envelope.type,
        code=envelope.code,
        message=redirection(status, headers) or read.message,
        param=envelope.param,
        body=read.value,
        headers=headers,
        retry_after=envelope.retry_after if wait is None else wait,
    )


class NotAnEventStreamError(SSEDialectsError):
    """The body is no event stream and no JSON answer: HTML, plain text, compressed or binary bytes, JSON of another kind.

    Attributes:
        content_type: the response's Content-Type, or None where there was no response to ask.
        preview: at most the first 200 characters of the body, bytes that are no text as U+FFFD. It may be the text of an answer,
            so neither the sentence nor `to_dict` has it.
    """

    kind = "not_event_stream"
    _facts = (*SSEDialectsError._facts, "content_type")

    def __init__(self, reason: str, *, advice: str, content_type: str | None = None, preview: str = "") -> None:
        self.reason = reason
        self.advice = advice
        self.content_type = content_type
        self.preview = preview
        super().__init__(reason)

    def __str__(self) -> str:
        labelled = f" (Content-Type: {_cut(self.content_type)})" if self.content_type else ""
        return f"the body is {self.reason}{labelled}, not an event stream: {self.advice}."


class StreamError(SSEDialectsError):
    """A stream that broke.

    Attributes:
        partial: the `Answer` as far as it came; never ``complete``.
        dialect: "chat", "messages", "responses", or None if it was not detected yet.
        frame_count: frames decoded up to the fault.
        byte_count: bytes of the stream up to and including the frame at fault; for `LimitExceededError` up to the frame that
            grew too large; all bytes for a stream that ended or stalled. 0 for an accumulator, which gets no bytes.
        last_event_id: the last event ID that the stream set, or None.
        last_sequence_number: the number of the last decoded event of the responses dialect, or None.
        resumable: whether a new connection may continue this response from that event: pass the failed stream as ``resume``.
    """

    kind = "stream"
    _facts = (
        *SSEDialectsError._facts,
        *("dialect", "frame_count", "byte_count", "last_event_id", "last_sequence_number", "resumable"),
    )

    def __init__(self, description: str = "", *, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(description, retryable=retryable, retry_after=retry_after)
        self.partial = Answer(None)
        self.dialect: DialectName | None = None
        self.frame_count = 0
        self.byte_count = 0
        self.last_event_id: str | None = None
        self.last_sequence_number: int | None = None
        self.resumable = False


class TruncatedStreamError(StreamError):
    """The stream closed before its terminating frame. What came is not a whole answer, even if it looks like one.

    Attributes:
        expected: the terminating frame that did not come, in the dialect's words.
        hint: a sentence on the option with which this stream would be accepted, or None.
        cause: the transport's own error where the connection broke, else None. Its text may quote the answer, so the sentence
            names its class alone.
    """

    kind = "truncated"
    _facts = (*StreamError._facts, "expected", "hint")

    def __init__(self, expected: str, *, hint: str | None = None, cause: BaseException | None = None) -> None:
        super().__init__(expected, retryable=True)
        self.expected = expected
        self.hint = hint
        self.cause = cause

    def __str__(self) -> str:
        why = f" ({type(self.cause).__name__})" if self.cause else ""
        hint = f" {self.hint}" if self.hint else ""
        awaited = f"its terminating frame, {self.expected}" if self.dialect else self.expected
        came = _count(self.frame_count, "frame")
        if self.byte_count:
            came += f" and {_count(self.byte_count, 'byte')}"
        elif not self.frame_count:
            return f"the stream closed before {awaited}{why}: nothing came. Send the request again as a new one."
        return (
            f"the stream closed before {awaited}{why}: after {came} the answer is not whole. "
            f"{_what_to_send(self)}; {_PARTIAL}.{hint}"
        )


class UpstreamError(StreamError):
    """The stream itself reports a failure.

    Attributes:
        type, code, message, param: from the error envelope, as sent; None where it has none.
        in_stream: False where the error came as a JSON body in place of a stream.
        raw: the error member as sent: most often a dict or a string, of some servers a list or a number. None if only an
            event's name or a finish reason reports the failure.
        payload: the whole frame's payload.
    """

    kind = "upstream"
    _facts = (*StreamError._facts, "type", "code", "message", "param")

    def __init__(
        self,
        *,
        type: str | None = None,
        code: str | int | None = None,
        message: str | None = None,
        param: str | None = None,
        raw: Any = None,
        payload: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message or "", retryable=retryable_failure(type, code), retry_after=retry_after)
        self.type = type
        self.code = code
        self.message = message
        self.param = param
        self.raw = raw
        self.payload = payload
        self.in_stream = True

    def __str__(self) -> str:
        advice = "Send the request again as a new one" if self.retryable else "Fix the request before sending it again"
        begun = any(choice.parts for choice in self.partial.choices)
        where = f"The answer stops after {_count(self.frame_count, 'frame')}" if begun else "No answer was started"
        unsaid = "" if self.message else " without a message"
        what = "reported a failure in the stream" if self.in_stream else "answered with an error in place of a stream"
        failed = _stop(f"the provider {what}{_named(self.type, self.code)}{unsaid}", self.message)
        return f"{failed} {where}. {advice}; {_PARTIAL}."


class MalformedStreamError(StreamError):
    """A payload is not JSON, or not the shape its dialect promises.

    Attributes:
        frame_number: which frame, counted from 1 over frames that carry data.
        reason: what is wrong with it, without any of the answer's text.
    """

    kind = "malformed"
    _facts = (*StreamError._facts, "frame_number", "reason")

    def __init__(self, reason: str, *, frame_number: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.frame_number = frame_number

    def __str__(self) -> str:
        where = f"frame {self.frame_number}" if self.frame_number else "the stream"
        return (
            f"{where} can't be read: {_cut(self.reason)}. Nothing after it was decoded; record the bytes and compare them with "
            f"the provider's page, or look at what stands between you and the provider; {_PARTIAL}."
        )


class LimitExceededError(StreamError):
    """The stream is larger than `Limits` allows.

    Attributes:
        limit: the name of the bound, as in `Limits`.
        allowed: its number.
    """

    kind = "limit"
    _facts = (*StreamError._facts, "limit", "allowed")

    def __init__(self, limit: str, allowed: int) -> None:
        super().__init__(limit)
        self.limit = limit
        self.allowed = allowed

    def __str__(self) -> str:
        return (
            f"the stream is larger than Limits({self.limit}={self.allowed:,}) allows. If this provider's answers are honestly "
            f"that large, pass limits=Limits({self.limit}=...) with a higher number; {_PARTIAL}."
        )


class StalledStreamError(StreamError):
    """The stream was silent, or took, too long.

    Attributes:
        waited_s: for how many seconds what the timeout waits for did not come.
        setting: the timeout that ran out, as the caller set it: "idle_timeout", "content_timeout", "first_token_timeout",
            "total_timeout", or the HTTP client's own.
        cause: the client's own error, or None.
    """

    kind = "stalled"
    _facts = (*StreamError._facts, "waited_s", "setting")

    def __init__(self, waited_s: float | None, *, setting: str, cause: BaseException | None = None) -> None:
        super().__init__(setting, retryable=True)
        self.waited_s = waited_s
        self.setting = setting
        self.cause = cause

    def __str__(self) -> str:
        waited = f" after {self.waited_s:.3g} s" if self.waited_s is not None else ""
        return (
            f"the stream stalled ({self.setting} ran out{waited}) after {_count(self.frame_count, 'frame')}: the answer is "
            f"not whole. {_what_to_send(self)}, or allow more time; {_PARTIAL}."
        )


def _what_to_send(error: StreamError) -> str:
    """What to send after a cut: a request for the rest, where the provider keeps it, or the same request again."""
    if error.resumable:
        return f"Resume it with starting_after={error.last_sequence_number}, or send the request again as a new one"
    return "Send the request again as a new one"


def _named(type: str | None, code: str | int | None) -> str:
    """An envelope's type and code; only one of them if they are equal."""
    words = dict.fromkeys(_cut(str(word)) for word in (type, code) if word not in (None, ""))
    return f" ({', '.join(words)})" if words else ""


def _stop(beginning: str, message: str | None) -> str:
    """A sentence that ends with the provider's own words, which may have a full stop of their own."""
    words = _cut(message or "").rstrip(" .")
    if not words:
        return f"{beginning}."
    return f"{beginning}: {words}{'' if words.endswith(_ENDS) else '.'}"


def _cut(words: str) -> str:
    """A provider's words as one clean line, no longer than a sentence may have."""
    return one_line(words, _SHOWN)


def _time(seconds: float) -> str:
    """The time that a server asks to wait: in seconds, or rounded to minutes, hours or days if it is long."""
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 10 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.4g} s"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
