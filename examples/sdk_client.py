"""An SDK's own client class around the core: the transport, the objects and the errors
are the SDK's.

The transport is whatever sends a request and gives the pieces of the body: here a
function, so that nothing depends on a client.

    pip install sse-dialects
    python examples/sdk_client.py "Why is the sky blue?"

That asks ``sse-dialects demo --serve``, started in another terminal, or the server that
ACME_BASE_URL names.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Transport = Callable[[str, bytes], Iterator[bytes]]


class AcmeError(Exception):
    """What this SDK raises.

    ``retryable`` says whether to try again, ``partial_text`` is the text that had come.
    """

    def __init__(self, error: sd.SSEDialectsError, *, shown: bool) -> None:
        super().__init__(str(error))
        self.kind = error.kind
        self.retryable = error.retryable and not shown
        self.partial_text = (
            error.partial.text if isinstance(error, sd.StreamError) else ""
        )


class AcmeReply:
    """A whole reply. Reached only through the terminating frame."""

    def __init__(self, answer: sd.Answer) -> None:
        self.text = answer.text
        self.tool_calls = [(call.name, call.parsed()) for call in answer.tool_calls]
        self.tokens = answer.usage.total_tokens if answer.usage else None


class AcmeClient:
    """The SDK's client. It fixes its dialect, as an SDK knows what its service
    speaks."""

    def __init__(
        self, transport: Transport, *, limits: sd.Limits | None = None
    ) -> None:
        self._transport = transport
        self._limits = limits or sd.Limits(max_answer_bytes=32 << 20)

    def ask(
        self, prompt: str, on_text: Callable[[str], Any] = lambda text: None
    ) -> AcmeReply:
        """Sends a prompt, hands on text as it comes, and returns the whole reply.

        Raises:
            AcmeError: there is no whole reply.
        """
        body = json.dumps(
            {"stream": True, "messages": [{"role": "user", "content": prompt}]}
        ).encode()
        decoder = sd.Decoder("chat", limits=self._limits)
        shown = False
        try:
            for event in _events(
                decoder, self._transport("/v1/chat/completions", body)
            ):
                if isinstance(event, sd.TextDelta):
                    shown = True
                    on_text(event.text)
            return AcmeReply(decoder.answer())
        except sd.SSEDialectsError as error:
            raise AcmeError(error, shown=shown) from error


def _events(decoder: sd.Decoder, pieces: Iterator[bytes]) -> Iterator[sd.Event]:
    """The stream's events, then its error if it has one. For an async transport only
    ``next(pieces)`` differs."""
    cause: OSError | None = None
    while not decoder.complete:  # not waiting for the server to close
        try:
            piece = next(pieces, None)
        except (
            OSError
        ) as error:  # the transport broke: a cut, unless the answer was whole by then
            cause = error
            break
        if piece is None:
            break
        yield from decoder.feed(piece)
    yield from decoder.finish(cause)


def by_urllib(path: str, body: bytes) -> Iterator[bytes]:
    """A transport of the standard library's.

    Raises:
        OSError: there is no connection.
    """
    base = os.environ.get("ACME_BASE_URL", "http://127.0.0.1:8765")
    request = urllib.request.Request(
        base + path, body, {"Content-Type": "application/json"}
    )
    try:
        response = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as refused:
        response = refused  # its body says why, and the decoder reads that
    with response:
        while piece := response.read1(65536):
            yield piece


def main() -> None:
    """Asks what the command line says."""
    if not sys.argv[1:]:
        sys.exit("usage: python examples/sdk_client.py QUESTION")
    try:
        reply = AcmeClient(by_urllib).ask(
            " ".join(sys.argv[1:]), lambda text: print(text, end="", flush=True)
        )
    except AcmeError as error:
        sys.exit(f"\nno reply: {error}")
    print(f"\n[{len(reply.tool_calls)} calls]", file=sys.stderr)


if __name__ == "__main__":
    main()
