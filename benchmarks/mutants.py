"""Measure the power of the tests: small changes to the code that they notice, per room.

For each room of ``arena/`` a seed chooses random mutants on lines that the fast tests of the room
run. Each mutant is tried in a copy of the project, against the cheapest tests that run its line. A
mutant is killed if a test fails or takes too long. Mutants are stored by file, operator and text of
the line, so that the same ones can be measured again after a change (``--like``).
"""

from __future__ import annotations

import argparse
import ast
import collections
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import coverage
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

_ROOT: Final = Path(__file__).parent.parent
_ROOMS: Final = tuple(sorted(p.parent.name for p in _ROOT.glob("arena/*/__init__.py")))
_MOST_TESTS: Final = 40
_MOST_SECONDS: Final = 8.0
"""Time that the tests of one mutant may take together without it, but for the first."""
_TIMEOUT: Final = 60.0
_OPERATORS: Final = tuple(
    name
    for name in sorted(operator_names())
    if not get_operator(name).arguments() and name != "core/ExceptionReplacer"
)
"""All but those that need arguments, and one that cannot replace a dotted name."""
_LEFT_OUT: Final = (
    "--deselect=tests/hosting/sandbox/test_importable.py::"
    "test_the_package_is_found_and_what_lies_beside_it_is_not[landlock]",
)
"""A test that fails without a mutant: bots may read what PYTHONPATH names, here the whole copy."""
_SAME: Final = ("override", "abstractmethod", "cache", "lru_cache", "runtime_checkable")
"""Decorators without which nothing changes but speed or types."""

Mutant = dict[str, Any]
"""``file``, ``operator``, ``line`` (its text), ``nth`` among the same, and later ``result``."""
Site = tuple[int, int, int, Mutant]
"""Line, column, occurrence for its operator, and the mutant."""
Tests = dict[str, dict[int, list[tuple[float, str]]]]
"""The tests that run each line of each file, with their seconds, the cheapest first."""


def measure(room: str, mutants: list[Mutant], number: int, seed: int, jobs: int) -> list[Mutant]:
    """Return the mutants of a room with their results; choose some if none are given."""
    with tempfile.TemporaryDirectory() as scratch:
        trees = [_copy(Path(scratch, str(job))) for job in range(jobs)]
        tests = _covering(trees[0], room, jobs)
        mutants = mutants or _chosen(tests, number, f"{seed} {room}")
        free: SimpleQueue[Path] = SimpleQueue()
        for tree in trees:
            free.put(tree)

        def run(mutant: Mutant) -> Mutant:
            tree = free.get()
            try:
                return mutant | _result(mutant, tree, tests)
            finally:
                free.put(tree)

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(run, mutants))


def _copy(tree: Path) -> Path:
    """Copy the project. Its bytecode goes by contents: mutants of one size may share a second."""
    listed = ("git", "ls-files", "-zco", "--exclude-standard")
    names = subprocess.run(listed, cwd=_ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (_ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / name, tree / name, follow_symlinks=False)
    by_hash = (
        sys.executable,
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "checked-hash",
        "arena",
    )
    subprocess.run(by_hash, cwd=tree, check=True)
    return tree


def _pytest(tree: Path, *more: str, timeout: float | None = None) -> tuple[int, str]:
    """Run pytest in a copy of the project. Return its exit code and what it printed."""
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        *_LEFT_OUT,
    )
    environment = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(
        (*command, *more),
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return done.returncode, done.stdout


def _covering(tree: Path, room: str, jobs: int) -> Tests:
    """Return which tests of a room run which of its lines.

    Raises:
        SystemExit: Some of the tests fail without any mutant.
    """
    options = ("--cov=arena", "--cov-context=test", "--cov-report=", "--durations=0", "-vv")
    code, printed = _pytest(tree, *options, "-n", str(jobs), f"tests/{room}")
    if code:
        sys.exit(printed[-3000:])
    seconds: dict[str, float] = collections.defaultdict(float)
    for found in re.finditer(r"^(\d+\.\d+)s \w+ +(tests/.*)$", printed, re.MULTILINE):
        seconds[found[2]] += float(found[1])
    data = coverage.CoverageData(str(tree / ".coverage"))
    data.read()
    covering: Tests = {}
    for file in (tree / "arena" / room).rglob("*.py"):
        by_line = data.contexts_by_lineno(str(file.resolve())).items()
        names = {line: {c.rpartition("|")[0] for c in found if c} for line, found in by_line}
        covering[str(file.relative_to(tree))] = {
            line: sorted((seconds[name], name) for name in found)
            for line, found in names.items()
            if found
        }
    return covering


def _chosen(tests: Tests, number: int, seed: str) -> list[Mutant]:
    """Choose mutants at random: a place in the code first, then one of the changes there."""
    places: dict[tuple[str, int, int], list[Mutant]] = collections.defaultdict(list)
    for file in sorted(tests):
        for line, column, _, mutant in _sites(file, (_ROOT / file).read_text(encoding="utf-8")):
            if line in tests[file]:
                places[file, line, column].append(mutant)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(places), min(number, len(places)))
    return [chance.choice(places[place]) for place in chosen]


def _sites(file: str, source: str) -> Iterator[Site]:
    """Yield all that can be changed in a file."""
    lines, types = source.splitlines(), list(_annotations(source))
    nodes = list(ast_nodes(get_ast(source)))
    for name in _OPERATORS:
        operator, seen = get_operator(name)(), collections.Counter[str]()
        found = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (line, column) in enumerate(found):
            text = lines[line - 1].strip()
            mutant = {"file": file, "operator": name, "line": text, "nth": seen[text]}
            seen[text] += 1
            decorator = re.split(r"[(]", text.rpartition(".")[2].lstrip("@"))[0]
            if decorator not in _SAME and not any(a <= (line, column) < b for a, b in types):
                yield line, column, occurrence, mutant


def _annotations(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where annotations begin and end: nobody evaluates them."""
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            if (found := getattr(node, name, None)) is not None:
                yield (found.lineno, found.col_offset), (found.end_lineno, found.end_col_offset)


def _found(mutant: Mutant, tree: Path) -> tuple[Path, Site] | None:
    """Return where a mutant lies: in its file, or in another of the room that took in its line."""
    home = tree / mutant["file"]
    room = tree.joinpath(*Path(mutant["file"]).parts[:2])
    others = sorted(room.rglob("*.py"), key=lambda path: path != home)
    for nth in ({"nth": mutant["nth"]}, {}):
        wanted = {"operator": mutant["operator"], "line": mutant["line"]} | nth
        for path in others:
            source = path.read_text(encoding="utf-8")
            if mutant["line"] in source:
                for site in _sites(str(path.relative_to(tree)), source):
                    if wanted.items() <= site[3].items():
                        return path, site
    return None


def _result(mutant: Mutant, tree: Path, tests: Tests) -> Mutant:
    """Run the tests against a mutant: killed, timeout, survived, or gone if the line is gone."""
    found = _found(mutant, tree)
    if found is None:
        return {"result": "gone"}
    file, site = found
    source = file.read_text(encoding="utf-8")
    covering = tests.get(str(file.relative_to(tree)), {}).get(site[0], [])[:_MOST_TESTS]
    total = itertools.accumulate(seconds for seconds, _ in covering)
    chosen = [name for (_, name), sum_ in zip(covering, total, strict=True) if sum_ < _MOST_SECONDS]
    chosen = chosen or [name for _, name in covering[:1]]
    if not chosen:
        return {"result": "survived", "tests": 0}
    changed = mutate_code(source, get_operator(mutant["operator"])(), site[2])
    try:
        file.write_text(changed, encoding="utf-8")
        code, _ = _pytest(tree, "-x", *chosen, timeout=_TIMEOUT)
        result = "killed" if code else "survived"
    except subprocess.TimeoutExpired:
        result = "timeout"
    finally:
        file.write_text(source, encoding="utf-8")
    return {"result": result, "tests": len(chosen)}


def _table(rooms: dict[str, list[Mutant]]) -> str:
    """Return a line for each room."""
    lines = [
        f"{'room':<12}{'mutants':>8}{'killed':>8}{'timeout':>8}{'survived':>9}{'gone':>6}{'score':>7}"
    ]
    for room, mutants in rooms.items():
        count = collections.Counter(mutant["result"] for mutant in mutants)
        caught, measured = count["killed"] + count["timeout"], len(mutants) - count["gone"]
        score = f"{caught / measured:.0%}" if measured else "-"
        lines.append(
            f"{room:<12}{len(mutants):>8}{count['killed']:>8}{count['timeout']:>8}"
            f"{count['survived']:>9}{count['gone']:>6}{score:>7}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure the rooms asked for, write the JSON after each, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=_ROOMS, help="rooms of arena/ [all]")
    parser.add_argument("--number", type=int, default=40, help="mutants per room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument(
        "--out", type=Path, default=Path("mutants.json"), help="rooms in it are kept"
    )
    parser.add_argument("--like", type=Path, help="measure the mutants of an earlier --out")
    asked = parser.parse_args()
    done = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    like = json.loads(asked.like.read_text()) if asked.like else {}
    for room in asked.rooms:
        bare = [{k: m[k] for k in ("file", "operator", "line", "nth")} for m in like.get(room, ())]
        if room not in done:
            done[room] = measure(room, bare, asked.number, asked.seed, asked.jobs)
            asked.out.write_text(json.dumps(done, indent=1))
    print(_table({room: done[room] for room in asked.rooms}))


if __name__ == "__main__":
    main()
