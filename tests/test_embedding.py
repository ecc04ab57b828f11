"""The programs in examples/ that embed the library: an SDK's client, a pool of threads, an archive read by many processes."""

from __future__ import annotations

import importlib.util
import io
import pickle
import sys
from pathlib import Path

import httpx
import pytest
from bodies import CHAT, DIALECTS, DONE, frame
from server import FaultServer, Reply

import sse_dialects as sd
from sse_dialects import testing
from sse_dialects.recording import Recorder

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
USAGE = frame({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}})
COUNTED = [*CHAT[:-1], USAGE, DONE]


def loaded(name):
    """The example as a module that other processes find too."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# ---- an SDK's own client


def asked(pieces, **options):
    """``(reply, texts)`` of the SDK over a transport that gives ``pieces``, raising those that are exceptions."""
    sdk = loaded("sdk_client")

    def transport(path, body):
        assert (path, b'"stream": true' in body) == ("/v1/chat/completions", True)
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    texts = []
    try:
        return sdk.AcmeClient(transport, **options).ask("Hello?", texts.append), texts
    except sdk.AcmeError as error:
        return error, texts


def test_the_sdk_gives_its_own_reply():
    call = {"index": 0, "id": "t", "function": {"name": "look", "arguments": '{"a": 1}'}}
    calling = frame({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    reply, texts = asked([*CHAT[:2], calling, CHAT[2], USAGE, DONE, AssertionError("nothing is read after the end")])
    assert (reply.text, reply.tokens, texts) == ("Hello", 7, ["Hel", "lo"])
    assert reply.tool_calls == [("look", {"a": 1})]


@pytest.mark.parametrize("end", [[], [ConnectionResetError("gone")]], ids=["closed", "reset"])
def test_the_sdk_raises_its_own_error_for_a_cut_stream(end):
    error, texts = asked([*CHAT[:2], *end])
    assert (error.kind, error.partial_text, texts) == ("truncated", "Hello", ["Hel", "lo"])
    assert (error.retryable, error.__cause__.frame_count, error.__cause__.cause) == (False, 2, end[0] if end else None)
    assert asked(CHAT, limits=sd.Limits(max_answer_bytes=200))[0].kind == "limit"


def test_the_sdk_retries_only_what_nobody_saw():
    assert asked([ConnectionResetError("gone")])[0].retryable
    unfinished, texts = asked([CHAT[0].rstrip()])
    assert (unfinished.retryable, texts) == (False, ["Hel"])


def test_the_sdk_takes_an_answer_whose_transport_broke_after_its_end():
    reply, _ = asked([*COUNTED[:-1], DONE.rstrip(), ConnectionResetError("gone")])
    assert (reply.text, reply.tokens) == ("Hello", 7)


def test_the_caller_s_own_failure_is_no_cut():
    sdk = loaded("sdk_client")
    with pytest.raises(BrokenPipeError):
        sdk.AcmeClient(lambda path, body: iter(COUNTED)).ask("Hello?", lambda text: (_ for _ in ()).throw(BrokenPipeError))


# ---- a pool of threads


@pytest.fixture
def server():
    with FaultServer() as running:
        yield running


def test_the_pool_gives_what_became_of_each_question(server):
    pool = loaded("worker_pool")
    outcomes = pool.ask_all([f"Question {number}" for number in range(20)], server.serve(Reply(COUNTED)))
    assert [outcome.text for outcome in outcomes] == ["Hello"] * 20
    (cut,) = pool.ask_all(["Well?"], server.serve(Reply(CHAT[:2])), first_wait_s=0.01)
    assert (cut.kind, cut.partial.text, len(server.requests)) == ("truncated", "Hello", 20 + pool.TRIES)


def test_the_pool_as_a_program(server, monkeypatch, capsys):
    pool = loaded("worker_pool")
    monkeypatch.setattr(pool.ask_all, "__defaults__", (server.serve(Reply(CHAT[:1], status=200)), 0.01))
    monkeypatch.setattr("sys.stdin", io.StringIO("\nWell?\n  \n"))
    pool.main()
    assert capsys.readouterr().out == "Well? -> [truncated]\n"


def test_the_pool_outlives_a_server_that_is_not_there_and_waits_between_tries(monkeypatch):
    pool = loaded("worker_pool")
    waits: list[float] = []
    monkeypatch.setattr(pool.time, "sleep", waits.append)
    outcomes = pool.ask_all(["a", "b"], "http://127.0.0.1:1/v1/chat/completions", first_wait_s=1)
    assert [type(outcome).__name__ for outcome in outcomes] == ["ConnectError"] * 2
    assert len(waits) == 2 * (pool.TRIES - 1)
    assert all(1 <= wait <= 3 for wait in waits)


def test_the_pool_waits_as_long_as_the_server_asks(monkeypatch):
    pool = loaded("worker_pool")
    waits: list[float] = []
    monkeypatch.setattr(pool.time, "sleep", waits.append)
    provider = testing.Provider(testing.rejection(429, retry_after=7), testing.reply("Hello"))
    with httpx.Client(transport=provider.httpx_transport()) as client:
        assert pool.ask(client, "Well?", "http://host/v1/chat/completions").text == "Hello"
    assert [7 <= wait <= 10.5 for wait in waits] == [True]
    assert pool.wait_s(httpx.ConnectError("no"), 20, 1.0) == pool.LONGEST_WAIT_S


# ---- an archive


@pytest.fixture
def archive(tmp_path):
    """Paths of eight streams: whole ones of each dialect, a recording, cut ones and a failed one."""
    files = {**DIALECTS, "counted": COUNTED, "cut": CHAT[:2], "late": COUNTED[:-1], "failed": [CHAT[0], frame({"error": "no"})]}
    for name, frames in files.items():
        (tmp_path / f"{name}.sse").write_bytes(b"".join(frames))
    with Recorder(tmp_path / "recorded.jsonl") as recorder, sd.stream(COUNTED, record=recorder) as events:
        events.answer()
    return sorted(str(path) for path in tmp_path.iterdir())


@pytest.mark.parametrize("scheduler", ["processes", "synchronous"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from the engine and from forking, not from us
def test_the_archive_is_totalled(archive, scheduler, capsys, monkeypatch):
    pytest.importorskip("dask.bag")
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    replay = loaded("replay_archive")
    cost, errors = replay.total(archive, scheduler)
    kinds = {Path(path).stem: (error.kind, error.partial.text) for path, error in errors.items()}
    assert kinds == {"cut": ("truncated", "Hello"), "late": ("truncated", "Hello"), "failed": ("upstream", "Hel")}
    assert cost == 7 * 3  # counted, recorded, and the late one, which told its usage before it was cut
    monkeypatch.setattr("sys.argv", ["replay_archive", *archive])
    if scheduler == "processes":
        replay.main()
        printed = capsys.readouterr().out
        assert printed.startswith("21 tokens\n")
        assert "cut.sse: truncated, 5 characters came" in printed


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_archive_survives_files_that_can_not_be_read(tmp_path, capsys, monkeypatch):
    pytest.importorskip("dask.bag")
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    replay = loaded("replay_archive")
    (tmp_path / "odd.jsonl").write_text("no recording\n")
    (tmp_path / "page.sse").write_bytes(b"<html>" + b" " * 600)
    paths = [str(tmp_path / name) for name in ("gone.sse", "odd.jsonl", "page.sse")]
    monkeypatch.setattr("sys.argv", ["replay_archive", *paths])
    replay.main()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "0 tokens"
    assert [line.partition(":")[0] for line in printed[1:]] == paths
    monkeypatch.setattr("sys.argv", ["replay_archive"])
    with pytest.raises(SystemExit, match="usage"):
        replay.main()


@pytest.mark.parametrize(
    "frames", [CHAT[:2], [CHAT[0], frame({"error": {"message": "no", "code": 529}})], [b"<html>" + b" " * 600]]
)
def test_errors_pickle_with_their_facts_and_their_partial_answer(frames):
    with pytest.raises(sd.SSEDialectsError) as caught:
        sd.stream(frames).answer()
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert (again.to_dict(), str(again)) == (caught.value.to_dict(), str(caught.value))
    assert getattr(again, "partial", None) == getattr(caught.value, "partial", None)
