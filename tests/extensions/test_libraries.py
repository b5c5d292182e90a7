"""Libraries that only extensions import: how pip installs them, and what works without them."""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arena import extensions
from arena.games.registry import GAMES
from tests.cli.shell import Result, arena, environment
from tests.kuhn.install import install

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTENSIONS: Final = {each.name: each for each in extensions.own().extensions}
LIBRARIES: Final = {
    module: get for each in EXTENSIONS.values() for module, get in each.libraries.items()
}
REFUSING: Final = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refusing())
"""
"""Module that hides libraries, which Python imports when it starts."""


def brought(requirements: list[str]) -> set[str]:
    """The packages that pip installs for these, those that they require included."""
    found: set[str] = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        found.add(canonicalize_name(wanted.name))
        for each in map(Requirement, requires(wanted.name) or ()):
            extras = [{"extra": extra} for extra in (*wanted.extras, "")]
            is_needed = each.marker is None or any(map(each.marker.evaluate, extras))
            if is_needed and canonicalize_name(each.name) not in found:
                waiting.append(each)
    return found


def imported(folder: Path) -> Iterator[str]:
    """The top-level modules of others that the modules of a folder import."""
    for path in folder.rglob("*.py"):
        is_of_bots = "games" in path.parts and "kit" in path.parts
        if not is_of_bots and {"templates", "importable"}.isdisjoint(path.parts):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    yield from (each.name.partition(".")[0] for each in node.names)
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    yield (node.module or "").partition(".")[0]


def others(folder: Path) -> set[str]:
    return {*imported(folder)} - {*sys.stdlib_module_names} - {"arena"}


def test_pip_brings_what_an_extension_says() -> None:
    packages = packages_distributions()
    for module, get in LIBRARIES.items():
        package, _, extra = get.rstrip("]").partition("[")
        assert package == PROJECT["name"]
        wanted = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
        assert canonicalize_name(packages[module][0]) in brought(wanted), module
    for name in GAMES:
        if module := GAMES[name].extra_module:
            assert LIBRARIES[module] == f"botarena[{GAMES[name].extra}]"


def test_every_extra_that_is_named_anywhere_exists() -> None:
    """In pages, code and the project itself, as ``botarena[NAMES]`` or as ``'.[NAMES]'``."""
    known = {*PROJECT["optional-dependencies"]}
    named = re.compile(r"(?:\bbotarena|'\.)\[([a-z][\w,-]*)\]")
    sources = [ROOT / "pyproject.toml", *ROOT.glob("*.md")]
    sources += (path for top in ("arena", "docs") for path in (ROOT / top).rglob("*.*"))
    texts = {".md", ".py", ".pyi", ".toml", ".ipynb", ".yaml", ".yml", ".jinja", ".html", ".txt"}
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources
        if path.suffix in texts
        for names in named.findall(path.read_text("utf-8"))
        for name in names.split(",")
    }
    assert {("docs/games/chess.md", "chess"), ("README.md", "test")} <= found
    assert [each for each in sorted(found) if each[1] not in known] == []


def test_the_core_needs_what_a_plain_install_brings_and_extensions_list_the_rest() -> None:
    home, packages = ROOT / "arena", packages_distributions()
    rooms = [path for path in home.iterdir() if path.is_dir() and path.name != "extensions"]
    core = {module for room in rooms for module in others(room)}
    plain = brought(PROJECT["dependencies"])
    assert {
        module for module in core if canonicalize_name(packages[module][0]) not in plain
    } == set()
    for name, extension in EXTENSIONS.items():
        own = others(home / "extensions" / name)
        assert own - core <= extension.libraries.keys() <= own, name


@pytest.mark.slow
@pytest.mark.process
def test_without_these_libraries_the_core_works_and_one_line_says_what_is_missing(
    tmp_path: Path,
) -> None:
    installed = install(tmp_path / "installed")
    (installed / "sitecustomize.py").write_text(REFUSING.format(names={*LIBRARIES}))
    path = os.pathsep.join([str(installed), str(ROOT)])

    def without(*args: str) -> Result:
        return arena(tmp_path, *args, env=environment(PYTHONPATH=path))

    bots = ("builtin:random", "builtin:first-legal", "-n", "1", "-q")
    for words in (
        ("--help",),
        ("run", "-g", "kuhn", *bots, "-o", "run"),
        ("standings", "run", "--full"),
        ("games", "run"),
        ("verify", "run"),
    ):
        assert without(*words).code == 0, words
    for words, module in {
        ("report", "run"): "jinja2",
        ("new-bot", "mine"): "jinja2",
        ("run", "-g", "chess", *bots): "chess",
        ("run", "-g", "kuhn", *bots, "--on", "dask"): "distributed",
        ("export", "run", "--tables", "all"): "pyarrow",
    }.items():
        refused = without(*words)
        assert (refused.code, refused.out) == (2, ""), words
        (line,) = (line for line in refused.err.splitlines() if "pip install" in line)
        assert f"pip install '{LIBRARIES[module]}'" in line, words
        assert module in line, words


@pytest.mark.extensions("machines")
def test_a_library_of_another_error_is_no_library_that_is_missing() -> None:
    assert extensions.uninstalled(ModuleNotFoundError(name="arena.nothing")) == ""
    assert extensions.uninstalled(ValueError("distributed")) == ""
    found = extensions.uninstalled(ModuleNotFoundError(name="distributed.client"))
    assert found == "this needs distributed, which is not installed: pip install 'botarena[dask]'"
