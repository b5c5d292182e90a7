"""The kind ``swiss``, and the table by points and tie-breaks that other kinds of rounds share.

Two seats are paired by the Dutch system, three and four by ``tables``. Names are in the order of
the initial ranking. Late entrants come after those who are there, and have a bye without points for
each round that they missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from arena.extensions.rounds.kinds.rounds import ANY_TABLE, Rounds, circle_rounds, rounds_of
from arena.extensions.rounds.pairing import dutch
from arena.extensions.rounds.pairing.criteria import TooManyWishes
from arena.extensions.rounds.pairing.dutch import NoPairing
from arena.extensions.rounds.pairing.history import (
    ABSENT,
    Colour,
    History,
    Player,
    PlayerRound,
    Result,
)
from arena.extensions.rounds.pairing.scoring import Scoring, scoring_of
from arena.extensions.rounds.pairing.state import Now, RoundPairing
from arena.extensions.rounds.pairing.tables import (
    FinishedRound,
    TableResult,
    Tables,
    contenders,
    meetings,
    tables,
)
from arena.extensions.rounds.pairing.tiebreaks import (
    Standing,
    standings,
    table_turns,
    two_seat_turns,
)
from arena.games.luck import Luck
from arena.schedule.keys import Discipline, Schedule
from arena.schedule.kinds.kind import GrowingKind
from arena.values import numbers
from arena.values.bad_input import BadInput

_ratio = Fraction.as_integer_ratio
"""Key of the result tables; hashing a fraction takes longer than all the rest here."""
_PLAYED = {(1, 1): Result.WIN, (1, 2): Result.DRAW, (0, 1): Result.LOSS}
_NOT_PLAYED = {(1, 1): Result.FORFEIT_WIN, (0, 1): Result.FORFEIT_LOSS}


class Swiss(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one Swiss tournament."""

    rounds: int
    scoring: Scoring = Scoring()
    colours: bool = False
    """True if seat order counts at two seats; False where every pairing has both seatings."""


def rules_of(seats: int) -> str:
    """Return the name of the pairing rules, for the record; other editions have other names."""
    return "dutch-2026" if seats == 2 else "tables-1"


def next_round(
    names: Sequence[str],
    rounds: Sequence[FinishedRound],
    plan: Swiss,
    luck: Luck,
    away: Mapping[str, Result] | None = None,
) -> Tables:
    """Return the next tables; where colours count, the first of a table of two moves first.

    ``away``: byes of the players who are not to be paired. Raises NoPairing, and TooManyWishes as
    ``dutch.pair``.
    """
    gone = away or {}
    scoring = plan.scoring
    if scoring.seats == 2:
        found = dutch.pair(history(names, rounds, plan, gone), colours=plan.colours)
        return Tables(
            tuple((names[a - 1], names[b - 1]) for a, b in found.pairs),
            () if found.bye is None else (names[found.bye - 1],),
        )
    there = [name for name in names if name not in gone]
    return tables(
        contenders(there, rounds, scoring.of, scoring.win),
        meetings(rounds),
        scoring.seats,
        luck,
        number=len(rounds) + 1,
    )


def history(
    names: Sequence[str],
    rounds: Iterable[FinishedRound],
    plan: Swiss,
    away: Mapping[str, Result] | None = None,
    *,
    has_rounds: bool = True,
) -> History:
    """Return the data of a pairing, a table or a tournament report file, at two seats.

    ``has_rounds``: False if nobody misses a round, because all matches are in one.
    """
    number = {name: place for place, name in enumerate(names, 1)}
    turns: dict[str, list[PlayerRound]] = {name: [] for name in names}
    for over, each in enumerate(rounds, 1):
        for name, bye in each.away.items():
            turns[name].append(PlayerRound(bye))
        for name in each.byes:
            turns[name].append(PlayerRound(Result.BYE))
        for table in each.tables:
            for name, turn in _turns(table, number, plan).items():
                turns[name].append(turn)
        for own in turns.values() if has_rounds else ():
            own += [ABSENT] * (over - len(own))
    return History(
        players=tuple(Player(number[name], tuple(turns[name]), name) for name in names),
        rounds=plan.rounds,
        points=plan.scoring.points,
        away={number[name]: bye for name, bye in (away or {}).items()},
    )


def _turns(table: TableResult, number: Mapping[str, int], plan: Swiss) -> dict[str, PlayerRound]:
    """Return the turns of both players. Raises ValueError if the points are no match result."""
    results = _PLAYED if table.is_played else _NOT_PLAYED
    found = [results[ratio] for ratio in map(_ratio, table.points) if ratio in results]
    if not len(table.names) == len(table.points) == len(found) == 2:
        raise ValueError(f"{' v '.join(table.names)}: no result of a match")
    rows = zip(
        table.names,
        reversed(table.names),
        found,
        Colour,
        table.blocks or (0, 0),
        plan.scoring.bonuses(table),
        table.margins or (0, 0),
        strict=True,
    )
    return {
        name: PlayerRound(
            result,
            number[other],
            colour if plan.colours else None,
            own,
            round(bonus * _TENTHS),
            margin,
        )
        for name, other, result, colour, own, bonus, margin in rows
    }


_TENTHS = 10


def swiss(discipline: Discipline) -> Swiss:
    """Return the rules of pairing for a discipline."""
    return Swiss(rounds=discipline.schedule.rounds or 0, scoring=scoring_of(discipline))


def order(now: Now) -> list[Standing]:
    """Return the table, best player first."""
    rounds = [each.round for each in now.before]
    return table_of(now.players, rounds, scoring_of(now.discipline), now.luck)


def table_of(
    names: Sequence[str],
    rounds: Sequence[FinishedRound],
    scoring: Scoring,
    luck: Luck,
    *,
    has_rounds: bool = True,
    parts: Sequence[Sequence[str]] = (),
) -> list[Standing]:
    """Return the table of these rounds by points, best first.

    ``has_rounds``: see ``history``. ``parts``: see ``standings``.
    """
    if scoring.seats == 2:
        plan = Swiss(rounds=len(rounds), scoring=scoring)
        turns = two_seat_turns(history(names, rounds, plan, has_rounds=has_rounds))
    else:
        turns = table_turns(sorted(names), rounds, scoring, has_rounds=has_rounds)
    return standings(turns, scoring, luck, parts)


def planned(now: Now) -> int:
    """Return the planned number of rounds."""
    plan = now.discipline.schedule
    return rounds_of(plan).planned_rounds(plan, len(now.began))


class SwissKind(GrowingKind, Rounds):
    """Kind ``swiss``: each round pairs entrants with about equal points so far."""

    name = "swiss"
    keys = frozenset({"rounds"})
    required = (("rounds", "N"),)
    is_open = True
    stage_seats = ANY_TABLE

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if there are too few entrants for all rounds."""
        possible = self.possible_rounds(plan, len(names), seats)
        if possible is not None and possible != plan.rounds:
            found = f"found {plan.rounds}, and {numbers.count(len(names), 'bot')} can meet in"
            yield f"rounds: {found} {numbers.count(possible, 'round')} at most; it ends after them"

    def planned_rounds(self, plan: Schedule, players: int) -> int:
        """Return the number of rounds that the schedule sets."""
        return plan.rounds or 0

    def possible_rounds(self, plan: Schedule, players: int, seats: int) -> int | None:
        """Return the most rounds that can be paired.

        At two seats no two players meet twice, and none has two byes.
        """
        if plan.rounds is None or seats != 2:
            return plan.rounds
        return min(plan.rounds, circle_rounds(players))

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules of pairing."""
        return rules_of(discipline.rules.seats)

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round, or None after the last one or without a legal pairing.

        Raises BadInput if there are too many players for the rules of pairing.
        """
        plan = swiss(now.discipline)
        if len(now.before) >= plan.rounds or len(now.there) < plan.scoring.seats:
            return None
        away: Mapping[str, Result] = {
            name: Result.ZERO_BYE for name in now.players if name not in now.there
        }
        try:
            found = next_round(
                now.players, [each.round for each in now.before], plan, now.luck, away
            )
        except NoPairing:
            return None
        except TooManyWishes as error:
            number, players = now.earlier + len(now.before) + 1, len(now.there)
            last = now.earlier + plan.rounds
            raise BadInput(
                f"round {number} of {last}: found {players} players whose pairing by the Dutch "
                f"system has {error}, expected fewer players or rounds; what was played stands"
            ) from None
        return RoundPairing(found.tables, found.byes)

    def places(self, now: Now) -> list[str]:
        """Return all players, best first."""
        return [each.name for each in order(now)]
