"""Which games of a run go into a pack, and in which order."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from arena.games.base import Action, Rules
from arena.games.registry import make_rules
from arena.records.format import Record
from arena.records.read import RecordError, parse, unpack
from arena.records.replay import Step, check_rules, steps
from arena.results import GameSpec
from arena.runs.disk import StoreError
from arena.runs.store import GAMES, Location, Manifest, numbered_games, read_record
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Seeds


class Choice(NamedTuple):
    """Stored games for a pack."""

    records: tuple[Location, ...]
    """In the order of the pack."""
    held_back: int
    """How many are left out because games with the same deal are still to be played."""
    is_over: bool
    """Whether nothing of the run is secret any more."""
    tells_names: bool
    """Whether the pack may say who played."""


class Applied(NamedTuple):
    """A record with its rules, applied while ``steps`` is read."""

    record: Record
    rules: Rules[Any, Action]
    steps: Iterator[Step]
    """Raises RecordError at a ply that the rules do not allow."""


def choose(
    folder: Path,
    manifest: Manifest,
    wanted: Callable[[GameSpec], bool],
    tells_names: Callable[[bool], bool],
) -> Choice:
    """The wanted games of a run: while it is not over, only those of deals that are through.

    A game shows the cards of its deal to somebody whose bot may still have to play that deal from
    another seat. ``tells_names``: whether the pack may say who played, asked with whether the run
    is over. If so, games are in the order of the schedule; else in one that tells nothing about
    who met whom. Takes a few hundred bytes of memory per game. Raises StoreError.
    """
    deals = _Deals(manifest)
    found: list[tuple[int, str, Location]] = []
    for line, stored in numbered_games(folder):
        spec = stored.result.spec
        number = deals.add(spec)
        if number is None:
            raise StoreError(f"{folder}/{GAMES}:{line}: no game of this run, or stored twice")
        if wanted(spec):
            found.append((number, stored.result.digest, stored.record))
    is_over = deals.are_complete or _is_opened(folder)
    named = tells_names(is_over)
    kept = [game for game in found if is_over or deals.is_through(game[0])]
    kept.sort(key=itemgetter(0 if named else 1))
    records = tuple(location for _, _, location in kept)
    return Choice(records, len(found) - len(kept), is_over, named)


def apply(folder: Path, rules: dict[str, Rules[Any, Action]], location: Location) -> Applied:
    """Read a record. Raises StoreError or RecordError if it is not as it should be."""
    record, _ = parse(unpack(read_record(folder, location)))
    own = rules.get(record.header.spec.discipline)
    if own is None:
        raise RecordError(1, "spec: a game that is not in run.json")
    check_rules(record, own)
    return Applied(record, own, steps(record, own))


def rules_by_discipline(manifest: Manifest) -> dict[str, Rules[Any, Action]]:
    """By discipline. Raises RulesError."""
    return {each.name: make_rules(each.rules) for each in manifest.disciplines}


class _Deals:
    """Which games of the schedule are stored, so which deals are through in all seatings."""

    def __init__(self, manifest: Manifest) -> None:
        # The seeds decide who sits where, not which ids there are nor their order.
        self._schedule = Schedule(manifest.disciplines, Seeds(b""))
        self._done = Done(self._schedule.games)
        self._is_played_once = manifest.has_person
        self._starts: list[tuple[int, int]] = []
        """Of each discipline the number of its first game, and how many share a deal."""
        first = 0
        for each in manifest.disciplines:
            self._starts.append((first, self._schedule.seatings(each.name)))
            first += self._schedule.games_of(each.name)

    @property
    def are_complete(self) -> bool:
        return len(self._done) == self._schedule.games

    def add(self, spec: GameSpec) -> int | None:
        """Its number in the schedule; None if it has none, or was added before."""
        number = self._schedule.number(spec.game_id)
        return number if number is not None and self._done.add(number) else None

    def is_through(self, number: int) -> bool:
        """Whether nobody will play the deal of this game any more."""
        if self._is_played_once:
            return number in self._done
        start, games = next(pair for pair in reversed(self._starts) if pair[0] <= number)
        first = number - (number - start) % games
        return all(other in self._done for other in range(first, first + games))


def _is_opened(folder: Path) -> bool:
    """Whether the seed, from which all deals follow, was published."""
    try:
        return bool((folder / "seed.json").stat().st_mode & stat.S_IROTH)
    except OSError:
        return False
