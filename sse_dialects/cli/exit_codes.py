"""Exit statuses, and the errors of the command line itself."""

from __future__ import annotations

__all__ = ["COMPLETE", "INTERRUPTED", "NOT_CONNECTED", "STATUS_OF_KIND", "USAGE", "CommandError"]

COMPLETE = 0  # also when the reader of stdout left
NOT_CONNECTED = 1
USAGE = 2  # also a file that can't be read; argparse uses the same number
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it

# By the `kind` of the error that ended the stream.
STATUS_OF_KIND = {
    "truncated": 3,
    "stalled": 3,
    "upstream": 4,
    "rejected": 4,
    "malformed": 5,
    "limit": 5,
    "not_event_stream": 5,
}


class CommandError(Exception):
    """Something outside the stream keeps the command from its work.

    Attributes:
        status: what the process exits with.
    """

    def __init__(self, sentence: str, status: int = USAGE) -> None:
        super().__init__(sentence)
        self.status = status
