"""The provider behind the documentation's code: a real HTTP server on loopback that speaks the three dialects by rote."""

from __future__ import annotations

import http.server
import json
import threading
from typing import Any

import sse_dialects as sd
from sse_dialects import testing

REASONING = "Short waves scatter more."
TEXT = "Because of Rayleigh scattering."
FORECAST = json.dumps({"city": "Orléans", "days": [{"low": 9, "sky": "rain"}, {"low": 7, "sky": "clear"}]}, ensure_ascii=False)
AFTER_TOOL = "It is 12 °C and raining in Orléans."
CALL = testing.tool_call("get_weather", {"city": "Orléans"}, id="call_1")
IDS: dict[str, str] = {"chat": "chatcmpl-1", "messages": "msg_1", "responses": "resp_1"}
DIALECTS: dict[str, sd.DialectName] = {"/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses"}


def reply_to(request: dict[str, Any]) -> testing.Reply:
    """A tool call where tools are offered and none has been called yet, an object where a format is asked for, else text."""
    if "response_format" in request:
        return testing.reply(FORECAST)
    history = json.dumps(request.get("messages", request.get("input")))
    has_result = any(word in history for word in ('"tool"', '"tool_result"', '"function_call_output"'))
    if request.get("tools") and not has_result:
        return testing.reply("Let me look.", reasoning="They ask about today.", signature="c2lnbmF0dXJl", tool_calls=[CALL])
    return testing.reply(AFTER_TOOL if has_result else TEXT, reasoning=REASONING, signature="c2lnbmF0dXJl")


def counts(request: dict[str, Any], dialect: sd.DialectName) -> bool:
    """Whether the stream tells its usage: in a chat only where the request says so, as providers have it."""
    return dialect != "chat" or bool(request.get("stream_options", {}).get("include_usage"))


def played(reply: testing.Reply, dialect: sd.DialectName, fault: str, *, counted: bool = True) -> testing.ScriptedStream:
    """The stream with that fault: "whole" for none, "cut", "failure", "rejected", "busy", "html"."""
    if dialect == "chat":  # has no place for a signature
        parts = [sd.ReasoningPart(part.text) if isinstance(part, sd.ReasoningPart) else part for part in reply.parts]
        reply = testing.reply(parts=parts, **({} if counted else {"usage": None}))
    reply.id = IDS[dialect]  # as the pages show them
    stream = reply.in_dialect(dialect)
    late = len(stream.frames()) - (4 if counted else 3)
    if fault == "cut":
        return stream.cut(after_frames=late)
    if fault == "failure":
        return stream.error("Overloaded", type="overloaded_error", after_frames=late)
    if fault == "rejected":
        return testing.rejection(400, "max_tokens is too large", type="invalid_request_error", dialect=dialect)
    if fault == "busy":
        return testing.rejection(429, "slow down", type="rate_limit_error", retry_after=0.01, dialect=dialect)
    assert fault == "whole", fault
    return stream


class DocsProvider:
    """The server. ``faults`` are used up, one a request; after them every stream is whole."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> DocsProvider:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
                provider.requests.append(request)
                fault = provider.faults.pop(0) if provider.faults else "whole"
                dialect = DIALECTS[self.path]
                stream = played(reply_to(request), dialect, fault, counted=counts(request, dialect))
                self.send_response(stream.status)
                for name, value in stream.headers.items():
                    self.send_header(name, value)
                self.end_headers()  # HTTP/1.0: the body ends with the connection, whether it is whole or not
                for piece in stream.pieces():
                    self.wfile.write(piece)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler
