"""The wait while a model is silent, made visible: a small clock behind the cursor that is gone when something comes."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType

    from .console import Channel

__all__ = ["Spinner"]

_DELAY_S = 1.0  # shorter pauses are the ordinary rhythm of a model
_TICK_S = 0.2
_FRAMES = "|/-\\"


class Spinner:
    """Runs a clock on a terminal from a thread of its own; does nothing on anything else.

    Args:
        notes: where the clock appears.
        column: tells how far the cursor is from the left edge, so that the clock never wraps onto another line.
        heard: tells what came in the meantime that is no event ("3 keep-alives"), or "".
    """

    def __init__(self, notes: Channel, column: Callable[[], int], heard: Callable[[], str]) -> None:
        self._notes = notes
        self._column = column
        self._heard = heard
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._since = time.monotonic()
        self._shown = 0  # characters of the clock on the screen
        self._turns = 0
        self._thread = threading.Thread(target=self._run, name="sse-dialects spinner", daemon=True) if notes.movable else None

    def __enter__(self) -> Spinner:
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()
        self._wipe()

    @contextmanager
    def over(self) -> Generator[None, None, None]:
        """Something came: within, the screen is the caller's alone and without a clock; afterwards the wait starts anew."""
        with self._lock:
            self._wipe()
            yield
            self._since = time.monotonic()

    def _run(self) -> None:
        while not self._ended.wait(_TICK_S):
            with self._lock:
                silent_s = time.monotonic() - self._since
                if silent_s >= _DELAY_S:
                    self._draw(silent_s)

    def _draw(self, silent_s: float) -> None:
        self._wipe()
        column = self._column()
        room = shutil.get_terminal_size().columns - 1 - column
        frame = _FRAMES[self._turns % len(_FRAMES)]
        heard = self._heard()
        clock = f"{' ' if column else ''}{frame} {silent_s:.0f} s"
        whole = f"{clock} of silence{f', {heard}' if heard else ''}"
        face = next((text for text in (whole, clock) if len(text) <= room), "")
        self._notes.write(self._notes.style("2", face))
        self._shown = len(face)
        self._turns += 1

    def _wipe(self) -> None:
        if self._shown:
            self._notes.write("\b" * self._shown + "\x1b[K")
            self._shown = 0
