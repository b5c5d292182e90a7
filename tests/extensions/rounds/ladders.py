"""Ladders of bots whose strength is known, without a game: what a table brings is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import combinations
from math import log
from random import Random

from arena.extensions.rounds.kinds.ladder import LadderRounds
from arena.extensions.rounds.pairing.state import Now, Paired, Played, RoundPairing
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult, shares
from arena.ratings.elo.scale import ELO
from arena.schedule.seeds import Seeds
from arena.values.results import GameResult, GameSpec, RulesSpec, Termination, player_of
from tests.tournament.tables import discipline


class Costs(Played):
    """What bots took of the processor, by round."""

    def __init__(self) -> None:
        super().__init__()
        self.by_round: dict[str, dict[str, int]] = {}

    def cpu(self, label: str) -> Mapping[str, int]:
        return self.by_round.get(label, {})


class Toy:
    """A ladder; each deal is played in as many seatings as there are seats."""

    def __init__(
        self,
        elo: Mapping[str, float],
        seats: int = 2,
        deals: int = 1,
        seed: int = 1,
        anchor: str = "",
    ) -> None:
        self.elo = dict(elo)
        self.seats = seats
        self.deals = deals
        self.played = Costs()
        self.rounds: list[Paired] = []
        self.games: list[GameResult] = []
        self.blocks: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        """Rounds since each had a table, while it was there."""
        self.longest = 0
        self._anchor = anchor
        self._chance = Random(seed)
        self._luck = Seeds.of(str(seed)).rounds("toy")
        self._ladder = LadderRounds()
        rules = RulesSpec("toy", seats, {}, {})
        self._discipline = discipline(*elo, rules=rules, kind="ladder", deals=deals)

    def now(self) -> Now:
        there = {player_of(name): name for name in self.elo}
        names = tuple(there)
        return Now(
            self._discipline,
            names,
            there,
            self.rounds,
            self.played,
            self._luck,
            games=1,
            anchor=self._anchor,
        )

    def met(self) -> RoundPairing:
        """The next round, and the same for whoever counts all rounds anew."""
        found = self._ladder.pair(self.now())
        assert found is not None
        assert found == LadderRounds().pair(self.now())
        return found

    def round(self, cpu: Mapping[str, int] | None = None, failing: Collection[str] = ()) -> Paired:
        """Draw one and play it. ``cpu``: what a bot takes at a table, microseconds; else a second.

        A table with one of the ``failing`` brings nothing.
        """
        found = self._ladder.pair(self.now())
        assert found is not None
        there = self.now().there
        met = [tuple(sorted(there[name] for name in table)) for table in found.tables]
        label = f"round{len(self.rounds) + 1}"
        sat = Counter(name for names in met for name in names)
        taken = {name: (cpu or {}).get(name, 1_000_000) * times for name, times in sat.items()}
        self.played.by_round[label] = taken
        tables = tuple(self._table(names, failing) for names in met)
        own = Paired(label, tuple(met), found.byes, FinishedRound(tables, found.byes), is_over=True)
        self.rounds.append(own)
        self.waits.update(list(self.elo))
        for table in tables:
            if table.is_played:
                self.waits.update({name: -self.waits[name] for name in table.names})
        self.longest = max(self.longest, *(self.waits[name] for name in self.elo))
        return own

    def _table(self, names: tuple[str, ...], failing: Collection[str]) -> TableResult:
        if not set(failing).isdisjoint(names):
            return TableResult(names, shares([0] * len(names)), (), is_played=False)
        points: Counter[str] = Counter()
        for _ in range(self.deals):
            block = f"toy/{len(self.games)}"
            for k in range(self.seats):
                seated = names[k:] + names[:k]
                order = sorted(names, key=self._strength, reverse=True)
                places = tuple(1 + order.index(name) for name in seated)
                spec = GameSpec(f"{block}:{k}", block, block, k, seated)
                self.games.append(GameResult(spec, Termination.COMPLETED, places, 1, ""))
                for better, _ in combinations(order, 2):
                    points[better] += 2
            self.blocks.update(names)
        blocks = tuple(points[name] for name in names)
        return TableResult(names, shares(blocks), blocks)

    def _strength(self, name: str) -> float:
        """Drawn so that the chance to be ahead of another is logistic."""
        return self.elo[name] / ELO - log(-log(self._chance.random()))

    @property
    def tables(self) -> Counter[str]:
        """Those each bot has had."""
        return Counter(n for each in self.rounds for names in each.pairings for n in names)

    def meetings(self, first: int = 0) -> Counter[frozenset[str]]:
        """How often any two have met, from that round on."""
        return Counter(
            frozenset(pair)
            for each in self.rounds[first:]
            for names in each.pairings
            for pair in combinations(names, 2)
        )
