"""A pool of threads that asks many questions at once and keeps what went wrong beside
what went right.

    pip install 'sse-dialects[httpx]'
    OPENAI_API_KEY=... python examples/worker_pool.py < questions.txt

Without a key, and with a provider that fails now and then (start ``sse-dialects demo
--serve`` in another terminal):

    export OPENAI_BASE_URL=http://127.0.0.1:8765/flaky/v1
    python examples/worker_pool.py < questions.txt

One client for all threads, one stream for each: a stream belongs to the thread that
reads it.
"""

from __future__ import annotations

import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx

import sse_dialects as sd

URL = (
    os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
)
MODEL = os.environ.get("MODEL", "gpt-5.4-mini")
WORKERS = 8
TRIES = 3
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0

# What a question may come to: an answer, an error of its stream, or no connection.
Outcome = sd.Answer | sd.SSEDialectsError | httpx.TransportError


def ask(
    client: httpx.Client,
    question: str,
    url: str = URL,
    first_wait_s: float = FIRST_WAIT_S,
) -> Outcome:
    """The whole answer, or the error of the last try: nobody watches a batch, so
    whatever is retryable is tried again."""
    body: dict[str, Any] = {
        "model": MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": question}],
    }
    tries = 0
    while True:
        tries += 1
        error: sd.SSEDialectsError | httpx.TransportError
        try:
            with (
                client.stream("POST", url, json=body) as response,
                sd.stream(response) as events,
            ):
                return events.answer()
        except sd.SSEDialectsError as failure:
            error = failure
            if not failure.retryable:
                return error
        except httpx.TransportError as failure:  # no connection, or none in time
            error = failure
        if tries == TRIES:
            return error
        time.sleep(wait_s(error, tries, first_wait_s))


def wait_s(
    error: sd.SSEDialectsError | httpx.TransportError, tries: int, first_wait_s: float
) -> float:
    """What the server asked for, else twice as long each time; spread, so that the
    workers don't come back all at once."""
    asked = error.retry_after if isinstance(error, sd.SSEDialectsError) else None
    wait = asked if asked is not None else first_wait_s * 2 ** (tries - 1)
    return min(wait * random.uniform(1.0, 1.5), LONGEST_WAIT_S)


def ask_all(
    questions: list[str], url: str = URL, first_wait_s: float = FIRST_WAIT_S
) -> list[Outcome]:
    """What became of each question, in their order."""
    key = os.environ.get("OPENAI_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limits = httpx.Limits(max_connections=WORKERS)
    with (
        httpx.Client(headers=headers, limits=limits, timeout=60) as client,
        ThreadPoolExecutor(WORKERS) as pool,
    ):
        job = partial(ask, client, url=url, first_wait_s=first_wait_s)
        return list(pool.map(job, questions))


def main() -> None:
    """Reads questions, a line each, and prints what became of them."""
    questions = [line for line in sys.stdin.read().splitlines() if line.strip()]
    for question, outcome in zip(questions, ask_all(questions), strict=True):
        if isinstance(outcome, sd.Answer):
            print(question, "->", outcome.text)
        else:
            print(
                question, "->", f"[{getattr(outcome, 'kind', type(outcome).__name__)}]"
            )


if __name__ == "__main__":
    main()
