"""Selection and order of the games of a run for a pack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from arena.games.base import Action, Rules
from arena.records.format import Record
from arena.records.read import RecordError, parse, unpack
from arena.records.replay import Step, check_rules, steps
from arena.results import GameSpec
from arena.runs.reader import StoredRun
from arena.runs.store import RecordLocation, read_record
from arena.schedule.schedule import Done


class PackSelection(NamedTuple):
    """Stored games for a pack."""

    records: tuple[RecordLocation, ...]
    """Locations of the records, in the order of the pack."""
    numbers: tuple[int, ...]
    """Numbers of these games in the schedule, in the same order."""
    excluded: frozenset[int]
    """Numbers of games left out because games with the same deal are still to be played."""
    expired: frozenset[int]
    """Members of ``numbers`` whose records were removed by rule; their results are known."""
    faulty: frozenset[int]
    """Numbers of games in which a bot was at fault, in the pack or not."""
    is_over: bool
    """True if nothing of the run is secret any more."""
    tells_names: bool
    """True if the pack may say who played."""

    @property
    def held_back(self) -> int:
        """Number of games left out."""
        return len(self.excluded)


class Applied(NamedTuple):
    """A record with its rules, applied while ``steps`` is read."""

    record: Record
    rules: Rules[Any, Action]
    steps: Iterator[Step]
    """Steps of the game; raises RecordError at a ply that the rules do not allow."""


def choose(
    run: StoredRun,
    wanted: Callable[[GameSpec], bool],
    tells_names: Callable[[bool], bool],
) -> PackSelection:
    """Return the wanted games of a run; before its end, only those of finished deals.

    A game shows the cards of its deal to readers whose bot may still have to play that deal from
    another seat. ``tells_names``: function that returns whether the pack may say who played, given
    whether the run has ended. If so, games are in the order of the schedule, else in an order that
    does not reveal pairings. Needs a few hundred bytes of memory per game. Raises StoreError.
    """
    schedule = run.schedule
    done = Done(schedule.numbers)
    found: list[tuple[int, str, RecordLocation]] = []
    faulty: set[int] = set()
    for game in run.games(done):
        if wanted(game.result.spec):
            found.append((game.number, game.result.digest, game.stored.record))
            if game.result.faults:
                faulty.add(game.number)
    is_all = len(done) == schedule.games and run.manifest.shard is None
    is_over = is_all or run.is_opened
    each_once = run.manifest.has_person  # each deal is played in one seating, and never again
    named = tells_names(is_over)
    through: dict[range, bool] = {}

    def is_told(number: int) -> bool:
        block = schedule.block(number)
        if block not in through:
            through[block] = all(other in done for other in block)
        return through[block]

    kept = [game for game in found if is_over or each_once or is_told(game[0])]
    kept.sort(key=itemgetter(0 if named else 1))
    records = tuple(location for _, _, location in kept)
    numbers = tuple(number for number, _, _ in kept)
    excluded = frozenset(number for number, _, _ in found).difference(numbers)
    expired = frozenset(number for number, _, location in kept if run.is_expired(location))
    return PackSelection(records, numbers, excluded, expired, frozenset(faulty), is_over, named)


def apply(run: StoredRun, location: RecordLocation) -> Applied:
    """Read a record. Raises StoreError or RecordError for a damaged record."""
    record, _ = parse(unpack(read_record(run.folder, location)))
    discipline = record.header.spec.discipline
    if run.manifest.discipline(discipline) is None:
        raise RecordError(1, "spec: a game that is not in run.json")
    own = run.rules(discipline)
    check_rules(record, own)
    return Applied(record, own, steps(record, own))
