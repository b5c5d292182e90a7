"""Linear algebra for a few hundred unknowns, without BLAS.

A threaded BLAS is ten times slower on a machine whose cores are busy with games, and its last
bits depend on the number of threads (from about a hundred unknowns on) and on the processor.
Its threads can be limited only before numpy is loaded, by a variable that bots would inherit,
and ``arena verify`` compares tables byte by byte, on other machines too. These functions use
element-wise numpy alone.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

_PANEL: Final = 32
"""Columns that are eliminated before what is left is touched: it does not fit into a cache."""
_TILE: Final = 128

Floats: TypeAlias = npt.NDArray[np.float64]


def solve(matrix: Floats, right: Floats) -> Floats:
    """x with ``matrix`` x = ``right``, a vector or a matrix of columns.

    ``matrix`` must be symmetric and positive definite (L D L' factors, no pivoting).
    """
    rest, x = matrix.copy(), right.astype(np.float64)
    size = len(rest)
    for start in range(0, size, _PANEL):
        end = min(start + _PANEL, size)
        columns = np.empty((end - start, size - end))
        for k in range(start, end):
            column = rest[k + 1 :, k].copy()
            factor = column / rest[k, k]
            rest[k + 1 :, k + 1 : end] -= np.multiply.outer(factor, column[: end - k - 1])
            x[k + 1 :] -= np.multiply.outer(factor, x[k])
            rest[k + 1 :, k] = factor
            columns[k - start] = column[end - k - 1 :]
        for left in range(end, size, _TILE):  # the lower half of what is left
            tile = slice(left, min(left + _TILE, size))
            rest[left:, tile] -= product(
                rest[left:, start:end],
                np.ascontiguousarray(columns[:, tile.start - end : tile.stop - end]),
            )
    x /= np.diagonal(rest).reshape(-1, *[1] * (right.ndim - 1))
    for k in range(size - 1, 0, -1):
        x[:k] -= np.multiply.outer(rest[k, :k], x[k])
    return x


def product(a: Floats, b: Floats) -> Floats:
    """The matrix product."""
    return np.asarray(np.einsum("ij,jk->ik", a, b), np.float64)
