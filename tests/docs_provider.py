"""The provider behind the documentation's code: the demonstration's server, with the faults that a page asks for."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.cli.demo_server import serving
from sse_dialects.cli.demo_streams import PATHS, Rote, Script, played, reply_to

TEXT = "Because of Rayleigh scattering."
AFTER_TOOL = "It is 12 °C and raining in Orléans."
_IDS: dict[str, str] = {"chat": "chatcmpl-1", "messages": "msg_1", "responses": "resp_1"}


class DocsProvider:
    """The server. ``faults`` are used up, one a request ("whole" for none); after them every stream is whole."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._rote = Rote()
        self._running = ExitStack()

    def __enter__(self) -> DocsProvider:
        self.url = self._running.enter_context(serving(0, self.answer))
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def answer(self, path: str, body: bytes) -> Script | None:
        request = json.loads(body)
        self.requests.append(request)
        fault = self.faults.pop(0) if self.faults else "whole"
        script = self._rote.answer(path, body)
        if script is None:
            return None
        if (dialect := PATHS.get(path)) is not None:
            counted = dialect != "chat" or bool(request.get("stream_options", {}).get("include_usage"))
            script.stream = played(_with_short_ids(reply_to(request), dialect), dialect, fault, counted=counted)
        script.seconds = 0.0
        # Pages leave clients open, as programs do that end; the connections of those must not stay open.
        script.stream = script.stream.answered(script.stream.status, {"connection": "close"})
        return script


def _with_short_ids(reply: testing.Reply, dialect: sd.DialectName) -> testing.Reply:
    """The ids that the pages show."""
    reply.id = _IDS[dialect]
    for call in reply.tool_calls:
        call.id = "call_1"
    return reply
