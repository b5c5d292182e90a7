"""Payoffs: those of the crosstable, and what OpenSpiel makes of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from arena.extensions.data.api.payoffs import BlockScores, Payoffs, Returns, block_scores
from arena.ratings.elo.crosstable import PairResult
from arena.values.results import (
    Fault,
    FaultKind,
    GameResult,
    GameSpec,
    RatedBy,
    Termination,
)
from tests.views.played import BOTS, ONE, run_of

CIRCLE = [[0.5, 0.9, 0.2], [0.1, 0.5, 0.8], [0.8, 0.2, 0.5]]
EQUILIBRIUM = [0.3, 0.3, 0.4]
"""Solution of the circle by hand: each loses as much against it as it wins."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    return arena.open(run_of(tmp_path_factory.mktemp("payoffs") / "cup", ("dragonkrak", 1), ONE))


def payoffs(scores: Sequence[Sequence[float]], blocks: int = 400) -> Payoffs:
    """Payoffs of bots a, b and so on, whose blocks are won or lost as often as their scores say."""
    names = "abcdefgh"[: len(scores)]
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    results = [
        PairResult(
            *(names[i], names[j], blocks, blocks, 0, 0, 0, scores[i][j], None),
            *(None, None, None, None, None, None, 1.0, 1.0),
            significant=False,
        )
        for i, j in pairs
    ]
    won = [np.arange(blocks) < round(scores[i][j] * blocks) for i, j in pairs]
    return Payoffs(
        names,
        results,
        lambda: BlockScores(
            np.arange(blocks * len(pairs)),
            np.repeat([i * len(names) + j for i, j in pairs], blocks),
            np.concatenate(won).astype(np.float64),
            np.ones(blocks * len(pairs)),
            np.arange(blocks * len(pairs)).reshape(-1, blocks),
        ),
    )


def test_payoffs_are_the_scores_of_the_pairs(run: arena.Run) -> None:
    found = run.payoffs("dragonheart-2")
    assert set(found.bots) == set(BOTS)
    met: dict[str, dict[str, float]] = {}
    for seat in run.seats(discipline="dragonheart-2"):
        met.setdefault(seat["game"], {})[seat["bot"]] = seat["points"]
    for at, name in enumerate(found.bots):
        for to, other in enumerate(found.bots):
            own = [game[name] for game in met.values() if {name, other} <= game.keys()]
            if at != to:
                assert found.scores[at, to] == pytest.approx(np.mean(own))
                assert not found.low[at, to] > found.scores[at, to]  # or not known
                assert not found.high[at, to] < found.scores[at, to]
    assert (found.scores + found.scores.T == 1).all()
    assert repr(found).count("\n") == len(BOTS)
    by_block = found._by_block()
    sums, games = (
        np.bincount(by_block.pairs, each, len(BOTS) ** 2).reshape(found.scores.shape)
        for each in (by_block.sums, by_block.games)
    )
    assert (sums / np.where(games, games, 1))[games > 0] == pytest.approx(found.scores[games > 0])
    assert ((games > 0) == np.triu(np.ones_like(games, bool), 1))[games > 0].all()


def test_payoffs_of_larger_tables_are_those_of_pairs_of_seats(tmp_path: Path) -> None:
    """Counted again from the places of each record: all pairs of seats at all tables."""
    run = arena.open(run_of(tmp_path / "cup", ("dragonkrak", 3), ("dragonkrak", 4)))
    ends = {row["game"]: row["termination"] for row in run.games()}
    forfeited = {game for game, end in ends.items() if end == "forfeited"}
    for discipline in ("dragonkrak-3", "dragonkrak-4"):
        found = run.payoffs(discipline)
        scores: dict[tuple[str, str], list[float]] = {}
        blocks: dict[tuple[str, str], set[str]] = {}
        games: dict[str, list[Any]] = {}
        for row in run.seats(discipline=discipline):
            games.setdefault(row["game"], []).append(row)
        for seats in games.values():
            failed = {row["seat"] for row in seats if row["fault"]}
            stopped = seats[0]["game"] in forfeited
            for one in seats:
                for other in seats:
                    lost = len(failed & {one["seat"], other["seat"]})
                    if one is other or lost == 2 or (stopped and not lost):
                        continue
                    ahead = (one["place"] < other["place"]) + (one["place"] == other["place"]) / 2
                    scores.setdefault((one["bot"], other["bot"]), []).append(ahead)
                    blocks.setdefault((one["bot"], other["bot"]), set()).add(one["block"])
        assert scores
        for at, name in enumerate(found.bots):
            for to, other_name in enumerate(found.bots):
                own = scores.get((name, other_name))
                if at != to and own is not None:
                    assert found.scores[at, to] == pytest.approx(np.mean(own))
                    assert found.blocks[at, to] == len(blocks[name, other_name])


def test_resamples_scatter_as_blocks_do() -> None:
    scores = np.array(CIRCLE)
    drawn = np.array([*payoffs(CIRCLE)._resampled(payoffs(CIRCLE)._by_block(), 2000)])
    assert drawn.mean(0) == pytest.approx(scores, abs=0.003)
    expected = np.sqrt(scores * (1 - scores) / 400) * (1 - np.eye(3))
    assert drawn.std(0) == pytest.approx(expected, rel=0.08)
    assert drawn + drawn.transpose(0, 2, 1) == pytest.approx(1.0)


def played(block: int, bots: tuple[str, ...], *scores: int, fault: int | None = None) -> GameResult:
    """A game with these scores, or one that a fault ended."""
    places = tuple(1 + sum(each > own for each in scores) for own in scores)
    return GameResult(
        spec=GameSpec(f"g/{block}:0", str(block), str(block), 0, bots),
        termination=Termination.COMPLETED if fault is None else Termination.FORFEITED,
        places=places,
        plies=1,
        digest="",
        scores=scores if fault is None else None,
        faults=() if fault is None else (Fault(fault, FaultKind.CRASH, 0, ""),),
    )


def test_payoffs_by_margin_and_score_are_means_of_blocks() -> None:
    """A wins few large pots; a block counts once, and a fault counts against its bot alone."""
    games = [
        played(0, ("a", "b"), 9, -9),
        played(0, ("b", "a"), 1, -1),
        played(1, ("a", "b"), -1, 1),
        played(2, ("a", "b"), -3, 3),
        played(3, ("b", "a"), 0, 0, fault=0),
        played(4, ("a", "b", "a"), 4, 1, 2),
    ]
    values = [8.0, -2.0, -6.0, 2.0]
    for by, own, other in (
        (RatedBy.MARGIN, values, [-8.0, 2.0, 6.0, -8.0, -2.0]),
        (RatedBy.SCORE, [4.0, -1.0, -3.0, 3.0], [-4.0, 1.0, 3.0, -20.0, 1.0]),
    ):
        for less in (False, True):
            signed = -1 if less else 1
            returns = Returns(by is RatedBy.MARGIN, less, -20 * signed)
            found = Payoffs("ab", (), partial(block_scores, "ab", games, returns), by)
            mirrored = [signed * each for each in other]
            if by is RatedBy.MARGIN:
                mirrored[3] = min(signed * each for each in (*own, *other))
            else:
                mirrored[3] = -20
            assert found.scores[0, 1] == pytest.approx(signed * np.mean(own))
            assert found.scores[1, 0] == pytest.approx(np.mean(mirrored))
            assert found.blocks.tolist() == [[0, 4], [5, 0]]
            error = 3.182446 * np.std(own, ddof=1) / 2
            assert found.high[0, 1] - found.scores[0, 1] == pytest.approx(error)
            drawn = np.array([*found._resampled(found._by_block(), 40)])
            assert np.nanmin(drawn[:, 0, 1]) < found.scores[0, 1] < np.nanmax(drawn[:, 0, 1])
            assert repr(found).startswith(f"<arena.Payoffs, mean {by.value} against each other:")


def test_payoffs_of_a_run_by_margin(tmp_path: Path) -> None:
    def last(question: Any) -> int:
        return len(question.legal) - 1

    bots: list[Any] = [last, "builtin:random"]
    by = ["game.by=margin"]
    run = arena.play("dragonheart", bots, deals=4, into=tmp_path / "run", settings=by)
    found = run.payoffs()
    means = {row["bot"]: row["mean"] for row in run.standings()}
    assert found.by == "margin"
    assert found.scores[0, 1] == pytest.approx(means[found.bots[0]])
    assert found.scores[1, 0] == pytest.approx(means[found.bots[1]])


def test_mistakes_are_errors(run: Any) -> None:
    for call, told in (
        (lambda: run.payoffs(), "discipline: found none, expected dragonkrak-1 or dragonheart-2"),
        (lambda: run.payoffs("x"), 'discipline: found "x", expected dragonkrak-1 or dragonheart'),
        (lambda: run.payoffs(3), "discipline: found 3, expected text"),
        (lambda: run.payoffs("dragonkrak-1"), "bots do not score against each other there"),
    ):
        with pytest.raises(arena.Error, match=told):
            call()


@pytest.mark.slow
def test_mistakes_about_ranks_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    module = "open_spiel.python.algorithms.nash_averaging"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "cvxpy", None)  # as if it were not installed
    with pytest.raises(arena.Error, match=r"needs cvxpy, .*: pip install 'botarena\[egt\]'"):
        payoffs(CIRCLE).nash_average()
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    never = payoffs(CIRCLE)
    never.scores[0, 2] = never.scores[2, 0] = np.nan
    said = "a and c have no game without a fault of both, expected one of every pair"
    with pytest.raises(arena.Error, match=said):
        never.alpha_rank()
    with pytest.raises(arena.Error, match="resamples: found 0, expected a whole number from 1"):
        payoffs(CIRCLE).alpha_rank(resamples=0)


@pytest.mark.slow
def test_openspiel_ranks_bots_in_a_circle() -> None:
    for library in ("pyspiel", "cvxpy", "matplotlib", "networkx"):
        pytest.importorskip(library)
    ranks = payoffs(CIRCLE).alpha_rank(40)
    assert [each.value for each in ranks.values()] == pytest.approx([1 / 3] * 3)
    found = payoffs(CIRCLE).nash_average(40)
    assert [each.mass.value for each in found.values()] == pytest.approx(EQUILIBRIUM, abs=1e-5)
    assert [each.score.value for each in found.values()] == pytest.approx([0.5] * 3, abs=1e-5)
    for each in found.values():
        low, high = each.mass.low, each.mass.high
        assert low is not None
        assert high is not None
        assert low < each.mass.value < high
    # a worse bot, and a copy of c
    more = [[*row, 0.9, row[2]] for row in CIRCLE]
    more += [[0.1, 0.1, 0.1, 0.5, 0.1], [0.8, 0.2, 0.5, 0.9, 0.5]]
    found = payoffs(more).nash_average(2)
    masses = [each.mass.value for each in found.values()]
    assert masses == pytest.approx([0.3, 0.3, 0.2, 0, 0.2], abs=1e-4)
    assert found["d"].score.value == pytest.approx(0.1, abs=1e-4)
    ranks = payoffs(more).alpha_rank(2)
    assert ranks["d"].value < 1e-5
    alone = payoffs(CIRCLE, blocks=1).alpha_rank()
    assert {(each.low, each.high) for each in alone.values()} == {(None, None)}


def long_run(scores: Any) -> Any:
    """Shares of the chain that moves to a better bot, with rare mutations, by linear algebra."""
    lead, size = scores - scores.T, len(scores)
    moves = np.where(lead.T > 0, 1 - 1e-6, np.where(lead.T < 0, 1e-6, 0.5)) / (size - 1)
    np.fill_diagonal(moves, 0)
    np.fill_diagonal(moves, 1 - moves.sum(1))
    equations = np.vstack([moves.T - np.eye(size), np.ones(size)])
    return np.linalg.lstsq(equations, np.append(np.zeros(size), 1), rcond=None)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        (np.triu(np.ones((8, 8)), 1), [1, *[0] * 7]),
        (np.zeros((4, 4)), [1 / 4] * 4),
        ([[0, 0, 9], [0, 0, 9], [0, 0, 0]], [1 / 2, 1 / 2, 0]),
        ([[0, 0, 9], [0, 0, 0], [0, 0, 0]], [5 / 9, 1 / 3, 1 / 9]),  # 1 and 2 tie, 2 and 3 too
        ([[0, 7, 0, 1], [0, 0, 2, 1], [3, 0, 0, 1], [0, 0, 0, 0]], [1 / 3, 1 / 3, 1 / 3, 0]),
    ],
)
def test_alpha_rank_is_the_limit(lead: Any, expected: Any) -> None:
    for library in ("pyspiel", "cvxpy", "matplotlib", "networkx"):
        pytest.importorskip(library)
    margins = np.array(lead, float) - np.array(lead, float).T
    names = "abcdefgh"[: len(margins)]
    pairs = [i * len(names) + j for i in range(len(names)) for j in range(len(names)) if i != j]
    sums = np.array([margins[divmod(each, len(names))] for each in pairs])
    zeros = np.zeros(len(pairs), np.int64)
    by_block = BlockScores(zeros, np.array(pairs), sums, np.ones(len(pairs)), [np.array([0])])
    found = Payoffs(names, (), lambda: by_block, RatedBy.MARGIN)
    shares = [each.value for each in found.alpha_rank().values()]
    assert shares == pytest.approx(long_run(margins), abs=1e-9)
    assert shares == pytest.approx(expected, abs=1e-5)
    thousand = Payoffs(names, (), lambda: by_block._replace(sums=1000 * sums), RatedBy.MARGIN)
    for one, other in zip(
        found.nash_average().values(), thousand.nash_average().values(), strict=True
    ):
        assert one.mass.value == pytest.approx(other.mass.value, abs=1e-4)
        assert 1000 * one.score.value == pytest.approx(other.score.value, abs=1)
        assert one.score.value <= 1e-3
