"""The root of the error tree: facts as attributes, plain JSON, and a way through process borders."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from sse_dialects.root import MisuseError, SSEDialectsError


def test_an_error_knows_whether_to_try_again():
    error = SSEDialectsError("it broke", retryable=True, retry_after=2.5)
    assert (error.retryable, error.retry_after, error.delivered, error.decoded) == (True, 2.5, False, [])
    assert str(error) == "it broke"


def test_the_default_is_not_to_try_again():
    error = SSEDialectsError("it broke")
    assert (error.retryable, error.retry_after) == (False, None)


def test_to_dict_is_plain_json():
    expected = {
        "kind": "misuse",
        "description": "no",
        "retryable": False,
        "delivered": False,
        "retry_after": None,
        "request_id": None,
    }
    assert MisuseError("no").to_dict() == expected
    assert json.loads(json.dumps(expected)) == expected


def test_misuse_is_a_runtime_error_too():
    with pytest.raises(RuntimeError, match="iterated twice"):
        raise MisuseError("iterated twice")


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))], ids=["copy", "pickle"])
def test_errors_go_to_worker_processes(copied):
    error = MisuseError("no", retryable=True)
    error.delivered = True
    error.decoded = ["an event"]
    again = copied(error)
    assert type(again) is MisuseError
    assert again.to_dict() == error.to_dict()
    assert again.decoded == ["an event"]


def test_two_errors_share_no_list():
    assert SSEDialectsError("a").decoded is not SSEDialectsError("b").decoded
