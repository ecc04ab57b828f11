"""The package's shape, read from its source: layers, exports, docstrings, sizes, and a test file for each module."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from pathlib import Path

import sse_dialects

PACKAGE = Path(sse_dialects.__file__).parent
TESTS = Path(__file__).parent
ROOT = "sse_dialects"

# From the ground up. A module imports from the layers below its own, never from above; siblings of a layer marked "apart"
# don't import each other either. A package's name stands for all its modules.
LAYERS: list[tuple[str, list[str]]] = [
    ("apart", ["_version", "root", "values"]),
    ("limits", ["limits"]),
    ("apart", ["partial_json", "failures"]),
    ("HTTP errors", ["http_errors"]),
    ("answer", ["answer"]),
    ("events", ["events"]),
    ("errors", ["errors"]),
    ("frames", ["frames"]),
    ("dialects, what they share", ["dialects"]),
    ("apart", ["dialects.chat", "dialects.messages", "dialects.responses"]),
    ("accumulators", ["dialects.accumulators"]),
    ("decoder", ["body", "detect", "repeated", "decoder"]),
    ("sources", ["sources"]),
    ("recording, which streams offer as record=", ["recording"]),
    ("streams", ["streams"]),
    ("the front door", ["__init__"]),
    ("on top", ["testing", "compat", "native", "telemetry", "cli", "__main__"]),
]
SANS_IO = next(index for index, (_, names) in enumerate(LAYERS) if "decoder" in names)
DOES_IO = {
    *("asyncio", "select", "selectors", "socket", "ssl", "http", "urllib"),
    *("threading", "_thread", "multiprocessing", "concurrent", "queue", "subprocess"),
}
THIRD_PARTY_ALLOWED = {"typing_extensions"}

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_BRANCHES = 10  # as ruff counts them, which checks it too


class Module:
    """One source file: its dotted name below the package, and its syntax tree."""

    def __init__(self, path: Path) -> None:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        self.path = path
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1]) or "__init__" if self.is_package else ".".join(parts)
        self.source = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.source)

    @property
    def import_name(self) -> str:
        return ROOT if self.name == "__init__" else f"{ROOT}.{self.name}"

    @property
    def layer(self) -> int:
        """The layer of the longest name in the table that this module's name begins with."""
        best = max(
            ((len(name), index) for index, (_, names) in enumerate(LAYERS) for name in names if begins(self.name, name)),
            default=None,
        )
        assert best, f"{self.name} stands in no layer: give it a place in LAYERS"
        return best[1]

    def functions(self):
        return [node for node in ast.walk(self.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def begins(name: str, prefix: str) -> bool:
    """Whether ``prefix`` is ``name``, a package above it, or what it is a part of (``dialects.chat.tool_calls``)."""
    return name == prefix or name.startswith((f"{prefix}.", f"{prefix}_"))


MODULES = [Module(path) for path in sorted(PACKAGE.rglob("*.py"))]
BY_NAME = {module.name: module for module in MODULES}
IMPORTABLE = [module for module in MODULES if module.name != "__main__"]  # that one runs


def imported(module: Module) -> set[str]:
    """Absolute names of all that a module imports: at its top, in functions, and for type checkers."""
    found: set[str] = set()
    package = module.import_name if module.is_package else module.import_name.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parent, *([node.module] if node.module else [])])
            for alias in node.names:
                deeper = f"{base}.{alias.name}".removeprefix(f"{ROOT}.")
                found.add(f"{base}.{alias.name}" if deeper in BY_NAME else base)
    return found


def ours(module: Module) -> set[str]:
    """Names below the package of the modules of ours that a module imports."""
    names = {name for name in imported(module) if name.partition(".")[0] == ROOT}
    return {name.removeprefix(ROOT).removeprefix(".") or "__init__" for name in names}


def foreign(module: Module) -> set[str]:
    return {name.partition(".")[0] for name in imported(module)} - {ROOT}


def public(module: Module):
    """``(name, object)`` for the module's public classes and functions and for their public methods and properties."""
    loaded = importlib.import_module(module.import_name)
    for name in getattr(loaded, "__all__", []):
        value = getattr(loaded, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)) or value.__module__ != module.import_name:
            continue
        yield name, value
        for member, attribute in vars(value).items() if inspect.isclass(value) else ():
            function = getattr(attribute, "__func__", attribute)
            if not member.startswith("_") and (inspect.isfunction(function) or isinstance(attribute, property)):
                yield f"{name}.{member}", attribute


def imports_against_the_layers(module: Module):
    """What a module imports and may not, each as a sentence."""
    kind, names = LAYERS[module.layer]
    for name in ours(module) - {module.name}:
        if name not in BY_NAME:
            yield f"{module.name} imports {name}, which is no module"
        elif BY_NAME[name].layer > module.layer:
            yield f"{module.name} imports {name} from a layer above its own"
        elif kind == "apart" and BY_NAME[name].layer == module.layer and not of_one_family(name, module.name, names):
            yield f"{module.name} imports {name}, its sibling"


def of_one_family(name: str, other: str, families: list[str]) -> bool:
    return any(begins(name, family) and begins(other, family) for family in families)


def test_imports_go_one_way():
    assert not [problem for module in MODULES for problem in imports_against_the_layers(module)]
    named = [name for _, names in LAYERS for name in names]
    assert len(named) == len(set(named)), "a name stands in two layers"


def test_no_cycle():
    needs = {module.name: ours(module) - {module.name} for module in MODULES}
    while True:
        needed = set().union(*needs.values()) if needs else set()
        # Neither what needs no other nor what no other needs lies on a cycle.
        outside = {name for name in needs if name not in needed or not needs[name] & needs.keys()}
        if not outside:
            break
        needs = {name: needs[name] - outside for name in needs.keys() - outside}
    assert not needs, f"modules that import each other: {sorted(needs)}"


def test_up_to_the_decoder_there_is_no_io_and_nothing_third_party():
    allowed = (set(sys.stdlib_module_names) | THIRD_PARTY_ALLOWED) - DOES_IO
    needless = {module.name: foreign(module) - allowed for module in MODULES if module.layer <= SANS_IO}
    assert not {name: names for name, names in needless.items() if names}


def test_exports_are_complete_and_unique():
    for module in IMPORTABLE:
        loaded = importlib.import_module(module.import_name)
        exported = list(getattr(loaded, "__all__", []))
        assert len(exported) == len(set(exported)), module.name
        assert [name for name in exported if not hasattr(loaded, name)] == [], module.name


def test_the_front_door_exports_all_that_is_public():
    assert sorted(sse_dialects.__all__) == sorted(set(sse_dialects.__all__))
    for name in ("errors", "events", "answer"):
        missing = set(importlib.import_module(f"{ROOT}.{name}").__all__) - set(sse_dialects.__all__)
        assert not missing, f"sse_dialects exports nothing named {sorted(missing)}"


def test_all_that_is_public_has_a_docstring():
    assert [module.name for module in MODULES if not ast.get_docstring(module.tree)] == []
    documented = [(module.name, name, value.__doc__) for module in IMPORTABLE for name, value in public(module)]
    assert documented
    assert [(module, name) for module, name, text in documented if not (text or "").strip()] == []


def test_modules_and_functions_are_short_with_few_branches():
    too_much = []
    for module in MODULES:
        if (lines := module.source.count("\n")) > MAX_MODULE_LINES:
            too_much.append(f"{module.name}: {lines} lines")
        for node in module.functions():
            if (lines := node.end_lineno - node.lineno + 1) > MAX_FUNCTION_LINES:
                too_much.append(f"{module.name}.{node.name}: {lines} lines")
            if (count := branches(node.body)) > MAX_BRANCHES:
                too_much.append(f"{module.name}.{node.name}: {count} branches")
    assert not too_much


def branches(body) -> int:
    """How many ways lead through statements, nested functions left out: if, elif, else, for, while, try's clauses, case."""
    count = 0
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While)):
            chained = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            count += 1 + bool(node.orelse and not chained)
        elif isinstance(node, ast.Try):
            count += len(node.handlers) + bool(node.orelse) + bool(node.finalbody) + bool(node.handlers)
        for field in ("body", "orelse", "finalbody"):
            count += branches(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            count += branches(handler.body)
        for case in getattr(node, "cases", []):
            count += 1 + branches(case.body)
    return count


def test_each_module_has_its_test_file():
    """``test_<name>.py``, with or without the package's name before it; a module split off another may share its file."""
    without = [module.name for module in MODULES if not module.is_package and not module.name.startswith("_")]
    without = [name for name in without if not any((TESTS / file).exists() for file in files_for(name))]
    assert not without, "modules without a test file"


def files_for(name: str) -> list[str]:
    """The names that the test file of a module may have, the likeliest first."""
    package, _, last = name.removeprefix("dialects.").rpartition(".")
    words = last.split("_")
    family = ["_".join(words[:end]) for end in range(len(words), 0, -1)]
    return [f"test_{package}_{member}.py" for member in family if package] + [f"test_{member}.py" for member in family]
