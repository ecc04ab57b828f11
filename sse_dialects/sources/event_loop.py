"""Which of the two event loops runs the caller, and a pause that works on both. Neither is imported before it runs."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["running_trio", "sleep"]


def running_trio() -> Any:
    """The module ``trio`` where a trio task is running, else None."""
    trio = sys.modules.get("trio")
    if trio is not None:
        try:
            trio.lowlevel.current_task()
        except RuntimeError:
            return None
    return trio


async def sleep(seconds: float) -> None:
    """Waits this many seconds and lets other tasks run at least once."""
    if (trio := running_trio()) is not None:
        await trio.sleep(seconds)
    else:
        import asyncio

        await asyncio.sleep(seconds)
