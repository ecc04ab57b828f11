"""Bytes to frames: the WHATWG "event stream interpretation", to the letter. Knows nothing of LLMs.

Plan. `FrameReader.feed` takes one read and returns the text of all frames that it completes, each with its blank line, with
every line end made an LF. `FrameReader.frame` interprets the lines of one frame. `FrameParser` does both.

Bound. Time is linear in the bytes, also for one frame that drips in: of an unfinished frame only the last byte is searched again.
What is kept between reads is the unfinished frame.

Ambiguous case. A CR at the end of a read ends its line at once. If the next byte is an LF, it belongs to that line end and is
dropped; an empty read in between changes nothing.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, cast

from .errors import LimitExceededError, MisuseError
from .limits import DEFAULT_LIMITS, Limits, as_limits
from .values import Value

__all__ = ["Frame", "FrameParser", "FrameReader", "as_bytes", "end_within", "header_at"]

_BOM = "\ufeff"
_BOM_BYTES = 3
_LF, _CR = 10, 13

# Up to this many bytes an unfinished frame costs less to copy at each read than to keep in a form that grows in place.
_SMALL = 4096

_LINE_END = re.compile(rb"\r\n?|\n")
_HEADER = re.compile(r"(?:event: (.+)\n)?data: ?(?={)")

# More digits than that are no time anybody means, and Python refuses to read more than 4,300.
_MAX_RETRY_DIGITS = 18


class Frame(Value):
    """One dispatched event, with the defaults of ``httpx_sse.ServerSentEvent``.

    ``event`` is the event's name, ``data`` its data lines joined by LF, ``id`` the last event ID of the stream at that point, and
    ``retry`` the reconnection time in milliseconds that this event set, or None.
    """

    __slots__ = ("data", "event", "id", "retry")
    __match_args__ = ("event", "data", "id", "retry")

    def __init__(self, event: str = "message", data: str = "", id: str = "", retry: int | None = None) -> None:
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry

    @property
    def done(self) -> bool:
        """Whether the data is ``[DONE]``, with nothing but JSON's white space around it."""
        return self.data.strip(" \t\r\n") == "[DONE]"

    def json(self) -> Any:
        """The data as JSON. Control characters inside strings are accepted.

        Raises:
            ValueError: it is not JSON.
        """
        return json.loads(self.data, strict=False)


_new = Frame.__new__


class FrameReader:
    """The state of one event stream.

    Attributes:
        byte_count: bytes fed so far.
        end: bytes up to the end of the last frame that `feed` returned.
        overflow: a frame's lines are longer than ``max_frame_bytes``. Frames before it are still returned.
        text_bytes: UTF-8 bytes of all text returned so far. comment_bytes: those of the comment lines that `frame` has seen.
        comments: how many comment lines there were.
        last_event_id: the last event ID, "" if none was set. retry_ms: the last reconnection time in milliseconds, or None.
    """

    __slots__ = (
        "_after_cr",
        "_begun",
        "_lines_left",
        "_max_frame_bytes",
        "_tail",
        "byte_count",
        "comment_bytes",
        "comments",
        "end",
        "last_event_id",
        "overflow",
        "retry_ms",
        "text_bytes",
    )

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._max_frame_bytes = sys.maxsize if limits.max_frame_bytes is None else limits.max_frame_bytes
        self.byte_count = self.end = self.text_bytes = self.comment_bytes = self.comments = 0
        self.last_event_id = ""
        self.retry_ms: int | None = None
        self.restart()

    def restart(self) -> None:
        """Expect the beginning of a body, with its BOM if it has one. Drops an unfinished frame."""
        self._tail: bytes | bytearray = b""
        self._lines_left = 0  # line ends behind the text that was returned last
        self._after_cr = False  # the last read ended in a CR
        self._begun = False  # the place for a BOM is past
        self.overflow = False

    # ---- reads to the text of frames

    def feed(self, read: bytes) -> str:
        """Take ``read`` and return the text of the frames that it completes, "" if it completes none."""
        self.byte_count += len(read)
        if self.overflow:
            return ""
        has_cr = 13 in read
        data: bytes | bytearray = self._with_lf_only(read) if has_cr or self._after_cr else read
        tail = self._tail
        kept = len(tail)
        if kept:
            if kept > _SMALL and not isinstance(tail, bytearray):
                tail = bytearray(tail)  # which grows in place
            tail += data
            data = tail
        size = len(data)
        end = data.rfind(b"\n\n", kept - 1 if kept else 0) + 2 if has_cr or 10 in read else 0
        if end > 2 and data[end - 3] == 10:  # line ends go two by two: the last of an odd number begins the next frame
            end -= (end - len(data[:end].rstrip(b"\n"))) % 2
        if size > self._max_frame_bytes:
            end, self.overflow = self._checked(data, end)
        if end < 2:
            self._tail = b"" if self.overflow else data
            return ""
        self._tail = b"" if end == size or self.overflow else data[end:]
        self._lines_left = 0 if end == size else data.count(b"\n", end)
        self.end = self.offset(read, 0) if has_cr else self.byte_count - size + end
        try:
            text = (data if end == size else data[:end]).decode()
            self.text_bytes += end
        except UnicodeDecodeError:
            text = data[:end].decode(errors="replace")
            self.text_bytes += len(text.encode())
        return text if self._begun else self._without_bom(text)

    def _with_lf_only(self, data: bytes) -> bytes:
        """The read with every line end made an LF. A CR counts at once, and an LF behind it is part of the same line end."""
        if data:
            if self._after_cr and data[0] == _LF:
                data = data[1:]
            self._after_cr = data[-1:] == b"\r"
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _checked(self, data: bytes | bytearray, end: int) -> tuple[int, bool]:
        """Where the frames end that stand before the first that is too long, and whether one is."""
        start, allowed = 0, self._max_frame_bytes
        while start < end - 1:
            stop = data.find(b"\n\n", start) + 2
            if stop - start > allowed and len(data[start:stop].strip(b"\n")) > allowed:
                return start, True
            start = stop
        return start, len(data[start:].strip(b"\n")) > allowed

    def _without_bom(self, text: str) -> str:
        """The first text of a body without the BOM that it may begin with."""
        self._begun = True
        if not text.startswith(_BOM):
            return text
        self.text_bytes -= _BOM_BYTES
        return text[1:]

    def offset(self, read: bytes, lines: int) -> int:
        """The offset behind which ``lines`` more lines of the returned text have come, in bytes; ``read`` came last.

        Of a CRLF only the CR counts: the line was complete at that, whether or not the LF had come.
        """
        wanted = lines + self._lines_left + 2  # one more, in case that the search begins within a CRLF
        ends: list[int] = []
        begin, size = len(read), _SMALL // 16
        while len(ends) < wanted and begin:  # nearly always the end that is meant is near the end of the read
            begin, size = max(len(read) - size, 0), 4 * size
            ends = [match.start() + 1 for match in _LINE_END.finditer(read, begin)]
        return self.byte_count - len(read) + ends[1 - wanted]

    def close(self) -> str:
        """The text of the unfinished frame at the end of input, "" if there is none."""
        text = self._tail.decode(errors="replace")
        return text if self._begun else text.removeprefix(_BOM)

    # ---- lines to a frame

    def frame(self, block: str) -> tuple[Frame | None, list[str]]:
        """The frame that the lines of ``block`` make, None without a data line, and the lines that mean nothing in an event
        stream. Counts comments, and takes up ``id`` and ``retry``."""
        event = ""
        data: list[str] = []
        retry = None
        others: list[str] = []
        for line in block.split("\n"):
            name, colon, value = line.partition(":")
            if value[:1] == " ":
                value = value[1:]
            if name == "data":
                data.append(value)
            elif name == "event":
                event = value
            elif not name:
                self._comment(line, colon)
            elif name == "id" and "\0" not in value:
                self.last_event_id = value
            elif name == "retry" and value.isascii() and value.isdigit() and len(value) <= _MAX_RETRY_DIGITS:
                self.retry_ms = retry = int(value)
            else:
                others.append(line)
        frame = Frame(event or "message", "\n".join(data), self.last_event_id, retry) if data else None
        return frame, others

    def _comment(self, line: str, colon: str) -> None:
        if colon:
            self.comments += 1
            self.comment_bytes += len(line.encode()) + 1


class FrameParser:
    """An incremental parser of one event stream: bytes in at any cut, `Frame` objects out.

    The rules are those of the WHATWG HTML standard, section "Interpreting an event stream". Time and memory are linear in the
    bytes; what is kept between calls is at most one unfinished frame of ``limits.max_frame_bytes``.

    Raises:
        MisuseError: ``limits`` is no `Limits`.
    """

    __slots__ = ("_closed", "_limits", "_reader")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = as_limits(limits)
        self._reader = FrameReader(limits)
        self._closed = False

    @property
    def last_event_id(self) -> str:
        """The last event ID that a frame set, "" if none did."""
        return self._reader.last_event_id

    @property
    def retry_ms(self) -> int | None:
        """The reconnection time in milliseconds that the stream asked for last, or None."""
        return self._reader.retry_ms

    @property
    def comments(self) -> int:
        """How many comment lines have been ignored."""
        return self._reader.comments

    def feed(self, data: bytes | bytearray | memoryview) -> list[Frame]:
        """Take bytes of any length and return the frames that they complete.

        Raises:
            LimitExceededError: a frame's lines are longer than ``max_frame_bytes``; the frames before it are on ``.decoded``.
            MisuseError: the parser is closed, or ``data`` is not bytes.
        """
        if self._closed:
            raise MisuseError("this FrameParser is closed: make a new one for the next stream")
        reader = self._reader
        text = reader.feed(data if type(data) is bytes else as_bytes(data))
        frames = self._frames(text) if text else []
        if reader.overflow:
            error = LimitExceededError("max_frame_bytes", self._limits.max_frame_bytes or 0)
            error.decoded = frames
            raise error
        return frames

    def _frames(self, text: str) -> list[Frame]:
        reader = self._reader
        id = reader.last_event_id
        frames: list[Frame] = []
        payloads = text[6:-2].split("\n\ndata: ")
        if text.startswith("data: ") and text.count("\n") == 2 * len(payloads):  # each is one data line, as most frames are
            for data in payloads:
                frame = _new(Frame)  # without the constructor, which would be a third of what a frame costs
                frame.event = "message"
                frame.data = data
                frame.id = id
                frame.retry = None
                frames.append(frame)
            return frames
        return [found for block in text.split("\n\n") if (found := reader.frame(block)[0]) is not None]

    def close(self) -> Frame | None:
        """Say that no more bytes will come. Returns the unfinished last frame, which the standard does not dispatch, or None.
        Its ``id`` and ``retry`` do not count for `last_event_id` and `retry_ms`."""
        self._closed = True
        reader = self._reader
        last_event_id, retry_ms = reader.last_event_id, reader.retry_ms
        frame, _ = reader.frame(reader.close())
        reader.last_event_id, reader.retry_ms = last_event_id, retry_ms
        return frame


def as_bytes(data: object) -> bytes:
    """``data`` as bytes that will not change under us.

    Raises:
        MisuseError: it is something else; decoded text is the usual mistake.
    """
    if type(data) is bytes:
        return data
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if isinstance(data, memoryview):
        return cast("memoryview[int]", data).tobytes()
    advice = "pass the raw bytes, before any decoding" if isinstance(data, str) else "pass bytes, bytearray or memoryview"
    raise MisuseError(f"a stream is fed bytes, not {type(data).__name__}: {advice}")


def end_within(text: str, allowed: int) -> int:
    """Where the frames end whose lines, comments aside, have at most ``allowed`` bytes together."""
    at = 0
    while at < len(text):
        stop = text.find("\n\n", at) + 2
        for line in text[at : stop - 1].split("\n"):
            allowed -= 0 if line[:1] == ":" else len(line.encode()) + 1
        if allowed < 0:
            break
        at = stop
    return at


def header_at(text: str, at: int) -> tuple[str, str]:
    """The lines ahead of the JSON object that is a frame's one data line, and the name of its event; ("", "") for any other
    frame."""
    header = _HEADER.match(text, at)
    return (header[0], header[1] or "message") if header else ("", "")
