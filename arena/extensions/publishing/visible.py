"""The stored games that a reader may see: a bot, or everybody."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from arena.runs.config.keys import Names
from arena.runs.reader import StoredRun
from arena.runs.store import RecordLocation
from arena.schedule.schedule import Done
from arena.values.numbers import count


class VisibleGames(NamedTuple):
    """Stored games that a reader may see."""

    records: tuple[RecordLocation, ...]
    """Locations of the records, in the order in which they are shown."""
    numbers: tuple[int, ...]
    """Numbers of these games in the schedule, in the same order."""
    excluded: frozenset[int]
    """Numbers of games left out because games with the same deal are still to be played."""
    expired: frozenset[int]
    """Members of ``numbers`` whose records were removed by rule; their results are known."""
    faulty: frozenset[int]
    """Numbers of games in which a bot was at fault, visible or not."""
    is_over: bool
    """True if nothing of the run is secret any more."""
    tells_names: bool
    """True if the reader may know who played."""

    @property
    def held_back(self) -> int:
        """Number of games left out."""
        return len(self.excluded)


def choose(run: StoredRun, bot: str | None) -> VisibleGames:
    """Return the games of a bot that it may see, or of all that spectators may see for None.

    With names, games are in the order of the schedule, else in an order that does not reveal
    pairings. Needs a few hundred bytes of memory per game. Raises StoreError.
    """
    done = Done(run.schedule.numbers)
    found: list[tuple[int, str, RecordLocation]] = []
    faulty: set[int] = set()
    for game in run.games(done):
        if bot is None or bot in game.result.spec.entrants:
            found.append((game.number, game.result.digest, game.stored.record))
            if game.result.faults:
                faulty.add(game.number)
    is_over, is_told = is_revealed(run, done), visible_games(run, done)
    named = tells_names(run, bot, is_over=is_over)
    kept = [game for game in found if is_told(game[0])]
    kept.sort(key=itemgetter(0 if named else 1))
    records = tuple(location for _, _, location in kept)
    numbers = tuple(number for number, _, _ in kept)
    excluded = frozenset(number for number, _, _ in found).difference(numbers)
    expired = frozenset(number for number, _, location in kept if run.is_expired(location))
    return VisibleGames(records, numbers, excluded, expired, frozenset(faulty), is_over, named)


def is_revealed(run: StoredRun, done: Done) -> bool:
    """Return whether nothing of a run is secret any more. ``done``: all stored games."""
    is_all = len(done) == run.schedule.games and run.manifest.shard is None
    return (is_all and run.manifest.is_over) or run.is_opened


def visible_games(run: StoredRun, done: Done) -> Callable[[int], bool]:
    """Return a test, by number, of the games that readers may see; others are held back.

    A game shows the cards of its deal to readers whose bot may still have to play that deal from
    another seat. So before the end of the run, only games of finished deals are seen. A person
    plays each deal in one seating, and never again.
    """
    if is_revealed(run, done) or run.manifest.kind.shows_unfinished_deals:
        return lambda number: True
    through: dict[range, bool] = {}

    def is_told(number: int) -> bool:
        block = run.schedule.block(number)
        if block not in through:
            through[block] = all(other in done for other in block)
        return through[block]

    return is_told


def tells_names(run: StoredRun, bot: str | None, *, is_over: bool) -> bool:
    """Return whether the games of a bot, or of all for spectators, may say who played.

    Spectators learn hidden names when nothing of the run is secret any more, bots never.
    """
    is_hidden = run.manifest.identity.names is Names.HIDDEN
    return not is_hidden or (bot is None and is_over)


def expired_words(run: StoredRun, games: int) -> str:
    """Return a sentence that records of ``games`` games were removed by rule, or "".

    Raises StoreError.
    """
    if not games or run.thinned is None:
        return ""
    have = "has no record any more" if games == 1 else "have no records any more"
    before = run.thinned.before[:10]
    return f"{count(games, 'game')} {have}: this run keeps none of games before {before}"


def held_back_words(games: int, until: str = "the run has ended, or ") -> str:
    """Return a sentence that ``games`` games are left out; ``until``: what also ends that."""
    are = "is" if games == 1 else "are"
    return (
        f"{count(games, 'game')} {are} left out until {until}all games with the same deal are "
        "played: they would show cards that bots have yet to meet"
    )
