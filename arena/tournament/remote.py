"""Find the machines that ``--on`` names; an extension brings what plays there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import msgspec

from arena import extensions
from arena.entrants.entrants import Entrant
from arena.runs.config.tournament import Tournament
from arena.tournament.executor import Executor
from arena.tournament.run import Run
from arena.values.problems import quote


class ReportSection(NamedTuple):
    """A table of a report on machines."""

    title: str
    rows: Sequence[tuple[str, ...]]
    headers: tuple[str, ...] = ()
    is_prose: bool = False
    """True if the last column is wrapped where it is long."""


class SurveyReport(NamedTuple):
    """Findings on machines, for people."""

    document: msgspec.Struct
    """Findings for programs."""
    head: str
    """First line."""
    sections: Sequence[ReportSection]
    remarks: Sequence[str]
    """Last lines."""
    able: str
    """How many can play; empty if none can."""
    problem: str
    """Reason why none can play; empty if some can."""


class Remote(Protocol):
    """Machines at an address, which plays nothing until it has an executor."""

    def check_entrants(self, entrants: Sequence[Entrant]) -> None:
        """Raise BadInput if a bot cannot be sent there."""

    def check_reachable(self) -> None:
        """Raise BadInput if nothing answers at the address."""

    def executor(
        self, tournament: Tournament, run: Run, workers: int, note: Callable[[str], None]
    ) -> AbstractContextManager[Executor]:
        """Return what plays a run there with ``workers`` at most; ``note`` gets its messages."""

    def survey(self, isolation: str | None) -> SurveyReport:
        """Return what the machines can do; ``isolation``: the level at which they are to play."""


def remote(on: str) -> Remote:
    """Return the machines that ``--on`` names. Raises BadInput if games cannot be played there."""
    scheme = on.partition("://")[0]
    found: Remote = extensions.need(f"--on: {quote(on)}", "remotes", scheme, "")(on)
    return found
