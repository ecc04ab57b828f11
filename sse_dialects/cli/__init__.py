"""The command line ``sse-dialects``: read a recorded or piped stream, post a request, see a demonstration."""
# PYTHON_ARGCOMPLETE_OK: says to argcomplete's global completion that this program answers it.

from __future__ import annotations

from typing import TYPE_CHECKING

from .arguments import parsed
from .console import COMPLETE, INTERRUPTED, CommandError, ReaderLeft, standard_error

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: the arguments after the program's name; None takes the process's own.

    Returns:
        The exit status: 0 complete (also when the reader of stdout left), 1 could not connect, 2 usage or unreadable file,
        3 truncated or stalled, 4 upstream failure or rejected, 5 malformed, limit or not an event stream, 130 Ctrl-C.
    """
    try:
        options = parsed(argv)
        status: int = options.run(options)
        return status
    except ReaderLeft:
        return COMPLETE
    except CommandError as error:
        standard_error().write(f"sse-dialects: {error}\n")
        return error.status
    except KeyboardInterrupt:
        notes = standard_error()
        notes.wipe_line()
        notes.write("sse-dialects: interrupted; what came is not the whole answer\n")
        return INTERRUPTED
    except SystemExit as leaving:  # argparse, after --help, --version or a usage error
        return leaving.code if isinstance(leaving.code, int) else COMPLETE
