"""Frames that came before the first payload of the dialect: kept back until it comes."""

from __future__ import annotations

from typing import Any

from ..errors import MalformedStreamError
from .keep_alive import KEEP_ALIVES, is_keep_alive, is_metadata
from .payload import DONE

__all__ = ["Unidentified"]

# Providers begin with the dialect's own payloads or send them second; a stream of so many others is none of theirs.
_MAX_FRAMES = 1_000


class Unidentified:
    """The frames of a stream that has shown no payload of its dialect yet.

    Args:
        sign: what a payload of the dialect does, in the words of `MalformedStreamError`.
        dialect: its name, None where it is not known.
    """

    __slots__ = ("_foreign", "_reason", "frames")

    def __init__(self, sign: str, dialect: str | None) -> None:
        self.frames: list[tuple[str, str]] = []  # events and texts: parsed they would take many times the memory
        self._reason = f"none of the payloads up to here {sign}"
        if dialect is not None:
            self._reason += f'; if the server speaks another dialect than "{dialect}", pass that or "auto"'
        self._foreign = False  # a payload came that is more than metadata

    def ends_with(self, event: str, values: list[Any]) -> bool:
        """Whether a frame with these payloads, none of which is of the dialect, is the end of a stream that has nothing else.

        Raises:
            MalformedStreamError: it is the end of a stream in another format.
        """
        foreign = any(not (value is DONE or is_metadata(value) or is_keep_alive(event, value)) for value in values)
        self._foreign = self._foreign or foreign or not (values or event in KEEP_ALIVES)  # no value is an empty array
        if DONE in values:
            self.end()
            return True
        return False

    def keep(self, event: str, text: str) -> None:
        """Keep a frame back.

        Raises:
            MalformedStreamError: there are too many.
        """
        self.frames.append((event, text))
        if len(self.frames) > _MAX_FRAMES:
            self._foreign = True
            self.end()

    def end(self) -> None:
        """The stream has ended.

        Raises:
            MalformedStreamError: payloads came that are of another format.
        """
        if self._foreign:
            raise MalformedStreamError(self._reason)
