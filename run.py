#!/usr/bin/env python3
"""Set up this checkout in an environment of its own and run something in it.

    python3 run.py demo              install the package, then play the demo
    python3 run.py tests [ARG ...]   install the package and what its tests need, then run the tests that every change needs:
                                     a minute and a half on two cores. pytest takes the arguments (`-n 0`: in one process)
    python3 run.py tests --all       run all tests: also those marked slow, and those that drive many streams in many ways

Needs CPython 3.10 or newer with pip, nothing else. The environment is the folder .venv beside this file, or the one that
$SSE_DIALECTS_VENV names. The Python that runs this is left as it is, so it may be one that refuses to be installed into
(PEP 668) or one without ensurepip (Debian's without python3-venv).
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent
VENV = pathlib.Path(os.environ.get("SSE_DIALECTS_VENV", ROOT / ".venv")).absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
COMMANDS = {  # name: the extra to install, the command to run
    "demo": ("httpx", [BIN / "sse-dialects", "demo"]),
    "tests": ("test", [PYTHON, "-m", "pytest", "-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"]),
}
DEFAULT_TESTS = ["-m", "not slow and not thorough"]  # `-m` among the arguments comes later and replaces it
DEBIAN = "On Debian and Ubuntu `apt-get install python3-venv` brings what is missing; then run this again."


def main(arguments):
    """Carry out the command line; the exit status is that of what ran."""
    version = ".".join(map(str, sys.version_info[:2]))
    if sys.version_info < (3, 10):
        return fail(f"sse-dialects needs CPython 3.10 or newer, and this is {version}: run this with a newer one.")
    if not arguments or arguments[0] not in COMMANDS:
        return fail(__doc__.strip())
    name, *rest = arguments
    extra, command = COMMANDS[name]
    if name == "tests":
        rest = [argument for argument in rest if argument != "--all"] if "--all" in rest else [*DEFAULT_TESTS, *rest]
    print(f"Installing sse-dialects[{extra}] for Python {version} into {VENV} ...", flush=True)
    problem = install(extra)
    return fail(problem) if problem else subprocess.call([*command, *rest], cwd=ROOT)


def install(extra):
    """Install this checkout into the environment, made if need be; returns what stands in the way, or None."""
    ensurepip = importlib.util.find_spec("ensurepip") is not None
    if not ensurepip and importlib.util.find_spec("pip") is None:
        return f"This Python has neither ensurepip nor pip. {DEBIAN}"
    if not usable(ensurepip):
        venv.create(VENV, clear=True, symlinks=os.name != "nt", with_pip=ensurepip)
    # Where the environment can't have a pip of its own, ours installs into it (pip 22.3 and newer).
    pip = [PYTHON, "-m", "pip"] if ensurepip else [sys.executable, "-m", "pip", "--python", PYTHON]
    status = subprocess.call([*pip, "install", "--quiet", "--disable-pip-version-check", "--editable", f"{ROOT}[{extra}]"])
    if status:
        return f"pip could not install the package; its own words are above. {'' if ensurepip else DEBIAN}".strip()
    return None


def usable(with_pip):
    """Whether the environment is there and whole, and of the Python that runs this."""
    wanted = f"import sys; {'import pip; ' if with_pip else ''}sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])})"
    return PYTHON.exists() and subprocess.call([PYTHON, "-c", wanted], stderr=subprocess.DEVNULL) == 0


def fail(sentence):
    """Say why nothing ran."""
    sys.stderr.write(sentence + "\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
