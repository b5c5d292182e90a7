"""Is everything that commands print and write as it was? The package says how to refresh."""

from __future__ import annotations

import difflib
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.goldens.runs import EXPECTED, RUNS
from tests.goldens.workshop import ROOT

_MOST_LINES: Final = 80
"""Of a difference that are shown."""
_MOST_BYTES: Final = 1_300_000
"""Of all goldens together."""
GOLDENS: Final = [
    f"{run}/{path.relative_to(EXPECTED / run)}"
    for run in RUNS
    for path in sorted((EXPECTED / run).rglob("*"))
    if path.is_file()
]

pytestmark = [
    pytest.mark.extensions,
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="session")
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Callable[[str], Path]:
    """Where the goldens of a run were made: once in a session, by whoever comes first.

    He makes those of all runs that he is to test, by one process: only to start it takes as long
    as some of them.
    """
    base = tmp_path_factory.getbasetemp()
    top = (base if worker_id == "master" else base.parent) / "goldens"
    top.mkdir(exist_ok=True)
    own = Path(__file__)
    asked = [item.name.partition("[")[2] for item in request.session.items if item.path == own]
    mine = {name.rstrip("]") for name in asked} & RUNS.keys()

    def make(run: str) -> Path:
        with (top / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (top / run).exists():
                missing = sorted(name for name in {run, *mine} if not (top / name).exists())
                mine.clear()  # should one of them fail, the others are made one by one
                subprocess.run(
                    [sys.executable, "-m", "tests.goldens", *missing, "--into", top],
                    cwd=ROOT,
                    env=os.environ | {"TMPDIR": str(base)},
                    check=True,
                    stdout=subprocess.DEVNULL,
                )
        return top / run

    return make


@pytest.mark.parametrize("run", RUNS)
def test_output_is_as_it_was(run: str, made: Callable[[str], Path]) -> None:
    top = made(run)
    found = {f"{run}/{path.relative_to(top)}" for path in top.rglob("*") if path.is_file()}
    expected = {golden for golden in GOLDENS if golden.startswith(f"{run}/")}
    wrong = [f"{golden}: nothing makes it any more" for golden in sorted(expected - found)]
    wrong += [f"{golden}: python -m tests.goldens writes it" for golden in sorted(found - expected)]
    for golden in sorted(expected & found):
        then = (EXPECTED / golden).read_text("utf-8")
        now = (top.parent / golden).read_text("utf-8")
        if then != now:
            wrong.append(f"{golden} is not as it was\n{_difference(then, now)}")
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


def test_goldens_stay_small() -> None:
    assert sum((EXPECTED / golden).stat().st_size for golden in GOLDENS) < _MOST_BYTES
    unknown = {path.name for path in EXPECTED.iterdir()} - set(RUNS)
    assert not unknown, "of no run"


def _difference(then: str, now: str) -> str:
    lines = list(
        difflib.unified_diff(
            then.splitlines(), now.splitlines(), "expected", "now", lineterm="", n=2
        )
    )
    left = len(lines) - _MOST_LINES
    return "\n".join(lines[:_MOST_LINES] + [f"… {left} lines more"] * (left > 0))
