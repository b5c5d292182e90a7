"""Games drawn from Davidson and Luce's model itself, and its likelihood written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from arena.results import GameResult
from tests.ratings.made_games import game


def weights(
    left: Sequence[int], strengths: Sequence[float], deltas: Mapping[int, float]
) -> dict[tuple[int, ...], float]:
    """The logarithm of each set's weight; ``deltas`` are ln delta by size."""
    return {
        chosen: float(np.mean([strengths[seat] for seat in chosen])) + deltas.get(size, 0.0)
        for size in range(1, len(left) + 1)
        if size == 1 or size in deltas
        for chosen in combinations(left, size)
    }


def log_likelihood(
    places: Sequence[int], strengths: Sequence[float], deltas: Mapping[int, float]
) -> float:
    """Of one game; ``strengths`` by seat, seat terms included."""
    left, total = list(range(len(places))), 0.0
    while len(left) > 1:
        best = min(places[seat] for seat in left)
        chosen = tuple(seat for seat in left if places[seat] == best)
        found = weights(left, strengths, deltas)
        total += found[chosen] - float(np.logaddexp.reduce([*found.values()]))
        left = [seat for seat in left if seat not in chosen]
    return total


def draw(
    strengths: Sequence[float], deltas: Mapping[int, float], rng: np.random.Generator
) -> list[int]:
    """Places of one game."""
    places, left = [0] * len(strengths), list(range(len(strengths)))
    while left:
        found = weights(left, strengths, deltas)
        logs = np.array([*found.values()])
        shares = np.exp(logs - np.logaddexp.reduce(logs))
        chosen = [*found][rng.choice(len(shares), p=shares / shares.sum())]
        for seat in chosen:
            places[seat] = len(strengths) - len(left) + 1
        left = [seat for seat in left if seat not in chosen]
    return places


def pool(
    strengths: Mapping[str, float],
    deltas: Mapping[int, float],
    seats: int,
    blocks: int,
    rng: np.random.Generator,
    *,
    seat_terms: Sequence[float] = (),
    discipline: str | None = None,
    luck: float = 0.0,
) -> list[GameResult]:
    """Blocks of random tables, all rotations; ``luck`` in nats goes with the seats of a deal."""
    terms = list(seat_terms) or [0.0] * seats
    games = []
    for k in range(blocks):
        table = [str(name) for name in rng.permutation([*strengths])[:seats]]
        edge = rng.normal(0.0, luck, seats) if luck else np.zeros(seats)
        for turn in range(seats):
            entrants = table[turn:] + table[:turn]
            nats = [strengths[n] + t + e for n, t, e in zip(entrants, terms, edge, strict=True)]
            places = draw(nats, deltas, rng)
            games.append(game(entrants, places, block=f"{k}", discipline=discipline))
    return games
