"""The check under an `anthropic` client (1.x and 2.x, sync and async), and its own type for an `Answer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sse_dialects.limits import DEFAULT_LIMITS

from .checked_decoder import CheckedDecoder
from .install import complete_native, install

if TYPE_CHECKING:
    from anthropic.types import Message

    from sse_dialects import Answer, Limits

__all__ = ["guard", "to_sdk"]

_Client = TypeVar("_Client")


def guard(client: _Client, *, limits: Limits = DEFAULT_LIMITS) -> _Client:
    """Puts our frame parser and terminating-frame check under ``client``, which is returned.

        client = guard(Anthropic())
        with client.messages.stream(...) as events:    # the SDK's own typed events, as before
            message = events.get_final_message()       # TruncatedStreamError where the stream is cut

    It holds for Messages, beta or not, with ``stream=True`` or ``.stream()``, and for clients made by ``with_options``. Streams
    of other endpoints (sessions) are parsed, but not checked for their end.

    Args:
        client: an instance of any of the SDK's clients but Bedrock's, whose streams are no event streams.
        limits: as `Decoder` takes it.

    Raises:
        MisuseError: ``client`` is none. What its streams raise from now on, `CheckedDecoder` lists.
    """
    return install(client, lambda: CheckedDecoder(limits=limits))


def to_sdk(answer: Answer) -> Message:
    """The SDK's own `Message` for a whole answer in the dialect "messages".

    Made without validation, as the SDK makes it from an unstreamed response: nothing is invented for what did not arrive.

    Raises:
        MisuseError: the answer is not complete, or in another dialect.
        ImportError: `anthropic` is not installed.
    """
    native = complete_native(answer, "anthropic", ("messages",))
    from anthropic.types import Message

    return Message.construct(**native)
