"""``sse-dialects demo``: what this library is for, shown on streams that a local server plays; or that server, to be asked."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import sse_dialects as sd

from .console import standard_output
from .demo_screen import DemoScreen
from .demo_server import serving
from .demo_streams import FAULTS, PATHS, SCRIPTS, UNSENT, Rote
from .exit_codes import COMPLETE, CommandError
from .post import require_httpx
from .summary import tokens

if TYPE_CHECKING:
    import argparse

    import httpx

    from .console import Channel
    from .demo_streams import Script

__all__ = ["demo", "perform", "serve"]

_DIM, _RED, _YELLOW, _GREEN, _CYAN = "2", "31", "33", "32", "36"
_REQUEST = {"stream": True}


def demo(options: argparse.Namespace) -> int:
    """Plays the demonstration on standard output, in about seven seconds; or serves until Ctrl-C.

    Returns:
        The exit status, 0.

    Raises:
        CommandError: httpx is missing; or the port to serve at is taken.
    """
    if options.serve:
        serve(standard_output(), options.port)
        return COMPLETE
    require_httpx()
    perform(standard_output())
    return COMPLETE


def perform(out: Channel, pace: float = 1.0) -> None:
    """Plays the demonstration; ``pace`` multiplies its pauses, 0 leaves them out."""
    import httpx

    # What the environment says about proxies is not meant for loopback.
    with serving(pace) as address, httpx.Client(base_url=address, trust_env=False) as client, DemoScreen(out) as screen:
        _scenes(screen, client, address)


def _scenes(screen: DemoScreen, client: httpx.Client, address: str) -> None:
    screen.say(
        f"A local server, {address}, plays five streams over HTTP, in pieces that end "
        "in the middle of frames and of characters. One loop reads them all:"
    )
    screen.code("with sse_dialects.stream(response) as stream:", "    for event in stream: ...")
    _three_dialects(screen, client)
    _failure(screen, client)
    _cut(screen, client)
    screen.say("A stream that did not end is an error, never an answer. On your own streams:", _GREEN)
    screen.code("curl -sSN https://... | sse-dialects read")


def serve(out: Channel, port: int) -> None:
    """Runs a provider that answers by rote, until Ctrl-C.

    Raises:
        CommandError: the port is taken, or may not be used.
    """
    try:
        with serving(answer=Rote().answer, port=port) as address:
            out.write(_served(address))
            try:
                while True:
                    time.sleep(3600)  # a wait without an end can't be interrupted on Windows
            except KeyboardInterrupt:
                out.write("\nThe server has ended.\n")
    except OSError as error:
        raise CommandError(f"can't listen at port {port} ({error.strerror}): choose another with --port") from None


def _served(address: str) -> str:
    """What is served where."""
    return "\n".join(
        [
            "A provider on this machine. It needs no key and answers by rote:",
            "",
            *(f"  {dialect:9}  {address}{path}" for path, dialect in PATHS.items()),
            "",
            "For the examples and the SDKs:",
            "",
            f"  OPENAI_BASE_URL={address}/v1",
            f"  ANTHROPIC_BASE_URL={address}",
            "",
            "Something goes wrong where the path begins with a fault:",
            "",
            *(f"  {f'/{fault}/v1/...':16} {about}" for fault, about in FAULTS.items()),
            "",
            "Ctrl-C ends it.",
            "",
        ]
    )


def _three_dialects(screen: DemoScreen, client: httpx.Client) -> None:
    answers: list[sd.Answer] = []
    for number, dialect in enumerate(("chat", "messages", "responses"), 1):
        script = SCRIPTS[dialect]
        screen.head(f"{number}  {dialect}", f"POST {script.path}")
        screen.clipped("on the wire", script.sample, _DIM)
        answers.append(_performed(screen, client, script))
        _finish(screen, answers[-1])
    first = answers[0]
    if all((answer.text, answer.tool_calls) == (first.text, first.tool_calls) for answer in answers):
        call = first.tool_calls[0]
        screen.say(f"Three dialects, one answer: answer.text, and answer.tool_calls[0].parsed() is {call.parsed()}", _GREEN)


def _performed(screen: DemoScreen, client: httpx.Client, script: Script, text_label: str = "text") -> sd.Answer:
    """Reads a script with this library, showing each event as it comes."""
    with client.stream("POST", script.path, json=_REQUEST) as response, sd.stream(response) as stream:
        for event in stream:
            if isinstance(event, sd.TextDelta):
                screen.piece(text_label, event.text)
            elif isinstance(event, sd.ReasoningDelta):
                screen.piece("reasoning", event.text, _DIM)
            elif isinstance(event, sd.ToolCallStarted):
                screen.piece("tool call", f"{event.name} ", _CYAN)
            elif isinstance(event, sd.ToolCallDelta):
                screen.piece("tool call", event.arguments)
        return stream.answer()


def _finish(screen: DemoScreen, answer: sd.Answer) -> None:
    reason, native = answer.finish_reason, answer.native_finish_reason
    own = f" (its own word: {native})" if native != reason else ""
    screen.row("finished", f"{reason}{own}, {tokens(answer.usage)}")


def _failure(screen: DemoScreen, client: httpx.Client) -> None:
    screen.head("4  messages, and the provider fails in the middle", "HTTP said 200 long ago")
    try:
        _performed(screen, client, SCRIPTS["failing"])
    except sd.UpstreamError as error:
        _raised(screen, error)


def _cut(screen: DemoScreen, client: httpx.Client) -> None:
    script = SCRIPTS["cut"]
    screen.head("5  chat, cut by a proxy on the way", "HTTP said 200, and it ends cleanly")
    taken_for_answer = _joined(screen, client, script)
    try:
        _performed(screen, client, script, "sse_dialects")
    except sd.TruncatedStreamError as error:
        _raised(screen, error)
        screen.row("never came", f'"...{UNSENT}"', _YELLOW)
        screen.beside(
            [
                "The usual loop joins the deltas until",
                "the connection closes, and returns",
                f'"{taken_for_answer}"',
                "as the answer. No exception, no",
                "warning: the program can't know.",
            ],
            [
                "sse_dialects raises",
                f"{type(error).__name__} and keeps",
                f'"{error.partial.text}"',
                "apart, in error.partial. There is no",
                "answer, and a retry is advised.",
            ],
            (_RED, _GREEN),
        )


def _joined(screen: DemoScreen, client: httpx.Client, script: Script) -> str:
    """What hand-written loops do: every delta counts, and the end of the connection is the end of the answer."""
    text = ""
    with client.stream("POST", script.path, json=_REQUEST) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                delta = json.loads(line[len("data: ") :])["choices"][0]["delta"]
                text += delta.get("content", "")
                screen.piece("usual loop", delta.get("content", ""))
    return text


def _raised(screen: DemoScreen, error: sd.StreamError) -> None:
    screen.row("raised", f"{type(error).__name__}: {error}", _RED)
