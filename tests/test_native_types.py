"""`Answer.native` validates with the SDKs' own types wherever the stream sent what they require.

Where it does not, a table here says what is amiss and why; that the stream itself was like that is computed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from samples import Sample, answered
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from sdks import payloads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pydantic = pytest.importorskip("pydantic")
openai_chat = pytest.importorskip("openai.types.chat")
openai_responses = pytest.importorskip("openai.types.responses")
anthropic = pytest.importorskip("anthropic.types")
anthropic_beta = pytest.importorskip("anthropic.types.beta")

TYPES = {"chat": openai_chat.ChatCompletion, "messages": anthropic_beta.BetaMessage, "responses": openai_responses.Response}
SAMPLES = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}

# What streams did not send that the SDK's type requires, by member.
LACKING = {
    "chat": {
        "choices.message.role": "a server that never says who speaks, or not in every choice",
    },
    "messages": {
        "id": "no message_start",
        "model": "no message_start",
        "role": "no message_start",
        "usage.input_tokens": "no message_start",
        "content.signature": "thinking of a provider that signs none",
        "content.trigger": "recorded before the member was there",
        "usage.server_tool_use.web_fetch_requests": "recorded before the member was there",
    },
    "responses": {
        "usage.input_tokens_details.cache_write_tokens": "recorded before the member was there",
        "parallel_tool_calls": "a short response in a test of its source",
        "tool_choice": "a short response in a test of its source",
        "tools": "a short response in a test of its source",
        "output.action": "a search of another provider than the SDK's",
        "output.content.annotations.title": "a citation of another provider than the SDK's",
        "output.content.annotations.start_index": "a citation of another provider than the SDK's",
        "output.content.annotations.end_index": "a citation of another provider than the SDK's",
    },
}

# The samples that did not send it, and which member each lacks.
LACK = {
    "messages: thinking without a signature": {"content.signature"},
    "messages: a message without a start": {"id", "model", "role", "usage.input_tokens"},
    "responses: usage without what is new in it": {"usage.input_tokens_details.cache_write_tokens"},
}

# Values of another kind than the type has, by member; they are as they came.
OTHER = {
    "chat": {
        "choices.message.content": "content as a list of parts",
        "choices.finish_reason": "an empty reason, or one of the provider's own",
        "service_tier": "a tier of the provider's own",
    },
    "messages": {
        "content.input": "input that is not JSON stays the string that it is",
        "content.type": "a block newer than the SDK",
    },
    "responses": {
        "output.type": "an item newer than the SDK",
        "output.content.type": "a content part newer than the SDK",
        "output.action.sources.type": "a source newer than the SDK",
        "service_tier": "a tier of the provider's own",
    },
}


def faults(type: Any, value: dict[str, Any]) -> set[tuple[str, bool]]:
    """``(path of the member, whether it is missing)`` for what keeps ``value`` from being of that type."""
    try:
        type.model_validate(value)
    except pydantic.ValidationError as error:
        rows = [(each["loc"], each["type"]) for each in error.errors()]
        return {(".".join(_members(value, steps)), kind == "missing") for steps, kind in _of_the_right_variants(rows)}
    return set()


def _of_the_right_variants(rows: list[tuple[tuple[Any, ...], str]]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Pydantic reports what is amiss with each type of a union. What counts is said of those whose ``type`` member fits; where
    none fits, that alone counts."""
    others = {steps[:-1] for steps, kind in rows if steps[-1] == "type" and kind == "literal_error"}
    for steps, kind in rows:
        inside = min((other for other in others if steps[: len(other)] == other), key=len, default=None)
        if inside is None:
            yield steps, kind
        elif steps == (*inside, "type"):
            variants = {each[: len(inside)] for each, _ in rows if each[: len(inside) - 1] == inside[:-1]}
            if variants <= others:
                yield steps, kind


def _members(value: Any, steps: tuple[Any, ...]) -> Iterator[str]:
    """The members among the steps: neither the numbers of items nor the names of a union's types."""
    for step in steps:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step]
        elif isinstance(value, dict) and (step in value or step == steps[-1]):
            value = value.get(step)
            yield step


def unexplained(data: bytes, dialect: str) -> list[str]:
    """What keeps the native form of a stream from being of the SDK's type, and is in no table or is not the stream's doing."""
    native = answered(data, dialect)[1].native
    wrong: list[str] = []
    for path, missing in faults(TYPES[dialect], native):
        if path not in (LACKING if missing else OTHER)[dialect]:
            wrong.append(f"{path} is {'missing' if missing else 'of another kind'}")
        elif missing and _was_sent(path.split("."), list(payloads(data)), native):
            wrong.append(f"{path} is missing, though the stream sent it")
    return wrong


def _was_sent(steps: list[str], sent: Any, native: dict[str, Any]) -> bool:
    """Whether a member that an object lacks came in such an object of the stream; of chat's messages, for that choice."""
    if steps[0] == "choices":
        lacking = {choice["index"] for choice in native["choices"] if steps[-1] not in choice["message"]}
        sent = [choice for chunk in sent for choice in chunk["choices"] if choice["index"] in lacking]
    elif len(steps) > 1:
        sent = list(_values(sent, steps[-2]))
    return f'"{steps[-1]}": ' in json.dumps(sent)


def _values(value: Any, name: str) -> Iterator[Any]:
    """What stands in ``value`` under that name, however deep."""
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    for item in items:
        yield from _values(item, name)
    if isinstance(value, dict) and name in value:
        yield value[name]


@pytest.mark.parametrize("dialect", SAMPLES)
def test_the_samples(dialect):
    wrong = {sample.name: found for sample in SAMPLES[dialect] if (found := unexplained(sample.data, dialect))}
    assert not wrong


def test_the_samples_that_lack_a_member_are_listed_with_it():
    lack: dict[str, set[str]] = {}
    for samples in SAMPLES.values():
        for sample in samples:
            native = answered(sample.data, sample.dialect)[1].native
            lack[str(sample)] = {path for path, missing in faults(TYPES[sample.dialect], native) if missing}
    assert {name: members for name, members in lack.items() if members} == LACK
    assert {(name.partition(":")[0], path) for name, paths in LACK.items() for path in paths} <= {
        (dialect, path) for dialect, paths in LACKING.items() for path in paths
    }


def test_what_openai_and_anthropic_themselves_send_validates_whole():
    from samples import in_chat, in_messages, in_responses

    own = [*in_chat.OPENAI, *in_messages.STABLE, *in_messages.BETA, *in_responses.OPENAI]
    amiss = {str(sample): faults(TYPES[sample.dialect], answered(sample.data, sample.dialect)[1].native) for sample in own}
    assert {name: found for name, found in amiss.items() if found} == {
        "messages: a call cut off in its input": {("content.input", False)},
    }


def test_the_stable_message_type_takes_what_is_not_beta():
    from samples import in_messages

    for sample in in_messages.STABLE:
        expected = {("content.input", False)} if "cut off" in sample.name else set()
        assert faults(anthropic.Message, answered(sample.data, "messages")[1].native) == expected, sample


def test_a_fault_of_ours_would_be_seen():
    native = answered(MESSAGES[0].data, "messages")[1].native
    assert faults(TYPES["messages"], {**native, "content": [{"type": "text"}]}) == {("content.text", True)}
    assert faults(TYPES["messages"], {**native, "content": [{"type": "text", "text": 7}]}) == {("content.text", False)}
    assert faults(TYPES["messages"], {**native, "content": [{"type": "new"}]}) == {("content.type", False)}
    sample = Sample("chat", "", [{"id": "c", "created": 1, "choices": [{"index": 0, "delta": {"role": "assistant"}}]}])
    assert unexplained(sample.data, "chat") == ["model is missing"]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", SAMPLES)
def test_recorded_streams(dialect, shared: Path):
    rows = [json.loads(line) for line in (shared / "corpus" / "expect.jsonl").read_text(encoding="utf-8").splitlines()]
    names = [row["file"] for row in rows if row["dialect"] == dialect and row["expect"]["status"] == "complete"]
    wrong = {name: found for name in names if (found := unexplained((shared / "corpus" / name).read_bytes(), dialect))}
    assert not wrong
    assert len(names) > 100


def test_the_tables_name_members_of_the_types():
    for dialect, type in TYPES.items():
        for path in (*LACKING[dialect], *OTHER[dialect]):
            assert path.partition(".")[0] in type.model_fields, path
