"""Async generators inside a source, closed in order.

Clients build a response's body from async generators that iterate each other (httpx: seven deep), and ``async for`` does not
close the inner one when the outer one is closed. Left to the garbage collector they end later, in tasks that nobody awaits, and
with ResourceWarnings on trio. So the generators that start in a source's first step are noted as the event loop notes them, by
`sys.set_asyncgen_hooks` (PEP 525), and closed one after the other.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator

__all__ = ["GeneratorChain"]


class GeneratorChain:
    """The steps of an async iterator, and the generators that it turns out to be made of.

    Attributes:
        step: to be called and awaited for each piece.
    """

    __slots__ = ("_found", "_iterator", "step")

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator
        self._found: list[AsyncGenerator[Any, Any]] = []  # outermost first
        self.step: Callable[[], Awaitable[Any]] = self._first

    def _first(self) -> Awaitable[Any]:
        """The first step, noting each async generator that starts in it."""
        self.step = self._iterator.__anext__
        return _Watched(self._iterator, self._found)

    def closers(self) -> list[Callable[[], Awaitable[None]]]:
        """What to call and await, in this order: from the outside in, as an outer one's ``finally`` may still need the inner."""
        return [generator.aclose for generator in self._found]


class _Watched:
    """One step of an iterator with a hook for new async generators, which is in place only while the iterator itself runs."""

    __slots__ = ("_found", "_iterator")

    def __init__(self, iterator: AsyncIterator[Any], found: list[AsyncGenerator[Any, Any]]) -> None:
        self._iterator = iterator
        self._found = found

    def __await__(self) -> Generator[Any, Any, Any]:
        running: Any = self._hooked(self._iterator.__anext__).__await__()  # asking for the step starts a generator already
        resume: Any = running.send
        argument: Any = None
        while True:
            try:
                waiting = self._hooked(resume, argument)
            except StopIteration as finished:
                return finished.value
            resume = running.send
            try:
                argument = yield waiting
            except BaseException as error:
                resume, argument = running.throw, error

    def _hooked(self, run: Any, *arguments: Any) -> Any:
        usual = sys.get_asyncgen_hooks().firstiter

        def started(generator: AsyncGenerator[Any, Any]) -> None:
            self._found.append(generator)
            if usual is not None:
                usual(generator)

        sys.set_asyncgen_hooks(firstiter=started)
        try:
            return run(*arguments)
        finally:
            sys.set_asyncgen_hooks(firstiter=usual)
