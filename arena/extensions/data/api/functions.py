"""Games between Python functions and bots, in this process.

Functions are not isolated: they share memory, modules and time with arena and with each other. A
function that raises an exception commits a fault; the traceback is kept like the standard error of
a bot that crashed.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from operator import index
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from arena.entrants.entrants import numbered, person_entrant
from arena.referee.channel import Reply, Silence
from arena.referee.deadline import NO_DELAY, SchedulerDelay
from arena.referee.protocol import PROTOCOL, Act, Ready
from arena.referee.records.perspective import plain
from arena.referee.session import BotSession, Offence
from arena.runs.config.tournament import (
    Tournament,
    command_line_tournament,
    quick_entry,
    sanitized,
    stand_in,
)
from arena.runs.disk import StoreError
from arena.runs.live import locked
from arena.runs.manifest import is_run
from arena.runs.reader import placed_games
from arena.runs.store import Store, is_public
from arena.schedule.schedule import Done
from arena.schedule.seeds import Seeds
from arena.tournament.executor import Job, Local
from arena.tournament.players import installed
from arena.tournament.prepare import job_of, with_bots
from arena.tournament.processes import BotProcesses, ProcessKey, looked_after
from arena.tournament.run import (
    ConfigMismatch,
    Run,
    found_run,
    levels_of,
    open_run,
    publish_seed,
)
from arena.tournament.worker import Worker
from arena.values.bad_input import BadInput
from arena.values.problems import KeyPath, Mark, Plain
from arena.values.results import GameDone, GameVoid, Then

_START: Final = b'{"type":"start"'


_UNREAD: Final = object()
"""Placeholder of a part of a question that was not read yet."""


class SeatQuestion:
    """A question to a function: what a bot is sent. Its parts become JSON when they are read."""

    __slots__ = ("_act", "_events", "_legal", "_observation", "start")

    def __init__(self, act: Act, start: Mapping[str, Any]) -> None:
        self._act = act
        self._observation: Any = _UNREAD
        self._legal: Any = _UNREAD
        self._events: Any = tuple(act.events or ())  # the referee clears its list afterwards
        self.start = start
        """Message ``start`` of the game: rules, options, seat, seats, seed and more."""

    @property
    def seat(self) -> int:
        """Seat of the function in this game."""
        return int(self.start["seat"])

    @property
    def time_left(self) -> float | None:
        """Time for this answer in seconds; None without a limit."""
        return self._act.time_left

    @property
    def observation(self) -> Any:
        """Observation of the seat."""
        if self._observation is _UNREAD:
            self._observation = plain(self._act.observation)
        return self._observation

    @property
    def events(self) -> list[Any]:
        """Events that the seat saw since it was last asked, oldest first."""
        if type(self._events) is tuple:
            self._events = plain(self._events)
        found: list[Any] = self._events
        return found

    @property
    def legal(self) -> list[Any]:
        """All legal actions."""
        if self._legal is _UNREAD:
            self._legal = plain(self._act.legal)
        found: list[Any] = self._legal
        return found


Chooser: TypeAlias = Callable[[SeatQuestion], Any]
"""Function that returns the index of a legal action, the action, or a pair of it and ``info``."""


class FunctionChannel:
    """A channel to a function, see ``Channel``."""

    def __init__(self, choose: Chooser) -> None:
        self.ply: int | None = None
        """See Channel."""
        self._choose = choose
        self._start: Mapping[str, Any] = {}
        self._status: int | None = None
        self._said = ""

    def put(self, question: Act, count: int) -> int:
        """See DirectChannel."""
        self._act = question
        return 0

    def choose(self, token: str, allowance: int | None) -> Reply | int:
        """See DirectChannel. The function cannot be stopped; a late answer is a timeout."""
        began = time.monotonic_ns()
        act = self._act
        try:
            choice = self._choose(SeatQuestion(act, self._start))
            is_index = type(choice) is int and 0 <= choice < len(act.legal)  # the usual case
            reply: Reply | int = choice if is_index else _reply(act.id, choice)
        except Exception as error:
            own = error.__traceback__ and error.__traceback__.tb_next  # without the frame above
            said = "".join(traceback.format_exception(type(error), error, own))
            self._said = said.encode(errors="backslashreplace").decode()
            self._status = 1
            return Silence.ENDED
        is_late = allowance is not None and time.monotonic_ns() - began > allowance
        return Silence.TIMED_OUT if is_late else reply

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel; the question is the one that was put."""
        reply = self.choose(self._act.id, allowance)
        return _reply(self._act.id, reply) if isinstance(reply, int) else reply

    def tell(self, line: bytes | bytearray) -> None:
        """See Channel."""
        if line.startswith(_START):
            self._start = msgspec.json.decode(line)

    def rest(self) -> bytes:
        """See Channel. Always empty, since each question has one answer."""
        return b""

    def scheduler_delay(self) -> SchedulerDelay:
        """See Channel."""
        return NO_DELAY

    def over_limit(self) -> None:
        """See Channel. There are no limits."""

    def exit_status(self) -> int | None:
        """See Channel. It is 1 after an exception."""
        return self._status

    def stderr(self) -> str:
        """See Channel. It is the traceback of an exception."""
        said, self._said = self._said, ""
        return said

    def dismiss(self, farewell: bytes) -> None:
        """See Channel. A function needs no farewell."""

    def close(self, grace: float = 0.0) -> None:
        """See Channel. There is no process to kill."""


def _reply(token: str, choice: Any) -> bytes:
    """Return the answer to a question. Raises TypeError for a choice that is no JSON."""
    info = None
    if isinstance(choice, tuple):
        choice, info = choice
    if not isinstance(choice, Mapping | msgspec.Struct):
        choice = index(choice)
    answer = {"type": "action", "id": token, "action": choice}
    return msgspec.json.encode(answer if info is None else answer | {"info": info})


class _Players(BotProcesses):
    """The processes of the bots, with functions among them."""

    def __init__(self, job: Job, functions: Mapping[str, Chooser]) -> None:
        super().__init__(job)
        self._functions = functions

    def session(self, key: ProcessKey) -> BotSession | Offence:
        """See BotProcesses. Every game of a function has a session of its own."""
        choose = self._functions.get(key.entrant)
        if choose is None:
            return super().session(key)
        return BotSession(FunctionChannel(choose), Ready(PROTOCOL))

    def sweep(self) -> None:
        """Do nothing: the children of this process may belong to the program that calls arena."""


def function_tournament(
    rules: str,
    players: Mapping[str, str | Chooser],
    *,
    deals: int,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str | None = None,
    overrides: Sequence[str] = (),
    caller: str = "arena.play",
) -> Tournament:
    """Return the tournament of functions and bots by name; ``players``: in their order.

    ``caller``: the place of mistakes, for messages. Raises ConfigError.
    """
    here = Path.cwd()
    marks: dict[KeyPath, Mark] = {(): Mark(caller, here)}
    game: dict[str, Plain] = {"rules": rules, "schedule": {"deals": deals}}
    if seats is not None:
        game["seats"] = seats
    if options:
        game["options"] = dict(options)
    entries: list[Plain] = []
    for number, (name, player) in enumerate(players.items()):
        entry = quick_entry(player) | {"name": name} if isinstance(player, str) else stand_in(name)
        marks |= {("entrants", number, key): Mark(f"{caller}: {name}", here) for key in entry}
        entries.append(entry)
    value: dict[str, Plain] = {
        "arena": 1,
        "game": game,
        "breaker": {"then": Then.IGNORE.value},
        "entrants": entries,
    }
    if seed is not None:
        value["seed"] = seed
    found = command_line_tournament(value, marks, default_name="play", overrides=overrides)
    entrants = [
        each if isinstance(player, str) else person_entrant(each.name)
        for each, player in zip(found.entrants, players.values(), strict=True)
    ]
    return msgspec.structs.replace(found, entrants=tuple(entrants))


def names_of(players: Sequence[str | Chooser]) -> list[str]:
    """Return a name for each player: that of the function, or of the folder of the bot."""
    return numbered(
        sanitized(Path(player.removeprefix("builtin:")).name)
        if isinstance(player, str)
        else sanitized(getattr(player, "__name__", type(player).__name__))
        for player in players
    )


def play_here(
    tournament: Tournament,
    functions: Mapping[str, Chooser],
    folder: Path,
    progress: Callable[[int, int], object],
) -> None:
    """Play a run in ``folder``, game by game, in this process and thread.

    A run of the same tournament that was stopped there continues. ``functions``: by name of the
    entrant. ``progress``: called with the number of games and how many there will be after each
    one. Raises BadInput, ConfigError, StoreError, IsolationError, PoolError.
    """
    if has_programs := len(functions) < len(tournament.entrants):
        tournament = with_bots(tournament)
    programs = [each for each in tournament.entrants if each.name not in functions]
    with ExitStack() as around:
        around.enter_context(locked(folder))
        run = _run_in(folder, tournament)
        local = Local("", {})
        if has_programs:
            levels, limits = levels_of(programs), tournament.limits
            lodging = installed(programs, levels, limits, tournament.readable)
            local = around.enter_context(lodging)
        job = job_of(tournament, run, local, Seeds.of(run.opening.seed).key)
        players = _Players(job, functions)
        around.enter_context(looked_after(players, adopts=False))
        worker = Worker(job, players)
        total = run.schedule.games
        with Store(folder) as store:
            done = Done(run.schedule.numbers)
            played = sum(1 for _ in placed_games(folder, run.schedule, done))
            for block in run.schedule.blocks(done):
                for spec in block.games:
                    try:
                        report: GameDone | GameVoid = worker.play(spec)
                    except Exception as error:  # the boundary: arena or the machine failed
                        report = worker.void(spec, error)
                    if isinstance(report, GameVoid):
                        told = f"game {spec.game_id} could not be played: {report.reason}"
                        raise StoreError(f"{folder}: {told}")
                    store.add(report)
                    store.flush_if_due()
                    played += 1
                    progress(played, total)
        publish_seed(folder, run.opening)


def _run_in(folder: Path, tournament: Tournament) -> Run:
    """Return a new run, or the one in the folder, stopped before its end. Raises BadInput."""
    if not is_run(folder):
        return open_run(tournament, folder, None)
    if is_public(folder):
        raise BadInput(f"{folder}: holds a run that has ended; arena.open reads it")
    try:
        return found_run(tournament, folder)
    except ConfigMismatch as error:
        found = "; ".join(error.found)
        told = f"holds another run, which cannot continue: {found}; play into another folder"
        raise BadInput(f"{folder}: {told}") from None
