"""The payloads of a frame, and the error that one reports."""

from __future__ import annotations

import pytest

from sse_dialects import Limits, MalformedStreamError, UpstreamError
from sse_dialects.dialects.telling import Teller
from sse_dialects.dialects.upstream import upstream_error, values_in

TELL = Teller(Limits())


def test_data_that_is_no_json_is_malformed_but_in_a_keep_alive():
    assert values_in("message", '{"a": 1}\n[2]', None, TELL) == [{"a": 1}, 2]
    assert values_in("heartbeat", "still here", None, TELL) == []
    with pytest.raises(MalformedStreamError):
        values_in("message", "still here", None, TELL)


@pytest.mark.parametrize(("text", "said"), [("It broke", "It broke"), ('"It broke"', "It broke"), ("{}", None), ("7", None)])
def test_an_error_event_that_holds_no_object_is_an_error_by_its_name(text, said):
    with pytest.raises(UpstreamError) as caught:
        values_in("error", text, None, TELL)
    assert caught.value.message == said


def test_the_type_of_a_whole_payload_says_what_the_payload_is():
    payload = {"type": "error", "message": "It broke"}
    assert upstream_error(payload, payload, TELL).type is None
    assert upstream_error({"type": "overloaded_error"}, payload, TELL).type == "overloaded_error"
