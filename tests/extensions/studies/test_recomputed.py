"""Every figure of a table, of ``--best`` and of ``--baseline``, from the documented formulas."""

from __future__ import annotations

import json
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.extensions.matches.statistics.report import Verdict
from arena.extensions.studies.family.against import BaselineMatches
from arena.extensions.studies.family.best import Best
from arena.extensions.studies.family.report import BestTest
from tests.cli.shell import arena
from tests.extensions.matches.statistics.test_match import TEST, TWO, pair
from tests.ratings import recomputed
from tests.ratings.recomputed import Game


def made(path: Path) -> list[Game]:
    """Write results: a core with old and new bots, one that lost nothing, and two apart."""
    rng = np.random.default_rng(5)
    strength = {
        "a": 0.0,
        "b": 0.5,
        "c": -0.4,
        "d": 0.9,
        "e": 1.2,
        "f": 0.3,
        "top": 9.0,
        "y": 0,
        "z": 0.4,
    }
    meetings = {("a", "b"): 45, ("a", "c"): 45, ("b", "c"): 45, ("a", "d"): 15, ("b", "d"): 12}
    meetings |= {("c", "e"): 6, ("d", "e"): 3, ("a", "f"): 25, ("b", "top"): 2, ("c", "top"): 3}
    meetings |= {("y", "z"): 14}
    games, lines = [], []
    for (one, other), blocks in meetings.items():
        for deal in range(blocks):
            luck = rng.normal(0, 0.8)
            for seats in ((one, other), (other, one)):
                edge = strength[seats[0]] - strength[seats[1]] + 0.2 + luck
                draw = rng.random() < 0.15 and "top" not in seats
                score: float | None = 0.5 if draw else float(rng.logistic() + edge > 0)
                line: dict[str, Any] = {"deal": f"{one}{other}{deal}", "seats": seats}
                places = {1.0: [1, 2], 0.5: [1, 1], 0.0: [2, 1]}[score or 0.0]
                if one == "a" and deal == 3:  # one at fault, or in one game both
                    both = seats == ("b", "a")
                    score, places = (None, [2, 2]) if both else (0.0, [2, 1])
                    line["faults"] = [0, 1] if both else [0]
                games.append(Game(f"{one}{other}{deal}", seats, score))
                lines.append(json.dumps(line | {"places": places}))
    path.write_text("\n".join(lines) + "\n")
    return games


@pytest.mark.slow
@pytest.mark.parametrize("anchor", [None, "c"])
def test_a_table(tmp_path: Path, anchor: str | None) -> None:
    games = made(tmp_path / "games.jsonl")
    asked = ("--anchor", anchor) if anchor else ()
    done = arena(tmp_path, "standings", "games.jsonl", "--full", "--format", "json", *asked)
    assert done.code == 0, done.err
    [shown] = json.loads(done.out)["tables"]
    data, found = shown["data"], recomputed.table(games, (anchor, 1000.0) if anchor else None)
    rows = {row["name"]: row for row in data["rows"]}
    for name, row in rows.items():
        assert row["elo"] == pytest.approx(found.elo[name], abs=1e-4), name
        for end in ("low", "high"):
            assert row[end] == pytest.approx(getattr(found, end).get(name), abs=1e-4), name
        assert row["limit"] == pytest.approx(found.limit.get(name), abs=1e-4)
        own = [g for g in games if name in g.bots]
        scores = [
            0.0 if g.score is None else g.score if g.bots[0] == name else 1 - g.score for g in own
        ]
        counts = [scores.count(1.0), scores.count(0.5), scores.count(0.0), len(own)]
        assert [row[key] for key in ("wins", "draws", "losses", "games")] == counts
        assert (row["points"], row["score"]) == (sum(scores), pytest.approx(np.mean(scores)))
    assert data["blocks"] == found.blocks
    seat = data["seat_advantage"]
    assert (seat["elo"], seat["error"]) == pytest.approx(found.seat, abs=1e-4)
    assert data["luck_correlation"] == pytest.approx(found.correlation, abs=1e-6)
    order = [row["name"] for row in data["rows"]]
    assert order == sorted(found.elo, key=lambda name: -found.elo[name])
    for row in shown["panels"]["differences"]:
        los = found.los.get((row["name"], row["other"]))
        if los is not None:
            assert row["superiority"] == pytest.approx(los, abs=1e-6)
    cells = recomputed.crosstable(games)
    for row in shown["panels"]["crosstable"]:
        cell = cells.get((row["name"], row["other"]))
        if cell is None:
            continue
        assert row["score"] == pytest.approx(cell["score"], abs=1e-6)
        assert row["score_low"] == pytest.approx(cell["low"], abs=1e-6)
        assert row["score_high"] == pytest.approx(cell["high"], abs=1e-6)
        assert row["superiority"] == pytest.approx(cell["los"], abs=1e-6)
        assert row["p"] == pytest.approx(cell["p"], rel=1e-4)


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
        contest.add(TWO.discipline, [games for games, _ in own])
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
@pytest.mark.soak
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
        contest.add(TWO.discipline, [games for games, _ in own])
        for name, (_, value) in zip(left, own, strict=True):
            values[name].append(value)
        again = True
        while again:  # a pass may let others pass
            alpha, again = 0.05 / (4 - passed), False
            for name in [name for name in left if name not in ended and len(values[name]) >= 20]:
                ratio = recomputed.llr(values[name], 2, TEST.elo0, TEST.elo1)
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
