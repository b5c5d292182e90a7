"""Every rules engine keeps the promises of the common interface, whatever its options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.extensions.authors.contract.checks import check_worlds
from arena.extensions.authors.contract.tables import checks
from arena.games.game import Game
from arena.values.results import RulesSpec
from tests.extensions.authors.contract import soak
from tests.games import golden
from tests.games.games import PlayedGame, all_specs, label, play, single_specs
from tests.games.titles import known
from tests.rows import some

SPECS = {label(spec): spec for spec in all_specs()}
SINGLE = [label(spec) for spec in single_specs()]
COMBINED = [name for name in SPECS if name not in SINGLE]
"""Options that differ from their defaults in more than one place."""
ROOT = Path(__file__).parents[4]
WORLD_PLIES = 250
"""Plies of a game at which worlds are drawn for every seat: all of a short game."""


@pytest.mark.parametrize("seed", ["one", pytest.param("two", marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", [*SINGLE, *some(COMBINED, every=4)])
def test_contract(name: str, seed: str) -> None:
    spec = SPECS[name]
    game, title = play(spec, seed), known(spec.name)
    for check in checks(game.rules):
        assert check(game, title) or spec.seats == 1, f"{check.__name__} found nothing to test"


@pytest.mark.slow
@pytest.mark.parametrize("spec", some([*single_specs()], every=2), ids=label)
def test_every_world_gives_back_its_observation(spec: RulesSpec) -> None:
    """Along a whole game, for every seat."""
    check_worlds(play(spec, "worlds"), known(spec.name), WORLD_PLIES)


@pytest.mark.slow
@pytest.mark.parametrize("spec", some([*single_specs()], every=3), ids=label)
def test_soak_finds_nothing(spec: RulesSpec) -> None:
    tally = soak.soak(spec, games=2)
    assert tally.violations == []
    assert len(tally.plies) == 2


def test_soak_reports_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(game: PlayedGame, known: Game) -> int:
        raise AssertionError("on purpose")

    monkeypatch.setattr(soak, "CHECKS", (fails,))
    assert soak.main(["--games", "1"]) == 1


@pytest.mark.parametrize("spec", list(single_specs()), ids=label)
def test_transcripts_are_unchanged(spec: RulesSpec) -> None:
    golden_text = (golden.FOLDER / golden.file_name(spec)).read_text("utf-8")
    assert golden_text == golden.transcript(spec)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("hash_seed", ["1", pytest.param("2", marks=pytest.mark.soak)])
def test_transcripts_do_not_depend_on_hash_seeds(hash_seed: str) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tests.games.golden", "--print"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    kept = (golden.FOLDER / golden.file_name(spec) for spec in single_specs())
    assert printed.stdout == "".join(path.read_text("utf-8") for path in kept)
