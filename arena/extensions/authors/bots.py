"""A bot outside of a tournament: found, built, started and kept within its limits.

Its processes are those of a worker (see ``BotProcesses``), without a tournament around them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.entrants.entrants import Entrant, Roster, with_numbers
from arena.entrants.folders import Bounds
from arena.entrants.manifest import Bot, EntrantFile, check_options, complete_options, plays
from arena.hosting.sandbox.isolation import Isolation
from arena.referee.session import BotSession, Offence
from arena.runs.config.tournament import quick_entry
from arena.tournament.executor import Job, Local
from arena.tournament.players import built, installed
from arena.tournament.processes import BotProcesses, ProcessKey, looked_after
from arena.tournament.run import levels_of
from arena.values.problems import Document, KeyPath, Mark, Plain, Problems
from arena.values.results import Limits, OnFault, TimeControl


class Setting(NamedTuple):
    """Terms on which bots are asked."""

    control: TimeControl = TimeControl()
    limits: Limits = Limits()
    pondering: bool = True
    names_shown: bool = True
    readable: tuple[str, ...] = ()
    """Absolute paths that bots may read where files are otherwise closed to them."""
    bounds: Bounds | None = None
    """Limits on what a build leaves; None: the usual ones."""


class BuildableBot(NamedTuple):
    """A bot that can be built."""

    entrant: Entrant
    bot: Bot | None
    """Manifest and folder; None for a command alone."""

    @property
    def name(self) -> str:
        """Name of its entrant."""
        return self.entrant.name

    def among(self, entrants: Collection[str]) -> str | None:
        """Return the name in ``entrants`` that is this candidate's, or None.

        The entrant's own name comes first, then, at a git revision, the name in its manifest.
        """
        names = [
            self.name,
            *([self.bot.manifest.name] if self.bot and self.entrant.revision else []),
        ]
        return next((name for name in names if name in entrants), None)

    @property
    def claims_determinism(self) -> bool:
        """True if its manifest says that the same seed gives the same actions."""
        return self.bot is not None and self.bot.manifest.deterministic

    def plays(self, rules: str, seats: int) -> bool:
        """Return True if the bot plays ``rules`` at a table of ``seats`` seats."""
        return self.bot is None or plays(self.bot.manifest, rules, seats)

    def options(self, recorded: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``bot_options`` to send where an entrant was sent ``recorded``.

        Recorded values are kept where the bot has such options and allows the values; other options
        have the bot's own defaults. A command gets all of ``recorded``.
        """
        if self.bot is None:
            return dict(recorded)
        fitting = {name: value for name, value in recorded.items() if _has(self.bot, name, value)}
        return dict(complete_options(self.bot.manifest, fitting))


def _has(bot: Bot, name: str, value: object) -> bool:
    problems = Problems(bot.document)
    check_options(bot, {name: value}, (), problems)
    return not problems.found()


def find_bot(text: str, isolation: Isolation, readable: Sequence[str] = ()) -> BuildableBot:
    """Return the bot in a folder, or the command, named by ``text`` as for ``arena run -g``.

    ``readable``: as in ``Launch``. Raises ConfigError with everything that is wrong with it.
    """
    return find_bots([text], isolation, readable)[0]


def find_bots(
    texts: Sequence[str], isolation: Isolation, readable: Sequence[str] = ()
) -> list[BuildableBot]:
    """Return the bot of each text as ``find_bot`` does; repeated names get a number."""
    here = Path.cwd()
    written = [quick_entry(text) for text in texts]
    marks: dict[KeyPath, Mark] = {(): Mark("command line", here)}
    given: list[EntrantFile] = []
    for index, (text, entry) in enumerate(zip(texts, written, strict=True)):
        mark = Mark(text, here)
        marks |= {("entrants", index): mark}
        marks |= {("entrants", index, key): mark for key in entry}
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()
        }
        given.append(EntrantFile(**values))
    document = Document({"entrants": list[Plain](written)}, marks)
    problems = Problems(document)
    entries = Roster(document, problems, isolation, readable).entries(given)
    problems.raise_if_any()
    return [BuildableBot(each.entrant, each.bot) for each in with_numbers(entries)]


class Processes:
    """The processes of one bot and of its opponents; a context manager that ends them all."""

    def __init__(
        self,
        candidate: BuildableBot,
        setting: Setting,
        others: Sequence[BuildableBot] = (),
        start: Callable[[Job], BotProcesses] = BotProcesses,
    ) -> None:
        """Build the bots if need be.

        ``start`` makes the object that keeps the processes. Raises ConfigError, IsolationError,
        PoolError.
        """
        everybody = [candidate.entrant, *(each.entrant for each in others)]
        entrants = built(everybody, setting.readable, bounds=setting.bounds)
        self._name = candidate.name
        with contextlib.ExitStack() as stack:
            lodging = installed(entrants, levels_of(entrants), setting.limits, setting.readable)
            self._processes = start(_job(stack.enter_context(lodging), setting))
            self._around = stack.pop_all()

    def __enter__(self) -> Self:
        self._around.enter_context(looked_after(self._processes))
        return self

    def __exit__(self, *_: object) -> None:
        self._around.close()

    def session(self, process: int, name: str | None = None) -> BotSession | Offence:
        """Return the session of process number ``process``, started if need be.

        ``name``: that of another bot. Raises OSError, IsolationError or MachineTooBusy if the
        machine does not let it start.
        """
        return self._processes.session(ProcessKey(name or self._name, process))

    def drop(self, process: int) -> None:
        """Kill the process; the next session of that number starts a new one."""
        self._processes.drop(ProcessKey(self._name, process))

    def sweep(self) -> None:
        """Kill every process that the bots' processes left running."""
        self._processes.sweep()


def _job(local: Local, setting: Setting) -> Job:
    """Return the job that bot processes need; nothing is drawn from its seed."""
    return Job(
        rules={},
        players=(),
        control=setting.control,
        names_shown=setting.names_shown,
        on_fault=OnFault.AUTOPILOT,
        fresh=False,
        seed_key=b"",
        local=local,
        pondering=setting.pondering,
    )
