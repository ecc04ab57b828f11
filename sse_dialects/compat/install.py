"""Replaces the event stream decoder of an SDK's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sse_dialects import MisuseError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["complete_native", "install"]

_T = TypeVar("_T")
_BARE = "_sse_dialects_bare"  # on the classes made here: the class below


def install(client: _T, make_decoder: Callable[[], Any]) -> _T:
    """Makes ``client`` read its event streams with what ``make_decoder`` gives. Returns the same client.

    Both SDKs ask one method of the client for the decoder of each stream, whatever the endpoint or the helper. It is overridden
    in a subclass that the client is given as its class, since copies (``with_options``) are made by calling the class.

    Raises:
        MisuseError: it is no such client, or one whose streams are not event streams (Bedrock's).
    """
    bare: type = getattr(client, _BARE, type(client))
    original = getattr(bare, "_make_sse_decoder", None)
    if original is None:
        raise MisuseError(
            f"{type(client).__name__} is not a client this can guard: pass an instance of the SDK's client, such as OpenAI() or "
            "AsyncAnthropic(); if it is one, its version is newer than this library, so read its raw response with stream()"
        )
    if not hasattr(original(client), "decode"):
        raise MisuseError(f"{bare.__name__} does not read event streams (text/event-stream), so there is nothing to guard")

    def make(_: Any) -> Any:
        return make_decoder()

    members = {"_make_sse_decoder": make, _BARE: bare, "__module__": bare.__module__, "__qualname__": bare.__qualname__}
    made: Any = client
    made.__class__ = type(bare.__name__, (bare,), members)
    return client


def complete_native(answer: Any, sdk: str, dialects: tuple[str, ...]) -> dict[str, Any]:
    """The native form of a whole answer in one of ``dialects``.

    Raises:
        MisuseError: the answer is not complete, or in a dialect that ``sdk`` has no type for.
    """
    if answer.dialect not in dialects:
        raise MisuseError(f"{sdk} has no type for an answer in the dialect {answer.dialect!r}")
    if not answer.complete:
        raise MisuseError("this answer is not complete, so no SDK would have returned it: send the request again")
    native: dict[str, Any] = answer.native
    return native
