"""What `stream` and `astream` do with ``record=``: note each read of a source on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, cast

from .recorder import Recorder

if TYPE_CHECKING:
    from os import PathLike

    from sse_dialects.sources.source import Source

__all__ = ["tee"]


def tee(source: Source, record: str | PathLike[str] | BinaryIO | Recorder) -> None:
    """Has everything that is read from ``source`` recorded, and the recording closed when the source is.

    Raises:
        OSError: the file can't be opened.
        MisuseError: the recorder has recorded another stream.
    """
    recorder = record if isinstance(record, Recorder) else Recorder(record)
    recorder.begin(source.response)
    iterator = source.iterator
    source.iterator = _AsyncTee(iterator, recorder) if hasattr(iterator, "__anext__") else _Tee(iterator, recorder)
    source.closers.append(recorder.close)


class _Tee:
    """The pieces of an iterator, noted."""

    __slots__ = ("_iterator", "_recorder")

    def __init__(self, iterator: Any, recorder: Recorder) -> None:
        self._iterator = iterator
        self._recorder = recorder

    def __iter__(self) -> _Tee:
        return self

    def __next__(self) -> Any:
        try:
            piece = next(self._iterator)
        except StopIteration:
            self._recorder.end()
            raise
        except Exception as error:
            self._recorder.end(error)
            raise
        _note(piece, self._recorder)
        return piece


class _AsyncTee:
    """The pieces of an async iterator, noted. A cancellation ends a read and not the source."""

    __slots__ = ("_iterator", "_recorder")

    def __init__(self, iterator: Any, recorder: Recorder) -> None:
        self._iterator = iterator
        self._recorder = recorder

    def __aiter__(self) -> _AsyncTee:
        return self

    async def __anext__(self) -> Any:
        try:
            piece = await self._iterator.__anext__()
        except StopAsyncIteration:
            self._recorder.end()
            raise
        except Exception as error:
            self._recorder.end(error)
            raise
        _note(piece, self._recorder)
        return piece


def _note(piece: Any, recorder: Recorder) -> None:
    """Record a piece. Anything but bytes is left out: the stream that reads it raises the error."""
    if type(piece) is bytes:
        recorder.write(piece)
    elif isinstance(piece, (bytes, bytearray, memoryview)):
        recorder.write(bytes(cast("bytes", piece)))
