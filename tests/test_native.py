"""The typed native form is the native form, and its members are those that streams of that dialect give."""

from __future__ import annotations

import pytest
from bodies import DIALECTS

import sse_dialects as sd
from sse_dialects import native

FORMS = {"chat": native.ChatCompletion, "messages": native.Message, "responses": native.Response}


def answer(dialect):
    with sd.stream(DIALECTS[dialect]) as events:
        return events.answer()


@pytest.mark.parametrize("dialect", FORMS)
def test_it_is_the_native_form(dialect):
    whole = answer(dialect)
    assert native.native_of(whole, dialect) is whole.native
    assert whole.native.keys() <= FORMS[dialect].__annotations__.keys()


def test_the_members_below():
    (choice,) = answer("chat").native["choices"]
    assert choice.keys() <= native.ChatChoice.__annotations__.keys()
    assert choice["message"].keys() <= native.ChatMessage.__annotations__.keys()


def test_another_dialect():
    with pytest.raises(sd.MisuseError, match="dialect 'chat', not 'messages'"):
        native.native_of(answer("chat"), "messages")
