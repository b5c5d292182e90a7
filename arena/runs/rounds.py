"""What follows in a run when a round is over: a pure function of its field, its seed and results.

A run whose schedule ``grows`` begins without a pairing. Each round is a change of its own in
entries.jsonl, and so is that nothing follows any more. Whoever has the folder and the seed can
derive them all again: nothing but what stood there before is looked at.

A player is a bot with all its versions: a new one takes the place of the one before, with its
points and opponents. Who plays no more, or was withdrawn, keeps what it has and is not paired; at a
table where it had games left to play, or in the round in which it was withdrawn, it has forfeited.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from arena.documents.problems import printable
from arena.results import DISCIPLINE_JOINT, GameResult
from arena.runs.field import VERSION_JOINT, Change, Field, Following, folded, label_of
from arena.runs.manifest import Manifest
from arena.runs.withdrawals import Verdict
from arena.schedule.pairings import Pairing
from arena.schedule.rounds.dutch import NoPairing
from arena.schedule.rounds.history import Result
from arena.schedule.rounds.swiss import Swiss, next_round, rules_of
from arena.schedule.rounds.tables import Round, Table, shares
from arena.schedule.schedule import Discipline, Schedule
from arena.schedule.seeds import Seeds


def player_of(name: str) -> str:
    """Whose version an entrant is."""
    return name.partition(VERSION_JOINT)[0]


class Played:
    """What the games of a run that grows have brought at each table; takes them in any order."""

    def __init__(self) -> None:
        self._points: dict[tuple[str, Pairing], Counter[str]] = {}
        """By round and table the points of all pairs of seats, a win 2."""
        self._games: Counter[tuple[str, Pairing]] = Counter()

    def add(self, result: GameResult) -> None:
        """Take a finished game, once."""
        spec = result.spec
        label = spec.game_id.split(DISCIPLINE_JOINT, 2)[1]
        table = label, tuple(sorted(spec.entrants))
        points = self._points.setdefault(table, Counter())
        self._games[table] += 1
        seats = range(len(spec.entrants))
        for seat, name in enumerate(spec.entrants):
            scores = (result.pair_score(seat, other) for other in seats if other != seat)
            points[name] += sum(round(2 * score) for score in scores if score is not None)

    def games(self, label: str, pairing: Pairing) -> int:
        """How many games of a table there are."""
        return self._games[label, pairing]

    def points(self, label: str, pairing: Pairing) -> tuple[int, ...]:
        """Of a table, in the order of the names: of every pair of seats a win 2, a tie 1."""
        found = self._points.get((label, pairing), Counter())
        return tuple(found[name] for name in pairing)


class Paired(NamedTuple):
    """A round as it was paired, by names of entrants, and what it brought."""

    label: str
    pairings: tuple[Pairing, ...]
    byes: tuple[str, ...]
    round: Round
    """By players; a table that is not played to its end brings what it has so far."""
    is_over: bool


def players(field: Field) -> tuple[str, ...]:
    """In the order in which they entered, first that of the tournament file."""
    (discipline,) = field.rounds[0]  # its order is committed to
    return tuple(dict.fromkeys(map(player_of, (*discipline.entrants, *field.identities))))


def paired(field: Field, schedule: Schedule, played: Played, verdict: Verdict) -> list[Paired]:
    """All rounds so far. ``schedule``: that of the run, perhaps of a later field."""
    (discipline,) = field.rounds[0]
    found = []
    last = max((n for n, each in enumerate(field.follows) if each is not None), default=0)
    for place, follows in enumerate(field.follows):
        if follows is None or not field.rounds[place]:
            continue
        label = label_of(follows.over)
        met = field.rounds[place][0].schedule.pairings
        is_last = place == last
        left = field.left if is_last else field.left_by[place]
        numbers = schedule.numbers_of(label)
        out = {each.name for each in verdict.withdrawn.values() if each.at in numbers}
        games = discipline.schedule.deals * schedule.seatings(discipline.name)
        tables = []
        for pairing in met:
            absent = out.intersection(pairing)
            if played.games(label, pairing) < games:
                absent = absent | left.intersection(pairing)
            tables.append(_table(pairing, played.points(label, pairing), absent))
        byes = tuple(map(player_of, follows.byes))
        own = Round(tuple(tables), byes)
        found.append(Paired(label, met, follows.byes, own, not is_last))
    return found


def _table(pairing: Pairing, points: Sequence[int], absent: set[str] | frozenset[str]) -> Table:
    names = tuple(map(player_of, pairing))
    if absent:
        given = tuple(Fraction(name not in absent) for name in pairing)
        return Table(names, given, tuple(points), is_played=False)
    return Table(names, shares(points), tuple(points))


def swiss(discipline: Discipline) -> Swiss:
    """The rules by which it is paired."""
    return Swiss(rounds=discipline.schedule.rounds or 0, seats=discipline.rules.seats, short=False)


def following(
    field: Field, schedule: Schedule, played: Played, verdict: Verdict, seeds: Seeds
) -> tuple[Following, dict[str, tuple[Pairing, ...]]]:
    """What follows when all games of the last round are played that will be.

    ``seeds``: of the run. No pairings: nothing does.
    """
    (discipline,) = field.rounds[0]
    before = [each.round for each in paired(field, schedule, played, verdict)]
    over = len(before)
    results = hashlib.sha256(msgspec.json.encode(before, enc_hook=str)).hexdigest()
    end = schedule.numbers_of(label_of(over - 1)).stop if over else 0
    out = {each.name for each in verdict.withdrawn.values() if each.at < end} if over else set()
    there = {
        player_of(name): name
        for name in field.identities
        if name not in field.left and name not in out
    }
    plan = swiss(discipline)
    names, rules = players(field), rules_of(plan.seats)
    nothing = Following(over, (), results, rules)
    if over >= plan.rounds or len(there) < plan.seats:
        return nothing, {}
    away: Mapping[str, Result] = {name: Result.ZERO_BYE for name in names if name not in there}
    try:
        found = next_round(names, before, plan, seeds.rounds(discipline.name), away)
    except NoPairing:
        return nothing, {}
    met = tuple(tuple(sorted(there[name] for name in table)) for table in found.tables)
    return Following(over, tuple(there[name] for name in found.byes), results, rules), (
        {discipline.name: met}
    )


def differing(
    manifest: Manifest, schedule: Schedule, played: Played, verdict: Verdict, seeds: Seeds
) -> Iterator[tuple[int, str]]:
    """Each round of a run that is not what follows: its line of entries.jsonl, and what differs."""
    first = Field.first(manifest.identity.entrants, manifest.identity.disciplines)
    for number, change in enumerate(manifest.changes, 1):
        if isinstance(change.follows, Following):
            field = folded(first, manifest.changes[: number - 1])
            expected, met = following(field, schedule, played, verdict, seeds)
            if differs := _differs(change, change.follows, expected, met):
                yield number, differs


def _differs(
    change: Change,
    follows: Following,
    expected: Following,
    met: Mapping[str, tuple[Pairing, ...]],
) -> str:
    name = f"round {follows.over + 1}"
    if follows.by != expected.by:
        return f"{name} was paired by {printable(follows.by)}, this arena has {expected.by}"
    if follows.results != expected.results:
        return f"{name} was paired by other results than those of the games"
    if change.pairings != met:
        found = [each for own in change.pairings.values() for each in own]
        wanted = [each for own in met.values() for each in own]
        other = next((each for each in found if each not in wanted), None)
        if other is not None:
            return f"{name}: {' and '.join(other)} meet, which does not follow from the results"
        return f"{name}: its pairings are not those that follow from the results"
    if follows.byes != expected.byes:
        return f"{name}: its byes are not those that follow from the results"
    return ""
