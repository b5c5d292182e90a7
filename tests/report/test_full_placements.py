"""Panels of the second model: what they hold, and that no number is none."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from arena.text.grid import draw_text, short
from arena.text.panel import Panel
from arena.views.standings.full_placements import SHOWN_PAIRS, panels
from tests.ratings.davidson_games import pool
from tests.ratings.made_games import DRAW, WIN, game, mirrored, tally

NATS = {"a": -0.6, "b": -0.1, "c": 0.2, "\x1b[2J": 0.5}
TIES = {2: -0.5, 3: -1.0}


def made(seats: int, blocks: int = 60):
    return pool(NATS, TIES, seats, blocks, np.random.default_rng(seats))


def texts(found: list[Panel]) -> Iterator[str]:
    for panel in found:
        yield panel.title
        yield from panel.remarks
        if panel.columns:
            yield from draw_text(panel.columns, None).splitlines()


def numbers(data: Any) -> Iterator[float]:
    if isinstance(data, dict):
        data = [*data.values()]
    if isinstance(data, list | tuple):
        for each in data:
            yield from numbers(each)
    elif isinstance(data, int | float):
        yield data


CASES = {
    "two seats": made(2),
    "three seats": made(3),
    "both": [*made(2), *made(3)],
    "perfect": [game("ab", WIN, block=str(k)) for k in range(30)],
    "draws": [game("ab", DRAW, block=str(k)) for k in range(30)],
    "one block": mirrored("x", "a", "b", WIN, WIN),
    "islands": [*mirrored("x", "a", "b", WIN, DRAW), *mirrored("x", "c", "d", WIN, WIN)],
    "too wide beside": [game("abcdefgh", range(1, 9)), *mirrored("x", "a", "b", WIN, WIN)],
}


@pytest.mark.parametrize("name", CASES)
def test_every_page_is_finite_and_safe(name):
    found = panels(tally(CASES[name]), short)
    assert found
    assert all(text.isprintable() for text in texts(found))
    assert not any(word in text.split() for text in texts(found) for word in ("nan", "inf", "-0.0"))
    for panel in found:
        json.dumps(panel.data, allow_nan=False)
        assert all(map(math.isfinite, numbers(panel.data)))
        assert len({len(column.cells) for column in panel.columns}) <= 1


@pytest.mark.parametrize("seats", [2, 3])
def test_pages_of_few_bots_fit_a_terminal(seats):
    found = panels(tally(made(seats)), short)
    for panel in found:
        assert "too narrow" not in draw_text(panel.columns, 80)


def test_one_discipline_has_all_panels_and_several_their_common_strengths():
    keys = [panel.key for panel in panels(tally(made(2)), short)]
    assert keys == ["second_model", "predicted_places", "placements", "ties", "predicted_pairs"]
    (common,) = panels(tally(CASES["both"]), short)
    assert any("strengths differ between disciplines" in line for line in common.remarks)
    assert [each["discipline"] for each in common.data["disciplines"]] == ["d-2", "d-3"]


def test_shares_add_up_to_all_games():
    found = {panel.key: panel.data for panel in panels(tally(made(3)), short)}
    for row in found["placements"]:
        for word in ("observed", "fitted"):
            assert sum(row[f"{word}_{k}"] for k in (1, 2, 3)) == pytest.approx(1, abs=1e-5)
    for row in found["predicted_places"]:
        mean = sum(k * row[f"place_{k}"] for k in (1, 2, 3))
        assert row["mean_place"] == pytest.approx(mean, abs=1e-5)
    for row in found["predicted_pairs"]:
        assert row["above"] + row["level"] + row["below"] == pytest.approx(1, abs=1e-5)


def test_observed_numbers_are_those_of_the_games():
    games = [*mirrored("x", "a", "b", WIN, DRAW), *mirrored("y", "a", "b", WIN, WIN)]
    found = {panel.key: panel.data for panel in panels(tally(games), short)}
    rows = {row["bot"]: row for row in found["placements"]}
    assert (rows["a"]["games"], rows["a"]["observed_1"], rows["a"]["observed_2"]) == (4, 0.75, 0.25)
    assert (rows["b"]["observed_1"], rows["b"]["observed_shared"]) == (0.5, 0.25)
    assert found["ties"][0]["observed"] == 0.25


def test_many_pairs_are_for_programs():
    names = [f"bot {k}" for k in range(12)]
    games = [
        result
        for k, one in enumerate(names)
        for other in names[k + 1 :]
        for result in mirrored("x", one, other, WIN, WIN)
    ]
    pairs = next(p for p in panels(tally(games), short) if p.key == "predicted_pairs")
    assert len(pairs.data) == 66 > SHOWN_PAIRS
    assert not pairs.columns
    assert pairs.remarks


def test_without_places_there_is_nothing():
    assert panels(tally([]), short) == []
