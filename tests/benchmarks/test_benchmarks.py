"""The benchmark command: its quick mode measures every row. No number is judged here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.cases import CASES
from benchmarks.figures import Figure, Figures
from benchmarks.rival import fastchess
from benchmarks.rows import ROWS, Bar, Group, Row, Verdict
from benchmarks.workshop import PROGRAMS, QUICK, UnavailableError, Workshop

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]
HAS_COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))
RIVALS = {Figure.FASTCHESS_CPU, Figure.FASTCHESS_PLIES, Figure.OPENSPIEL_STEPS}
"""Measured where they are installed."""
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="its rivals and bots are in C")


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "--quick", *arguments]
    env = None if path is None else {"PATH": path}
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True, timeout=380
    )


def row(label: str) -> Row:
    return next(row for row in ROWS if row.label == label)


def verdicts(path: Path) -> dict[str, str]:
    return {row["label"]: row["verdict"] for row in json.loads(path.read_text())["rows"]}


def labels(rows: Sequence[Row]) -> set[str]:
    return {row.label for row in rows}


@pytest.mark.soak
@needs_compiler
def test_quick_mode_prints_and_measures_every_row(tmp_path: Path) -> None:
    printed = run("--json", str(tmp_path / "all.json")).stdout
    found = verdicts(tmp_path / "all.json")
    assert set(found) == labels(ROWS)
    assert all(label in printed for label in found)
    of_rivals = labels([row for row in ROWS if row.figures & RIVALS])
    assert {label for label in found if found[label] == Verdict.SKIPPED.value} <= of_rivals


def test_without_a_compiler_it_says_so_and_measures_what_needs_none(tmp_path: Path) -> None:
    printed = run("--only", "rules", "--json", str(tmp_path / "rules.json"), path="").stdout
    assert run("--only", "loop", path="").stdout.count("no C compiler") == 1
    assert "Dragonheart, random self-play" in printed
    assert verdicts(tmp_path / "rules.json").keys() == labels(
        [row for row in ROWS if row.group is Group.RULES]
    )


def test_every_figure_of_a_row_comes_from_one_case() -> None:
    measured = [figure for case in CASES for figure in case.figures]
    assert len(measured) == len(set(measured))
    assert all(row.figures <= set(measured) for row in ROWS)


def test_a_ratio_is_taken_within_each_round() -> None:
    two_to_one = row("turns/s, two workers / one")
    bottom = two_to_one.bottom
    assert bottom is not None
    value = two_to_one.value([{two_to_one.top: 6, bottom: 3}, {two_to_one.top: 30, bottom: 10}])
    assert value is not None
    assert value == (2.5, 2, 3)
    assert two_to_one.verdict(value) is Verdict.PASS


def test_a_row_without_its_figures_is_no_pass() -> None:
    assert ROWS[0].verdict(ROWS[0].value([{}])) is Verdict.SKIPPED


@pytest.mark.parametrize(
    ("at_most", "value", "holds"),
    [(True, 2.0, True), (True, 2.1, False), (False, 2.0, True), (False, 1.9, False)],
)
def test_a_bar_is_reached_at_its_limit(at_most: bool, value: float, holds: bool) -> None:
    assert Bar(2, at_most).holds(value) is holds


FAKE = """#!/usr/bin/env python3
import sys, time
rounds = int(sys.argv[sys.argv.index("-rounds") + 1])
for game in range(2 * rounds - LOST):
    print(f"Finished game {game}: 1/2-1/2 {{Draw by adjudication}}")
sum(range(200_000 * rounds))
time.sleep(0.02 * rounds)
"""


def rival(tmp_path: Path, lost: int) -> Figures:
    program = tmp_path / "fastchess"
    program.write_text(FAKE.replace("LOST", str(lost)))
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FASTCHESS", str(program))
        return fastchess(Workshop(QUICK, tmp_path))


@needs_compiler
def test_a_rival_is_measured_by_itself(tmp_path: Path) -> None:
    found = rival(tmp_path, lost=0)
    assert found.keys() == {Figure.FASTCHESS_CPU, Figure.FASTCHESS_PLIES}
    assert min(found.values()) > 0


@needs_compiler
def test_a_rival_that_does_not_play_the_line_measures_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="drew 19 of 20 games"):
        rival(tmp_path, lost=1)


@pytest.mark.parametrize(("where", "told"), [("", "does not say"), ("/nowhere", "no program")])
def test_without_a_rival_its_bar_is_not_measured(tmp_path: Path, where: str, told: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FASTCHESS", where)
        with pytest.raises(UnavailableError, match=told):
            fastchess(Workshop(QUICK, tmp_path))


@needs_compiler
def test_the_line_is_long_enough_and_answered_move_by_move(tmp_path: Path) -> None:
    engine = Workshop(QUICK, tmp_path).program("uci_line")
    moves = (PROGRAMS / "line.txt").read_text().split()
    asked = "".join(f"position startpos moves {' '.join(moves[:n])}\ngo\n" for n in range(1, 160))
    command = [engine, str(PROGRAMS / "line.txt")]
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    assert [line.split()[1] for line in said.splitlines()[1::2]] == moves[1:160]
