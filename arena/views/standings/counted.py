"""Counts of the stored games of a run."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

from arena.ratings.counting.scored import ScoreTally, SoloTally
from arena.ratings.counting.tally import Tally
from arena.ratings.counting.usage import CostTally
from arena.runs.reader import StoredGame, StoredRun, no_game
from arena.runs.store import GAMES
from arena.runs.withdrawals import Ground, Withdrawal
from arena.schedule.keys import Discipline
from arena.values.clean import ELLIPSIS
from arena.values.numbers import GameCount
from arena.values.results import GameSpec, RatedBy

BlockKey: TypeAlias = tuple[str, str]
"""A discipline and the id of one of its blocks; in solo games, of a deal."""


def block_of(spec: GameSpec) -> BlockKey:
    """Return the block of a game; all games of a solo deal are one block."""
    return spec.discipline, spec.deal if len(spec.entrants) == 1 else spec.block


_NEVER: Final = sys.maxsize
_MACHINE: Final = 100
"""Most characters of the name of a machine."""


def known_as(machine: str) -> str:
    """Return the name under which a machine is counted and shown.

    The length is bounded, because the owner of the machine chose the name.
    """
    return machine if len(machine) <= _MACHINE else machine[: _MACHINE - 1] + ELLIPSIS


def out_of(run: StoredRun, withdrawn: Mapping[str, Withdrawal]) -> dict[str, int]:
    """Return for each withdrawn bot the number of the first game that no longer counts.

    That is the first game of the run; on a ladder, the first of the round of the withdrawal. Of a
    bot that was disqualified with its games none counts.
    """
    kind = run.manifest.kind
    return {
        name: 0 if each.ground is Ground.RULING else kind.counts_from(run.schedule, each.at)
        for name, each in withdrawn.items()
    }


class Counted:
    """Tally of the games of a run, without those of withdrawn bots and of incomplete blocks.

    A block stays incomplete if one of its bots left before it had played all games of the block.
    """

    def __init__(
        self,
        run: StoredRun,
        out: Mapping[str, int],
        again: Set[str],
        excluded: Container[int] = frozenset(),
        skipped: Set[BlockKey] = frozenset(),
        cut: Set[int] | None = None,
    ) -> None:
        """Start with no games.

        ``out``: see ``out_of``. ``again``: ids of games that were void. ``excluded``: numbers of
        games that do not count. ``skipped``: blocks whose games do not count. ``cut``: numbers of
        games of incomplete blocks, for a caller that does not add all games; None to find them.
        Raises StoreError for rules that cannot be loaded.
        """
        manifest = run.manifest
        disciplines = manifest.disciplines
        solo = {each.name: _solo(run, each, out) for each in disciplines if each.rules.seats == 1}
        scored = {each.name: _scored(run, each, out) for each in disciplines if is_scored(each)}
        self.tally = Tally([name for name in manifest.entrants if name not in out], solo, scored)
        self.games: Counter[str] = Counter()
        """Number of games that count, by discipline."""
        self.rulings: Counter[tuple[str, str]] = Counter()
        """Number of games by discipline and the ruling that ended them."""
        self.repeated: Counter[str] = Counter()
        """Number of repeated games by discipline, see ``GameResult.moves_digest``."""
        self._different: set[int] = set()
        """Hashes of the games without chance that repeat no earlier game."""
        self.played_again: set[str] = set()
        self.faulty: set[BlockKey] = set()
        """Blocks in which a bot was at fault."""
        self.machines: set[str] = set()
        """Machines that played any stored game, counted or not, as ``known_as`` names them."""
        self.costs: CostTally | None = None
        """Tally of what games cost; None if costs are not counted."""
        self.stored: Counter[str] = Counter()
        """Number of games added that are not excluded, by discipline, whether they count or not."""
        self.dropped: Callable[[StoredGame], object] | None = None
        """Called with each game that does not count because one of its bots was withdrawn."""
        self.of_left: Counter[str] = Counter()
        """Number of games, by discipline, of entrants that play no more for any reason."""
        self.of_out: Counter[str] = Counter()
        """Number of games, by discipline, that count although a bot in them was withdrawn later."""
        self.played = manifest.results()
        """Results at each table of a run by rounds, with all bots; None for other runs."""
        self._met: set[str] = set()
        """Full names of the machines met so far."""
        self._schedule = run.schedule
        self._away = run.schedule.away
        self._cut = cut
        self._held: dict[int, list[StoredGame]] = {}
        """Games of incomplete blocks, by the number of the first game of each block."""
        self._left = self._away | out.keys()
        self._out = out
        self._again = again
        self._excluded = excluded
        self._skipped = skipped
        self._path = run.folder / GAMES

    @property
    def cut(self) -> frozenset[int]:
        """Numbers of games that do not count because their blocks stay incomplete."""
        return frozenset(game.number for game in self.held())

    def held(self) -> Iterator[StoredGame]:
        """Yield the games that do not count because their blocks stay incomplete."""
        return (game for games in self._held.values() for game in games)

    def cut_of(self, discipline: str) -> int:
        """Return how many games of incomplete blocks a discipline has."""
        return sum(game.result.spec.discipline == discipline for game in self.held())

    def reread(self, run: StoredRun, discipline: str | None) -> Iterator[StoredGame]:
        """Read the games that count, of a discipline or for None of all. Raises StoreError.

        Call it once all games were added.
        """
        cut = self.cut if self._cut is None else self._cut
        for game in run.games():
            is_here = discipline in (None, game.result.spec.discipline)
            is_dropped = game.number in cut or game.number in self._excluded or self.is_out(game)
            if is_here and not is_dropped:
                yield game

    def count_of(self, discipline: str | None, planned: int | None = None) -> GameCount:
        """Return the numbers of games of a discipline, or of all for None; see ``GameCount``."""
        if discipline is None:
            return GameCount(self.games.total(), self.stored.total(), planned)
        return GameCount(self.games[discipline], self.stored[discipline], planned)

    def is_out(self, game: StoredGame) -> bool:
        """Return whether a game does not count because one of its bots was withdrawn."""
        names = game.result.spec.entrants
        return any(game.number >= self._out.get(name, _NEVER) for name in names)

    def add(self, game: StoredGame) -> None:
        """Count a game. Raises StoreError if the game does not fit the others."""
        result = game.stored.result
        spec = result.spec
        machine = game.stored.machine
        if machine not in self._met:
            self._met.add(machine)
            self.machines.add(known_as(machine))
        is_excluded = game.number in self._excluded
        if self.played is not None and not is_excluded:
            self.played.add(result, game.stored.spent)
        if is_excluded:
            return
        self.stored[spec.discipline] += 1
        if self._out and self.is_out(game):
            if self.dropped is not None:
                self.dropped(game)
            return
        if self._skipped and block_of(spec) in self._skipped:
            return
        if self._away and not self._away.isdisjoint(spec.entrants):
            for each in self._whole(game):
                self._count(each)
        else:
            self._count(game)

    def _whole(self, game: StoredGame) -> Sequence[StoredGame]:
        """Return the games that now count: this game, or if a bot has left, its complete block."""
        number, names = game.number, game.result.spec.entrants
        if self._cut is not None:
            return () if number in self._cut else (game,)
        if len(names) == 1 or not self._schedule.gone(number, names):
            return (game,)
        block = self._schedule.block(number)
        held = self._held.setdefault(block.start, [])
        held.append(game)
        return self._held.pop(block.start) if len(held) == len(block) else ()

    def _count(self, game: StoredGame) -> None:
        result = game.stored.result
        spec = result.spec
        try:
            self.tally.add(result)
        except ValueError as error:
            raise no_game(self._path, game.line, result, str(error)) from None
        discipline = spec.discipline
        self.games[discipline] += 1
        if self.costs is not None:
            self.costs.add(spec, game.stored.spent)
        if self._left and not self._left.isdisjoint(spec.entrants):
            self.of_left[discipline] += 1
        if self._out and not self._out.keys().isdisjoint(spec.entrants):
            self.of_out[discipline] += 1
        if result.ruling:
            self.rulings[discipline, result.ruling] += 1
        if result.moves_digest:
            moves = hash((discipline, spec.entrants, result.moves_digest))
            self.repeated[discipline] += moves in self._different
            self._different.add(moves)
        if result.faults:
            self.faulty.add(block_of(spec))
        if self._again and spec.game_id in self._again:
            self.played_again.add(spec.game_id)


def is_scored(discipline: Discipline) -> bool:
    """Return whether a discipline of several seats is rated by scores or margins."""
    return discipline.by in (RatedBy.SCORE, RatedBy.MARGIN)


def _scored(run: StoredRun, discipline: Discipline, out: Mapping[str, int]) -> ScoreTally:
    """Return a tally for the games of a discipline that is rated by scores."""
    facts = run.manifest.games[discipline.name]
    return ScoreTally(
        [name for name in discipline.entrants if name not in out],
        score=facts.score,
        less_is_better=facts.less_is_better,
        worst_score=facts.worst_score,
        by_margin=discipline.by is RatedBy.MARGIN,
    )


def _solo(run: StoredRun, discipline: Discipline, out: Mapping[str, int]) -> SoloTally:
    """Return a tally for the games of a discipline with one seat."""
    facts = run.manifest.games[discipline.name]
    return SoloTally(
        [name for name in discipline.entrants if name not in out],
        score=facts.score,
        less_is_better=facts.less_is_better,
        worst_score=facts.worst_score,
    )
