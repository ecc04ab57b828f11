"""The demonstration's server: streams written by `sse_dialects.testing`, sent over HTTP/1.1 on loopback in small pieces."""

from __future__ import annotations

import hashlib
import json
import os
import socketserver
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs

import sse_dialects as sd
from sse_dialects import testing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Answerer = Callable[[str, bytes], "Script | None"]  # takes the path and the body of a POST

PATHS: dict[str, sd.DialectName] = {
    "/v1/chat/completions": "chat",
    "/v1/messages": "messages",
    "/v1/responses": "responses",
}
# A response is sent in so many pieces. They may end inside a frame or a character, as on a network.
_PIECES = 60
UNSENT = " once the new one has been verified."  # the rest of the stream that is cut


@dataclass
class Script:
    """One response of a server.

    Attributes:
        path: where a POST gets it.
        stream: its frames, status and headers.
        seconds: how long sending it takes.
        marker: a text in the line that `sample` returns.
    """

    path: str
    stream: testing.ScriptedStream
    seconds: float
    marker: str = ""

    @property
    def body(self) -> bytes:
        """The whole body."""
        return self.stream.bytes()

    @property
    def sample(self) -> str:
        """The first line with the marker. It shows what the dialect looks like on the wire."""
        return next(line for line in self.body.decode().splitlines() if self.marker in line)


# ---- `sse-dialects demo`: the same turn in three dialects, a failure and a cut


def _turn(dialect: sd.DialectName) -> testing.ScriptedStream:
    said = testing.reply(
        "Let me look up the weather in Orléans.",
        reasoning="They ask about today, so the weather comes first.",
        signature="c2lnbmVk" if dialect == "messages" else None,
        tool_calls=[testing.tool_call("get_weather", '{"city": "Orléans", "unit": "°C"}', id="call_1")],
        usage=testing.usage(31, 24),
        model="demo-1",
    )
    return said.in_dialect(dialect, piece=7).keep_alives(9, ping=dialect == "messages")


def _without_end(text: str, dialect: sd.DialectName) -> testing.ScriptedStream:
    return testing.reply(text, model="demo-1").in_dialect(dialect, piece=7).cut()


# Together six seconds, the cut being played twice.
SCRIPTS = {
    "chat": Script("/v1/chat/completions", _turn("chat"), 1.3, '"content":"L'),
    "messages": Script("/v1/messages", _turn("messages"), 1.3, '"text":"L'),
    "responses": Script("/v1/responses", _turn("responses"), 1.3, '"delta":"L'),
    "failing": Script(
        "/failing/v1/messages",
        testing.reply("The three highest mountains are Everest, K2 and", model="demo-1")
        .as_messages(piece=7)
        .error("Overloaded", type="overloaded_error", after_frames=-3),
        0.9,
        "overloaded",
    ),
    "cut": Script("/cut/v1/chat/completions", _without_end("You can delete the old backup", "chat"), 0.6, '"content":"Y'),
}


# ---- `sse-dialects demo --serve`: a provider with prepared answers

# The first part of a path may name a fault. What the fault does, as the command line explains it.
FAULTS = {
    "cut": "the connection closes in the middle of the answer",
    "failing": "the provider reports a failure in the middle of the answer",
    "rejected": "every request is refused with status 400",
    "flaky": "the first try is cut, the second is rejected with status 429, the third succeeds",
}
_FLAKY = ("cut", "busy", "whole")  # for the first, second and third time that the same request comes

_SECONDS = 1.0  # the time that sending one answer takes
_MAX_KEPT = 100  # responses in the background
_TEXT = "Because of Rayleigh scattering."
_AFTER_TOOL = "It is 12 °C and raining in Orléans."
_FORECAST = {"city": "Orléans", "days": [{"low": 9, "sky": "rain"}, {"low": 7, "sky": "clear"}]}
_RESULTS = ('"tool"', '"tool_result"', '"function_call_output"')  # a history with the result of a call holds one of these
_SAMPLES: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


def reply_to(request: dict[str, Any]) -> testing.Reply:
    """The prepared answer to a request: a JSON object if the request names a format, a tool call if it offers tools and holds no
    result of one yet, otherwise text."""
    if "response_format" in request or "format" in request.get("text", {}):
        return testing.reply(json.dumps(_FORECAST, ensure_ascii=False))
    history = json.dumps(request.get("messages", request.get("input")))
    has_result = any(word in history for word in _RESULTS)
    if request.get("tools") and not has_result:
        calls = [_call(request["tools"])]
        return testing.reply("Let me look.", reasoning="They ask about today.", signature="c2lnbmF0dXJl", tool_calls=calls)
    text = _AFTER_TOOL if has_result else _TEXT
    return testing.reply(text, reasoning="Short waves scatter more.", signature="c2lnbmF0dXJl")


def played(
    reply: testing.Reply,
    dialect: sd.DialectName,
    fault: str = "whole",
    *,
    counted: bool = True,
    background: bool = False,
) -> testing.ScriptedStream:
    """The reply as a stream of the dialect.

    Args:
        reply: the answer.
        dialect: the dialect to write it in.
        fault: "whole" for none, or one of "cut", "failing", "rejected" and "busy".
        counted: whether the stream reports its usage.
        background: whether the response runs in the background, which the dialect responses alone has.
    """
    if fault == "rejected":
        return testing.rejection(400, "max_tokens is too large", dialect=dialect)
    if fault == "busy":
        return testing.rejection(429, "slow down", retry_after=0.01, dialect=dialect)
    if dialect == "chat":  # its reasoning has no signature
        reply.parts = [sd.ReasoningPart(part.text) if isinstance(part, sd.ReasoningPart) else part for part in reply.parts]
    if not counted:
        reply.usage = None
    stream = reply.as_responses(background=True) if background else reply.in_dialect(dialect)
    late = len(stream.frames()) - (4 if counted else 3)
    if fault == "cut":
        return stream.cut(after_frames=late)
    if fault == "failing":
        return stream.error("Overloaded", type="overloaded_error", after_frames=late)
    return stream


class KeptResponses:
    """The streams of the last responses that ran in the background, to be sent again from any event on."""

    __slots__ = ("_streams",)

    def __init__(self) -> None:
        self._streams: dict[str, testing.ScriptedStream] = {}

    def keep(self, reply: testing.Reply) -> None:
        """Keep the whole stream of a reply."""
        stream = reply.as_responses(background=True)
        self._streams[sd.stream(stream.source()).answer().id or ""] = stream
        if len(self._streams) > _MAX_KEPT:
            del self._streams[next(iter(self._streams))]

    def rest(self, path: str) -> testing.ScriptedStream | None:
        """The response to ``GET /v1/responses/{id}?stream=true&starting_after=N``, None for another path."""
        path, _, query = path.partition("?")
        folder, _, id = path.rpartition("/")
        if folder != "/v1/responses":
            return None
        if id not in self._streams:
            return testing.rejection(404, f"Response with id '{id}' not found.", dialect="responses")
        after = parse_qs(query).get("starting_after", ["-1"])[0]
        return self._streams[id].starting_after(int(after) if after.isdecimal() else -1)


class DemoProvider:
    """Answers every request, with a fault if the path begins with the name of one: ``/cut/v1/messages``.

    A response in the background can be resumed, also below ``/cut``: only its first stream is cut.
    """

    __slots__ = ("_kept", "_seen", "_served")

    def __init__(self) -> None:
        self._kept = KeptResponses()
        self._seen: Counter[bytes] = Counter()  # number of requests by the digest of their body
        self._served = 0

    def answer(self, path: str, body: bytes) -> Script | None:
        """The response to a POST, or to a GET without a body; None where there is nothing at that path."""
        fault, path = _split(path)
        dialect = PATHS.get(path)
        if dialect is None:
            rest = self._kept.rest(path)
            return None if rest is None else Script(path, rest, _SECONDS)
        try:
            request = json.loads(body)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            return Script(path, testing.rejection(400, "the body is not a JSON object", dialect=dialect), 0.0)
        self._served += 1
        return Script(path, self._stream(cast("dict[str, Any]", request), dialect, fault, body), _SECONDS)

    def _stream(self, request: dict[str, Any], dialect: sd.DialectName, fault: str, body: bytes) -> testing.ScriptedStream:
        if fault == "flaky":
            digest = hashlib.sha256(body).digest()
            fault = _FLAKY[self._seen[digest] % len(_FLAKY)]
            self._seen[digest] += 1
        # A chat stream reports its usage only if the request asks for it, as at real providers.
        counted = dialect != "chat" or bool(request.get("stream_options", {}).get("include_usage"))
        streamed = request.get("stream", False)
        reply = reply_to(request).again(self._served)
        background = dialect == "responses" and bool(request.get("background"))
        if background:
            self._kept.keep(reply)
        stream = played(reply, dialect, fault, counted=counted or not streamed, background=background)
        return stream if streamed or stream.status != 200 else _unstreamed(stream)


def _split(path: str) -> tuple[str, str]:
    """The fault that the path begins with, or "whole", and the rest of the path."""
    first, slash, rest = path.removeprefix("/").partition("/")
    return (first, slash + rest) if first in FAULTS else ("whole", path)


def _unstreamed(stream: testing.ScriptedStream) -> testing.ScriptedStream:
    """The answer as one JSON body. A stream that is cut or fails becomes a response with status 500."""
    try:
        with sd.stream(stream.source()) as events:
            body = json.dumps(events.answer().native)
    except sd.StreamError as error:
        return testing.rejection(500, str(error), dialect=stream.dialect)
    whole = stream.cut(after_frames=0).insert(body.encode())
    return whole.answered(200, {"content-type": "application/json"})


def _call(tools: list[dict[str, Any]]) -> sd.ToolCall:
    """A call of the tool get_weather, or else of the first tool, with arguments of the types in its schema."""
    functions = [tool.get("function", tool) for tool in tools]
    function = next((each for each in functions if each.get("name") == "get_weather"), functions[0])
    schema = function.get("parameters", function.get("input_schema", {}))
    types = {name: member.get("type") for name, member in schema.get("properties", {}).items()}
    return testing.tool_call(function.get("name", "f"), {name: _SAMPLES.get(type, "Orléans") for name, type in types.items()})


# ---- the HTTP server


def _scripted(path: str, body: bytes) -> Script | None:
    return next((script for script in SCRIPTS.values() if script.path == path and body), None)


@contextmanager
def serving(pace: float = 1.0, answer: Answerer = _scripted, port: int = 0) -> Generator[str, None, None]:
    """Runs the server until the `with` block ends.

    Args:
        pace: factor for the scripts' durations; 0 sends without pauses.
        answer: returns the response to a POST, given its path and body. A GET has no body. None is answered with 404.
        port: the port to listen on; 0 takes a free one.

    Returns:
        The server's address, "http://127.0.0.1:port".

    Raises:
        OSError: the port is taken, or may not be used.
    """
    with _Server(port, pace, answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="sse-dialects demo", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(socketserver.ThreadingTCPServer):
    # http.server.HTTPServer looks up its own host name first, which may take seconds.
    daemon_threads = True
    # Allows a port that was just released. On Windows it would also allow one that is in use.
    allow_reuse_address = os.name != "nt"

    def __init__(self, port: int, pace: float, answer: Answerer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.pace = pace
        self.answer = answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_GET(self) -> None:
        """Sends what the server's `answer` returns for this path."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Sends what the server's `answer` returns for this path and body."""
        self._answer(self.rfile.read(int(self.headers.get("content-length", 0))))

    def _answer(self, body: bytes) -> None:
        script = self._server().answer(self.path, body)
        if script is None:
            self.send_error(404)
            return
        self.send_response(script.stream.status)
        for name, value in script.stream.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        try:
            self.end_headers()
            self._play(script)
        except OSError:
            self.close_connection = True  # the client closed its side

    def _play(self, script: Script) -> None:
        body = script.body
        pause_s = self._server().pace * script.seconds / _PIECES
        size = -(-len(body) // _PIECES)
        for start in range(0, len(body), size):
            piece = body[start : start + size]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            time.sleep(pause_s)
        # The cut stream gets its last HTTP chunk too: in HTTP it looks complete.
        self.wfile.write(b"0\r\n\r\n")

    def _server(self) -> _Server:
        return cast("_Server", self.server)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing: the demonstration has the screen."""
