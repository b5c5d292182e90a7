"""Read several folders of one run together: its shards, or copies that were continued apart.

The result equals the run that ``arena merge`` would write: every game counts once, and blocks are
whole, even if their games lie in several folders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from arena.runs.disk import StoreError
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredGame, StoredRun, no_game, placed_games
from arena.runs.store import GAMES, all_lines
from arena.runs.voids import Void
from arena.schedule.schedule import Done


class Copies(StoredRun):
    """Several folders of one run, read as one run."""

    def __init__(self, folders: Sequence[Path], manifests: Sequence[Manifest]) -> None:
        """Combine ``folders`` with their ``manifests``, all of the same commitment."""
        first = manifests[0]
        shards = {manifest.shard for manifest in manifests}
        super().__init__(
            folders[0],
            msgspec.structs.replace(first, shard=first.shard if len(shards) == 1 else None),
        )
        if len(folders) > 1 and first.rulings.changes_games:
            told = "games were ruled otherwise than they were played: read it alone"
            raise StoreError(f"{folders[0]}: {told}")
        self.folders = tuple(folders)
        self.again = 0
        """Number of games that the last reading found in a second folder."""

    def stored(self, done: Done | None = None) -> Iterator[StoredGame]:
        """Yield the games as ``StoredRun.stored`` does. Takes about 150 bytes per game.

        Raises StoreError, also if two folders hold different results for a game.
        """
        done = Done(self.schedule.numbers) if done is None else done
        kept: dict[int, tuple[int, Path]] = {}
        self.again = 0
        for folder in self.folders:
            if folder == self.folders[0]:
                for game in placed_games(folder, self.schedule, done, self.manifest.rulings):
                    kept[game.number] = hash(game.result.unmeasured()), folder
                    yield game
                continue
            for line, stored in all_lines(folder):
                spec = stored.result.spec
                number = self.schedule.number(spec.game_id)
                if number is None:
                    raise no_game(folder / GAMES, line, stored.result)
                how, place = kept.get(number, (0, folder))
                if done.add(number):
                    kept[number] = hash(stored.result.unmeasured()), folder
                    yield StoredGame(line, number, stored)
                elif place != folder:  # within a folder, the first line of a game stands
                    self.again += 1
                    if how != hash(stored.result.unmeasured()):
                        game_id = spec.game_id
                        raise StoreError(
                            f"{place} and {folder}: the game {game_id} of one run went differently "
                            "in the two: leave one of them out"
                        )

    def voids(self) -> Iterator[Void]:
        """Yield the voids; equal lines count as often as in the folder with most of them."""
        left: dict[Void, int] = {}
        for folder in self.folders:
            met: dict[Void, int] = {}
            for void in StoredRun(folder, self.manifest).voids():
                met[void] = met.get(void, 0) + 1
                if met[void] > left.get(void, 0):
                    left[void] = met[void]
                    yield void
