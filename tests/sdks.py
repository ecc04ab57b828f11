"""What the official SDKs build from a stream, in plain JSON, and how it differs from what we do."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AS_JSON = {"mode": "json", "warnings": False}


class Unsupported(Exception):
    """The SDK raises on this stream; its words."""


def _accumulated(build: Callable[[], Any]) -> dict[str, Any]:
    """What ``build`` gives, in plain JSON. That values are of other types than the SDK declares is no news here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return build().to_dict(**_AS_JSON)
    except Exception as error:
        raise Unsupported(f"{type(error).__name__}: {error}") from error


def payloads(data: bytes) -> Iterator[dict[str, Any]]:
    """The payloads of a stream that are JSON objects and no pings, up to ``[DONE]``."""
    parser = sd.FrameParser()
    frames = parser.feed(data)
    rest = parser.close()
    for frame in [*frames, *([rest] if rest is not None else [])]:
        if frame.done:
            return
        payload = json.loads(frame.data) if frame.data.strip() else None
        if isinstance(payload, dict) and frame.event != "ping" and payload.get("type") != "ping":
            yield payload


def by_openai_chat(data: bytes) -> dict[str, Any]:
    """`ChatCompletionStreamState` of openai, fed chunk by chunk."""
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    def build() -> Any:
        state = ChatCompletionStreamState()
        for payload in payloads(data):
            state.handle_chunk(ChatCompletionChunk.construct(**payload))
        return state.current_completion_snapshot

    return _accumulated(build)


def by_openai_responses(data: bytes) -> dict[str, Any]:
    """The `Response` that the last event carries, as openai reads it. Output that it lacks is that of the items that are done,
    which is what the SDK's own accumulation makes of it."""
    from openai.types.responses import Response

    done: dict[int, Any] = {}
    last: dict[str, Any] | None = None
    for payload in payloads(data):
        if payload["type"] == "response.output_item.done":
            done[payload["output_index"]] = payload["item"]
        elif payload["type"] in ("response.completed", "response.incomplete", "response.cancelled"):
            last = payload["response"]
    assert last is not None, "no final response"
    whole = last if last.get("output") is not None else {**last, "output": [done[index] for index in sorted(done)]}
    return _accumulated(lambda: Response.construct(**whole))


def by_anthropic(data: bytes, *, beta: bool) -> dict[str, Any]:
    """The accumulation of anthropic, that of its beta features or the stable one."""
    from anthropic.lib.streaming import _beta_messages, _messages

    def build() -> Any:
        snapshot: Any = None
        buffers: dict[int, bytes] = {}
        accumulate: Any = _beta_messages.accumulate_event if beta else _messages.accumulate_event
        headers: dict[str, Any] = {"request_headers": None} if beta else {}
        for payload in payloads(data):
            snapshot = accumulate(event=payload, current_snapshot=snapshot, json_bufs=buffers, **headers)
        return snapshot

    return _accumulated(build)


# ---- differences


def squeezed(value: Any) -> Any:
    """``value`` without what does not count: nulls, ``index`` and the SDK's own ``parsed`` members."""
    if isinstance(value, dict):
        members = ((name, squeezed(item)) for name, item in value.items() if item is not None)
        return {name: item for name, item in members if name != "index" and not name.startswith("parsed")}
    return [squeezed(item) for item in value] if isinstance(value, list) else value


class Difference:
    """One place where two values part. ``path`` names members, without the numbers of list items."""

    def __init__(self, path: tuple[str, ...], theirs: Any, ours: Any) -> None:
        self.path = ".".join(path)
        self.theirs = theirs
        self.ours = ours

    def __repr__(self) -> str:
        return f"{self.path}: the SDK has {_short(self.theirs)}, we have {_short(self.ours)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:100]} ... {text[-50:]}"


def differences(theirs: Any, ours: Any, path: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Where two squeezed values part; `MISSING` stands for what one of them lacks."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in theirs.keys() | ours.keys():
            yield from differences(theirs.get(name, MISSING), ours.get(name, MISSING), (*path, name))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for their, our in zip(theirs, ours, strict=True):
            yield from differences(their, our, path)
    elif theirs != ours:
        yield Difference(path, theirs, ours)


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()
