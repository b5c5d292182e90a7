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
from benchmarks.peers import QUOTED
from benchmarks.rows import ROWS, Bar, Group, Row, Verdict

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[2]
HAS_COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="its rivals and bots are in C")


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "--quick", *arguments]
    env = None if path is None else {"PATH": path}
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True, timeout=110
    )


def row(label: str) -> Row:
    return next(row for row in ROWS if row.label == label)


def verdicts(path: Path) -> dict[str, str]:
    return {row["label"]: row["verdict"] for row in json.loads(path.read_text())["rows"]}


def labels(rows: Sequence[Row]) -> set[str]:
    return {row.label for row in rows}


@needs_compiler
def test_quick_mode_prints_and_measures_every_row(tmp_path: Path) -> None:
    printed = run("--json", str(tmp_path / "all.json")).stdout
    found = verdicts(tmp_path / "all.json")
    assert set(found) == labels(ROWS)
    assert all(label in printed for label in found)
    assert set(found.values()) <= {Verdict.PASS.value, Verdict.MISS.value}


def test_without_a_compiler_it_says_so_and_measures_what_needs_none(tmp_path: Path) -> None:
    printed = run("--only", "rules", "--json", str(tmp_path / "rules.json"), path="").stdout
    assert printed.count("no C compiler") == 1
    assert "Dragonheart, random self-play" in printed
    assert verdicts(tmp_path / "rules.json").keys() == labels(
        [row for row in ROWS if row.group is Group.RULES]
    )


def test_every_figure_of_a_row_comes_from_one_case_or_is_quoted() -> None:
    measured = [figure for case in CASES for figure in case.figures]
    assert len(measured) == len(set(measured))
    known = {*measured, *(quoted.figure for quoted in QUOTED)}
    assert all({row.top, *row.bottoms} <= known for row in ROWS)


def test_a_ratio_is_taken_within_each_round() -> None:
    two_to_one = row("turns/s, two workers / one")
    (bottom,) = two_to_one.bottoms
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


def test_a_quoted_time_grows_and_a_quoted_rate_falls_with_the_floor() -> None:
    for quoted in QUOTED:
        slower = quoted.now(20) / quoted.now(10)
        assert slower == pytest.approx(0.5 if quoted.figure.unit == "1/s" else 2)
