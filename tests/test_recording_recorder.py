"""Writing recordings: what is in the file, when, and what is kept out of it."""

from __future__ import annotations

import io
import json
import time

import httpx
import pytest

import sse_dialects as sd
from sse_dialects.recording import Recorder, replay


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def response(url="https://user:pass@host:8080/v1/chat?key=secret#part", **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(201, headers=names, request=httpx.Request("POST", url), content=b"")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answer.jsonl"


def test_reads_are_kept_apart(path):
    with Recorder(path) as recorder:
        for piece in (b"data: 1", b"", bytearray(b"\n\n"), memoryview(b"\xff")):
            recorder.write(piece)
        recorder.end()
    head, *pieces, end = lines(path)
    assert head["status"] is None
    assert [piece.get("text", piece.get("base64")) for piece in pieces] == ["data: 1", "", "\n\n", "/w=="]
    assert end["end"] == "eof"


def test_delays_are_measured_from_the_line_before(path):
    started = time.monotonic()
    with Recorder(path) as recorder:
        recorder.begin()
        time.sleep(0.03)
        recorder.write(b"a")
        recorder.write(b"b")
        time.sleep(0.02)
    lasted = time.monotonic() - started
    _, first, second, end = lines(path)
    assert first["delay"] > 0.025
    assert end["delay"] > 0.015
    assert 0 <= first["delay"] + second["delay"] + end["delay"] < lasted


def test_each_line_is_in_the_file_at_once(path):
    with Recorder(path) as recorder:
        recorder.begin()
        assert len(lines(path)) == 1
        recorder.write(b"a")
        assert len(lines(path)) == 2


def test_values_of_headers_are_written_only_where_they_hold_no_secret(path):
    with Recorder(path, keep_headers=["X-Request-Id"]) as recorder:
        recorder.begin(
            response(content_type="text/event-stream", set_cookie="s3cret", x_request_id="r-1", openai_organization="org")
        )
    (head, _) = lines(path)
    assert head["headers"] == {
        "content-type": "text/event-stream",
        "set-cookie": "[redacted]",
        "x-request-id": "r-1",
        "openai-organization": "[redacted]",
    }
    assert head["status"] == 201


def test_an_address_is_written_without_what_may_hold_a_key(path):
    with Recorder(path) as recorder:
        recorder.begin(response())
    assert lines(path)[0]["url"] == "https://host:8080/v1/chat"


@pytest.mark.parametrize("answer", [httpx.Response(200), object(), type("Odd", (), {"status": 200, "url": "http://[half"})()])
def test_a_response_without_an_address(answer, path):
    with Recorder(path) as recorder:
        recorder.begin(answer)
    assert lines(path)[0]["url"] is None


def test_the_time_of_day(path):
    Recorder(path).begin()
    recorded = time.strptime(lines(path)[0]["recorded"], "%Y-%m-%dT%H:%M:%SZ")
    assert abs(time.mktime(recorded) - time.mktime(time.gmtime())) < 60


def test_how_a_source_ends(path):
    for end, wanted in [
        (lambda recorder: recorder.end(), {"end": "eof"}),
        (lambda recorder: recorder.close(), {"end": "closed"}),
        (lambda recorder: recorder.end(httpx.ReadError("secret")), {"end": "failed", "error": "ReadError", "timeout": False}),
        (lambda recorder: recorder.end(httpx.ReadTimeout("")), {"end": "failed", "error": "ReadTimeout", "timeout": True}),
        (lambda recorder: recorder.end(TimeoutError()), {"end": "failed", "error": "TimeoutError", "timeout": True}),
    ]:
        with Recorder(path) as recorder:
            recorder.begin()
            end(recorder)
            assert repr(recorder) == "<Recorder closed>"
        *_, last = lines(path)
        assert last.pop("delay") >= 0
        assert last == wanted
        assert b"secret" not in path.read_bytes()


def test_after_the_end_nothing_is_written(path):
    recorder = Recorder(path)
    recorder.end()
    recorder.begin()
    recorder.write(b"a")
    recorder.close()
    assert path.read_bytes() == b""  # nothing had begun before it ended


def test_dropped_it_closes(path):
    Recorder(path).write(b"a")
    assert [line.get("end") for line in lines(path)] == [None, None, "closed"]


def test_one_recording_holds_one_stream(path):
    with Recorder(path) as recorder:
        recorder.begin()
        with pytest.raises(sd.MisuseError, match="make a new one"):
            recorder.begin()


def test_an_old_file_is_replaced(path):
    path.write_bytes(b"old")
    Recorder(path).write(b"new")
    assert b"old" not in path.read_bytes()


def test_a_file_of_the_callers_own_stays_open():
    file = io.BytesIO(b"")
    with Recorder(file) as recorder:
        recorder.write(b"a")
    assert not file.closed
    assert len(file.getvalue().splitlines()) == 3


def test_a_file_that_can_not_be_opened(tmp_path):
    with pytest.raises(OSError, match=r"Is a directory|Permission"):
        Recorder(tmp_path)


def test_a_file_that_can_not_be_written_ends_the_recording_and_nothing_else(tmp_path):
    file = io.BytesIO()
    recorder = Recorder(file)
    recorder.write(b"a")
    file.close()
    with pytest.warns(RuntimeWarning, match="the recording ends here"):
        recorder.write(b"b")
    recorder.write(b"c")
    recorder.end()
    assert repr(recorder) == "<Recorder closed>"


def test_a_large_read_is_written_as_several_lines(tmp_path):
    path = tmp_path / "answer.jsonl"
    large = bytes(range(256)) * 1000
    with Recorder(path) as recorder:
        recorder.write(large)
    assert b"".join(replay(path)) == large
    assert max(map(len, replay(path))) == 1 << 16
