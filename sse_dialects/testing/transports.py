"""Scripted streams as the mock transport of httpx, or of httpx2, whose names are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sse_dialects.recording import Replay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from sse_dialects.recording import Step

    from .stream import ScriptedStream

__all__ = ["transport"]


def transport(module: Any, answer: Callable[[str, str, Mapping[str, str], bytes], ScriptedStream]) -> Any:
    """A transport, sync and async, that answers with what ``answer`` gives for a method, a path, headers and a body.

    Args:
        module: `httpx` or `httpx2`.
        answer: may raise; the exception reaches the client's caller.
    """
    # A client asks whether a body is one of its own byte streams.
    body = type("ScriptedBody", (_Body, module.SyncByteStream, module.AsyncByteStream), {})

    def handle(request: Any) -> Any:
        script = answer(request.method, request.url.path, dict(request.headers), request.content)
        steps = _as_read(script.steps(), request, module)
        return module.Response(script.status, headers=script.headers, stream=body(steps))

    return module.MockTransport(handle)


class _Body:
    """The body as a client reads it."""

    def __init__(self, steps: list[Step]) -> None:
        self._replay = Replay(steps, speed=1)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._replay)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._replay.__aiter__()


def _as_read(steps: list[Step], request: Any, module: Any) -> list[Step]:
    """The steps as the client's own network would give them: within its read timeout, and with its errors."""
    timeouts: dict[str, float | None] = request.extensions.get("timeout", {})
    timeout_s = timeouts.get("read")
    read: list[Step] = []
    for pause_s, item in steps:
        if timeout_s is not None and pause_s > timeout_s:
            return [*read, (timeout_s, module.ReadTimeout("the scripted stream stalls", request=request))]
        broken = isinstance(item, ConnectionError)
        read.append((pause_s, module.ReadError(str(item), request=request) if broken else item))
    return read
