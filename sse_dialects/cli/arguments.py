"""The commands and options, parsed with argparse."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

from .post import post
from .read import read

if TYPE_CHECKING:
    from collections.abc import Sequence

_STATUSES = """\
exit status:
  0    the answer is complete (also when the reader of stdout left)
  1    could not connect
  2    wrong usage, or a file that can't be read
  3    the stream was cut before its end, or stalled
  4    the provider reported a failure, or rejected the request
  5    the stream is malformed, beyond a limit, or no event stream
  130  Ctrl-C
"""
_READ = """\
Decodes a recorded stream, or one that is just arriving:
  curl -sSN https://... | sse-dialects
FILE may hold a raw stream or a recording of `post --record`, which --speed plays in
its time. The answer's text goes to standard output as it arrives, everything else to
standard error.
"""
_POST = """\
Sends a request with httpx and shows the answer as it comes:
  sse-dialects post https://... -H "Authorization: Bearer $KEY" --data @request.json
The answer's text goes to standard output as it arrives, everything else to standard
error.
"""
# Keywords of `sse_dialects.stream` that are options of `post`, with their help.
_TIMEOUTS = {
    "first_token_timeout": "longest wait for the first text, reasoning or tool call",
    "content_timeout": "longest time in which nothing but keep-alives comes",
    "total_timeout": "longest time that the whole answer may take",
}
_LIMITS = ("max_frame_bytes", "max_answer_bytes", "max_parts", "max_choices", "max_tool_calls", "max_depth")
_PORT = 8765  # of `demo --serve`
# Long enough for a model that reasons while its server sends nothing, not even keep-alives.
_TIMEOUT_S = 300.0


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the options. ``run`` is the command's function, ``stream`` holds keywords for `sse_dialects.stream`.

    Without a command, a pipe is read. Unknown arguments are not printed: after a forgotten quote, one may be a key given with -H.

    Raises:
        SystemExit: after --help or --version with status 0, after a usage error with 2.
    """
    parser = _parser()
    _complete(parser)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if _without_command(arguments) and _is_piped():
        arguments.insert(0, "read")
    try:
        options, unknown = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        parser.error("COMMAND is one of read, post and demo, and comes before its options; only a pipe is read without one")
    if unknown:
        advice = "quote headers: -H 'Name: value'" if options.run is post else "look at --help"
        parser.error(f"some arguments mean nothing here (not repeated: one may be a key); {advice}")
    if options.run in (read, post):
        options.stream = _stream_keywords(options)
    return options


def _stream_keywords(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords for `sse_dialects.stream` that the options give."""
    limits = dict(options.limits)
    given: dict[str, Any] = {
        "require_done": options.require_done,
        "think_tags": options.think_tags,
        "limits": sd.Limits(**limits) if limits else None,
        **{name: getattr(options, name, None) for name in _TIMEOUTS},
    }
    return {name: value for name, value in given.items() if value is not None}


def _without_command(arguments: list[str]) -> bool:
    """Whether the arguments begin without a command: they are empty, or begin with an option of `read`."""
    return not arguments or (arguments[0].startswith("-") and arguments[0] not in {"-h", "--help", "--version"})


def _is_piped() -> bool:
    """Whether standard input is a pipe, a file or a socket, and not a terminal or /dev/null."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # there is no standard input
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _complete(parser: argparse.ArgumentParser) -> None:
    """If a shell asks for completions, answers it with argcomplete (extra ``completion``) and exits."""
    if "_ARGCOMPLETE" in os.environ:
        try:
            argcomplete = import_module("argcomplete")
        except ImportError:
            return
        argcomplete.autocomplete(parser)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sse-dialects",
        description="Read streamed LLM answers. A stream that was cut is an error, never an answer.",
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        exit_on_error=False,  # argparse's own message would repeat an unknown command
    )
    parser.add_argument("--version", action="version", version=f"sse-dialects {sd.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    command = _command(commands, "read", "decode a recorded or piped stream", _READ)
    command.add_argument("file", metavar="FILE", nargs="?", default="-", help="a recorded stream (default: standard input)")
    command.add_argument(
        "--speed",
        metavar="FACTOR",
        type=_factor,
        help="play a recording in its time: 1 as it was, 2 twice as fast (default: all at once). A raw stream has no timing",
    )
    _add_stream_options(command)
    command.set_defaults(run=read)

    command = _command(commands, "post", "send a request with httpx and show the answer as it comes", _POST)
    command.add_argument("url", metavar="URL")
    _add_request_options(command)
    _add_stream_options(command)
    command.set_defaults(run=post)

    about = "see all three dialects, a failure and a cut stream"
    description = f"In less than ten seconds, {about}, played by a local server."
    command = _command(commands, "demo", about, description)
    _add_demo_options(command)
    command.set_defaults(run=_demo)
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],  # pyright: ignore[reportPrivateUsage]
    name: str,
    about: str,
    description: str,
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=about,
        description=description,
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _add_demo_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--serve",
        action="store_true",
        help="keep a server running that answers requests in all three dialects, without a key, until Ctrl-C",
    )
    command.add_argument(
        "--port", metavar="N", type=_port, default=_PORT, help="where --serve listens (default: %(default)s; 0: a free one)"
    )


def _add_request_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--data", "-d", metavar="BODY|@FILE", required=True, help="the body, or @ and the file with it (@-: stdin)"
    )
    command.add_argument(
        "-H",
        "--header",
        metavar="'NAME: VALUE'",
        dest="headers",
        action="append",
        default=[],
        help="a header, may be repeated; its value is never printed. Content-Type is application/json if not given",
    )
    command.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=_TIMEOUT_S,
        help="longest wait for the connection, and for the next byte (default: %(default)g)",
    )
    for name, about in _TIMEOUTS.items():
        option = f"--{name.replace('_', '-')}"
        command.add_argument(option, metavar="SECONDS", type=_seconds, help=f"{about} (default: none)")
    command.add_argument(
        "--record",
        metavar="FILE",
        help="also write what arrives, and when, to a file that `read` reads; the answer is in it, given headers are not",
    )


def _add_stream_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--dialect",
        choices=("auto", "chat", "messages", "responses"),
        default="auto",
        help="what the stream speaks (default: what its first frames say)",
    )
    command.add_argument(
        "--require-done",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a chat stream has to end with [DONE]; some servers send none, then a finish_reason in every choice will do",
    )
    command.add_argument("--think-tags", action="store_true", help="<think>...</think> in a chat's text is reasoning")
    command.add_argument(
        "--limit",
        metavar="NAME=N",
        dest="limits",
        type=_limit,
        action="append",
        default=[],
        help=f"another bound, or none, may be repeated: {', '.join(_LIMITS)}",
    )
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object: the answer, and the error or null")
    output.add_argument("--events", action="store_true", help="print one JSON event a line, as they arrive")


def _limit(text: str) -> tuple[str, int | None]:
    """The name of a limit and its number, or None for "none"."""
    name, _, number = text.partition("=")
    if name not in _LIMITS or not (number == "none" or (number.isdecimal() and int(number) > 0)):
        raise argparse.ArgumentTypeError(f"takes NAME=N or NAME=none, NAME being one of {', '.join(_LIMITS)}")
    return name, None if number == "none" else int(number)


def _demo(options: argparse.Namespace) -> int:
    """Runs ``sse-dialects demo``. The import is here because it takes 40 ms."""
    from .demo import demo

    return demo(options)


def _port(text: str) -> int:
    """A TCP port."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("takes a number from 0 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    """A number of seconds above 0."""
    return _number_above_0(text, "takes a number of seconds above 0")


def _factor(text: str) -> float:
    """A playing speed above 0."""
    return _number_above_0(text, "takes a number above 0")


def _number_above_0(text: str, advice: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(advice)
    return number
