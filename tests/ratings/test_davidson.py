"""The second model against published values, independent maximisation and other libraries."""

from __future__ import annotations

import random
from math import exp, log

import numpy as np
import pytest
import scipy

from arena.ratings.counting.arrays import sums
from arena.ratings.counting.codes import DRAW as HALF
from arena.ratings.counting.codes import LOSS as ZERO
from arena.ratings.counting.codes import NO_ROW
from arena.ratings.counting.codes import WIN as ONE
from arena.ratings.davidson.fit import Solution, solve
from arena.ratings.davidson.games import Placings, placings
from arena.ratings.davidson.model import second_model
from arena.ratings.davidson.sets import chances, stages
from arena.results import Termination
from tests.ratings.davidson_games import draw, log_likelihood, pool
from tests.ratings.made_games import DRAW, LOSS, WIN, game, mirrored, replaced, tally

NATS = {"a": -0.6, "b": -0.1, "c": 0.2, "d": 0.5}
TIES = {2: -0.5, 3: -1.0}


def fitted(games, prior: float = 0.5) -> tuple[Solution, Placings, tuple[str, ...]]:
    data = sums(tally(games))
    found, large = placings(data)
    assert (len(found), large) == (1, [])
    return solve(len(data.entrants), found, prior), found[0], data.entrants


def logistic_prior(x) -> float:
    """Half a win and half a loss against a ghost of strength 0, for each parameter."""
    return -0.5 * float((np.logaddexp(0, x) + np.logaddexp(0, -np.asarray(x))).sum())


def maximised(games, names, ties, seats):
    """The parameters, by scipy from the likelihood written out game by game."""
    m = len(names)

    def loss(x):
        deltas = dict(zip(ties, x[m + seats :], strict=True))
        total = logistic_prior(x)
        for played in games:
            entrants = played.spec.entrants
            nats = [x[names.index(name)] + x[m + seat] for seat, name in enumerate(entrants)]
            total += log_likelihood(played.places, nats, deltas)
        return -total

    found = scipy.optimize.minimize(
        loss, np.zeros(m + seats + len(ties)), method="BFGS", options={"gtol": 1e-5}
    )
    return found.x, -found.fun


@pytest.mark.parametrize(("seats", "ties"), [(2, (2,)), (3, (2, 3)), (4, (2, 3))])
def test_it_is_the_maximum_of_the_likelihood_written_out(seats, ties):
    terms = np.linspace(0.3, -0.3, seats)
    rng = np.random.default_rng(seats)
    games = pool(NATS, TIES, seats, 8, rng, seat_terms=terms)
    solution, found, names = fitted(games)
    assert found.ties == ties
    x, objective = maximised(games, names, ties, seats)
    assert solution.objective == pytest.approx(objective, abs=1e-7)
    assert solution.x == pytest.approx(x, abs=1e-3)


PUDDING = """
    1 2 19 22 16    1 3 16 19 12    2 3 19 19 10    1 4 18 23 13    2 4 23 19 9
    3 4 19 20 15    1 5 13 19 18    2 5 16 20 12    3 5 16 15 17    4 5 17 14 16
    1 6 18 21 12    2 6 22 20 12    3 6 13 18 10    4 6 14 19 18    5 6 11 21 12
"""
"""Davidson 1970, table of six brands of chocolate pudding: i, j, i preferred, j, neither. As in
the R package PlackettLuce, data set ``pudding``, https://robinhankin.github.io/hyper2/pudding.html
"""
WORTH = (0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855)
NU = 0.7468147
"""Davidson 1970; all digits from the overview of PlackettLuce, stopped after 7 rounds as there."""


def test_davidson_1970_chocolate_puddings():
    numbers = np.array(PUDDING.split(), int).reshape(-1, 5).tolist()
    games = []
    for i, j, *counts in numbers:
        for places, count in zip((WIN, LOSS, DRAW), counts, strict=True):
            for k in range(count):
                block = f"{i}.{j}.{places}.{k}"
                seats = (str(i), str(j)) if k % 2 else (str(j), str(i))
                own = places if k % 2 else places[::-1]
                games.append(game(seats, own, block=block))
    solution, _, names = fitted(games, prior=1e-7)
    worth = np.exp(solution.x[: len(names)])
    assert worth / worth.sum() == pytest.approx(WORTH, abs=2e-4)
    assert exp(solution.x[-1]) == pytest.approx(NU, abs=2e-3)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_without_ties_it_is_plackett_luce_of_choix(seats):
    """Seats are drawn at random for each game, so that their terms are next to nothing."""
    import choix

    rng = np.random.default_rng(seats)
    names, games, rankings = [*NATS], [], []
    for k in range(150):
        table = [str(name) for name in rng.permutation(names)[:seats]]
        for k2, entrants in enumerate((table, table[::-1])):
            places = draw([NATS[name] for name in entrants], {}, rng)
            games.append(game(entrants, places, block=f"{k}.{k2}"))
            rankings.append([names.index(entrants[places.index(p)]) for p in range(1, seats + 1)])
    solution, found, _ = fitted(games, prior=1e-9)
    assert found.ties == ()
    expected = choix.ilsr_rankings(4, rankings) if seats > 2 else choix.ilsr_pairwise(4, rankings)
    seatless = _without_seats(found)
    x = seatless[:4] - seatless[:4].mean()
    assert x == pytest.approx(expected - np.mean(expected), abs=1e-6)
    strengths = solution.x[:4] - solution.x[:4].mean()
    assert strengths == pytest.approx(expected - np.mean(expected), abs=0.1)


def _without_seats(found: Placings):
    """Newton with the seat terms held at 0, from the derivatives of the module."""
    from arena.ratings.davidson.fit import _evaluate, layout

    where, x = layout(4, [found]), np.zeros(4 + found.seats)
    for _ in range(30):
        point = _evaluate(where, [found], x, 1e-9)
        x[:4] += np.linalg.solve(point.information[:4, :4] + 1e-9, point.gradient[:4])
    return x


def test_strengths_seats_and_ties_are_recovered_from_simulation():
    rng = np.random.default_rng(5)
    terms = (0.4, 0.0, -0.4)
    games = pool(NATS, TIES, 3, 1500, rng, seat_terms=terms)
    model = second_model(tally(games))
    assert model is not None
    mean = np.mean([*NATS.values()])
    for row in model.strengths:
        assert row.error is not None
        assert row.strength == pytest.approx(173.7178 * (NATS[row.name] - mean), abs=2 * row.error)
    (only,) = model.disciplines
    assert only.seat_worth == pytest.approx([173.7178 * term for term in terms], abs=12)
    assert [log(tie.delta) for tie in only.ties] == pytest.approx([*TIES.values()], abs=0.15)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_chances_are_those_of_drawn_games(seats):
    rng = np.random.default_rng(1)
    nats = [0.9, 0.0, -0.4, 0.3][:seats]
    found = chances(np.array([nats]), np.array([*TIES.values()]), (2, 3))
    drawn = np.array([draw(nats, TIES, rng) for _ in range(3000)])
    shares = [[(drawn[:, s] == p).mean() for p in range(1, seats + 1)] for s in range(seats)]
    assert found.place[0] == pytest.approx(np.array(shares), abs=0.04)
    level = (drawn[:, :, None] == drawn[:, None, :]).sum(axis=2) > 1
    assert found.shared[0] == pytest.approx(level.mean(axis=0), abs=0.04)
    duel = [(drawn[:, 0] < drawn[:, 1]).mean(), (drawn[:, 0] == drawn[:, 1]).mean()]
    assert [found.above[0], found.level[0]] == pytest.approx(duel, abs=0.04)
    assert found.place[0].sum(axis=1) == pytest.approx(np.ones(seats))


def test_chances_never_overflow():
    found = chances(np.array([[1e6, -1e6, 0.0]]), np.array([30.0]), (2,))
    assert np.isfinite(found.place).all()
    assert found.place[0].sum(axis=1) == pytest.approx(np.ones(3))


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((ONE, ONE, ONE), [((0, 1, 2), (0,)), ((1, 2), (1,))]),
        ((HALF, ONE, ONE), [((0, 1, 2), (0, 1))]),
        ((ZERO, ZERO, HALF), [((0, 1, 2), (1, 2))]),
        ((HALF, HALF, HALF), [((0, 1, 2), (0, 1, 2))]),
    ],
)
def test_stages_of_a_ranking(codes, expected):
    assert stages(np.array(codes), 3) == (expected, True)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((ONE, ONE, NO_ROW), [((0, 1, 2), (0,))]),  # two faulty seats behind
        ((NO_ROW, ONE, ONE), []),  # stopped: the first two are not told apart
        ((NO_ROW, NO_ROW, NO_ROW), []),
    ],
)
def test_stages_end_where_nothing_is_known(codes, expected):
    assert stages(np.array(codes), 3) == (expected, False)


def test_faulty_seats_count_as_far_as_they_are_placed():
    rng = np.random.default_rng(3)
    games = pool(NATS, TIES, 3, 40, rng)
    stopped = game("abc", (1, 1, 3), faulty=(2,), termination=Termination.FORFEITED, block="s")
    behind = game("abc", (1, 3, 3), faulty=(1, 2), block="t")
    solution, found, _ = fitted([*games, stopped, behind])
    assert (found.games[~found.complete].sum(), found.games.sum()) == (2, 122)
    assert solution.likelihood < fitted(games)[0].likelihood
    model = second_model(tally([*games, stopped, behind]))
    assert model is not None
    assert model.disciplines[0].incomplete == 2
    assert sum(row.games for row in model.disciplines[0].placements) == 360


def test_two_faulty_seats_of_a_pair_say_nothing():
    games = mirrored("x", "a", "b", WIN, DRAW)
    both = game("ab", DRAW, faulty=(0, 1), block="y", termination=Termination.FORFEITED)
    assert fitted([*games, both])[0].likelihood == pytest.approx(fitted(games)[0].likelihood)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_perfect_scores_stay_finite(seats):
    names = "abcd"[:seats]
    games = [game(names, range(1, seats + 1), block=str(k)) for k in range(50)]
    solution, _, _ = fitted(games)
    assert np.isfinite(solution.x).all()
    model = second_model(tally(games))
    assert model is not None
    assert [row.name for row in model.strengths] == [*names]
    assert all(row.error is None for row in model.strengths)


def test_nothing_but_ties():
    games = [game("ab", DRAW, block=str(k)) for k in range(60)]
    model = second_model(tally(games))
    assert model is not None
    assert 0.95 < model.disciplines[0].placements[0].predicted_shared < 1


def test_no_games_no_model():
    assert second_model(tally([])) is None
    assert second_model(tally([game("aa", WIN)])) is None


def test_order_names_and_anchor_do_not_matter():
    games = pool(NATS, TIES, 3, 40, np.random.default_rng(8))
    shuffled = games[:]
    random.Random(1).shuffle(shuffled)
    model = second_model(tally(games))
    assert second_model(tally(shuffled)) == model
    other = {"a": "z", "b": "y", "c": "x", "d": "w"}
    renamed = [
        replaced(g, spec=replaced(g.spec, entrants=tuple(other[n] for n in g.spec.entrants)))
        for g in games
    ]
    turned = second_model(tally(renamed))
    assert model is not None
    assert turned is not None
    for one, two in zip(model.strengths, turned.strengths, strict=True):
        assert (other[one.name], one.strength) == (two.name, pytest.approx(two.strength, abs=1e-4))


def test_a_discipline_of_too_many_seats_is_named():
    wide = game("abcdefgh", range(1, 9))
    model = second_model(tally([wide, *mirrored("x", "a", "b", WIN, WIN)]))
    assert model is not None
    assert model.too_large == ("d-8",)
    assert second_model(tally([wide])) is None
