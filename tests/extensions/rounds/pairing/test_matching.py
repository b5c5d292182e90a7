from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.rounds.pairing.criteria import (
    MOST_BITS,
    Edge,
    TooManyWishes,
    Wish,
    behind,
    best,
    fitting,
    weights,
)


def matchings(nodes: list[int], edges: set[Edge]) -> Iterator[list[Edge]]:
    """Every perfect one."""
    if not nodes:
        yield []
        return
    first, *others = nodes
    for other in others:
        if (first, other) in edges:
            for rest in matchings([each for each in others if each != other], edges):
                yield [(first, other), *rest]


@given(st.integers(1, 4), st.integers(0, 2**32), st.integers(1, 3))
def test_wishes_are_granted_in_strict_order(half: int, seed: int, most: int) -> None:
    chance = random.Random(seed)
    edges = {edge for edge in combinations(range(2 * half), 2) if chance.random() < 0.8}
    tables = [{edge: chance.randint(0, most) for edge in edges} for _ in range(3)]
    wishes = [
        Wish(lambda a, b, table=table: table[a, b], most * half)  # type: ignore[misc]
        for table in tables
    ]
    every = list(matchings(list(range(2 * half)), edges))
    if not every:
        return
    partner = best(weights(edges, wishes))
    found = [edge for edge in edges if partner[edge[0]] == edge[1]]
    totals = [tuple(sum(table[edge] for edge in each) for table in tables) for each in every]
    assert tuple(sum(table[edge] for edge in found) for table in tables) == max(totals)


def test_more_than_fits_is_refused_and_said_before() -> None:
    edges = [(0, 1), (2, 3)]
    wish = Wish(lambda a, b: 1, 2**20 - 1)
    count = fitting(weights(edges, []), [wish] * 9)
    assert count == MOST_BITS // 20
    assert best(weights(edges, [wish] * count)) == {0: 1, 1: 0, 2: 3, 3: 2}
    with pytest.raises(TooManyWishes):
        best(behind(weights(edges, [wish] * count), [Wish(lambda a, b: 1, 2**100)]))


def test_what_is_settled_leaves_edges_out() -> None:
    wish = Wish(lambda a, b: (a == 0) + (b == 0), 1, frozenset({0}))
    fits = wish.edges_left({0: 1, 1: 0})
    assert fits is not None
    assert fits(0, 1)
    nobody = Wish(lambda a, b: int(b == 3), 2).edges_left({0: 1, 1: 0})
    assert nobody is not None
    assert not nobody(2, 3)
    assert Wish(lambda a, b: 1, 2).edges_left({0: 1, 1: 0}) is None
