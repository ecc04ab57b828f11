"""When a template is learned, from what, and when not. That it holds is shown in `test_template`."""

from __future__ import annotations

import json
import time

import pytest

from sse_dialects import ChatAccumulator, Decoder, Extra
from sse_dialects.dialects.parts import TextBuilder
from sse_dialects.dialects.telling import Hot
from sse_dialects.learning import Learner


def chunk(text: str, **more: object) -> bytes:
    fields = {"id": "c", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": text}}], **more}
    return f"data: {json.dumps(fields)}\n\n".encode()


def event(text: str, **more: object) -> bytes:
    fields = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text, **more}
    return f"data: {json.dumps(fields)}\n\n".encode()


def taken(frames: list[bytes], dialect: str = "chat") -> int:
    """How many of the frames the last template has taken."""
    decoder = Decoder(dialect)
    for frame in frames:
        list(decoder.feed(frame))
    return 0 if decoder._template is None else decoder._template.count


@pytest.mark.parametrize(
    ("dialect", "frame"),
    [
        ("chat", lambda n: chunk(f"{n}")),
        ("chat", lambda n: chunk(f"{n}", id=f"c-{n}")),  # a server that gives every chunk its own id
        ("chat", lambda n: chunk(f"{n}", created=1000 + n)),
        ("chat", lambda n: chunk(f"{n}", id=f"c-{n}", obfuscation="x" * n)),
        ("chat", lambda n: chunk("é" if n < 3 else f"{n}")),
        ("chat", lambda n: chunk(f"é{n}").replace(b"\\u00e9", "é".encode())),
        ("chat", lambda n: b"event: message\n" + chunk(f"{n}")),
        ("responses", lambda n: event(f"{n}", sequence_number=n)),
        ("responses", lambda n: event(f"{n}", obfuscation="x" * n, item_id="i", sequence_number=n)),  # both behind the delta
        ("responses", lambda n: event(f"{n}", sequence_number=n, obfuscation="")),
        ("responses", lambda n: event(f"{n}").replace(b"}\n", b" " * n + b"}\n")),
        ("chat", lambda n: chunk(f'"{{"a": {n}}}').replace(b"}\n", b" " * n + b"}\n")),
    ],
)
def test_what_differs_from_frame_to_frame_is_cut_out(dialect, frame):
    frames = [frame(number) for number in range(1, 12)]
    assert taken(frames, dialect) == len(frames) - 2


@pytest.mark.parametrize(
    "frame",
    [
        lambda n: chunk(f"{n}", own=n),  # tells more than the delta each time
        lambda n: chunk(f"{n}", id=f"ü{n}"),
        lambda n: chunk("", own=1),
        lambda n: b": comment\n" + chunk(f"{n}"),
        lambda n: b"event: message\n: comment\n" + chunk(f"{n}"),
        lambda n: b"id: 1\n" + chunk(f"{n}"),
        lambda n: chunk(f"{n}").replace(b"data: ", b"data:"),
        lambda n: chunk(f"{n}").replace(b"\n\n", b"\ndata: \n\n"),
    ],
)
def test_what_is_not_learned_from(frame):
    assert taken([frame(number) for number in range(1, 12)]) == 0


def test_two_cuts_side_by_side_are_no_template():
    """A counter and the spaces behind it: nothing tells where one ends."""
    assert taken([event(f"{n}", sequence_number=n).replace(b"}\n", b"  }\n") for n in range(12)], "responses") == 0


@pytest.mark.parametrize(
    ("name", "value", "others"),
    [
        *(("sequence_number", 7, [8, 9]), ("sequence_number", 7, [70, 71]), ("sequence_number", 8, [7, 9])),
        *(("obfuscation", "other", ["x", "y"]), ("obfuscation", "another", ["x", "y"])),
    ],
)
def test_a_member_of_that_name_further_inside_is_not_cut_out(name, value, others):
    """Not even where its value is what a cut is tried with."""
    frames = [event("Hi", note={name: inner}, **{name: value}) for inner in [value, value, value, *others]]
    decoder = Decoder("responses")
    extras = [told.value for frame in frames for told in decoder.feed(frame) if isinstance(told, Extra)]
    assert extras == [{name: inner} for inner in [value, *others]]


def test_an_id_that_only_the_first_frames_have_is_none_that_differs():
    assert taken([chunk("a"), *[chunk("b").replace(b'"id": "c", ', b"")] * 5]) == 4


def test_as_many_frames_pass_as_it_waits_and_one_that_teaches_nothing_makes_it_wait_too():
    learner, state = Learner(), ChatAccumulator()

    def learns(block: bytes) -> bool:
        return learner.learn(block, Hot(("delta",), TextBuilder(0, 0), None), state) is not None

    good, odd = b'data: {"delta":"a"}', b': x\rdata: {"delta":"a"}'
    assert learns(good)
    learner.fitted(0)
    assert [learns(good) for _ in range(4)] == [False, False, True, True]
    assert [learns(odd), *(learns(good) for _ in range(5))] == [False] * 5 + [True]  # the second time in a row


def test_a_template_that_fits_nothing_makes_the_next_wait():
    learner = Learner()
    waits = []
    for _ in range(8):
        learner.fitted(0)
        waits.append(learner._pause)
    assert waits == [2, 4, 8, 16, 32, 64, 64, 64]
    learner.fitted(1)
    learner.fitted(0)
    assert learner._pause == 2


@pytest.mark.alone
def test_frames_that_teach_nothing_cost_no_more_for_it():
    """Each has an id that can't be cut out: trying costs a parse or two, so it is not tried each time."""
    frames = [chunk("hello", id=f"ü{number}") for number in range(4_000)]

    def seconds(fast: bool) -> float:
        decoder = Decoder("chat")
        decoder._fast = fast
        began = time.process_time()
        for frame in frames:
            for _ in decoder.feed(frame):
                pass
        return time.process_time() - began

    assert any(seconds(True) < 1.2 * seconds(False) for _ in range(5))
