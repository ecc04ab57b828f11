"""Hypothesis asks of what it thinks of what `python -m fuzz` asks of what coverage leads it to; and that looks where it says."""

from __future__ import annotations

import random

import pytest
from generators import streams
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mutations import spoiled

import fuzz
from fuzz import seeds
from fuzz.mutator import Mutator
from fuzz.targets import TALLY, TARGETS, check

DIALECTS = ("chat", "messages", "responses")
COUNT = 40  # inputs; `-m slow` tries ten times as many


@st.composite
def inputs(draw):
    """A target and options before bytes of any kind, a valid stream, a spoiled one, or one that was changed frame by frame."""
    dialect = draw(st.sampled_from(DIALECTS))
    data = draw(
        st.one_of(
            st.binary(max_size=200),
            streams(dialect).map(lambda written: written.data),
            st.integers(0, 10**6).map(lambda seed: spoiled(seed, dialect)),
        )
    )
    start = bytes([draw(st.integers(0, len(TARGETS) - 1)), draw(st.integers(0, 255))])
    if draw(st.booleans()):
        return Mutator([data], len(TARGETS))(start + data, draw(st.integers(0, 10**6)), lambda body: body)
    return start + data


def tried(count):
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs())
    @example(b"\1\0")
    def run(data):
        check(data)

    run()


def test_inputs_of_any_kind():
    tried(COUNT)


@pytest.mark.slow
def test_more_inputs_of_any_kind():
    tried(10 * COUNT)


@pytest.mark.slow
def test_all_seeds():
    TALLY.clear()
    for target, data in seeds.streams():
        check(bytes([target, 0]) + data)
    for dialect in (*DIALECTS, "auto"):
        assert TALLY[f"{dialect}: complete"] > 20
        assert TALLY[f"{dialect}: malformed"] > 1
    assert TALLY["frames"] > 20
    assert TALLY["command line"] > 20


def test_the_corpus(tmp_path):
    count = seeds.write_corpus(tmp_path / "seeds", 1_500)
    files = list((tmp_path / "seeds").iterdir())
    assert len(files) == count > 100
    assert {file.read_bytes()[0] for file in files} == set(range(len(TARGETS)))
    assert fuzz.__doc__


def test_what_is_changed_is_the_same_each_time_and_stays_mostly_a_stream():
    known = [block for _, data in seeds.streams() for block in data.split(b"\n\n") if block]
    mutator, rng = Mutator(known, len(TARGETS)), random.Random(1)
    data = b"\1\0" + spoiled(1, "chat")
    kept = 0
    for _ in range(100):
        seed = rng.randrange(10**9)
        changed = mutator(data, seed, lambda body: body[::-1])
        assert changed == mutator(data, seed, lambda body: body[::-1])
        kept += changed.count(b"data:") > 1
    assert kept > 70
