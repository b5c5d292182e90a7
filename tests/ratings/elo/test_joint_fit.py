"""One fit over disciplines, table sizes and solo deals, against a direct maximisation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy

from arena.ratings.counting.tally import SoloTally, Tally
from arena.ratings.elo.fit import fit
from arena.ratings.elo.rating import Bound, difference
from arena.ratings.elo.scale import ELO
from arena.ratings.elo.standings import standings
from arena.ratings.probability import quantile_95
from arena.results import FaultKind, Termination
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

    def errors(self, x, against):
        """95 % half-widths against ``against``, Elo, clustered by block, from the blocks alone."""
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
        contrasts = np.eye(len(self.names), len(x)) - np.eye(len(self.names), len(x))[against]
        deviations = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, variance, contrasts) * factor)
        return ELO * quantile_95(len(blocks), len(blocks) - free) * deviations


def mixture(seed, *, faults=True):
    rng = np.random.default_rng(seed)
    games = pool(STRENGTHS, blocks=6, rng=rng, luck=200, advantage=70)
    games += pool(STRENGTHS, blocks=5, rng=rng, luck=200, advantage=-50, discipline="other")
    games += pool(STRENGTHS, blocks=3, rng=rng, luck=100, seats=3, advantage=60)
    games += pool(STRENGTHS, blocks=4, rng=rng, luck=100, seats=4)
    games += solo_pool(STRENGTHS, deals=25, rng=rng)[:-3]  # the last deal only for a and b
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
    assert [r.elo for r in ratings.ratings] == pytest.approx(ELO * (x[:5] - x[2]), abs=1e-2)
    expected = direct.errors(x, against=2)
    contrasts = np.eye(5, ratings.arrays.size) - np.eye(ratings.arrays.size)[2]
    found = np.nan_to_num(ELO * ratings.spread.from_blocks(contrasts))
    assert found == pytest.approx(expected, rel=1e-4)
    shown = [r.error for r in ratings.ratings if r.error is not None]
    if len(games) > 1000:  # 100 blocks and more of each: nothing else is shown
        assert shown == pytest.approx(np.delete(expected, 2), rel=1e-4)
    terms = {(t.discipline, t.seat): t.elo for t in ratings.seats}
    assert sorted(terms) == direct.seats
    for discipline in {name for name, _ in direct.seats}:
        own = [k for k, (name, _) in enumerate(direct.seats) if name == discipline]
        worth = ELO * (x[5:][own] - x[5:][own].mean())
        assert [terms[direct.seats[k]] for k in own] == pytest.approx(worth, abs=1e-2)


def test_every_discipline_has_its_own_seats():
    rng = np.random.default_rng(31)
    edges = {"two": (2, 120.0), "other two": (2, -80.0), "three": (3, 90.0), "four": (4, 200.0)}
    games = [
        g
        for name, (seats, edge) in edges.items()
        for g in pool(STRENGTHS, blocks=120, rng=rng, seats=seats, draws=0, advantage=edge,
                      discipline=name)
    ]  # fmt: skip
    ratings = fit(tally(games))
    assert len(ratings.seats) == 2 + 2 + 3 + 4
    for term in ratings.seats:
        seats, edge = edges[term.discipline]
        truth = edge * ((term.seat == 0) - 1 / seats)  # against the mean seat
        assert term.seats == seats
        assert term.elo == pytest.approx(truth, abs=1.53 * term.error)
        assert term.error < 15
    assert ratings.seat_advantage is None


def test_strengths_are_recovered_from_solo_deals():
    games = solo_pool(STRENGTHS, deals=1500, rng=np.random.default_rng(32))
    ratings = fit(tally(games), anchor="a", anchor_elo=0.0)
    assert ratings.blocks == 1500
    assert ratings.seats == ()
    for name in "bcde":
        assert ratings.of(name).error < 20
        # Four contrasts with one anchor: within three standard errors.
        assert ratings.of(name).elo == pytest.approx(
            STRENGTHS[name], abs=1.53 * ratings.of(name).error
        )


def test_strengths_are_recovered_from_everything_together():
    rng = np.random.default_rng(33)
    games = [
        g for seats in (2, 3, 4)
        for g in pool(STRENGTHS, blocks=60, rng=rng, seats=seats, draws=0, advantage=100)
    ]  # fmt: skip
    together = games + solo_pool(STRENGTHS, deals=600, rng=rng)
    alone, joint = fit(tally(games)), fit(tally(together))
    mean = np.mean(list(STRENGTHS.values()))
    for name, elo in STRENGTHS.items():
        found = joint.of(name)
        assert found.elo - 1000 == pytest.approx(elo - mean, abs=1.53 * found.error)
        assert found.error < alone.of(name).error


def test_errors_of_solo_deals_cover_the_truth():
    rng = np.random.default_rng(34)
    equal = dict.fromkeys("abcd", 0.0)
    inside = []
    for _ in range(150):
        ratings = fit(tally(solo_pool(equal, deals=50, rng=rng, luck=500)))
        inside += [abs(r.elo - 1000) <= r.error for r in ratings.ratings]
    # 600 intervals, correlated within a pool: standard error about 0.011.
    assert 0.92 <= np.mean(inside) <= 0.98


def test_one_discipline_of_many_is_fitted_as_if_it_were_alone():
    games = mixture(12)
    whole = tally(games)
    assert whole.disciplines == ("d-2", "d-3", "d-4", "other", "solo")
    for name in whole.disciplines:
        own = tally([g for g in games if g.spec.discipline == name])
        one = whole.only(name)
        assert repr(standings(one, fit(one))) == repr(standings(own, fit(own)))
        assert one.disciplines == (name,)


def test_the_only_discipline_is_the_whole():
    whole = tally(pool(STRENGTHS, blocks=5, rng=np.random.default_rng(13), seats=3))
    one = whole.only("d-3")
    assert repr(standings(one, fit(one))) == repr(standings(whole, fit(whole)))


def test_a_discipline_lists_who_shall_play_it():
    whole = tally(mirrored("x", "a", "b", WIN, LOSS), entrants="abcd")
    assert whole.entrants == ("a", "b", "c", "d")
    assert whole.only("d-2", "bc").entrants == ("a", "b", "c")
    assert whole.only("d-3", "bc").entrants == ("b", "c")
    assert whole.only("d-3").disciplines == ()


def renamed(result, names):
    spec = result.spec
    _, joint, rest = spec.game_id.partition("/")
    return replaced(result, spec=replaced(spec, game_id=names[spec.discipline] + joint + rest))


def test_names_of_disciplines_do_not_matter():
    names = {"d-2": "z", "d-3": "y", "d-4": "d", "other": "a", "solo": "solo"}
    games = mixture(14)
    before, after = fit(tally(games)), fit(tally([renamed(g, names) for g in games]))
    for name in STRENGTHS:
        assert after.of(name).elo == pytest.approx(before.of(name).elo, abs=2e-6)
        assert after.of(name).error == pytest.approx(before.of(name).error, abs=2e-6)
    terms = {(t.discipline, t.seat): t.elo for t in after.seats}
    assert len(terms) == len(before.seats)
    for term in before.seats:
        assert terms[names[term.discipline], term.seat] == pytest.approx(term.elo, abs=2e-6)


def test_blocks_of_the_same_name_in_two_disciplines_are_two_blocks():
    games = pool({"a": 0.0, "b": 0.0}, blocks=30, rng=np.random.default_rng(15))
    again = [renamed(g, {"d-2": "e"}) for g in games]
    assert fit(tally(games + again)).blocks == 60


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


def test_solo_results_reach_the_tally_of_their_discipline():
    scores = solo_tally([])
    counts = Tally(solo={"solo": scores})
    counts.add(solo("a", "x", 3))
    counts.add(solo("b", "x", None))
    assert counts.entrants == ("a", "b")
    assert counts.solo["solo"] is scores
    assert sum(counts.faults("b").values()) == 1
    rows = standings(counts, fit(counts)).rows
    assert [(r.name, r.games, r.wins, r.losses, r.points, r.score) for r in rows] == [
        ("a", 1, 1, 0, 1.0, 1.0),
        ("b", 1, 0, 1, 0.0, 0.0),
    ]


@pytest.mark.parametrize("entrants", ["", "ab"])
def test_a_solo_discipline_without_games_changes_nothing(entrants):
    games = pool({"a": 0.0, "b": 0.0}, blocks=9, rng=np.random.default_rng(3)) if entrants else []
    with_it = Tally(entrants, {"solo": solo_tally([])})
    for result in games:
        with_it.add(result)
    without = tally(games, entrants)
    assert repr(standings(with_it, fit(with_it))) == repr(standings(without, fit(without)))


def test_two_forfeits_on_a_deal_say_nothing_about_each_other():
    forfeits = [solo(name, f"f{k}", None) for k in range(20) for name in "ab"]
    clean = solo_pool({"a": 0.0, "b": 80.0}, deals=60, rng=np.random.default_rng(16))
    assert fit(tally(clean + forfeits)).ratings == fit(tally(clean)).ratings
    assert fit(tally(forfeits)).of("a").elo is None
    assert fit(tally(forfeits)).blocks == 0


def test_a_deal_that_one_entrant_played_says_nothing():
    clean = solo_pool({"a": 0.0, "b": 80.0}, deals=60, rng=np.random.default_rng(16))
    alone = [solo("a", f"alone {k}", 0) for k in range(20)]
    assert fit(tally(clean + alone)).ratings == fit(tally(clean)).ratings
    assert fit(tally(clean + alone)).blocks == 60


def test_a_best_score_on_every_deal_is_open_above():
    rng = np.random.default_rng(17)
    games = solo_pool({"a": 0.0, "b": 0.0, "c": 0.0}, deals=12, rng=rng)
    games += [solo("z", f"solo {k}", -(10**9)) for k in range(12)]
    ratings = fit(tally(games))
    assert [ratings.of(n).bound for n in "abcz"] == [Bound.BOTH] * 3 + [Bound.ABOVE]
    # Twelve deals, each one observation however many rivals it has.
    rivals = ELO * -np.log(0.025 ** (-1 / 12) - 1)
    level = np.mean([ratings.of(n).elo for n in "abc"])
    assert ratings.of("z").limit - level == pytest.approx(rivals, abs=30)


FOUR = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}


def test_a_perfect_score_at_four_seats_is_open_above_with_a_limit():
    games = pool(FOUR, blocks=10, rng=np.random.default_rng(18), seats=4)
    games += [
        game(table[k:] + table[:k], places[k:] + places[:k], block=f"z{n}")
        for n in range(6)
        for table, places in [("zabc", (1, 2, 3, 4))]
        for k in range(4)
    ]
    ratings = fit(tally(games))
    best = ratings.of("z")
    assert (best.bound, best.error, best.group) == (Bound.ABOVE, None, 1)
    # Six blocks, each one observation however many games it has.
    level = np.mean([ratings.of(n).elo for n in "abc"])
    assert best.limit - level == pytest.approx(ELO * -np.log(0.025 ** (-1 / 6) - 1), abs=40)
    assert all(ratings.of(n).error for n in "abcd")


def test_islands_at_four_seats_are_open_on_both_sides():
    rng = np.random.default_rng(19)
    games = pool({**FOUR, "e": 0.0}, blocks=10, rng=rng, seats=4)
    games += pool(dict.fromkeys("wxyz", 0.0), blocks=10, rng=rng, seats=4)
    ratings = fit(tally(games))
    assert [ratings.of(n).group for n in "abcdewxyz"] == [0] * 5 + [1] * 4
    assert ratings.of("w").bound is Bound.OPEN
    assert difference(ratings, "a", "w").error is None


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
