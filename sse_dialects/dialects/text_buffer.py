"""Text that arrives in pieces, gathered until somebody asks for it."""

from __future__ import annotations

from .payload import replace_lone_surrogates

__all__ = ["JOIN_AT", "TextBuffer"]

# A str costs 49 bytes beside its text, so the pieces of a few hundred deltas are joined into one: about 21 bytes a delta stay.
JOIN_AT = 256


class TextBuffer:
    """Text that arrives in pieces. Adding is constant time, and asking for the text is linear in it."""

    __slots__ = ("_joined", "_joined_size", "half", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._joined: list[str] | None = None
        self._joined_size = 0
        self.half = ""  # the first half of a surrogate pair, waiting for the second

    def append(self, piece: str) -> None:
        """Add a piece without surrogates, as `ready_part` returns it. An empty one is nothing: each would cost a step whenever
        the text is compared."""
        if piece:
            self.pieces.append(piece)
            if len(self.pieces) > JOIN_AT:
                self.join()

    def join(self) -> None:
        """Join the pieces that came since the last time."""
        if self._joined is None:
            self._joined = []
        self._joined.append("".join(self.pieces))
        self._joined_size += len(self._joined[-1])
        self.pieces.clear()

    def ready_part(self, piece: str) -> str:
        """The part of ``piece`` that can be handed out now: half a surrogate pair at its end waits for the other half, and one
        without its other half becomes U+FFFD."""
        piece = self.half + piece
        self.half = piece[-1] if piece and "\ud800" <= piece[-1] <= "\udbff" else ""
        return replace_lone_surrogates(piece[:-1] if self.half else piece)

    def append_ready(self, piece: str) -> str:
        """Add the part of ``piece`` that can be handed out now, and return it."""
        if piece := self.ready_part(piece):
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
        return sum(map(len, self.pieces), self._joined_size)

    def ends_with(self, mark: str) -> bool:
        """Whether that is the last character so far."""
        pieces = self.pieces or self._joined or ("",)
        return pieces[-1].endswith(mark)

    def suffix_after(self, snapshot: str) -> str | None:
        """What ``snapshot`` has beyond this text, or None where it does not begin with it."""
        end = self.end_in(snapshot, 0)
        return snapshot[end:] if end >= 0 else None

    def end_in(self, snapshot: str, start: int) -> int:
        """Where this text ends in ``snapshot`` if it stands there at ``start``, else -1. Linear in the snapshot: many small ones
        must not cost as much as the text each."""
        for pieces in (self._joined or (), self.pieces):
            for piece in pieces:
                if not snapshot.startswith(piece, start):
                    return -1
                start += len(piece)
        return start

    def grow(self, value: str) -> None:
        """Add a value that may come again, come anew in a longer form, or come in pieces: of one that begins with all that was
        there only the rest is new, anything else is the next piece."""
        rest = self.suffix_after(value)
        self.append(value if rest is None else rest)

    def text(self) -> str:
        """All of it so far."""
        if self._joined is not None:
            self.pieces[:0] = self._joined
            self._joined, self._joined_size = None, 0
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def repeats(self, snapshot: str) -> bool:
        """Whether ``snapshot`` is exactly this text, which is then held as that one string: the next look at it is cheap."""
        if self.half or self.end_in(snapshot, 0) != len(snapshot):
            return False
        self.pieces, self._joined, self._joined_size = [snapshot], None, 0
        return True

    def replace(self, text: str) -> None:
        """Put a snapshot in place of what was gathered."""
        self.pieces, self._joined, self._joined_size, self.half = [], None, 0, ""
        self.append(replace_lone_surrogates(text))
