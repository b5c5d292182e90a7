"""A table at which a person plays with bots: the tournament, the next deal, and the game.

The run is like any other, but has no end: of each deal one seating is played, in which the person
takes the seat taken least often before. A deal that the person was shown is never dealt again, even
if the person left its game.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.entrants.entrants import person_entrant
from arena.entrants.names import BUILTIN, players
from arena.games.registry import GAMES
from arena.referee.session import BotSession, Offence, PersonLeft
from arena.runs.config.tournament import (
    Tournament,
    command_line_tournament,
    quick_entry,
    stand_in,
)
from arena.runs.disk import read_json, write_atomically, writing
from arena.runs.reader import placed_games
from arena.schedule.keys import Lineup
from arena.schedule.kinds.fixed import MatchKind
from arena.schedule.seeds import Seeds
from arena.tournament.executor import Job
from arena.tournament.players import installed
from arena.tournament.prepare import job_of
from arena.tournament.processes import BotProcesses, ProcessKey, looked_after
from arena.tournament.run import Run, levels_of
from arena.tournament.worker import Worker
from arena.values.problems import KeyPath, Mark, Plain, failure, quote
from arena.values.results import GameDone, GameSpec, GameVoid, Seat, Then

MET: Final = "met.json"
"""File in the run folder with the number of deals that the person was shown, in schedule order."""
DEALS: Final = 100_000
"""Deals planned for each table; more than anybody plays."""
_OPPONENTS: Final = ("greedy", "random")
"""Builtin bots to play against by default: the first one that plays the game."""
MOVE: Final = "10 s"
"""Time of a bot for an answer unless ``clock.move`` sets another: a person can wait."""
_REFUSED: Final = {"entrants", "games", "output", "schedule", "seed"}
_WHAT_IS_PLAYED: Final = {"game", "game.rules", "game.seats", "game.data"}


class DealsPlayed(msgspec.Struct, frozen=True):
    """Contents of ``met.json``: how many deals the person was shown."""

    deals: Annotated[int, msgspec.Meta(ge=0, le=DEALS)]


def table_tournament(
    rules: str,
    bots: Sequence[str],
    *,
    person: str,
    seats: int | None = None,
    data: str | None = None,
    seed: str | None = None,
    overrides: Sequence[str] = (),
) -> Tournament:
    """Return the tournament of a table; its first entrant is the person.

    ``bots``: folders or commands as in ``quick_tournament``; none: a builtin bot. If they are fewer
    than the seats, the last one takes the remaining seats too. At a table of one seat they play the
    person's deals after the person. Raises ConfigError.
    """
    _check_overrides(overrides)
    here = Path.cwd()
    wanted = _filled(rules, seats, bots)
    is_match = len(wanted) > 1 and len(set(wanted)) == 1
    marks: dict[KeyPath, Mark] = {
        (): Mark("command line", here),
        ("game",): Mark(rules, here),
        ("entrants", 0, "name"): Mark(f"--as {person}", here),
    }
    game: dict[str, Plain] = {"rules": rules, "schedule": _schedule(person, is_match=is_match)}
    value: dict[str, Plain] = {
        "arena": 1,
        "game": game,
        "clock": {"move": MOVE},
        "breaker": {"then": Then.IGNORE.value},
    }
    given: tuple[tuple[dict[str, Plain], KeyPath, str, Plain], ...] = (
        (game, ("game", "seats"), "-s", seats),
        (game, ("game", "data"), "--data", data),
        (value, ("seed",), "--seed", seed),
    )
    for place, path, flag, text in given:
        if text is not None:
            place[str(path[-1])] = text
            marks[path] = Mark(f"{flag} {text}", here)
    entries = [stand_in(person)]
    for index, bot in enumerate(wanted[:1] if is_match else wanted, 1):
        entry = quick_entry(bot)
        marks |= {("entrants", index, key): Mark(bot, here) for key in entry}
        entries.append(entry)
    value["entrants"] = list[Plain](entries)
    tournament = command_line_tournament(value, marks, default_name="play", overrides=overrides)
    entrants = (person_entrant(person), *tournament.entrants[1:])
    return msgspec.structs.replace(tournament, entrants=entrants)


def _schedule(person: str, *, is_match: bool) -> dict[str, Plain]:
    """Return the schedule of a table at which ``person`` plays.

    ``is_match``: whether one bot has all seats but the person's.
    """
    if not is_match:
        return {"deals": DEALS}
    kind, alone = MatchKind.name, Lineup.ALONE.value
    return {"deals": DEALS, "kind": kind, "lineup": alone, "focus": [person]}


def opponent(rules: str, seats: int) -> str:
    """Return the builtin bot to play against, as text that names it."""
    able = players(rules, seats)
    return BUILTIN + next(name for name in _OPPONENTS if name in able)


def _filled(rules: str, seats: int | None, bots: Sequence[str]) -> list[str]:
    """Return a bot for every other seat; wrong rules or seats are reported elsewhere."""
    if rules not in GAMES:
        return list(bots)
    size = GAMES[rules].default_seats if seats is None else seats
    if size not in GAMES[rules].seats or size == 1:
        return list(bots)
    bots = bots or [opponent(rules, size)]
    if len(bots) >= size:
        found = f"found {len(bots)} bots"
        raise failure(f"--against {bots[-1]}", found, f"at most {size - 1}")
    return [*bots, *[bots[-1]] * (size - 1 - len(bots))]


def _check_overrides(overrides: Sequence[str]) -> None:
    """Refuse settings that have an option of their own, or that a table does not use."""
    for override in overrides:
        name = override.partition("=")[0]
        if name.split(".")[0] in _REFUSED or name in _WHAT_IS_PLAYED or "schedule" in name:
            hint = "it has an option of its own, or none; see arena play --help"
            raise failure(f"--set {override}", f"found {quote(name)}", hint=hint)


def next_games(run: Run, person: str, seat: Seat | None) -> list[GameSpec]:
    """Return the person's next game, and at a table of one seat the games of the others after it.

    ``seat``: the seat that the person wants; None for the seat taken least often. Raises
    StoreError, and ConfigError if the seat does not exist or all deals are played.
    """
    sat: Counter[Seat] = Counter()
    deal = _met(run.folder)
    for game in placed_games(run.folder, run.schedule):
        spec = game.result.spec
        if person in spec.entrants:
            sat[spec.entrants.index(person)] += 1
        deal = max(deal, 1 + _deal_of(spec))
    block = next(islice(run.schedule.blocks(), deal, None), None)
    if block is None:
        raise failure(str(run.folder), f"all {DEALS} deals are played", "another folder: -o")
    seats = range(len(block.games[0].entrants))
    if seat is not None and seat not in seats:
        numbers = " or ".join(map(str, seats))
        raise failure("--seat", f"found {seat}", numbers)
    place = min(seats, key=lambda each: (sat[each], each)) if seat is None else seat
    mine = next(spec for spec in block.games if spec.entrants[place] == person)
    return [mine, *(spec for spec in block.games if len(seats) == 1 and spec is not mine)]


def _deal_of(spec: GameSpec) -> int:
    """Return the number of the deal in the schedule, from 0; the table has one pairing."""
    return int(spec.deal.rpartition(":")[2])


def _met(folder: Path) -> int:
    if not os.path.exists(folder / MET):
        return 0
    met: DealsPlayed = read_json(folder / MET, DealsPlayed)
    return met.deals


def meet(run: Run, spec: GameSpec) -> None:
    """Record that the person is shown the deal of ``spec``. Call it before the deal is shown.

    Raises StoreError.
    """
    with writing(run.folder / MET):
        write_atomically(
            run.folder / MET, msgspec.json.encode(DealsPlayed(1 + _deal_of(spec))) + b"\n"
        )


FailedSeat = Callable[[str], None]
"""Function called with the name of an entrant whose bot has just committed a fault."""


class _Seats(BotProcesses):
    """The processes of the bots, with the person among them."""

    def __init__(self, job: Job, person: str, session: BotSession, failed: FailedSeat) -> None:
        super().__init__(job)
        self._person = person
        self._session = session
        self._failed = failed
        self._told: set[int] = set()
        self._is_abandoned = False

    def session(self, key: ProcessKey) -> BotSession | Offence:
        """See BotProcesses. Raises PersonLeft when the table is abandoned."""
        self._check()
        if key.entrant == self._person:
            return self._session
        found = super().session(key)
        self._check()  # the bot may have been started while the table was abandoned
        return found

    def sweep(self) -> None:
        """See BotProcesses; called after each fault, so that failed bots are reported at once."""
        super().sweep()
        for key, bot in list(self._live.items()):
            if bot.channel.is_closed and bot.process.pid not in self._told:
                self._told.add(bot.process.pid)
                self._failed(key.entrant)

    def _check(self) -> None:
        if self._is_abandoned:
            raise PersonLeft

    def abandon(self) -> None:
        """Kill every bot, from another thread, and start no more."""
        self._is_abandoned = True
        for pid in self._pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


class PersonTable:
    """The bots of a table, ready to play in this process, as a context manager.

    All methods but ``abandon`` are for one thread: bots end with the thread that started them.
    """

    def __init__(
        self, tournament: Tournament, run: Run, session: BotSession, failed: FailedSeat
    ) -> None:
        """Prepare the bots, which are built already.

        ``session``: that of the person. Raises ConfigError, IsolationError and PoolError.
        """
        with contextlib.ExitStack() as around:
            entrants, levels = tournament.entrants, levels_of(tournament.entrants)
            lodging = installed(entrants, levels, tournament.limits, tournament.readable)
            key = Seeds.of(run.opening.seed).key
            job = job_of(tournament, run, around.enter_context(lodging), key)
            self._processes = _Seats(job, tournament.entrants[0].name, session, failed)
            self._worker = Worker(job, self._processes)
            self._around = around.pop_all()

    def __enter__(self) -> PersonTable:
        self._around.enter_context(looked_after(self._processes))
        return self

    def __exit__(self, *_: object) -> None:
        self._around.close()

    def play(self, spec: GameSpec) -> GameDone | GameVoid:
        """Play one game to its end. Raises PersonLeft."""
        try:
            return self._worker.play(spec)
        except PersonLeft:
            raise
        except Exception as error:  # the boundary: this game is void, not lost
            return self._worker.void(spec, error)

    def abandon(self) -> None:
        """Kill every bot for good, from any thread; a running game is dropped."""
        self._processes.abandon()
