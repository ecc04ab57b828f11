"""What a response says before its body, whichever client holds it: status and headers, by duck type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Headers", "ResponseHead", "head_of"]


class Headers(dict[str, str]):
    """A response's headers. Names are case-insensitive (RFC 9110, section 5.1) and stored in lower case.

    A header that came several times is joined with ", " (section 5.2).
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__()
        for name, value in pairs:
            lowered = str(name).lower()
            super().__setitem__(lowered, f"{self[lowered]}, {value}" if lowered in self else str(value))

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        """The header's value, or ``default``."""
        return super().get(name.lower(), default)


class ResponseHead:
    """Status and headers. ``status`` is None where the source is no response: a file, an iterable."""

    __slots__ = ("headers", "status")

    def __init__(self, status: int | None = None, headers: Headers | None = None) -> None:
        self.status = status
        self.headers = headers if headers is not None else Headers()

    @property
    def rejects(self) -> bool:
        """Whether the status is outside 2xx. The body is then not a stream."""
        return self.status is not None and not 200 <= self.status < 300

    @property
    def content_encoding(self) -> str | None:
        """The Content-Encoding, if there is one."""
        encoding: str = self.headers.get("content-encoding", "").strip().lower()
        return None if encoding in {"", "identity"} else encoding


def head_of(response: Any) -> ResponseHead:
    """The head of an object with a status; otherwise an empty head."""
    status = next((value for name in ("status_code", "status") if _is_int(value := getattr(response, name, None))), None)
    return ResponseHead() if status is None else ResponseHead(status, Headers(_pairs(getattr(response, "headers", None))))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _pairs(headers: Any) -> Iterable[tuple[str, str]]:
    """Mappings have ``items``; a browser's Headers has ``entries``."""
    method = next((name for name in ("items", "entries") if hasattr(headers, name)), None)
    pairs: Iterable[Any] = getattr(headers, method)() if method is not None else ()
    return ((pair[0], pair[1]) for pair in pairs)
