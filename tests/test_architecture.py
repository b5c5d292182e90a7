"""Who may know whom. Read from the source, so that no import can hide in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
MODULES: Final = sorted((ROOT / "arena").rglob("*.py"))

MAY_KNOW: Final[dict[str, set[str]]] = {
    "results": set(),
    "rules": {"results"},
    "protocol": {"results"},
    "hosting": {"results"},
    "records": {"results", "rules"},
    "referee": {"results", "rules", "protocol", "hosting", "records"},
    "ratings": {"results"},
    "report": {"results", "ratings", "records"},
    "catalog": {"results", "rules", "tournament"},
    "tournament": {"results", "rules", "hosting", "referee", "records", "catalog"},
    "export": {"results", "rules", "records", "tournament"},
    "cli": {
        "results",
        "rules",
        "protocol",
        "records",
        "referee",
        "hosting",
        "ratings",
        "report",
        "catalog",
        "tournament",
        "export",
    },
    "__main__": {"cli"},
    "__init__": set(),
}
"""Besides itself and the version in ``arena``."""

RULES_WITHOUT_A_TITLE: Final = {"arena.rules", "arena.rules.base", "arena.rules.luck"}
NOT_FOR_RULES: Final = {
    "asyncio",
    "concurrent",
    "datetime",
    "io",
    "json",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "random",
    "secrets",
    "select",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "yaml",
}


def imports(path: Path) -> Iterator[str]:
    """Every module that the file imports, relative names made absolute."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*above, *(node.module or "").split(".")))
            yield from (_module(module, alias.name) for alias in node.names)


def _module(module: str, name: str) -> str:
    """``from module import name``: the name may be a module itself."""
    path = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if path.is_dir() or path.with_suffix(".py").is_file() else module


def part(module: str) -> str:
    """The part of arena that a module belongs to; empty for ``arena`` itself."""
    return module.removeprefix("arena").removeprefix(".").partition(".")[0]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def of_arena(path: Path) -> set[str]:
    return {module for module in imports(path) if module.partition(".")[0] == "arena"}


def test_imports_are_read_completely() -> None:
    found = set(imports(ROOT / "arena" / "tournament" / "worker.py"))
    assert found >= {"arena.hosting.orphans", "arena.tournament.jobs", "arena.rules", "os"}
    assert "tests.toy" in set(imports(ROOT / "tests" / "referee" / "scripted.py"))
    assert "tests.rules.games" in set(imports(ROOT / "tests" / "rules" / "titles.py"))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_parts_know_only_what_lies_below_them(path: Path) -> None:
    own = path.relative_to(ROOT / "arena").parts[0].removesuffix(".py")
    known = {part(module) for module in of_arena(path)} - {"", own}
    assert known <= MAY_KNOW[own]


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_the_rules_know_single_titles(path: Path) -> None:
    if path.is_relative_to(ROOT / "arena" / "rules"):
        return
    assert {m for m in of_arena(path) if part(m) == "rules"} <= RULES_WITHOUT_A_TITLE


@pytest.mark.parametrize("path", sorted((ROOT / "arena" / "rules").rglob("*.py")), ids=name)
def test_rules_have_no_clock_no_files_and_no_chance_of_their_own(path: Path) -> None:
    assert {module.partition(".")[0] for module in imports(path)}.isdisjoint(NOT_FOR_RULES)
    calls = [
        node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    ]
    assert {call.id for call in calls if isinstance(call, ast.Name)}.isdisjoint({"open", "print"})


@pytest.mark.parametrize("path", sorted((ROOT / "arena" / "rules").glob("*/*.py")), ids=name)
def test_titles_do_not_know_each_other(path: Path) -> None:
    own = f"arena.rules.{path.parent.name}"
    allowed = RULES_WITHOUT_A_TITLE | {"arena.rules.cards"}
    others = {m for m in of_arena(path) if part(m) == "rules" and m not in allowed}
    assert {module for module in others if not f"{module}.".startswith(f"{own}.")} == set()


@pytest.mark.parametrize("path", sorted((ROOT / "bots").rglob("*.py")), ids=name)
def test_bots_need_nothing_of_arena(path: Path) -> None:
    assert of_arena(path) == set()
