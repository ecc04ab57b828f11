"""What a stream's pieces are gathered in until somebody asks for the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..answer import InvalidArgumentsError, OtherPart, ReasoningPart, RefusalPart, TextPart, ToolCall
from ..events import ReasoningDelta, RefusalDelta, TextDelta, ToolCallDelta, ToolCallFinished, ToolCallStarted
from .payload import settled

if TYPE_CHECKING:
    from ..answer import ToolCallKind
    from ..events import Event

__all__ = ["CallBuilder", "OtherBuilder", "PartBuilder", "Pieces", "ReasoningBuilder", "RefusalBuilder", "TextBuilder"]

# A str costs 49 bytes beside its text, so the pieces of a few hundred deltas are joined into one: about 21 bytes a delta stay.
_JOIN_AT = 256

# Arguments that are no more than a place for those that may follow.
_EMPTY = ("{}", "null")

_new = object.__new__


class Pieces:
    """Text that arrives in pieces. Adding is constant time, and asking for the text is linear in it."""

    __slots__ = ("_joined", "_joined_size", "_pieces", "half")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._joined: list[str] | None = None
        self._joined_size = 0
        self.half = ""  # the first half of a surrogate pair, waiting for the second

    def append(self, piece: str) -> None:
        """Add a piece that `settle` has seen, or that holds no surrogates."""
        self._pieces.append(piece)
        if len(self._pieces) > _JOIN_AT:
            self._join()

    def extend(self, pieces: list[str]) -> None:
        """Add several such pieces."""
        self._pieces.extend(pieces)
        if len(self._pieces) > _JOIN_AT:
            self._join()

    def _join(self) -> None:
        if self._joined is None:
            self._joined = []
        self._joined.append("".join(self._pieces))
        self._joined_size += len(self._joined[-1])
        self._pieces.clear()

    def settle(self, piece: str) -> str:
        """The part of ``piece`` that can be given out now: half a pair at its end waits, one left alone becomes U+FFFD."""
        piece = self.half + piece
        self.half = piece[-1] if piece and "\ud800" <= piece[-1] <= "\udbff" else ""
        return settled(piece[:-1] if self.half else piece)

    def gather(self, piece: str) -> str:
        """Add what of ``piece`` can be given out now, and return it."""
        if piece := self.settle(piece):
            self.append(piece)
        return piece

    def flush(self) -> str:
        """Add and return U+FFFD for half a pair that was left alone, "" where there is none."""
        if not self.half:
            return ""
        self.half = ""
        self.append("\ufffd")
        return "\ufffd"

    def size(self) -> int:
        """How many characters there are so far, without joining them."""
        return sum(map(len, self._pieces), self._joined_size)

    def ends_with(self, mark: str) -> bool:
        """Whether that is the last character so far."""
        pieces = self._pieces or self._joined or ("",)
        return pieces[-1].endswith(mark)

    def rest_of(self, snapshot: str) -> str | None:
        """What ``snapshot`` has beyond this text, or None where it does not begin with it."""
        end = self.end_in(snapshot, 0)
        return snapshot[end:] if end >= 0 else None

    def end_in(self, snapshot: str, start: int) -> int:
        """Where this text ends in ``snapshot`` if it stands there at ``start``, else -1. Linear in the snapshot: many small ones
        must not cost as much as the text each."""
        for pieces in (self._joined or (), self._pieces):
            for piece in pieces:
                if not snapshot.startswith(piece, start):
                    return -1
                start += len(piece)
        return start

    def grow(self, value: str) -> None:
        """Add a value that may come again, come anew in a longer form, or come in pieces: of one that begins with all that was
        there only the rest is new, anything else is the next piece."""
        rest = self.rest_of(value)
        self.append(value if rest is None else rest)

    def text(self) -> str:
        """All of it so far."""
        if self._joined is not None:
            self._pieces[:0] = self._joined
            self._joined, self._joined_size = None, 0
        if len(self._pieces) != 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def replace(self, text: str) -> None:
        """Put a snapshot in place of what was gathered."""
        self._pieces, self._joined, self._joined_size, self.half = [settled(text)], None, 0, ""


class PartBuilder(Pieces):
    """One part of a choice, at its place."""

    __slots__ = ("choice", "place")

    DELTA: ClassVar[type[TextDelta | ReasoningDelta | RefusalDelta]] = TextDelta  # the event that tells a piece

    def __init__(self, choice: int, place: int) -> None:
        super().__init__()
        self.choice = choice
        self.place = place

    def add(self, piece: str) -> Event:
        """Add a piece and return the event that tells it."""
        pieces = self._pieces  # `append`, without the call: this is what every delta does
        pieces.append(piece)
        if len(pieces) > _JOIN_AT:
            self._join()
        event = _new(self.DELTA)  # without the constructor, which would be a third of what a delta costs
        event.text = piece
        event.choice = self.choice
        event.part = self.place
        return event

    def told(self, pieces: list[str]) -> list[Event]:
        """The events that tell several pieces."""
        kind, choice, place = self.DELTA, self.choice, self.place
        events: list[Event] = []
        for piece in pieces:
            event = _new(kind)
            event.text = piece
            event.choice = choice
            event.part = place
            events.append(event)
        return events

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

    DELTA = RefusalDelta

    def build(self) -> RefusalPart:
        """The refusal so far."""
        return RefusalPart(self.text())


class ReasoningBuilder(PartBuilder):
    """A run of reasoning, with what proves or hides it. ``better`` is text that the answer has in place of what was told."""

    __slots__ = ("better", "encrypted", "signature")

    DELTA = ReasoningDelta

    def __init__(self, choice: int, place: int) -> None:
        super().__init__(choice, place)
        self.signature: str | None = None
        self.encrypted: str | None = None
        self.better: str | None = None

    def build(self) -> ReasoningPart:
        """The reasoning so far."""
        return ReasoningPart(self.text() if self.better is None else self.better, self.signature, self.encrypted)


class CallBuilder(PartBuilder):
    """A tool call. Its start is told once its name is known, or at the latest when it ends."""

    __slots__ = ("announced", "complete", "held", "id", "kind", "name", "stopped")

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
        """What of a piece of arguments counts now. Some servers begin every call with an empty object or null and then send the
        real one, so an empty one waits until it is certain that nothing takes its place."""
        if self.kind == "function" and piece and not self.size():
            held, self.held = self.held, ""
            if piece.strip() in _EMPTY:
                self.held, piece = piece, ""
            elif held and not piece.lstrip().startswith("{"):
                piece = held + piece
        return piece

    def rest_of(self, snapshot: str) -> str | None:
        """What ``snapshot`` has beyond the arguments; any object may take the place of an empty one."""
        return None if self.held and snapshot and not snapshot.lstrip().startswith(("{", "null")) else super().rest_of(snapshot)

    def replace(self, text: str) -> None:
        """Put a snapshot in place of what was gathered."""
        self.held = ""
        super().replace(text)

    def add(self, piece: str) -> Event:
        """Add a piece of the arguments."""
        self.append(piece)
        event = _new(ToolCallDelta)
        event.arguments = piece
        event.choice = self.choice
        event.part = self.place
        return event

    def told(self, pieces: list[str]) -> list[Event]:
        """The events that tell several pieces."""
        choice, place = self.choice, self.place
        return [ToolCallDelta(piece, choice, place) for piece in pieces]

    def announce(self) -> list[Event]:
        """Tell the start, and in one piece the arguments that came before it."""
        if self.announced:
            return []
        self.announced = True
        started = ToolCallStarted(self.id, self.name, self.kind, self.choice, self.place)
        early = self.text()
        return [started, ToolCallDelta(early, self.choice, self.place)] if early else [started]

    def end(self) -> list[Event]:
        """Tell what has not been told of it, now that nothing follows."""
        told = self.announce()
        if self.held:
            told.append(self.add(self.held))
            self.held = ""
        return told

    def finish(self) -> list[Event]:
        """The event that says that the call may be executed now, for a call that its dialect has ended and nothing cut.

        Empty where the call has no name, or arguments that are no JSON object, or was finished before.
        """
        call = self.build()
        if self.complete or not call.name or not _parses(call):
            return []
        self.complete = call.complete = True
        return [ToolCallFinished(call, self.choice, self.place)]

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
