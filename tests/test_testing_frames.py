"""Frames and pieces, as the three writers make them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sse_dialects as sd
from sse_dialects.testing.frames import dumped, frame, named_frame, no_place, pieces_of


def test_frames():
    assert frame("[DONE]") == b"data: [DONE]\n\n"
    assert frame({"a": "é"}) == 'data: {"a":"é"}\n\n'.encode()
    assert named_frame({"type": "ping"}) == b'event: ping\ndata: {"type":"ping"}\n\n'


@given(st.text(st.characters()))
def test_any_text_can_be_a_member(text):
    (read,) = sd.FrameParser().feed(frame({"text": text}))
    assert json.loads(read.data) == {"text": text}


def test_half_a_surrogate_pair_is_escaped():
    assert dumped("\ud83d") == '"\\ud83d"'


@given(st.text(), st.integers(1, 5) | st.none())
def test_pieces_add_up(text, size):
    pieces = list(pieces_of(text, size))
    assert "".join(pieces) == text
    assert all(pieces)
    assert all(len(piece) == (size or len(text)) for piece in pieces[:-1])


@pytest.mark.parametrize("size", [0, -1])
def test_pieces_have_a_size(size):
    with pytest.raises(sd.MisuseError, match="from 1 up"):
        pieces_of("text", size)


def test_what_a_dialect_can_not_say():
    assert str(no_place("chat", "this", "leave it out")) == "the dialect chat has no place for this: leave it out"
