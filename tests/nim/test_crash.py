"""Rules that crash the interpreter make their games void, and the package is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kuhn.install import announce
from tests.nim.test_repeated import Home

pytestmark = [pytest.mark.slow, pytest.mark.process]

STEP = "        return State(state.left - action.sticks"


def test_a_game_is_void_through_rules_that_crash_and_the_package_is_named(tmp_path: Path) -> None:
    source = Path(__file__).with_name("nim_game.py").read_text()
    assert STEP in source
    (tmp_path / "nim_game.py").write_text(
        source.replace(STEP, f"        __import__('os').abort()\n{STEP}")
    )
    announce(tmp_path, "nim-game", "1.0", {"nim": "nim_game:GAME"})
    home = Home(tmp_path, tmp_path)
    done = home.arena("run", "-g", "nim", "perfect", "timid", "-n", "1", "-j", "1", "-o", "run")
    assert done.code == 4
    assert "its worker died (exit status -6) (rules: nim of nim-game 1.0)" in done.err
