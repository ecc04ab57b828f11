"""Snapshots that repeat what was said are skipped, and only those; what an event holds is nobody else's."""

from __future__ import annotations

import json

import pytest
from told import of_type, stream_of, told

import sse_dialects as sd


def event(kind, /, **members):
    return {"type": f"response.{kind}", **members}


def item_event(kind, index, **item):
    return event(f"output_item.{kind}", output_index=index, item=item)


def message(text="ab", **members):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "m", "status": "completed", "role": "assistant", "content": [part], **members}


def completed(*items, **members):
    return event("completed", response={"id": "r", "status": "completed", "output": list(items), **members})


def delta(text, index=0):
    return event("output_text.delta", output_index=index, content_index=0, item_id="m", delta=text)


def extras(outcome, name):
    return [extra.value for extra in of_type(outcome, sd.Extra) if extra.name == name]


# ---- items


def test_a_delta_behind_an_items_end_is_contradicted_by_the_final_list():
    outcome = told("responses", delta("ab"), item_event("done", 0, **message()), delta("c"), completed(message()))
    assert outcome.answer.text == "ab"
    assert extras(outcome, "snapshot") == ["ab"]


def test_a_status_behind_an_items_end_is_replaced_by_the_final_list():
    search = {"type": "web_search_call", "id": "ws", "status": "completed"}
    searching = event("web_search_call.searching", output_index=0, item_id="ws")
    outcome = told("responses", item_event("done", 0, **search), searching, completed(search))
    assert outcome.answer.native["output"] == [search]


def test_another_snapshot_behind_an_items_end_is_replaced_by_the_final_list():
    outcome = told(
        "responses",
        item_event("done", 0, **message(role="assistant")),
        item_event("added", 0, **message(role="tool")),
        completed(message(role="assistant")),
    )
    assert outcome.answer.native["output"][0]["role"] == "assistant"


@pytest.mark.parametrize(
    "named",
    [
        lambda number: {"_own": number},
        lambda number: {"content": [{"type": "output_text", "text": "ab", "_own": number}]},
    ],
)
def test_a_member_that_two_items_have_comes_again_with_each(named):
    items = [message(id="a", **named(1)), message(id="b", **named(2))]
    ends = [item_event("done", index, **item) for index, item in enumerate(items)]
    assert extras(told("responses", *ends, completed(*items)), "_own") == [1, 2, 1, 2]


def test_a_member_that_two_parts_of_reasoning_have_comes_again_with_each():
    def reasoning(number):
        summary = [{"type": "summary_text", "text": "Hm", "_own": number}]
        return {"type": "reasoning", "id": f"rs{number}", "status": "completed", "summary": summary}

    items = [reasoning(1), reasoning(2)]
    ends = [item_event("done", index, **item) for index, item in enumerate(items)]
    assert extras(told("responses", *ends, completed(*items)), "_own") == [1, 2, 1, 2]


def test_a_final_list_that_repeats_gives_no_events():
    call = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    items = [message(), call]
    ends = [item_event("done", index, **item) for index, item in enumerate(items)]
    outcome, without = told("responses", *ends, completed(*items)), told("responses", *ends, completed())
    assert [event.to_dict() for event in outcome.events] == [event.to_dict() for event in without.events]
    assert outcome.answer.native["output"] == items


# ---- the response


def test_a_progress_that_lists_more_items_is_no_repetition():
    first, second = message(), message("cd", id="n")
    outcome = told(
        "responses",
        event("in_progress", response={"id": "r", "output": [first]}),
        event("in_progress", response={"id": "r", "output": [first, second]}),
    )
    assert outcome.partial.text == "abcd"


def test_a_member_that_changed_in_between_comes_again():
    progress = event("in_progress", response={"id": "r", "_own": 1})
    outcome = told("responses", progress, progress, {"_own": 2}, progress, progress)
    assert extras(outcome, "_own") == [1, 2, 1]


# ---- what an event holds


def test_editing_what_events_hold_changes_no_answer():
    def own(number):
        return {"_own": {"cents": [number]}}

    tool = {"type": "shell_call", "id": "s", "status": "in_progress", "action": {"commands": ["ls"]}}
    shown = {"type": "output_image", "detail": {"size": [1]}}
    part = {"type": "output_text", "text": "ab", "annotations": [{"url": ["u"]}], "logprobs": [{"top": ["t"]}], **own(1)}
    payloads = [
        event("created", response={"id": "r", **own(2)}),
        item_event("added", 0, **tool),
        item_event("done", 0, **tool | {"output": [{"text": ["x"]}]}),
        item_event("done", 1, **message(content=[part, shown], **own(3))),
        item_event("done", 2, type="reasoning", id="rs", summary=[{"type": "summary_text", "text": "Hm", **own(4)}]),
        event("output_text.annotation.added", output_index=1, content_index=0, annotation={"url": ["v"]}),
        event("output_text.delta", output_index=3, content_index=0, delta="x", logprobs=[{"top": ["t"]}]),
        completed(**own(5), usage={"input_tokens": 1, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 1}}),
    ]
    data = stream_of(*payloads)
    expected = told("responses", *payloads).answer
    decoder = sd.Decoder("responses")
    for one in decoder.feed(data):
        if isinstance(one, sd.Extra):
            spoil(one.value)
        elif isinstance(one, sd.UsageReported):
            spoil(one.usage.native["input_tokens_details"])
    found = decoder.answer()
    assert json.dumps(found.native) == json.dumps(expected.native)
    assert found.extra == expected.extra


def spoil(value):
    """Put something into each list and object."""
    if isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoiled")
    elif isinstance(value, dict):
        for item in list(value.values()):
            spoil(item)
        value["spoiled"] = True


# ---- half a surrogate pair


def test_half_a_pair_waits_in_a_delta_below_another_payload_of_its_frame():
    ended = event("in_progress", response={"id": "r\ud83d"})
    both = "\n".join(json.dumps(payload) for payload in (ended, delta("a\ud83d")))
    outcome = told("responses", both, delta("\ude00"), completed())
    assert outcome.answer.text == "a\U0001f600"


# ---- bounds


def test_paragraphs_of_reasoning_count_against_max_parts():
    item = {"type": "reasoning", "id": "rs", "summary": [{}] * 11}
    outcome = told("responses", item_event("done", 0, **item), completed(), limits=sd.Limits(max_parts=10))
    assert isinstance(outcome.error, sd.LimitExceededError)
    assert outcome.error.limit == "max_parts"
