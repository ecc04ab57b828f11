"""`Answer.turn` is what the other side takes: it validates with the types of the SDKs' requests, and has no member that they
don't know but those that have to survive."""

from __future__ import annotations

import json
import typing
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from samples import answered
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from typing_extensions import is_typeddict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pydantic = pytest.importorskip("pydantic")
openai_chat = pytest.importorskip("openai.types.chat")
openai_responses = pytest.importorskip("openai.types.responses")
anthropic_beta = pytest.importorskip("anthropic.types.beta")

SAMPLES = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}

# Members that no request type declares, as prefixes of their paths, and why they go back all the same.
SURVIVING = {
    "chat": {
        "reasoning": "under the name it came under; the server that sent it wants it back",
        "thinking_blocks": "likewise",
        "extra_content": "a signature of the provider's",
        "tool_calls.extra_content": "likewise",
        "tool_calls.function.strict": "a member of the provider's own in a call",
    },
    "messages": {
        "tint": "a member of the provider's own in a block",
        "content.abort_reason": "newer than the SDK",
    },
    "responses": {
        "status": "custom calls have one in answers, and items go back unchanged",
        "format": "a member of the provider's own in reasoning",
        "signature": "likewise",
        "content.x_part": "likewise",
        "x_item": "a member of the provider's own in an item",
        "prompt": "likewise",
    },
}

# Parts of a turn that are of no type that the SDK knows: the other side's own.
FOREIGN = {
    "chat": {"content as parts of other kinds than text": lambda part: isinstance(part.get("content"), list)},
    "messages": {"a block newer than the SDK": lambda part: part["type"] == "hologram"},
    "responses": {
        "an item newer than the SDK": lambda part: part["type"] == "hologram_call",
        "a content part newer than the SDK": lambda part: "hologram" in str(part.get("content")),
        "a search of another provider's": lambda part: part["type"] == "web_search_call" and "queries" not in str(part),
        "citations of another provider's": lambda part: "start_index" not in str(part.get("content")),
    },
}


def adapter(dialect: str) -> Any:
    """What validates one part of a turn: a chat message, a content block, an output item."""
    kinds = {
        "chat": openai_chat.ChatCompletionMessageParam,
        "messages": anthropic_beta.BetaContentBlockParam,
        "responses": openai_responses.ResponseInputItemParam,
    }
    # Anthropic's type also takes its answers' blocks as they are, whatever their members: that would show nothing.
    dicts = tuple(kind for kind in typing.get_args(kinds[dialect]) if is_typeddict(kind))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pydantic.TypeAdapter(typing.Union[dicts])  # noqa: UP007  # the union is made here


ADAPTERS = {dialect: adapter(dialect) for dialect in SAMPLES}


def parts(turn: list[dict[str, Any]], dialect: str) -> list[dict[str, Any]]:
    return [block for message in turn for block in message["content"]] if dialect == "messages" else turn


def validated(value: Any) -> Any:
    """``value`` with everything in it validated: iterables are only when they are walked."""
    if isinstance(value, dict):
        return {name: validated(item) for name, item in value.items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    return [validated(item) for item in value]


def undeclared(part: Any, known: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths of members that the request's type does not have, and so leaves out."""
    if isinstance(part, dict):
        for name in part:
            if name in known:
                yield from undeclared(part[name], known[name], (*path, name))
            else:
                yield ".".join((*path, name))
    elif isinstance(part, list):
        for item, its in zip(part, known, strict=True):
            yield from undeclared(item, its, path)


def refused(data: bytes, dialect: str) -> list[str]:
    """What a request's type has against the turn of a stream, but for what the tables name."""
    wrong: list[str] = []
    for part in parts(answered(data, dialect)[1].turn, dialect):
        try:
            known = validated(ADAPTERS[dialect].validate_python(part))
        except pydantic.ValidationError as error:
            if not any(applies(part) for applies in FOREIGN[dialect].values()):
                wrong.append(f"{json.dumps(part)[:200]} is no part of a request: {error.errors()[0]}")
            continue
        wrong += [path for path in undeclared(part, known) if not path.startswith(tuple(SURVIVING[dialect]))]
    return wrong


@pytest.mark.parametrize("dialect", SAMPLES)
def test_the_samples(dialect):
    wrong = {sample.name: found for sample in SAMPLES[dialect] if (found := refused(sample.data, dialect))}
    assert not wrong


def test_a_whole_message_is_one():
    for sample in MESSAGES:
        if "newer" not in sample.name:
            pydantic.TypeAdapter(anthropic_beta.BetaMessageParam).validate_python(answered(sample.data, "messages")[1].turn[0])


def test_a_fault_of_ours_would_be_seen():
    thinking = {"type": "thinking", "thinking": "Hm"}
    with pytest.raises(pydantic.ValidationError):
        validated(ADAPTERS["messages"].validate_python(thinking))
    with pytest.raises(pydantic.ValidationError):
        validated(ADAPTERS["chat"].validate_python({"role": "assistant", "tool_calls": [{"id": "c", "type": "function"}]}))
    known = validated(ADAPTERS["messages"].validate_python({**thinking, "signature": "s", "estimated_tokens": 4}))
    assert list(undeclared({**thinking, "signature": "s", "estimated_tokens": 4}, known)) == ["estimated_tokens"]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", SAMPLES)
def test_recorded_streams(dialect, shared: Path):
    rows = [json.loads(line) for line in (shared / "corpus" / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    names = [row["file"] for row in rows if row["dialect"] == dialect and row["expect"]["status"] == "complete"]
    wrong = {name: found for name in names if (found := refused((shared / "corpus" / name).read_bytes(), dialect))}
    assert not wrong
    assert len(names) > 100
