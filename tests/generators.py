"""Hypothesis strategies that write random valid streams of each dialect, and know what they mean.

A `Script` is a list of ``(event, payload)`` and what the stream adds up to; `streams` turns one into bytes, with any mix of line
ends, comments, fields that mean nothing, multi-line data and escapes. All choices are drawn as numbers through a `Pen`: that is
several times faster than a strategy for each, and shrinks as well.
"""

from __future__ import annotations

import json
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

Frame = dict[str, Any]

_PIECES = [
    "a",
    "word ",
    " ",
    "\n",
    "\r\n",
    '"',
    "\\",
    "{}",
    "é",
    "☃",
    "😀",
    "𝄞",
    "\u2028",
    "\u0085",
    "\ufeff",
    "\0",
    "<",
    "data: x",
]
_NAMES = ["get_weather", "f", "suche_ü", "a-b"]


class Pen:
    """Draws what a writer has to decide. Zero is the simplest decision."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high)) if high > low else low

    def coin(self) -> bool:
        return bool(self.number(0, 1))

    def pick(self, items: Sequence[T]) -> T:
        return items[self.number(0, len(items) - 1)]

    def some(self, *items: T) -> list[T]:
        """Those of the items that are not left out."""
        left_out = self.number(0, 2 ** len(items) - 1)
        return [item for place, item in enumerate(items) if not left_out >> place & 1]

    def text(self) -> str:
        """One to five pieces that have been trouble somewhere."""
        number = self.number(0, len(_PIECES) ** 5 - 1)
        pieces = [_PIECES[number % len(_PIECES)]]
        while number := number // len(_PIECES):
            pieces.append(_PIECES[number % len(_PIECES)])
        return "".join(pieces)

    def pieces(self, text: str) -> list[str]:
        """``text`` cut at any UTF-16 unit, also in the middle of a surrogate pair; some pieces are empty."""
        units = text.encode("utf-16-le")
        size = len(units) // 2 + 1
        cuts = self.number(0, size**3 - 1)
        edges = [0, *sorted(2 * (cuts // size**place % size) for place in range(3) if cuts >= size**place), len(units)]
        return [units[start:end].decode("utf-16-le", "surrogatepass") for start, end in pairwise(edges)]

    def document(self) -> dict[str, Any]:
        """A small object."""
        return self.pick([{}, {"city": "Oslo"}, {"q": self.text()}, {"ü": [1, None, self.text()], "n": 1.5}])

    def mixed(self, rows: Sequence[Sequence[T]]) -> list[T]:
        """The rows' items in any order in which each row keeps its own, and the rows begin one after another."""
        waiting = [list(row) for row in rows if row]
        begun: list[list[T]] = []
        mixed: list[T] = []
        while begun or waiting:
            at = self.number(0, len(begun) - (not waiting))
            if at == len(begun):
                begun.append(waiting.pop(0))
            mixed.append(begun[at].pop(0))
            begun = [row for row in begun if row]
        return mixed


class Meant:
    """What one choice adds up to. ``calls`` are ``(id, name, kind, arguments)``."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.thoughts: list[str] = []
        self.calls: list[tuple[str, str, str, str]] = []
        self.finish = ""


class Script:
    """A stream before it is bytes; the last frame is the terminating one."""

    def __init__(self, dialect: str, frames: list[tuple[str, Any]], choices: list[Meant]) -> None:
        self.dialect = dialect
        self.frames = frames
        self.choices = choices


# ---- chat


def chat(pen: Pen) -> Script:
    """Chunks of a chat completion of one to three choices."""
    head = {"id": pen.pick(["c-1", "ü"]), "object": "chat.completion.chunk", "model": "m", "created": 1}
    rows, meant = [], []
    for index in range(pen.pick([1, 1, 1, 2, 3])):
        deltas, choice = _chat_choice(pen)
        ends: Frame = {"delta": {}, "finish_reason": choice.finish}
        rows.append([{"index": index, **row} for row in [*({"delta": delta} for delta in deltas), ends]])
        meant.append(choice)
    chunks: list[Frame] = [{**head, "choices": [row]} for row in pen.mixed(rows)]
    first = chunks[0]["choices"][0]
    first["delta"] = {"role": "assistant", **first["delta"]}
    chunks += pen.some({**head, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
    if pen.coin():
        chunks.insert(pen.number(0, len(chunks)), {"choices": [], "x_anything": pen.document()})
    return Script("chat", [*(("", chunk) for chunk in chunks), ("", "[DONE]")], meant)


def _chat_choice(pen: Pen) -> tuple[list[Frame], Meant]:
    meant = Meant()
    meant.finish = pen.pick(["stop", "length", "tool_calls", "content_filter"])
    deltas: list[Frame] = []
    for _ in range(pen.number(0, 4)):
        kind = pen.pick(["content", "reasoning_content", "tool_calls", "refusal", "other"])
        if kind == "tool_calls":
            deltas += _chat_calls(pen, meant)
        elif kind == "other":
            deltas.append({"x_unknown": pen.document(), "annotations": [{"n": len(deltas)}]})
        else:
            text = pen.text()
            deltas += [{kind: piece} for piece in pen.pieces(text)]
            if kind == "content":
                meant.text += text
            elif kind == "refusal":
                meant.refusal += text
            else:
                meant.thoughts.append(text)
    meant.thoughts = ["".join(meant.thoughts)]
    return deltas, meant


def _chat_calls(pen: Pen, meant: Meant) -> list[Frame]:
    """One to three calls whose pieces come in any order."""
    rows: list[list[Frame]] = []
    for _ in range(pen.number(1, 3)):
        index, id, name = len(meant.calls), f"call_{len(meant.calls)}", pen.pick(_NAMES)
        kind, member = pen.pick([("function", "arguments"), ("function", "arguments"), ("custom", "input")])
        arguments = pen.text() if kind == "custom" else json.dumps(pen.document(), ensure_ascii=pen.coin())
        again = {"id": id} if pen.coin() else {}
        row: list[Frame] = [{"index": index, "id": id, "type": kind, kind: {"name": name, member: ""}}]
        rows.append(row + [{"index": index, **again, kind: {member: piece}} for piece in pen.pieces(arguments)])
        meant.calls.append((id, name, kind, arguments))
    return [{"tool_calls": [element]} for element in pen.mixed(rows)]


# ---- messages


def messages(pen: Pen) -> Script:
    """Events of one message; blocks may overlap, as their indexes allow."""
    meant = Meant()
    meant.finish = pen.pick(["end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"])
    rows: list[list[Frame]] = []
    for index in range(pen.number(0, 4)):
        block, deltas = pen.pick(_BLOCKS)(pen, meant)
        row = [{"type": "content_block_start", "content_block": block}]
        row += [{"type": "content_block_delta", "delta": delta} for delta in deltas]
        rows.append([{**event, "index": index} for event in [*row, {"type": "content_block_stop"}]])
    events = pen.mixed(rows) if pen.coin() else [event for row in rows for event in row]
    start = {"id": "m-1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 3}}
    events.insert(0, {"type": "message_start", "message": start})
    for _ in range(pen.number(0, 2)):
        events.insert(pen.number(1, len(events)), pen.pick([{"type": "ping"}, {"type": "new_event", "x": 1}]))
    events.append({"type": "message_delta", "delta": {"stop_reason": meant.finish}, "usage": {"output_tokens": 4}})
    return Script("messages", [(event["type"], event) for event in [*events, {"type": "message_stop"}]], [meant])


def _text_block(pen: Pen, meant: Meant) -> tuple[Frame, list[Frame]]:
    text = pen.text()
    meant.text += text
    deltas: list[Frame] = [{"type": "text_delta", "text": piece} for piece in pen.pieces(text)]
    deltas += pen.some({"type": "citations_delta", "citation": {"cited_text": text}})
    return {"type": "text", "text": ""}, deltas


def _thinking_block(pen: Pen, meant: Meant) -> tuple[Frame, list[Frame]]:
    meant.thoughts.append(pen.text())
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pen.pieces(meant.thoughts[-1])]
    return {"type": "thinking", "thinking": ""}, [*deltas, {"type": "signature_delta", "signature": "s1g=="}]


def _redacted_block(pen: Pen, meant: Meant) -> tuple[Frame, list[Frame]]:
    return {"type": "redacted_thinking", "data": "cipher"}, []


def _tool_block(pen: Pen, meant: Meant) -> tuple[Frame, list[Frame]]:
    id, name = f"toolu_{len(meant.calls)}", pen.pick(_NAMES)
    arguments = pen.pick(["", json.dumps(pen.document())])
    meant.calls.append((id, name, "function", arguments or "{}"))
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pen.pieces(arguments)]
    return {"type": "tool_use", "id": id, "name": name, "input": {}}, deltas


def _server_block(pen: Pen, meant: Meant) -> tuple[Frame, list[Frame]]:
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pen.pieces(json.dumps(pen.document()))]
    return {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}, deltas


_BLOCKS = [_text_block, _thinking_block, _tool_block, _redacted_block, _server_block]


# ---- responses


def responses(pen: Pen) -> Script:
    """Events of one response; calls in a row may overlap, and what servers leave out is left out at random."""
    meant = Meant()
    meant.finish = pen.pick(["completed", "completed", "max_output_tokens"])
    rows: list[list[Frame]] = []
    items: list[Frame] = []
    for index in range(pen.number(0, 4)):
        row, item = pen.pick(_ITEMS)(pen, meant)
        rows.append([{**event, "output_index": index} for event in row])
        items.append(item)
    events: list[Frame] = []
    for calls, group in groupby(rows, key=_is_call):
        overlapping = calls and pen.coin()
        together = list(group)
        events += pen.mixed(together) if overlapping else [event for row in together for event in row]
    head = {"id": "r-1", "object": "response", "model": "m"}
    events[:0] = pen.some({"type": "response.created", "response": {**head, "status": "in_progress", "output": []}})
    if pen.coin():
        events.insert(pen.number(0, len(events)), {"type": "response.new.event", "x": 1})
    usage = {"usage": {"input_tokens": 3, "output_tokens": 4}}
    response: Frame = {**head, **usage, **pen.pick([{"output": items}, {"output": []}, {}])}
    if meant.finish == "completed":
        events.append({"type": "response.completed", "response": {**response, "status": "completed"}})
    else:
        cut = {"status": "incomplete", "incomplete_details": {"reason": meant.finish}}
        events.append({"type": "response.incomplete", "response": {**response, **cut}})
    return Script("responses", [(event["type"], event) for event in events], [meant])


def _is_call(row: list[Frame]) -> bool:
    return "call_id" in row[0].get("item", {})


def _message_item(pen: Pen, meant: Meant) -> tuple[list[Frame], Frame]:
    row: list[Frame] = [{"type": "response.output_item.added", "item": {"type": "message", "role": "assistant", "content": []}}]
    content: list[Frame] = []
    for place in range(pen.number(0, 2)):
        kind, member = pen.pick([("output_text", "text"), ("output_text", "text"), ("refusal", "refusal")])
        text = pen.text()
        setattr(meant, member, getattr(meant, member) + text)
        content.append({"type": kind, member: text})
        row += [
            {**event, "content_index": place}
            for event in [
                {"type": "response.content_part.added", "part": {"type": kind, member: ""}},
                *({"type": f"response.{kind}.delta", "delta": piece} for piece in pen.pick([pen.pieces(text), []])),
                {"type": f"response.{kind}.done", member: text},
                *pen.some({"type": "response.content_part.done", "part": content[-1]}),
            ]
        ]
    item = {"type": "message", "role": "assistant", "content": content}
    return [*row, *pen.some({"type": "response.output_item.done", "item": item})], item


def _reasoning_item(pen: Pen, meant: Meant) -> tuple[list[Frame], Frame]:
    channel, stem = pen.pick([("summary", "reasoning_summary_text"), ("content", "reasoning_text")])
    row: list[Frame] = pen.some({"type": "response.output_item.added", "item": {"type": "reasoning", "summary": []}})
    paragraphs = [pen.text() for _ in range(pen.number(1, 2))]
    for place, text in enumerate(paragraphs):
        deltas: list[Frame] = [{"type": f"response.{stem}.delta", "delta": piece} for piece in pen.pieces(text)]
        # An index of the full text that nobody announced would go on with the paragraph before.
        announced: Frame = {"type": "response.content_part.added", "part": {"type": "reasoning_text", "text": ""}}
        opened = [announced] if channel == "content" else []
        row += [
            {**event, f"{channel}_index": place}
            for event in [*opened, *deltas, *pen.some({"type": f"response.{stem}.done", "text": text})]
        ]
    meant.thoughts += paragraphs
    listed = [{"type": stem.removeprefix("reasoning_"), "text": text} for text in paragraphs]
    item = {"type": "reasoning", "summary": [], channel: listed, "encrypted_content": "cipher"}
    return [*row, *pen.some({"type": "response.output_item.done", "item": item})], item


def _call_item(pen: Pen, meant: Meant) -> tuple[list[Frame], Frame]:
    custom = pen.coin()
    member, stem = ("input", "custom_tool_call_input") if custom else ("arguments", "function_call_arguments")
    id, name, text = f"call_{len(meant.calls)}", pen.pick(_NAMES), pen.text() if custom else json.dumps(pen.document())
    meant.calls.append((id, name, "custom" if custom else "function", text))
    item: Frame = {"type": "custom_tool_call" if custom else "function_call", "call_id": id, "name": name, member: text}
    row: list[Frame] = [
        {"type": "response.output_item.added", "item": {**item, member: ""}},
        *({"type": f"response.{stem}.delta", "delta": piece} for piece in pen.pick([pen.pieces(text), []])),
        {"type": f"response.{stem}.done", member: text},
        *pen.some({"type": "response.output_item.done", "item": item}),
    ]
    return row, item


def _search_item(pen: Pen, meant: Meant) -> tuple[list[Frame], Frame]:
    item = {"type": "web_search_call", "id": "ws", "status": "completed"}
    return [{"type": "response.output_item.added", "item": {**item, "status": "in_progress"}}], item


_ITEMS = [_message_item, _reasoning_item, _call_item, _call_item, _search_item]

SCRIPTS: dict[str, Callable[[Pen], Script]] = {"chat": chat, "messages": messages, "responses": responses}


# ---- bytes


class Written:
    """A stream as bytes. From ``whole_at`` bytes on, the terminating frame's payload is in."""

    def __init__(self, script: Script, data: bytes, whole_at: int) -> None:
        self.script = script
        self.dialect = script.dialect
        self.data = data
        self.whole_at = whole_at

    def __repr__(self) -> str:
        return f"Written({self.dialect}, {self.data!r})"


_ENDS = [("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r")]
_NOISE = ["id: 7", ": keep-alive", ":", "id", "retry: 250", "retry: soon", "unknown: x", "data-x: 1", "event"]


class _Writer:
    """Lines to bytes, with line ends of any kind."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._ends = pen.pick(_ENDS)
        self.out = "\ufeff" if pen.coin() else ""

    def line(self, text: str) -> None:
        """One line. A blank one must not make a CRLF of the CR before it."""
        end = self._pen.pick(self._ends)
        self.out += "\r\n" if not text and end == "\n" and self.out.endswith("\r") else text + end


def written(pen: Pen, script: Script) -> Written:
    """A script as bytes."""
    writer = _Writer(pen)
    noisy = pen.coin()
    whole_at = 0
    for event, payload in script.frames:
        if noisy:
            writer.line(pen.pick(_NOISE))
            if pen.coin():
                writer.line("")
        for line in _lines(pen, event, payload):
            whole_at = len((writer.out + line).encode())
            writer.line(line)
        writer.line("")
    return Written(script, writer.out.encode(), whole_at)


def _lines(pen: Pen, event: str, payload: Any) -> list[str]:
    """The lines of a frame; the last one ends the payload."""
    field = pen.pick(["data: ", "data:"])
    if isinstance(payload, str):
        return [field + payload]
    named = pen.number(0, 2) if event else 0
    if named == 2:
        payload = {name: value for name, value in payload.items() if name != "type"}
    text = json.dumps(payload, ensure_ascii=pen.coin() or _has_halves(payload), indent=pen.pick([None, None, 1]))
    return [f"event: {event}"] * (named > 0) + [f"data: {line}" if line[:1] == " " else field + line for line in text.split("\n")]


def _has_halves(payload: Any) -> bool:
    try:
        json.dumps(payload, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


@st.composite
def streams(draw: Any, dialect: str) -> Written:
    """A random valid stream of a dialect."""
    pen = Pen(draw)
    return written(pen, SCRIPTS[dialect](pen))


@st.composite
def cuttings(draw: Any, data: bytes) -> list[bytes]:
    """``data`` in up to five pieces, some of them empty."""
    edges = [0, *sorted(draw(st.integers(0, len(data))) for _ in range(4)), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]
