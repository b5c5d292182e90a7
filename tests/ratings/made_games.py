"""Results for rating tests, made without playing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec
import numpy as np

from arena.ratings.counting.scored import SoloTally
from arena.ratings.counting.tally import Tally
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination

WIN, DRAW, LOSS = (1, 2), (1, 1), (2, 1)


def game(
    entrants: Sequence[str],
    places: Sequence[int],
    *,
    block: str = "b",
    faulty: Iterable[int] = (),
    termination: Termination = Termination.COMPLETED,
    discipline: str | None = None,
) -> GameResult:
    """The discipline has a name for each table size unless one is given."""
    name = f"{discipline or f'd-{len(entrants)}'}/{'-'.join((block, *entrants))}"
    return GameResult(
        spec=GameSpec(name, block, block, 0, tuple(entrants)),
        termination=termination,
        places=tuple(places),
        plies=1,
        digest="",
        faults=tuple(Fault(seat, FaultKind.CRASH, 0, "") for seat in faulty),
    )


def solo(entrant: str, deal: str, score: int | None, *, discipline: str = "solo") -> GameResult:
    """``score`` None: a forfeit."""
    completed = score is not None
    return GameResult(
        spec=GameSpec(f"{discipline}/{entrant}:{deal}", deal, deal, 0, (entrant,)),
        termination=Termination.COMPLETED if completed else Termination.FORFEITED,
        places=(1,),
        plies=1,
        digest="",
        scores=None if score is None else (score,),
        faults=() if completed else (Fault(0, FaultKind.TIMEOUT, 0, ""),),
    )


def solo_tally(
    games: Iterable[GameResult],
    entrants: Iterable[str] = (),
    *,
    less_is_better: bool = True,
    worst_score: int = 48,
) -> SoloTally:
    counted = SoloTally(
        entrants, score="deserters", less_is_better=less_is_better, worst_score=worst_score
    )
    for result in games:
        counted.add(result)
    return counted


def replaced(result: GameResult, **changes: object) -> GameResult:
    return msgspec.structs.replace(result, **changes)


def mirrored(block: str, one: str, other: str, first: Sequence[int], second: Sequence[int]):
    """Both seatings of a deal; ``second`` are the places with ``other`` on seat 0."""
    return [game((one, other), first, block=block), game((other, one), second, block=block)]


def tally(
    games: Iterable[GameResult], entrants: Iterable[str] = (), *, less_is_better: bool = True
) -> Tally:
    """Solo games are those of the discipline "solo"; it has no part if there are none."""
    games = list(games)
    kinds = {"solo": solo_tally([], less_is_better=less_is_better)}
    met = any(len(result.spec.entrants) == 1 for result in games)
    counted = Tally(entrants, kinds if met else {})
    for result in games:
        counted.add(result)
    return counted


def pool(
    strengths: dict[str, float],
    *,
    blocks: int,
    rng: np.random.Generator,
    seats: int = 2,
    luck: float = 0.0,
    draws: float = 0.1,
    advantage: float = 0.0,
    discipline: str | None = None,
) -> list[GameResult]:
    """Every table of ``seats`` bots, ``blocks`` deals each, all rotations of the seats.

    Strengths, the deal's luck (standard deviation, per seat) and the advantage of seat 0
    are in Elo. Performances are strength plus Gumbel noise, rounded to a grid so that a
    share of about ``draws`` ties.
    """
    games = []
    for table in combinations(sorted(strengths), seats):
        for k in range(blocks):
            block = f"{'.'.join(table)}:{k}"
            edge = rng.normal(0.0, luck, seats) + advantage * (np.arange(seats) == 0)
            for turn in range(seats):
                entrants = table[turn:] + table[:turn]
                nats = (np.array([strengths[name] for name in entrants]) + edge) / 173.7178
                noisy = nats + rng.gumbel(size=seats)
                grid = np.round(noisy / (2 * draws)) if draws else noisy
                places = [1 + int((grid > own).sum()) for own in grid]
                games.append(game(entrants, places, block=block, discipline=discipline))
    return games
