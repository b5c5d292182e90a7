"""The rules and the state of a knockout, and the rounds of those of three and four seats.

At three and four seats there are rounds of tables, and the best of each table advance. Each round
is seeded again, with those first who placed better at their tables. The best seeds have byes.
Entrants who met in the round before are separated where the rest of a table can be filled
otherwise.

More entrants than usual advance where the next table could not be filled. These are the best seeds
of the next places. If too few remain for a table, they are ordered by their seeds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

import msgspec

from arena.extensions.rounds.pairing.criteria import Wish, best, weights
from arena.games.luck import Luck
from arena.schedule.keys import Seeding

_NUMBER: Final = re.compile(r"[ .][0-9]+$")


class Knockout(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one knockout."""

    seats: int = 2
    lives: int = 1
    """Losses until an entrant is out; with 2, at two seats only, there is a losers' bracket."""
    advance: int = 1
    """Number of entrants of a table that advance; 1 at two seats."""
    seeding: Seeding = Seeding.STANDARD
    seeded: int | None = None
    """Number of entrants that keep their places; the others are drawn. None: all, 0: a draw."""
    third_place: bool = False
    """True if the losers of the last round but one meet; only with one life."""
    second_final: bool = True
    """True if, with two lives, the finalist without a loss has to lose the final twice."""

    def __post_init__(self) -> None:
        """Check that the numbers fit together. Raises ValueError."""
        if not self.seats >= 2 or not 1 <= self.advance < self.seats:
            raise ValueError(f"{self.advance} of {self.seats} cannot go on")
        if self.lives not in (1, 2) or (self.lives == 2 and (self.seats != 2 or self.third_place)):
            raise ValueError("two lives are for two seats, and have no match for the third place")


class DecidedBy(StrEnum):
    """The reason why a tie is decided."""

    PLAY = "play"
    SEED = "seed"
    """Tie-break by seed: all numbers were equal, and the better seed advances."""
    WALKOVER = "walkover"
    """Decision without play: the others had withdrawn, or the tie had no entrant."""


class Tie(msgspec.Struct, frozen=True):
    """Entrants who meet in a knockout until it is decided who advances."""

    id: str
    """Id such as ``2.1``, ``losers 3.2`` or ``final``; unique in a knockout."""
    entrants: tuple[str, ...]
    """Entrants, better seeds first; two or more if the tie is to be played."""
    order: tuple[str, ...] = ()
    """Entrants, best first; empty if the tie is not decided or had no entrant."""
    by: DecidedBy | None = None
    """Reason for the decision; None if the tie is not decided."""


class TieDecision(msgspec.Struct, frozen=True, tag="decision"):
    """Result of a tie that was played: the numbers of each entrant."""

    tie: str
    numbers: dict[str, tuple[Fraction, ...]]
    """Numbers of each entrant, more is better; earlier ones count first: score, then tie-breaks."""


class KnockoutWithdrawal(msgspec.Struct, frozen=True, tag="withdrawal"):
    """The withdrawal of an entrant; decisions made with it stand."""

    name: str


Event: TypeAlias = TieDecision | KnockoutWithdrawal


class KnockoutState(msgspec.Struct, frozen=True):
    """A knockout after some events: its rounds, and the places so far."""

    rounds: tuple[tuple[Tie, ...], ...]
    """All ties whose entrants are known, including those that nobody had to play."""
    places: dict[str, int]
    """Places of entrants that are out, once all of their round is decided; some share a place."""
    is_over: bool = False
    """True if nothing is left to play."""
    winner: str | None = None
    """Winner; None before the end, and if every entrant had withdrawn."""

    @property
    def open(self) -> tuple[Tie, ...]:
        """Ties that can be played now."""
        return tuple(tie for each in self.rounds for tie in each if tie.by is None)


def seeds(names: Sequence[str], plan: Knockout, luck: Luck) -> tuple[str, ...]:
    """Return the entrants, best seed first, with the drawn places."""
    kept = len(names) if plan.seeded is None else plan.seeded
    return (*names[:kept], *luck.shuffle("knockout", 0, names[kept:]))


def decided(tie: Tie, numbers: Mapping[str, Sequence[Fraction]]) -> Tie:
    """Return ``tie`` decided by ``numbers``. Raises ValueError if these are of other entrants."""
    if set(numbers) != set(tie.entrants):
        raise ValueError(f"the tie {tie.id} is not one of {', '.join(sorted(numbers))}")
    order = tuple(sorted(tie.entrants, key=lambda name: [-each for each in numbers[name]]))
    values = [tuple(numbers[name]) for name in order]
    by = DecidedBy.PLAY if len(set(values)) == len(values) else DecidedBy.SEED
    return Tie(tie.id, tie.entrants, order, by)


def round_of(tie: str) -> str:
    """Return the name of a tie's round: ``semi-final`` for ``semi-final 2``."""
    return _NUMBER.sub("", tie)


FINAL: Final = "final"


def deal(seeds: Sequence[str], plan: Knockout, met: frozenset[frozenset[str]]) -> list[list[str]]:
    """Return the tables of one round, best seeds first in each; unseated names have byes.

    Seeds are dealt in rows, one to each table: back and forth, or always forth for equal distance.
    ``met``: pairs that are separated in a row if its players can be dealt otherwise.
    """
    if len(seeds) <= plan.seats:
        return [list(seeds)]
    count, byes = divmod(len(seeds), plan.seats)
    tables: list[list[str]] = [[] for _ in range(count)]
    waiting = list(seeds[byes:])
    for row in range(plan.seats):
        places = list(range(count))
        if row % 2 and plan.seeding is Seeding.STANDARD:
            places.reverse()
        names, waiting = waiting[:count], waiting[count:]
        for name, place in _apart(names, places, tables, met):
            tables[place].append(name)
    return tables


def _apart(
    names: Sequence[str],
    places: Sequence[int],
    tables: Sequence[Sequence[str]],
    met: frozenset[frozenset[str]],
) -> list[tuple[str, int]]:
    """Assign each name to a table near its place, with fewest repeated meetings."""
    count = len(names)

    def is_new(row: int, column: int) -> int:
        others = tables[places[column - count]]
        return all(frozenset((names[row], other)) not in met for other in others)

    def near(row: int, column: int) -> int:
        return count - abs(row - (column - count))

    def exact(row: int, column: int) -> int:
        return (row == column - count) * (count - row)

    edges = [(row, count + column) for row in range(count) for column in range(count)]
    wishes = [
        Wish(is_new, count),
        Wish(near, count * count),
        Wish(exact, count * count),
    ]
    partner = best(weights(edges, wishes))
    return [(name, places[partner[row] - count]) for row, name in enumerate(names)]


class Heats:
    """A knockout of tables of three or four: its rounds so far, updated by each event."""

    def __init__(self, seeds: Sequence[str], plan: Knockout) -> None:
        self._plan = plan
        self._names = frozenset(seeds)
        self._rounds: list[list[Tie]] = []
        self._withdrawn: set[str] = set()
        self._places: dict[str, int] = {}
        self._met: set[frozenset[str]] = set()
        self._byes: list[str] = []
        self._field: list[str] = []
        """Entrants of the round, best seeds first."""
        self._gone: dict[str, list[str]] = {}
        """Entrants that withdrew from a tie while it was open, by tie."""
        self._form(list(seeds))
        self._go_on()

    def apply(self, event: Event) -> None:
        """Apply one event. Raises ValueError if the tie is not open."""
        ties = self._rounds[-1]
        if isinstance(event, TieDecision):
            found = {tie.id: place for place, tie in enumerate(ties) if tie.by is None}
            if event.tie not in found:
                raise ValueError(f"the tie {event.tie} is not open")
            place = found[event.tie]
            ties[place] = self._with_gone(decided(ties[place], event.numbers))
            self._go_on()
        else:
            self.leave([event.name])

    def retire(self, names: Sequence[str]) -> None:
        """Give ``names`` no seat at a new table. Raises ValueError if a name is unknown."""
        for name in names:
            if name not in self._names:
                raise ValueError(f"{name} is not in this knockout")
        self._withdrawn.update(names)

    def leave(self, names: Sequence[str]) -> None:
        """Withdraw all ``names``. Raises ValueError if a name is unknown."""
        self.retire(names)
        ties = self._rounds[-1]
        for name in names:
            for place, tie in enumerate(ties):
                if tie.by is None and name in tie.entrants:
                    self._gone.setdefault(tie.id, []).insert(0, name)
                    left = tuple(each for each in tie.entrants if each != name)
                    ties[place] = Tie(tie.id, left)
        ties[:] = [self._settled(tie) if tie.by is None else tie for tie in ties]
        self._go_on()

    @property
    def state(self) -> KnockoutState:
        """State of the knockout after all events so far."""
        final = self._rounds[-1][0]
        is_over = final.id == FINAL and final.by is not None
        winner = final.order[0] if is_over and final.order else None
        shown = tuple(tuple(ties) for ties in self._rounds)
        return KnockoutState(shown, dict(self._places), is_over, winner)

    def _form(self, field: list[str]) -> None:
        """Begin a round with the entrants ``field``: seat them at tables."""
        self._field = field
        number = len(self._rounds) + 1
        dealt = deal(field, self._plan, frozenset(self._met))
        seated = {name for table in dealt for name in table}
        self._byes = [name for name in field if name not in seated]
        is_final = len(field) <= self._plan.seats
        names = [FINAL] if is_final else [f"{number}.{n}" for n in range(1, len(dealt) + 1)]
        ties = [Tie(name, tuple(each)) for name, each in zip(names, dealt, strict=True)]
        if 1 < len(field) < self._plan.seats:
            ties = [Tie(FINAL, tuple(field), tuple(field), DecidedBy.SEED)]
        self._rounds.append([self._settled(tie) if tie.by is None else tie for tie in ties])
        self._met = {frozenset(pair) for each in dealt for pair in combinations(each, 2)}

    def _settled(self, tie: Tie) -> Tie:
        """Return ``tie``, which is decided if all entrants left at the table advance."""
        most = 1 if tie.id == FINAL else self._plan.advance
        if len(tie.entrants) > most:
            return tie
        return self._with_gone(Tie(tie.id, tie.entrants, tie.entrants, DecidedBy.WALKOVER))

    def _with_gone(self, tie: Tie) -> Tie:
        """Return ``tie`` with those entrants that withdrew from it in the last places."""
        gone = tuple(self._gone.get(tie.id, ()))
        if not tie.order and not gone:
            return tie
        order = (*tie.order, *gone) if tie.order else ()
        return Tie(tie.id, (*tie.entrants, *gone), order, tie.by)

    def _go_on(self) -> None:
        """Begin the next round if this one is decided; a new round may be decided at once."""
        while all(tie.by is not None for tie in self._rounds[-1]):
            if self._rounds[-1][0].id == FINAL:
                final = self._rounds[-1][0]
                self._places |= {name: place for place, name in enumerate(final.order, 1)}
                if not final.order:
                    self._places |= dict.fromkeys(final.entrants, 1)
                return
            self._form(self._field_after())

    def _field_after(self) -> list[str]:
        """Return the entrants that advance, best seeds of the next round first.

        The order is: byes, then the first of all tables by seed, then the second, and so on.
        """
        seed = {name: place for place, name in enumerate(self._field)}
        rank = dict.fromkeys(self._byes, 0)
        out: dict[str, int] = {}
        next_best: list[tuple[int, int, str]] = []
        for tie in self._rounds[-1]:
            gone = set(self._gone.get(tie.id, ()))
            for place, name in enumerate(tie.order or tie.entrants, 1):
                is_on = bool(tie.order) and place <= self._plan.advance and name not in gone
                (rank if is_on else out)[name] = place
                if tie.order and not is_on and name not in gone | self._withdrawn:
                    next_best.append((place, seed[name], name))
        lacking = self._plan.seats - sum(name not in self._withdrawn for name in rank)
        for place, _, name in sorted(next_best)[: max(0, lacking)]:
            rank[name] = place
            del out[name]
        place = len(rank) + 1
        for at in sorted(set(out.values())):
            names = [name for name, found in out.items() if found == at]
            self._places |= dict.fromkeys(names, place)
            place += len(names)
        there = [name for name in rank if name not in self._withdrawn]
        self._places |= {name: len(there) + 1 for name in rank if name in self._withdrawn}
        return sorted(there, key=lambda name: (rank[name], seed[name]))
