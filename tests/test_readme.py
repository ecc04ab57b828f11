"""The README: its Python blocks run in order as printed, against a server on loopback; what it claims is so."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from server import FaultServer, Reply

import sse_dialects as sd
from sse_dialects.cli.console import STATUS_OF_KIND

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
URL = "https://api.openai.com/v1/chat/completions"


def chunk(delta, finish_reason=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    payload = {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return f"data: {json.dumps(payload)}\n\n".encode()


CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"term": "sky"}'}}
BEGINNING = [chunk({"reasoning_content": "Light. "}), chunk({"content": "Rayleigh "}), chunk({"content": "scattering."})]
WHOLE = [*BEGINNING, chunk({"tool_calls": [CALL]}), chunk({}, "tool_calls"), b"data: [DONE]\n\n"]


@pytest.fixture(scope="module")
def server():
    with FaultServer() as server:
        yield server


def run(server, number, names, pieces):
    """Runs a block with its endpoint played by ours; gives what it printed."""
    # "close": the end of the body looks the same whether the stream is whole or cut.
    names["URL"] = url = server.serve(Reply(pieces, framing="close"))
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setenv("OPENAI_API_KEY", "sk-readme")
        exec(compile(BLOCKS[number].replace(URL, url), f"README.md, Python block {number + 1}", "exec"), names)
    return printed.getvalue()


def shows_a_cut(block):
    return "except sd.TruncatedStreamError" in block


@pytest.fixture(scope="module")
def read_in_order(server):
    """The names that all blocks leave when they run in order, and what each block printed and requested."""
    names, runs = {"__name__": "readme"}, []
    for number, block in enumerate(BLOCKS):
        before = len(server.requests)
        printed = run(server, number, names, BEGINNING if shows_a_cut(block) else WHOLE)
        runs.append((printed, server.requests[before:]))
    return names, runs


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_runs_as_printed(number, read_in_order):
    printed, requests = read_in_order[1][number]
    assert ("the stream closed before its terminating frame" in printed) is shows_a_cut(BLOCKS[number])
    if "URL" in BLOCKS[number]:
        assert "Rayleigh scattering." in printed
        (request,) = requests
        assert request.headers["authorization"] == "Bearer sk-readme"
        assert json.loads(request.body)["stream"] is True


def test_the_first_block_needs_no_other(server):
    assert URL in BLOCKS[0]
    assert "Rayleigh scattering." in run(server, 0, {}, WHOLE)


def test_the_async_block_leaves_a_turn_for_the_next_request(read_in_order):
    call = read_in_order[0]["REQUEST"]["messages"][-1]["tool_calls"][0]
    assert call["function"] == {"name": "look_up", "arguments": '{"term": "sky"}'}


def test_the_core_s_block_raises_on_a_cut(read_in_order):
    decode = read_in_order[0]["decode"]
    assert sd.TextDelta("Rayleigh ", part=1) in list(decode(WHOLE))
    with pytest.raises(sd.TruncatedStreamError):
        list(decode(BEGINNING))


def test_the_errors_named_are_those_of_the_package_with_their_exit_statuses():
    rows = re.findall(r"^\| `(\w+Error)` \|.*\| ?(\d?) ?\|$", README, re.MULTILINE)
    exported = {name for name in sd.__all__ if name.endswith("Error")}
    assert {name for name, _ in rows} == exported - {"SSEDialectsError", "StreamError"}
    for name, status in rows:
        assert status == str(STATUS_OF_KIND.get(getattr(sd, name).kind, "")), name


def test_the_limits_named_are_the_defaults():
    limits = sd.Limits()
    assert f"a frame of {limits.max_frame_bytes >> 20} MiB, an answer of {limits.max_answer_bytes >> 20} MiB" in README


def test_the_set_up_commands_are_those_of_the_script():
    commands = re.findall(r"^python3 run\.py (\w+)", README, re.MULTILINE)
    assert commands == ["demo", "tests"]
    script = (ROOT / "run.py").read_text(encoding="utf-8")
    assert all(f"python3 run.py {command} " in script for command in commands)


# What a row of the README says, and where the benchmarks' page has the same figures: the table's heading, and the row's name.
FIGURES = {
    "a `chat` stream cut at each frame": ("Cut streams passed on as whole", "chat"),
    "a `messages` stream cut at each frame": ("Cut streams passed on as whole", "messages"),
    "297 real `chat` streams: the median (all together)": (
        "Real recordings",
        "chat: 297 recordings, the median one of 14 frames",
    ),
    "217 real `messages` streams": ("Real recordings", "messages: 217 recordings, the median one of 15 frames"),
    "a page of `chat` text, 1,004 frames": ("Long streams", "chat: a page of text, 1,004 frames"),
    "a page of `messages` text, 1,006 frames": ("Long streams", "messages: a page of text, 1,006 frames"),
}


def rows_under(page: str, heading: str) -> dict[str, dict[str, str]]:
    """The rows of the table under a heading: by the first cell, the others by their column."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = [[cell.strip() for cell in line[1:-1].split("|")] for line in section.splitlines() if line.startswith("|")]
    columns, _, *rows = table
    return {row[0]: dict(zip(columns[1:], row[1:], strict=True)) for row in rows}


def test_the_figures_beside_others_are_those_of_the_benchmarks():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    shown = rows_under(README, "Beside others")
    assert shown.keys() == FIGURES.keys()
    for row, cells in shown.items():
        heading, name = FIGURES[row]
        measured = rows_under(page, heading)[name]
        assert cells == {column: measured.get(column, "") for column in cells}, row


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 170
