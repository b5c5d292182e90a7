"""Games of several seats rated by scores: exact values of blocks, and intervals that hold."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from arena.ratings.counting.scored import ScoreTally
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scores import score_pairs, score_standings
from arena.ratings.elo.standings import Standings
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination

NAMES = ("a", "b", "c")


def game(block: str, names: tuple[str, ...], scores: tuple[int, ...], *faulty: int) -> GameResult:
    ending = Termination.FORFEITED if faulty else Termination.COMPLETED
    return GameResult(
        spec=GameSpec(f"poker/{block}:{','.join(names)}", block, block, 0, names),
        termination=ending,
        places=(1,) * len(names),
        plies=1,
        digest="",
        scores=None if faulty else scores,
        faults=tuple(Fault(seat, FaultKind.CRASH, 0, "") for seat in faulty),
    )


def table(*games: GameResult, by_margin: bool = True, less: bool = False) -> Standings:
    scored = ScoreTally(
        NAMES, score="chips", less_is_better=less, worst_score=-9, by_margin=by_margin
    )
    tally = Tally(NAMES, scored={"poker": scored})
    for each in games:
        tally.add(each)
    return score_standings(tally.solo["poker"])


GAMES = [
    game("1", ("a", "b", "c"), (5, 0, 1)),
    game("1", ("b", "c", "a"), (0, 0, 4)),
    game("1", ("c", "a", "b"), (2, 2, 2)),
    game("2", ("a", "b"), (3, 1)),
    game("2", ("b", "a"), (0, 1)),
]
MARGINS = {"a": (17 / 6 + 1.5) / 2, "b": (-5 / 3 - 1.5) / 2, "c": -3.5 / 3}


def test_a_block_counts_its_mean_margin_and_the_order_of_games_nothing() -> None:
    found = table(*GAMES)
    assert {row.name: row.value for row in found.rows} == pytest.approx(MARGINS, abs=1e-6)
    assert [row.name for row in found.rows] == ["a", "c", "b"]
    assert {row.name: row.games for row in found.rows} == {"a": 5, "b": 5, "c": 3}
    assert found.blocks == 2
    for seed in range(5):
        assert table(*random.Random(seed).sample(GAMES, len(GAMES))) == found
    assert [row.name for row in table(*GAMES, less=True).rows] == ["b", "c", "a"]


def test_who_fails_in_every_game_has_no_margin_but_the_worst_if_there_is_one() -> None:
    failed = [game(str(block), ("a", "b"), (0, 0), 0) for block in range(3)]
    assert {row.name: row.value for row in table(*failed).rows} == dict.fromkeys(NAMES)
    found = table(*failed, game("4", ("b", "c"), (1, 6)))
    assert {row.name: row.value for row in found.rows} == {"a": -5, "b": -5, "c": 5}


def test_by_score_all_of_a_table_share_what_they_reach() -> None:
    played = [
        game("1", ("a", "b"), (7, 7)),
        game("2", ("a", "c"), (4, 4)),
        game("3", ("b", "c"), (1, 1)),
    ]
    found = table(*played, by_margin=False)
    assert [(row.name, row.value) for row in found.rows] == [("a", 5.5), ("b", 4.0), ("c", 2.5)]


def test_a_fault_counts_the_worst_for_the_bot_alone() -> None:
    played = [*GAMES, game("3", ("a", "b"), (0, 0), 0), game("3", ("b", "a"), (50, 0))]
    found = {row.name: row for row in table(*played).rows}
    assert (found["a"].forfeits, found["a"].worst) == (1, -50)
    assert found["b"].best == 50
    coop = {row.name: row for row in table(*played, by_margin=False).rows}
    assert coop["a"].worst == -9


def test_tallies_of_several_runs_are_joined() -> None:
    parts = []
    for games in (GAMES[:3], GAMES[3:]):
        part = Tally(
            NAMES,
            scored={
                "poker": ScoreTally(
                    score="chips", less_is_better=False, worst_score=-9, by_margin=True
                )
            },
        )
        for each in games:
            part.add(each)
        parts.append(part)
    whole = Tally()
    for number, part in enumerate(parts):
        whole.absorb(part, lambda name: name, {}, f"{number}/")
    assert score_standings(whole.solo["poker"]).rows == table(*GAMES).rows


@pytest.mark.slow
@pytest.mark.parametrize("by_margin", [True, False], ids=["margin", "score"])
def test_intervals_hold_what_they_promise(*, by_margin: bool) -> None:
    """Three equal bots, or unequal ones; luck that a deal gives to a seat, and further luck."""
    rng, runs, deals = random.Random(5), 250, 12
    skills = {"a": 0, "b": 0, "c": 6}
    held, apart, wrong = 0, 0, 0
    for _ in range(runs):
        played = []
        for pair in combinations(NAMES, 2):
            for deal in range(deals):
                luck = rng.gauss(0, 20)
                for names in (pair, pair[::-1]):
                    own = [skills[name] + rng.gauss(0, 10) for name in names]
                    scores = (round(own[0] + luck), round(own[1] - luck))
                    if not by_margin:
                        scores = (round(sum(own) + luck),) * 2
                    played.append(game(f"{pair}{deal}", names, scores))
        found = table(*played, by_margin=by_margin)
        true = {"a": -3, "b": -3, "c": 6} if by_margin else {"a": 3, "b": 3, "c": 6}
        for row in found.rows:
            assert row.value is not None
            assert row.error is not None
            held += abs(row.value - true[row.name]) <= row.error
        scored = ScoreTally(score="", less_is_better=False, worst_score=0, by_margin=by_margin)
        for each in played:
            scored.add(each)
        for pair_found in score_pairs(scored.as_solo(), NAMES):
            gap = true[pair_found.name] - true[pair_found.other]
            assert pair_found.error is not None
            apart += abs(pair_found.difference - gap) <= pair_found.error
            wrong += (pair_found.name, pair_found.other) == ("a", "b") and pair_found.p <= 0.05
    assert 0.935 <= held / (3 * runs) <= 0.98
    assert 0.935 <= apart / (3 * runs) <= 0.98
    assert wrong / runs <= 0.09
