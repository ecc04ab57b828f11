"""What an engine remembers of the last frame, so that the next one like it needs no closer look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parts import PartBuilder
    from .text_buffer import TextBuffer

__all__ = ["HotFrame"]


class HotFrame:
    """The last payload, if all it did was to add one string to a buffer, and if that is all it would do again.

    A payload that is equal but for that string then does the same, and needs no closer look. Nobody else holds ``payload`` or a
    part of it: no event, no answer, no store of an engine.

    Attributes:
        payload: the payload. The string in it is ``holder[name]``.
        path: where ``holder`` stands in the payload.
        buffer: the part that the string was added to.
        member: the native member that gathers the same string, or None.
        padding: members of the payload that mean nothing and may differ.
        repeated: strings of the payload that come again each time, and the native members that gather them.
    """

    __slots__ = ("buffer", "holder", "member", "name", "padding", "path", "payload", "repeated")

    def __init__(
        self,
        payload: dict[str, Any],
        path: tuple[str | int, ...],
        name: str,
        buffer: PartBuilder,
        member: TextBuffer | None = None,
        padding: tuple[str, ...] = (),
        repeated: tuple[tuple[TextBuffer, str], ...] = (),
    ) -> None:
        self.payload = payload
        self.path = path
        self.name = name
        self.buffer = buffer
        self.member = member
        self.padding = padding
        self.repeated = repeated
        holder: Any = payload
        for step in path:
            holder = holder[step]
        self.holder: dict[str, Any] = holder
