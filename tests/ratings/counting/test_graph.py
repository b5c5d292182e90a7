import numpy as np
import pytest

from arena.ratings.counting.graph import groups, is_connected, reachable


def scored(size, *edges):
    matrix = np.zeros((size, size), bool)
    for i, j in edges:
        matrix[i, j] = True
    return matrix


def found(matrix, preferred=()):
    mask = np.zeros(len(matrix), bool)
    mask[list(preferred)] = True
    return groups(reachable(matrix), mask)


def test_a_cycle_is_one_group():
    ring = scored(5, *((k, (k + 1) % 5) for k in range(5)))
    assert found(ring) == [[0, 1, 2, 3, 4]]
    assert is_connected(ring)


def test_a_chain_reaches_one_way_only():
    chain = scored(4, (0, 1), (1, 2), (2, 3))
    assert reachable(chain)[0].all()
    assert reachable(chain)[3].tolist() == [False, False, False, True]
    assert found(chain) == [[0], [1], [2], [3]]


def test_the_largest_group_leads_then_the_preferred_then_the_smallest():
    islands = scored(7, (0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 6), (6, 4))
    assert found(islands) == [[4, 5, 6], [0, 1], [2, 3]]
    assert found(islands, [3]) == [[4, 5, 6], [2, 3], [0, 1]]


@pytest.mark.parametrize("size", [0, 1])
def test_small_graphs(size):
    assert found(scored(size)) == [[0]][:size]
    assert is_connected(scored(size))
