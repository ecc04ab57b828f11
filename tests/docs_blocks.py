"""The code blocks of the documentation, and how they are run: each page in order, in one namespace and one folder.

A comment before a block says what the reader need not see:

    <!-- server: cut, whole -->    how the provider answers the block's requests (see `docs_provider`), whole if not said
    <!-- needs: openai -->         a package or a command without which the block is left out
    <!-- shown: 3.11 -->           the Python whose output is shown; others word it differently (argparse)

A `text` block titled Output is what the Python block before it prints. A `console` block is commands after `$`, with what
they print; a backslash at the end of a command's line continues it on the next.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docs_provider import TEXT

import sse_dialects
from sse_dialects import testing
from sse_dialects.cli.demo_server import played

if TYPE_CHECKING:
    from docs_provider import DocsProvider

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))

WIDTH = 88  # characters of a line of code: they fit the site's column

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>python|text|console)(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_DIRECTIVE = re.compile(r"<!-- (server|needs|shown): (.*?) -->")
_DEMO = "http://127.0.0.1:8765"  # where `sse-dialects demo --serve` says it is
_HOSTS = re.compile(rf"https://(?:api\.openai\.com|api\.anthropic\.com|gateway\.example)|{re.escape(_DEMO)}")
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
_SECONDS = re.compile(r"\d+\.\d+ s\b")  # times differ from run to run


class Block:
    """One block: its kind, its text without indentation, where it stands, and the directives before it."""

    def __init__(self, page: Path, match: re.Match[str], directives: dict[str, str]) -> None:
        source = page.read_text(encoding="utf-8")
        self.kind = match["kind"]
        self.is_output = 'title="Output"' in match["info"]
        self.text = textwrap.dedent(match["body"])
        self.start, self.end = match.span("body")
        self.indent = match["indent"]
        self.name = f"{page.relative_to(ROOT)}:{source.count(chr(10), 0, match.start()) + 1}"
        self.faults = [fault.strip() for fault in directives.get("server", "").split(",") if fault]
        self.needs = [name.strip() for name in directives.get("needs", "").split(",") if name]
        self.other_python = directives.get("shown") not in (None, "{}.{}".format(*sys.version_info))
        self.is_snippet = "--8<--" in self.text


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page that are code or its output."""
    source = page.read_text(encoding="utf-8")
    blocks: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(source):
        blocks.append(Block(page, match, dict(_DIRECTIVE.findall(source[end : match.start()]))))
        end = match.end()
    return [block for block in blocks if block.kind != "text" or block.is_output]


class Run:
    """A page being run. ``left_out`` names the packages that were missing."""

    def __init__(self, provider: DocsProvider, folder: Path) -> None:
        self.provider = provider
        self.names: dict[str, Any] = {"__name__": "docs"}
        self.left_out: list[str] = []
        self._printed: str | None = None  # by the last Python block
        shutil.copytree(ROOT / "examples", folder / "examples")
        self._bin = folder / "bin"
        self._bin.mkdir()
        for name, arguments in (("sse-dialects", "-m sse_dialects"), ("python3", "")):
            (self._bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
            (self._bin / name).chmod(0o755)
        for name, id, dialect, fault in (
            ("answer", "msg_1", "messages", "whole"),
            ("cut", "chatcmpl-1", "chat", "cut"),
            ("failed", "resp_1", "responses", "failing"),
        ):
            hello = testing.reply(TEXT, reasoning="Short waves scatter more.", id=id)
            (folder / f"{name}.sse").write_bytes(played(hello, dialect, fault).bytes())  # type: ignore[arg-type]
        request = '{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Why is the sky blue?"}]}'
        (folder / "request.json").write_text(request)

    def block(self, block: Block) -> str | None:
        """Run one block. What it printed for blocks that show it, else None."""
        missing = [name for name in block.needs if not (importlib.util.find_spec(name) or shutil.which(name))]
        if missing or block.is_snippet:
            self.left_out += missing
            self._printed = None
            return None
        if block.is_output:
            return self._printed
        self.provider.faults = list(block.faults)
        if block.kind == "console":
            return self._console(block)
        self._printed = self._python(block)
        return None

    def _python(self, block: Block) -> str:
        source = _HOSTS.sub(self.provider.url, block.text)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, block.name, "exec", dont_inherit=True), self.names)
        return comparable(printed.getvalue())

    def _console(self, block: Block) -> str | None:
        """Commands with their output after each."""
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        here = {"PATH": path, "PYTHONPATH": str(Path(sse_dialects.__file__).parent.parent), "COLUMNS": str(WIDTH)}
        shown = ""
        for command in commands_of(block.text):
            environment = {**os.environ, **here}
            output = served(command, environment) if "--serve" in command else self._output(command, environment)
            shown = f"{shown.rstrip()}\n$ {command}\n{output}"
        return None if block.other_python else comparable(shown.replace(self.provider.url, "https://gateway.example"))

    def _output(self, command: str, environment: dict[str, str]) -> str:
        return subprocess.run(
            ["bash", "-c", _HOSTS.sub(self.provider.url, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=60,
            check=False,
        ).stdout.decode()


def served(command: str, environment: dict[str, str]) -> str:
    """What the demonstration's server says until it waits. It takes a free port and shows its own: that one may be taken."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command} --port 0"], stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    with process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("Ctrl-C"):
                break
        process.terminate()
    return re.sub(r"http://127\.0\.0\.1:\d+", _DEMO, said)


def commands_of(console: str) -> list[str]:
    """The commands of a `console` block, without the prompt."""
    return _COMMAND.findall(console)


def comparable(text: str) -> str:
    """Without what differs from run to run, and without white space at the ends of lines."""
    text = _SECONDS.sub("0.12 s", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
