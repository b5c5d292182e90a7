"""The ``Remote`` of a Dask cluster, and what its workers can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from arena.entrants.entrants import Entrant
from arena.extensions.machines.direct import LOCAL, check_address
from arena.extensions.machines.survey_report import SurveyReport, report
from arena.runs.config.tournament import Tournament
from arena.schedule.seeds import Seeds
from arena.tournament.executor import NOWHERE, Executor
from arena.tournament.prepare import job_of
from arena.tournament.run import Run

_NAMED: Final = 3
"""Largest number of bots that a message names."""


class DaskCluster:
    """The workers of a Dask cluster as a ``tournament.prepare.Remote``."""

    def __init__(self, on: str) -> None:
        """Check the address. Raises BadInput. Imports no Dask, and connects to nothing."""
        check_address(on)
        self._on = on

    def check_entrants(self, entrants: Sequence[Entrant]) -> None:
        """Raise BadInput if a bot cannot be sent to the workers."""
        from arena.extensions.machines.messages import travellers

        travellers(entrants)

    def check_reachable(self) -> None:
        """Raise BadInput if no scheduler answers; one for a run alone is not there yet."""
        if self._on == LOCAL:
            return
        from arena.extensions.machines.cluster import check_reachable

        check_reachable(self._on)

    @contextmanager
    def executor(
        self, tournament: Tournament, run: Run, workers: int, note: Callable[[str], None]
    ) -> Iterator[Executor]:
        """Yield the fleet of the workers, to which the seed is never sent."""
        from arena.extensions.machines import dask  # only play on a cluster waits for these imports
        from arena.extensions.machines.fleet import Fleet
        from arena.extensions.machines.messages import Setup, travellers

        setup = Setup(
            job=job_of(tournament, run, NOWHERE),
            bots=travellers(tournament.entrants),
            limits=tournament.limits,
            readable=tournament.readable,
            places=1,
            pin=tournament.execution.pin,
        )
        seeds, most = Seeds.of(run.opening.seed), tournament.execution.workers or math.inf
        with (
            dask.DaskTransport(self._on, workers) as transport,
            Fleet(transport, setup, seeds, most, note) as fleet,
        ):
            if transport.is_plain and (text := open_to(tournament.entrants)):
                note(text)
            yield fleet

    def survey(self, isolation: str | None) -> SurveyReport:
        """Return the report on all workers that are there now. Raises BadInput without any Dask."""
        from arena.extensions.machines.survey import survey

        return report(msgspec.structs.replace(survey(self._on), wanted=isolation))


def open_to(entrants: Sequence[Entrant]) -> str:
    """Return a warning about bots that can run code on a cluster without TLS, or an empty text."""
    names = [each.name for each in entrants if not each.isolation.closes_files()]
    if not names:
        return ""
    whom = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    return (
        f"warning: without TLS bots that have a network can run anything on this cluster: {whom}; "
        "take tls:// or isolation sandbox (docs/machines.md)"
    )
