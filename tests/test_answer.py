"""The answer and its parts: values, shortcuts, tool calls' arguments, the turn."""

from __future__ import annotations

import copy
import json
import pickle
import typing

import pytest

from sse_dialects.answer import (
    Answer,
    Choice,
    InvalidArgumentsError,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    TextPart,
    ToolCall,
    Usage,
)
from sse_dialects.root import MisuseError


def call(arguments, *, kind="function", complete=True):
    return ToolCall("call_1", "get_weather", kind, arguments, complete)


def turn_of(native):
    return [{"role": "assistant", "content": native["said"]}]


def full_answer(*, complete=True):
    weather = call('{"city": "Oslo"}')
    first = Choice(
        0,
        parts=[
            ReasoningPart("Hm", signature="sig"),
            TextPart("Hello"),
            weather,
            OtherPart({"type": "image"}),
            RefusalPart("no"),
        ],
        text="Hello",
        reasoning="Hm",
        refusal="no",
        tool_calls=[weather],
        finish_reason="tool_calls",
        native_finish_reason="stop",
        extra={"logprobs": []},
    )
    return Answer(
        "chat",
        id="a1",
        model="m",
        complete=complete,
        choices=[first, Choice(1, text="Other")],
        usage=Usage(5, 2, 7, 1, None, None, {"prompt_tokens": 5}),
        extra={"timings": {"ms": 3}},
        native={"object": "chat.completion", "said": [{"type": "text", "text": "Hello"}]},
        turn=turn_of,
    )


# ---- tool calls


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("", {}),
        ("{}", {}),
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        (' {"n": [1, null]}\n', {"n": [1, None]}),
        ("null", {}),
        ('{"a": "one\ntwo\t"}', {"a": "one\ntwo\t"}),
        ('{"é": 1}', {"é": 1}),
    ],
)
def test_arguments_are_parsed(arguments, value):
    assert call(arguments).parsed() == value


@pytest.mark.parametrize(
    "arguments", ['{"a"', "not JSON", "{'a': 1}", '{"a": 1} {"b": 2}', "[" * 100_000, '{"n": ' + "1" * 5000 + "}", " "]
)
def test_arguments_that_are_not_json_say_so(arguments):
    tool_call = call(arguments)
    with pytest.raises(InvalidArgumentsError, match=rf"'get_weather' \({len(arguments)} characters\) are not JSON \(") as caught:
        tool_call.parsed()
    assert caught.value.tool_call is tool_call
    assert caught.value.__cause__ is None
    assert "so that it can correct itself" in str(caught.value)


@pytest.mark.parametrize("arguments", ["[]", "1", '"text"', "true"])
def test_arguments_that_are_no_object_say_so(arguments):
    with pytest.raises(ValueError, match="are JSON but no object"):
        call(arguments).parsed()


def test_arguments_that_were_cut_give_other_advice():
    with pytest.raises(InvalidArgumentsError, match="not complete; don't execute it"):
        call('{"city": "Os', complete=False).parsed()


def test_a_custom_tool_takes_free_text():
    custom = call('{"looks": "like JSON"}', kind="custom")
    with pytest.raises(InvalidArgumentsError, match=r"read \.arguments instead"):
        custom.parsed()
    assert custom.so_far() == {}


def test_no_argument_text_in_the_error():
    with pytest.raises(InvalidArgumentsError) as caught:
        call('{"password": "hunter2').parsed()
    assert "hunter2" not in str(caught.value)


def test_the_error_goes_to_worker_processes():
    with pytest.raises(InvalidArgumentsError) as caught:
        call("[]").parsed()
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.tool_call) == (str(caught.value), caught.value.tool_call)
    assert again.to_dict()["kind"] == "invalid_arguments"


def test_so_far_reads_unfinished_arguments():
    assert call('{"city": "Os', complete=False).so_far() == {"city": "Os"}
    assert call("", complete=False).so_far() == {}
    assert call('{"city": "Oslo"}').so_far() == {"city": "Oslo"}


def test_the_text_so_far_as_json():
    choices = [Choice(0, text='{"a": ["b", "c'), Choice(1, text="no JSON")]
    assert Answer("chat", choices=choices).text_so_far_json() == {"a": ["b", "c"]}
    assert choices[1].text_so_far_json() == Answer(None).text_so_far_json() == {}


# ---- answer and choices


def test_the_shortcuts_are_those_of_choice_0():
    answer = full_answer()
    first = answer.choices[0]
    for name in ("text", "reasoning", "refusal", "tool_calls", "parts", "finish_reason", "native_finish_reason"):
        assert getattr(answer, name) == getattr(first, name)


def test_an_empty_answer_has_empty_shortcuts():
    answer = Answer(None)
    assert (answer.text, answer.reasoning, answer.refusal) == ("", "", "")
    assert (answer.tool_calls, answer.parts, answer.choices) == ([], [], [])
    assert (answer.finish_reason, answer.native_finish_reason, answer.usage) == (None, None, None)
    assert (answer.extra, answer.native, answer.complete) == ({}, {}, False)


def test_two_empty_answers_share_nothing():
    one, other = Answer(None), Answer(None)
    assert one.extra is not other.extra
    assert one.native is not other.native
    assert Choice(0).extra is not Choice(0).extra


def test_to_dict_is_plain_json_under_the_same_names():
    answer = full_answer()
    fields = answer.to_dict()
    assert json.loads(json.dumps(fields)) == fields
    assert set(fields) == {
        *("dialect", "id", "model", "complete", "choices", "usage", "extra", "native"),
        *("text", "reasoning", "refusal", "tool_calls", "parts", "finish_reason", "native_finish_reason"),
    }
    assert fields["choices"][0]["parts"] == fields["parts"]
    assert fields["tool_calls"] == [answer.tool_calls[0].to_dict()]
    assert fields["usage"]["total_tokens"] == 7
    assert fields["choices"][1]["text"] == "Other"


def test_each_part_says_its_type():
    assert [part["type"] for part in full_answer().to_dict()["parts"]] == ["reasoning", "text", "tool_call", "other", "refusal"]
    assert full_answer().to_dict()["parts"][0] == {"type": "reasoning", "text": "Hm", "signature": "sig", "encrypted": None}


@pytest.mark.parametrize("kind", typing.get_args(Part), ids=lambda kind: kind.__name__)
def test_every_kind_of_part_has_a_type_word(kind):
    part = kind(*(["x", "y", "function", "", True] if kind is ToolCall else [{}] if kind is OtherPart else ["x"]))
    assert Choice(0, parts=[part]).to_dict()["parts"][0]["type"] == part.type


def test_an_empty_answer_s_to_dict_has_the_same_names():
    assert set(Answer(None).to_dict()) == set(full_answer().to_dict())


def test_answers_are_values():
    assert full_answer() == full_answer()
    assert full_answer() != full_answer(complete=False)
    assert pickle.loads(pickle.dumps(full_answer())) == full_answer()
    assert pickle.loads(pickle.dumps(full_answer())).turn == full_answer().turn


def test_reprs_are_short():
    answer = Answer("chat", choices=[Choice(0, text="word " * 100_000)])
    assert len(repr(answer)) < 400
    assert len(repr(answer.choices[0])) < 400


# ---- turn


def test_the_turn_is_a_fresh_copy_at_each_access():
    answer = full_answer()
    answer.turn[0]["content"][0]["text"] = "changed"
    answer.turn.append({"role": "user"})
    assert answer.turn == [{"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}]


def test_the_turn_of_an_incomplete_answer_is_misuse():
    with pytest.raises(MisuseError, match="not complete, so it has no turn"):
        _ = full_answer(complete=False).turn


def test_the_shortcuts_are_choice_0s_wherever_it_stands():
    assert Answer("chat", choices=[Choice(-1, text="b"), Choice(0, text="a")]).text == "a"
    assert Answer("chat", choices=[Choice(1, text="b")]).text == "b"  # of a server that counts from 1


def test_answers_compare_hash_copy_and_pickle_as_values():
    call = ToolCall("call_1", "f", "function", "{}", True)
    parts = [ReasoningPart("Hm", "c2ln"), TextPart("Hi"), RefusalPart("No"), call, OtherPart({"type": "image", "sizes": [1, 2]})]
    usage = Usage(5, 2, 7, None, None, None, {"prompt_tokens": 5})
    answer = Answer(
        "chat", "a1", "m", True, [Choice(0, parts, "stop", "stop")], usage, {"logprobs": [{"token": "Hi"}]}, {"id": "a1"}
    )
    for copied in (copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert copied is not answer
        assert (copied, hash(copied)) == (answer, hash(answer))
    assert len({answer, copy.deepcopy(answer), Answer("chat"), *parts, usage}) == 8
