"""Linear algebra for a few hundred unknowns, without BLAS.

A threaded BLAS is ten times slower on a machine whose cores are busy with games. Its last bits
depend on the number of threads (from about a hundred unknowns on) and on the processor. Its threads
can be limited only before numpy is loaded, by an environment variable that bots would inherit.
``arena verify`` compares tables byte by byte, also on other machines. These functions use
element-wise numpy alone.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

_PANEL: Final = 32
"""Number of columns that are eliminated at a time, because the rest does not fit into a cache."""
_TILE: Final = 128

Floats: TypeAlias = npt.NDArray[np.float64]


def solve(matrix: Floats, right: Floats) -> Floats:
    """Return x with ``matrix`` x = ``right``, which is a vector or a matrix of columns.

    ``matrix`` must be symmetric and positive definite (L D L' factors, no pivoting).
    """
    size = len(matrix)
    factors = _factors(matrix)
    x = right.astype(np.float64).reshape(size, *right.shape[1:] or (1,))
    for start in range(0, size, _PANEL):
        end = min(start + _PANEL, size)
        for k in range(start, end):
            x[k + 1 : end] -= np.multiply.outer(factors[k + 1 : end, k], x[k])
        x[end:] -= product(factors[end:, start:end], x[start:end])
    x /= np.diagonal(factors)[:, None]
    for start in reversed(range(0, size, _PANEL)):
        end = min(start + _PANEL, size)
        for k in range(end - 1, start, -1):
            x[start:k] -= np.multiply.outer(factors[k, start:k], x[k])
        x[:start] -= product(np.ascontiguousarray(factors[start:end, :start].T), x[start:end])
    return x.reshape(right.shape)


def _factors(matrix: Floats) -> Floats:
    """Return L below the diagonal and D on it; the part above the diagonal is unused."""
    rest = matrix.copy()
    size = len(rest)
    for start in range(0, size, _PANEL):
        end = min(start + _PANEL, size)
        columns = np.empty((end - start, size - end))
        for k in range(start, end):
            column = rest[k + 1 :, k].copy()
            factor = column / rest[k, k]
            rest[k + 1 :, k + 1 : end] -= np.multiply.outer(factor, column[: end - k - 1])
            rest[k + 1 :, k] = factor
            columns[k - start] = column[end - k - 1 :]
        for left in range(end, size, _TILE):  # the lower half of the remaining matrix
            tile = slice(left, min(left + _TILE, size))
            rest[left:, tile] -= product(
                rest[left:, start:end],
                np.ascontiguousarray(columns[:, tile.start - end : tile.stop - end]),
            )
    return rest


def product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product."""
    return np.asarray(np.einsum("ij,jk->ik", a, b), np.float64)


def thin_product(a: Floats, b: Floats) -> Floats:
    """Return the matrix product, faster the more elements of ``b`` are 0."""
    found, columns = np.zeros((len(a), b.shape[1])), np.ascontiguousarray(a.T)
    for k in range(b.shape[1]):
        known = np.flatnonzero(b[:, k])
        found[:, k] = np.einsum("j,ji->i", b[known, k], columns[known])
    return found
