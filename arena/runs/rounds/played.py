"""Collect the pairings of a run's rounds and their results, which the next round is paired by.

A player is a bot with all its versions: a new version takes the place of the previous one, with its
points and opponents. A bot that left or was withdrawn keeps its results and is not paired. It
forfeits at each table where it had games left to play, or in the round in which it was withdrawn.

A forfeit is final from the line of entries.jsonl with which an entrant leaves: a return does not
undo it. It ends the table, so an entrant that leaves with a later line forfeits nothing there. Nor
does an entrant that leaves a table at which another was withdrawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import UNSET

from arena.games.luck import Luck
from arena.results import DISCIPLINE_JOINT, ID_JOINT, GameResult, SeatUsage
from arena.runs.field import VERSION_JOINT, Decided, Field, label_of
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.rounds.tables import FinishedRound, TableResult, shares
from arena.schedule.schedule import Discipline, Schedule

Counted: TypeAlias = Callable[[str], bool]
"""Predicate of a deal's id: True if the deal counts."""


def all_deals(_: str) -> bool:
    """Return True: every deal counts."""
    return True


def player_of(name: str) -> str:
    """Return the player whose version an entrant is."""
    return name.partition(VERSION_JOINT)[0]


class _Deal:
    """Results of one deal at a table."""

    __slots__ = ("games", "points")

    def __init__(self, names: Sequence[str]) -> None:
        self.games = 0
        self.points = dict.fromkeys(names, 0)
        """Points by entrant: over all pairs of seats, a win counts 2."""


class Played:
    """Results at each table of a run that grows; games are added in any order."""

    def __init__(self) -> None:
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
        label = spec.game_id.split(DISCIPLINE_JOINT, 2)[1]
        table = label, tuple(sorted(names))
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


def players(field: Field) -> tuple[str, ...]:
    """Return the players in order of entry, first those of the tournament file."""
    discipline = field.rounds[0][0]  # the commitment binds its order
    return tuple(dict.fromkeys(map(player_of, (*discipline.entrants, *field.identities))))


def paired(
    field: Field, schedule: Schedule, played: Played, verdict: WithdrawalState
) -> list[Paired]:
    """Return all rounds of ``field``, as paired, with the results so far.

    ``schedule``: that of this run, perhaps of a later field.
    """
    seatings = schedule.seatings(field.rounds[0][0].name)  # equal for all paired alike
    found = []
    places = [place for place, each in enumerate(field.follows) if each is not None]
    for place, later in zip(places, [*places[1:], None], strict=False):
        follows = field.follows[place]
        if follows is None or not field.rounds[place]:
            continue
        is_last = later is None
        label = label_of(follows.over)
        if not is_last and label in played.closed:
            found.append(played.closed[label])
            continue
        met = field.rounds[place][0].schedule.pairings
        numbers = schedule.numbers_of(label)
        leaving = [*filter(None, field.forfeits[place + 1 : later])]
        out = {each.name: each.at for each in verdict.withdrawn.values() if each.at in numbers}
        counted: dict[Pairing, Counted] = {}
        games = field.rounds[place][0].schedule.deals * seatings * len(field.rounds[0])
        tables, is_through = [], True
        for pairing in met:
            absent: Set[str] = out.keys() & pairing
            if absent:
                counted[pairing] = _until(schedule, place, {out[name] for name in absent})
            elif played.games(label, pairing) < games:
                first = (names & set(pairing) for names in leaving)
                absent = next(filter(None, first), set())
                is_through = is_through and bool(absent)
            points = played.points(label, pairing)
            if absent:
                deals = played.deals(label, pairing, seatings, counted.get(pairing, all_deals))
                points = tuple(sum(deal[k] for deal in deals) for k in range(len(pairing)))
            tables.append(_table(pairing, points, absent))
        byes = tuple(map(player_of, follows.byes))
        own = FinishedRound(tuple(tables), byes)
        there = _there(field, place, verdict, numbers.start)
        stage = follows.stage or 0
        ties = () if follows.ties is UNSET else follows.ties
        stopped = verdict.stopped  # its bot forfeits all its tables of the round when it leaves
        is_stopped = stopped is not None and any(stopped.name in pairing for pairing in met)
        is_over = not is_last or (is_through and not is_stopped)
        gone = frozenset(map(player_of, out)) | _absent(field, place, later)
        found.append(
            Paired(label, met, follows.byes, own, is_over, there, stage, ties, counted, gone)
        )
        if not is_last:
            played.closed[label] = found[-1]
    return found


def _until(schedule: Schedule, place: int, ends: Set[int]) -> Counted:
    """Return a test for deals that end, in schedule order, by the first game of ``ends``.

    Later games are played until a withdrawal is noticed; their number depends on the number of
    workers.
    """
    numbers = set()
    for number, _ in schedule.order(place):
        numbers.add(number)
        if number in ends:
            break

    def is_counted(deal: str) -> bool:
        first = schedule.number(f"{deal}{ID_JOINT}0")
        return first is not None and schedule.block(first)[-1] in numbers

    return is_counted


def _there(field: Field, place: int, verdict: WithdrawalState, start: int) -> tuple[str, ...]:
    """Return the players present when the round was made whose first game is ``start``."""
    known, left = field.drawn[place]
    out = {each.name for each in verdict.withdrawn.values() if each.at < start}
    names = set(islice(field.identities, known)) - left - out
    playing = set(map(player_of, names))
    return tuple(name for name in players(field) if name in playing)


def _absent(field: Field, place: int, later: int | None) -> frozenset[str]:
    """Return the players who left between a round and the next one, even if they returned.

    A player is not absent if a new version replaced the old one on the same line.
    """
    absent: set[str] = set()
    drawn = (*field.drawn, (len(field.identities), field.left))
    for number in range(place + 1, len(field.rounds) if later is None else later):
        if field.forfeits[number]:
            known, left = drawn[number + 1]
            there = {player_of(n) for n in islice(field.identities, known) if n not in left}
            absent.update({player_of(name) for name in field.forfeits[number]} - there)
    return frozenset(absent)


_shares = lru_cache(maxsize=1024)(shares)
"""Cached ``shares``: most tables have one of a few results."""


def _table(pairing: Pairing, points: Sequence[int], absent: Set[str]) -> TableResult:
    names = tuple(map(player_of, pairing))
    if absent:
        given = tuple(Fraction(name not in absent) for name in pairing)
        return TableResult(names, given, tuple(points), is_played=False)
    return TableResult(names, _shares(tuple(points)), tuple(points))


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
