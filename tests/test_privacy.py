"""Errors, logs, warnings and reprs hold no text of the model, no header and no key, unless they are asked for it."""

from __future__ import annotations

import copy
import json
import logging
import random
import traceback
import warnings

import httpx
import pytest
from bodies import CHAT
from mutations import other_payload
from samples.in_chat import CHAT as CHAT_SAMPLES
from samples.in_messages import MESSAGES
from samples.in_responses import RESPONSES
from shapes import by_accumulator, by_astream, by_decoder, by_stream

import sse_dialects as sd

SECRET = "xyzzy"
# Members whose strings are what a model or a tool said. All others are the provider's.
SAID = {
    *("content", "reasoning", "reasoning_content", "refusal", "arguments", "input", "text", "thinking", "partial_json", "delta"),
    *("transcript", "code", "output", "signature", "data", "encrypted_content", "summary", "cited_text", "results"),
}
SAMPLES = [*CHAT_SAMPLES, *MESSAGES, *RESPONSES]
COUNT = 450  # spoiled streams


def marked(value, said=False):
    """A payload in which whatever was said is the secret."""
    if isinstance(value, dict):
        return {name: marked(item, name in SAID or (said and name not in {"type", "id", "name"})) for name, item in value.items()}
    if isinstance(value, list):
        return [marked(item, said) for item in value]
    return f"{SECRET} {value}" if said and isinstance(value, str) and value else value


def framed(payloads, rng):
    frames = []
    for payload in payloads:
        name = payload.get("type") if isinstance(payload, dict) else None
        event = f"event: {name}\n" if isinstance(name, str) and "\n" not in name else ""
        text = json.dumps(payload)
        if rng.random() < 0.1:  # no JSON any more
            text = text[: rng.randrange(len(text))] + rng.choice(["", "}", '"', "x"])
        frames.append(f"{event}data: {text}\n\n".encode("utf-8", "replace"))
    return frames


def spoiled_streams():
    rng = random.Random("privacy")
    for _ in range(COUNT):
        sample = rng.choice(SAMPLES)
        payloads = [marked(payload) for payload in copy.deepcopy(sample.payloads)]
        for _ in range(rng.choice([0, 1, 1, 2])):
            at = rng.randrange(len(payloads))
            payloads[at] = other_payload(rng, payloads[at])
        yield sample.dialect, framed(payloads[: rng.randrange(1, len(payloads) + 1)], rng)


def shown(error):
    """All that shows of an error which nobody asked for more."""
    facts = {name: value for name, value in error.to_dict().items() if name not in {"raw", "message", "code", "type", "param"}}
    if isinstance(error, (sd.UpstreamError, sd.RequestRejectedError)):
        del facts["description"]  # repeats the provider's own message
        return [json.dumps(facts)]
    return [str(error), repr(error), json.dumps(facts), "".join(traceback.format_exception(error)), repr(error.partial)[:40]]


def test_errors_hold_no_text_of_the_model():
    limits = sd.Limits(max_parts=3, max_tool_calls=1, max_choices=1, max_depth=6)
    kinds = set()
    for number, (dialect, frames) in enumerate(spoiled_streams()):
        options = {"limits": limits} if number % 3 == 0 else {}
        reads = [by_decoder, by_stream, by_accumulator]
        error = reads[number % 3](frames, dialect, **options).error
        if error is None:
            continue
        kinds.add(error.kind)
        for text in shown(error):
            assert SECRET not in text, text
    assert kinds >= {"truncated", "malformed", "limit"}


def test_nothing_is_logged_or_warned_of_but_httpxs_own(caplog):
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for dialect, frames in list(spoiled_streams())[:60]:
            by_stream(frames, dialect)
            by_astream(lambda frames=frames: iter(frames), dialect)
    assert [record for record in caplog.records if not record.name.startswith(("asyncio", "httpx", "httpcore"))] == []
    assert caught == []


def test_arguments_that_are_no_object_are_not_in_the_error():
    for arguments in (SECRET, f'{{"a": "{SECRET}', f'["{SECRET}"]', f'"{SECRET}"'):
        with pytest.raises(sd.InvalidArgumentsError) as caught:
            sd.ToolCall("c", "f", "function", arguments, True).parsed()
        texts = [str(caught.value), json.dumps(caught.value.to_dict()), "".join(traceback.format_exception(caught.value))]
        assert all(SECRET not in text for text in texts)


def test_headers_keys_and_addresses_are_not_in_errors():
    request = httpx.Request("POST", f"http://user:{SECRET}@localhost/v1?key={SECRET}", headers={"Authorization": SECRET})
    headers = {"Set-Cookie": SECRET, "X-Account": SECRET, "Location": f"https://user:{SECRET}@other/v1?sig={SECRET}#{SECRET}"}
    for status in (200, 204, 302, 401, 429, 500):
        for content in (b"", b"<html>", b"data: {", b"".join(CHAT[:2])):
            response = httpx.Response(status, headers=headers, content=content, request=request)
            error = by_stream(response).error
            for text in (str(error), repr(error), json.dumps(error.to_dict()), "".join(traceback.format_exception(error))):
                assert SECRET not in text
    assert by_stream(httpx.Response(401, headers=headers, request=request)).error.headers["x-account"] == SECRET  # asked for


def test_reprs_are_short_and_begin_no_text_of_their_own():
    long = "word " * 10_000
    decoder = sd.Decoder("chat")
    source = [CHAT[0].replace(b"Hel", long.encode()), *CHAT[1:]]
    events = [event for data in source for event in decoder.feed(data)]
    answer = decoder.answer()
    for value in (*events, *answer.parts, answer.choices[0], answer.usage, decoder, sd.Frame(data=long)):
        assert len(repr(value)) < 400
    assert len(repr(answer)) < 2_000
    stream = sd.stream(source)
    next(stream)
    assert "word" not in repr(stream)
    call = sd.ToolCall("c", "f", "function", long, True)
    assert len(repr(call)) < 300


@pytest.mark.parametrize("size", [10, 199, 200, 201, 100_000])
def test_a_preview_is_short(size):
    error = by_decoder([b"<" + b"x" * (size - 1)]).error
    assert error.preview == "<" + "x" * (min(size, 200) - 1)
    assert error.preview not in str(error)
