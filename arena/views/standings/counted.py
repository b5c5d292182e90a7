"""The stored games of a run, counted."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Final, TypeAlias

from arena.ratings.counting.costs import CostTally
from arena.ratings.counting.solo import SoloTally
from arena.ratings.counting.tally import Tally
from arena.results import GameSpec
from arena.runs.reader import Game, StoredRun, no_game
from arena.runs.rounds.played import Played
from arena.runs.store import GAMES
from arena.runs.withdrawals import Withdrawal
from arena.schedule.schedule import Discipline
from arena.text.clean import ELLIPSIS

BlockKey: TypeAlias = tuple[str, str]
"""A discipline and a block of it."""


def block_of(spec: GameSpec) -> BlockKey:
    """The block of a game; the games of a solo deal are one, whoever plays them."""
    return spec.discipline, spec.deal if len(spec.entrants) == 1 else spec.block


_NEVER: Final = sys.maxsize
_MACHINE: Final = 100
"""Characters of the name of a machine."""


def known_as(machine: str) -> str:
    """The name of a machine as it is counted and shown: cut to a bound, for anybody chose it."""
    return machine if len(machine) <= _MACHINE else machine[: _MACHINE - 1] + ELLIPSIS


def out_of(run: StoredRun, withdrawn: Mapping[str, Withdrawal]) -> dict[str, int]:
    """By bot that was withdrawn the number of the first game from which on its games do not count.

    That is the first of all; on a ladder it is the first of the round in which that happened.
    """
    from_round = run.manifest.is_ladder
    return {
        name: run.schedule.round_of(each.at).start if from_round else 0
        for name, each in withdrawn.items()
    }


class Counted:
    """Tally of the stored games of a run, without those of some bots and of incomplete blocks.

    A block stays incomplete if one of its bots left before it had played all games of it.
    """

    def __init__(
        self,
        run: StoredRun,
        out: Mapping[str, int],
        again: Set[str],
        untold: Set[int] = frozenset(),
        skipped: Set[BlockKey] = frozenset(),
        cut: Set[int] | None = None,
    ) -> None:
        """``out``: as of ``out_of``. ``again``: ids of games that were void.

        ``untold``: numbers of games that do not count; ``skipped``: blocks whose games do not.
        ``cut``: as the property, for somebody who does not add all games; None: it is found out.
        Raises StoreError for rules that are none.
        """
        manifest = run.manifest
        disciplines = manifest.disciplines
        solo = {each.name: _solo(run, each, out) for each in disciplines if each.rules.seats == 1}
        self.tally = Tally([name for name in manifest.entrants if name not in out], solo)
        self.games: Counter[str] = Counter()
        """By discipline."""
        self.rulings: Counter[tuple[str, str]] = Counter()
        """Games by their discipline and the ruling that ended them."""
        self.repeated: Counter[str] = Counter()
        """Games that repeat an earlier one, by discipline; see ``GameResult.moves_digest``."""
        self._different: set[int] = set()
        """Hashes of the games without chance that repeat no earlier one."""
        self.played_again: set[str] = set()
        self.faulty: set[BlockKey] = set()
        """Those in which a bot was at fault."""
        self.machines: set[str] = set()
        """That played any stored game, counted or not, as ``known_as`` names them."""
        self.costs: CostTally | None = None
        """Where is counted what games cost; None: nowhere."""
        self.of_left: Counter[str] = Counter()
        """By discipline, games of entrants that play no more, for whatever reason."""
        self.of_out: Counter[str] = Counter()
        """By discipline, games that count although somebody was withdrawn later."""
        self.played = Played() if manifest.grows else None
        """Of a run by rounds what was played at each table, by whomever."""
        self._met: set[str] = set()
        """Machines by their whole names."""
        self._schedule = run.schedule
        self._away = run.schedule.away
        self._cut = cut
        self._held: dict[int, list[Game]] = {}
        """Games of incomplete blocks, by the number of the first game of each block."""
        self._left = self._away | out.keys()
        self._out = out
        self._again = again
        self._untold = untold
        self._skipped = skipped
        self._path = run.folder / GAMES

    @property
    def cut(self) -> frozenset[int]:
        """Return the numbers of games that do not count: their blocks stay incomplete."""
        return frozenset(game.number for held in self._held.values() for game in held)

    def cut_of(self, discipline: str) -> int:
        """Return how many of these games a discipline has."""
        held = (game for games in self._held.values() for game in games)
        return sum(game.result.spec.discipline == discipline for game in held)

    def is_out(self, game: Game) -> bool:
        """Whether a game does not count because somebody was withdrawn."""
        names = game.result.spec.entrants
        return any(game.number >= self._out.get(name, _NEVER) for name in names)

    def add(self, game: Game) -> None:
        """Count a game. Raises StoreError if it does not go with the others."""
        result = game.stored.result
        spec = result.spec
        machine = game.stored.machine
        if machine not in self._met:
            self._met.add(machine)
            self.machines.add(known_as(machine))
        is_untold = game.number in self._untold
        if self.played is not None and not is_untold:
            self.played.add(result, game.stored.spent)
        if is_untold or (self._out and self.is_out(game)):
            return
        if self._skipped and block_of(spec) in self._skipped:
            return
        if self._away and not self._away.isdisjoint(spec.entrants):
            for each in self._whole(game):
                self._count(each)
        else:
            self._count(game)

    def _whole(self, game: Game) -> Sequence[Game]:
        """Return the games that this one makes count: its whole block if a bot of it has left."""
        number, names = game.number, game.result.spec.entrants
        if self._cut is not None:
            return () if number in self._cut else (game,)
        if len(names) == 1 or not self._schedule.has_left(number, names):
            return (game,)
        block = self._schedule.block(number)
        held = self._held.setdefault(block.start, [])
        held.append(game)
        return self._held.pop(block.start) if len(held) == len(block) else ()

    def _count(self, game: Game) -> None:
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


def _solo(run: StoredRun, discipline: Discipline, out: Mapping[str, int]) -> SoloTally:
    """Where the games of a discipline with one seat are counted."""
    info = run.rules(discipline.name).info
    return SoloTally(
        [name for name in discipline.entrants if name not in out],
        score=info.score,
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
    )
