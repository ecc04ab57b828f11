"""``sse-dialects demo``: shows what this library does on streams of a local server, or runs such a server (``--serve``)."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
import time
from itertools import zip_longest
from typing import TYPE_CHECKING

import sse_dialects as sd

from .console import COMPLETE, CommandError, standard_output, width
from .demo_server import FAULTS, PATHS, SCRIPTS, UNSENT, DemoProvider, serving
from .post import require_httpx
from .printers import tokens

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    import httpx

    from .console import Channel
    from .demo_server import Script

_BOLD, _DIM, _RED, _YELLOW, _GREEN, _CYAN = "1", "2", "31", "33", "32", "36"
_REQUEST = {"stream": True}
_WIDTH = 79
_NARROWEST = 30  # below this, a row would have one word per line
_LABEL = 16  # width of a label, with the two spaces before it
_COLUMN = 38  # width of the left one of two columns
_HEAD = 24  # characters of a clipped row before the gap


def demo(options: argparse.Namespace) -> int:
    """Plays the demonstration on standard output in about seven seconds, or runs the server until Ctrl-C.

    Returns:
        The exit status, 0.

    Raises:
        CommandError: httpx is missing, or the server can't listen at the port.
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

    # The proxies named in the environment are not for loopback addresses.
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
    """Runs a provider with prepared answers until Ctrl-C.

    Raises:
        CommandError: the server can't listen at the port.
    """
    try:
        with serving(answer=DemoProvider().answer, port=port) as address:
            out.write(_served(address))
            try:
                while True:
                    time.sleep(3600)  # Windows can't interrupt a wait without a timeout
            except KeyboardInterrupt:
                out.write("\nThe server has ended.\n")
    except OSError as error:
        raise CommandError(f"can't listen at port {port} ({error.strerror}): choose another with --port") from None


def _served(address: str) -> str:
    """The text that says where each dialect and each fault is served."""
    return "\n".join(
        [
            "A provider on this machine. It needs no key and sends prepared answers:",
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
    """Reads a script with this library and shows each event as it arrives."""
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
    taken_for_answer = _usual_loop(screen, client, script)
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


def _usual_loop(screen: DemoScreen, client: httpx.Client, script: Script) -> str:
    """Reads a script as hand-written loops do: it joins all deltas until the connection closes."""
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


class DemoScreen:
    """Prints labelled rows within 80 columns or a narrower terminal. Whatever is printed next ends a row that grows."""

    def __init__(self, out: Channel) -> None:
        self._out = out
        self._width = _WIDTH
        if out.is_terminal:
            self._width = max(min(_WIDTH, shutil.get_terminal_size().columns - 1), _NARROWEST)
        self._growing = ""  # label of the row that grows, or ""
        self._column = 0  # where that row's text ends

    def __enter__(self) -> DemoScreen:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end_row()

    def say(self, text: str, style: str = "") -> None:
        """Prints a paragraph after an empty line."""
        self._end_row()
        self._out.write("\n")
        for line in textwrap.wrap(text, self._width):
            self._out.write(self._styled(style, line) + "\n")

    def code(self, *lines: str) -> None:
        """Prints lines of code."""
        self._end_row()
        self._out.write("\n" + "".join(f"    {self._styled(_CYAN, line)}\n" for line in lines))

    def head(self, title: str, note: str) -> None:
        """Prints the heading of a scene."""
        self._end_row()
        gap = "  " if len(title) + 2 + len(note) <= self._width else "\n   "
        self._out.write(f"\n{self._styled(_BOLD, title)}{gap}{self._styled(_DIM, note)}\n")

    def row(self, label: str, text: str, style: str = "") -> None:
        """Prints a row, wrapped beside its label."""
        self._end_row()
        for number, line in enumerate(textwrap.wrap(text, self._width - _LABEL)):
            self._out.write(f"{self._label('' if number else label)}{self._styled(style, line)}\n")

    def clipped(self, label: str, text: str, style: str = "") -> None:
        """Prints a row of one line. A text that is too long gets "..." in its middle."""
        room = self._width - _LABEL
        head = min(_HEAD, room // 2 - 3)
        over = len(text) - room
        self.row(label, text if over <= 0 else f"{text[:head]}...{text[head + over + 3 :]}", style)

    def piece(self, label: str, text: str, style: str = "") -> None:
        """Adds a piece to a row that grows. A word that does not fit begins the next line."""
        if not text:
            return
        if label != self._growing:
            self._end_row()
            self._out.write(self._label(label))
            self._growing = label
            self._column = _LABEL
        for word in re.findall(r"\S+\s*|\s+", text):
            if self._column + width(word.rstrip()) > self._width and self._column > _LABEL:
                self._out.write(f"\n{self._label('')}")
                self._column = _LABEL
            self._out.write(self._styled(style, word))
            self._column += width(word)

    def beside(self, left: Sequence[str], right: Sequence[str], styles: tuple[str, str]) -> None:
        """Prints two columns, or one below the other on a terminal too narrow for both."""
        self._end_row()
        self._out.write("\n")
        if self._width < _WIDTH:
            for lines, style in zip((left, right), styles, strict=True):
                for line in textwrap.wrap(" ".join(lines), self._width - 2):
                    self._out.write(f"  {self._styled(style, line)}\n")
                self._out.write("\n" if lines is left else "")
            return
        for one, other in zip_longest(left, right, fillvalue=""):
            gap = " " * (_COLUMN - len(one))
            self._out.write(f"  {self._styled(styles[0], one)}{gap} {self._styled(styles[1], other)}\n")

    def _end_row(self) -> None:
        if self._growing:
            self._out.write("\n")
            self._growing = ""

    def _label(self, label: str) -> str:
        return f"  {label:<{_LABEL - 2}}"

    def _styled(self, style: str, text: str) -> str:
        return self._out.style(style, text) if style else text
