"""What a body begins with: an event stream, or one of the things that servers and proxies send in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .dialects.payload import WHITE_SPACE, BadPayloadError, parse
from .envelope import error_in
from .errors import NotAnEventStreamError, TruncatedStreamError
from .values import JSONArray, JSONObject

if TYPE_CHECKING:
    from .answer import DialectName

__all__ = ["FOREIGN_BYTES", "Head", "dialect_of_body", "error_of_body", "foreign", "json_body", "not_an_answer"]

_BOM = b"\xef\xbb\xbf"
_SPACE = WHITE_SPACE.encode()
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

FOREIGN_BYTES = 512  # how much of such a body is looked at before it is refused, whatever the chunking
_PREVIEW = 200  # characters


class Head:
    """Looks at the first bytes that are neither a BOM nor white space. Keeps at most four of them until they tell."""

    __slots__ = ("_at_start", "_seen")

    def __init__(self) -> None:
        self._at_start = True
        self._seen = b""

    def look(self, data: bytes) -> tuple[str, bytes]:
        """``(kind, body)``: kind is "stream", "json", "markup", a compression's name, or "" as long as nothing tells; body is
        what came from the first telling byte on."""
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


def foreign(kind: str, body: bytes) -> NotAnEventStreamError:
    """The error for a body of markup or of compressed bytes."""
    preview = _preview(body)
    if kind == "markup":
        what, advice = "markup", "check the URL and what stands between you and the provider (a proxy's page, a login, a block)"
    else:
        what, advice = f"{kind} data", "let the HTTP client decode the body, or send Accept-Encoding: identity"
    return NotAnEventStreamError(what, advice=advice, preview=preview)


def json_body(body: bytes, max_depth: int | None) -> Any:
    """The value of a JSON body that came in place of a stream.

    Raises:
        TruncatedStreamError: the body is the beginning of a JSON value.
        NotAnEventStreamError: it is no JSON after all.
        LimitExceededError: it is nested deeper than ``max_depth``.
    """
    text = body.decode("utf-8", "replace").strip(WHITE_SPACE)
    try:
        return parse(text, max_depth)
    except BadPayloadError as bad:
        if _is_cut(text):
            raise TruncatedStreamError("the end of its JSON body") from None
        raise not_an_answer(str(bad), body) from None


def not_an_answer(what: str, body: bytes) -> NotAnEventStreamError:
    """The error for a JSON body that is neither an answer nor an error object."""
    return NotAnEventStreamError(what, advice='check the URL, and that the request says "stream": true', preview=_preview(body))


def _preview(body: bytes) -> str:
    return body[:FOREIGN_BYTES].decode("utf-8", "replace")[:_PREVIEW]


def _is_cut(text: str) -> bool:
    """Whether what is wrong with a JSON text is that it ends too soon."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        if error.msg.startswith("Unterminated string"):
            return True
        if "escape" in error.msg:
            return len(rest) < len("\\u0000")
        return any(word.startswith(rest) for word in ("true", "false", "null", "NaN", "Infinity", "-Infinity"))
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
