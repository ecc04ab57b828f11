from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time

import pytest

import sse_dialects as sd
from sse_dialects.cli.console import Channel, CommandError
from sse_dialects.cli.demo import perform, serve
from sse_dialects.cli.demo_server import serving

httpx = pytest.importorskip("httpx")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def shown() -> str:
    out = io.StringIO()
    perform(Channel(out, vital=True), pace=0)
    return out.getvalue()


@pytest.mark.parametrize("number", range(3))
def test_three_dialects_and_one_answer(shown: str, number: int) -> None:
    scene = shown.split("  on the wire")[number + 1]
    rows = [
        "  reasoning     They ask about today, so the weather comes first.",
        "  text          Let me look up the weather in Orléans.",
        '  tool call     get_weather {"city": "Orléans", "unit": "°C"}',
    ]
    assert "\n".join(rows) in scene
    assert re.search(r"\n  finished      tool_calls(?: \(its own word: \w+\))?, tokens 31 in, 24 out\n", scene)


def test_the_failure_and_the_cut_are_raised(shown: str) -> None:
    assert "Three dialects, one answer" in shown
    assert "  raised        UpstreamError: " in shown
    assert "  raised        TruncatedStreamError: " in shown


def test_what_a_usual_loop_makes_of_the_cut_stands_beside_what_we_make_of_it(shown: str) -> None:
    assert "  usual loop    You can delete the old backup\n  sse_dialects  You can delete the old backup\n" in shown
    sides = [line for line in shown.splitlines() if line.count('"You can delete the old backup"') == 2]
    assert len(sides) == 1
    assert '  never came    "... once the new one has been verified."\n' in shown


def test_it_fits_into_80_columns(shown: str) -> None:
    assert max(map(len, shown.splitlines())) < 80


def test_colour_changes_nothing_but_colour(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Screen()
    perform(Channel(screen, vital=True), pace=0)
    assert "\x1b[2mThey " in screen.getvalue()
    plain = re.sub(r"\x1b\[\d+m", "", screen.getvalue())
    port = re.compile(r"127\.0\.0\.1:\d+,")
    assert port.sub("", plain).split() == port.sub("", shown).split()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_the_server_runs_until_ctrl_c() -> None:
    command = [sys.executable, "-m", "sse_dialects", "demo", "--serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "Ctrl-C ends it.\n"))
        urls = re.findall(r"^  (\w+) +(http://127\.0\.0\.1:\d+/v1/\S+)$", said, re.MULTILINE)
        assert [dialect for dialect, _ in urls] == ["chat", "messages", "responses"]
        for dialect, url in urls:
            with httpx.stream("POST", url, json={"stream": True}, trust_env=False) as response, sd.stream(response) as events:
                assert events.answer().text == "Because of Rayleigh scattering."
                assert events.dialect == dialect
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "\nThe server has ended.\n"
        assert process.wait(10) == 0


def test_a_port_that_is_taken_is_said() -> None:
    with serving() as address:
        port = address.rpartition(":")[2]
        with pytest.raises(CommandError, match=rf"can't listen at port {port} \(.+\): choose another with --port"):
            serve(Channel(io.StringIO(), vital=True), int(port))


@pytest.mark.slow
def test_the_command_takes_less_than_ten_seconds() -> None:
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "sse_dialects", "demo"], capture_output=True, timeout=60, check=False)
    assert time.monotonic() - started < 10
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b" not in done.stdout.decode()
    assert "TruncatedStreamError" in done.stdout.decode()
