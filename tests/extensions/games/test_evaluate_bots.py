"""Mean scores of arena's matches against OpenSpiel's own loop over the same two players."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import arena

pyspiel = pytest.importorskip("pyspiel")
np = pytest.importorskip("numpy")

GAMES = [
    ("kuhn_poker", 1200),
    ("leduc_poker", 800),
    ("liars_dice", 500),
    ("tic_tac_toe", 400),
    ("breakthrough", 100),
]


class First(pyspiel.Bot):
    """The first legal action. OpenSpiel's bot for policies takes a lone action 0 for none."""

    def restart_at(self, state: Any) -> None:
        pass

    def step(self, state: Any) -> int:
        return min(state.legal_actions())


def by_openspiel(name: str, games: int) -> list[float]:
    """Returns of the first legal action against uniform random ones, first and second in turn."""
    from open_spiel.python.algorithms import evaluate_bots
    from open_spiel.python.bots import uniform_random

    game = pyspiel.load_game(name)
    rng, found = np.random.RandomState(1), []
    for number in range(games):
        seat = number % 2
        bots: list[Any] = [First(), First()]
        bots[1 - seat] = uniform_random.UniformRandomBot(1 - seat, rng)
        found.append(evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)[seat])
    return found


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.extensions("data")
@pytest.mark.parametrize(("name", "games"), GAMES)
def test_mean_scores_agree_with_evaluate_bots(name: str, games: int, tmp_path: Path) -> None:
    theirs = by_openspiel(name, games)
    bots, folder = ("builtin:first-legal", "builtin:random"), tmp_path / "run"
    arena.compare(
        *bots, f"openspiel.{name}", elo0=0.0, elo1=0.2, max_games=games, seed=1, into=folder,
        settings=["isolation=none"], may_be_alike=True,
    )  # fmt: skip
    blocks: dict[str, list[float]] = {}
    for row in arena.open(folder).seats():
        if row["bot"].startswith("first-legal"):
            blocks.setdefault(row["block"], []).append(row["score"])
    unit = 1000 if name == "leduc_poker" else 1  # scores of returns that are not whole
    ours = [sum(scores) / len(scores) / unit for scores in blocks.values()]
    errors = [np.std(each, ddof=1) / sqrt(len(each)) for each in (theirs, ours)]
    found = [
        f"{np.mean(e):+.3f} ± {1.96 * s:.3f}" for e, s in zip((theirs, ours), errors, strict=True)
    ]
    print(name, games, len(ours), *found)
    assert len(ours) == games // 2
    assert abs(np.mean(ours) - np.mean(theirs)) <= 1.96 * (errors[0] + errors[1])
