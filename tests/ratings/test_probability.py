"""Quantiles and tails against published tables and scipy, adjusted p-values against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from arena.ratings.probability import (
    LARGE,
    NORMAL_95,
    binomial_tail,
    digits,
    holm,
    normal_cdf,
    quantile_95,
    student_95,
    student_central,
    superiority,
    wilson,
)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 99, 100])
def test_student_agrees_with_scipy(freedom):
    assert student_95(freedom) == pytest.approx(scipy.stats.t.ppf(0.975, freedom), rel=1e-12)
    for t in (0.0, 0.3, 1.0, 5.0):
        expected = 1 - 2 * scipy.stats.t.sf(t, freedom)
        assert student_central(t, freedom) == pytest.approx(expected, abs=1e-13)


def test_normal_tails_do_not_vanish():
    assert normal_cdf(-10) == pytest.approx(scipy.stats.norm.cdf(-10), rel=1e-12)
    assert normal_cdf(-10) + normal_cdf(10) == 1.0
    assert pytest.approx(0.975) == normal_cdf(NORMAL_95)


@pytest.mark.parametrize(("observations", "freedom"), [(2, 1), (LARGE - 1, 90), (LARGE, 95)])
@pytest.mark.parametrize("z", [-3.0, -0.2, 0.0, 0.2, 3.0])
def test_few_observations_use_student_and_many_the_normal(observations, freedom, z):
    law = scipy.stats.t(freedom) if observations < 100 else scipy.stats.norm
    assert quantile_95(observations, freedom) == pytest.approx(law.ppf(0.975), rel=1e-12)
    found = superiority(2.0 * z, 2.0, observations, freedom)
    assert found == pytest.approx(law.cdf(z), abs=1e-12)


def test_holm_as_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(3).random(200) ** 4
    for own in (p_values, np.array([0.01, 0.04, 0.03, 0.005]), np.array([0.9, 0.9])):
        assert holm(own.tolist()) == pytest.approx(multipletests(own, method="holm")[1])
    assert holm([]) == []


@pytest.mark.parametrize(("hits", "tries"), [(0, 10), (5, 100), (10, 10), (1, 2)])
def test_shares_with_their_interval(hits, tries):
    from statsmodels.stats.proportion import proportion_confint

    expected = proportion_confint(hits, tries, method="wilson")
    assert wilson(hits / tries, NORMAL_95**2 / tries) == pytest.approx(expected, abs=1e-12)


def test_digits():
    assert digits(1.23456789e-20) == 1.23457e-20


@pytest.mark.parametrize("share", [1e-6, 0.02, 1 / 3, 0.5, 0.97])
@pytest.mark.parametrize("trials", [1, 2, 7, 100, 20_000])
def test_binomial_tails_agree_with_scipy(trials, share):
    for above in (0.0, 0.5, 1.0, 2.0, 6.0, 20.0):
        spread = (trials * share * (1 - share)) ** 0.5
        least = min(trials, max(1, int(np.ceil(trials * share + above * spread))))
        found = binomial_tail(least, trials, share)
        assert found == pytest.approx(scipy.stats.binom.sf(least - 1, trials, share), rel=1e-8)


def test_impossibly_small_binomial_tails_are_not_zero():
    assert binomial_tail(10_000, 10_000, 1e-3) == pytest.approx(1e-300)
