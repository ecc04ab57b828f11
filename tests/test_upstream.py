"""The errors that a stream itself reports."""

from __future__ import annotations

import pytest

from sse_dialects.dialects.upstream import error_event, upstream_error


@pytest.mark.parametrize(("value", "said"), [("It broke", "It broke"), ({}, None), (7, None), ("", None)])
def test_an_error_event_that_holds_no_object_is_an_error_by_its_name(value, said):
    assert error_event([value], str).message == said


def test_the_type_of_a_whole_payload_says_what_the_payload_is():
    payload = {"type": "error", "message": "It broke"}
    assert upstream_error(payload, payload, dict).type is None
    assert upstream_error(payload, payload, dict, "overloaded_error").type == "overloaded_error"
    assert upstream_error({"type": "overloaded_error"}, payload, dict).type == "overloaded_error"
