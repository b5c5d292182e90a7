"""Every figure of ``--best``, and the steps of ``--against``, from the documented formulas."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest

from arena.ratings.family.against import BaselineMatches
from arena.ratings.family.best import Best
from arena.ratings.family.report import BestTest
from arena.ratings.match.report import Verdict
from arena.ratings.match.sprt import Hypotheses, llr
from tests.ratings import recomputed
from tests.ratings.match.test_match import TEST, TWO, pair


def meet(rng: np.random.Generator, one: str, other: str, edge: float) -> tuple[Any, float]:
    """The games of a block, and what it is worth to the first bot."""
    shares = np.array([0.5 - edge, 0.08, 0.42 + edge])
    text = "".join(rng.choice(list("LDW"), 2, p=shares))
    return pair(text, one, other), sum(" DW".index(own) for own in text if own != "L") / 4


def test_the_best() -> None:
    rng = np.random.default_rng(8)
    names, edges = ["a", "b", "c", "d"], {"a": 0.0, "b": 0.09, "c": 0.08, "d": -0.35}
    contest = Best(names, names, [TWO], BestTest(60.0, 0.05, 10_000, 0.01, 10, False))
    rounds = []
    while contest.decision is None:
        left = [name for name in names if name not in contest.out]
        pairs = list(combinations(left, 2))
        own = [meet(rng, a, b, (edges[a] - edges[b]) * (1 - (a + b == "bc"))) for a, b in pairs]
        contest.add(TWO.name, [games for games, _ in own])
        rounds.append([(*pair, value) for pair, (_, value) in zip(pairs, own, strict=True)])
    found = recomputed.best(rounds, names, 60.0, 0.05)
    assert contest.bound == pytest.approx(log(3 / 0.1))
    assert len(found.out) == 3
    for each in contest.contenders():
        name = each.side.name
        if name in found.left:
            assert (each.state, each.nelo.value) == ("best", None)
            continue
        assert (each.round, each.by) == found.out[name]
        ends = found.nelo[name]
        assert (each.nelo.value, each.nelo.low, each.nelo.high) == tuple(
            pytest.approx(end, abs=1e-3) for end in ends
        )
        assert each.worse == (ends[2] is not None and ends[2] < 0)
    assert any(each.nelo.low is None for each in contest.contenders() if each.nelo.value)
    assert {each.worse for each in contest.contenders()} == {False, True}


@pytest.mark.slow
def test_against() -> None:
    """But for the estimates, which allow for the stop."""
    rng = np.random.default_rng(6)
    edges = {"a": 0.12, "b": 0.09, "c": 0.03, "d": -0.3}
    contest = BaselineMatches([*edges, "z"], [*edges, "z"], [TWO], TEST)
    values: dict[str, list[float]] = {name: [] for name in edges}
    ended: dict[str, tuple[Verdict, float, float]] = {}
    passed = 0
    while contest.decision is None:
        left = [name for name in edges if name not in contest.out]
        assert left == [name for name in edges if name not in ended]
        own = [meet(rng, name, "z", edges[name]) for name in left]
        contest.add(TWO.name, [games for games, _ in own])
        for name, (_, value) in zip(left, own, strict=True):
            values[name].append(value)
        again = True
        while again:  # a pass may let others pass
            alpha, again = 0.05 / (4 - passed), False
            for name in [name for name in left if name not in ended and len(values[name]) >= 20]:
                ratio = llr(Counter(values[name]), 2, Hypotheses(TEST.elo0, TEST.elo1))
                lower, upper = log(0.05 / (1 - alpha)), log(0.95 / alpha)
                if not lower < ratio < upper:
                    verdict = Verdict.PASS if ratio >= upper else Verdict.FAIL
                    ended[name] = verdict, ratio, upper
            now = sum(verdict is Verdict.PASS for verdict, *_ in ended.values())
            again, passed = now > passed, now
    assert {verdict for verdict, *_ in ended.values()} == {Verdict.PASS, Verdict.FAIL}
    for name, match in contest.matches.items():
        verdict, ratio, upper = ended[name]
        assert match.decision is not None
        assert match.decision.verdict is verdict
        assert match.llr == pytest.approx(ratio, abs=1e-4)
        assert match.bounds[1] == pytest.approx(upper)
        assert (match.blocks, match.games) == (len(values[name]), 2 * len(values[name]))
        [game] = match.reports()
        assert dict(game.histogram) == {
            value: values[name].count(value) for value in (0.0, 0.25, 0.5, 0.75, 1.0)
        }
