"""Nothing that arrives is dropped: each thing that providers send is told as an event when it arrives, and is in the answer
afterwards. docs/reference/where-it-lands.md has the table of where; a test keeps it and this file the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from samples import Sample, answered
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from sdks import payloads

import sse_dialects as sd

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = [*CHAT, *MESSAGES, *RESPONSES]
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "where-it-lands.md"


class Lands:
    """Where one thing lands: the events that tell it, the places of the answer that hold it, and values to look for there."""

    def __init__(self, sample: str, events: str, places: str, *values: Any) -> None:
        self.sample = next(each for each in ALL if str(each) == sample)
        self.events = events
        self.places = places
        self.values = values

    def told(self, events: list[sd.Event]) -> list[Any]:
        """The leaves of the events that are meant: by their class, an Extra's also by its name."""
        meant = re.findall(r'(\w+)(?:\("([^"]+)"\))?', self.events)
        return [
            leaf
            for event in events
            for kind, name in meant
            if type(event).__name__ == kind and getattr(event, "name", "") == name
            for leaf in leaves(event.to_dict())
        ]

    def kept(self, answer: sd.Answer) -> Iterator[tuple[str, list[Any]]]:
        """The leaves at each of the places."""
        for place in self.places.split(", "):
            value: Any = {**answer.to_dict(), "usage": answer.to_dict()["usage"]}
            for step in place.split("."):
                value = value[int(step)] if step.isdigit() else value[step]
            yield place, list(leaves(value))


def leaves(value: Any) -> Iterator[Any]:
    """The strings and numbers in a value; empty strings and truths say nothing of themselves."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif value not in ("", None) and not isinstance(value, bool):
        yield value


def is_among(leaf: Any, found: list[Any]) -> bool:
    """Whether a leaf is there, be it as a part of a longer text."""
    return leaf in found or (isinstance(leaf, str) and any(leaf in each for each in found if isinstance(each, str)))


LANDS = {
    # chat
    "text": Lands("chat: text", "TextDelta", "text, parts, native.choices.0.message.content", "Hel", "lo"),
    "a refusal": Lands("chat: a refusal", "RefusalDelta", "refusal, parts, native.choices.0.message.refusal", "I can", "'t"),
    "logprobs of text and of a refusal": Lands(
        "chat: logprobs of text and of a refusal",
        'Extra("logprobs")',
        "extra.logprobs, native.choices.0.logprobs",
        -0.25,
        -1.5,
        -0.5,
    ),
    "annotations": Lands(
        "chat: annotations",
        'Extra("annotations")',
        "extra.annotations, native.choices.0.message.annotations",
        "https://example.org/a",
        "https://example.org/b",
    ),
    "citations and search results beside the choices": Lands(
        "chat: citations and search results beside the choices",
        'Extra("citations"), Extra("search_results")',
        "extra, native",
        "https://example.org/b",
        "A",
    ),
    "audio: its id, its data piece by piece, its transcript": Lands(
        "chat: audio", 'Extra("audio")', "extra.audio", "audio_1", "UklGRg==", "AAAA", "He", "llo", 1700003600
    ),
    "audio as one": Lands("chat: audio", 'Extra("audio")', "native.choices.0.message.audio", "audio_1", "He", "llo"),
    "images": Lands(
        "chat: images",
        'Extra("images")',
        "extra.images, native.choices.0.message.images",
        "data:image/png;base64,iVBORw0KGgo=",
    ),
    "content filter results": Lands(
        "chat: content filters",
        'Extra("content_filter_results"), Extra("content_filter_offsets")',
        "extra, native.choices.0",
        "low",
        44,
    ),
    "prompt filter results": Lands(
        "chat: content filters",
        'Extra("prompt_filter_results")',
        "extra.prompt_filter_results, native.prompt_filter_results",
        "safe",
    ),
    "service tier and system fingerprint": Lands(
        "chat: service tier, fingerprint and padding",
        'Extra("service_tier"), Extra("system_fingerprint")',
        "extra, native",
        "default",
        "fp_1",
    ),
    "sources": Lands(
        "chat: sources, timings, costs and whatever else a gateway adds",
        'Extra("sources")',
        "extra.sources, native.choices.0.message.sources",
        "https://example.org/w",
    ),
    "timings, costs and a provider's name": Lands(
        "chat: sources, timings, costs and whatever else a gateway adds",
        'Extra("timings"), Extra("cost"), Extra("provider")',
        "extra, native",
        55.5,
        0.000125,
        "Cerebras",
    ),
    "a gateway's own object, in several chunks": Lands(
        "chat: sources, timings, costs and whatever else a gateway adds",
        'Extra("x_gateway")',
        "native.x_gateway",
        "eu",
        "0.000041",
    ),
    "a stop reason beside the finish reason": Lands(
        "chat: sources, timings, costs and whatever else a gateway adds",
        'Extra("stop_reason"), Extra("native_finish_reason")',
        "extra, native.choices.0",
        154827,
        "eos",
    ),
    "reasoning": Lands(
        "chat: reasoning_content", "ReasoningDelta", "reasoning, parts, native.choices.0.message", "Let me", " see"
    ),
    "reasoning details with their signature": Lands(
        "chat: reasoning_details: text with its signature",
        'Extra("reasoning_details")',
        "native.choices.0.message.reasoning_details",
        "Let",
        " me",
        "EqMC",
        "f-1",
    ),
    "encrypted reasoning": Lands(
        "chat: reasoning_details: summary and encrypted data under one index",
        'Extra("reasoning_details")',
        "parts, native.choices.0.message.reasoning_details",
        "gAAAAB",
    ),
    "thinking blocks": Lands(
        "chat: thinking_blocks", 'Extra("thinking_blocks")', "parts, native.choices.0.message.thinking_blocks", "EqMC", "EmwKAhgB"
    ),
    "a custom call": Lands(
        "chat: a custom call",
        "ToolCallStarted, ToolCallDelta, ToolCallFinished",
        "tool_calls, parts, native.choices.0.message.tool_calls",
        "sh",
        "ls",
        " -l",
        "call_1",
    ),
    "a call's own members": Lands(
        "chat: a call with a signature of the provider",
        'Extra("extra_content"), Extra("strict")',
        "native.choices.0.message.tool_calls",
        "CvwBA",
        1,
    ),
    "content parts of other kinds": Lands(
        "chat: content as a list of parts", 'Extra("content"), Extra("thinking")', "native.choices.0.message.content", 7, 3
    ),
    "usage, with the provider's own members": Lands(
        "chat: text and usage in a chunk of its own", "UsageReported", "usage, native.usage", 12, 8, 20, 4, 3
    ),
    # messages
    "citations": Lands(
        "messages: citations of a document",
        'Extra("citations")',
        "extra.citations, native.content.0",
        "Grass is green.",
        "file_1",
    ),
    "a signature": Lands(
        "messages: thinking with its signature", 'Extra("signature")', "extra.signature, parts, native.content.0", "EqMC"
    ),
    "redacted thinking": Lands(
        "messages: redacted thinking",
        'Extra("redacted_thinking")',
        "extra.redacted_thinking, parts, native.content.0",
        "EmwKAhgB",
    ),
    "a server tool and its input": Lands(
        "messages: a web search with its results and the citation of one",
        'Extra("server_tool_use"), Extra("input_json_delta")',
        "extra, parts",
        "web_search",
        "srvtoolu_1",
    ),
    "search results": Lands(
        "messages: a web search with its results and the citation of one",
        'Extra("web_search_tool_result")',
        "extra.web_search_tool_result, parts, native.content.1",
        "EqgfCio",
        "2 days",
    ),
    "code that the provider runs, and its container": Lands(
        "messages: code that the provider runs, in its container",
        'Extra("bash_code_execution_tool_result"), Extra("container_upload"), Extra("container")',
        "extra, native",
        "a.txt",
        "file_2",
        "file_3",
        "container_1",
        "2026-01-01T00:00:00Z",
    ),
    "an MCP call of the provider": Lands(
        "messages: an MCP call of the provider and its result",
        'Extra("mcp_tool_use"), Extra("mcp_tool_result")',
        "extra, parts, native.content",
        "mcptoolu_1",
        "echo",
        "s",
    ),
    "a compaction": Lands(
        "messages: compaction and context management",
        'Extra("compaction"), Extra("compaction_delta")',
        "extra.compaction, parts, native.content.0",
        "Earlier: rain.",
        "EpwBCio",
    ),
    "context management": Lands(
        "messages: compaction and context management",
        'Extra("context_management")',
        "extra.context_management, native.context_management",
        "clear_tool_uses_20250919",
        900,
    ),
    "a stop sequence": Lands(
        "messages: a stop sequence", 'Extra("stop_sequence")', "extra.stop_sequence, native.stop_sequence", ", 3"
    ),
    "stop details": Lands(
        "messages: a refusal with its details", 'Extra("stop_details")', "extra.stop_details, native.stop_details", "cyber", "No."
    ),
    "a model that a fallback names": Lands(
        "messages: a fallback to another model",
        'Extra("fallback")',
        "extra.fallback, parts, native.content.0",
        "m-1",
        "m-2",
        "refusal",
    ),
    "usage of all kinds": Lands(
        "messages: usage with all its members", "UsageReported", "usage, native.usage", "standard", "eu", 4, 9, 2
    ),
    "metrics beside the end": Lands(
        "messages: members of a gateway, and metrics beside the end", 'Extra("metrics")', "extra.metrics", 1058, 894
    ),
    "members, blocks, deltas and events newer than this library": Lands(
        "messages: events, blocks and deltas newer than this library",
        'Extra("hologram"), Extra("hologram_delta"), Extra("message_hologram"), Extra("tint"), Extra("glow_delta")',
        "extra",
        5,
        "a",
        "b",
        3,
        "red",
        8,
    ),
    # responses
    "logprobs of a message": Lands("responses: logprobs", 'Extra("logprobs")', "extra.logprobs", -0.2512345),
    "annotations of a message": Lands(
        "responses: annotations of every kind",
        'Extra("annotations")',
        "extra.annotations, native.output.0.content.0.annotations",
        "https://example.org/a",
        "file_1",
        "cntr_1",
    ),
    "encrypted reasoning of an item": Lands(
        "responses: a summary in two parts and encrypted content",
        'Extra("encrypted_content")',
        "extra.encrypted_content, parts, native.output.0",
        "gAAAAABo",
    ),
    "a web search and its sources": Lands(
        "responses: a web search with its sources",
        'Extra("web_search_call")',
        "extra.web_search_call, parts, native.output.0",
        "rain",
        "https://example.org/r",
    ),
    "a file search and its results": Lands(
        "responses: a file search with its results",
        'Extra("file_search_call")',
        "extra.file_search_call, parts, native.output.0",
        "Rain.",
        0.93,
    ),
    "code interpreter code, as it is written": Lands(
        "responses: code that the provider runs",
        'Extra("response.code_interpreter_call_code.delta"), Extra("response.code_interpreter_call_code.done")',
        "extra, native.output.0",
        "1+",
        "1+1",
    ),
    "code interpreter output and container": Lands(
        "responses: code that the provider runs", 'Extra("code_interpreter_call")', "extra, parts, native.output.0", "2", "cntr_1"
    ),
    "image partials": Lands(
        "responses: an image with partial ones before it",
        'Extra("response.image_generation_call.partial_image")',
        "extra",
        "AAAA",
        "AAAB",
    ),
    "an image": Lands(
        "responses: an image with partial ones before it",
        'Extra("image_generation_call")',
        "extra.image_generation_call, parts, native.output.0",
        "iVBORw0KGgo=",
        "A boat",
    ),
    "MCP tools, approvals and calls": Lands(
        "responses: MCP: tools, an approval and a call",
        'Extra("mcp_list_tools"), Extra("mcp_approval_request"), Extra("mcp_call")',
        "extra, parts, native.output",
        "Says it again",
        '{"x":1}',
        '{"x":2}',
        "2",
    ),
    "a shell call and its output": Lands(
        "responses: a shell call and its output",
        'Extra("shell_call"), Extra("shell_call_output"), Extra("response.shell_call_command.delta")',
        "extra, parts, native.output",
        "ls -l",
        "a.txt",
    ),
    "a patch": Lands(
        "responses: a patch", 'Extra("apply_patch_call")', "extra.apply_patch_call, parts, native.output.0", "a.txt", "+a"
    ),
    "a computer call": Lands(
        "responses: a computer call",
        'Extra("computer_call")',
        "extra.computer_call, parts, native.output.0",
        "click",
        20,
        "cu_sc_1",
    ),
    "audio events": Lands(
        "responses: audio",
        'Extra("response.audio.delta"), Extra("response.audio.transcript.delta")',
        "extra",
        "UklGRg==",
        "Hello",
    ),
    "the phase of a message": Lands(
        "responses: commentary, a call, then the answer", 'Extra("phase")', "native.output", "commentary", "final_answer"
    ),
    "the service tier of a response": Lands(
        "responses: what a response echoes and adds",
        'Extra("service_tier")',
        "extra.service_tier, native.service_tier",
        "default",
    ),
    "a gateway's members of events, items and the response": Lands(
        "responses: members of a gateway",
        'Extra("x_item"), Extra("x_event"), Extra("x_gateway"), Extra("cost")',
        "extra",
        "i",
        "eu",
        0.00125,
    ),
}


@pytest.mark.parametrize("what", LANDS)
def test_it_is_told_when_it_arrives(what):
    row = LANDS[what]
    told = row.told(answered(row.sample.data, row.sample.dialect)[0])
    assert [value for value in row.values if not is_among(value, told)] == []


@pytest.mark.parametrize("what", LANDS)
def test_it_is_in_the_answer_afterwards(what):
    row = LANDS[what]
    answer = answered(row.sample.data, row.sample.dialect)[1]
    # What one place alone holds is not asked of it: a row's places together hold its values, each at least one.
    found = dict(row.kept(answer))
    assert [value for value in row.values if not any(is_among(value, leaves) for leaves in found.values())] == []
    assert [place for place, leaves in found.items() if not any(is_among(value, leaves) for value in row.values)] == []


def test_the_page_has_the_same_rows():
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text(encoding="utf-8").splitlines()]
    rows = {cell[0]: (cell[1], cell[2]) for cell in cells if len(cell) == 3 and cell[0] in LANDS}
    assert rows == {what: (code(row.events), code(row.places)) for what, row in LANDS.items()}


def code(words: str) -> str:
    return ", ".join(f"`{word}`" for word in words.split(", "))


# ---- every string and number of every payload

# Members that only wrap: what they say is said by the event, the part and the order, or stands in `native` alone.
WRAPPING = {
    *("type", "object", "sequence_number", "index", "output_index", "content_index", "summary_index", "annotation_index"),
    *("item_id", "id", "model", "created", "created_at", "role", "status", "obfuscation"),
}


def sent(payload: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """``(member, leaf)`` of a payload, wrapping members and what a response only echoes left out."""
    if isinstance(payload, dict):
        for member, value in payload.items():
            if member not in WRAPPING:
                yield from sent(value, member)
    elif isinstance(payload, list):
        for item in payload:
            yield from sent(item, name)
    else:
        yield from ((name, leaf) for leaf in leaves(payload))


def missing(data: bytes, dialect: str) -> tuple[set[str], set[str]]:
    """Members of which a leaf is nowhere, and members of which a leaf is not told."""
    events, answer = answered(data, dialect)
    told = list(leaves([event.to_dict() for event in events]))
    texts = joined(events)
    kept = set(map(repr, leaves(answer.to_dict())))
    long = json.dumps(answer.to_dict(), ensure_ascii=False)
    nowhere, untold = set(), set()
    known = set(map(repr, told))
    for payload in payloads(data):
        for member, leaf in sent(payload):
            if repr(leaf) in known or (isinstance(leaf, str) and (leaf in texts or is_among(leaf, told))):
                continue
            untold.add(member)
            if repr(leaf) not in kept and not (isinstance(leaf, str) and json.dumps(leaf, ensure_ascii=False)[1:-1] in long):
                nowhere.add(member)
    return nowhere, untold


def joined(events: list[sd.Event]) -> str:
    """All deltas of each part, one after another."""
    texts: dict[Any, str] = {}
    for event in events:
        piece = getattr(event, "text", getattr(event, "arguments", None))
        if isinstance(piece, str):
            texts[event.choice, event.part] = texts.get((event.choice, event.part), "") + piece
    return "\n".join(texts.values())


# What is in `native` alone, by dialect: what a response echoes of its request; numbers that come again in another precision.
UNTOLD = {
    "chat": set(),
    "messages": set(),
    "responses": {
        *("temperature", "top_p", "tool_choice", "k", "effort", "verbosity", "safety_identifier", "reason", "logprob"),
    },
}


@pytest.mark.parametrize("sample", ALL, ids=repr)
def test_every_leaf_of_a_sample_is_told_and_kept(sample: Sample):
    nowhere, untold = missing(sample.data, sample.dialect)
    assert not nowhere
    assert untold <= UNTOLD[sample.dialect]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_every_leaf_of_recorded_streams_is_in_events_or_answer(dialect, shared: Path):
    rows = [json.loads(line) for line in (shared / "corpus" / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    names = [row["file"] for row in rows if row["dialect"] == dialect and row["expect"]["status"] == "complete"]
    wrong = {name: found for name in names if (found := missing((shared / "corpus" / name).read_bytes(), dialect)[0])}
    assert wrong == {}
    assert len(names) > 100
