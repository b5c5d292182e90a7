"""One fit over disciplines, table sizes and solo deals, against a direct maximisation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy

from arena.ratings.counting.scored import SoloTally
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.scale import ELO
from arena.ratings.elo.standings import standings
from arena.ratings.probability import quantile_95
from arena.values.results import FaultKind, Termination
from tests.ratings.fits import fit
from tests.ratings.made_games import (
    DRAW,
    LOSS,
    WIN,
    game,
    mirrored,
    pool,
    replaced,
    solo,
    solo_tally,
    tally,
)

STRENGTHS = {"a": 0.0, "b": 60.0, "c": -40.0, "d": 150.0, "e": -170.0}
PRIOR = 0.5


def solo_pool(strengths, *, deals, rng, luck=300.0):
    """Less is better. Performances are strength plus Gumbel noise, so differences are logistic."""
    games = []
    for deal in range(deals):
        edge = rng.normal(0.0, luck)
        for name, elo in strengths.items():
            nats = (elo + edge) / ELO + rng.gumbel()
            games.append(solo(name, f"solo {deal}", round(-10_000 * nats)))
    return games


def with_faults(games, rng):
    """A tenth of the games with a faulty seat, a tenth with two, finished or stopped."""
    found = []
    for number, result in enumerate(games):
        seats = len(result.places)
        faulty = [] if seats == 1 else rng.permutation(seats)[: max(0, rng.integers(12) - 9)]
        if len(faulty):
            stopped = seats == 2 or number % 2
            ahead = [p for s, p in enumerate(result.places) if s not in faulty]
            places = [
                seats if s in faulty else 1 if stopped else 1 + sum(q < p for q in ahead)
                for s, p in enumerate(result.places)
            ]
            how = Termination.FORFEITED if stopped else Termination.COMPLETED
            block, name = result.spec.block, result.spec.discipline
            result = game(result.spec.entrants, places, block=block, faulty=faulty,
                          termination=how, discipline=name)  # fmt: skip
        elif seats == 1 and rng.random() < 0.15:
            result = solo(result.spec.entrants[0], result.spec.deal, None)
        found.append(result)
    return found


class Direct:
    """The model written out: one row per pair of seats, or of entrants on a solo deal."""

    def __init__(self, games, names):
        self.names = names
        self.seats = sorted(
            {
                (g.spec.discipline, s)
                for g in games
                for s in range(len(g.places))
                if len(g.places) > 1
            }
        )
        self.x, self.y, self.w, self.block = [], [], [], []
        deals = {}
        for g in games:
            if len(g.places) == 1:
                deals.setdefault(g.spec.deal, []).append(g)
            else:
                self.add_game(g)
        for deal in deals.values():
            self.add_deal(deal)
        self.x, self.y, self.w = map(np.array, (self.x, self.y, self.w))

    def add_row(self, parameters, y, w, block):
        row = np.zeros(len(self.names) + len(self.seats))
        for parameter, sign in parameters:
            row[parameter] += sign
        self.x.append(row)
        self.y.append(y)
        self.w.append(w)
        self.block.append(block)

    def add_game(self, g):
        faulty = {fault.seat for fault in g.faults}
        for a, b in combinations(range(len(g.places)), 2):
            met = len(faulty & {a, b})
            stopped = g.termination is Termination.FORFEITED
            if met == 2 or (stopped and not met):
                continue
            parameters = [
                (parameter, sign)
                for seat, sign in ((a, 1), (b, -1))
                for parameter in (
                    self.names.index(g.spec.entrants[seat]),
                    len(self.names) + self.seats.index((g.spec.discipline, seat)),
                )
            ]
            y = (g.places[a] < g.places[b]) + (g.places[a] == g.places[b]) / 2
            block = (g.spec.discipline, g.spec.block)
            self.add_row(parameters, y, 3 / (len(g.places) + 1), block)

    def add_deal(self, deal):
        for g, h in combinations(deal, 2):
            if g.scores is None and h.scores is None:
                continue
            # Less is better; a forfeit is worse than anything.
            one, other = (float("inf") if r.scores is None else r.scores[0] for r in (g, h))
            i, j = (self.names.index(r.spec.entrants[0]) for r in (g, h))
            y = (one < other) + (one == other) / 2
            self.add_row([(i, 1), (j, -1)], y, 3 / (len(deal) + 1), ("solo", g.spec.deal))

    def loss(self, x):
        eta = self.x @ x
        fit = self.w * (self.y * -np.logaddexp(0, -eta) - (1 - self.y) * np.logaddexp(0, eta))
        ghost = -np.logaddexp(0, x) - np.logaddexp(0, -x)
        return -fit.sum() - PRIOR * ghost.sum()

    def slope(self, x):
        s = 1 / (1 + np.exp(-self.x @ x))
        return -self.x.T @ (self.w * (self.y - s)) + PRIOR * np.tanh(x / 2)

    def solve(self):
        start = np.zeros(self.x.shape[1])
        found = scipy.optimize.minimize(self.loss, start, jac=self.slope, method="BFGS",
                                  options={"gtol": 1e-7, "maxiter": 5000})  # fmt: skip
        return found.x

    def errors(self, x, contrasts):
        """95 % half-widths, Elo, clustered by block, from the blocks alone."""
        s = 1 / (1 + np.exp(-self.x @ x))
        ghost = 1 / (1 + np.exp(-x))
        hessian = self.x.T @ (self.x * (self.w * s * (1 - s))[:, None])
        bread = np.linalg.inv(hessian + np.diag(2 * PRIOR * ghost * (1 - ghost)))
        blocks = sorted(set(self.block))
        sums = np.zeros((len(blocks), len(x)))
        np.add.at(sums, [blocks.index(b) for b in self.block],
                  self.x * (self.w * (self.y - s))[:, None])  # fmt: skip
        variance = bread @ sums.T @ sums @ bread
        disciplines = {name for name, _ in self.seats}
        free = len(self.names) - 1 + len(self.seats) - len(disciplines)
        factor = len(blocks) / (len(blocks) - free)
        deviations = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, variance, contrasts) * factor)
        return ELO * quantile_95(len(blocks), len(blocks) - free) * deviations


def mixture(seed, *, faults=True):
    rng = np.random.default_rng(seed)
    games = pool(STRENGTHS, blocks=6, rng=rng, luck=200, advantage=70)
    games += pool(STRENGTHS, blocks=5, rng=rng, luck=200, advantage=-50, discipline="other")
    games += pool(STRENGTHS, blocks=3, rng=rng, luck=100, seats=3, advantage=60)
    games += pool(STRENGTHS, blocks=4, rng=rng, luck=100, seats=4)
    games += solo_pool(STRENGTHS, deals=30, rng=rng)[:-3]  # the last deal only for a and b
    games = [g for g in games if rng.random() < 0.98]  # some blocks lack a game
    return with_faults(games, rng) if faults else games


DISCIPLINES = {
    "3 seats": lambda g: g.spec.discipline == "d-3",
    "4 seats": lambda g: g.spec.discipline == "d-4",
    "two games of 2 seats": lambda g: len(g.places) == 2,
    "solo": lambda g: len(g.places) == 1,
    "everything": lambda g: True,
}


@pytest.mark.parametrize("played", DISCIPLINES)
@pytest.mark.parametrize("faults", [False, True], ids=["clean", "with faults"])
def test_the_formula_maximised_directly_finds_the_same_numbers(played, faults):
    games = [g for g in mixture(11, faults=faults) if DISCIPLINES[played](g)]
    direct = Direct(games, sorted(STRENGTHS))
    x = direct.solve()
    ratings = fit(tally(games), anchor="c", anchor_elo=0.0, prior=PRIOR)
    assert [r.value for r in ratings.ratings] == pytest.approx(ELO * (x[:5] - x[2]), abs=1e-2)
    size = len(x)
    to_anchor = np.eye(5, size) - np.eye(size)[2]
    expected = direct.errors(x, to_anchor)
    found = np.nan_to_num(ELO * ratings.spread.from_blocks(to_anchor))
    assert found == pytest.approx(expected, rel=1e-4)
    assert [(t.discipline, t.seat) for t in ratings.seats] == direct.seats
    names = np.array([name for name, _ in direct.seats])
    own = (names[:, None] == names).astype(float)
    assert [t.seats for t in ratings.seats] == own.sum(1).tolist()
    assert (ratings.seat_advantage is not None) is ([t.seats for t in ratings.seats].count(2) == 2)
    assert ratings.blocks == len(set(direct.block))
    to_mean = np.hstack([np.zeros((len(own), 5)), np.eye(len(own)) - own / own.sum(1)[:, None]])
    assert [t.elo for t in ratings.seats] == pytest.approx(ELO * to_mean @ x, abs=1e-2)
    expected = direct.errors(x, to_mean)
    assert [t.error for t in ratings.seats] == pytest.approx(expected, rel=1e-4)


def test_errors_of_solo_deals_cover_the_truth():
    rng = np.random.default_rng(34)
    inside = []
    for _ in range(150):
        ratings = fit(tally(solo_pool(STRENGTHS, deals=50, rng=rng, luck=500)))
        inside += [abs(ratings.of(n).value - 1000 - elo) <= ratings.of(n).error
                   for n, elo in STRENGTHS.items()]  # fmt: skip
    # 750 intervals, correlated within a pool: standard error about 0.011.
    assert 0.92 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize("make", [lambda: mixture(12), lambda: pool(STRENGTHS, blocks=5,
    rng=np.random.default_rng(13), seats=3)], ids=["of many", "alone"])  # fmt: skip
def test_one_discipline_is_fitted_as_if_it_were_alone(make):
    games = make()
    whole = tally(games)
    for name in whole.disciplines:
        own = tally([g for g in games if g.spec.discipline == name])
        one = whole.only(name)
        assert repr(standings(one, fit(one))) == repr(standings(own, fit(own)))
        assert one.disciplines == (name,)


def test_a_discipline_lists_who_shall_play_it():
    whole = tally(mirrored("x", "a", "b", WIN, LOSS), entrants="abcd")
    assert whole.entrants == ("a", "b", "c", "d")
    assert whole.only("d-2", "bc").entrants == ("a", "b", "c")
    assert whole.only("d-3", "bc").entrants == ("b", "c")
    assert whole.only("d-3").disciplines == ()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (game("abc", (1, 2, 3), discipline="d-2"), "discipline 'd-2': expected 2 entrants, found"),
        (solo("a", "x", 1, discipline="d-2"), r"found \('a',\)"),
        (solo("a", "x", 1, discipline="new"), "discipline 'new' is not known to be solo"),
        (game("ab", WIN, discipline="s"), "expected a solo game"),
    ],
)
def test_games_of_another_table_size_are_refused(result, message):
    scores = SoloTally(score="points", less_is_better=False, worst_score=0)
    counts = Tally(solo={"s": scores})
    counts.add(game("ab", WIN))
    with pytest.raises(ValueError, match=message):
        counts.add(result)
    assert counts.disciplines == ("d-2",)
    assert counts.entrants == ("a", "b")


@pytest.mark.parametrize("entrants", ["", "ab"])
def test_a_solo_discipline_without_games_changes_nothing(entrants):
    games = pool({"a": 0.0, "b": 0.0}, blocks=9, rng=np.random.default_rng(3)) if entrants else []
    with_it = Tally(entrants, {"solo": solo_tally([])})
    for result in games:
        with_it.add(result)
    without = tally(games, entrants)
    assert repr(standings(with_it, fit(with_it))) == repr(standings(without, fit(without)))


def test_deals_of_forfeits_or_of_one_entrant_say_nothing():
    forfeits = [solo(name, f"f{k}", None) for k in range(20) for name in "ab"]
    alone = [solo("a", f"alone {k}", 0) for k in range(20)]
    clean = solo_pool({"a": 0.0, "b": 80.0}, deals=60, rng=np.random.default_rng(16))
    expected = fit(tally(clean))
    for more in (forfeits, alone):
        found, nothing = fit(tally(clean + more)), fit(tally(more))
        assert (found.ratings, found.blocks) == (expected.ratings, 60)
        assert (nothing.of("a").value, nothing.blocks) == (None, 0)


PERFECT = {
    "2 seats": [g for k in range(8) for g in mirrored(f"z{k}", "z", "a", WIN, LOSS)],
    "4 seats": [
        game("zabc"[k:] + "zabc"[:k], ((1, 2, 3, 4) * 2)[k : k + 4], block=f"z{n}")
        for n in range(6)
        for k in range(4)
    ],
    "solo": [solo("z", f"solo {k}", -(10**9)) for k in range(12)],
}


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("played", PERFECT)
def test_a_perfect_or_zero_score_has_a_limit_of_whole_blocks(played, lost):
    """It is where a perfect score in so many blocks against the core has a chance of 2.5 %."""
    rng, equal = np.random.default_rng(18), dict.fromkeys("abcd", 0.0)
    if played == "solo":
        games = solo_pool(equal, deals=12, rng=rng)
    else:
        games = pool(equal, blocks=10, rng=rng, seats=int(played[0]))
    games += PERFECT[played] + mirrored("beside the core", "z", "w", WIN, LOSS)
    if lost:
        games = [
            replaced(g, places=tuple(len(g.places) + 1 - p for p in g.places), scores=g.scores
                     and (-g.scores[0],)) for g in games
        ]  # fmt: skip
    ratings = fit(tally(games))
    own = ratings.of("z")
    bound, sign = (Bound.BELOW, -1) if lost else (Bound.ABOVE, 1)
    assert (own.bound, own.error, own.group) == (bound, None, 2)
    assert [ratings.of(name).bound for name in "abcd"] == [Bound.BOTH] * 4
    assert all(ratings.of(name).error for name in "abcd")
    direct, x, z = Direct(games, list("abcdwz")), ratings.point.x, 5
    is_own = (direct.x[:, z] != 0) & (direct.x[:, 4] == 0)
    met = direct.x[is_own]
    edges = (met @ x) * met[:, z] - x[z]
    share = len({direct.block[row] for row in np.flatnonzero(is_own)}) / len(met)
    limit = scipy.optimize.brentq(
        lambda at: -share * np.logaddexp(0, -sign * (at + edges)).sum() - np.log(0.025), -30, 30
    )
    assert own.limit - own.value == pytest.approx(ELO * (limit - x[z]), abs=1e-4)
    assert sign * own.limit < sign * own.value


def test_disciplines_connect_islands():
    rng = np.random.default_rng(20)
    islands = pool({"a": 0.0, "b": 0.0}, blocks=10, rng=rng)
    islands += pool({"x": 0.0, "y": 0.0}, blocks=10, rng=rng)
    bridge = solo_pool({"a": 0.0, "x": 0.0}, deals=10, rng=rng)
    assert {r.bound for r in fit(tally(islands)).ratings} == {Bound.BOTH, Bound.OPEN}
    assert {r.bound for r in fit(tally(islands + bridge)).ratings} == {Bound.BOTH}


@pytest.mark.parametrize(
    ("places", "faulty", "termination", "rows"),
    [
        ((1, 2, 4, 3), [2], Termination.COMPLETED, {"ab", "ac", "ad", "bc", "bd", "dc"}),
        ((1, 2, 4, 4), [2, 3], Termination.COMPLETED, {"ab", "ac", "ad", "bc", "bd"}),
        ((1, 2, 3, 4), [2, 3], Termination.COMPLETED, {"ab", "ac", "ad", "bc", "bd"}),
        ((1, 1, 1, 4), [3], Termination.FORFEITED, {"ad", "bd", "cd"}),
        ((1, 4, 4, 4), [1, 2, 3], Termination.FORFEITED, {"ab", "ac", "ad"}),
        ((4, 4, 4, 4), [0, 1, 2, 3], Termination.FORFEITED, set()),
    ],
    ids=["one fault, finished", "two faults, finished", "two faults, whatever their places",
         "one fault, stopped", "three faults", "all faulty"],
)  # fmt: skip
def test_four_seats_with_faults_compare(places, faulty, termination, rows):
    counts = tally([game("abcd", places, faulty=faulty, termination=termination)])
    found = fit(counts).arrays.rows
    won = {
        ("abcd"[i] + "abcd"[j]) if score else ("abcd"[j] + "abcd"[i])
        for i, j, score in zip(found.first, found.second, found.score, strict=True)
    }
    assert won == rows
    assert fit(counts).blocks == bool(rows)


def test_faulty_seats_of_a_finished_game_score_nothing_off_each_other():
    counts = tally([game("abcd", (1, 2, 3, 4), faulty=[2, 3])])
    assert [counts.record(name).points * 3 for name in "abcd"] == [3, 2, 0, 0]
    assert [counts.record(name).wins for name in "abcd"] == [1, 0, 0, 0]


def test_records_and_faults_of_disciplines_add_up():
    games = [
        *mirrored("x", "a", "b", WIN, DRAW),
        game("abc", (3, 1, 2), faulty=[0]),
        game("abcd", (2, 1, 3, 4)),
        solo("a", "s", None),
        solo("b", "s", 4),
    ]
    counts = tally(games)
    found = {r.name: r for r in standings(counts, fit(counts)).rows}
    a, b = found["a"], found["b"]
    assert (a.games, a.wins, a.draws, a.losses) == (5, 1, 1, 3)
    assert (b.games, b.wins, b.draws, b.losses) == (5, 3, 1, 1)
    assert a.points == pytest.approx(1 + 1 / 2 + 0 + 2 / 3 + 0)
    assert a.faults == {FaultKind.TIMEOUT: 1, FaultKind.CRASH: 1}
    assert counts.only("d-3").faults("a") == {FaultKind.CRASH: 1}
