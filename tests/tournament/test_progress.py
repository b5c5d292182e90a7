"""What is known of a run while it is played."""

from __future__ import annotations

from arena.runs.withdrawals import Ground, Withdrawal
from arena.tournament.progress import Progress
from tests.ratings.made_games import WIN, game, solo


def test_who_had_a_fault_in_every_game() -> None:
    progress = Progress(6)
    assert progress.failed == []
    progress.add(game(("anna", "bad"), WIN, faulty=[1, 1]))
    progress.add(game(("anna", "berta"), WIN, faulty=[1]))
    assert progress.failed == ["bad", "berta"]
    progress.add(game(("berta", "anna"), WIN))
    assert progress.failed == ["bad"]
    progress.add(game(("carla", "anna"), WIN, faulty=[0]))
    progress.add(solo("anna", "d", None))
    assert progress.failed == ["bad", "carla"]


def test_games_of_withdrawn_bots_count_for_nobody() -> None:
    progress = Progress(3)
    progress.add(game(("anna", "bad"), WIN, faulty=[1]))
    progress.add(game(("anna", "berta"), WIN, faulty=[0]))
    progress.add(game(("bad", "berta"), WIN, faulty=[0, 1]))
    progress.withdrawn = {"bad": Withdrawal("bad", Ground.STARTUP, 2)}
    assert progress.failed == ["anna"]
