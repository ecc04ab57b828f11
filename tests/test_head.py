"""What a body begins with, however its first bytes are cut."""

from __future__ import annotations

import pytest

from sse_dialects.head import Head

BOM = b"\xef\xbb\xbf"
CASES = [
    (b"data: {}\n\n", "stream"),
    (b": comment\n", "stream"),
    (b"event: x\n", "stream"),
    (b"\x1fx", "stream"),
    (b"(data", "stream"),
    (b'{"a": 1}', "json"),
    (b"[1]", "json"),
    (b"<html>", "markup"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"\x28\xb5\x2f\xfd\x00", "zstd"),
    (b"\xef\xbbx", "stream"),
]


@pytest.mark.parametrize(("body", "kind"), CASES)
@pytest.mark.parametrize("before", [b"", BOM, b" \r\n\t", BOM + b"\n \n"], ids=["bare", "BOM", "space", "both"])
def test_a_bom_and_white_space_are_skipped(body, kind, before):
    assert Head().look(before + body) == (kind, body)


@pytest.mark.parametrize(("body", "kind"), CASES)
def test_cutting_changes_neither_the_kind_nor_the_bytes(body, kind):
    for before in (b"", BOM, b"\n", BOM + b" "):
        data = before + body
        for size in (1, 2, 3):
            head, told, rest = Head(), "", b""
            for start in range(0, len(data), size):
                if told:
                    rest += data[start : start + size]
                else:
                    told, rest = head.look(data[start : start + size])
            assert (told, rest) == (kind, body)


@pytest.mark.parametrize("data", [b"", b"\xef", b"\xef\xbb", BOM, b"  \n", b"\x1f", b"\x28", b"\x28\xb5\x2f", BOM + b"\x1f"])
def test_too_little_tells_nothing_and_little_is_kept(data):
    head = Head()
    assert head.look(data)[0] == ""
    assert len(head._seen) <= 4


@pytest.mark.parametrize("other", [b"\x0b", b"\x0c", b"\xa0"])
def test_no_other_white_space_stands_ahead_of_json(other):
    assert Head().look(other + b"{}") == ("stream", other + b"{}")


def test_only_one_bom_is_dropped():
    assert Head().look(BOM + BOM + b"data") == ("stream", BOM + b"data")
    head = Head()
    assert head.look(b" ") == ("", b"")
    assert head.look(BOM + b"{") == ("stream", BOM + b"{")
