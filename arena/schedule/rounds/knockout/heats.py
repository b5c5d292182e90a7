"""Knockouts of three and four seats: rounds of tables, and the best of each table advance.

Each round is seeded again, with those first who placed better at their tables. The best seeds have
byes. Entrants who met in the round before are separated where the rest of a table can be filled
otherwise.

More entrants than usual advance where the next table could not be filled. These are the best seeds
of the next places. If too few remain for a table, they are ordered by their seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from arena.schedule.rounds.knockout.plan import (
    DecidedBy,
    Event,
    Knockout,
    KnockoutState,
    Seeding,
    Tie,
    TieDecision,
    decided,
)
from arena.schedule.rounds.matching import Wish, best, weights

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
