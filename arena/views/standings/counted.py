"""The stored games of a run, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from arena.games.registry import make_rules
from arena.results import GameResult, GameSpec
from arena.runs.disk import StoreError
from arena.runs.store import GAMES, Manifest, numbered_games
from arena.runs.withdrawals import Screen
from arena.schedule.schedule import Discipline

if TYPE_CHECKING:
    from arena.ratings.counting.solo import SoloTally

BlockKey: TypeAlias = tuple[str, str]
"""A discipline and a block of it."""


def block_of(spec: GameSpec) -> BlockKey:
    """The block of a game; the games of a solo deal are one, whoever plays them."""
    return spec.discipline, spec.deal if len(spec.entrants) == 1 else spec.block


class Counted:
    """The stored games of a run, but those of some bots."""

    def __init__(
        self,
        manifest: Manifest,
        out: Set[str],
        again: Set[str],
        skipped: Set[BlockKey] = frozenset(),
    ) -> None:
        """``out``: bots whose games do not count. ``again``: ids of games that were void.

        ``skipped``: blocks whose games do not count.
        """
        from arena.ratings.counting.tally import Tally

        disciplines = manifest.disciplines
        solo = {each.name: _solo(each, out) for each in disciplines if each.rules.seats == 1}
        self.tally = Tally([name for name in manifest.entrants if name not in out], solo)
        self.games: Counter[str] = Counter()
        """By discipline."""
        self.rulings: Counter[tuple[str, str]] = Counter()
        """Games by their discipline and the ruling that ended them."""
        self.played_again: set[str] = set()
        self.screen = Screen(manifest.breaker)
        self.faulty: set[BlockKey] = set()
        """Those in which a bot was at fault."""
        self._out = out
        self._again = again
        self._skipped = skipped
        self._manifest = manifest

    def read(self, folder: Path) -> None:
        """Count what is stored. Raises StoreError."""
        for line, stored in numbered_games(folder):
            try:
                self.add(stored.result)
            except ValueError as error:
                raise StoreError(f"{folder}/{GAMES}:{line}: no game of this run: {error}") from None

    def add(self, result: GameResult) -> None:
        """Count a game. Raises ValueError if it is none of this run."""
        spec = result.spec
        if self._manifest.discipline(spec.discipline) is None:
            raise ValueError("unknown discipline")
        if self._out and not self._out.isdisjoint(spec.entrants):
            return
        block = block_of(spec)
        if self._skipped and block in self._skipped:
            return
        self.tally.add(result)
        self.games[spec.discipline] += 1
        if result.ruling:
            self.rulings[spec.discipline, result.ruling] += 1
        if result.faults:
            self.screen.add(result)
            self.faulty.add(block)
        if self._again and spec.game_id in self._again:
            self.played_again.add(spec.game_id)


def _solo(discipline: Discipline, out: Set[str]) -> SoloTally:
    """Where the games of a discipline with one seat are counted."""
    from arena.ratings.counting.solo import SoloTally

    info = make_rules(discipline.rules).info
    return SoloTally(
        [name for name in discipline.entrants if name not in out],
        score=info.score,
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )
