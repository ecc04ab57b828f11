"""``python -m sse_dialects`` is the command line ``sse-dialects``."""

from __future__ import annotations

import sys

from .cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
