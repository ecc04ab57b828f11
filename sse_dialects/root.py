"""The root of the error tree, below every other layer, and the caller's own mistake, which any layer may report."""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = ["MisuseError", "SSEDialectsError"]


class SSEDialectsError(Exception):
    """Everything this package raises.

    Attributes:
        kind: a short word for the class, the same in `to_dict` and in the command line's ``--json``.
        retryable: whether the same request, sent again as a new one, may succeed.
        delivered: whether a text, reasoning, refusal or tool call event had been handed to the caller. A retry after that
            starts the answer over; what was shown already has to be taken back.
        retry_after: seconds the server asked to wait, or None.
        request_id: the id by which the provider knows the request, from the response's headers, or None.
        headers: the response's headers with names in lower case, without set-cookie; empty where there was no response.
        decoded: what the failing call had decoded before the fault, for calls that return a list.
    """

    kind: ClassVar[str] = "error"
    _facts: ClassVar[tuple[str, ...]] = ("retryable", "delivered", "retry_after", "request_id")

    def __init__(self, description: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(description)
        self.retryable = retryable
        self.retry_after = retry_after
        self.delivered = False
        self.request_id: str | None = None
        self.headers: dict[str, str] = {}
        self.decoded: list[Any] = []

    def to_dict(self) -> dict[str, Any]:
        """``kind``, the sentence as ``description``, and the facts in plain JSON types; no text of the answer."""
        return {"kind": self.kind, "description": str(self), **{name: getattr(self, name) for name in self._facts}}

    def __repr__(self) -> str:
        facts = (f"{name}={getattr(self, name)!r}" for name in self._facts)
        return f"{type(self).__name__}({', '.join((repr(str(self)), *facts))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls: type[SSEDialectsError], args: tuple[Any, ...], state: dict[str, Any]) -> SSEDialectsError:
    """An unpickled error: worker processes hand errors to their parent."""
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class MisuseError(SSEDialectsError, RuntimeError):
    """The caller's mistake: data after close, an unknown dialect, iterating twice, the turn of an incomplete answer."""

    kind = "misuse"
