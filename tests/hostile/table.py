"""Plays hostile bots at tables of honest ones, through the pool of workers that a run uses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple

from arena.games.registry import rules_spec
from arena.hosting.workspace.cells import Workspace
from arena.schedule.schedule import Block
from arena.schedule.seeds import Seeds
from arena.tournament.dispatch import Dispatch, longest_game
from arena.tournament.executor import EntrantSpec, Job, Local, LocalBot
from arena.tournament.pool import Pool
from arena.values.results import GameDone, GameResult, GameSpec, GameVoid, OnFault, TimeControl
from tests.hostile.canaries import Canaries
from tests.hostile.folders import LIMITS, NONE, Folders
from tests.hostile.rows import LEVELS, Pace, Row
from tests.hostile.watch import Watch
from tests.tournament.executors import in_order

CLOCKS: Final = {
    Pace.PATIENT: TimeControl(move=60.0, startup=60.0),
    Pace.QUICK: TimeControl(move=0.5, startup=3.0),
    Pace.FROZEN: TimeControl(move=60.0, startup=60.0),
}
TABLES: Final = {2: "dragonheart", 4: "dragonkrak"}
"""Rules by number of seats."""
SEAT: Final = {2: 0, 4: 2}
"""Where the hostile bot sits."""
_MAX_PLIES: Final = 1000


class Match(NamedTuple):
    """What came of one game with one hostile bot."""

    verdict: str
    """The kind of its fault, ``ok``, or ``void``."""
    said: str
    """What it wrote to standard error."""
    result: GameResult | None
    others: tuple[str, ...]
    """Faults of honest bots."""
    detail: str
    seconds: float


class Table:
    """One worker at one pace, and all bots at all levels. A context manager."""

    def __init__(
        self,
        pace: Pace,
        rows: Sequence[Row],
        canaries: Canaries,
        workspace: Workspace,
        folders: Folders,
    ) -> None:
        self._folders = folders
        self._mark, self._workspace = canaries.mark, workspace
        self._targets = canaries.targets(LIMITS)
        bots = dict(self._bots(rows))
        job = Job(
            rules={_name(seats): rules_spec(rules, seats) for seats, rules in TABLES.items()},
            players=tuple(EntrantSpec(name, options) for name, (options, _) in bots.items()),
            control=CLOCKS[pace],
            names_shown=False,
            on_fault=OnFault.AUTOPILOT,
            fresh=True,
            seed_key=Seeds.of("hostile").key,
            local=Local(str(workspace.root), {name: bot for name, (_, bot) in bots.items()}),
            pondering=pace is not Pace.FROZEN,
        )
        self._pool = Pool(job, 1, pin=False)
        self._dispatch = Dispatch(self._pool, longest_game(CLOCKS[pace], max(TABLES), _MAX_PLIES))
        self._games = 0

    def __enter__(self) -> Table:
        self._pool.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.__exit__(kind, error, trace)

    def _bots(self, rows: Sequence[Row]) -> Iterator[tuple[str, tuple[dict[str, Any], LocalBot]]]:
        """By name, with what each is told."""
        for level in LEVELS:
            limits = NONE if level == "none" else LIMITS
            for row in rows:
                launch = self._folders.launch(row, level)
                options = self._targets | {"note": "x" * row.told}
                yield f"{row.name}@{level}", (options, LocalBot(launch, limits))
            for bot in ("honest", "slow"):
                for number in range(4):
                    launch = self._folders.honest(bot, level)
                    yield f"{bot}{number}@{level}", ({}, LocalBot(launch, limits))

    def watch(self) -> Watch:
        """Of the worker as it is now."""
        pid = self._pool._slots[0].process.pid
        assert pid is not None
        return Watch(pid, self._workspace.root, self._mark)

    def play(self, row: Row | None, level: str, seats: int) -> Match:
        """One game, always with the same cards. None: an honest bot in the place of a hostile."""
        honest = "honest" if row is None or row.quiet else "slow"
        names = [f"{honest}{seat}@{level}" for seat in range(seats)]
        if row is not None:
            names[SEAT[seats]] = f"{row.name}@{level}"
        self._games += 1
        game = f"{_name(seats)}/{self._games}:0"
        spec = GameSpec(game, f"{game}-block", "the same", 0, tuple(names))
        began = time.monotonic()
        (report,) = [
            report
            for report in self._dispatch.play(in_order([Block(spec.block, (spec,))]))
            if report is not None
        ]
        return _match(report, seats, time.monotonic() - began)


def _name(seats: int) -> str:
    return f"{TABLES[seats]}-{seats}"


def _match(report: GameDone | GameVoid, seats: int, seconds: float) -> Match:
    if isinstance(report, GameVoid):
        why = report.reason.strip().splitlines()[-1:] or [""]
        return Match("void", "", None, (), f"{report.cause}: {why[0]}", seconds)
    faults: dict[int, Any] = {fault.seat: fault for fault in report.result.faults}
    own = faults.pop(SEAT[seats], None)
    others = tuple(f"{fault.kind} of seat {seat}: {fault.detail}" for seat, fault in faults.items())
    verdict, detail = (str(own.kind), own.detail) if own else ("ok", "")
    return Match(verdict, report.stderr[SEAT[seats]], report.result, others, detail, seconds)
