"""The draws are fixed down to the bit, uniform, and independent of each other by name."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.luck import Luck, derive_key

T = TypeVar("T")
LUCK = Luck(derive_key("test"))
DRAWS = 3000


def test_known_keys() -> None:
    assert derive_key("run", 7, b"\x00").hex() == (
        "0efbeb33141cb5dc36a9e57f71c55ef2b93f8405faf28ba479a43dfade3fb388"
    )


def test_known_draws() -> None:
    assert [LUCK.below("die", n, 6) for n in range(12)] == [5, 5, 1, 1, 3, 4, 2, 4, 1, 1, 1, 2]
    assert LUCK.below("large", 0, 10**18) == 755637830662572229


def test_known_shuffles() -> None:
    assert LUCK.shuffle("deck:0", 0, range(10)) == (9, 3, 2, 5, 8, 0, 4, 1, 7, 6)
    # More words than one block of the generator holds.
    assert LUCK.shuffle("deck:1", 0, range(100))[-5:] == (36, 57, 68, 96, 11)


def test_paths_are_told_apart() -> None:
    paths = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), (b"abc", 0), ()]
    assert len({derive_key(*path) for path in paths}) == len(paths)


@given(st.binary(max_size=40), st.text(max_size=8), st.integers(0, 99), st.integers(1, 2**63))
def test_draws_are_in_range_and_repeatable(key, stream, counter, bound) -> None:
    draw = Luck(key).below(stream, counter, bound)
    assert 0 <= draw < bound
    assert Luck(key).below(stream, counter, bound) == draw


@pytest.mark.parametrize("bound", [0, -1])
def test_an_empty_range_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        LUCK.below("die", 0, bound)


@given(st.lists(st.integers()))
def test_a_shuffle_is_a_permutation_and_leaves_its_input_alone(items: list[int]) -> None:
    before = list(items)
    assert sorted(LUCK.shuffle("deck", 0, items)) == sorted(before)
    assert items == before


def test_draws_are_uniform() -> None:
    counts = Counter(LUCK.below("uniform", n, 6) for n in range(DRAWS))
    assert _chi_square(counts, 6) < 20.5  # 99.9 % of uniform samples, 5 degrees of freedom


def test_draws_are_uniform_below_bounds_that_do_not_divide_the_words() -> None:
    """Three quarters of all words: a remainder alone would favour the first third."""
    counts = Counter(LUCK.below("large", n, 3 << 62) >> 62 for n in range(DRAWS))
    assert _chi_square(counts, 3) < 13.8  # 99.9 %, 2 degrees of freedom


def test_every_order_is_equally_likely() -> None:
    counts = Counter(LUCK.shuffle("orders", n, "abc") for n in range(DRAWS))
    assert set(counts) == set(permutations("abc"))
    assert _chi_square(counts, 6) < 20.5


def test_streams_and_counters_are_independent() -> None:
    """Pairs of draws under related names are as spread out as pairs should be."""
    names = [(f"deck:{seat}", n) for seat in (0, 1) for n in range(DRAWS // 2)]
    across = Counter((LUCK.below("deck:0", n, 3), LUCK.below("deck:1", n, 3)) for n in range(DRAWS))
    along = Counter((LUCK.below(s, n, 3), LUCK.below(s, n + 1, 3)) for s, n in names)
    assert _chi_square(across, 9) < 26.1  # 99.9 %, 8 degrees of freedom
    assert _chi_square(along, 9) < 26.1


def _chi_square(counts: Counter[T], cells: int) -> float:
    expected = counts.total() / cells
    return sum((count - expected) ** 2 for count in counts.values()) / expected + expected * (
        cells - len(counts)
    )
