"""Games between Python functions and bots, in this process.

Functions are not isolated: they share memory, modules and time with arena and with each other. A
function that raises an exception commits a fault; the traceback is kept like the standard error of
a bot that crashed.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from arena.config.tournament import (
    Tournament,
    command_line_tournament,
    quick_entry,
    sanitized,
)
from arena.documents.problems import KeyPath, Mark, Plain
from arena.protocol.messages import PROTOCOL, Ready
from arena.referee.channel import Reply, Silence
from arena.referee.deadline import NO_DELAY, SchedulerDelay
from arena.referee.faults import Offence
from arena.referee.session import BotSession
from arena.results import GameDone, GameVoid, Then
from arena.runs.disk import StoreError
from arena.runs.store import Store
from arena.schedule.seeds import Seeds
from arena.studies.play.table import person_entrant, stand_in
from arena.tournament.jobs import Job
from arena.tournament.local.players import installed
from arena.tournament.local.processes import BotProcesses, ProcessKey, looked_after
from arena.tournament.local.worker import Worker
from arena.tournament.prepare import job_of, opened, with_bots
from arena.tournament.run import levels_of, publish_seed

_START: Final = b'{"type":"start"'
_ACT: Final = b'{"type":"act"'


class _RawAct(msgspec.Struct, tag="act"):
    """A question whose parts are still JSON."""

    id: str
    observation: msgspec.Raw
    events: msgspec.Raw
    legal: msgspec.Raw
    time_left: float | None = None


_ACTS: Final = msgspec.json.Decoder(_RawAct)


class SeatQuestion:
    """A question to a function: what a bot is sent. Its parts are decoded when they are used."""

    def __init__(self, act: _RawAct, start: Mapping[str, Any]) -> None:
        self._act = act
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

    @cached_property
    def observation(self) -> Any:
        """Observation of the seat."""
        return msgspec.json.decode(self._act.observation)

    @cached_property
    def events(self) -> list[Any]:
        """Events that the seat saw since it was last asked, oldest first."""
        return list(msgspec.json.decode(self._act.events))

    @cached_property
    def legal(self) -> list[Any]:
        """All legal actions."""
        return list(msgspec.json.decode(self._act.legal))


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

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        """See Channel. The function cannot be stopped; a late answer is a timeout."""
        began = time.monotonic_ns()
        act = _ACTS.decode(question)
        try:
            reply = _reply(act.id, self._choose(SeatQuestion(act, self._start)))
        except Exception as error:
            own = error.__traceback__ and error.__traceback__.tb_next  # without the frame above
            self._said = "".join(traceback.format_exception(type(error), error, own))
            self._status = 1
            return Silence.ENDED
        is_late = allowance is not None and time.monotonic_ns() - began > allowance
        return Silence.TIMED_OUT if is_late else reply

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
) -> Tournament:
    """Return the tournament of functions and bots by name; ``players``: in their order.

    Raises ConfigError.
    """
    here = Path.cwd()
    marks: dict[KeyPath, Mark] = {(): Mark("arena.play", here)}
    game: dict[str, Plain] = {"rules": rules, "schedule": {"deals": deals}}
    if seats is not None:
        game["seats"] = seats
    if options:
        game["options"] = dict(options)
    entries: list[Plain] = []
    for number, (name, player) in enumerate(players.items()):
        entry = quick_entry(player) | {"name": name} if isinstance(player, str) else stand_in(name)
        marks |= {("entrants", number, key): Mark(f"arena.play: {name}", here) for key in entry}
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


def names_of(players: Sequence[str | Chooser]) -> Iterator[str]:
    """Yield a name for each player: that of the function, or of the folder of the bot."""
    taken: set[str] = set()
    for player in players:
        if isinstance(player, str):
            name = sanitized(Path(player.removeprefix("builtin:")).name)
        else:
            name = sanitized(getattr(player, "__name__", type(player).__name__))
        own, number = name, 1
        while own.lower() in taken:
            number += 1
            own = f"{name}-{number}"
        taken.add(own.lower())
        yield own


def play_here(
    tournament: Tournament,
    functions: Mapping[str, Chooser],
    folder: Path,
    progress: Callable[[int, int], object],
) -> None:
    """Play a new run in ``folder``, game by game, in this process and thread.

    ``functions``: by name of the entrant. ``progress``: called with the number of games and how
    many there will be after each one. Raises ConfigError, StoreError, IsolationError, PoolError.
    """
    tournament = with_bots(tournament)
    with ExitStack() as around:
        run = around.enter_context(opened(tournament, folder, None))
        programs = [each for each in tournament.entrants if each.name not in functions]
        lodging = installed(programs, levels_of(programs), tournament.limits, tournament.readable)
        local = around.enter_context(lodging)
        job = job_of(tournament, run, local, Seeds.of(run.opening.seed).key)
        players = _Players(job, functions)
        around.enter_context(looked_after(players, adopts=False))
        worker = Worker(job, players)
        total, played = run.schedule.games, 0
        with Store(folder) as store:
            for block in run.schedule.blocks():
                for spec in block.games:
                    try:
                        report: GameDone | GameVoid = worker.play(spec)
                    except Exception as error:  # the boundary: arena or the machine failed
                        report = worker.void(spec, error)
                    if isinstance(report, GameVoid):
                        told = f"game {spec.game_id} could not be played: {report.reason}"
                        raise StoreError(f"{folder}: {told}")
                    store.add(report)
                    played += 1
                    progress(played, total)
        publish_seed(folder, run.opening)
