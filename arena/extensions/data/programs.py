"""Opponents of learners that are programs: bots in folders, and those that come with arena."""

from __future__ import annotations

import ctypes
import os
import secrets
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

from arena.entrants.entrants import Entrant
from arena.extensions.data.api.errors import Error
from arena.extensions.data.api.functions import function_tournament, names_of
from arena.games.base import Action, Json, Rules
from arena.games.luck import derive_key
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.ask import Asker, over_line, start_line
from arena.referee.deadline import GameClock
from arena.referee.records.format import End
from arena.referee.session import BotSession, MachineTooBusy, Offence
from arena.runs.config.tournament import Tournament
from arena.tournament.executor import Job
from arena.tournament.players import installed
from arena.tournament.prepare import with_bots
from arena.tournament.processes import BotProcesses, ProcessKey, looked_after
from arena.tournament.run import levels_of
from arena.values.bad_input import printable
from arena.values.results import OnFault, Outcome, Seat, ending

_SEED_BITS: Final = 53
_SHOWN: Final = 8
"""Number of lines of standard error that an exception shows."""


class _Processes(BotProcesses):
    """The processes of the programs."""

    def sweep(self) -> None:
        """Do nothing: the children of this process may belong to the program that calls arena."""


def table_of(
    rules: Rules[Any, Action], bots: Mapping[Seat, str], settings: Sequence[str]
) -> Tournament:
    """Return a table with ``bots``, as of ``Programs``, as a tournament. Raises ConfigError."""
    spec = rules.spec
    table: list[Any] = [*bots.values(), *[print] * (spec.seats - len(bots))]  # never called
    return function_tournament(
        spec.name,
        caller="opponents",
        players=dict(zip(names_of(table), table, strict=True)),
        deals=1,
        seats=spec.seats,
        options=spec.options,
        overrides=["isolation=none", *settings],
    )


class Programs:
    """The programs at a table of learners, a process for each seat.

    They are ended by ``close``, and when this object is no longer used or Python ends.
    """

    def __init__(
        self, rules: Rules[Any, Action], bots: Mapping[Seat, str], settings: Sequence[str]
    ) -> None:
        """``bots``: by seat, as for ``arena.play``. ``settings``: as ``--set`` of ``arena run``.

        Raises ConfigError, IsolationError, PoolError.
        """
        found = with_bots(table_of(rules, bots, settings))
        entrants = found.entrants[: len(bots)]
        self._rules, self._control = rules, found.clock
        self._entrants: dict[Seat, Entrant] = dict(zip(bots, entrants, strict=True))
        self._askers: dict[Seat, Asker] = {}
        self._sessions: dict[Seat, BotSession] = {}
        with ExitStack() as stack:
            lodging = installed(entrants, levels_of(entrants), found.limits, found.readable)
            job = Job(
                {},
                (),
                found.clock,
                False,
                OnFault.END,
                False,
                b"",
                stack.enter_context(lodging),
                found.pondering,
            )
            self._processes = _Processes(job)
            stack.enter_context(looked_after(self._processes, adopts=False))
            around = stack.pop_all()
        self._end = weakref.finalize(self, _end, around, os.getpid())

    def begin(self, key: bytes) -> None:
        """Begin a game; ``key``: for the seeds of the bots. Raises Error."""
        self.over(None)
        clock = GameClock(self._control, self._rules.info.seats)
        for seat, entrant in self._entrants.items():
            try:
                session = self._processes.session(ProcessKey(entrant.name, seat))
                if isinstance(session, BotSession):
                    seed = int.from_bytes(derive_key(key, "bot", seat)[:8]) >> (64 - _SEED_BITS)
                    start = start_line(
                        self._rules.spec,
                        seat,
                        self._control,
                        secrets.token_hex(8),
                        seed,
                        entrant.options,
                        None,
                    )
                    session = session.begin(start, self._control) or session
            except (OSError, IsolationError, MachineTooBusy) as error:
                raise Error(f"{entrant.name} cannot be started: {error}") from None
            if isinstance(session, Offence):
                raise self._failure(seat, session)
            self._sessions[seat] = session
            self._askers[seat] = Asker(session, self._rules, seat, clock)

    def answer(
        self, seat: Seat, state: Any, legal: Sequence[Action], events: Sequence[Json]
    ) -> Action:
        """Return the action that the program at ``seat`` chooses. Raises Error if it fails."""
        try:
            answer = self._askers[seat].ask(self._rules.observe(state, seat), events, legal)
        except MachineTooBusy as error:
            raise Error(f"{self._entrants[seat].name}: {error}") from None
        except BaseException:  # such as Ctrl-C: the program still owes an answer
            self._drop(seat)
            raise
        if isinstance(answer, Offence):
            raise self._failure(seat, answer)
        return answer[0]

    def over(self, outcome: Outcome | None) -> None:
        """Tell the programs that the game has ended; None: that it was given up."""
        seats = self._rules.info.seats
        losing = () if outcome else [seat for seat in range(seats) if seat not in self._entrants]
        end = ending(outcome, losing, seats)
        line = over_line(End(0, end.termination, end.places, end.scores, (), end.ruling))
        for session in self._sessions.values():
            session.channel.tell(line)
        self._sessions.clear()

    def close(self) -> None:
        """End all programs."""
        self._end()

    def _failure(self, seat: Seat, offence: Offence) -> Error:
        """End the program at ``seat`` and return what went wrong; the next game starts it again."""
        name, session = self._entrants[seat].name, self._sessions.get(seat)
        said = session.channel.stderr() if session else offence.stderr
        self._drop(seat)
        told = f"seat_{seat}: {name}: {offence.kind}: {offence.detail}"
        return Error("\n".join([told, *map(printable, said.strip().splitlines()[-_SHOWN:])]))

    def _drop(self, seat: Seat) -> None:
        """End the program at ``seat``; the next game starts it again."""
        self._sessions.pop(seat, None)
        self._processes.drop(ProcessKey(self._entrants[seat].name, seat))


def _end(around: ExitStack, owner: int) -> None:
    """End the programs, unless this is a copy in a process that was forked since.

    Such a copy is never freed: its context managers would end the programs of its parent.
    """
    if os.getpid() == owner:
        around.close()
    else:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(around))
