"""Pair a round of a ladder, by the entrants of a run, and find who holds the authors' places.

Every version of a bot is an entrant with its own rating. Old versions play no more, but their games
still show how strong their opponents are. A table counts if all its games were played and none of
its entrants was withdrawn in that round.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from arena.ratings.elo.sums import RoundedStrength, Sums
from arena.runs.rounds.played import Now, Paired, RoundPairing, player_of
from arena.schedule.rounds.ladder import (
    RECENT,
    RULES,
    Age,
    PairableBot,
    draw,
    newcomers,
    too_costly,
)
from arena.schedule.schedule import Discipline


class Authors(NamedTuple):
    """Authors by entrant of a run, from the book of its ladder. Anchors have no author."""

    of: Mapping[str, str]
    """Author by entrant."""
    takers: Mapping[str, Sequence[str]]
    """Entrants that took the place of each author, in the order of their admission."""

    def placed(self, entered: Collection[str]) -> frozenset[str]:
        """Return the entrants that hold a place when ``entered`` have entered the run.

        They may have left since: then their authors have no place.
        """
        newest = (
            next((name for name in reversed(own) if name in entered), None)
            for own in self.takers.values()
        )
        return frozenset(name for name in newest if name is not None)


_HALVES: Final = 2
"""Number of points counted for a won game; a drawn one counts 1."""


def rules(discipline: Discipline) -> str:
    """Return the name of the rules of pairing."""
    return RULES


def brought(now: Now) -> list[object]:
    """Return the results of the last round. The line of that round binds all earlier results."""
    if not now.before:
        return []
    tables = now.before[-1].round.tables
    return [[each.blocks if each.is_played else None for each in tables], sorted(_costly(now))]


def pair(now: Now) -> RoundPairing | None:
    """Return the next round, or None if no more rounds follow."""
    kept = now.played.kept.get(now.stage)
    if not isinstance(kept, LadderRounds) or kept.counted > len(now.before):
        kept = now.played.kept[now.stage] = LadderRounds()
    return kept.pair(now)


def places(now: Now) -> list[str]:
    """Return all players, the strongest first."""
    counted = LadderRounds()
    counted.count(now)
    names = [now.there.get(name, name) for name in now.players]
    strengths = zip(now.players, counted.strengths(names), strict=True)
    return [name for name, own in sorted(strengths, key=lambda pair: -pair[1].elo)]


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
