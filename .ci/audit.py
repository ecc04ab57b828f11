"""Looks for known vulnerabilities in what the package brings: audit.py PIP_AUDIT REQUIREMENTS. Status 1 where there are some.

Each pinned requirement gets a line. What pip-audit's first source does not know, because an index passes on no pages of single
versions, its second is asked for, and then the index's page of the package, which tells of its newest version. What none of them
knows is reported as not audited, by name, and is no failure: a machine without a way to the sources still has to run the rest.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

SOURCES = ["pypi", "osv"]
TIMEOUT_S = 90  # for each source


def canonical(name: str) -> str:
    """A distribution's name as all of them write it who compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked(pip_audit: str, source: str, pins: dict[str, str]) -> dict[str, list[str]]:
    """The vulnerabilities of each pin that the source knows; nothing where it is out of reach."""
    command = [pip_audit, "--format", "json", "--vulnerability-service", source, "--no-deps", "--disable-pip", "--requirement"]
    listed = "".join(f"{name}=={version}\n" for name, version in pins.items())
    try:
        done = subprocess.run(
            [*command, "/dev/stdin"], input=listed, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        told = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError):
        return {}
    return {canonical(each["name"]): [found["id"] for found in each["vulns"]] for each in told if "vulns" in each}


def pages(pins: dict[str, str]) -> dict[str, list[str]]:
    """The same from the index's own pages, for pins that are the newest versions."""
    known = {}
    for name, version in pins.items():
        try:
            with urllib.request.urlopen(f"https://pypi.org/pypi/{name}/json", timeout=10) as response:
                told = json.load(response)
        except (OSError, ValueError):
            continue
        if told["info"]["version"] == version and "vulnerabilities" in told:
            known[name] = [found["id"] for found in told["vulnerabilities"] if not found.get("withdrawn")]
    return known


def main(pip_audit: str, requirements: str) -> int:
    """Tells of each requirement."""
    lines = Path(requirements).read_text(encoding="utf-8").splitlines()
    left = {canonical(name): version for name, _, version in (line.partition("==") for line in lines)}
    told, bad = [], False
    for source in [*SOURCES, None]:
        known = (asked(pip_audit, source, left) if source else pages(left)) if left else {}
        origin = f"pip-audit, {source}" if source else "the page of its newest version"
        for package, found in sorted(known.items()):
            told.append(f"{package} {left.pop(package)}: {', '.join(found) or 'nothing known'} ({origin})")
            bad = bad or bool(found)
    told += [f"{package} {version}: NOT AUDITED, no source within reach knows it" for package, version in left.items()]
    sys.stdout.write("\n".join(told) + "\n")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
