"""Payloads: JSON and what is not, several under one blank line, depth, and has_surrogates of surrogate pairs."""

from __future__ import annotations

import json
import sys

import pytest
from told import told

from sse_dialects import Decoder, LimitExceededError, Limits, MalformedStreamError, UpstreamError
from sse_dialects.dialects.payload import (
    DONE,
    BadPayloadError,
    as_json,
    clean,
    clean_names,
    dumped,
    may_have_surrogates,
    parse,
    parse_lines,
    payloads_in,
    replace_lone_surrogates,
)

HIGH, LOW = "\ud83d", "\ude00"
CHUNK = '{"choices": [{"index": 0, "delta": {"content": "x"}}]}'


@pytest.mark.parametrize("value", [{}, [], {"a": [1, {"b": None}]}, "text", 1, 1.5, True, None, "[[[["])
def test_json_is_read(value):
    assert parse(json.dumps(value), 64) == value
    assert parse(json.dumps(value), None) == value


def test_what_python_reads_beside_json_is_read():
    assert parse('{"a": Infinity}', 64) == {"a": float("inf")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "no value"),
        ('{"a": ', "no value"),
        ('{"a" 1}', "delimiter"),
        ('"abc', "unterminated string"),
        ('{"a": "\\x"}', "escape"),
        ("{} {}", "more after the value"),
        ("<html>", "markup"),
        ("data: {}", "second `data:` prefix"),
        ("1" * 5000, "ValueError"),
    ],
)
def test_the_reason_says_what_is_wrong_and_holds_no_model_text(text, reason):
    with pytest.raises(BadPayloadError) as caught:
        parse(text, 64)
    assert reason in str(caught.value)
    assert "hello" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "not json: no value at character 1 of 5"),
        ('{"a": }', "not json: no value at character 7 of 7"),
        ('{"a" 1}', "not json: expecting ':' delimiter at character 6 of 7"),
        ("{} {}", "not json: more after the value at character 3 of 5"),
    ],
)
def test_the_reason_says_where(text, reason):
    with pytest.raises(BadPayloadError) as caught:
        parse(text, 64)
    assert str(caught.value).lower() == reason


# ---- depth


def test_depth_is_bounded():
    assert parse("[" * 8 + "]" * 8, 8) is not None
    with pytest.raises(LimitExceededError) as caught:
        parse("[" * 9 + "]" * 9, 8)
    assert (caught.value.limit, caught.value.allowed) == ("max_depth", 8)


@pytest.mark.parametrize("level", ["[%s]", '{"a":%s}', '[{"a":%s}]'])
def test_arrays_and_objects_count_alike(level):
    def nested(count):
        text = "1"
        for _ in range(count):
            text = level % text
        return text

    each = level.count("[") + level.count("{")
    assert parse(nested(8 // each), 8)
    with pytest.raises(LimitExceededError):
        parse(nested(8 // each + 1), 8)


def test_levels_that_were_left_do_not_count():
    with pytest.raises(LimitExceededError):
        parse("[[],[],[[[]]]]", 3)
    assert parse("[[],[],[[[]]]]", 4)


def test_where_the_limit_is_above_what_python_reads_the_payload_is_bad():
    over = sys.getrecursionlimit() // 5 + 1
    with pytest.raises(BadPayloadError, match="recursion limit"):
        parse("[" * over + "]" * over, over)


def test_many_brackets_side_by_side_or_in_strings_are_not_deep():
    assert len(parse("[" + ",".join(["[]"] * 50) + "]", 2)) == 50
    assert parse(json.dumps({"a": '[[[["{{{{\\' * 50}), 2)
    assert parse(json.dumps(["[[[[[["]), 1)


def test_without_a_limit_pythons_own_is_a_bad_payload_not_a_recursion_error():
    with pytest.raises(BadPayloadError, match="recursion limit"):
        parse("[" * 100_000 + "]" * 100_000, None)
    assert parse("[" * 100 + "]" * 100, None)


# ---- several payloads


def test_two_payloads_under_one_blank_line_are_two():
    assert parse_lines('{"a": 1}\n\n {"b": 2} \n[DONE]', 64) == [{"a": 1}, {"b": 2}, DONE]
    assert parse_lines('{"a":\n1}', 64) is None
    assert parse_lines('{"a": 1}\n\x0b{"b": 2}', 64) is None
    with pytest.raises(LimitExceededError):
        parse_lines("[[[]]]\n{}", 2)
    assert told("chat", f"{CHUNK}\n{CHUNK}\n[DONE]").answer.text == "xx"


def test_one_payload_over_several_lines_is_one():
    assert told("chat", CHUNK.replace(", ", ",\n"), "[DONE]").answer.text == "x"


# ---- in a stream


@pytest.mark.parametrize("bad", ['{"choices": [', "hello", f"{CHUNK} x", "9" * 5000, f"{CHUNK}\nhello"])
def test_what_the_parser_rejects_is_malformed(bad):
    outcome = told("chat", CHUNK, bad, "[DONE]")
    assert isinstance(outcome.error, MalformedStreamError)
    assert outcome.error.frame_number == 2
    assert outcome.partial.text == "x"


@pytest.mark.parametrize("limits", [Limits(), Limits(max_depth=None)])
def test_nesting_without_end_never_ends_in_a_recursion_error(limits):
    deep = '{"choices": ' + "[" * 50_000 + "]" * 50_000 + "}"
    assert isinstance(told("chat", deep, limits=limits).error, (LimitExceededError, MalformedStreamError))


@pytest.mark.parametrize("payload", ["null", "7", '"text"', "[]", "true", " "])
def test_payloads_that_are_no_objects_are_ignored(payload):
    assert told("chat", payload, CHUNK, payload, "[DONE]").answer.text == "x"


def test_an_array_of_payloads_is_its_items():
    assert told("chat", f"[{CHUNK}, null, {CHUNK}, 7]", "[DONE]").answer.text == "xx"
    assert payloads_in('[1,[2]]\n{}\n"x"\n[]', None) == [1, [2], {}, "x"]


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses", "auto"])
@pytest.mark.parametrize(
    ("data", "message"),
    [("", None), (" ", None), ("null", None), ("{}", None), ("[]", None), ("7", None), ('"no"', "no"), ('["", "no"]', "no")],
)
def test_an_error_event_needs_no_words(dialect, data, message):
    decoder = Decoder(dialect)
    with pytest.raises(UpstreamError) as caught:
        list(decoder.feed(f"event: error\ndata: {data}\n\n".encode()))
    assert (caught.value.message, caught.value.raw) == (message, message)


def test_an_error_event_is_a_failure_whatever_its_data():
    outcome = told("chat", CHUNK, ("error", "Service Unavailable"))
    assert isinstance(outcome.error, UpstreamError)
    assert (outcome.error.message, outcome.error.raw, outcome.error.payload) == ("Service Unavailable",) * 3


# ---- strings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\U0001f600", "\U0001f600"),
        (HIGH + LOW, "\U0001f600"),
        (HIGH, "\ufffd"),
        (f"a{LOW}b{HIGH}", "a\ufffdb\ufffd"),
        (LOW + HIGH, "\ufffd\ufffd"),
        ("", ""),
    ],
)
def test_two_halves_side_by_side_are_a_character_and_one_alone_is_replaced(text, expected):
    assert replace_lone_surrogates(text) == expected
    assert clean({text: [text, {"x": text}, 1, None]}) == {expected: [expected, {"x": expected}, 1, None]}


def test_names_are_settled_alone_where_values_may_wait():
    assert clean_names([{HIGH: HIGH}, 1, None]) == [{"\ufffd": HIGH}, 1, None]


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (r'"\ud83d"', True),
        (r'"\uD83D"', True),
        (f'"{HIGH}"', True),
        ('"\U0001f600"', False),
        ('"plain"', False),
        (r'"\u00e4"', False),
    ],
)
def test_only_escapes_and_lenient_decoding_bring_halves_in(text, may):
    assert may_have_surrogates(text) == may


def test_arguments_sent_as_a_value_are_dumped_compactly_with_other_scripts_kept():
    assert dumped({"a": [1, "ä"], "b": None}) == as_json({"a": [1, "ä"], "b": None}) == '{"a":[1,"ä"],"b":null}'
    assert as_json('{"a": 1}') == '{"a": 1}'


@pytest.mark.parametrize("control", ["\x00", "\x08", "\t", "\n", "\x1b", "\x1f"])
def test_control_characters_inside_strings_stay_as_they_are(control):
    assert parse(f'{{"a": "x{control}y"}}', None) == {"a": f"x{control}y"}
    for text in (f'{{"a":{control}"x"', f'{{"a": x{control}}}'):
        with pytest.raises(BadPayloadError):
            parse(text, None)


def test_so_they_do_in_the_last_frame_without_its_blank_line():
    decoder = Decoder("chat")
    list(decoder.feed(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"object":"chat.completion.done","x":"\x1b\t"}'))
    decoder.close()
    assert decoder.answer().extra == {"x": "\x1b\t"}
