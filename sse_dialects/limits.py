"""Bounds on everything that grows, on by default, with the reason beside each number."""

from __future__ import annotations

from .root import MisuseError

__all__ = ["Limits", "as_limits"]

_MIB = 1 << 20
_NAMES = ("max_frame_bytes", "max_answer_bytes", "max_parts", "max_choices", "max_tool_calls", "max_depth")


class Limits:
    """Bounds for one stream. One frozen object is passed to every layer. ``None`` switches a bound off.

    A stream that crosses one ends in `LimitExceededError`, whose ``limit`` is the name below and ``allowed`` the number.

    Raises:
        ValueError: a bound is neither ``None`` nor a whole number of at least 1.
    """

    __slots__ = ("max_answer_bytes", "max_choices", "max_depth", "max_frame_bytes", "max_parts", "max_tool_calls")

    max_frame_bytes: int | None
    max_answer_bytes: int | None
    max_parts: int | None
    max_choices: int | None
    max_tool_calls: int | None
    max_depth: int | None

    def __init__(
        self,
        # Bytes of one frame's lines, comments included. The largest honest frames repeat a whole answer with its images as
        # base64: a few MiB.
        max_frame_bytes: int | None = 16 * _MIB,
        # Bytes of all lines but comments, or of a JSON body. The largest models stop near 1 MiB of text, which images and
        # repeated snapshots multiply. 256 MiB is more than any of them needs, and fits a small container.
        max_answer_bytes: int | None = 256 * _MIB,
        # Parts in one choice: blocks, items, runs of text. Long agentic turns have hundreds.
        max_parts: int | None = 10_000,
        # OpenAI takes n up to 128.
        max_choices: int | None = 128,
        # Calls in one answer. OpenAI documents at most 128 tools; a model may call one many times over.
        max_tool_calls: int | None = 4_096,
        # Nesting of one payload. Providers stay below 20; 200 leaves json.loads and json.dumps far from CPython's
        # recursion limit of 1,000, whatever the caller's own stack. A fifth of that limit bounds it in any case.
        max_depth: int | None = 200,
    ) -> None:
        values = (max_frame_bytes, max_answer_bytes, max_parts, max_choices, max_tool_calls, max_depth)
        for name, value in zip(_NAMES, values, strict=True):
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"Limits({name}=...) takes a whole number of at least 1, or None for no limit; got {value!r}")
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Limits is frozen; make another one with {name}={value!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Limits is frozen; {name} can't be deleted (None switches a bound off)")

    def _values(self) -> tuple[int | None, ...]:
        return tuple(getattr(self, name) for name in _NAMES)

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Limits) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Limits({', '.join(f'{name}={getattr(self, name)!r}' for name in _NAMES)})"

    def __reduce__(self) -> tuple[type[Limits], tuple[int | None, ...]]:
        return Limits, self._values()


DEFAULT_LIMITS = Limits()


def as_limits(limits: object) -> Limits:
    """Return ``limits`` if it is a `Limits`.

    Raises:
        MisuseError: it is something else; a number or None is the usual mistake.
    """
    if isinstance(limits, Limits):
        return limits
    raise MisuseError(f"limits takes Limits(max_answer_bytes=...) and the like, not {limits!r:.60}")
