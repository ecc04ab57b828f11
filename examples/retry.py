"""One whole answer, however many attempts it takes, and never two attempts glued
together.

    pip install 'sse-dialects[httpx]'
    OPENAI_API_KEY=... python examples/retry.py "Why is the sky blue?"

Without a key, and with a provider that fails twice (start ``sse-dialects demo --serve``
in another terminal):

    OPENAI_BASE_URL=http://127.0.0.1:8765/flaky/v1 python examples/retry.py "Why?"

What an attempt has shown is taken back before the next one: `restart` is called, and
the text begins again.
"""

from __future__ import annotations

import os
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import httpx

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Callable

URL = (
    os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
)
MODEL = os.environ.get("MODEL", "gpt-5.4-mini")
LONGEST_WAIT_S = 60.0


def whole_answer(
    client: httpx.Client,
    request: dict[str, Any],
    *,
    show: Callable[[str], None],
    restart: Callable[[sd.SSEDialectsError], None],
    attempts: int = 4,
    first_wait_s: float = 0.5,
) -> sd.Answer:
    """Send ``request`` until an answer is whole.

    Raises:
        SSEDialectsError: the last attempt's, or one that another attempt could not
        change. httpx.TransportError: the connection could not be made.
    """
    for attempt in range(1, attempts + 1):
        try:
            with (
                client.stream("POST", URL, json=request) as response,
                sd.stream(response) as events,
            ):
                for text in events.text():
                    show(text)
                return events.answer()
        except sd.SSEDialectsError as error:
            if attempt == attempts or not error.retryable:
                raise
            if error.delivered:
                # What was shown belongs to an answer that will never be whole.
                restart(error)
            time.sleep(wait_s(error, attempt, first_wait_s))
    raise AssertionError


def wait_s(error: sd.SSEDialectsError, attempt: int, first_wait_s: float) -> float:
    """What the server asked for, else twice as long each time, spread so that not all
    clients come back at once."""
    if error.retry_after is not None:
        return min(error.retry_after, LONGEST_WAIT_S)
    wait: float = min(first_wait_s * 2 ** (attempt - 1), LONGEST_WAIT_S)
    return wait * random.uniform(0.5, 1.0)


def main() -> None:
    """Ask what the command line says."""
    if not sys.argv[1:]:
        sys.exit("usage: python examples/retry.py QUESTION")
    key = os.environ.get("OPENAI_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = {
        "model": MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": " ".join(sys.argv[1:])}],
    }

    def restart(error: sd.SSEDialectsError) -> None:
        print(f"\n[{error.kind}: beginning again]", file=sys.stderr)

    try:
        with httpx.Client(headers=headers, timeout=60) as client:
            answer = whole_answer(
                client,
                request,
                show=lambda text: print(text, end="", flush=True),
                restart=restart,
            )
    except sd.SSEDialectsError as error:
        sys.exit(f"\nno answer: {error}")
    except httpx.TransportError as error:
        sys.exit(f"\nno connection to {URL}: {str(error) or type(error).__name__}")
    print(f"\n[{answer.finish_reason}]", file=sys.stderr)


if __name__ == "__main__":
    main()
