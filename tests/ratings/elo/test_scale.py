"""Anchors, the prior and seats, against the model written out and given to a general optimiser."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
import scipy

from arena.ratings.counting.arrays import arrays_of
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import RatingFit, difference
from arena.ratings.elo.scale import ELO, Anchor, Model
from tests.ratings.fits import fit
from tests.ratings.made_games import DRAW, LOSS, WIN, mirrored, tally

NAMES = ("a", "b", "c", "d")
SCORES = (
    ("a", "b", (WIN, LOSS, DRAW, WIN)),
    ("a", "c", (WIN, WIN, DRAW, LOSS)),
    ("b", "c", (WIN, DRAW, LOSS, WIN)),
    ("c", "d", (WIN, DRAW, WIN, LOSS)),
    ("b", "d", (WIN, WIN, WIN, DRAW)),
)
GAMES = [
    game
    for one, other, ways in SCORES
    for k in range(24)
    for game in mirrored(f"{one}{other}{k}", one, other, ways[k % 4], ways[(k * k + 1) % 3])
]


def rated(*anchors: Anchor, **more: float | bool) -> RatingFit:
    return fit_model(arrays_of(tally(GAMES)), Model(anchors, **more))  # type: ignore[arg-type]


def elo(ratings: RatingFit, name: str) -> float:
    return ratings.of(name).value or 0.0


def written_out(anchors: list[Anchor]) -> dict[str, float]:
    """The likelihood times the priors, at its maximum over ratings, seats and the level."""
    index = {name: k for k, name in enumerate(NAMES)}

    def log_logistic(x):
        return -np.logaddexp(0, -x)

    def loss(x):
        theta, seats, level = x[:4], x[4:6], x[6]
        total = -0.5 * sum(log_logistic(v) + log_logistic(-v) for v in (*theta, *seats))
        for each in GAMES:
            i, j = (index[name] for name in each.spec.entrants)
            d = theta[i] - theta[j] + seats[0] - seats[1]
            y = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}[each.places]
            total -= y * log_logistic(d) + (1 - y) * log_logistic(-d)
        for each in anchors:
            deviation = (each.error or 1e-3) / 1.959963984540054
            total += ((level + ELO * theta[index[each.name]] - each.elo) / deviation) ** 2 / 2
        return total

    start = np.append(np.zeros(6), 1000.0)
    found = scipy.optimize.minimize(loss, start, method="L-BFGS-B", options={"maxiter": 5000,
        "maxfun": 500_000, "ftol": 1e-15, "gtol": 1e-9})  # fmt: skip
    return {name: found.x[6] + ELO * found.x[k] for name, k in index.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "anchors",
    [
        [Anchor("a", 1200, 60), Anchor("d", 1000, 40)],
        [Anchor("a", 1500, 30), Anchor("b", 1000, 200), Anchor("d", 900, 90)],
    ],
)
def test_anchors_with_errors_are_normal_priors(anchors: list[Anchor]) -> None:
    expected, found = written_out(anchors), rated(*anchors)
    for name in NAMES:
        assert elo(found, name) == pytest.approx(expected[name], abs=0.5)


def test_exact_anchors_are_where_they_were_put() -> None:
    found = rated(Anchor("a", 1100), Anchor("d", 1010))
    assert (elo(found, "a"), elo(found, "d")) == (1100, 1010)
    assert found.of("a").error is None is found.of("d").error
    assert difference(found, "a", "d").error is None
    assert (found.of("b").error or 0) > 10
    nearly = rated(Anchor("a", 1100, 0.01), Anchor("d", 1010, 0.01))
    for name in "bc":
        assert elo(nearly, name) == pytest.approx(elo(found, name), abs=0.01)


def test_an_exact_anchor_beside_one_with_an_error() -> None:
    found = rated(Anchor("a", 1100), Anchor("d", 1010, 50))
    nearly = rated(Anchor("a", 1100, 0.01), Anchor("d", 1010, 50))
    assert elo(found, "a") == 1100
    for name in NAMES:
        assert elo(nearly, name) == pytest.approx(elo(found, name), abs=0.01)
    assert found.of("d").error == pytest.approx(nearly.of("d").error, abs=0.5)


def test_one_anchor_moves_nobody_against_anybody() -> None:
    free, exact, loose = rated(), rated(Anchor("b", 1300)), rated(Anchor("b", 1300, 80))
    for one, other in (("a", "c"), ("b", "d")):
        told = [difference(each, one, other) for each in (free, exact, loose)]
        assert told[0].elo == pytest.approx(told[1].elo) == pytest.approx(told[2].elo)
        assert told[0].error == pytest.approx(told[2].error, abs=1e-6)
    assert elo(loose, "b") == pytest.approx(1300)
    assert loose.of("b").error == pytest.approx(80)
    together = np.hypot(exact.of("a").error, 80)
    assert loose.of("a").error == pytest.approx(together, rel=0.02)
    assert exact.ratings == fit(tally(GAMES), anchor="b", anchor_elo=1300).ratings


def test_anchors_that_know_next_to_nothing_change_nothing() -> None:
    free = rated(Anchor("a", 1000))
    vague = rated(Anchor("a", 1000), Anchor("d", 1400, 1e6))
    for name in NAMES:
        assert elo(vague, name) == pytest.approx(elo(free, name), abs=1e-3)
        if name != "a":
            assert vague.of(name).error == pytest.approx(free.of(name).error, rel=1e-3)


def test_anchors_join_islands() -> None:
    apart = [game for game in GAMES if set(game.spec.entrants) in ({"a", "b"}, {"c", "d"})]
    data = arrays_of(tally(apart))
    alone = fit_model(data, Model((Anchor("a", 1000),)))
    assert difference(alone, "b", "d").elo is None
    joined = fit_model(data, Model((Anchor("a", 1000, 20), Anchor("c", 1100, 30))))
    found = difference(joined, "b", "d")
    one, other = difference(joined, "b", "a"), difference(joined, "d", "c")
    assert found.error == pytest.approx(
        np.sqrt((one.error or 0) ** 2 + (other.error or 0) ** 2 + 20**2 + 30**2), rel=0.05
    )
    assert {each.group for each in joined.ratings} == {0}


def test_without_seats_none_is_worth_anything() -> None:
    found = rated(seats=False)
    assert (found.seats, found.seat_advantage) == ((), None)
    assert not found.point.x[4:].any()
    # Both seatings of all deals were played: what seats are worth hardly matters.
    for name in NAMES:
        assert elo(found, name) == pytest.approx(elo(rated(), name), abs=8)
        assert found.of(name).error == pytest.approx(rated().of(name).error, rel=0.1)


def test_the_prior_is_so_many_draws_with_a_mean_bot() -> None:
    whitewash = arrays_of(tally(mirrored("x", "a", "b", WIN, LOSS)))
    gaps = [
        elo(found, "a") - elo(found, "b")
        for found in (fit_model(whitewash, Model(prior=prior)) for prior in (10, 1, 0.1, 0))
    ]
    assert gaps == sorted(gaps)
    usual, none = rated(), rated(prior=0.0)
    assert usual.ratings == fit(tally(GAMES)).ratings == rated(prior=1.0).ratings
    for name in NAMES:  # every expected score is the one that was made
        assert elo(none, name) == pytest.approx(elo(fit(tally(GAMES), prior=1e-7), name), abs=0.01)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model((Anchor("z", 0),)), "anchor 'z' is not among"),
        (Model((Anchor("a", 0), Anchor("a", 1))), "anchor 'a' is there twice"),
        (Model((Anchor("a", 0, -1),)), "unusable anchor Elo"),
        (Model((Anchor("a", inf),)), "unusable anchor Elo inf"),
        (Model(prior=-1), "unusable prior -0.5"),
        (Model(prior=nan), "unusable prior nan"),
    ],
)
def test_models_that_cannot_be_used_are_refused(model: Model, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_model(arrays_of(tally(GAMES)), model)
    assert replace(model, anchors=()).first is None
