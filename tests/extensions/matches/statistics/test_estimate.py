"""Estimates after a sequential test: one number everywhere, calibrated, monotone in the score."""

from __future__ import annotations

from itertools import cycle, islice, pairwise
from math import sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.matches.show.words import strength
from arena.extensions.matches.statistics.estimate import (
    FIXED_LENGTH,
    FixedLengthFigures,
    LastLook,
    Walk,
    chance_up_to,
    deviations,
    estimate_of,
)
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.numbers import elo_range, nelo_range, superiority_of
from arena.extensions.matches.statistics.report import (
    Measure,
    PostStopEstimate,
    Range,
    Scale,
    Verdict,
)
from benchmarks import stops
from tests.extensions.matches.show.reports import PASS
from tests.extensions.matches.statistics.test_match import NEW, OLD, TEST, TWO, pair


def played(blocks: list[str], expected: Verdict = Verdict.PASS) -> tuple[Match, PostStopEstimate]:
    """Play blocks, again and again, until the match is decided."""
    match = Match(NEW, OLD, [TWO], TEST)
    for block in islice(cycle(blocks), TEST.max_games // 2):
        match.add(TWO.discipline, pair(block))
        if match.decision is not None:
            break
    found = match.estimate()
    assert match.decision is not None
    assert match.decision.verdict is expected
    assert found is not None
    return match, found


def test_a_clear_win_keeps_its_plain_estimate() -> None:
    """41 won and 1 lost are 645 Elo."""
    match, found = played(["WW"] * 10 + ["WL"] + ["WW"] * 50)
    [game] = match.reports()
    assert (game.wins, game.losses) == (41, 1)
    assert (game.elo, game.nelo, game.los) == (found.elo, found.nelo, found.los)
    assert found.elo.value == pytest.approx(645, abs=25)
    assert 250 < (found.elo.low or 0) < (found.elo.value or 0)
    assert (found.nelo.low or 0) > 200
    assert found.los > 0.999


def test_a_better_score_never_gives_a_lower_estimate() -> None:
    """Neither does it give a lower limit."""
    weaker = [["WW", *["WL"] * k] for k in range(6, 1, -1)]
    stronger = [[*["WW"] * k, "WL"] for k in range(1, 16)]
    ranges = [played(blocks)[1].elo for blocks in [*weaker, *stronger]]
    for before, after in pairwise(ranges):
        assert (after.value or 0) >= (before.value or 0)
        assert (after.low or 0) >= (before.low or 0)


def test_the_likelihood_of_superiority_follows_the_verdict() -> None:
    assert played(["WW", "WL"])[1].los > 0.99
    assert played(["LL", "WL"], Verdict.FAIL)[1].los < 0.01
    match = Match(NEW, OLD, [TWO], TEST)
    mirrored = Match(OLD, NEW, [TWO], TEST)
    for _ in range(20):
        match.add(TWO.discipline, pair("WW"))
        mirrored.add(TWO.discipline, pair("WW"))
    [passed], [failed] = match.reports(), mirrored.reports()
    assert failed.los == 1 - (passed.los or 0) < 0.001


def test_the_correction_is_away_from_the_bound_that_stopped_the_test() -> None:
    match, found = played(["WW", "WL", "LL", "WL", "WW", "WL", "WL", "WL"])
    [game] = match.reports()
    plain = elo_range({value: number for value, number in game.histogram if number}).value
    assert 0.3 * (plain or 0) < (found.elo.value or 0) < (plain or 0)


def test_several_disciplines_have_an_average() -> None:
    test = LastLook(3.0, (-2.94, 2.94), 60, 20, Scale.NORMALIZED, (0.0, 40.0), is_open=False)
    one = FixedLengthFigures(2, Range(100.0, 40.0, 170.0), Range(90.0, 30.0, 150.0), 0.99)
    two = FixedLengthFigures(4, Range(40.0, -40.0, 120.0), Range(30.0, -30.0, 90.0), 0.8)
    found = estimate_of(test, [one, two])
    assert found is not None
    assert found.elo == Range(None)
    assert found.nelo.value is not None
    assert 30 < found.nelo.value < 50
    assert found.los == pytest.approx(0.9858, abs=1e-3)  # 50 over the error of (20, 40) / 1.96
    assert estimate_of(test, [one, FixedLengthFigures(2, Range(None), Range(None), None)]) is None
    failed = estimate_of(test._replace(llr=-3.0), [one, two])  # against the average
    assert failed is not None
    assert failed.nelo == Range(50.0, pytest.approx(5.28, abs=0.1), pytest.approx(94.7, abs=0.1))
    assert estimate_of(test._replace(scale=Scale.LOGISTIC), [one, two]) is None


@pytest.mark.parametrize(
    ("counts", "elo"), [({1.0: 20}, "bound"), ({0.0: 20}, "bound"), ({0.5: 30}, "nothing")]
)
def test_matches_without_spread_have_a_bound_or_nothing(counts: dict[float, int], elo: str) -> None:
    test = LastLook(2.98, (-2.94, 2.94), 20, 20, Scale.NORMALIZED, (0.0, 40.0), is_open=False)
    los = superiority_of(counts, Measure.PLACES)
    plain = FixedLengthFigures(2, elo_range(counts), nelo_range(counts, 2, Measure.PLACES), los)
    found = estimate_of(test, [plain])
    if elo == "nothing":
        assert found is None
    else:
        assert found is not None
        assert found.elo.value is None
        assert (found.elo.low is None) != (found.elo.high is None)


def test_likelihoods_are_probabilities() -> None:
    for blocks in range(20, 100):
        for other in range(1, 8):
            for counts in ({0.5: other, 1.0: blocks}, {0.5: other, 0.0: blocks}):
                los = superiority_of(counts, Measure.PLACES)
                assert los is not None
                assert 0 <= los <= 1


def test_an_invalid_match_has_plain_numbers_and_no_headline_of_strength() -> None:
    report = msgspec.structs.replace(PASS, verdict=Verdict.INVALID, reason="faults")
    assert strength(PASS).startswith("Elo")
    assert strength(report) == ""


@pytest.mark.soak
@pytest.mark.parametrize("name", stops.FAMILIES)
def test_estimates_are_calibrated(name: str) -> None:
    """``python -m benchmarks.statistics --only stops`` has the same with more repeats."""
    make, repeats = stops.FAMILIES[name], 90
    for nelo in (0, 40, 150, 300, 700):
        found = stops.band(make, nelo, repeats, seed=1)
        assert found.nelo.covered >= 0.95 - 3 * 0.023, nelo
        assert found.of_elo.covered >= 0.95 - 3 * 0.023, nelo
        # Above 300 nElo the few possible results let the median jump, not the share.
        assert found.nelo.high == pytest.approx(0.5, abs=0.2), nelo
        if nelo <= 300:
            assert abs(found.nelo.bias) <= max(15.0, 0.12 * nelo), nelo


@pytest.mark.soak
def test_who_is_said_to_be_stronger_is_about_as_often() -> None:
    bins = stops.calibration(stops.FAMILIES["coin-like"], 300, seed=2)
    for each in (bins[0], bins[-1]):
        assert each.matches > 40
        assert each.stronger == pytest.approx(each.los, abs=0.05)
    assert bins[-1].stronger > 0.95 > 0.05 > bins[0].stronger


BOUND = 12.8
FIRST = 20
FINE = 0.1
"""Deals per step of a simulated walk."""
LATE = 0.583 * sqrt(FINE)
"""Mean distance by which a step carries a walk beyond a bound (Siegmund 1985)."""


def walks(mu: float, number: int = 4000, deals: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends and times of walks; those that reached no bound have the last time."""
    rng = np.random.default_rng(3)
    place = np.zeros(number)
    end, time = np.zeros(number), np.full(number, float(deals))
    for step in range(1, int(deals / FINE) + 1):
        place += rng.normal(mu * FINE, sqrt(FINE), number) * (end == 0)
        if step * FINE < FIRST:
            continue
        for side in (1, -1):
            there = (end == 0) & (side * place >= BOUND - LATE * (step * FINE > FIRST))
            end[there], time[there] = side * BOUND, step * FINE
    return np.where(end == 0, place, end), time


@pytest.mark.parametrize("mu", [-0.1, 0.0, 0.05, 0.4])
def test_the_chance_of_outcomes_is_that_of_walks(mu: float) -> None:
    end, time = walks(mu)
    failed, passed = end == -BOUND, end == BOUND
    for seen, expected in (
        (Walk(-BOUND, BOUND, 25.0, BOUND, FIRST), ~(passed & (time <= 25))),
        (Walk(-BOUND, BOUND, 100.0, -BOUND, FIRST), failed & (time <= 100)),
        (Walk(-BOUND, BOUND, 150.0, BOUND, FIRST), ~(passed & (time <= 150))),
        (Walk(-BOUND, BOUND, 300.0, 2.0, FIRST, is_open=True), failed | (~passed & (end <= 2.0))),
    ):
        assert chance_up_to(seen, mu) == pytest.approx(expected.mean(), abs=0.025)


@pytest.mark.slow
@given(st.floats(5, 1500), st.floats(0.2, 5), st.floats(21, 5000), st.floats(1, 1.2), st.booleans())
def test_corrections_are_in_order_and_the_same_from_either_side(
    bound: float, ratio: float, deals: float, beyond: float, passed: bool
) -> None:
    deals = min(deals, 4 * bound * bound)
    if deals <= 21:
        return
    walk = Walk(-ratio * bound, bound, deals, bound * beyond if passed else -ratio * bound, FIRST)
    found = deviations(walk)
    assert found.low > found.value > found.high
    mirrored = Walk(-walk.upper, -walk.lower, deals, -walk.end, FIRST)
    other = deviations(mirrored)
    assert (-other.value, -other.high, -other.low) == pytest.approx(found, abs=1e-3)
    drift = walk.end / deals - found.value / sqrt(deals)
    assert chance_up_to(walk, drift) == pytest.approx(0.5, abs=1e-4)


def test_a_pass_is_worth_less_than_it_seems() -> None:
    found = [deviations(Walk(-BOUND, BOUND, deals, BOUND, FIRST)) for deals in (21, 60, 200, 600)]
    values = [each.value for each in found]
    assert values == sorted(values)
    assert values[0] > 0


def test_the_first_look_is_a_test_of_fixed_length() -> None:
    assert deviations(Walk(-BOUND, BOUND, 25, 15.0, 25)) == FIXED_LENGTH
    soon = deviations(Walk(-BOUND, BOUND, 26, BOUND + 0.2, 25))
    assert all(abs(x - y) < 0.15 for x, y in zip(soon, FIXED_LENGTH, strict=True))


def test_narrow_tests_that_end_early_and_late() -> None:
    """Sums of many images, and exponents beyond the range of floats."""
    for bound, deals in ((1440.0, 30), (1440.0, 3000), (300.0, 200_000), (8.0, 5000)):
        found = deviations(Walk(-bound, bound, deals, bound, FIRST))
        assert found.low > found.value > found.high
