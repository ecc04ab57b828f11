from __future__ import annotations

import pytest

from sse_dialects.cli.console import CommandError
from sse_dialects.cli.redact import parsed_headers, redactor


def test_names_and_values() -> None:
    given = ["Authorization: Bearer key-1", "x-api-key:key-2", "X-Note:  a: b  "]
    assert parsed_headers(given) == [("Authorization", "Bearer key-1"), ("x-api-key", "key-2"), ("X-Note", "a: b")]


@pytest.mark.parametrize(
    "header",
    [
        "s3cret",
        "Authorization:",
        "Authorization: ",
        ": s3cret",
        "na me: s3cret",
        "X-Key: s3cret\r\nHost: other",
        "X-Key: s3cret→",
        "",
    ],
)
def test_what_is_no_header_is_named_by_its_place_alone(header: str) -> None:
    with pytest.raises(CommandError) as caught:
        parsed_headers(["Accept: text/plain", header])
    assert "number 2" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert caught.value.status == 2


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding"])
def test_headers_that_say_where_the_body_ends_are_not_taken(name: str) -> None:
    with pytest.raises(CommandError, match="number 1"):
        parsed_headers([f"{name}: 1"])


def test_values_are_taken_out_of_what_a_server_says() -> None:
    hide = redactor(parsed_headers(["Authorization: Bearer key-1", "X-Tenant: north", "Cookie: a=b; c=d"]))
    assert hide("Incorrect key key-1 (Bearer key-1) for north") == "Incorrect key [hidden] ([hidden]) for [hidden]"
    assert hide("cookie a=b; c=d refused") == "cookie [hidden] refused"


def test_a_secret_that_is_part_of_a_value_is_hidden() -> None:
    hide = redactor(
        parsed_headers(["Cookie: session=SECRET; x=1; theme=dark", 'Authorization: Digest username="tester", key=s3cr3t'])
    )
    assert hide("session SECRET of tester (s3cr3t), x 1") == "session [hidden] of [hidden] ([hidden]), x 1"
    assert hide("no such session=SECRET") == "no such [hidden]"


def test_a_value_that_holds_another_goes_whole() -> None:
    hide = redactor([("X-One", "abcd"), ("X-Two", "abcdefgh")])
    assert hide("abcdefgh") == "[hidden]"


def test_schemes_short_values_and_content_types_stay() -> None:
    hide = redactor(parsed_headers(["Authorization: Bearer key-1", "X-Retries: 3", "Content-Type: application/json"]))
    assert hide("send Bearer with 3 of application/json") == "send Bearer with 3 of application/json"


def test_without_headers_nothing_is_hidden() -> None:
    assert redactor([])("anything") == "anything"
