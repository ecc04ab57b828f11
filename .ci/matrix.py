"""Writes the documentation's matrix page from the results of the tests: matrix.py PAGE RESULT.xml...

The results are pytest's (``--junitxml``), from as many environments as there are: what one had to skip, another may have run.
A cell holds a tick only where such a test ran and passed, and none failed.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

CLIENTS = ["httpx2", "requests", "niquests", "urllib3", "aiohttp", "curl_cffi", "http.client", "urllib.request"]
CASES = {
    "whole": "whole",
    "cut": "cut",
    "failed": "failed",
    "rejected": "rejected",
    "stalled": "stalled",
    "compressed": "compressed",
    "read_before": "read before",
}
SUITES = {
    "test_sync_stream": "httpx, files, generators, bytes: `stream`",
    "test_async_stream": "httpx, files, generators, bytes: `astream`, on asyncio and trio",
    "test_compat_openai": "`openai` guarded by `compat.openai`",
    "test_compat_anthropic": "`anthropic` guarded by `compat.anthropic`",
    "test_pyodide": "Pyodide (CPython 3.14) in Node and Chromium",
    "test_typing": "mypy, pyright, pyrefly, ty over the public API",
    "test_telemetry": "OpenTelemetry attributes and spans",
    "test_embedding": "SDK client, pool of threads, archive on Dask",
    "test_examples": "gateway, retries, chat with tools",
}


def outcomes(paths: list[str]) -> dict[tuple[str, str], set[str]]:
    """What came of each test, by file and name."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        for case in ET.parse(path).iter("testcase"):
            verdicts = {child.tag for child in case} & {"failure", "error", "skipped"}
            found[case.get("classname", "").rpartition(".")[2], case.get("name", "")] |= verdicts or {"passed"}
    return found


def mark(seen: set[str]) -> str:
    """One cell."""
    if seen & {"failure", "error"}:
        return "fails"
    return "✓" if "passed" in seen else ""


def client_rows(found: dict[tuple[str, str], set[str]]) -> list[str]:
    """A row for each client and each kind of stream that it was tested with."""
    rows = ["| client | | " + " | ".join(CASES.values()) + " |", "| --- | --- |" + " --- |" * len(CASES)]
    for client in CLIENTS:
        for prefix, way in (("", "`stream`"), ("async_", "`astream`")):
            cells: dict[str, set[str]] = defaultdict(set)
            for (file, name), seen in found.items():
                words = re.match(r"test_(async_)?(\w+)\[(.+)]", name)
                if file != "test_clients" or not words or (words[1] or "") != prefix or client not in words[3].split("-"):
                    continue
                for case in CASES:
                    if case in words[2]:
                        cells[case] |= seen
            if any(mark(seen) for seen in cells.values()):
                rows.append(f"| {client} | {way} | " + " | ".join(mark(cells[case]) for case in CASES) + " |")
    return rows


def suite_rows(found: dict[tuple[str, str], set[str]]) -> list[str]:
    """A row for each other suite that ran."""
    rows = ["| tested | tests | |", "| --- | ---: | --- |"]
    for suite, title in SUITES.items():
        seen = [verdicts for (file, _), verdicts in found.items() if file == suite and verdicts != {"skipped"}]
        if seen:
            rows.append(f"| {title} | {len(seen)} | {mark(set().union(*seen))} |")
    return rows


def main(page: str, results: list[str]) -> None:
    """Writes the page."""
    found = outcomes(results)
    text = [
        "# What is tested with what",
        "",
        "Written by `.ci/matrix.py` from the results of the tests, which run against real servers on loopback. A cell is",
        "empty where there is no such test; [Clients](clients.md) says what to pass and what to expect.",
        "",
        *client_rows(found),
        "",
        *suite_rows(found),
        "",
    ]
    Path(page).write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
