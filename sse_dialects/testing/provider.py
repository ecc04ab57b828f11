"""A provider that answers requests with scripted streams: as an HTTP transport or an ASGI application."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .asgi import play
from .reply import Reply
from .transports import transport

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from .stream import ScriptedStream

__all__ = ["Provider", "Request"]


class Request:
    """A request as it came.

    Attributes:
        method, path: as in "POST", "/v1/messages".
        headers: by their lower-case names.
        body: its bytes.
    """

    __slots__ = ("body", "headers", "method", "path")

    def __init__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    def json(self) -> Any:
        """The body's JSON.

        Raises:
            ValueError: it is none.
        """
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.path}>"


class Provider:
    """Answers the first request with the first script, the second with the second, and all further ones with the last script.
    A reply that is sent again gets new ids, also for its tool calls, unless ids were given.

        client = httpx.Client(transport=Provider(flaky, whole).httpx_transport())

    It is an ASGI application itself: ``uvicorn.run(provider)``, ``httpx.ASGITransport(app=provider)``.

    Args:
        scripts: streams; or replies, which are written in the dialect that the request's path asks for: messages for one that
            ends in ``/messages``, responses for ``/responses``, else chat.

    Attributes:
        requests: those that came, in order.
    """

    __slots__ = ("_scripts", "requests")

    def __init__(self, *scripts: ScriptedStream | Reply) -> None:
        self._scripts = list(scripts)
        self.requests: list[Request] = []

    def add(self, *scripts: ScriptedStream | Reply) -> None:
        """Appends scripts."""
        self._scripts.extend(scripts)

    def answer(self, request: Request) -> ScriptedStream:
        """Returns the stream for a request and appends the request to ``requests``.

        Raises:
            MisuseError: there are no scripts, or a reply can't be written in the request's dialect.
        """
        number = len(self.requests)
        self.requests.append(request)
        if not self._scripts:
            raise sd.MisuseError(f"nothing was scripted for {request.method} {request.path}: add(testing.reply(...)) first")
        place = min(number, len(self._scripts) - 1)
        script = self._scripts[place]
        if not isinstance(script, Reply):
            return script
        said_before = sum(other is script for other in self._scripts[:place]) + number - place
        return script.again(said_before).in_dialect(_asked_for(request.path))

    def httpx_transport(self) -> httpx.MockTransport:
        """A transport for `httpx.Client` and `httpx.AsyncClient`. A stall longer than the request's read timeout is a
        ReadTimeout, a reset a ReadError.

        Raises:
            ImportError: httpx is not installed.
        """
        import httpx

        made: httpx.MockTransport = transport(httpx, self._answer_parts)
        return made

    def httpx2_transport(self) -> Any:
        """The same for `httpx2.Client` and `httpx2.AsyncClient`.

        Raises:
            ImportError: httpx2 is not installed.
        """
        from importlib import import_module

        return transport(import_module("httpx2"), self._answer_parts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers as an ASGI application (version 3).

        Raises:
            ConnectionResetError: the stream ends in a reset; servers break the connection for it.
        """
        await play(self._answer_parts, scope, receive, send)

    def _answer_parts(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> ScriptedStream:
        return self.answer(Request(method, path, headers, body))

    def __repr__(self) -> str:
        return f"<Provider of {len(self._scripts)} scripts, {len(self.requests)} requests so far>"


def _asked_for(path: str) -> sd.DialectName:
    last = path.rstrip("/").rpartition("/")[2]
    return "messages" if last == "messages" else "responses" if last == "responses" else "chat"
