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
    from collections.abc import AsyncGenerator, Awaitable, Generator

__all__ = ["GeneratorChain"]


class GeneratorChain:
    """The generators that a source turned out to be made of, outermost first."""

    __slots__ = ("_found", "started")

    def __init__(self) -> None:
        self._found: list[AsyncGenerator[Any, Any]] = []
        self.started = False

    def first(self, step: Awaitable[Any]) -> Awaitable[Any]:
        """``step``, noting each async generator that starts in it."""
        self.started = True
        return _Watched(step, self._found)

    async def aclose(self) -> None:
        """Closes them from the outside in; a closed one is no more trouble to the next."""
        while self._found:
            await self._found.pop(0).aclose()


class _Watched:
    """An awaitable that runs ``step`` with a hook for new async generators, which is in place only while ``step`` itself runs."""

    __slots__ = ("_found", "_step")

    def __init__(self, step: Awaitable[Any], found: list[AsyncGenerator[Any, Any]]) -> None:
        self._step = step
        self._found = found

    def __await__(self) -> Generator[Any, Any, Any]:
        running = self._step.__await__()
        resume: Any = running.__next__
        arguments: tuple[Any, ...] = ()
        while True:
            try:
                waiting = self._hooked(resume, arguments)
            except StopIteration as finished:
                return finished.value
            try:
                arguments = ((yield waiting),)
                resume = running.send
            except BaseException as error:
                arguments = (error,)
                resume = running.throw

    def _hooked(self, resume: Any, arguments: tuple[Any, ...]) -> Any:
        usual = sys.get_asyncgen_hooks().firstiter

        def started(generator: AsyncGenerator[Any, Any]) -> None:
            self._found.append(generator)
            if usual is not None:
                usual(generator)

        sys.set_asyncgen_hooks(firstiter=started)
        try:
            return resume(*arguments)
        finally:
            sys.set_asyncgen_hooks(firstiter=usual)
