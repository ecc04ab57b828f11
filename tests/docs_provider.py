"""The provider behind the documentation's code: the demonstration's server, with the faults that a page asks for."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.cli.demo_server import PATHS, DemoProvider, KeptResponses, Script, played, reply_to, serving

TEXT = "Because of Rayleigh scattering."
AFTER_TOOL = "It is 12 °C and raining in Orléans."
_IDS: dict[str, str] = {"chat": "chatcmpl-1", "messages": "msg_1", "responses": "resp_1"}


class DocsProvider:
    """The server. ``faults`` are used up, one a request ("whole" for none); after them every stream is whole."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._provider = DemoProvider()
        self._kept = KeptResponses()
        self._running = ExitStack()

    def __enter__(self) -> DocsProvider:
        self.url = self._running.enter_context(serving(0, self.answer))
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def answer(self, path: str, body: bytes) -> Script | None:
        fault = self.faults.pop(0) if self.faults else "whole"
        if not body:
            return self._rest(path, fault)
        request = json.loads(body)
        self.requests.append(request)
        script = self._provider.answer(path, body)
        if script is None:
            return None
        if (dialect := PATHS.get(path)) is not None:
            counted = dialect != "chat" or bool(request.get("stream_options", {}).get("include_usage"))
            reply, background = _with_short_ids(reply_to(request), dialect), bool(request.get("background"))
            if background:
                self._kept.keep(reply)
            script.stream = played(reply, dialect, fault, counted=counted, background=background)
        return _at_once(script)

    def _rest(self, path: str, fault: str) -> Script | None:
        """What follows of a response in the background, cut after two frames or rejected if that is the fault."""
        stream = self._kept.rest(path)
        if stream is None:
            return None
        if fault == "busy":
            stream = testing.rejection(429, "slow down", retry_after=0.01, dialect="responses")
        return _at_once(Script(path, stream.cut(after_frames=2) if fault == "cut" else stream, 0.0))


def _at_once(script: Script) -> Script:
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
