"""The command line over any input: `sse-dialects read`, in this process, from a pipe and from a file."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import sse_dialects as sd
from sse_dialects.cli import main
from sse_dialects.recording.lines import MAGIC

_STATUSES = {
    "truncated": 3,
    "upstream": 4,
    "malformed": 5,
    "limit": 5,
    "not_event_stream": 5,
}
_DIALECTS = ("auto", "chat", "messages", "responses")


class _Pipe(io.RawIOBase):
    """Standard input that can't seek, and gives a few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._bytes = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._bytes.read(min(len(buffer), 97))
        buffer[: len(piece)] = piece
        return len(piece)


def check_commands(data: bytes, bits: int) -> None:
    """The same from a pipe and from a file, in a form that can be read, with the status that the outcome has.

    Raises:
        AssertionError: it is not so.
    """
    arguments = ["--dialect", _DIALECTS[bits >> 4 & 3], *["--no-require-done"] * (bits & 1), *["--think-tags"] * (bits >> 1 & 1)]
    form = ("", "--json", "--events")[(bits >> 2 & 3) % 3]
    arguments = ["read", *arguments, *[form] * bool(form)]
    status, out, notes = _run(arguments, io.BytesIO(data))
    if b"\n" in data:  # pieces that begin like lines and have no line end are the caller's mistake
        assert _run(arguments, io.BufferedReader(_Pipe(data)))[:2] == (status, out), "a pipe makes a difference"
    assert not set(notes) & {chr(code) for code in (*range(10), *range(11, 32), *range(127, 160))}
    assert status in {0, 3, 4, 5} or (status == 2 and data.startswith(MAGIC) and notes.startswith("sse-dialects: "))
    if status == 2:
        return
    if form == "":
        out.decode()
        as_json = _run([*arguments, "--json"], io.BytesIO(data))
        assert as_json[0] == status
        out = as_json[1]
    kind = _kind_of_lines(out) if form == "--events" else _kind_of_object(out)
    assert _STATUSES.get(kind, 0) == status


def _run(arguments: list[str], source: io.BufferedIOBase) -> tuple[int, bytes, str]:
    """Status, standard output and standard error."""
    out, notes = io.BytesIO(), io.BytesIO()
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(source), io.TextIOWrapper(out), io.TextIOWrapper(notes)  # type: ignore[type-var]
    try:
        status = main(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return status, out.getvalue(), notes.getvalue().decode()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def _kind_of_object(out: bytes) -> str:
    """One line with one object; the error's kind, or ""."""
    assert out.count(b"\n") == 1
    whole = _parsed(out.decode())
    assert whole.keys() == {*sd.Answer(None).to_dict(), "error"}
    assert whole["complete"] is (whole["error"] is None)
    return (whole["error"] or {"kind": ""})["kind"]


def _kind_of_lines(out: bytes) -> str:
    """One object a line; the kind of the error that is the last one, or ""."""
    assert out[-1:] in {b"", b"\n"}
    lines = [_parsed(line) for line in out.decode().splitlines()]
    assert not any(line["type"] == "error" for line in lines[:-1])
    return lines[-1]["error"]["kind"] if lines and lines[-1]["type"] == "error" else ""


def _parsed(line: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    value = json.loads(line, parse_constant=refuse)
    assert isinstance(value, dict)
    return value
