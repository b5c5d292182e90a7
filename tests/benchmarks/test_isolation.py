"""The benchmark of isolation levels measures them all. No number is judged here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]


@pytest.mark.soak
def test_quick_mode_prints_a_row_for_each_cost() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.isolation", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=380,
    )
    for what in (
        "start-up",
        "start and end, own CPU",
        "turn",
        "turn, pondering off",
        "game, reused",
        "game, fresh",
    ):
        assert f"\n{what}, Python, " in done.stdout
    assert "(1.00×)" in done.stdout
