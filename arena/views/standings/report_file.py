"""A Swiss run at two seats as FIDE's tournament report file."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.documents.bad_input import BadInput
from arena.runs.reader import StoredRun
from arena.runs.rounds import players, swiss
from arena.schedule.keys import ScheduleKind
from arena.schedule.rounds.swiss import history
from arena.schedule.rounds.trf.write import write
from arena.views.standings.rounds import known_rounds, ordered
from arena.views.standings.standings import read

_COLOURS: Final = (
    "each match was played in both seatings: the format needs colours, but these say nothing, "
    "and no round was paired by them"
)


def report_file(run: StoredRun) -> str:
    """The rounds that are over, with the places of the table.

    Raises BadInput if the run is no such one, or too large for the format; StoreError.
    """
    manifest = run.manifest
    discipline = manifest.identity.disciplines[0]
    kind, seats = discipline.schedule.kind, discipline.rules.seats
    counted, verdict, _ = read(run)
    if kind is not ScheduleKind.SWISS or seats != 2 or counted.played is None:
        found = f"found trf for a run of the kind {kind} at {seats} seat{'s'[: seats != 1]}"
        raise BadInput(f"--format: {found}, expected it for swiss at 2")
    known = known_rounds(run, counted.played, verdict)
    over = [each.round for each in known if each.is_over]
    names = players(manifest.field)
    plan = msgspec.structs.replace(swiss(discipline), colours=True)
    number = {name: each for each, name in enumerate(names, 1)}
    places = {number[name]: place for place, (name, *_) in enumerate(ordered(run, over), 1)}
    try:
        return write(history(names, over, plan), manifest.name, _COLOURS, places)
    except ValueError as error:
        raise BadInput(f"--format: found trf, but {error}") from None
