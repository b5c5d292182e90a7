"""The rounds of a run and their results, as the kinds of schedules that grow pair by them.

A player is a bot with all its versions: a new version takes the place of the previous one, with its
points and opponents. ``rounds.following`` collects all this from a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import UNSET, UnsetType

from arena.extensions.rounds.pairing.tables import FinishedRound
from arena.games.luck import Luck
from arena.schedule.keys import Discipline
from arena.schedule.pairings import Pairing
from arena.schedule.seeds import Seeds
from arena.values.results import DISCIPLINE_JOINT, Decided, GameResult, GameSpec, SeatUsage

Counted: TypeAlias = Callable[[str], bool]
"""Predicate of a deal's id: True if the deal counts."""


def all_deals(_: str) -> bool:
    """Return True: every deal counts."""
    return True


def round_of(spec: GameSpec) -> str:
    """Return the label of the round of a game, in a run that grows."""
    return spec.game_id.split(DISCIPLINE_JOINT, 2)[1]


class _Deal:
    """Results of one deal at a table."""

    __slots__ = ("games", "margins", "points")

    def __init__(self, names: Sequence[str]) -> None:
        self.games = 0
        self.points = dict.fromkeys(names, 0)
        """Points by entrant: over all pairs of seats, a win counts 2."""
        self.margins: dict[str, int] | None = dict.fromkeys(names, 0)
        """Sum of margins by entrant; None if not all are known."""

    def add_margins(self, names: Sequence[str], margins: Sequence[int]) -> None:
        """Add the margins of a game by seat; none if they are not known."""
        if not margins:
            self.margins = None
        elif self.margins is not None:
            for name, margin in zip(names, margins, strict=True):
                self.margins[name] += margin


class Played:
    """Results at each table of a run that grows; games are added in any order.

    ``margins``: by the name of a discipline whose margins count, whether fewer points are better.
    ``label_of``: returns the round of a game, by its place in the ids of games.
    """

    def __init__(
        self,
        margins: Mapping[str, bool] | None = None,
        label_of: Callable[[GameSpec], str] = round_of,
    ) -> None:
        self._margins = margins or {}
        self._label_of = label_of
        self._deals: dict[tuple[str, Pairing], dict[str, _Deal]] = {}
        """Deals by round and table."""
        self.closed: dict[str, Paired] = {}
        """Rounds that are over and were evaluated, by label: nothing changes them."""
        self.kept: dict[int, object] = {}
        """Counts so far of each stage's kind of rounds."""
        self._cpu: dict[str, Counter[str]] = {}
        """Processor time by round and entrant, in microseconds."""

    def add(self, result: GameResult, spent: Sequence[SeatUsage] = ()) -> None:
        """Add a finished game, once. ``spent``: resources by seat, as far as known."""
        spec = result.spec
        names = spec.entrants
        label = self._label_of(spec)
        table = label, tuple(sorted(set(names)))
        deals = self._deals.get(table)
        if deals is None:
            deals = self._deals[table] = {}
        own = deals.get(spec.deal)
        if own is None:
            own = deals[spec.deal] = _Deal(names)
        own.games += 1
        if len(names) == 2 and not result.faults:  # the usual case, with one pair of seats
            first, second = result.places
            own.points[names[0]] += (first <= second) + (first < second)
            own.points[names[1]] += (second <= first) + (second < first)
        else:
            seats = range(len(names))
            for seat, name in enumerate(names):
                scores = (result.pair_score(seat, other) for other in seats if other != seat)
                own.points[name] += sum(round(2 * each) for each in scores if each is not None)
        if self._margins:
            less = self._margins[spec.discipline]
            own.add_margins(names, result.margins(less_is_better=less))
        for name, each in zip(names, spent, strict=False):
            if each.cpu_us:
                if label not in self._cpu:
                    self._cpu[label] = Counter()
                self._cpu[label][name] += each.cpu_us

    def cpu(self, label: str) -> Mapping[str, int]:
        """Return the measured processor time of the round ``label`` by entrant, in microseconds."""
        return self._cpu.get(label, {})

    def games(self, label: str, pairing: Pairing) -> int:
        """Return the number of finished games at the table ``pairing`` of the round ``label``."""
        return sum(own.games for own in self._deals.get((label, pairing), {}).values())

    def points(self, label: str, pairing: Pairing) -> tuple[int, ...]:
        """Return the points at a table of the round ``label``, by name.

        For every pair of seats a win is 2 points, a tie 1.
        """
        found = [own.points for own in self._deals.get((label, pairing), {}).values()]
        return tuple([sum([each[name] for each in found]) for name in pairing])

    def margins(
        self, label: str, pairing: Pairing, wanted: Counted = all_deals
    ) -> tuple[int, ...] | UnsetType:
        """Return the sum of margins of ``wanted`` deals by name; unset if not all are known."""
        if not self._margins:
            return UNSET
        found = self._deals.get((label, pairing), {}).items()
        known = [own.margins for deal, own in found if wanted(deal)]
        sums = [sum(each[name] for each in known if each is not None) for name in pairing]
        return UNSET if None in known else tuple(sums)

    def tables(self) -> Iterator[tuple[str, Pairing]]:
        """Yield the label and the entrants of each table with a finished game."""
        yield from self._deals

    def deals(
        self, label: str, pairing: Pairing, games: int, wanted: Counted = all_deals
    ) -> list[tuple[int, ...]]:
        """Return ``points`` of each ``wanted`` deal that has all its games, in any order.

        ``games``: number of games of a deal.
        """
        return [
            tuple(own.points[name] for name in pairing)
            for deal, own in self._deals.get((label, pairing), {}).items()
            if own.games == games and wanted(deal)
        ]


class Paired(NamedTuple):
    """A round as paired, by names of entrants, with its results."""

    label: str
    pairings: tuple[Pairing, ...]
    byes: tuple[str, ...]
    round: FinishedRound
    """Results by players; an unfinished table has its results so far."""
    is_over: bool
    """True if no more games of the round follow, and no bot at its tables stops the run."""
    there: tuple[str, ...] = ()
    """Players present when the round was made, in order of entry."""
    stage: int = 0
    ties: tuple[str, ...] = ()
    """Name of each table in a knockout."""
    counted: Mapping[Pairing, Counted] = {}
    """Which deals count at tables of entrants withdrawn in this round: see ``_until``."""
    gone: frozenset[str] = frozenset()
    """Players who were absent for a time before the next round was made, or withdrawn in it."""


class Now(NamedTuple):
    """State of a stage when a round has ended, or before its first round."""

    discipline: Discipline
    """Discipline; of several that are paired together, the first by name."""
    players: Sequence[str]
    """Players of the stage, best seeds first; in the first stage, all ever entered, in order."""
    there: Mapping[str, str]
    """Entrant (version) that plays for each player who can be paired, by player."""
    before: Sequence[Paired]
    """Finished rounds of the stage."""
    played: Played
    luck: Luck
    """Lots, fixed by the commitment of the run."""
    games: int
    """Number of disciplines that every pairing plays."""
    stage: int = 0
    """Number of the stage, from 0."""
    earlier: int = 0
    """Number of rounds in earlier stages."""
    anchor: str = ""
    """Entrant that fixes the scale of the ratings; empty without ratings."""

    @property
    def began(self) -> list[str]:
        """Players of the stage that were present when it began."""
        there = self.before[0].there if self.before else self.there
        return [name for name in self.players if name in there]


def stage_luck(seeds: Seeds, discipline: Discipline, stage: int) -> Luck:
    """Return the lots of a stage, by its number from 0; ``seeds``: of the run."""
    return seeds.rounds(f"{discipline.name}{DISCIPLINE_JOINT}{stage}" if stage else discipline.name)


class RoundPairing(NamedTuple):
    """A paired round: its tables and byes, with players instead of entrants."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    """Names of the tables, where tables have names."""
    decided: tuple[Decided, ...] = ()
    """Ties decided since the round before. Without tables, no more rounds follow."""
    deals: int | None = None
    """Deals of each table; None for those of the schedule."""
    is_later: bool = False
    """True if there are no tables now, but may be once more players have entered."""
