"""What a body is by its first bytes: an event stream, JSON in place of one (an answer or an error), or something foreign."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .dialects.payload import WHITE_SPACE, BadPayloadError, parse
from .errors import LimitExceededError, NotAnEventStreamError, TruncatedStreamError
from .failures import error_in, failure_in_line
from .values import JSONArray, JSONObject

if TYPE_CHECKING:
    from .answer import DialectName
    from .limits import Limits

__all__ = ["BodySniffer", "NonStreamBody", "failure_in_block", "foreign"]

_BOM = b"\xef\xbb\xbf"
_SPACE = WHITE_SPACE.encode()
# What a body of another kind begins with. A message of an AWS event stream begins with its length, whose first byte is NUL.
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\0": "binary"}
# What the first line of an event stream begins with. "error" is no field of the standard, but servers write it.
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:", b"error: {", b"error:{")
_FIELD_ALONE = re.compile(rb"(?:data|event|id|retry)[\r\n]")  # a field without a value has no colon

# What a line that reports a failure outside of data begins with: `error:`, or an object, perhaps behind white space.
_BEGINNINGS_OF_FAILURES = ("e", "{", " ", "\t")

_HEAD_BYTES = 512  # how much of a body that is no stream is looked at before it is refused, whatever the chunking
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # control characters that no text has
_HALF_NUMBER = re.compile(r"\.|[eE][+-]?")  # what follows the whole number with which a number that was cut begins
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_PREVIEW = 200  # characters

# Ends that gateways put behind a JSON answer, as they do behind a stream.
_ENDS = ("data: [DONE]", "data:[DONE]")
_JSON = json.JSONDecoder(strict=False)


class BodySniffer:
    """Looks at a body's first bytes until they show what the body is. If it is no stream, all of its bytes come here.

    A BOM and white space at the beginning are skipped.

    Attributes:
        is_stream: the body is an event stream, so this object is needed no longer.
        body: the body that is no stream, once that is known.
    """

    __slots__ = ("_at_start", "_head", "_is_text", "_limits", "body", "is_stream")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._at_start = True
        self._head = b""  # the first bytes, at most `_HEAD_BYTES`
        self._is_text = False  # the first line is not one of an event stream
        self.body: NonStreamBody | None = None
        self.is_stream = False

    def feed(self, data: bytes) -> bool:
        """Take bytes. Returns True if the frame reader gets them too. It does if the body is a stream, and as long as it may be
        one: the bytes may be the beginning of a frame, and frames may follow a line that is of no event stream.

        Raises:
            NotAnEventStreamError: the body is neither a stream nor JSON.
            LimitExceededError: it is JSON, and too large.
        """
        if self.body is None:
            if self._at_start and not self._head and data.startswith(_FIELDS):  # as nearly all streams begin
                self.is_stream = True
                return True
            kind, rest = self._look(data)
            if kind in ("", "stream", "text"):
                self.is_stream = kind == "stream"
                return True
            self.body = NonStreamBody(kind, self._limits)
            data = rest
        self.body.add(data)
        return False

    @property
    def has_begun(self) -> bool:
        """Whether anything but a BOM and white space has come."""
        return bool(self._head)

    def refuse_text(self) -> None:
        """For a body that ended without a frame or a comment.

        Raises:
            NotAnEventStreamError: its first line is not one of an event stream, nor the beginning of one.
        """
        if self._head and not any(field.startswith(self._head) for field in _FIELDS) and not _BOM.startswith(self._head):
            raise foreign("binary" if _CONTROLS.search(self._head) else "text", self._head)

    def _look(self, data: bytes) -> tuple[str, bytes]:
        """The kind, "" as long as the bytes are too few to know it, and the bytes behind the BOM and white space."""
        body = self._head + data
        if self._at_start:
            if len(body) < len(_BOM) and _BOM.startswith(body):
                self._head = body
                return "", b""
            self._at_start = False
            body = body.removeprefix(_BOM)
        body = body.lstrip(_SPACE)
        kind = "text" if self._is_text else _kind(body)
        self._is_text = kind == "text"
        self._head = body[:_HEAD_BYTES]
        return kind, body


def _kind(body: bytes) -> str:
    """One of "stream", "json", "markup", "text", the names in `_MAGIC`, and "" as long as the bytes are too few to know it."""
    if body[:1] in (b"{", b"["):
        return "json"
    if body[:1] == b"<":
        return "markup"
    for magic, name in _MAGIC.items():
        if body.startswith(magic):
            return name
        if magic.startswith(body):
            return ""
    if body.startswith(_FIELDS) or _FIELD_ALONE.match(body):
        return "stream"
    return "" if any(field.startswith(body) for field in _FIELDS) else "text"


class NonStreamBody:
    """The bytes of a body that is no stream. JSON is kept until the end. Anything else is refused once the preview is full.

    Args:
        kind: what its first bytes are, as `BodySniffer` names it.
        limits: ``max_answer_bytes`` bounds JSON, ``max_depth`` its nesting.
    """

    __slots__ = ("_data", "_kind", "_limits")

    def __init__(self, kind: str, limits: Limits) -> None:
        self._kind = kind
        self._limits = limits
        self._data = bytearray()  # not a list of reads, whose objects would cost many times what they hold

    def add(self, data: bytes) -> None:
        """Take bytes.

        Raises:
            NotAnEventStreamError: the body is neither a stream nor JSON.
            LimitExceededError: it is JSON, and too large.
        """
        self._data += data
        if self._kind != "json":
            if self.size >= _HEAD_BYTES:
                raise foreign(self._kind, bytes(self._data))
            return
        allowed = self._limits.max_answer_bytes
        if allowed is not None and self.size > allowed:
            self._data.clear()
            raise LimitExceededError("max_answer_bytes", allowed)

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self._data)

    def read(self, named: DialectName | None) -> tuple[DialectName | None, dict[str, Any]]:
        """What the body is, now that it has ended: the dialect and the whole answer in it, or None and an object that reports an
        error. An error at the head counts whatever follows it. ``named`` is the dialect that the caller named, or None.

        Raises:
            TruncatedStreamError: the body is the beginning of a JSON value, or the first of several lines.
            NotAnEventStreamError: it is something else, or an answer of another dialect.
            LimitExceededError: it is nested too deeply.
        """
        if self._kind != "json":
            raise foreign(self._kind, bytes(self._data))
        value, rest = self._first_value()
        error = _error_of_body(value)
        if error is not None:
            return None, error
        if rest.startswith(("{", "[")):
            advice = "ask for server-sent events, for which the server may have another URL or another parameter"
            raise self._refused("JSON lines (NDJSON)", advice)
        if not any(end.startswith(rest) for end in _ENDS):
            raise self._refused("JSON with something else behind it")
        if _is_chunk(value):
            raise TruncatedStreamError("the rest of its JSON lines")
        dialect = _dialect_of_body(value)
        if dialect is None:
            raise self._refused("JSON of another kind")
        if named not in (None, dialect):
            raise self._refused(f'a JSON answer of the dialect "{dialect}"', f'name the dialect "{dialect}", or check the URL')
        return dialect, value

    def _first_value(self) -> tuple[Any, str]:
        """The JSON value at the head, and what stands behind it without white space."""
        text = self._data.decode("utf-8", "replace").strip(WHITE_SPACE)
        try:
            return parse(text, self._limits.max_depth), ""
        except BadPayloadError as bad:
            reason = str(bad)
        try:
            _, end = _JSON.raw_decode(text)
            return parse(text[:end], self._limits.max_depth), text[end:].strip(WHITE_SPACE)
        except json.JSONDecodeError as error:
            if _is_cut(text[error.pos :], error.msg):
                raise TruncatedStreamError("the end of its JSON body") from None
        except (ValueError, RecursionError):  # what Python does not read at all; `reason` says so
            pass
        raise self._refused(reason)

    def _refused(
        self, what: str, advice: str = 'check the URL, and that the request says "stream": true'
    ) -> NotAnEventStreamError:
        return NotAnEventStreamError(what, advice=advice, preview=_preview(bytes(self._data)))


_CHECK = "check the URL and what stands between you and the provider"
# What to call a body, and what to do about it, by its kind.
_FOREIGN = {
    "markup": ("markup", f"{_CHECK} (a proxy's page, a login, a block)"),
    "text": ("plain text", f"{_CHECK} (a proxy's message, a server that is starting)"),
    "UTF-16": ("UTF-16 text", "convert it to UTF-8; `>` in PowerShell writes UTF-16"),
    "binary": ("binary data", f"{_CHECK}, and which format the request asks for"),
    "AWS": ("an AWS event stream (binary)", "decode its messages with the provider's SDK, or ask for server-sent events"),
}


def foreign(kind: str, body: bytes) -> NotAnEventStreamError:
    """The error for a body that is neither a stream nor JSON; ``kind`` is a name of `_FOREIGN`, or a compression's."""
    if kind == "binary" and b":message-type" in body[:_HEAD_BYTES]:
        kind = "AWS"
    packed = f"{kind} data", "let the HTTP client decode the body, or send Accept-Encoding: identity"
    what, advice = _FOREIGN.get(kind, packed)
    return NotAnEventStreamError(what, advice=advice, preview=_preview(body))


def _preview(body: bytes) -> str:
    return body[:_HEAD_BYTES].decode("utf-8", "replace")[:_PREVIEW]


def _is_cut(rest: str, message: str) -> bool:
    """Whether what is wrong with a JSON text is that it ends too soon; ``rest`` is what stands from the fault on."""
    if not rest or message.startswith("Unterminated string"):
        return True
    if message.startswith("Invalid \\u"):
        return len(rest) < len("\\u0000")
    if message == "Expecting value":
        return any(word.startswith(rest) for word in _LITERALS)
    return _HALF_NUMBER.fullmatch(rest) is not None


def _dialect_of_body(value: Any) -> DialectName | None:
    """The dialect whose unstreamed object this is, None for anything else."""
    if not isinstance(value, JSONObject):
        return None
    if isinstance(value.get("choices"), JSONArray):
        return "chat"
    if value.get("type") == "message" and isinstance(value.get("content"), JSONArray):
        return "messages"
    if value.get("object") == "response" or isinstance(value.get("output"), JSONArray):
        return "responses"
    return None


# What the types of events begin with, in messages and responses.
_OF_EVENTS = ("message_", "content_block_", "response.")


def _is_chunk(value: Any) -> bool:
    """Whether this is one payload of a stream: by its name, or because a choice has a delta and no finish reason."""
    if not isinstance(value, JSONObject):
        return False
    choices, kind = value.get("choices"), value.get("type")
    if value.get("object") == "chat.completion.chunk" or (isinstance(kind, str) and kind.startswith(_OF_EVENTS)):
        return True
    return any(
        isinstance(choice, JSONObject) and "delta" in choice and "message" not in choice and not choice.get("finish_reason")
        for choice in (choices if isinstance(choices, JSONArray) else ())
    )


def _error_of_body(value: Any) -> dict[str, Any] | None:
    """The payload that reports an error, also as the first of an array, or None."""
    first = value[0] if isinstance(value, JSONArray) and value else value
    return first if isinstance(first, JSONObject) and error_in(first) is not None else None


def failure_in_block(block: str, max_depth: int | None) -> tuple[dict[str, Any] | None, str]:
    """The payload of the failure that one of the lines reports outside of data, if one does, and the lines above it."""
    lines = block.split("\n")
    for number, line in enumerate(lines):
        if line[:1] in _BEGINNINGS_OF_FAILURES:
            failure = failure_in_line(line, lambda text: parse(text, max_depth))
            if failure is not None:
                return failure, "\n".join(lines[:number])
    return None, block
