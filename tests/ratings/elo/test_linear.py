import numpy as np
import pytest

from arena.ratings.elo.strengths import product, solve_linear, thin_product


@pytest.mark.parametrize("size", [0, 1, 2, 40, 170])
def test_solutions_agree_with_numpy(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 3))
    matrix = root @ root.T
    kept = matrix.copy()
    for right in (rng.normal(size=size), rng.normal(size=(size, 3)), np.eye(size)):
        assert np.allclose(solve_linear(matrix, right), np.linalg.solve(matrix, right))
    assert np.array_equal(matrix, kept)
    assert np.allclose(product(matrix, root), matrix @ root)


@pytest.mark.parametrize("kept", [0.0, 0.1, 1.0])
def test_a_thin_product_is_the_same(kept):
    rng = np.random.default_rng(7)
    left, right = rng.normal(size=(60, 90)), rng.normal(size=(90, 70))
    right[rng.random(right.shape) >= kept] = 0.0
    found = thin_product(left, right)
    assert np.allclose(found, product(left, right), rtol=1e-12, atol=1e-12)
