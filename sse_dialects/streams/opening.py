"""What `stream` and `astream` do with their arguments before the first read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from sse_dialects.decoder import Decoder
from sse_dialects.errors import RequestRejectedError, StalledStreamError, TruncatedStreamError
from sse_dialects.limits import DEFAULT_LIMITS, Limits
from sse_dialects.root import MisuseError

from .driver import StreamDriver

if TYPE_CHECKING:
    from os import PathLike

    from sse_dialects.answer import DialectOrAuto
    from sse_dialects.recording import Recorder
    from sse_dialects.sources.source import Source

__all__ = ["decoder_for", "is_resumable", "record_reads"]

_CUTS = (TruncatedStreamError, StalledStreamError)


def decoder_for(
    earlier: Any, dialect: DialectOrAuto, *, require_done: bool, think_tags: bool, limits: Limits
) -> tuple[Decoder, StreamDriver | None]:
    """A decoder for one stream, and the stream before it of the same answer if it is to be resumed.

    Args:
        earlier: what was passed as ``resume``.
        dialect: the dialect, or "auto".
        require_done: as for `Decoder`.
        think_tags: as for `Decoder`.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: the dialect has another name, or ``limits`` is no `Limits`; or ``earlier`` can't be resumed.
    """
    if earlier is None:
        return Decoder(dialect, require_done=require_done, think_tags=think_tags, limits=limits), None
    passed = {
        "dialect": dialect != "auto",
        "require_done": require_done is not True,
        "think_tags": think_tags is not False,
        "limits": limits is not DEFAULT_LIMITS,
    }
    if any(passed.values()):
        names = " and ".join(name for name, is_passed in passed.items() if is_passed)
        raise MisuseError(f"a stream that resumes another has that one's {names}: leave out {names}")
    driver = getattr(earlier, "_driver", None)
    if not isinstance(driver, StreamDriver):
        raise MisuseError(f"resume takes the EventStream or AsyncEventStream that was cut; got {type(earlier).__name__}")
    if driver.earlier is not None:  # the server rejected the request for the rest
        driver = driver.earlier
    _check(driver)
    return driver.decoder, driver


def is_resumable(driver: StreamDriver) -> bool:
    """Whether the provider can send the rest of the answer over another connection."""
    ended_well = driver.failure is None or isinstance(driver.failure, (*_CUTS, RequestRejectedError))
    return ended_well and driver.handed_over is None and not driver.has_lost and driver.decoder.resumable


def record_reads(source: Source, record: str | PathLike[str] | BinaryIO | Recorder | None) -> None:
    """Have what is read from ``source`` recorded, if it is to be.

    Raises:
        OSError: the file can't be opened.
        MisuseError: the recorder has recorded another stream.
    """
    if record is not None:
        from sse_dialects.recording.tee import tee

        tee(source, record)


def _check(driver: StreamDriver) -> None:
    """Raise MisuseError if this stream can't be resumed."""
    failure = driver.failure or driver.decoder.error
    dialect = driver.decoder.dialect
    if driver.handed_over is not None:
        raise MisuseError("this stream has been resumed before: resume the stream that resumed it")
    if driver.complete:
        raise MisuseError("this stream is complete, so there is nothing to resume: take its answer()")
    if failure is not None and not isinstance(failure, _CUTS):
        raise MisuseError(
            f"this stream ended in {type(failure).__name__}, which no other connection can continue: send the request again, "
            "and read it without resume"
        )
    if driver.failure is None and not driver.closed:
        raise MisuseError("this stream is still being read: read it until it raises, or close it, before you resume it")
    if dialect != "responses":
        what = f'of the dialect "{dialect}"' if dialect is not None else "that was cut before its dialect was known"
        raise MisuseError(f"a stream {what} can't be resumed: send the request again, and read it without resume")
    if driver.has_lost or driver.is_decoding:
        raise MisuseError("decoding this stream was interrupted, so it can't be resumed: send the request again")
