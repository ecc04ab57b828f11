"""What a body begins with: an event stream, or one of the things that servers and proxies send in its place."""

from __future__ import annotations

from .dialects.payload import WHITE_SPACE

__all__ = ["Head"]

_BOM = b"\xef\xbb\xbf"
_SPACE = WHITE_SPACE.encode()
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class Head:
    """Looks at the first bytes that are neither a BOM nor white space. Keeps at most four of them until they tell."""

    __slots__ = ("_at_start", "_seen")

    def __init__(self) -> None:
        self._at_start = True
        self._seen = b""

    def look(self, data: bytes) -> tuple[str, bytes]:
        """``(kind, body)``: kind is "stream", "json", "markup", a compression's name, or "" as long as nothing tells; body is
        what came from the first telling byte on."""
        body = self._seen + data
        if self._at_start:
            if len(body) < len(_BOM) and _BOM.startswith(body):
                self._seen = body
                return "", b""
            self._at_start = False
            body = body.removeprefix(_BOM)
        body = body.lstrip(_SPACE)
        kind = _kind(body)
        self._seen = b"" if kind else body
        return kind, body


def _kind(body: bytes) -> str:
    if not body:
        return ""
    if body[:1] in (b"{", b"["):
        return "json"
    if body[:1] == b"<":
        return "markup"
    for magic, name in _MAGIC.items():
        if body.startswith(magic):
            return name
        if len(body) < len(magic) and magic.startswith(body):
            return ""
    return "stream"
