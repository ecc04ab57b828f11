"""A pool of threads that asks many questions at once and keeps what went wrong beside what went right.

    python examples/worker_pool.py < questions.txt

One client for all threads, one stream for each: a stream belongs to the thread that reads it.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx

import sse_dialects as sd

URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
WORKERS = 8
TRIES = 3


def ask(client: httpx.Client, question: str, url: str = URL) -> sd.Answer | sd.SSEDialectsError:
    """The whole answer, or the error of the last try: nobody watches a batch, so whatever is retryable is tried again."""
    body: dict[str, Any] = {"model": "gpt-5-mini", "stream": True, "messages": [{"role": "user", "content": question}]}
    failure: sd.SSEDialectsError | None = None
    for _ in range(TRIES):
        try:
            with client.stream("POST", url, json=body) as response, sd.stream(response) as events:
                return events.answer()
        except sd.SSEDialectsError as error:
            failure = error
            if not error.retryable:
                break
    assert failure is not None
    return failure


def ask_all(questions: list[str], url: str = URL) -> list[sd.Answer | sd.SSEDialectsError]:
    """What became of each question, in their order."""
    headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"}
    limits = httpx.Limits(max_connections=WORKERS)
    with httpx.Client(headers=headers, limits=limits, timeout=60) as client, ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(partial(ask, client, url=url), questions))


def main() -> None:
    """Reads questions, a line each, and prints answers."""
    questions = sys.stdin.read().splitlines()
    for question, outcome in zip(questions, ask_all(questions), strict=True):
        print(question, "->", outcome.text if isinstance(outcome, sd.Answer) else f"[{outcome.kind}]")


if __name__ == "__main__":
    main()
