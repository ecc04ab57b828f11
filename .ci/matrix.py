"""Writes the documentation's matrix page from the results of the tests: matrix.py PAGE RESULT.xml...

The results are pytest's (``--junitxml``), from as many environments as there are: what one had to skip, another may have run.
A cell holds a tick only where such a test ran and passed, and none failed. Nothing on the page changes from run to run or with
the number of tests, so the page that is kept has to be the one that is written: ``.ci/run`` compares the two.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

CLIENTS = ["httpx2", "requests", "niquests", "urllib3", "aiohttp", "curl_cffi", "http.client", "urllib.request"]
CASES = {
    "whole": "whole",
    "cut": "cut",
    "failed": "failed",
    "rejected": "rejected",
    "stalled": "stalled",
    "left_early": "left early",
    "compressed": "compressed",
    "read_before": "read before",
}
# By the beginnings of the names of their files.
SUITES = {
    "test_sync_stream": "httpx, files, generators, bytes: `stream`",
    "test_async_stream": "httpx, files, generators, bytes: `astream`, on asyncio and trio",
    "test_compat": "`compat`, guarding {sdk}",
    "test_frameworks": "`compat`, under {sdk}",
    "test_pyodide": "Pyodide (CPython 3.14) in Node and Chromium: `pyfetch`, `Response`, `ReadableStream`",
    "test_embedding": "an SDK's client, a pool of threads, an archive on Dask",
    "test_examples": "gateway on Starlette, retries, chat with tools",
    "test_recording": "recording and replay",
    "test_testing": "`sse_dialects.testing`: replies, faults, transports, ASGI, pytest",
    "test_telemetry": "OpenTelemetry attributes and spans",
    "test_partial_json": "unfinished JSON, with and without jiter",
    "test_typing": "mypy, pyright and pyrefly over the public API",
}


class Result(NamedTuple):
    """What came of one test in one environment."""

    file: str
    name: str
    sdk: str  # the SDK and its major version, where the test is for one
    verdict: str


def results(paths: list[str]) -> list[Result]:
    """All that the files tell."""
    found = []
    for path in paths:
        for case in ET.parse(path).iter("testcase"):
            verdict = next((child.tag for child in case if child.tag in {"failure", "error", "skipped"}), "passed")
            sdk = next((each.get("value", "") for each in case.iter("property") if each.get("name") == "sdk"), "")
            found.append(Result(case.get("classname", "").rpartition(".")[2], case.get("name", ""), sdk, verdict))
    return found


def mark(seen: set[str]) -> str:
    """One cell."""
    if seen & {"failure", "error"}:
        return "fails"
    return "✓" if "passed" in seen else ""


def client_rows(found: list[Result]) -> list[str]:
    """A row for each client and each kind of stream that it was tested with."""
    cells: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for result in found:
        words = re.match(r"test_(async_)?(\w+)\[(.+)]", result.name)
        if result.file == "test_clients" and words:
            client = next((each for each in CLIENTS if each in words[3].split("-")), "")
            for case in (case for case in CASES if case in words[2]):
                cells[client, words[1] or "", case].add(result.verdict)
    rows = ["| client | | " + " | ".join(CASES.values()) + " |", "| --- | --- |" + " --- |" * len(CASES)]
    for client in CLIENTS:
        for kind, way in (("", "`stream`"), ("async_", "`astream`")):
            marks = [mark(cells[client, kind, case]) for case in CASES]
            if any(marks):
                rows.append(f"| {client} | {way} | {' | '.join(marks)} |")
    return rows


def suite_rows(found: list[Result]) -> list[str]:
    """A row for each other suite that ran; for each major version of an SDK one of its own."""
    rows = ["| tested | |", "| --- | --- |"]
    for suite, title in SUITES.items():
        of_suite = [result for result in found if result.file.startswith(suite) and ("{sdk}" in title) == bool(result.sdk)]
        for sdk in sorted({result.sdk for result in of_suite}):
            seen = {result.verdict for result in of_suite if result.sdk == sdk}
            if mark(seen):
                rows.append(f"| {title.format(sdk=sdk)} | {mark(seen)} |")
    return rows


def main(page: str, paths: list[str]) -> None:
    """Writes the page."""
    found = results(paths)
    text = [
        "# What is tested with what",
        "",
        "Written by `.ci/matrix.py` from the results of the tests, which run against real servers on loopback; `.ci/run` fails",
        "where this page is not what they give. A cell is empty where there is no such test; [Clients](clients.md) says what to",
        "pass and what to expect.",
        "",
        *client_rows(found),
        "",
        *suite_rows(found),
        "",
    ]
    Path(page).write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
