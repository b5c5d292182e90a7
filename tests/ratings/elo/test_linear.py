import numpy as np
import pytest

from arena.ratings.elo.linear import product, solve


@pytest.mark.parametrize("size", [0, 1, 2, 40, 170])
def test_solutions_agree_with_numpy(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 3))
    matrix = root @ root.T
    kept = matrix.copy()
    for right in (rng.normal(size=size), rng.normal(size=(size, 3))):
        assert np.allclose(solve(matrix, right), np.linalg.solve(matrix, right))
    assert np.array_equal(matrix, kept)
    assert np.allclose(product(matrix, root), matrix @ root)
