"""A template by itself, as a decoder has learned it: which frames it takes, alone and among many, and which it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sse_dialects import Decoder, Limits, TextDelta

if TYPE_CHECKING:
    from sse_dialects.template import Template

# Any delta in place of `@`, any counter of `#`, any padding of `*`, any spaces of `%`.
PATTERNS = {
    "nothing beside the delta": 'data: {"type":"response.output_text.delta","delta":"@"}',
    "an event line": 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"@"}',
    "a counter before it": 'data: {"type":"response.output_text.delta","sequence_number":#,"delta":"@"}',
    "a counter after it": 'data: {"delta":"@", "sequence_number":  #, "type": "response.output_text.delta"}',
    "padding after it": 'data: {"type":"response.output_text.delta","delta":"@","obfuscation":"*"}',
    "both": 'data: {"type":"response.output_text.delta","sequence_number":#,"delta":"@","obfuscation":"*"}',
    "padding with signs": 'data: {"type":"response.output_text.delta","obfuscation":"p-*","delta":"@"}',
    "spaces": 'data: {"type":"response.output_text.delta","delta":"@"%}',
    "its own text elsewhere": 'data: {"type":"response.output_text.delta","item_id":"one","delta":"@"}',
    "letters beyond ASCII": 'data: {"type":"response.output_text.delta","item_id":"é","delta":"@"}',
}

DELTAS = {  # what stands between the quotes, and what it says
    **{text: text for text in ("a", " b", "é", "\U0001f680", "\u2028", "\x7f", "x" * 600)},
    "\\n": "\n",
    '\\"': '"',
    "\\\\": "\\",
    "\\u0041": "A",
    "\\\\ud83d": "\\ud83d",
}
NO_DELTAS = ["", '"', '"b"', "\\", "\\x", "\t", "\n", "\\u00e9", "\\ud83d", "é\\u0041", "\udcff", 'a","b":"c', "\\u12"]
COUNTERS, NO_COUNTERS = ["0", "7", "10", "9" * 15], ["", "00", "07", "-1", "1.0", "x", "9" * 16, "\u0663", "0x", "1,2"]
PADDINGS, NO_PADDINGS = ["a", "0", "Ab1", "x" * 40], ["a b", "é", '"', "\\n", "a\tb", '","x":"y']
SPACES, NO_SPACES = ["", " ", " " * 30], ["x", "X", "\x0b", "\xa0", ' "', ',"x":1', " } "]


def filled(pattern: str, delta: str, counter: str = "8", padding: str = "p", spaces: str = "  ") -> bytes:
    text = pattern.replace("#", counter).replace("*", padding).replace("%", spaces).replace("@", delta) + "\n\n"
    return text.encode("utf-8", "surrogateescape")


def learned(pattern: str, limit: int | None = None) -> tuple[Decoder, Template]:
    """A decoder that has seen two frames, and its template."""
    decoder = Decoder("responses", limits=Limits(max_answer_bytes=limit))
    for _ in decoder.feed(filled(pattern, "one") * 2):
        pass
    assert decoder._template is not None
    return decoder, decoder._template


def payload(frame: bytes) -> int:
    return len(frame) - frame.index(b"{") - 2


def even_frames(pattern: str) -> dict[bytes, str]:
    """Frames that fit, with what their delta says."""
    even = {filled(pattern, delta): said for delta, said in DELTAS.items()}
    even |= {filled(pattern, "b", counter=token): "b" for token in COUNTERS}
    even |= {filled(pattern, "b", spaces=token): "b" for token in SPACES}
    return even | {filled(pattern, "b", padding=token): "b" for token in PADDINGS}


def odd_frames(pattern: str) -> list[bytes]:
    good = filled(pattern, "b")
    return [
        *(filled(pattern, delta) for delta in NO_DELTAS),
        *(filled(pattern, "b", counter=token) for token in NO_COUNTERS if "#" in pattern),
        *(filled(pattern, "b", padding=token) for token in NO_PADDINGS if "*" in pattern),
        *(filled(pattern, "b", spaces=token) for token in NO_SPACES if "%" in pattern),
        *(good[1:], good[:-1], b" " + good, good.replace(b"delta", b"Delta"), b"\n\n", b": x\n\n"),
    ]


def said(events: list[Any]) -> list[str]:
    assert all(event == TextDelta(event.text) for event in events)
    return [event.text for event in events]


@pytest.mark.parametrize("name", PATTERNS)
def test_it_takes_frames_with_other_tokens_in_its_cuts(name):
    _, template = learned(PATTERNS[name])
    payloads = 0
    for number, (even, text) in enumerate(even_frames(PATTERNS[name]).items(), 1):
        assert said([template.take(even)]) == [text]
        payloads += payload(even)
        assert (template.count, template.size) == (number, payloads)


@pytest.mark.parametrize("name", PATTERNS)
def test_it_takes_nothing_else(name):
    _, template = learned(PATTERNS[name])
    good = filled(PATTERNS[name], "b")
    assert template.run_blocks([], 0, []) == 0
    for odd in odd_frames(PATTERNS[name]):
        assert (template.take(odd), template.run(odd, []), template.run(odd + good * 7, [])) == (None, 0, 0), odd
        if odd[-2:] == b"\n\n":
            assert template.run_blocks([odd[:-2]], 0, []) == 0, odd
    assert (template.count, template.size) == (0, 0)


@pytest.mark.parametrize("many", [1, 6, 200])
@pytest.mark.parametrize("name", PATTERNS)
def test_of_many_those_are_taken_that_fit_from_the_first_on(name, many):
    good = filled(PATTERNS[name], "b")
    even = {**even_frames(PATTERNS[name]), good: "b"}
    wires = [good] * many if many < 200 else [*even, *[good] * many]
    for odd in [b"", *odd_frames(PATTERNS[name])] if many < 200 else [b"", good[:-1]]:
        decoder, template = learned(PATTERNS[name])
        out: list[Any] = []
        taken = template.run(b"".join(wires) + odd + (good if odd else b""), out)
        fitting = wires[: template.count]
        # The one before it may be left too, as what stands between the two is not as it was.
        assert len(wires) - template.count in ((0, 1) if odd else (0,)), odd
        assert (taken, said(out)) == (len(b"".join(fitting)), [even[each] for each in fitting])
        assert template.size == sum(map(payload, fitting))
        assert decoder.partial().text == "oneone" + "".join(said(out))


@pytest.mark.parametrize("many", [1, 3, 6, 200])
@pytest.mark.parametrize("name", PATTERNS)
def test_of_many_blocks_too(name, many):
    good = filled(PATTERNS[name], "b")[:-2]
    for odd in [good, *(odd[:-2] for odd in odd_frames(PATTERNS[name]) if odd[-3:-2] != b"\n")]:
        _, template = learned(PATTERNS[name])
        out: list[Any] = []
        end = template.run_blocks([b"x", *[good] * many, odd, good], 1, out)
        assert template.count in ((many + 2,) if odd is good else (many - 1, many)), odd
        assert (end, said(out)) == (1 + template.count, ["b"] * template.count), odd


@pytest.mark.parametrize("odd", [*NO_DELTAS, *DELTAS])
def test_an_odd_delta_among_many_is_looked_at_too(odd):
    pattern = PATTERNS["nothing beside the delta"]
    _, template = learned(pattern)
    good = filled(pattern, "b")
    out: list[Any] = []
    template.run(good * 6 + filled(pattern, odd) + good * 6, out)
    assert said(out) == ["b"] * 6 + [DELTAS[odd]] + ["b"] * 6 if odd in DELTAS else template.count <= 6


@pytest.mark.parametrize("many", [1, 8])
def test_spaces_are_text(many):
    pattern = PATTERNS["nothing beside the delta"]
    out: list[Any] = []
    learned(pattern)[1].run(filled(pattern, " b ") * many, out)
    assert said(out) == [" b "] * many


@pytest.mark.parametrize("many", [1, 8])
def test_what_is_gathered_under_its_own_name_grows_too(many):
    frame = b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}\n\n'
    natives = []
    for fast in (True, False):
        decoder = Decoder("chat")
        decoder._fast = fast
        for read in (frame, frame, frame * many):
            for _ in decoder.feed(read):
                pass
        assert decoder._frames_aside() == (many if fast else 0)
        natives.append(decoder.partial().native)
    assert natives[0] == natives[1]
    assert "hm" * (many + 2) in str(natives[0])


@pytest.mark.parametrize("many", [1, 7, 100])
@pytest.mark.parametrize("name", ["nothing beside the delta", "an event line"])
def test_it_takes_no_more_than_there_is_room_for(name, many):
    pattern = PATTERNS[name]
    good = filled(pattern, "b")
    allowed = 2 * payload(filled(pattern, "one")) + many * payload(good)
    for limit, fits in ((allowed + 100 * many, True), (allowed - 1, False)):
        _, one_by_one = learned(pattern, limit)
        assert [one_by_one.take(good) is not None for _ in range(many)][-1] is fits
        _, at_once = learned(pattern, limit)
        at_once.run(good * many, [])
        assert (at_once.count == many) is fits
