from __future__ import annotations

import sse_dialects as sd
from sse_dialects.cli.exit_codes import STATUS_OF_KIND, USAGE, CommandError


def test_every_way_a_stream_may_end_has_a_status() -> None:
    endings = [sd.RequestRejectedError, sd.NotAnEventStreamError, *sd.StreamError.__subclasses__()]
    assert {ending.kind for ending in endings} == set(STATUS_OF_KIND)


def test_a_command_error_is_wrong_usage_unless_it_says_otherwise() -> None:
    assert CommandError("no").status == USAGE == 2
    assert CommandError("no", 1).status == 1
