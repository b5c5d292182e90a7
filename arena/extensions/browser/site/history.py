"""Ratings after each round or day: a fit of the games up to then.

Of many rounds, only every second, fourth … is rated, so that there are at most ``most_of``, and the
last ``most_of`` ones, whose leaders are news. Earlier ratings are read from the site itself, if
they were made from the same games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from typing import Final, NamedTuple, TypeAlias

import msgspec

import arena
from arena.extensions.browser.page.counting.games import GameCounter, StepSums
from arena.extensions.browser.page.counting.steps import Steps
from arena.ratings.counting.arrays import arrays_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.fit import fit_model
from arena.ratings.elo.rating import Bound, Rated
from arena.ratings.elo.scale import Model
from arena.ratings.elo.scores import score_standings
from arena.runs.disk import NOT_READABLE
from arena.runs.reader import StoredRun
from arena.views.standings.counted import Counted
from arena.views.standings.standings import SectionData, among

FILE: Final = "ratings.json"
MOST: Final = 60
"""Most steps that are rated at even distances, and number of the last ones that are rated."""
_MANY: Final = 200
"""Number of bots from which only a quarter of these is rated, as a fit takes seconds."""
SCHEMA: Final = "arena.site-ratings/1"
_DECIMALS: Final = 2

Values: TypeAlias = dict[str, tuple[float, float | None]]
"""Rating of each entrant, or its mean score if it plays alone, and half of its interval.

None for an interval that results leave open on one side.
"""


class StepRatings(msgspec.Struct, frozen=True):
    """Ratings of all bots after a step."""

    after: int
    """Number of the step, see ``steps``."""
    of: str
    """Digest of everything that the ratings follow from."""
    values: Values


class _File(msgspec.Struct, frozen=True):
    """Contents of ``ratings.json``."""

    schema: str
    marks: tuple[StepRatings, ...]


class RatingInputs(NamedTuple):
    """Inputs of the rating after each step."""

    discipline: str
    """Discipline that is played alone; empty: all that is rated."""
    model: Model
    out: Mapping[str, int]
    """Entrants whose games do not count, with the first such game: ``standings.counted.out_of``."""
    excluded: Container[int]
    """Numbers of games that do not count yet."""
    cut: frozenset[int] = frozenset()
    """Numbers of games that do not count at all: ``standings.counted.Counted.cut``."""


def wanted_of(
    part: SectionData, out: Mapping[str, int], excluded: Container[int], cut: frozenset[int]
) -> RatingInputs:
    """Return the inputs of the rating after each step.

    ``part``: the main table. ``out``, ``excluded``, ``cut``: what does not count, as in
    ``RatingInputs``.
    """
    if part.ratings is None:
        return RatingInputs(part.section.title, Model(), out, excluded, cut)
    return RatingInputs("", part.ratings.model, out, excluded, cut)


def most_of(bots: int) -> int:
    """Return the number of steps that are rated with ``bots`` bots."""
    return MOST if bots < _MANY else MOST // 4


def chosen(steps: Sequence[int], most: int) -> list[int]:
    """Return the steps to rate: at most ``most`` of ``steps`` at even distances, and the last ones.

    ``steps``: those with games, in order.
    """
    stride = 1
    while len(steps) > most * stride:
        stride *= 2
    recent = len(steps) - most
    return [step for k, step in enumerate(steps, 1) if k % stride == 0 or k > recent]


def read_marks(data: bytes) -> tuple[StepRatings, ...]:
    """Return the ratings in the bytes of ``ratings.json``; none from other contents."""
    try:
        found = msgspec.json.decode(data, type=_File)
    except NOT_READABLE:
        return ()
    return found.marks if found.schema == SCHEMA else ()


def encoded(marks: Sequence[StepRatings]) -> bytes:
    """Return the bytes of ``ratings.json``."""
    return msgspec.json.encode(_File(SCHEMA, tuple(marks))) + b"\n"


def marks_of(
    run: StoredRun,
    gathered: GameCounter,
    wanted: RatingInputs,
    last: Values,
    known: Sequence[StepRatings],
) -> list[StepRatings]:
    """Return the ratings of all shown steps, in order.

    ``last``: values after all games. ``known``: earlier ratings, used if their digests fit. Raises
    StoreError.
    """
    order = sorted(gathered.by_step)
    digests = _digests(order, gathered.by_step, wanted)
    before = {mark.of: mark.values for mark in known}
    values: dict[int, Values] = {}
    missing = set()
    shown = chosen(order, most_of(len(run.manifest.entrants)))
    for step in shown:
        if step == order[-1]:
            values[step] = last
        elif digests[step] in before:
            values[step] = before[digests[step]]
        else:
            missing.add(step)
    if missing:
        values |= _rated(run, wanted, missing)
    return [StepRatings(step, digests[step], values[step]) for step in shown]


def values_of(rows: Iterable[Rated]) -> Values:
    """Return the values of entrants, in the order of names."""
    return {
        row.name: (round(row.value, _DECIMALS), _half(row))
        for row in sorted(rows, key=lambda row: row.name)
        if row.value is not None
    }


def _half(row: Rated) -> float | None:
    """Return half of the interval of a value; None if it is not known."""
    if row.bound is not Bound.BOTH or row.low is None or row.high is None:
        return None
    return round((row.high - row.low) / 2, _DECIMALS)


def _digests(
    order: Sequence[int], steps: Mapping[int, StepSums], wanted: RatingInputs
) -> dict[int, str]:
    """Return the digest of each step's inputs; games enter by the sums of their digests."""
    out, cut = sorted(wanted.out.items()), sorted(wanted.cut)
    own = (arena.__version__, repr(wanted.model), wanted.discipline, out, cut)
    hasher = hashlib.sha256(msgspec.json.encode(own))
    found = {}
    for step in order:
        hasher.update(f"{step} {steps[step].games} {steps[step].sum}\n".encode())
        found[step] = hasher.hexdigest()[:32]
    return found


def _rated(run: StoredRun, wanted: RatingInputs, missing: Set[int]) -> dict[int, Values]:
    """Read all games once more and return the values after the missing steps. Raises StoreError."""
    steps = Steps(run)
    parts: dict[int, Counted] = {}
    for game in run.games():
        step = steps.of(game)
        if game.number in wanted.excluded or step > max(missing):
            continue
        if step not in parts:
            parts[step] = Counted(run, wanted.out, frozenset(), wanted.excluded, cut=wanted.cut)
        parts[step].add(game)
    names = [name for name in run.manifest.entrants if wanted.out.get(name, 1)]
    total, found = Tally(names), {}
    for step in sorted(parts):
        total.absorb(parts.pop(step).tally, str, {}, "")
        if step in missing:
            found[step] = _values(total, wanted)
    return found


def _values(tally: Tally, wanted: RatingInputs) -> Values:
    if wanted.discipline:
        return values_of(score_standings(tally.solo[wanted.discipline]).rows)
    return values_of(fit_model(arrays_of(tally), among(wanted.model, tally.entrants)).ratings)
