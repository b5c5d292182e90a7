"""Tails against scipy."""

from __future__ import annotations

import pytest
import scipy

from arena.extensions.studies.full.chi_square import chi_square_tail


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 101, 19_701])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.98, 1.0, 1.02, 1.5, 3.0])
def test_tails_as_scipy(freedom, share):
    value = share * freedom
    expected = scipy.stats.chi2.sf(value, freedom)
    assert chi_square_tail(value, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-290)


def test_tails_at_the_ends():
    assert chi_square_tail(0.0, 5) == 1.0
    assert 0.0 < chi_square_tail(1e9, 3) < 1e-290
