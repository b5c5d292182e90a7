"""Points are ones that a bot can be given, and come back from its options."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.studies.tune.surface import Axis, CategoricalOption, Number, Space

NUMBERS = st.tuples(st.floats(-1e6, 1e6, allow_nan=False), st.floats(1e-3, 1e6), st.booleans()).map(
    lambda d: Number("n", *_ends(*d))
)
CHOICES = st.lists(st.text("abc", min_size=1), min_size=2, max_size=5, unique=True).map(
    lambda values: CategoricalOption("c", tuple(values))
)


def _ends(low: float, width: float, is_whole: bool) -> tuple[float, float, bool]:
    if is_whole:
        low, width = float(round(low)), float(max(1, round(width)))
    return low, low + width, is_whole


@given(st.lists(st.one_of(NUMBERS, CHOICES), min_size=1, max_size=4), st.integers(0, 1000))
def test_points_are_values_and_back(axes: list[Axis], seed: int) -> None:
    axes = [axis._replace(name=f"o{k}") for k, axis in enumerate(axes)]
    space, rng = Space(axes), np.random.default_rng(seed)
    points = space.anywhere(20, rng)
    moves = rng.standard_normal(points.shape)
    for point in (*points, *space.around(points, moves, rng)):
        values = space.values(point)
        again = space.point(values)
        assert space.values(again) == values
        assert (space.point(space.values(again)) == again).all()
        for axis in axes:
            value = values[axis.name]
            if isinstance(axis, CategoricalOption):
                assert value in axis.values
                continue
            assert isinstance(value, int if axis.is_whole else float)
            room = 1e-9 * max(abs(axis.low), abs(axis.high), 1)
            assert axis.low - room <= float(value) <= axis.high + room


@pytest.mark.parametrize(
    ("axis", "coordinate", "value"),
    [
        (Number("n", 2, 8, is_whole=True), 0.3, 6),
        (Number("n", 0, 1, is_whole=False), -0.2345678, 0.38),
        (Number("n", 0, 5000, is_whole=False), 0.1, 2750.0),
        (Number("n", 0, 1e-4, is_whole=False), 0.0, 5e-5),
        (CategoricalOption("c", ("x", "y", "z")), 1.2, "y"),
    ],
)
def test_values_have_few_digits(axis: Axis, coordinate: float, value: object) -> None:
    [[tidy]] = Space([axis]).tidy(np.array([[coordinate]]))
    assert axis.value(float(tidy)) == value


def test_a_default_outside_of_what_is_searched_is_at_the_nearest_end() -> None:
    space = Space([Number("n", 2, 8, is_whole=True), CategoricalOption("c", ("x", "y"))])
    assert space.point({"n": 11, "c": "z"}).tolist() == [1.0, 0.0]
