"""`Answer.native` against what the official SDKs build: equal, but for the classes of difference that a table here names.

Over our own samples, and over recorded streams where they lie beside this checkout.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from samples import Sample, answered
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from sdks import (
    MISSING,
    Difference,
    Unsupported,
    by_anthropic,
    by_openai_chat,
    by_openai_responses,
    differences,
    payloads,
    squeezed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

pytest.importorskip("openai")
pytest.importorskip("anthropic")

BUILDERS: dict[str, tuple[str, Callable[[bytes], dict[str, Any]]]] = {
    "openai's ChatCompletionStreamState": ("chat", by_openai_chat),
    "openai's final Response": ("responses", by_openai_responses),
    "anthropic's accumulation": ("messages", lambda data: by_anthropic(data, beta=False)),
    "anthropic's accumulation with beta features": ("messages", lambda data: by_anthropic(data, beta=True)),
}
SAMPLES = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}


class Context:
    """The stream that a difference is of: its payloads, and both values."""

    def __init__(self, data: bytes, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
        self.payloads = list(payloads(data))
        self.theirs = theirs
        self.ours = ours

    def top(self, name: str) -> list[Any]:
        """The values that a member of the chunks had, in their order."""
        return [squeezed(payload[name]) for payload in self.payloads if payload.get(name) is not None]

    def of_choices(self, name: str) -> list[Any]:
        """The values that a member of the chunks' choices had, in their order."""
        choices = [choice for payload in self.payloads for choice in payload.get("choices") or []]
        return [squeezed(choice[name]) for choice in choices if choice.get(name) is not None]


# ---- how chat differs


def _top_member(it: Difference, stream: Context) -> bool:
    name = it.path.partition(".")[0]
    ours, theirs = stream.ours[name], stream.theirs.get(name)
    came = stream.top(name) + [value["usage"] for value in stream.top("x_groq") + stream.of_choices("usage") if "usage" in value]
    came += stream.of_choices("usage") if name == "usage" else []
    return name != "choices" and theirs in (None, *came) and (ours in came or _merged(stream.top(name), ours))


def _merged(values: list[Any], whole: Any) -> bool:
    merged: dict[str, Any] = {}
    for value in values:
        merged.update(value if isinstance(value, dict) else {})
    return merged == whole


def _choice_member(it: Difference, stream: Context) -> bool:
    steps = it.path.split(".")
    came = stream.of_choices(steps[1]) if len(steps) > 1 else []
    return steps[0] == "choices" and steps[1] != "message" and any(it.theirs is MISSING or it.theirs == each for each in came)


def _repeated(it: Difference, stream: Context) -> bool:
    named = it.path.rpartition(".")[2] in ("role", "id", "name", "format")
    return named and isinstance(it.theirs, str) and bool(it.ours) and it.theirs.replace(it.ours, "") == ""


def _mixed_entries(it: Difference, stream: Context) -> bool:
    return it.path.endswith(("reasoning_details", "thinking_blocks")) and len(it.ours) > len(it.theirs)


def _repeated_entries(it: Difference, stream: Context) -> bool:
    return it.path == "choices.message.executed_tools" and len(it.ours) > len(it.theirs)


def _content_parts(it: Difference, stream: Context) -> bool:
    return it.path == "choices.message.content" and isinstance(it.ours, list)


def _added_up(it: Difference, stream: Context) -> bool:
    numbers = [delta[it.path.rpartition(".")[2]] for delta in stream.of_choices("delta") if it.path.rpartition(".")[2] in delta]
    return isinstance(it.theirs, int) and numbers[-1:] == [it.ours] and sum(numbers) == it.theirs


def _tag_of_call(it: Difference, stream: Context) -> bool:
    tags = {"choices.message.tool_calls.type": "function", "choices.message.tool_calls.function.arguments": ""}
    return it.theirs is MISSING and it.path in tags and it.ours == tags[it.path]


CHAT_CLASSES = {
    "members of the chunks": (
        _top_member,
        """the SDK takes them from the first chunk, usage and fingerprint from the last; here whichever chunk says something
        counts, objects are merged, and usage of a choice or of a vendor's member is usage too""",
    ),
    "members of a choice": (
        _choice_member,
        "the SDK keeps those of the chunk that opened the choice; here the last value counts",
    ),
    "what only names something": (_repeated, "the SDK joins roles, ids, names and formats that come again; a name is no piece"),
    "reasoning entries of several types": (
        _mixed_entries,
        "the SDK merges entries by index, which types share; here by type too",
    ),
    "entries that come again": (
        _repeated_entries,
        "the SDK joins the strings of an entry that comes again; here it stands as it came",
    ),
    "content as parts": (_content_parts, "the SDK keeps the string that came before the first list, or the last list"),
    "numbers of deltas": (_added_up, "the SDK adds up numbers; here the last one counts"),
    "a call's tag": (
        _tag_of_call,
        "a call without a type is of the kind whose member it has; arguments that never came are empty",
    ),
}

# ---- how messages differ

_STABLE_BLOCKS = ("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use")


def _no_json(it: Difference, stream: Context) -> bool:
    return it.path == "content.input" and isinstance(it.ours, str)


def _later_members(it: Difference, stream: Context) -> bool:
    name = it.path.partition(".")[0]
    of_message = name not in ("content", "id", "model", "role") or _in_new_block(it, stream)
    return it.theirs is MISSING and of_message and _came(it, stream.payloads)


def _came(it: Difference, payloads: list[dict[str, Any]]) -> bool:
    """Whether a member of that name came at all, be it in a tool's input: nothing is made up."""
    return f"{it.path.rpartition('.')[2]}" in json.dumps(payloads)


def _in_new_block(it: Difference, stream: Context) -> bool:
    blocks = [block for block in stream.ours["content"] if block["type"] not in _STABLE_BLOCKS]
    return any(_at(block, it.path.split(".")[1:]) == it.ours for block in blocks)


def _at(value: Any, steps: Iterable[str]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _pieces(it: Difference, stream: Context) -> bool:
    in_pieces = it.path in ("content.content", "content.signature") and isinstance(it.theirs, str)
    return in_pieces and it.ours.endswith(it.theirs)


def _model_that_answered(it: Difference, stream: Context) -> bool:
    blocks = [payload["content_block"] for payload in stream.payloads if payload.get("type") == "content_block_start"]
    return it.path == "model" and any(block["type"] == "fallback" and block["to"]["model"] == it.ours for block in blocks)


MESSAGES_CLASSES = {
    "the model that answered": (_model_that_answered, "a fallback block names it; the SDK keeps the first"),
    "input that is no JSON": (_no_json, "the SDK parses as much of it as it can; here it stays the string that it is"),
    "members that come late": (
        _later_members,
        "the SDK leaves out what its accumulation has no line for: members of later events, deltas of blocks newer than it",
    ),
    "what comes in pieces": (_pieces, "the SDK keeps the last compaction delta and the last signature; here pieces are joined"),
}

# ---- how responses differ


def _earlier(it: Difference, stream: Context) -> bool:
    return it.theirs is MISSING and _came(it, stream.payloads[:-1])


RESPONSES_CLASSES = {
    "members that the final response lacks": (
        _earlier,
        "what earlier events had and the final response leaves out is not erased",
    ),
}

CLASSES = {"chat": CHAT_CLASSES, "messages": MESSAGES_CLASSES, "responses": RESPONSES_CLASSES}

# Streams that the SDK's accumulation cannot take at all: its words, and what they mean.
RAISES = {
    r"RuntimeError: Expected list delta entry to have an `index` key": "annotations, say, in more than one delta",
    r"TypeError: list indices must be integers or slices": "calls without an index",
    r"IndexError: list (assignment )?index out of range": "indexes that skip",
    r"RuntimeError: Unexpected event order": "a missing message_start",
    r"AttributeError: 'NoneType' object has no attribute": "members that are null or missing",
    r"KeyError: 'choices'": "a first chunk without choices",
}


def compared(data: bytes, dialect: str, build: Callable[[bytes], dict[str, Any]]) -> tuple[set[str], list[str]]:
    """The classes of difference that a stream shows, and the differences that are of none."""
    _, answer = answered(data, dialect)
    try:
        theirs, ours = squeezed(build(data)), squeezed(answer.native)
    except Unsupported as error:
        known = next((words for words in RAISES if re.search(words, str(error))), None)
        return ({known}, []) if known is not None else (set(), [f"the SDK raises {error}"])
    stream = Context(data, theirs, ours)
    seen: set[str] = set()
    unknown: list[str] = []
    for each in differences(theirs, ours):
        of = [name for name, (applies, _) in CLASSES[dialect].items() if applies(each, stream)]
        seen.update(of[:1])
        unknown += [] if of else [repr(each)]
    return seen, unknown


@pytest.mark.parametrize("builder", BUILDERS)
def test_the_samples(builder):
    dialect, build = BUILDERS[builder]
    wrong = {str(sample): unknown for sample in SAMPLES[dialect] if (unknown := compared(sample.data, dialect, build)[1])}
    assert not wrong


def test_every_class_of_difference_is_shown_by_a_sample():
    seen: set[str] = set()
    for dialect, build in BUILDERS.values():
        for sample in SAMPLES[dialect]:
            seen |= compared(sample.data, dialect, build)[0]
    named = {name for classes in CLASSES.values() for name in classes}
    assert seen >= named - {"members that the final response lacks"} | {words for words in RAISES if "index" in words}


def test_the_final_response_erases_nothing():
    last = {"type": "response.completed", "response": {"id": "r", "object": "response", "status": "completed", "output": []}}
    item = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "phase": "final_answer", "content": []}
    events = [{"type": "response.output_item.done", "output_index": 0, "item": item}]
    last["response"]["output"] = [{name: value for name, value in item.items() if name != "phase"}]
    seen, unknown = compared(Sample("responses", "", [*events, last]).data, "responses", by_openai_responses)
    assert (seen, unknown) == ({"members that the final response lacks"}, [])


@pytest.mark.parametrize("sample", RESPONSES, ids=lambda sample: sample.name)
def test_output_that_the_final_response_lacks_is_that_of_the_items(sample):
    *events, last = sample.payloads
    last = {**last, "response": {**last["response"], "output": None}}
    data = Sample("responses", sample.name, [*events, last]).data
    theirs, ours = squeezed(by_openai_responses(data)["output"]), squeezed(answered(data, "responses")[1].native["output"])
    # The status events of hosted tools count in the items; the SDK for Python leaves them out.
    kinds = {payload["type"].rpartition(".")[2] for payload in events}
    found = [
        each
        for each in differences(theirs, ours)
        if not (each.path == "status" and each.theirs is MISSING and each.ours in kinds)
    ]
    assert found == []


# ---- recorded streams


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[tuple[str, str, bytes]]:
    """Name, dialect and bytes of each recorded stream that is complete."""
    rows = [json.loads(line) for line in (shared / "corpus" / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    complete = [row for row in rows if row["expect"]["status"] == "complete"]
    return [(row["file"], row["dialect"], (shared / "corpus" / row["file"]).read_bytes()) for row in complete]


@pytest.mark.slow
@pytest.mark.parametrize("builder", BUILDERS)
def test_recorded_streams(builder, recorded):
    dialect, build = BUILDERS[builder]
    of_dialect = [(name, data) for name, of, data in recorded if of == dialect]
    wrong = {name: unknown for name, data in of_dialect if (unknown := compared(data, dialect, build)[1])}
    assert not wrong
    assert len(of_dialect) > 100
