"""Writing a recording, line by line as the bytes come."""

from __future__ import annotations

import time
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

from sse_dialects.root import MisuseError
from sse_dialects.sources.response import head_of
from sse_dialects.sources.source import slices
from sse_dialects.sources.transport_errors import package_of, read_timeout

from .lines import Head, end_line, head_line, piece_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

__all__ = ["Recorder"]

# Headers that say how to read the body, or when to ask again. Any other may hold a key, a cookie, an account's or a host's name.
_OPEN_HEADERS = frozenset(
    {
        *("cache-control", "connection", "content-encoding", "content-length", "content-type", "date"),
        *("retry-after", "retry-after-ms", "transfer-encoding", "x-accel-buffering", "x-should-retry"),
    }
)
_REDACTED = "[redacted]"


class Recorder:
    """Writes one stream into one recording. Each line is in the file before the next read, so a crash loses at most a line.

        with sd.stream(response, record=Recorder("answer.jsonl", keep_headers=["x-request-id"])) as events: ...

    A file that can't be written any more (a full disk) ends the recording with a RuntimeWarning, and not the stream.

    Args:
        file: the path of a file to write, replacing one that is there; or a file open for writing in binary mode, which stays
            open and gets the lines after whatever it has.
        keep_headers: names of headers whose values are written too, besides a few that can't hold a secret; of all others
            the name is.

    Raises:
        OSError: the file can't be opened.
    """

    __slots__ = ("_begun", "_file", "_keep", "_last", "_owned", "_package")

    def __init__(self, file: str | PathLike[str] | BinaryIO, *, keep_headers: Iterable[str] = ()) -> None:
        self._file: BinaryIO | None = None
        self._owned = isinstance(file, (str, PathLike))
        self._begun = False
        self._package = ""
        self._last = time.monotonic()
        self._keep = _OPEN_HEADERS.union(name.lower() for name in keep_headers)
        self._file = open(file, "wb") if isinstance(file, (str, PathLike)) else file  # noqa: SIM115  # `close` does

    def begin(self, response: Any = None) -> None:
        """Writes the first line and starts the clock. `write` does this if it was not done before.

        Args:
            response: any client's response, whose status, headers and address are noted: of its headers those that are kept, of
                the address neither a user nor a query, which hold keys.

        Raises:
            MisuseError: it has been called before: one recording holds one stream.
        """
        if self._begun:
            raise MisuseError("this Recorder has recorded a stream already: make a new one, with another file, for the next")
        self._begun = True
        self._package = package_of(response)
        head = head_of(response)
        headers = {name: value if name in self._keep else _REDACTED for name, value in head.headers.items()}
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._write(head_line(Head(head.status, headers, _address(response)), now))
        self._last = time.monotonic()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Notes one read: in several lines where it is larger than 64 KiB. One without bytes is noted too."""
        if not self._begun:
            self.begin()
        for piece in slices(data):
            self._write(piece_line(self._delay(), piece))

    def end(self, error: BaseException | None = None) -> None:
        """Notes that the source has ended, by itself or in ``error``, of which only the class's name is written; then closes."""
        if error is None:
            self._finish(end_line(self._delay(), "eof"))
        else:
            timed_out = read_timeout(error, self._package) is not None
            self._finish(end_line(self._delay(), "failed", type(error).__name__, timed_out=timed_out))

    def close(self) -> None:
        """Notes, if the source has not ended, that nobody read on; then closes the file if it was opened here. Again: nothing."""
        self._finish(end_line(self._delay(), "closed"))

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recorder {'closed' if self._file is None else 'open'}>"

    def _delay(self) -> float:
        now = time.monotonic()
        before, self._last = self._last, now
        return now - before

    def _finish(self, line: bytes) -> None:
        if self._begun:
            self._write(line)
        file, self._file = self._file, None
        if file is not None and self._owned:
            file.close()

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except (OSError, ValueError) as error:  # ValueError: it was closed
            from warnings import warn

            self._file = None
            warn(f"the recording ends here, as its file can't be written: {error}", RuntimeWarning, stacklevel=3)


def _address(response: Any) -> str | None:
    """The response's URL without user, query and fragment."""
    from urllib.parse import urlsplit

    try:
        url = getattr(response, "url", None)
        parts = urlsplit(str(url)) if url else None
    except (RuntimeError, ValueError):  # httpx's, where the response belongs to no request; no URL
        return None
    return None if parts is None else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
