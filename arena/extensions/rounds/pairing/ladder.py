"""One round of a ladder: who sits together next, from what is known of each bot so far.

A round has as many full tables as the number of bots allows, so on average every bot has one. The
bots left over sit out: those that have had most tables, but none for more than ``LONGEST`` rounds
in a row. Newcomers have additional tables of their own, see ``EXTRA``.

- Anchors choose opponents first and meet any bot. Newcomers choose next, then the bots that need a
  game most: the width of the rating interval times the rounds waited.
- Opponents are drawn from the next in rank, as many above as below; at some tables from all bots.
- Two bots of one author never meet. If possible, no bot meets a recent opponent again, and a table
  has at most one newcomer.

The seed decides what is drawn. Ratings are whole Elo, so that every machine draws the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple, TypeAlias

from arena.games.luck import Luck

RULES: Final = "ladder-1"
"""Name of all these rules and numbers; other rules have another name."""
OWNER_JOINT: Final = "."
NEAR: Final = 4
"""Number of ranks above, and of ranks below, from which opponents are drawn."""
UNIFORM: Final = 15
"""Percentage of tables at which opponents are drawn from all bots."""
RECENT: Final = 5
"""Number of rounds in which two bots should not meet again."""
PLACED: Final = 50
"""Number of blocks after which a bot is no newcomer any more."""
EXTRA: Final = 25
"""Additional tables for newcomers, in per cent of a round's tables, rounded up."""
EXTRA_EACH: Final = 3
"""Largest number of additional tables in a round for one newcomer."""
AHEAD: Final = 1
"""Lead in tables over another bot from which a bot is no opponent at an additional table."""
LONGEST: Final = 2
"""Largest number of consecutive rounds that a bot sits out."""
COSTLY: Final = 5
"""Factor of average CPU time per table above which a bot sits out."""
CHEAP_US: Final = 60_000_000
"""CPU time in a round up to which a bot never sits out for it, in microseconds."""

Table: TypeAlias = tuple[str, ...]


class PairableBot(NamedTuple):
    """A bot that can be paired."""

    name: str
    elo: int
    error: int
    """Half the width of its rating interval, in Elo."""
    blocks: int = 0
    """Number of blocks that it has played."""
    rounds: int = 0
    """Number of rounds in which it was in the field."""
    waited: int = 0
    """Number of these rounds since its last table that was played."""
    lead: int = 0
    """Tables beyond one for each round, without additional tables as a newcomer."""
    is_anchor: bool = False

    @property
    def need(self) -> int:
        """Sort key by which bots that most need a game come first."""
        return self.error * (self.waited + 1)


class LadderDraw(NamedTuple):
    """The tables of a round, and the bots that sit out."""

    tables: tuple[Table, ...]
    """Tables; the additional ones for newcomers come last."""
    out: tuple[str, ...]
    """Bots without a table."""


def owner_of(name: str) -> str:
    """Return the author of a bot: ``anna`` for ``anna.greedy``; otherwise the bot's own name.

    A letter has to follow the first point, so ``stockfish-16.1`` is a bot and no author's ``1``.
    """
    owner, joint, rest = name.partition(OWNER_JOINT)
    return owner if joint and rest[:1].isalpha() else name


class Age(NamedTuple):
    """Experience of a bot, which decides whether it is a newcomer."""

    rounds: int
    blocks: int


def newcomers(ages: Mapping[str, Age]) -> frozenset[str]:
    """Return the bots that entered later than most and have played few blocks.

    ``ages``: ages of all bots that are present.
    """
    if not ages:
        return frozenset()
    usual = median(age.rounds for age in ages.values())
    return frozenset(
        name for name, age in ages.items() if age.blocks < PLACED and 2 * age.rounds < usual
    )


def too_costly(cpu: Mapping[str, int], tables: Mapping[str, int]) -> frozenset[str]:
    """Return bots that used too much CPU in the last round and sit out the next one.

    ``cpu``: microseconds by name. ``tables``: number of tables by name. A bot that sat out is in
    neither, so none sits out twice in a row.
    """
    seats = sum(tables.values())
    total = sum(cpu.get(name, 0) for name in tables)
    return frozenset(
        name
        for name, own in tables.items()
        if cpu.get(name, 0) > CHEAP_US and cpu[name] * seats > COSTLY * total * own
    )


def draw(
    bots: Iterable[PairableBot],
    met: Mapping[str, Collection[str]],
    seats: int,
    luck: Luck,
    number: int,
) -> LadderDraw:
    """Return the tables of round ``number``.

    ``met``: the opponents of each bot in the last ``RECENT`` rounds. With too few bots, or bots of
    one author alone, there are no tables.
    """
    return _TableDraw(bots, met, seats, luck, number).drawn()


class _TableDraw:
    def __init__(
        self,
        bots: Iterable[PairableBot],
        met: Mapping[str, Collection[str]],
        seats: int,
        luck: Luck,
        number: int,
    ) -> None:
        known = {bot.name: bot for bot in bots}
        lots = luck.shuffle("order", number, sorted(known))
        self._lots = {name: lot for lot, name in enumerate(lots)}
        self._ranked = sorted(known.values(), key=lambda bot: (-bot.elo, self._lots[bot.name]))
        self._rank = {bot.name: rank for rank, bot in enumerate(self._ranked)}
        self._new = newcomers({bot.name: Age(bot.rounds, bot.blocks) for bot in self._ranked})
        self._owner = {name: owner_of(name) for name in known}
        self._met = {name: set(met.get(name, ())) for name in known}
        self._seats = seats
        self._luck = luck
        self._number = number
        self._draws = 0

    def drawn(self) -> LadderDraw:
        full = len(self._ranked) // self._seats
        if not full:
            return LadderDraw((), tuple(sorted(self._rank)))
        out = set(self._left_over(len(self._ranked) - full * self._seats))
        free = [bot for bot in self._ranked if bot.name not in out]
        tables: list[list[PairableBot]] = []
        for bot in sorted(free, key=self._turn):
            if bot in free:
                free.remove(bot)
                tables.append(self._table(bot, free))
        self._mend(tables)
        held = [tuple(bot.name for bot in table) for table in tables if self._holds(table)]
        held = held or self._only_table()
        for table in held:
            self._meet(table)
        held += self._extra(held)
        playing = {name for table in held for name in table}
        return LadderDraw(tuple(held), tuple(sorted(self._rank.keys() - playing)))

    def _only_table(self) -> list[tuple[str, ...]]:
        """Return one table chosen from all bots, or no table.

        Called if no table holds because too few authors remained for the last ones.
        """
        for bot in sorted(self._ranked, key=self._turn):
            table = self._table(bot, [other for other in self._ranked if other is not bot])
            if self._holds(table):
                return [tuple(each.name for each in table)]
        return []

    def _left_over(self, number: int) -> list[str]:
        """Return the bots that sit out."""

        def key(bot: PairableBot) -> tuple[int, bool, int, int]:
            is_due = bot.waited >= LONGEST
            return is_due, bot.name in self._new, -bot.lead, self._lots[bot.name]

        return [bot.name for bot in sorted(self._ranked, key=key)[:number]]

    def _turn(self, bot: PairableBot) -> tuple[bool, bool, int, int]:
        """Return the sort key for the order in which bots choose opponents."""
        return not bot.is_anchor, bot.name not in self._new, -bot.need, self._lots[bot.name]

    def _table(self, bot: PairableBot, free: list[PairableBot]) -> list[PairableBot]:
        """Return a table of ``bot`` with opponents, which are removed from ``free``.

        It has empty seats if there are too few other authors.
        """
        table = [bot]
        is_uniform = bot.is_anchor or self._below(100) < UNIFORM
        while len(table) < self._seats:
            fits = [each for each in free if self._is_stranger(each, table)]
            if not fits:
                break
            other = self._chosen(bot, table, fits, is_uniform)
            free.remove(other)
            table.append(other)
        return table

    def _chosen(
        self, bot: PairableBot, table: list[PairableBot], fits: list[PairableBot], is_uniform: bool
    ) -> PairableBot:
        """Draw one of the bots that spoil least.

        It is drawn from the neighbours of ``bot`` in rank, or with ``is_uniform`` from all bots.
        """
        costs = [self._spoilt(each, table) for each in fits]
        least = min(costs)
        best = [each for each, cost in zip(fits, costs, strict=True) if cost == least]
        if not is_uniform:
            own = self._rank[bot.name]
            above = [each for each in best if self._rank[each.name] < own]
            below = [each for each in best if self._rank[each.name] > own]
            best = above[-NEAR:] + below[:NEAR]
        return best[self._below(len(best))]

    def _below(self, bound: int) -> int:
        self._draws += 1
        return self._luck.below(f"table{self._number}", self._draws, bound)

    def _is_stranger(self, bot: PairableBot, table: Collection[PairableBot]) -> bool:
        """Return whether the author of ``bot`` differs from all authors at ``table``."""
        own = self._owner[bot.name]
        return all(self._owner[each.name] != own for each in table)

    def _spoilt(self, bot: PairableBot, table: Collection[PairableBot]) -> tuple[bool, int]:
        """Return the faults that seating ``bot`` at ``table`` would cause, the worst first."""
        is_second = bot.name in self._new and any(each.name in self._new for each in table)
        return is_second, sum(each.name in self._met[bot.name] for each in table)

    def _faults(self, table: Sequence[PairableBot]) -> tuple[int, int, int]:
        """Return the numbers of faults of ``table``, those of the worst kind first.

        A missing seat or a second bot of an author must not be; a second newcomer or a repeated
        meeting should not be.
        """
        authors = len(table) - len({self._owner[bot.name] for bot in table})
        new = sum(bot.name in self._new for bot in table)
        again = sum(b.name in self._met[a.name] for a, b in combinations(table, 2))
        return authors + self._seats - len(table), max(0, new - 1), again

    def _holds(self, table: Sequence[PairableBot]) -> bool:
        return self._faults(table)[0] == 0

    def _mend(self, tables: list[list[PairableBot]]) -> None:
        """Swap seats of two bots while a swap reduces the faults of both tables.

        This is needed because the last bots to choose opponents have no choice. Bots without a full
        table are seated together first.
        """
        short = [table for table in tables if len(table) < self._seats]
        if short:
            tables[:] = [table for table in tables if len(table) == self._seats]
            rest = [bot for table in short for bot in table]
            size = self._seats
            tables.extend(rest[k : k + size] for k in range(0, len(rest), size))
        for table in tables:
            while any(self._faults(table)) and self._mended(table, tables):
                pass

    def _mended(self, table: list[PairableBot], tables: list[list[PairableBot]]) -> bool:
        """Swap two bots so that the fewest faults are left; return False if no swap helps.

        Among equal swaps, choose the one of bots with the nearest ranks.
        """
        own = self._faults(table)
        best: tuple[tuple[int, ...], list[PairableBot], int, int] | None = None
        for other in tables:
            if other is table:
                continue
            theirs = self._faults(other)
            before = tuple(a + b for a, b in zip(own, theirs, strict=True))
            for i, one in enumerate(table):
                for j, two in enumerate(other):
                    table[i], other[j] = two, one
                    found = zip(self._faults(table), self._faults(other), strict=True)
                    table[i], other[j] = one, two
                    after = tuple(a + b for a, b in found)
                    far = abs(self._rank[one.name] - self._rank[two.name])
                    if after < before and (best is None or (*after, far) < best[0]):
                        best = (*after, far), other, i, j
        if best is None:
            return False
        _, other, i, j = best
        table[i], other[j] = other[j], table[i]
        return True

    def _meet(self, table: Table) -> None:
        for one, other in combinations(table, 2):
            self._met[one].add(other)
            self._met[other].add(one)

    def _extra(self, held: Sequence[Table]) -> list[Table]:
        """Return the additional tables of newcomers."""
        wanted = -(-len(held) * EXTRA // 100)
        seeds = sorted((bot for bot in self._ranked if bot.name in self._new), key=self._turn)
        others = [bot for bot in self._ranked if bot.name not in self._new]
        if not others:
            return []
        last = min(bot.lead for bot in others) + AHEAD
        free = [bot for bot in others if bot.lead < last]
        found: list[Table] = []
        for bot in seeds * EXTRA_EACH:
            if len(found) == wanted:
                break
            table = self._table(bot, free)
            names = tuple(each.name for each in table)
            if not self._holds(table) or {*names} in [{*each} for each in (*held, *found)]:
                continue
            self._meet(names)
            found.append(names)
        return found
