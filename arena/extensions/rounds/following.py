"""Derive the next round of a run: a pure function of its field, its seed and its results.

A run whose schedule ``grows`` begins without a pairing. Each round is a change of its own in
entries.jsonl, and so is the statement that no more rounds follow. Anybody with the folder and the
seed can derive all of them again: only what was stored before a round matters for it.

A player is a bot with all its versions: a new version takes the place of the previous one, with its
points and opponents. A bot that left or was withdrawn keeps its results and is not paired. It
forfeits at each table where it had games left to play, or in the round in which it was withdrawn.

A forfeit is final from the line of entries.jsonl with which an entrant leaves: a return does not
undo it. It ends the table, so an entrant that leaves with a later line forfeits nothing there. Nor
does an entrant that leaves a table at which another was withdrawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import msgspec
from msgspec import UNSET, UnsetType

from arena.extensions.rounds.kinds.rounds import rounds_of
from arena.extensions.rounds.pairing.state import (
    Counted,
    Now,
    Paired,
    Played,
    RoundPairing,
    all_deals,
    stage_luck,
)
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.runs.field import Field, FieldChange, Following, label_of
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.keys import Discipline
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import ID_JOINT, Decided, player_of


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
            margins = played.margins(label, pairing, counted.get(pairing, all_deals))
            if absent:
                deals = played.deals(label, pairing, seatings, counted.get(pairing, all_deals))
                points = tuple(sum(deal[k] for deal in deals) for k in range(len(pairing)))
            names, away = tuple(map(player_of, pairing)), set(map(player_of, absent))
            tables.append(match_of(names, points, away, margins))
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


def match_of(
    names: tuple[str, ...],
    points: Sequence[int],
    absent: Set[str] = frozenset(),
    margins: tuple[int, ...] | UnsetType = UNSET,
) -> TableResult:
    """Return the result of a match by its points and margins; those ``absent`` forfeit it."""
    if absent:
        given = tuple(Fraction(name not in absent) for name in names)
        return TableResult(names, given, tuple(points), is_played=False)
    return TableResult(names, _shares(tuple(points)), tuple(points), margins=margins)


def following(
    field: Field,
    schedule: Schedule,
    played: Played,
    verdict: WithdrawalState,
    seeds: Seeds,
    anchor: str = "",
) -> tuple[Following, dict[str, tuple[Pairing, ...]]] | None:
    """Return the next round and its pairings when the last round has ended.

    ``seeds``, ``anchor``: see ``RunKind.next_round``. Without pairings, no round will ever follow.
    Returns None if none follows now. Raises BadInput if there are too many players for the rules of
    pairing.
    """
    discipline = _leading(field)
    before = paired(field, schedule, played, verdict)
    *_, now = stages(field, schedule, played, verdict, seeds, is_over=True)
    parts = discipline.schedule.parts
    decided: tuple[Decided, ...] = ()
    while True:
        kind = rounds_of(now.discipline.schedule)
        met = kind.pair(now._replace(anchor=anchor)) or RoundPairing(())
        decided += met.decided
        if met.tables or now.stage + 1 == len(parts):
            break
        now = _stage(discipline, now.stage + 1, now, (), now.there, seeds)
    if met.is_later:
        return None
    brought = kind.brought(now, before)
    there = now.there
    follows = Following(
        len(before),
        tuple(there[name] for name in met.byes),
        hashlib.sha256(msgspec.json.encode(brought, enc_hook=str)).hexdigest(),
        kind.rules(now.discipline),
        now.stage if discipline.schedule.stages else UNSET,
        met.ties or UNSET,
        decided or UNSET,
        UNSET if met.deals is None else met.deals,
    )
    pairings = tuple(tuple(sorted(there[name] for name in table)) for table in met.tables)
    return follows, {each.name: pairings for each in field.rounds[0]} if pairings else {}


def stages(
    field: Field,
    schedule: Schedule,
    played: Played,
    verdict: WithdrawalState,
    seeds: Seeds,
    *,
    is_over: bool,
) -> list[Now]:
    """Return the state of each stage that has begun; without stages, of the only one.

    ``seeds``: of the run. ``is_over``: whether the last round has ended; earlier ones have.
    """
    discipline = _leading(field)
    before = paired(field, schedule, played, verdict)
    before = [each._replace(is_over=each.is_over or is_over) for each in before]
    end = schedule.numbers_of(before[-1].label).stop if before else 0
    out = {each.name for each in verdict.withdrawn.values() if each.at < end}
    there = {
        player_of(name): name
        for name in field.identities
        if name not in field.left and name not in out
    }
    luck = seeds.rounds(discipline.name)
    games = len(field.rounds[0])
    now = Now(discipline, players(field), there, before, played, luck, games)
    found: list[Now] = []
    for number in range(max((each.stage for each in before), default=0) + 1):
        rounds = [each for each in before if each.stage == number]
        then = next((each.there for each in before if each.stage >= number), None)
        if found and then is not None:  # a later departure does not affect the stage
            found[-1] = now._replace(there={name: there.get(name, name) for name in then})
        now = _stage(discipline, number, found[-1] if found else now, rounds, there, seeds)
        found.append(now)
    return found


def _leading(field: Field) -> Discipline:
    """Return the discipline whose name determines the lots, out of those paired together.

    It does not depend on their order, which the commitment of the run does not bind.
    """
    return min(field.rounds[0], key=lambda each: each.name)


def _stage(
    discipline: Discipline,
    number: int,
    last: Now,
    rounds: Sequence[Paired],
    there: Mapping[str, str],
    seeds: Seeds,
) -> Now:
    """Return stage ``number`` with its own ``rounds``.

    ``last``: the stage before, with the players present when it ended; before the first stage, a
    state of the whole run. ``there``: as in ``Now``, at present.
    """
    names, luck, earlier = last.players, last.luck, 0
    if number:
        earlier = last.earlier + len(last.before)
        plan, wanted = discipline.schedule.parts[number], discipline.schedule.stages[number].first
        names = rounds_of(last.discipline.schedule).advancing(last, plan.seeding)[:wanted]
        luck = stage_luck(seeds, discipline, number)
    own = {name: there[name] for name in names if name in there}
    part = msgspec.structs.replace(discipline, schedule=discipline.schedule.parts[number])
    return Now(part, names, own, rounds, last.played, luck, last.games, number, earlier)


def latecomer(field: Field, entered: Iterable[str]) -> str:
    """Return the first of ``entered`` that may not enter any more; empty if all may.

    New players may enter a first stage of an open kind, or any run before its first round.
    """
    discipline = field.rounds[0][0]
    last = [each.stage or 0 for each in field.follows if each is not None]
    parts = discipline.schedule.parts
    if not last or (last[-1] == 0 and rounds_of(parts[0]).is_open):
        return ""
    known = players(field)
    return next((name for name in entered if player_of(name) not in known), "")


def differing(
    lines: Iterable[tuple[Field, FieldChange]],
    schedule: Schedule,
    played: Played,
    verdict: WithdrawalState,
    lots: Iterable[Seeds | None],
    anchor: str,
) -> Iterator[tuple[int, str]]:
    """Yield each stored round that does not follow, see ``RunKind.differing``."""
    for number, ((field, change), seeds) in enumerate(zip(lines, lots, strict=False), 1):
        if isinstance(change.follows, Following) and seeds is not None:
            expected = following(field, schedule, played, verdict, seeds, anchor)
            if differs := _differs(change, change.follows, expected):
                yield number, differs


def _differs(
    change: FieldChange,
    follows: Following,
    found: tuple[Following, Mapping[str, tuple[Pairing, ...]]] | None,
) -> str:
    name = f"round {follows.over + 1}"
    if found is None:
        return f"{name} was paired, and there were too few who could meet"
    expected, met = found
    if follows.by != expected.by:
        return f"{name} was paired by {follows.by}, this arena has {expected.by}"
    if follows.results != expected.results:
        return f"{name} was paired by other results than those of the games"
    if change.pairings != met:
        stored = [each for own in change.pairings.values() for each in own]
        wanted = [each for own in met.values() for each in own]
        other = next((each for each in stored if each not in wanted), None)
        if other is not None:
            return f"{name}: {' and '.join(other)} meet, which does not follow from the results"
        return f"{name}: its pairings are not those that follow from the results"
    if follows.byes != expected.byes:
        return f"{name}: its byes are not those that follow from the results"
    if (follows.stage, follows.ties) != (expected.stage, expected.ties):
        return f"{name}: its stage or ties are not those that follow from the results"
    if follows.deals != expected.deals:
        return f"{name}: its deals are not those that follow from the results"
    if follows.decided != expected.decided:
        return f"{name}: what is decided is not what follows from the results"
    return ""
