"""What the demonstration's servers play, written by `sse_dialects.testing`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any, cast
from urllib.parse import parse_qs

import sse_dialects as sd
from sse_dialects import testing

__all__ = ["FAULTS", "PATHS", "SCRIPTS", "UNSENT", "Kept", "Rote", "Script", "played", "reply_to"]

PATHS: dict[str, sd.DialectName] = {
    "/v1/chat/completions": "chat",
    "/v1/messages": "messages",
    "/v1/responses": "responses",
}
UNSENT = " once the new one has been verified."


class Script:
    """One response of a server.

    Attributes:
        path: where a POST gets it.
        stream: its frames, status and headers.
        seconds: how long it plays.
    """

    __slots__ = ("_marker", "path", "seconds", "stream")

    def __init__(self, path: str, stream: testing.ScriptedStream, seconds: float, marker: str = "") -> None:
        self.path = path
        self.stream = stream
        self.seconds = seconds
        self._marker = marker

    @property
    def body(self) -> bytes:
        """All its bytes."""
        return self.stream.bytes()

    @property
    def sample(self) -> str:
        """The first line that holds the marker, to show what the dialect looks like on the wire."""
        return next(line for line in self.body.decode().splitlines() if self._marker in line)


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


# ---- `sse-dialects demo --serve`: a provider that answers by rote

# What goes wrong under a path that begins so, and how the command line explains it.
FAULTS = {
    "cut": "the connection closes in the middle of the answer",
    "failing": "the provider reports a failure in the middle of the answer",
    "rejected": "every request is refused with status 400",
    "flaky": "a request fails when it first comes, is told to wait, and then succeeds",
}
_FLAKY = ("cut", "busy", "whole")  # what the same request gets, time after time

_SECONDS = 1.0  # that an answer takes
_MAX_KEPT = 100  # responses in the background
_TEXT = "Because of Rayleigh scattering."
_AFTER_TOOL = "It is 12 °C and raining in Orléans."
_FORECAST = {"city": "Orléans", "days": [{"low": 9, "sky": "rain"}, {"low": 7, "sky": "clear"}]}
_RESULTS = ('"tool"', '"tool_result"', '"function_call_output"')  # words of a history that holds a call's result
_SAMPLES: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


def reply_to(request: dict[str, Any]) -> testing.Reply:
    """A tool call where tools are offered and none has given a result, an object where a format is asked for, else text."""
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
        reply: what to say.
        dialect: how.
        fault: "whole" for none, or one of "cut", "failing", "rejected" and "busy".
        counted: whether the stream tells its usage.
        background: whether the response, one of the dialect responses, runs in the background.
    """
    if fault == "rejected":
        return testing.rejection(400, "max_tokens is too large", dialect=dialect)
    if fault == "busy":
        return testing.rejection(429, "slow down", retry_after=0.01, dialect=dialect)
    if dialect == "chat":  # has no place for a signature
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


class Kept:
    """The streams of the last responses that ran in the background, to be sent once more from any place."""

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


class Rote:
    """A provider that answers every request, with a fault if the path begins with one: ``/cut/v1/messages``.

    A response in the background can be resumed, also below ``/cut``: only its first stream is cut.
    """

    __slots__ = ("_kept", "_seen", "_served")

    def __init__(self) -> None:
        self._kept = Kept()
        self._seen: Counter[bytes] = Counter()  # how often a body came, by its digest
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
        # In a chat the usage comes only where the request asks for it, as providers have it.
        counted = dialect != "chat" or bool(request.get("stream_options", {}).get("include_usage"))
        streamed = request.get("stream", False)
        reply = reply_to(request).again(self._served)
        background = dialect == "responses" and bool(request.get("background"))
        if background:
            self._kept.keep(reply)
        stream = played(reply, dialect, fault, counted=counted or not streamed, background=background)
        return stream if streamed or stream.status != 200 else _unstreamed(stream)


def _split(path: str) -> tuple[str, str]:
    """The fault that a path begins with, "whole" where it begins with none, and the rest of the path."""
    first, slash, rest = path.removeprefix("/").partition("/")
    return (first, slash + rest) if first in FAULTS else ("whole", path)


def _unstreamed(stream: testing.ScriptedStream) -> testing.ScriptedStream:
    """The answer as one JSON body; a fault in the middle of a stream is a failure of the server."""
    try:
        with sd.stream(stream.source()) as events:
            body = json.dumps(events.answer().native)
    except sd.StreamError as error:
        return testing.rejection(500, str(error), dialect=stream.dialect)
    whole = stream.cut(after_frames=0).insert(body.encode())
    return whole.answered(200, {"content-type": "application/json"})


def _call(tools: list[dict[str, Any]]) -> sd.ToolCall:
    """A call of the tool get_weather, or else of the first one, with arguments of the types that it asks for."""
    functions = [tool.get("function", tool) for tool in tools]
    function = next((each for each in functions if each.get("name") == "get_weather"), functions[0])
    schema = function.get("parameters", function.get("input_schema", {}))
    types = {name: member.get("type") for name, member in schema.get("properties", {}).items()}
    return testing.tool_call(function.get("name", "f"), {name: _SAMPLES.get(type, "Orléans") for name, type in types.items()})
