"""``sse-dialects read``: a stream from a file or a pipe."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO

import sse_dialects as sd
from sse_dialects.recording import replay

from .console import standard_error, standard_input
from .curl_head import SavedResponse
from .exit_codes import CommandError
from .printers import play, printer_for

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from sse_dialects.recording import Replay

__all__ = ["pieces", "read"]

_HINT = "reading what you type; end it with Ctrl-D, or pipe a stream in: curl -sSN ... | sse-dialects read\n"


def read(options: argparse.Namespace) -> int:
    """Decodes ``options.file`` ("-" is standard input): a raw stream, perhaps behind the head that
    ``curl -i`` writes, or a recording at ``options.speed``.

    Returns:
        The exit status.

    Raises:
        CommandError: the file can't be read.
    """
    with _opened(options.file) as file:
        source = _replayed(file, options.speed) if file.seekable() else pieces(file, options.speed)
        return play(
            lambda: sd.stream(_response(source), options.dialect, **options.stream),
            printer_for(options),
        )


def _response(source: Iterable[bytes]) -> Iterable[bytes]:
    """A recording that knows its response, or else what stands in the bytes."""
    return source if getattr(source, "status_code", None) is not None else SavedResponse(source)


def pieces(pipe: BinaryIO, speed: float | None = None) -> Iterator[bytes]:
    """What a pipe has, as soon as it has anything, and not before it is asked for: the printer shows the wait for it."""
    yield from _replayed(pipe, speed)


def _replayed(file: BinaryIO, speed: float | None) -> Replay:
    try:
        return replay(file, speed=speed)
    except (OSError, sd.MisuseError) as error:
        raise CommandError(f"can't read the recording: {error}") from None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    """The file; standard input stays open, it is not ours."""
    if name != "-":
        try:
            return open(name, "rb")
        except OSError as error:
            if "://" in name:  # not repeated: there may be a key in it
                raise CommandError("`read` sends no request: use `post`, or curl -sSN ... | sse-dialects read") from None
            raise CommandError(f"can't read {name}: {error.strerror}") from None
    source = standard_input()
    if source.isatty():
        standard_error().write(_HINT)
    return nullcontext(source)
