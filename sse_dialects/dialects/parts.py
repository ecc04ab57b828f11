"""The parts of a choice while they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..answer import InvalidArgumentsError, OtherPart, ReasoningPart, RefusalPart, TextPart, ToolCall
from ..events import ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta, ToolCallFinished, ToolCallStarted
from .text_buffer import JOIN_AT, TextBuffer

if TYPE_CHECKING:
    from ..answer import ToolCallKind
    from ..events import Event

__all__ = ["CallBuilder", "OtherBuilder", "PartBuilder", "ReasoningBuilder", "RefusalBuilder", "TextBuilder"]

# Arguments that are no more than a place for those that may follow.
_EMPTY = ("{}", "null")


class PartBuilder(TextBuffer):
    """One part of a choice, at its place."""

    __slots__ = ("choice", "place")

    event: ClassVar[type[TextDelta | ReasoningDelta | RefusalDelta | ToolCallDelta]] = TextDelta  # what reports a piece

    def __init__(self, choice: int, place: int) -> None:
        super().__init__()
        self.choice = choice
        self.place = place

    def add(self, piece: str, out: list[Event]) -> None:
        """Add a piece, and append its event to ``out``."""
        pieces = self.pieces  # `append`, without the call: every delta comes by here
        pieces.append(piece)
        if len(pieces) > JOIN_AT:
            self.join()
        out.append(self.event(piece, self.choice, self.place))

    def build(self) -> TextPart | ReasoningPart | RefusalPart | ToolCall | OtherPart:
        """The part as it is now."""
        raise NotImplementedError


class TextBuilder(PartBuilder):
    """A run of text."""

    __slots__ = ()

    def build(self) -> TextPart:
        """The text so far."""
        return TextPart(self.text())


class RefusalBuilder(PartBuilder):
    """A refusal."""

    __slots__ = ()

    event = RefusalDelta

    def build(self) -> RefusalPart:
        """The refusal so far."""
        return RefusalPart(self.text())


class ReasoningBuilder(PartBuilder):
    """A run of reasoning, with its signature or encrypted data. ``better``, if set, is what the answer has for the deltas."""

    __slots__ = ("better", "encrypted", "signature")

    event = ReasoningDelta

    def __init__(self, choice: int, place: int) -> None:
        super().__init__(choice, place)
        self.signature: str | None = None
        self.encrypted: str | None = None
        self.better: str | None = None

    def build(self) -> ReasoningPart:
        """The reasoning so far."""
        return ReasoningPart(self.text() if self.better is None else self.better, self.signature, self.encrypted)


class CallBuilder(PartBuilder):
    """A tool call. Its start is emitted as soon as its name is known, or at the latest when it ends."""

    __slots__ = ("announced", "complete", "held", "id", "kind", "name", "stopped")

    event = ToolCallDelta

    def __init__(self, choice: int, place: int, id: str | None, name: str | None, kind: ToolCallKind) -> None:
        super().__init__(choice, place)
        self.id: str | None = id
        self.name: str | None = name
        self.kind: ToolCallKind = kind
        self.announced = False
        self.stopped = False  # the stream has closed it, which does not always mean that it is whole
        self.complete = False
        self.held = ""  # an empty object or null, which may be no more than a place for the arguments that follow

    def piece(self, piece: str) -> str:
        """The part of a piece of arguments that counts now. Some servers begin every call with an empty object or null, and send
        the real arguments after it. So an empty object waits until it is certain that nothing takes its place."""
        if not self.pieces and self.kind == "function" and piece and not self.size():
            held, self.held = self.held, ""
            if piece.strip() in _EMPTY:
                self.held, piece = piece, ""
            elif held and not piece.lstrip().startswith("{"):
                piece = held + piece
        return piece

    def suffix_after(self, snapshot: str) -> str | None:
        """What ``snapshot`` has beyond the arguments; any object may take the place of an empty one."""
        return (
            None if self.held and snapshot and not snapshot.lstrip().startswith(("{", "null")) else super().suffix_after(snapshot)
        )

    def replace(self, text: str) -> None:
        """Put a snapshot in place of what was gathered."""
        self.held = ""
        super().replace(text)

    def announce(self, out: list[Event]) -> None:
        """Append the event of the call's start, and in one piece the arguments that came before it. Once."""
        if not self.announced:
            self.announced = True
            out.append(ToolCallStarted(self.id, self.name, self.kind, self.choice, self.place))
            if early := self.text():
                out.append(ToolCallDelta(early, self.choice, self.place))

    def end(self, out: list[Event]) -> None:
        """Append the events that were held back, now that nothing follows."""
        self.announce(out)
        if self.held:
            self.add(self.held, out)
            self.held = ""

    def finish(self, out: list[Event]) -> None:
        """Append `ToolCallFinished`: the dialect has ended the call, and nothing cut it.

        Nothing happens if the call has no name, or arguments that are no JSON object, or was finished before.
        """
        call = self.build()
        if not self.complete and call.name and _parses(call):
            self.complete = call.complete = True
            out.append(ToolCallFinished(call, self.choice, self.place))

    def build(self) -> ToolCall:
        """The call so far."""
        return ToolCall(self.id, self.name, self.kind, self.text(), self.complete)


def _parses(call: ToolCall) -> bool:
    if call.kind == "function":
        try:
            call.parsed()
        except InvalidArgumentsError:
            return False
    return True


class OtherBuilder(PartBuilder):
    """A block or item that the vocabulary has no word for."""

    __slots__ = ("native",)

    def __init__(self, choice: int, place: int, native: dict[str, Any]) -> None:
        super().__init__(choice, place)
        self.native = native

    def build(self) -> OtherPart:
        """The block or item so far."""
        return OtherPart(dict(self.native))
