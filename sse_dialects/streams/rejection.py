"""The body of an HTTP error: read in full within bounds, and made into `RequestRejectedError`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sse_dialects.dialects.payload import BadPayloadError, has_halves, parse, scrubbed
from sse_dialects.errors import LimitExceededError, RequestRejectedError
from sse_dialects.failures import ErrorEnvelope, error_in
from sse_dialects.limits import DEFAULT_LIMITS
from sse_dialects.parser import FrameParser
from sse_dialects.values import JSONArray, JSONObject

if TYPE_CHECKING:
    from sse_dialects.sources.response import Headers, ResponseHead

__all__ = ["REJECTION_S", "Rejection", "retry_after"]

_MAX_BODY = 1 << 20  # bytes. Error pages stay below 100 KB; validation errors that echo the request reach a few hundred KB
# Seconds for the whole body: the status alone says what to do, and a server in trouble may never finish its page.
REJECTION_S = 5.0
_SHOWN = 300  # characters of a page's or plain text's words in the message


class Rejection:
    """Collects the body that follows a status outside 2xx."""

    __slots__ = ("_body", "_head")

    def __init__(self, head: ResponseHead) -> None:
        self._head = head
        self._body = bytearray()

    def feed(self, piece: bytes | bytearray | memoryview) -> bool:
        """Takes a piece; returns whether enough is in."""
        self._body += memoryview(piece)[: _MAX_BODY - len(self._body)]
        return len(self._body) >= _MAX_BODY

    def error(self) -> RequestRejectedError:
        """What the server said, as far as it said it."""
        status, headers = self._head.status or 0, self._head.headers
        body = _parsed(bytes(self._body))
        envelope = ErrorEnvelope(_error_member(body))
        message = _redirection(status, headers) or envelope.message
        if isinstance(body, str):
            message = message or _words(body)
        wait = retry_after(headers)
        return RequestRejectedError(
            status,
            type=envelope.type,
            code=envelope.code,
            message=message,
            param=envelope.param,
            body=body,
            headers=headers,
            retry_after=envelope.retry_after if wait is None else wait,
        )


def retry_after(headers: Headers) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms`` (OpenAI and its like), else Retry-After as seconds or as an
    HTTP-date (RFC 9110, section 10.2.3). A date is measured from the response's own Date where it has one, as clocks differ."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value: str = headers.get("retry-after", "")
    seconds = _number(value)
    return _until(value, headers.get("date")) if seconds is None and value else seconds


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text.strip()) else None


def _until(date: str, now: str | None) -> float | None:
    from email.utils import parsedate_to_datetime  # 10 ms to import, for a few error responses
    from time import time

    try:
        until = parsedate_to_datetime(date).timestamp()
        since = parsedate_to_datetime(now).timestamp() if now else time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, until - since)


def _parsed(body: bytes) -> Any:
    """The body's JSON, an event stream's first JSON payload (some servers stream their refusals), or its text."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff").strip()
    for candidate in (text, *_payloads(text)):
        if candidate.startswith(("{", "[")):
            try:
                value = parse(candidate, DEFAULT_LIMITS.max_depth)
            except (BadPayloadError, LimitExceededError):
                continue
            return scrubbed(value) if has_halves(candidate) else value
    return text


def _payloads(text: str) -> list[str]:
    """The payloads of an event stream, the last one also where its blank line is missing."""
    if not re.match(r"(?:event|data|id|retry)?:", text):
        return []
    return [frame.data.strip() for frame in FrameParser().feed(f"{text}\n\n".encode())]


def _error_member(body: Any) -> Any:
    """The error envelope in a JSON body: under ``error`` and its like, in a list's first object, or the body itself."""
    if isinstance(body, JSONArray):
        body = next((item for item in body if isinstance(item, JSONObject)), None)
    return (error_in(body) or body) if isinstance(body, JSONObject) else None


def _redirection(status: int, headers: Headers) -> str | None:
    location: str = headers.get("location", "")
    if not location or not 300 <= status < 400:
        return None
    # Without user, query and fragment, which may hold a key or a signature.
    address = re.sub(r"//[^/?#]*@", "//", re.split("[?#]", location, maxsplit=1)[0])
    return f"redirected to {address}; let the client follow redirects (httpx: follow_redirects=True)"


def _words(text: str) -> str | None:
    """The beginning of a plain text, or the title of a page, else its visible words. No tag is looked for beyond the next one's
    beginning, so that a page of nothing but beginnings takes no longer than others."""
    if text.startswith("<"):
        from html import unescape

        title = re.search(r"<title[^<>]*>([^<]*)", text, re.IGNORECASE)
        visible = re.sub(r"<(script|style)\b.*?(</\1>|$)", " ", text, flags=re.IGNORECASE | re.DOTALL)
        text = unescape((title.group(1).strip() if title else "") or re.sub(r"<[^<>]*>", " ", visible))
    words = " ".join(text[: 20 * _SHOWN].split())
    if "\ufffd" in words:
        return None  # no text: compressed by someone, or binary
    return (words if len(words) <= _SHOWN else f"{words[: _SHOWN - 4]} ...") or None
