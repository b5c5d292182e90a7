import pytest
import scipy

from arena.ratings.elo.quantile import (
    LARGE,
    NORMAL_95,
    normal_cdf,
    quantile_95,
    student_95,
    student_central,
    superiority,
)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 99, 100])
def test_student_agrees_with_scipy(freedom):
    assert student_95(freedom) == pytest.approx(scipy.stats.t.ppf(0.975, freedom), rel=1e-12)
    for t in (0.0, 0.3, 1.0, 5.0):
        expected = 1 - 2 * scipy.stats.t.sf(t, freedom)
        assert student_central(t, freedom) == pytest.approx(expected, abs=1e-13)


def test_published_values():
    assert student_95(1) == pytest.approx(12.7062, abs=1e-4)
    assert student_95(10) == pytest.approx(2.2281, abs=1e-4)
    assert pytest.approx(0.975) == normal_cdf(NORMAL_95)


def test_normal_tails_do_not_vanish():
    assert normal_cdf(-10) == pytest.approx(scipy.stats.norm.cdf(-10), rel=1e-12)
    assert normal_cdf(-10) + normal_cdf(10) == 1.0


@pytest.mark.parametrize(("observations", "freedom"), [(2, 1), (LARGE - 1, 90), (LARGE, 95)])
@pytest.mark.parametrize("z", [-3.0, -0.2, 0.0, 0.2, 3.0])
def test_few_observations_use_student_and_many_the_normal(observations, freedom, z):
    law = scipy.stats.t(freedom) if observations < 100 else scipy.stats.norm
    assert quantile_95(observations, freedom) == pytest.approx(law.ppf(0.975), rel=1e-12)
    found = superiority(2.0 * z, 2.0, observations, freedom)
    assert found == pytest.approx(law.cdf(z), abs=1e-12)
