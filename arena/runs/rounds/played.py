"""Collect the pairings of a run's rounds and their results, which the next round is paired by.

A player is a bot with all its versions: a new version takes the place of the previous one, with its
points and opponents. A bot that left or was withdrawn keeps its results and is not paired. It
forfeits at each table where it had games left to play, or in the round in which it was withdrawn.

A forfeit is final from the line of entries.jsonl with which an entrant leaves: a return does not
undo it. It ends the table, so an entrant that leaves with a later line forfeits nothing there. Nor
does an entrant that leaves a table at which another was withdrawn.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from msgspec import UNSET

from arena.results import ID_JOINT
from arena.runs.field import Field, label_of
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.rounds.state import Counted, Paired, Played, all_deals, player_of
from arena.schedule.rounds.tables import FinishedRound, TableResult, shares
from arena.schedule.schedule import Schedule


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
