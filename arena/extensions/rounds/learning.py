"""Derive what bots have learnt when a round begins from what they wrote in earlier rounds.

``learned.bin`` holds an archive for each seat of a game whose bot wrote something; the line of the
game in ``games.jsonl`` has its place and digest, and the digest of what the bot had been given.
Files are known by player and name, so a new version of a bot continues with those of the last one.
Within a leg, later games of the schedule win, and then later seats. An empty file removes one of
that name. If more remains than may be kept, the files written longest ago are dropped.

All games of a leg are played with the same files. A game counts as it was stored first: rounds that
were played stand when it is ruled to be played again. Games with a bot that was withdrawn by the
end of their leg add nothing: how many of them were played depends on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from msgspec import UNSET

from arena.runs.disk import StoreError
from arena.runs.reader import StoredGame, StoredRun, placed_games
from arena.runs.store import LEARNED, read_archive, stored_voids
from arena.runs.verify import Discrepancy
from arena.runs.withdrawals import Breaker
from arena.schedule.schedule import Done, Schedule
from arena.values.archives import Archive, archived, nothing
from arena.values.results import Learning, player_of


class LearningState:
    """Files that all players have kept by the beginning of a leg."""

    def __init__(self, folder: Path, most: Learning) -> None:
        """Prepare the state at the beginning of the run in ``folder``."""
        self._folder = folder
        self._most = most
        self._files: dict[str, dict[str, bytes]] = {}
        """Contents by player and name, those written last at the end."""
        self._leg = 0
        """Number of the first game of the leg."""
        self._archives: Mapping[str, Archive] = {}

    def archive(self, name: str) -> Archive:
        """Return the archive of a bot, which is that of its player."""
        return self._archives.get(player_of(name), nothing())

    def is_at(self, leg: int) -> bool:
        """Return whether this is the state at the leg whose first game is ``leg``."""
        return leg == self._leg

    def turn_to(self, leg: int, schedule: Schedule, breaker: Callable[[Done], Breaker]) -> None:
        """Make this the state at another leg. Raises StoreError."""
        if leg < self._leg:
            self._files, self._archives, self._leg = {}, {}, 0
        for _ in self.legs(leg, schedule, breaker):
            pass
        self._leg = leg

    def legs(
        self, until: int, schedule: Schedule, breaker: Callable[[Done], Breaker]
    ) -> Iterator[list[StoredGame]]:
        """Yield the games of each leg before ``until`` while this is the state at its beginning.

        Raises StoreError.
        """
        done = Done(schedule.numbers)
        judge = breaker(done)
        games = []
        for game in placed_games(self._folder, schedule, done, is_quiet=True):
            judge.add(game.number, game.result)
            if self._leg <= game.number < until:
                games.append(game)
        for void in stored_voids(self._folder):
            judge.add_void(void)
        judge.judge()
        withdrawn = judge.verdict.withdrawn
        out = {name: schedule.leg_of(max(0, each.at)) for name, each in withdrawn.items()}
        games.sort(key=lambda game: game.number)
        for leg, own in groupby(games, lambda game: schedule.leg_of(game.number)):
            played = list(own)
            yield played
            for game in played:
                names = game.result.spec.entrants
                self._add(game, counts=all(out.get(name, leg + 1) > leg for name in names))
            self._drop_oldest()
            found = self._files.items()
            self._archives = {player: archived(files) for player, files in found if files}

    def _add(self, game: StoredGame, *, counts: bool) -> None:
        """Read the archives of a game, and add them if it ``counts``."""
        for name, learned in zip(game.result.spec.entrants, game.stored.learned, strict=False):
            own = self._files.setdefault(player_of(name), {})
            written = read_archive(self._folder, learned)
            for file, content in written.items() if counts else ():
                own.pop(file, None)
                if content:
                    own[file] = content

    def _drop_oldest(self) -> None:
        for own in self._files.values():
            while len(own) > self._most.files or sum(map(len, own.values())) > self._most.size:
                del own[next(iter(own))]


def checked(run: StoredRun) -> Iterator[Discrepancy]:
    """Yield what bots were given other than what they had learnt in earlier rounds.

    Yields nothing about a run without anything of what they learnt, as a proof is.
    """
    most = run.manifest.identity.learning
    if most is UNSET or not _has_any(run):
        return
    state = LearningState(run.folder, most)
    try:
        for played in state.legs(run.schedule.numbers, run.schedule, run.breaker):
            for game in played:
                yield from _differing(game, state)
    except StoreError as error:
        yield Discrepancy(LEARNED, f"{error}; what bots were given later is not checked")


def _has_any(run: StoredRun) -> bool:
    games = placed_games(run.folder, run.schedule, is_quiet=True)
    return (run.folder / LEARNED).exists() or any(game.stored.learned for game in games)


def _differing(game: StoredGame, state: LearningState) -> Iterator[Discrepancy]:
    names, learned = game.result.spec.entrants, game.stored.learned
    where = f"game {game.result.spec.game_id}"
    if len(learned) != len(names):
        yield Discrepancy(where, f"is without what its {len(names)} bots learnt")
    for name, each in zip(names, learned, strict=False):
        expected = state.archive(name).digest
        if each.given != expected:
            yield Discrepancy(where, f"{name} was given {each.given}, but had learnt {expected}")
