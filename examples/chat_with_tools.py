"""A chat at the prompt, with a tool: text as it arrives, calls run when they are
certain, a retry while nothing was shown.

    pip install 'sse-dialects[httpx]'
    OPENAI_API_KEY=... python examples/chat_with_tools.py

Without a key (start ``sse-dialects demo --serve`` in another terminal):

    OPENAI_BASE_URL=http://127.0.0.1:8765/v1 python examples/chat_with_tools.py
"""

from __future__ import annotations

import datetime
import json
import os
import sys
import time
from typing import Any

import httpx

import sse_dialects as sd

URL = (
    os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
)
MODEL = os.environ.get("MODEL", "gpt-5.4-mini")
ATTEMPTS = 3
LONGEST_WAIT_S = 30

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "days_until",
            "description": "How many days there are from today until a date.",
            "parameters": {
                "type": "object",
                "properties": {"date": {"type": "string"}},
                "required": ["date"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city right now.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    },
]


def days_until(date: str) -> Any:
    """A tool that computes."""
    return (datetime.date.fromisoformat(date) - datetime.date.today()).days


def get_weather(city: str) -> Any:
    """A tool that would ask somebody else."""
    return {"city": city, "celsius": 12, "sky": "rain"}


FUNCTIONS: dict[str, Any] = {"days_until": days_until, "get_weather": get_weather}


def main() -> None:
    """Read questions until there are no more."""
    key = os.environ.get("OPENAI_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    history: list[dict[str, Any]] = []
    with httpx.Client(headers=headers, timeout=60) as client:
        for question in questions():
            asked = [*history, {"role": "user", "content": question}]
            try:
                history = answered(client, asked)
            except (sd.SSEDialectsError, httpx.TransportError) as error:
                # The history stays as it was before the question.
                print(f"\n{error}", file=sys.stderr)


def questions() -> Any:
    """What is typed, line by line."""
    while True:
        try:
            yield input("you: ")
        except EOFError:
            print()
            return


def answered(
    client: httpx.Client, history: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The history with the model's turns and its calls' results added, once it has no
    more calls."""
    answer = ask(client, history)
    history = [*history, *answer.turn]
    while answer.tool_calls and answer.finish_reason == "tool_calls":
        history += [result_of(call) for call in answer.tool_calls]
        answer = ask(client, history)
        history += answer.turn
    return history


def ask(client: httpx.Client, history: list[dict[str, Any]]) -> sd.Answer:
    """One whole answer. Tried again only while the person at the prompt has seen
    nothing of it."""
    request = {"model": MODEL, "stream": True, "messages": history, "tools": TOOLS}
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return show(client, request)
        except sd.SSEDialectsError as error:
            if error.delivered or not error.retryable or attempt == ATTEMPTS:
                raise
            time.sleep(min(error.retry_after or attempt, LONGEST_WAIT_S))
    raise AssertionError


def show(client: httpx.Client, request: dict[str, Any]) -> sd.Answer:
    """Send one request and print the answer as it comes."""
    with (
        client.stream("POST", URL, json=request) as response,
        sd.stream(response, content_timeout=60) as events,
    ):
        for event in events:
            match event:
                case sd.TextDelta(text):
                    print(text, end="", flush=True)
                case sd.ToolCallFinished(call):
                    print(f"\n[{call.name} {call.arguments}]", flush=True)
        print()
        return events.answer()


def result_of(call: sd.ToolCall) -> dict[str, Any]:
    """The message that tells the model what a call gave, or why it gave nothing."""
    try:
        result = FUNCTIONS[call.name or ""](**call.parsed())
    except (sd.InvalidArgumentsError, KeyError, TypeError, ValueError) as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)}


if __name__ == "__main__":
    main()
