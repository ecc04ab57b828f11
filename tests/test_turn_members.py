"""What `Answer.turn` holds, member by member: all that has to go back, nothing that must not."""

from __future__ import annotations

import pytest
from samples import Sample, answered, block, chat, chunk, ended, messages, responses, text_block, whole
from samples.in_chat import CHAT
from samples.in_messages import MESSAGES, json_pieces, thinking, tool
from samples.in_responses import RESPONSES

import sse_dialects as sd


def turn(sample: Sample):
    return answered(sample.data, sample.dialect)[1].turn


def named(samples, name):
    return next(sample for sample in samples if sample.name == name)


# ---- chat


def reasoning_details(*deltas):
    """What a turn has of details that came in these deltas."""
    (message,) = turn(chat("", *(chunk({"reasoning_details": delta}) for delta in deltas), chunk({"content": "Hi"})))
    return message["reasoning_details"]


TEXT = {"type": "reasoning.text", "format": "f-1", "index": 0}
SUMMARY = {"type": "reasoning.summary", "format": "f-1", "index": 0}
ENCRYPTED = {"type": "reasoning.encrypted", "format": "f-1", "index": 0}


def test_reasoning_text_goes_back_with_its_signature():
    assert reasoning_details(
        [{**TEXT, "text": "Let"}], [{**TEXT, "text": " me", "signature": None}], [{**TEXT, "text": "", "signature": "EqMC"}]
    ) == [{**TEXT, "text": "Let me", "signature": "EqMC"}]


def test_a_signature_may_come_with_the_text_again_longer_or_in_pieces():
    whole = {**TEXT, "text": "a", "signature": "EqMC"}
    assert reasoning_details([whole]) == [whole]
    assert reasoning_details([{**TEXT, "text": "a"}], [{**TEXT, "signature": "Eq"}], [{**TEXT, "signature": "EqMC"}]) == [whole]
    assert reasoning_details([{**TEXT, "text": "a"}], [{**TEXT, "signature": "Eq"}], [{**TEXT, "signature": "MC"}]) == [whole]
    assert reasoning_details([whole], [{**TEXT, "signature": "EqMC"}]) == [whole]


def test_text_after_a_signature_is_another_entry():
    first, second = {**TEXT, "text": "a", "signature": "s1"}, {**TEXT, "text": "b", "signature": "s2"}
    assert reasoning_details([{**TEXT, "text": "a"}], [{**TEXT, "signature": "s1"}], [second]) == [first, second]


def test_text_under_a_signature_that_every_delta_repeats_is_one_entry():
    pieces = [{**TEXT, "text": text, "signature": "s"} for text in ("a", "b")]
    assert reasoning_details(*([piece] for piece in pieces)) == [{**TEXT, "text": "ab", "signature": "s"}]


def test_summaries_and_encrypted_data_share_an_index():
    encrypted = {**ENCRYPTED, "data": "gAAA", "id": "rs_1"}
    details = reasoning_details([{**SUMMARY, "summary": "a"}], [{**SUMMARY, "summary": "b"}], [encrypted])
    assert details == [{**SUMMARY, "summary": "ab"}, encrypted]


def test_encrypted_data_comes_whole():
    one, two = {**ENCRYPTED, "data": "gAAA"}, {**ENCRYPTED, "data": "gBBB"}
    assert reasoning_details([one], [two]) == [one, two]
    assert reasoning_details([one], [one]) == [one]


def test_entries_of_other_ids_or_indexes_stay_apart():
    rows = [{**TEXT, "text": "a", "id": "1"}, {**TEXT, "text": "b", "id": "2"}, {**TEXT, "text": "c", "id": "2", "index": 1}]
    assert reasoning_details(rows) == rows


def test_members_of_entries_newer_than_this_library_go_back_too():
    assert reasoning_details([{"type": "reasoning.new", "x": [1]}], [{"type": "reasoning.new", "x": [2], "y": "z"}]) == [
        {"type": "reasoning.new", "x": [1, 2], "y": "z"}
    ]


def test_reasoning_goes_back_under_the_names_it_came_under():
    (message,) = turn(named(CHAT, "reasoning under two names"))
    assert message == {"role": "assistant", "reasoning": "Let me", "reasoning_content": "Let me", "content": "Hi"}
    (message,) = turn(chat("", chunk({"reasoning_opaque": "gAAA", "reasoning_text": "Let"}), chunk({"reasoning_text": " me"})))
    assert (message["reasoning_opaque"], message["reasoning_text"]) == ("gAAA", "Let me")


def test_empty_reasoning_that_came_goes_back():
    (message,) = turn(chat("", chunk({"reasoning_content": "", "content": "Hi"})))
    assert message["reasoning_content"] == ""


def test_thinking_blocks_go_back_whole():
    (message,) = turn(named(CHAT, "thinking_blocks"))
    assert message["thinking_blocks"] == [
        {"type": "thinking", "thinking": "Hm", "signature": "EqMC"},
        {"type": "redacted_thinking", "data": "EmwKAhgB"},
    ]


def test_a_call_keeps_its_signature():
    (message,) = turn(named(CHAT, "a call with a signature of the provider"))
    assert message["tool_calls"][0]["extra_content"] == {"thought_signature": "CvwBA"}
    assert message["extra_content"] == {"thought_signature": "Dw=="}


def test_what_only_describes_the_answer_stays_behind():
    (message,) = turn(named(CHAT, "annotations"))
    assert message.keys() == {"role", "content"}
    (message,) = turn(chat("", chunk({"content": "Hi", "refusal": "", "images": [{}], "sources": [{}], "executed_tools": [{}]})))
    assert message == {"role": "assistant", "content": "Hi"}


def test_a_refusal_and_a_reference_to_audio_go_back():
    assert turn(named(CHAT, "a refusal")) == [{"role": "assistant", "content": "", "refusal": "I can't"}]
    assert turn(named(CHAT, "audio")) == [{"role": "assistant", "content": "", "audio": {"id": "audio_1"}}]


def test_who_speaks_and_the_content_are_always_there():
    delta = {"tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    sample = Sample("chat", "", [{"choices": [{"index": 0, "delta": delta}]}])
    assert turn(sample) == [{"role": "assistant", "content": None, "tool_calls": [called]}]


# ---- messages


def blocks(*parts, **options):
    (message,) = turn(messages("", *parts, **options))
    assert message["role"] == "assistant"
    return message["content"]


def test_thinking_goes_back_with_its_signature_and_redacted_thinking_with_its_data():
    opened = {"type": "thinking", "thinking": "", "signature": ""}
    redacted = {"type": "redacted_thinking", "data": "EmwK"}
    assert blocks(block(0, opened, *thinking("Let me see", "EqMC")), block(1, redacted), text_block(2, "Hi")) == [
        {"type": "thinking", "thinking": "Let me see", "signature": "EqMC"},
        redacted,
        {"type": "text", "text": "Hi"},
    ]


def test_thinking_that_is_not_shown_goes_back_too():
    opened = {"type": "thinking", "thinking": "", "signature": ""}
    assert blocks(block(0, opened, {"type": "signature_delta", "signature": "EqMC"})) == [{**opened, "signature": "EqMC"}]


def test_thinking_that_nobody_signed_has_an_empty_signature():
    assert blocks(block(0, {"type": "thinking", "thinking": "Hm"})) == [{"type": "thinking", "thinking": "Hm", "signature": ""}]


def test_server_tools_and_their_results_go_back():
    (message,) = turn(named(MESSAGES, "a web search with its results and the citation of one"))
    called, result, text = message["content"]
    assert (called["type"], called["input"], called["caller"]) == ("server_tool_use", {"query": "rain"}, {"type": "direct"})
    assert (result["type"], result["content"][0]["encrypted_content"]) == ("web_search_tool_result", "EqgfCio")
    assert text["citations"][0]["encrypted_index"] == "EpMBCio"


def test_a_compaction_goes_back_with_what_is_encrypted():
    (message,) = turn(named(MESSAGES, "compaction and context management"))
    assert message["content"][0] == {"type": "compaction", "content": "Earlier: rain.", "encrypted_content": "EpwBCio"}


def test_a_citation_goes_back_without_what_only_answers_have():
    cited = {"type": "page_location", "cited_text": "c", "document_index": 0}
    delta = {"type": "citations_delta", "citation": {**cited, "file_id": "file_1"}}
    sample = messages("", block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}, delta))
    assert turn(sample)[0]["content"] == [{"type": "text", "text": "a", "citations": [cited]}]
    assert answered(sample.data, "messages")[1].native["content"][0]["citations"] == [{**cited, "file_id": "file_1"}]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_text_of_nothing_but_white_space_stays_behind(text):
    assert [each["type"] for each in blocks(text_block(0, text), block(1, tool(), *json_pieces("{}")))] == ["tool_use"]


def test_without_anything_to_send_back_there_is_no_message():
    assert turn(messages("", text_block(0, ""))) == []


@pytest.mark.parametrize("text", ['{"a":1}}', "[1]", "null", "7"])
def test_input_that_is_no_object_is_wrapped_in_one(text):
    (called,) = blocks(block(0, tool(), *json_pieces(text)), end=ended("tool_use"))
    assert called["input"] == ({"INVALID_JSON": text} if text != "null" else {})


def test_input_that_is_an_object_goes_back_as_it_is():
    (called,) = blocks(block(0, tool(), *json_pieces('{"INVALID_JSON": [1, ', "null]}")), end=ended("tool_use"))
    assert called == {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"INVALID_JSON": [1, None]}}


# ---- responses


def test_items_go_back_unchanged():
    for sample in RESPONSES:
        answer = answered(sample.data, "responses")[1]
        assert answer.turn == answer.native["output"]


def test_reasoning_goes_back_with_its_encrypted_content():
    item = turn(named(RESPONSES, "a summary in two parts and encrypted content"))[0]
    assert item == {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."}],
        "encrypted_content": "gAAAAABo",
    }


def test_encrypted_content_that_is_only_there_at_the_end_goes_back():
    item = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    assert turn(responses("", whole(item, encrypted_content=None))) == [item]


def test_a_custom_call_goes_back():
    (item,) = turn(named(RESPONSES, "a custom call"))
    assert (item["type"], item["call_id"], item["name"], item["input"]) == ("custom_tool_call", "call_1", "patch", "*** a")


# ---- all of them


@pytest.mark.parametrize("sample", [CHAT[0], MESSAGES[0], RESPONSES[0]], ids=repr)
def test_a_turn_is_a_copy(sample):
    answer = answered(sample.data, sample.dialect)[1]
    answer.turn[0]["content"] = answer.turn[0]["changed"] = "changed"
    assert "changed" not in str(answer.turn)
    assert answer.turn is not answer.turn


@pytest.mark.parametrize("sample", [CHAT[0], MESSAGES[0], RESPONSES[0]], ids=repr)
def test_an_answer_that_is_not_complete_has_no_turn(sample):
    decoder = sd.Decoder(sample.dialect)
    list(decoder.feed(sample.data[:-60]))
    with pytest.raises(sd.MisuseError, match="not complete"):
        decoder.partial().turn  # noqa: B018  # the property raises
