"""The kind ``ladder``: bots of about equal strength meet, and newcomers are placed.

Every version of a bot is an entrant with its own rating. Old versions play no more, but their games
still show how strong their opponents are. A table counts if all its games were played and none of
its entrants was withdrawn in that round.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from arena.extensions.rounds.kinds.rounds import Rounds
from arena.extensions.rounds.pairing.ladder import (
    RECENT,
    RULES,
    Age,
    PairableBot,
    draw,
    newcomers,
    owner_of,
    too_costly,
)
from arena.extensions.rounds.pairing.state import Now, Paired, RoundPairing
from arena.schedule.keys import Discipline, Schedule
from arena.schedule.kinds.kind import GrowingKind
from arena.schedule.pairings import Pairing
from arena.values.results import player_of

if TYPE_CHECKING:
    from arena.extensions.rounds.pairing.strengths import RoundedStrength

_HALVES: Final = 2
"""Number of points counted for a won game; a drawn one counts 1."""


def _costly(now: Now) -> frozenset[str]:
    """Return the bots that sit out because of their processor time in the last round."""
    if not now.before:
        return frozenset()
    last = now.before[-1]
    tables = Counter(name for pairing in last.pairings for name in pairing)
    return too_costly(now.played.cpu(last.label), tables)


class LadderRounds:
    """Counter of finished rounds, each counted once, which draws the next round."""

    def __init__(self) -> None:
        self.counted = 0
        """Number of rounds counted."""
        from arena.extensions.rounds.pairing.strengths import Sums  # no worker needs numpy

        self._sums = Sums()
        self._blocks: Counter[str] = Counter()
        self._rounds: Counter[str] = Counter()
        self._waited: Counter[str] = Counter()
        self._lead: Counter[str] = Counter()
        self._there: frozenset[str] = frozenset()
        """Entrants of the last round."""
        self._recent: deque[tuple[tuple[str, ...], ...]] = deque(maxlen=RECENT)

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round, or None if no more rounds follow."""
        seats, plan = now.discipline.rules.seats, now.discipline.schedule
        self.count(now)
        if plan.rounds is not None and self.counted >= plan.rounds:
            return None
        there = sorted(now.there.values())
        out = _costly(now)
        if len(there) - len(out.intersection(there)) >= seats:
            there = [name for name in there if name not in out]
        bots = [
            PairableBot(
                name,
                strength.elo,
                strength.error,
                self._blocks[name],
                self._rounds[name],
                self._waited[name],
                self._lead[name],
                name == now.anchor,
            )
            for name, strength in zip(there, self.strengths(there), strict=True)
        ]
        found = draw(bots, self._met(there), seats, now.luck, self.counted + 1)
        if not found.tables:
            return RoundPairing((), is_later=True)
        playing = {name for table in found.tables for name in table}
        tables = tuple(tuple(map(player_of, table)) for table in found.tables)
        return RoundPairing(
            tables, tuple(p for p, name in sorted(now.there.items()) if name not in playing)
        )

    def count(self, now: Now) -> None:
        """Count the rounds finished since the last call."""
        for each in now.before[self.counted :]:
            self._count(each, now.discipline.schedule.deals * now.games)
        self.counted = len(now.before)

    def strengths(self, names: Sequence[str]) -> list[RoundedStrength]:
        """Return the strength of each of these entrants."""
        return self._sums.fit(names)

    def _count(self, each: Paired, deals: int) -> None:
        tables = Counter(name for pairing in each.pairings for name in pairing)
        there = {*tables, *each.byes}
        new = newcomers({name: Age(self._rounds[name], self._blocks[name]) for name in there})
        self._rounds.update(there)
        steady = sorted(self._lead[name] for name in self._there & there - new)
        for name in there - self._there | new if steady else ():
            self._lead[name] = steady[len(steady) // 2]  # no surplus and no deficit of tables
        self._there = frozenset(there)
        self._waited.update(there)
        for name in there:
            self._lead[name] += min(tables[name], 1 if name in new else tables[name]) - 1
        for names, table in zip(each.pairings, each.round.tables, strict=True):
            if table.is_played:
                self._sums.add(names, [points / _HALVES for points in table.blocks])
                self._blocks.update(dict.fromkeys(names, deals))
                for name in names:
                    self._waited[name] = 0
        self._recent.append(each.pairings)

    def _met(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Return, for each of ``names``, the opponents of recent rounds."""
        met: dict[str, set[str]] = {name: set() for name in names}
        for pairings in self._recent:
            for pairing in pairings:
                for name in pairing:
                    if name in met:
                        met[name].update(other for other in pairing if other != name)
        return met


class LadderKind(GrowingKind, Rounds):
    """Kind ``ladder``: bots of about equal strength meet, and newcomers are placed.

    It has no end if ``rounds`` is None.
    """

    name = "ladder"
    keys = frozenset({"rounds"})
    run = "ladder"
    view = ""
    is_open = True

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence if all bots belong to one author, so that none can meet."""
        if len(set(map(owner_of, names))) < 2:
            yield (
                f"all {len(names)} bots are of one author: no games until another author enters one"
            )

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules of pairing."""
        return RULES

    def is_twice(self, met: Sequence[Pairing], byes: Sequence[str]) -> bool:
        """Return whether an entrant rests and plays, or a table or bye is there twice.

        An entrant may have several tables in a round.
        """
        tables = [*met, *((name,) for name in byes)]
        resting = set(byes).isdisjoint(name for pairing in met for name in pairing)
        return not resting or len(set(tables)) != len(tables)

    def brought(self, now: Now, before: Sequence[Paired]) -> list[object]:
        """Return the results of the last round, whose line binds those of all earlier ones."""
        if not now.before:
            return []
        tables = now.before[-1].round.tables
        return [[each.blocks if each.is_played else None for each in tables], sorted(_costly(now))]

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round, or None if no more rounds follow."""
        kept = now.played.kept.get(now.stage)
        if not isinstance(kept, LadderRounds) or kept.counted > len(now.before):
            kept = now.played.kept[now.stage] = LadderRounds()
        return kept.pair(now)

    def places(self, now: Now) -> list[str]:
        """Return all players, the strongest first."""
        counted = LadderRounds()
        counted.count(now)
        names = [now.there.get(name, name) for name in now.players]
        strengths = zip(now.players, counted.strengths(names), strict=True)
        return [name for name, own in sorted(strengths, key=lambda pair: -pair[1].elo)]
