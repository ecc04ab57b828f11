"""``sse-dialects read``: a stream from a file or a pipe."""

from __future__ import annotations

import io
from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO

import sse_dialects as sd

from .channel import standard_error, standard_input
from .printer import play
from .show import printer_for
from .status import CommandError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

__all__ = ["pieces", "read"]

_PIECE = 1 << 16  # a pipe's whole capacity on Linux
_HINT = "reading what you type; end it with Ctrl-D, or pipe a stream in: curl -N ... | sse-dialects read\n"


def read(options: argparse.Namespace) -> int:
    """Decodes ``options.file`` ("-" is standard input).

    Returns:
        The exit status.

    Raises:
        CommandError: the file can't be read.
    """
    with _opened(options.file) as source:
        return play(
            lambda: sd.stream(pieces(source), options.dialect, require_done=options.require_done, think_tags=options.think_tags),
            printer_for(options),
        )


def pieces(source: BinaryIO) -> Iterator[bytes]:
    """What ``source`` has, as soon as it has anything: no call waits until a buffer is full."""
    take = source.read1 if isinstance(source, io.BufferedReader) else source.read
    while piece := take(_PIECE):
        yield piece


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    """The file; standard input stays open, it is not ours."""
    if name != "-":
        try:
            return open(name, "rb")
        except OSError as error:
            raise CommandError(f"can't read {name}: {error.strerror}") from None
    source = standard_input()
    if source.isatty():
        standard_error().write(_HINT)
    return nullcontext(source)
