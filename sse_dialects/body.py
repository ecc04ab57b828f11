"""What a body is by its first bytes: an event stream, JSON in place of one (an answer or an error), or something foreign."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .dialects.payload import WHITE_SPACE, BadPayloadError, parse
from .errors import LimitExceededError, NotAnEventStreamError, TruncatedStreamError
from .failures import error_in
from .values import JSONArray, JSONObject

if TYPE_CHECKING:
    from .answer import DialectName
    from .limits import Limits

__all__ = ["BodySniffer", "NonStreamBody", "dialect_of_body", "error_of_body", "foreign"]

_BOM = b"\xef\xbb\xbf"
_SPACE = WHITE_SPACE.encode()
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

_FOREIGN_BYTES = 512  # how much of such a body is looked at before it is refused, whatever the chunking
_HALF_NUMBER = re.compile(r"\.|[eE][+-]?")  # what is left behind the whole number that a cut one begins with
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_PREVIEW = 200  # characters


class BodySniffer:
    """Stands before the frame reader until the first bytes show what the body is, and for good if it is no stream.

    The first bytes are those behind a BOM and white space; at most four of them are kept until they are enough.

    Attributes:
        is_stream: the body is an event stream, so this object is needed no longer.
        body: the body that is no stream, once that is known.
    """

    __slots__ = ("_at_start", "_limits", "_seen", "body", "is_stream")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._at_start = True
        self._seen = b""
        self.body: NonStreamBody | None = None
        self.is_stream = False

    def feed(self, data: bytes) -> bool:
        """Take bytes. Returns whether the frame reader is to see them. It also sees those of a body that is not known to be a
        stream yet: white space means nothing to the reader, and the beginning of a frame does.

        Raises:
            NotAnEventStreamError: the body is neither a stream nor JSON.
            LimitExceededError: it is JSON, and too large.
        """
        if self.body is None:
            kind, rest = self._look(data)
            self.is_stream = kind == "stream"
            if self.is_stream or not kind:
                return True
            self.body = NonStreamBody(kind, self._limits)
            data = rest
        self.body.add(data)
        return False

    def _look(self, data: bytes) -> tuple[str, bytes]:
        """Returns the kind, "" while the bytes are too few to tell, and what came from the first telling byte on."""
        body = self._seen + data
        if self._at_start:
            if len(body) < len(_BOM) and _BOM.startswith(body):
                self._seen = body
                return "", b""
            self._at_start = False
            body = body.removeprefix(_BOM)
        body = body.lstrip(_SPACE)
        kind = _kind(body)
        self._seen = b"" if kind else body
        return kind, body


def _kind(body: bytes) -> str:
    """Returns "stream", "json", "markup", a compression's name, or "" while the bytes are too few to tell."""
    if not body:
        return ""
    if body[:1] in (b"{", b"["):
        return "json"
    if body[:1] == b"<":
        return "markup"
    for magic, name in _MAGIC.items():
        if body.startswith(magic):
            return name
        if len(body) < len(magic) and magic.startswith(body):
            return ""
    return "stream"


class NonStreamBody:
    """The bytes of a body that is no stream. JSON is kept until the end, anything else is refused once there is enough to show.

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
            if self.size >= _FOREIGN_BYTES:
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

    def value(self) -> Any:
        """The JSON value, now that the body has ended.

        Raises:
            TruncatedStreamError: the body is the beginning of a JSON value.
            NotAnEventStreamError: it is no JSON.
            LimitExceededError: it is nested too deeply.
        """
        if self._kind != "json":
            raise foreign(self._kind, bytes(self._data))
        text = self._data.decode("utf-8", "replace").strip(WHITE_SPACE)
        try:
            return parse(text, self._limits.max_depth)
        except BadPayloadError as bad:
            if _is_cut(text):
                raise TruncatedStreamError("the end of its JSON body") from None
            raise self.not_an_answer(str(bad)) from None

    def not_an_answer(self, what: str) -> NotAnEventStreamError:
        """The error for JSON that is neither an answer nor an error object."""
        advice = 'check the URL, and that the request says "stream": true'
        return NotAnEventStreamError(what, advice=advice, preview=_preview(bytes(self._data)))


def foreign(kind: str, body: bytes) -> NotAnEventStreamError:
    """The error for a body of "markup", or of bytes in the compression of that name."""
    if kind == "markup":
        advice = "check the URL and what stands between you and the provider (a proxy's page, a login, a block)"
        return NotAnEventStreamError("markup", advice=advice, preview=_preview(body))
    advice = "let the HTTP client decode the body, or send Accept-Encoding: identity"
    return NotAnEventStreamError(f"{kind} data", advice=advice, preview=_preview(body))


def _preview(body: bytes) -> str:
    return body[:_FOREIGN_BYTES].decode("utf-8", "replace")[:_PREVIEW]


def _is_cut(text: str) -> bool:
    """Whether what is wrong with a JSON text is that it ends too soon."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        if not rest or error.msg.startswith("Unterminated string"):
            return True
        if error.msg.startswith("Invalid \\u"):
            return len(rest) < len("\\u0000")
        if error.msg == "Expecting value":
            return any(word.startswith(rest) for word in _LITERALS)
        return _HALF_NUMBER.fullmatch(rest) is not None
    except (ValueError, RecursionError):
        pass
    return False


def dialect_of_body(value: Any) -> DialectName | None:
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


def error_of_body(value: Any) -> Any:
    """The payload that reports an error, also as the first of an array, or None."""
    first = value[0] if isinstance(value, JSONArray) and value else value
    return first if isinstance(first, JSONObject) and error_in(first) is not None else None
