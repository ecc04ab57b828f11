"""HTTP errors: the message and the error envelope in the body; in the headers how long to wait, whether to send the request
again, and the request's id."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .failures import MAX_WAIT_S, ErrorEnvelope, error_in, one_line
from .root import MisuseError
from .values import JSONArray, JSONObject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["HTTPErrorBody", "body_of", "head_of", "plain_headers", "request_id", "retry_after", "should_retry"]

_SHOWN = 300  # characters of a page's or plain text's words in the message
_MAX_REQUEST_ID = 256  # characters
_REQUEST_ID_NAMES = ("x-request-id", "request-id", "apim-request-id", "x-amzn-requestid")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class HTTPErrorBody:
    """The body of an HTTP error, read.

    Attributes:
        value: the body's JSON, or an event stream's first JSON payload (some servers stream their refusals), or its text.
        envelope: the error envelope in it.
        message: the envelope's words, or those of a page or a plain text.
    """

    __slots__ = ("envelope", "message", "value")

    def __init__(self, body: bytes) -> None:
        self.value: Any = _parsed(body)
        holder = _first_object(self.value)
        self.envelope = ErrorEnvelope(None if holder is None else error_in(holder) or holder, holder)
        self.message: str | None = self.envelope.message
        if isinstance(self.value, str):
            self.message = self.message or _words(self.value)


def _parsed(body: bytes) -> Any:
    text = body.decode("utf-8", "replace").lstrip("\ufeff").strip()
    for candidate in (text, *_payloads(text)):
        if candidate.startswith(("{", "[")):
            try:
                value = json.loads(candidate, strict=False)
                return _encodable(value) if "\\ud" in candidate.lower() else value
            except (ValueError, RecursionError):
                continue
    return text


def _payloads(text: str) -> Iterator[str]:
    """The payloads of an event stream, the last one also where its blank line is missing."""
    if re.match(r"(?:event|data|id|retry)?:", text):
        for block in re.split(r"\n\n", text.replace("\r\n", "\n").replace("\r", "\n")):
            yield "\n".join(line[5:] for line in block.split("\n") if line.startswith("data:")).strip()


def _encodable(value: Any) -> Any:
    """A JSON value in which every string can be encoded: half a surrogate pair becomes U+FFFD."""
    if isinstance(value, str):
        halves = _HALF_PAIR.search(value)
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if halves else value
    if isinstance(value, JSONArray):
        return [_encodable(item) for item in value]
    if isinstance(value, JSONObject):
        return {_encodable(name): _encodable(item) for name, item in value.items()}
    return value


def _first_object(body: Any) -> dict[str, Any] | None:
    """The body, or the first object in a list."""
    if isinstance(body, JSONArray):
        body = next((item for item in body if isinstance(item, JSONObject)), None)
    return body if isinstance(body, JSONObject) else None


def _words(text: str) -> str | None:
    """The beginning of a plain text, or the title of a page, else its visible words. A tag ends before the next ``<``, so that a
    page of tags that are never closed takes linear time."""
    if text.startswith("<"):
        from html import unescape

        title = re.search(r"<title[^<>]*>([^<]*)", text, re.IGNORECASE)
        visible = re.sub(r"<(script|style)\b.*?(</\1>|$)", " ", text, flags=re.IGNORECASE | re.DOTALL)
        text = unescape((title.group(1).strip() if title else "") or re.sub(r"<[^<>]*>", " ", visible))
    words = " ".join(text[: 20 * _SHOWN].split())
    if "\ufffd" in words:
        return None  # not text: compressed or binary
    return (words if len(words) <= _SHOWN else f"{words[: _SHOWN - 4]} ...") or None


# ---- headers, in a mapping with names in lower case


def plain_headers(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers as a plain dict with names in lower case; one that came several times is joined with ", " (RFC 9110, section 5.2).
    Without set-cookie, which holds secrets that no error needs."""
    headers: dict[str, str] = {}
    for name, value in pairs:
        lowered = str(name).lower()
        headers[lowered] = f"{headers[lowered]}, {value}" if lowered in headers else str(value)
    headers.pop("set-cookie", None)
    return headers


def request_id(headers: Mapping[str, str]) -> str | None:
    """The id by which the provider knows the request, or None."""
    for name in _REQUEST_ID_NAMES:
        if found := one_line(headers.get(name, ""), _MAX_REQUEST_ID):
            return found
    return None


def should_retry(headers: Mapping[str, str]) -> bool | None:
    """What ``x-should-retry`` says, which OpenAI and Anthropic send and their SDKs obey; None where it says nothing."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").strip().lower())


def redirection(status: int, headers: Mapping[str, str]) -> str | None:
    """Where a redirection leads, and what to do about it."""
    location = headers.get("location", "")
    if not location or not 300 <= status < 400:
        return None
    # Without user, query and fragment, which may hold a key or a signature.
    address = re.sub(r"//[^/?#]*@", "//", re.split("[?#]", location, maxsplit=1)[0])
    return f"redirected to {address}; let the client follow redirects (httpx: follow_redirects=True)"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms`` (OpenAI and its like), else Retry-After as seconds or as an
    HTTP-date (RFC 9110, section 10.2.3). A date is measured from the response's own Date where it has one, as clocks differ.
    None for a wait of more than a year."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return _bounded(_until(value, headers.get("date")) if seconds is None and value else seconds)


def _bounded(seconds: float | None) -> float | None:
    return seconds if seconds is not None and seconds <= MAX_WAIT_S else None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{0,15})?", text.strip()) else None


def _until(date: str, now: str | None) -> float | None:
    from email.utils import parsedate_to_datetime  # 10 ms to import, for a few error responses
    from time import time

    try:
        until = parsedate_to_datetime(date).timestamp()
        since = parsedate_to_datetime(now).timestamp() if now else time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, until - since)


# ---- a client's response whose body has been read, by duck type


def head_of(response: Any) -> tuple[int, dict[str, str]]:
    """The status and the headers of a client's response.

    Raises:
        MisuseError: it is no response.
    """
    for name in ("status_code", "status"):
        status = getattr(response, name, None)
        if isinstance(status, int) and not isinstance(status, bool):
            return status, plain_headers(getattr(response, "headers", {}).items())
    raise MisuseError(f"{type(response).__name__} is no HTTP response: it has no status")


# Where clients keep a body that has been read: httpx, requests, curl_cffi and niquests; aiohttp; urllib3.
_BODY_NAMES = ("content", "_body", "data")


def body_of(response: Any) -> bytes:
    """The body of a client's response that has been read.

    Raises:
        MisuseError: it has not been read.
    """
    for name in _BODY_NAMES:
        try:
            body = getattr(response, name, None)
        except RuntimeError:  # httpx.ResponseNotRead is one
            break
        if isinstance(body, (bytes, bytearray)):
            return bytes(body)
    raise MisuseError(
        f"the body of this {type(response).__name__} has not been read: call `response.read()` (async: `await response.aread()`, "
        "aiohttp: `await response.read()`) before `from_response(response)`"
    )
