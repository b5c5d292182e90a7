"""One round of a ladder: who sits together next, from what is known of each so far.

A round has as many full tables as there are bots for, so on average everybody has one. Who is left
over sits out: who has had most tables, but nobody more than ``LONGEST`` rounds running. On top of
that newcomers have tables of their own, see ``EXTRA``.

- The first to choose opponents are anchors, who meet anybody; then newcomers; then whoever needs
  a game most: the width of its interval times the rounds it has waited.
- Opponents are drawn from those next in rank, as many above as below; at some tables from all.
- Two bots of one author never meet. If it can be had, nobody meets again whom it met of late, and
  there is one newcomer at a table at most.

The seed decides what is drawn; ratings come in whole Elo, so that everybody draws the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple, TypeAlias

from arena.games.luck import Luck

RULES: Final = "ladder-1"
"""The name of all these rules and numbers: other ones have another name."""
OWNER_JOINT: Final = "."
NEAR: Final = 4
"""Opponents are drawn from so many above in rank, and as many below."""
UNIFORM: Final = 15
"""Per cent of tables at which they are drawn from all."""
RECENT: Final = 5
"""Rounds in which nobody shall meet the same one again."""
PLACED: Final = 50
"""Blocks after which nobody is a newcomer any more."""
EXTRA: Final = 25
"""Per cent of a round's tables, rounded up, that there are more because of newcomers."""
EXTRA_EACH: Final = 3
"""Of these in a round, at most so many for one newcomer."""
AHEAD: Final = 1
"""Who has had so many tables more than some other is no opponent at such a table."""
LONGEST: Final = 2
"""Nobody sits out more rounds running."""
COSTLY: Final = 5
"""A bot that takes so many times as much of the processor at a table as others do sits out."""
CHEAP_US: Final = 60_000_000
"""But none that took no more than that in the round, in microseconds."""

Table: TypeAlias = tuple[str, ...]


class Bot(NamedTuple):
    """Who can be paired."""

    name: str
    elo: int
    error: int
    """Half the width of its interval, Elo."""
    blocks: int = 0
    """That it has played."""
    rounds: int = 0
    """In which it was there."""
    waited: int = 0
    """Rounds since it last had a table that was played, while it was there."""
    lead: int = 0
    """Tables it has had beyond one for each round, without those of its own as a newcomer."""
    is_anchor: bool = False

    @property
    def need(self) -> int:
        """How much it needs a game."""
        return self.error * (self.waited + 1)


class Draw(NamedTuple):
    """A round."""

    tables: tuple[Table, ...]
    """Those on top of the others, for newcomers, come last."""
    out: tuple[str, ...]
    """Who has none."""


def owner_of(name: str) -> str:
    """The author of a bot: of ``anna.greedy`` it is ``anna``; else each bot has its own.

    A letter has to follow the first point, so ``stockfish-16.1`` is a bot and no author's ``1``.
    """
    owner, joint, rest = name.partition(OWNER_JOINT)
    return owner if joint and rest[:1].isalpha() else name


class Age(NamedTuple):
    """How long somebody has been there."""

    rounds: int
    blocks: int


def newcomers(ages: Mapping[str, Age]) -> frozenset[str]:
    """Who came later than most, and has few blocks yet. ``ages``: of all who are there."""
    if not ages:
        return frozenset()
    usual = median(age.rounds for age in ages.values())
    return frozenset(
        name for name, age in ages.items() if age.blocks < PLACED and 2 * age.rounds < usual
    )


def too_costly(cpu: Mapping[str, int], tables: Mapping[str, int]) -> frozenset[str]:
    """Who took too much of the processor in the last round and sits out the next one.

    By name the microseconds, and how many tables there were. Who sat out is not there, so nobody
    sits out twice running.
    """
    seats = sum(tables.values())
    total = sum(cpu.get(name, 0) for name in tables)
    return frozenset(
        name
        for name, own in tables.items()
        if cpu.get(name, 0) > CHEAP_US and cpu[name] * seats > COSTLY * total * own
    )


def draw(
    bots: Iterable[Bot], met: Mapping[str, Collection[str]], seats: int, luck: Luck, number: int
) -> Draw:
    """The round of that number.

    ``met``: whom each has met in the last ``RECENT`` rounds. Without bots enough, or with those of
    one author alone, there are no tables.
    """
    return _Drawing(bots, met, seats, luck, number).drawn()


class _Drawing:
    def __init__(
        self,
        bots: Iterable[Bot],
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

    def drawn(self) -> Draw:
        full = len(self._ranked) // self._seats
        if not full:
            return Draw((), tuple(sorted(self._rank)))
        out = set(self._left_over(len(self._ranked) - full * self._seats))
        free = [bot for bot in self._ranked if bot.name not in out]
        tables: list[list[Bot]] = []
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
        return Draw(tuple(held), tuple(sorted(self._rank.keys() - playing)))

    def _only_table(self) -> list[tuple[str, ...]]:
        """Where too few authors are left without who sits out: one of all, if there is any."""
        for bot in sorted(self._ranked, key=self._turn):
            table = self._table(bot, [other for other in self._ranked if other is not bot])
            if self._holds(table):
                return [tuple(each.name for each in table)]
        return []

    def _left_over(self, number: int) -> list[str]:
        """Who sits out."""

        def key(bot: Bot) -> tuple[int, bool, int, int]:
            is_due = bot.waited >= LONGEST
            return is_due, bot.name in self._new, -bot.lead, self._lots[bot.name]

        return [bot.name for bot in sorted(self._ranked, key=key)[:number]]

    def _turn(self, bot: Bot) -> tuple[bool, bool, int, int]:
        """The first chooses first."""
        return not bot.is_anchor, bot.name not in self._new, -bot.need, self._lots[bot.name]

    def _table(self, bot: Bot, free: list[Bot]) -> list[Bot]:
        """With opponents, who are free no more; too few if there are none of other authors."""
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

    def _chosen(self, bot: Bot, table: list[Bot], fits: list[Bot], is_uniform: bool) -> Bot:
        """One of those who spoil least, from near the first at the table or from everywhere."""
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

    def _is_stranger(self, bot: Bot, table: Collection[Bot]) -> bool:
        """Whether it is of another author than all at the table."""
        own = self._owner[bot.name]
        return all(self._owner[each.name] != own for each in table)

    def _spoilt(self, bot: Bot, table: Collection[Bot]) -> tuple[bool, int]:
        """What is not as it should be if it sits down there, the worst first."""
        is_second = bot.name in self._new and any(each.name in self._new for each in table)
        return is_second, sum(each.name in self._met[bot.name] for each in table)

    def _faults(self, table: Sequence[Bot]) -> tuple[int, int, int]:
        """Of a table: what may not be, and what should not."""
        authors = len(table) - len({self._owner[bot.name] for bot in table})
        new = sum(bot.name in self._new for bot in table)
        again = sum(b.name in self._met[a.name] for a, b in combinations(table, 2))
        return authors + self._seats - len(table), max(0, new - 1), again

    def _holds(self, table: Sequence[Bot]) -> bool:
        return self._faults(table)[0] == 0

    def _mend(self, tables: list[list[Bot]]) -> None:
        """Let two swap seats wherever that makes the faults of both tables fewer.

        The last to choose have no choice; those without a full table are put together first.
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

    def _mended(self, table: list[Bot], tables: list[list[Bot]]) -> bool:
        """Make the swap that leaves the fewest faults, of equal ones that of nearest ranks."""
        own = self._faults(table)
        best: tuple[tuple[int, ...], list[Bot], int, int] | None = None
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
        """The tables of newcomers on top of the others."""
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
