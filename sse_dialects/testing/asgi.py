"""Scripted streams as an ASGI application, without a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sse_dialects as sd
from sse_dialects.sources.event_loop import running_trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .stream import ScriptedStream

    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

__all__ = ["play"]


async def play(
    answer: Callable[[str, str, Mapping[str, str], bytes], ScriptedStream], scope: dict[str, Any], receive: Receive, send: Send
) -> None:
    """Answers one HTTP request with what ``answer`` gives for a method, a path, headers and a body; or a server's start and stop.

    Raises:
        MisuseError: the scope is of another kind, a web socket for one.
        ConnectionResetError: the stream ends in a reset, which is how the server learns of it.
    """
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        script = answer(scope["method"], scope["path"], headers, await _body(receive))
        await _respond(script, receive, send)
    else:
        raise sd.MisuseError(f"a scripted provider speaks HTTP alone, no {scope['type']}")


async def _live(receive: Receive, send: Send) -> None:
    while (message := await receive())["type"] != "lifespan.shutdown":
        await send({"type": f"{message['type']}.complete"})
    await send({"type": "lifespan.shutdown.complete"})


async def _body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


async def _respond(script: ScriptedStream, receive: Receive, send: Send) -> None:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in script.headers.items()]
    await send({"type": "http.response.start", "status": script.status, "headers": headers})
    for pause_s, item in script.steps():
        if pause_s and await _left_within(pause_s, receive):
            return
        if isinstance(item, Exception):
            raise item
        await send({"type": "http.response.body", "body": b"" if item is None else item, "more_body": item is not None})


async def _left_within(seconds: float, receive: Receive) -> bool:
    """Waits so long, unless the client leaves in the meantime; whether it did."""
    if (trio := running_trio()) is not None:
        with trio.move_on_after(seconds):
            return await _left(receive)
        return False
    import asyncio

    try:
        return await asyncio.wait_for(_left(receive), seconds)
    except asyncio.TimeoutError:
        return False


async def _left(receive: Receive) -> bool:
    while (await receive())["type"] != "http.disconnect":
        pass
    return True
