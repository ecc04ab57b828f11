"""An SDK's own client class around the core: its transport, its objects and its errors; ours is what lies between.

The transport is whatever sends a request and gives the pieces of the body: here a function, so that nothing depends on a client.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Transport = Callable[[str, bytes], Iterator[bytes]]


class AcmeError(Exception):
    """What this SDK raises, with a word on whether to try again. ``partial_text`` is what had come."""

    def __init__(self, error: sd.SSEDialectsError) -> None:
        super().__init__(str(error))
        self.kind = error.kind
        self.retryable = error.retryable and not error.delivered
        self.partial_text = error.partial.text if isinstance(error, sd.StreamError) else ""


class AcmeReply:
    """A whole reply. Reached only through the terminating frame."""

    def __init__(self, answer: sd.Answer) -> None:
        self.text = answer.text
        self.tool_calls = [(call.name, call.parsed()) for call in answer.tool_calls]
        self.tokens = answer.usage.total_tokens if answer.usage else None


class AcmeClient:
    """The SDK's client. It fixes its dialect, as an SDK knows what its service speaks."""

    def __init__(self, transport: Transport, *, limits: sd.Limits | None = None) -> None:
        self._transport = transport
        self._limits = limits or sd.Limits(max_answer_bytes=32 << 20)

    def ask(self, prompt: str, on_text: Callable[[str], Any] = lambda text: None) -> AcmeReply:
        """Sends a prompt, hands on text as it comes, and returns the whole reply.

        Raises:
            AcmeError: there is no whole reply.
        """
        body = json.dumps({"stream": True, "messages": [{"role": "user", "content": prompt}]}).encode()
        decoder = sd.Decoder("chat", limits=self._limits)
        pieces = self._transport("/v1/chat/completions", body)
        try:
            for piece in pieces:
                _tell(decoder.feed(piece), on_text)
                if decoder.complete:  # not waiting for the server to close
                    break
            _tell(iter(decoder.close()), on_text)
            return AcmeReply(decoder.answer())
        except sd.SSEDialectsError as error:
            _tell(iter(error.decoded), on_text)
            raise AcmeError(error) from error
        except OSError as error:  # the transport broke: a cut, as far as the reply goes
            cut = sd.TruncatedStreamError(sd.ChatAccumulator.expected, cause=error)
            cut.partial = decoder.partial()
            raise AcmeError(cut) from error


def _tell(events: Iterator[sd.Event], on_text: Callable[[str], Any]) -> None:
    for event in events:
        if isinstance(event, sd.TextDelta):
            on_text(event.text)
