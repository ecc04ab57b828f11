"""Sources that can't be read, and what to pass instead."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import CoroutineType
from typing import Any

from sse_dialects.root import MisuseError

__all__ = ["blocking", "lines_without_ends", "only_asynchronous", "read_before", "refuse_unreadable", "unread", "wrong_piece"]

_ASYNC_READING = (
    "__aiter__",
    "__anext__",
    "__await__",
    "aiter_bytes",
    "aiter_content",
    "receive_some",
    "getReader",
    "arrayBuffer",
    "js_response",
    "read",
)


def refuse_unreadable(source: Any) -> None:
    """Raises MisuseError for what neither kind of stream can read, as far as that shows before anything is read."""
    name = type(source).__name__
    if isinstance(source, str):
        raise MisuseError(
            "a str can't be read as a stream: pass the bytes as they came, or open('...', 'rb') if it is a file's name"
        )
    if isinstance(source, Mapping):
        raise MisuseError(
            f"a {name} is no stream: if it is the body of a request, send that and pass the response; if it is a "
            "stream's payload, pass sd.Frame(data=json.dumps(payload)) to an accumulator's add()"
        )
    if _is_request(source):
        raise MisuseError(
            f"this {type(source).__name__} has not been sent: pass the response to it (httpx: client.send(request, stream=True))"
        )
    if hasattr(source, "__fspath__"):
        raise MisuseError(f"{type(source).__name__} is only a file's name: pass open(path, 'rb')")
    if isinstance(source, io.TextIOBase):
        raise MisuseError("this file is open as text, which loses bytes: open it with 'rb', or pass its .buffer")
    if hasattr(source, "__await__"):
        _drop_coroutine(source)
        raise MisuseError(f"this {type(source).__name__} has to be awaited first: pass the response that `await` gives")


def _is_request(source: Any) -> bool:
    """Whether this is what a client sends: it has a URL and a method (urllib: get_method) as a response has, and no status."""
    if hasattr(source, "status_code") or hasattr(source, "status"):
        return False
    return any(
        hasattr(source, url) and hasattr(source, method) for url, method in (("url", "method"), ("full_url", "get_method"))
    )


def only_asynchronous(source: Any) -> MisuseError:
    """The error for a source that `stream` can't read. It recommends `astream` if async code can."""
    if not any(hasattr(source, name) for name in _ASYNC_READING):
        return unread(source)
    _drop_coroutine(source)
    return MisuseError(f"this {type(source).__name__} is asynchronous: use `async with astream(...)` in place of stream()")


def blocking(source: Any) -> MisuseError:
    """The error for a sync client's response in async code."""
    name = type(source).__name__
    return MisuseError(f"this {name} would block the event loop while it is read: use stream(), in a thread if need be")


def read_before(error: BaseException | None = None) -> MisuseError:
    """The error for a response whose body was read, or which was closed, before it came to us; ``error`` is the client's own."""
    said = f" ({type(error).__name__})" if error is not None else ""
    misuse = MisuseError(
        f"this response has been read or closed before{said}: "
        "pass it as soon as its headers are in, inside its own `with`, and read it only here"
    )
    misuse.__cause__ = error
    return misuse


def unread(source: Any) -> MisuseError:
    """The error for a source of an unknown kind."""
    name = type(source).__name__
    if any(hasattr(source, attribute) for attribute in ("__enter__", "__aenter__")):
        return MisuseError(
            f"{name} has to be entered first: `with ... as response:` or `async with ... as response:`, then pass `response`"
        )
    if callable(source):
        return MisuseError(f"{name} is a function: pass what it returns, or the response that it belongs to")
    return MisuseError(f"{name} can't be read: pass a client's response, a file opened in binary mode, or an iterable of bytes")


def wrong_piece(piece: object) -> MisuseError:
    """The error for a source that yields something other than bytes."""
    name = type(piece).__name__
    if isinstance(piece, str):
        advice = "pass the response itself, or an iterable of its bytes (iter_bytes() in place of iter_text() or iter_lines())"
    elif isinstance(piece, Mapping):
        advice = "pass the response itself; decoded payloads go into an accumulator, each as sd.Frame(data=json.dumps(payload))"
    elif piece is None:
        advice = "the file is in non-blocking mode and had nothing to give; set it to blocking"
    else:
        advice = "pass a client's response, a file opened in binary mode, or an iterable of bytes"
    return MisuseError(f"the source gives {name} where bytes are needed: {advice}")


def lines_without_ends() -> MisuseError:
    """The error for a source that gives lines whose ends were cut off, so that nothing separates a frame from the next."""
    return MisuseError(
        "the source gives lines without their ends: pass the response itself, or an iterable of its bytes as they came "
        "(iter_bytes() in place of iter_lines())"
    )


def _drop_coroutine(source: Any) -> None:
    """Closes the coroutine, so that Python does not warn that it was never awaited."""
    if isinstance(source, CoroutineType):
        source.close()
