import pytest
from scipy import stats

from arena.ratings.quantile import NORMAL_95, normal_cdf, student_95, student_central


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 99, 100])
def test_student_agrees_with_scipy(freedom):
    assert student_95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-12)
    for t in (0.0, 0.3, 1.0, 5.0):
        expected = 1 - 2 * stats.t.sf(t, freedom)
        assert student_central(t, freedom) == pytest.approx(expected, abs=1e-13)


def test_published_values():
    assert student_95(1) == pytest.approx(12.7062, abs=1e-4)
    assert student_95(10) == pytest.approx(2.2281, abs=1e-4)
    assert pytest.approx(0.975) == normal_cdf(NORMAL_95)


def test_normal_tails_do_not_vanish():
    assert normal_cdf(-10) == pytest.approx(stats.norm.cdf(-10), rel=1e-12)
    assert normal_cdf(-10) + normal_cdf(10) == 1.0
