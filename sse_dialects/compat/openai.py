"""The check under an `openai` client (2.x and 3.x, sync and async, Azure too), and its own types for an `Answer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sse_dialects.limits import DEFAULT_LIMITS

from .checked_decoder import CheckedDecoder
from .install import complete_native, install

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    from sse_dialects import Answer, Limits

__all__ = ["guard", "to_sdk"]

_Client = TypeVar("_Client")


def guard(client: _Client, *, require_done: bool = True, limits: Limits = DEFAULT_LIMITS) -> _Client:
    """Puts our frame parser and terminating-frame check under ``client``, which is returned.

        client = guard(OpenAI())
        for chunk in client.chat.completions.create(..., stream=True):    # the SDK's own typed chunks, as before
            ...               # raises where the stream is cut (TruncatedStreamError), fails or stalls

    It holds for Chat Completions, Responses and the old Completions, for every helper and framework on top of them, and for
    clients made by ``with_options``. Streams of other endpoints (audio, images, assistants) are parsed, but not checked for
    their end.

    Args:
        client: an instance of any of the SDK's clients.
        require_done: False for servers that end a chat stream without ``[DONE]``.
        limits: bounds on everything that grows.

    Raises:
        MisuseError: ``client`` is none. What its streams raise from now on, `CheckedDecoder` lists.
    """
    return install(client, lambda: CheckedDecoder(require_done=require_done, limits=limits))


def to_sdk(answer: Answer) -> ChatCompletion | Response:
    """The SDK's own object for a whole answer: `ChatCompletion` for "chat", `Response` for "responses".

    Made without validation, as the SDK makes it from an unstreamed response: nothing is invented for what did not arrive.

    Raises:
        MisuseError: the answer is not complete, or in another dialect.
        ImportError: `openai` is not installed.
    """
    native = complete_native(answer, "openai", ("chat", "responses"))
    if answer.dialect == "chat":
        from openai.types.chat import ChatCompletion

        return ChatCompletion.construct(**native)
    from openai.types.responses import Response

    return Response.construct(**native)
