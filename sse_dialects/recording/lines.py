"""The lines of a recording, written and read: ``docs/recording.md`` is the rule, this does what it says.

One JSON object a line. Whatever a line holds, it is whole where its newline is: a recording that was cut has lost the end of
its last line and nothing else.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Literal

from sse_dialects.root import MisuseError
from sse_dialects.values import JSONObject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "LONGEST_DELAY_S",
    "MAGIC",
    "MAX_LINE_BYTES",
    "Head",
    "RecordedTimeoutError",
    "Step",
    "damaged",
    "end_line",
    "head_line",
    "parsed_head",
    "parsed_steps",
    "piece_line",
]

VERSION = 1
# Bytes of a line. A recorded read is at most 64 KiB, which escapes make 400 KiB; without a bound, a file that begins like a
# recording and never ends its line would take all memory.
MAX_LINE_BYTES = 4 << 20
LONGEST_DELAY_S = 1e9  # 31 years; `time.sleep` refuses ten times that
_NAME = "sse-dialects-recording"
MAGIC = b'{"%b":' % _NAME.encode()  # what a recording begins with, and no event stream does

Ending = Literal["eof", "closed", "failed"]

# Seconds of silence, and what comes then: bytes, the fault in which the transport ended, or None where it ended without one.
Step = tuple[float, "bytes | Exception | None"]

# They drive terminals (DEL, C1), or are line ends to many an editor that shows the file.
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}


class RecordedTimeoutError(TimeoutError):
    """A client's read timeout as it comes back from a recording, after ``silent_s`` seconds of silence, however fast it plays."""

    def __init__(self, said: str, silent_s: float) -> None:
        super().__init__(said)
        self.silent_s = silent_s


class Head:
    """What the first line says: the response's status, headers and address; None and empty where there was no response."""

    __slots__ = ("headers", "status", "url")

    def __init__(self, status: int | None = None, headers: dict[str, str] | None = None, url: str | None = None) -> None:
        self.status = status
        self.headers = headers if headers is not None else {}
        self.url = url


def head_line(head: Head, recorded: str) -> bytes:
    """The first line; ``recorded`` is the time at which the recording was begun, as RFC 3339 writes it."""
    return _line({_NAME: VERSION, "recorded": recorded, "url": head.url, "status": head.status, "headers": head.headers})


def piece_line(delay_s: float, data: bytes) -> bytes:
    """The line of one read. It holds text if the bytes are valid UTF-8; a read that ends inside a character is not."""
    try:
        return _line({"delay": round(delay_s, 6), "text": data.decode("utf-8")})
    except UnicodeDecodeError:
        return _line({"delay": round(delay_s, 6), "base64": base64.b64encode(data).decode("ascii")})


def end_line(delay_s: float, ending: Ending, error: str | None = None, *, timed_out: bool = False) -> bytes:
    """The last line; ``error`` names the class of what the transport raised."""
    line: dict[str, Any] = {"delay": round(delay_s, 6), "end": ending}
    if error is not None:
        line |= {"error": error, "timeout": timed_out}
    return _line(line)


class DamagedRecordingError(OSError):
    """A line does not belong to a recording. A stream's error names this class and has it as its cause."""


def parsed_head(line: bytes) -> Head:
    """The head that the first line describes; an empty head if the line was cut.

    Raises:
        OSError: the line is whole, and damaged.
        MisuseError: the recording has a version that this library does not know.
    """
    fields = _object(line, 1) or {}
    version = fields.get(_NAME, VERSION)
    if version != VERSION:
        raise MisuseError(f"this recording is of version {version!r}, and only {VERSION} is known here: upgrade sse-dialects")
    status, headers, url = fields.get("status"), fields.get("headers"), fields.get("url")
    return Head(
        status if isinstance(status, int) else None,
        {name: str(value) for name, value in headers.items()} if isinstance(headers, JSONObject) else {},
        url if isinstance(url, str) else None,
    )


def parsed_steps(lines: Iterable[bytes]) -> Iterator[Step]:
    """The steps in the lines after the first. A last line that was cut is ignored, and so is a line of an unknown kind.

    Raises:
        OSError: a line with its newline is none of a recording, or a delay is none, so the file is damaged.
    """
    skipped_s = 0.0
    for number, line in enumerate(lines, 2):
        fields = _object(line, number)
        if fields is None:
            return
        delay_s = skipped_s + _delay(fields, number)
        if "end" in fields:
            yield delay_s, _fault(fields, delay_s)
            return
        data = _data(fields, number)
        skipped_s = delay_s if data is None else 0.0
        if data is not None:
            yield delay_s, data


def _delay(fields: dict[str, Any], number: int) -> float:
    delay = fields.get("delay")
    if not isinstance(delay, (int, float)):
        return 0.0
    if not delay <= LONGEST_DELAY_S:  # NaN is not, either
        raise damaged(number)
    return max(float(delay), 0.0)


def _fault(fields: dict[str, Any], silent_s: float) -> Exception | None:
    if fields["end"] != "failed":
        return None
    said = f"the recorded stream ended in {fields.get('error') or 'a failure'}"
    return RecordedTimeoutError(said, silent_s) if fields.get("timeout") else ConnectionError(said)


def _data(fields: dict[str, Any], number: int) -> bytes | None:
    """The bytes of a line, or None if it has none."""
    try:
        if isinstance(text := fields.get("text"), str):
            return text.encode("utf-8")
        if isinstance(encoded := fields.get("base64"), str):
            return base64.b64decode(encoded, validate=True)
    except ValueError:
        raise damaged(number) from None
    return None


def _object(line: bytes, number: int) -> dict[str, Any] | None:
    """The line's object, or None if the line was cut."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, JSONObject):
        return value
    if line.endswith(b"\n"):
        raise damaged(number)
    return None


def damaged(number: int, why: str = "") -> OSError:
    """The error for a line that is not part of a recording."""
    return DamagedRecordingError(f"line {number} of the recording is damaged{why}")


def _line(fields: dict[str, Any]) -> bytes:
    return f"{json.dumps(fields, ensure_ascii=False, separators=(',', ':')).translate(_ESCAPES)}\n".encode()
