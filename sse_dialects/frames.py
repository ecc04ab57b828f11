"""Bytes to frames: the WHATWG "event stream interpretation", to the letter. Knows nothing of LLMs and raises nothing.

Two steps. `FrameReader.blocks` cuts the bytes at blank lines, whatever the chunking; `FrameReader.frame` reads the lines of one
block. A frame is out as soon as its blank line is in. Both are linear in the bytes, also for one frame that drips in.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from .limits import DEFAULT_LIMITS, Limits
from .values import Value

__all__ = ["Frame", "FrameReader"]

_BOM = b"\xef\xbb\xbf"
_LF, _CR = 10, 13  # what runs at every read or block says the numbers: a global is a lookup

# A line end followed by a blank line. A CR counts alone only where no LF follows, so that a CRLF is never taken for two line
# ends; at the end of the bytes a CR is taken at once, and the LF that may come next is skipped.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")

# A tail that costs less to copy than to search.
_SMALL = 4096

# A block that is not copied once more to be decoded.
_LARGE = 65536

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
        """Whether the data is ``[DONE]``, white space (JSON's, no other) around it aside."""
        return self.data.strip(" \t\r\n") == "[DONE]"

    def json(self) -> Any:
        """The data as JSON. Control characters inside strings are accepted.

        Raises:
            ValueError: it is not JSON.
        """
        return json.loads(self.data, strict=False)


_new = Frame.__new__


class FrameReader:
    """The state of one event stream. ``overflow`` is set for good where a frame's lines are longer than ``max_frame_bytes``;
    what came before it is still handed out, what comes after is ignored."""

    __slots__ = (
        "_after_lf",
        "_begun",
        "_ends",
        "_has_cr",
        "_room",
        "_skip_lf",
        "before",
        "comments",
        "consumed",
        "last_event_id",
        "overflow",
        "plain",
        "retry_ms",
        "tail",
        "watch",
    )

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._room = sys.maxsize if limits.max_frame_bytes is None else limits.max_frame_bytes
        self.watch: int = min(self._room, _SMALL)  # a tail over this needs looking at
        self.tail: bytes | bytearray = b""  # the block that is still open
        self._begun = False  # the place for a BOM is past
        self.plain: bool = False  # it is, and no CR is about: LFs alone decide
        self._skip_lf = False  # the bytes before ended in a CR that closed a block
        self._after_lf: int = -1  # the offset after the last LF that ended a blank line's CRLF
        self._has_cr = False  # there is a CR in the tail
        self._ends: list[int] | None = None  # where the last blocks ended, kept where line ends differ in length
        self.before: int = 0  # bytes of the stream before the blocks that came last
        self.consumed: int = 0  # and after them
        self.overflow = False
        self.comments = 0
        self.last_event_id = ""
        self.retry_ms: int | None = None

    # ---- bytes to blocks

    def blocks(self, data: bytes) -> list[bytes]:
        """Take up ``data`` and return the blocks that it closes, each the raw bytes before a blank line."""
        if self.plain and 13 not in data and 10 in data:
            blocks = self._lines(data) if self.tail else self._whole(data) or self._lines(data)
            if blocks is not None:
                return blocks
        closed = self.closed(data)
        if closed is not None:
            return closed[:-2].split(b"\n\n") if closed else []
        return self._blocks_anywhere(data) if not self.plain or _CR in data else self._blocks_behind(data)

    def _lines(self, data: bytes) -> list[bytes] | None:
        """`blocks` where every block is one line, which takes half the searching; None, and nothing done, elsewhere."""
        tail = self.tail
        if tail:
            if len(tail) > _SMALL or 10 in tail:
                return None
            data = b"".join((tail, data))
        if data[:5] != b"data:" or len(data) > self._room:
            return None
        lines = data.split(b"\n")
        if not len(lines) & 1 or any(lines[1::2]):
            return None
        self.tail = rest = lines.pop()
        self.before, self._ends = self.consumed, None
        self.consumed += len(data) - len(rest)
        if len(rest) > _SMALL:
            self._check_tail()
        return lines[::2]

    def _whole(self, data: bytes) -> list[bytes] | None:
        """The same for a read that is one such block, as many servers write them, and nothing is open."""
        block = data[:-2]
        if 10 in block or not 2 < len(data) <= self._room or not data[-2] == data[-1] == 10:
            return None
        self.before, self._ends = self.consumed, None
        self.consumed += len(data)
        return [block]

    def closed(self, data: bytes) -> bytes | None:
        """Take up ``data`` and return the bytes of the blocks that it closes, blank lines included, b"" where it closes none.

        None, and nothing done, where more has to be looked at than LFs behind a short tail.
        """
        tail = self.tail
        seen = len(tail)
        if seen + len(data) > self.watch or 13 in data or not self.plain:
            return self._closed_by_many(data)
        if seen:
            # `in` with a number costs a tenth of a search: it is what reads of a few bytes are made of.
            if 10 not in data:
                self.tail = tail + data
                return b""
            data = tail + data  # type: ignore[assignment]  # a tail this short is bytes
            end = data.rfind(b"\n\n", seen - 1) + 2  # a blank line may have been cut in two
        else:
            end = data.rfind(b"\n\n") + 2
        if end < 2:
            self.tail = data
            return b""
        if data[end - 3] == 10:
            end = _end_of_pairs(data, end)
        self.before, self._ends = self.consumed, None
        self.consumed += end
        self.tail = data[end:]
        return data[:end]

    def _closed_by_many(self, data: bytes) -> bytes | None:
        """The same where there is so much that its length has to be watched."""
        seen = len(self.tail)
        if not self.plain or 13 in data or seen + len(data) > self._room or (seen > _SMALL and 10 in data):
            return None
        if 10 not in data:
            self.tail += data
            self._check_tail()
            return b""
        data = b"".join((self.tail, data))
        end = _end_of_pairs(data, data.rfind(b"\n\n", max(seen - 1, 0)) + 2)
        self.tail = data[end:]
        self._check_tail()
        self.before, self._ends = self.consumed, None
        self.consumed += end
        return data[:end]

    def _blocks_behind(self, data: bytes) -> list[bytes]:
        """The blocks behind a long tail, of which only the end is searched again: a frame may drip in line by line."""
        self.before, self._ends = self.consumed, None
        seen = len(self.tail)
        tail = self._long_tail()
        tail += data
        end = tail.find(b"\n\n", max(seen - 1, 0)) if _LF in data else -1
        if end < 0:
            self._check_tail()
            return []
        with memoryview(tail) as view:  # which saves a copy of a block that may be large
            blocks = [bytes(view[:end]), *bytes(view[end + 2 :]).split(b"\n\n")]
        self.tail = blocks.pop()
        self.consumed += len(tail) - len(self.tail)
        self._check_blocks(blocks)
        self._check_tail()
        return blocks

    def _blocks_anywhere(self, data: bytes) -> list[bytes]:
        """The same where a BOM may come, or where there are CRs."""
        if self.overflow:
            return []
        if not self._begun:
            data = self._begin(data)
        if self._skip_lf and data:
            self._skip_lf = False
            if data[0] == _LF:
                self.consumed += 1
                self._after_lf = self.consumed
                data = data[1:]
        if self._has_cr or _CR in data:
            blocks = self._cut_anywhere(data)
            self.plain = not self._skip_lf and not self._has_cr and not self.overflow
            return blocks
        self.plain = self._begun and not self._skip_lf
        return self.blocks(data) if self.plain else []

    def _begin(self, data: bytes) -> bytes:
        """Drop one leading BOM, which may come in pieces."""
        head = bytes(self.tail) + data
        self.tail = b""
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self.tail = head
            return b""
        self._begun = True
        if head.startswith(_BOM):
            self.consumed = len(_BOM)
            return head[len(_BOM) :]
        return head

    def _cut_anywhere(self, data: bytes) -> list[bytes]:
        """The general case: lines end in LF, CRLF or CR. A match can begin no more than two bytes before the new bytes."""
        seen = len(self.tail)
        tail = self._long_tail()
        tail += data
        self.before = self.consumed
        blocks: list[bytes] = []
        ends = [-(self.before == self._after_lf)]
        start = 0
        for blank in _BLANK_LINE.finditer(tail, max(seen - 2, 0)):
            blocks.append(bytes(tail[start : blank.start()]))
            start = blank.end()
            ends.append(start - blank.group().endswith(b"\r\n"))
        if start:
            self._skip_lf = start == len(tail) and tail[-1] == _CR
            tail = tail[start:]
            self.tail = bytes(tail)
            self.consumed += start
            if ends[-1] < start:
                self._after_lf = self.consumed
        self._has_cr = _CR in (tail if start else data) or (self._has_cr and not start)
        self._ends = ends
        self._check_blocks(blocks)
        self._check_tail()
        return blocks

    def _check_blocks(self, blocks: list[bytes]) -> None:
        """Leave only the blocks before the first that is too long."""
        for number, block in enumerate(blocks):
            if len(block) > self._room:
                del blocks[number:]
                self._overflow()
                break

    def _long_tail(self) -> bytearray:
        """The tail as something that grows in place; a short one is bytes, which cost less to make anew."""
        tail = self.tail
        if not isinstance(tail, bytearray):
            self.tail = tail = bytearray(tail)
        return tail

    def _check_tail(self) -> None:
        """Keep a long tail in a form that grows in place, and within bounds."""
        tail = self.tail
        if len(tail) > _SMALL:
            tail = self._long_tail()
        # A line end at the end of the tail may be the first half of a blank line; it is no part of the frame's lines then.
        if len(tail) > self._room and len(tail.rstrip(b"\r\n")) > self._room:
            self._overflow()

    def _overflow(self) -> None:
        self.overflow = True
        self.plain = False
        self.tail = b""

    def offset_after(self, blocks: list[bytes], count: int) -> int:
        """The stream's bytes up to and including the first ``count`` of the ``blocks`` that came last, blank lines included; of
        a CRLF only the CR, at which the frame was out, whether or not the LF was there to be seen."""
        if self._ends is not None:
            return self.before + self._ends[count]
        if not count:
            return self.before - (self.before == self._after_lf)
        return self.before + sum(len(block) + 2 for block in blocks[:count])  # each closed by two LFs

    # ---- a block to a frame

    def frames(self, blocks: list[bytes]) -> list[Frame]:
        """The frames that blocks' lines describe. One without data is none: nothing is dispatched."""
        frames: list[Frame] = []
        for block in blocks:
            data = block.removeprefix(b"data: ") if len(block) < _LARGE else block
            if len(data) < len(block) and 10 not in data and 13 not in data:  # one data line, as most are
                frame = _new(Frame)  # without the constructor, which would be a third of what a frame costs
                frame.event = "message"
                try:
                    frame.data = data.decode()
                except UnicodeDecodeError:
                    frame.data = _text(data)
                frame.id = self.last_event_id
                frame.retry = None
                frames.append(frame)
            elif (other := self._of_any(block)) is not None:
                frames.append(other)
        return frames

    def frame(self, block: bytes) -> Frame | None:
        """The frame of one block, or None."""
        frames = self.frames([block])
        return frames[0] if frames else None

    def _of_any(self, block: bytes) -> Frame | None:
        """The same for a block of any form."""
        if len(block) >= _LARGE and block.startswith(b"data: ") and 10 not in block and 13 not in block:
            return Frame(data=str(memoryview(block)[6:], "utf-8", "replace"), id=self.last_event_id)
        event = b""
        retry = None
        data: list[bytes] = []
        for line in block.splitlines():
            name, colon, value = line.partition(b":")
            if value[:1] == b" ":
                value = value[1:]
            if name == b"data":
                data.append(value)
            elif name == b"event":
                event = value
            elif name == b"id" and b"\0" not in value:
                self.last_event_id = _text(value)
            elif name == b"retry" and value.isdigit() and len(value) <= _MAX_RETRY_DIGITS:
                self.retry_ms = retry = int(value)
            elif colon and not name:
                self.comments += 1
        if not data:
            return None
        return Frame(_text(event) or "message", _text(b"\n".join(data)), self.last_event_id, retry)

    def rest(self) -> Frame | None:
        """The unfinished frame at the end of input, which is not dispatched: its ``id`` and ``retry`` do not count."""
        last_event_id, retry_ms = self.last_event_id, self.retry_ms
        tail = bytes(self.tail) if self._begun else bytes(self.tail).removeprefix(_BOM)
        frame = self.frame(tail) if tail else None
        self.last_event_id, self.retry_ms = last_event_id, retry_ms
        return frame


def _end_of_pairs(data: bytes, end: int) -> int:
    """The end of the last blank line, where LFs in a row before ``end`` go two by two; 0 where ``end`` is before them all."""
    return end - (end - len(data[:end].rstrip(b"\n"))) % 2 if end > 1 else 0


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")
