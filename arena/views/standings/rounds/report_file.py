"""A Swiss run at two seats as FIDE's tournament report file."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.documents.bad_input import BadInput
from arena.runs.reader import StoredRun
from arena.schedule.kinds.swiss import SwissKind, history, order, swiss
from arena.schedule.rounds.history import write
from arena.views.standings.rounds.panels import begun_stages
from arena.views.standings.standings import read

_COLOURS: Final = (
    "each match was played in both seatings: the format needs colours, but these say nothing, "
    "and no round was paired by them"
)


def report_file(run: StoredRun) -> str:
    """Return the finished rounds with the places of the table; of several stages, the first.

    Raises BadInput if the run is not Swiss at two seats, or too large for the format; StoreError.
    """
    discipline = run.manifest.identity.disciplines[0]
    first, seats = discipline.schedule.parts[0].kind, discipline.rules.seats
    counted, verdict, _ = read(run)
    if first != SwissKind.name or seats != 2 or counted.played is None:
        found = f"found trf for a run of the kind {first} at {seats} seat{'s'[: seats != 1]}"
        raise BadInput(f"--format: {found}, expected a swiss tournament at 2 seats")
    now = begun_stages(run, counted.played, verdict)[0][0]
    over = [each for each in now.before if each.is_over]
    plan = msgspec.structs.replace(swiss(now.discipline), colours=True)
    number = {name: each for each, name in enumerate(now.players, 1)}
    ordered = order(now._replace(before=over))
    places = {number[each.name]: place for place, each in enumerate(ordered, 1)}
    try:
        known = history(now.players, [each.round for each in over], plan)
        return write(known, run.manifest.name, _COLOURS, places)
    except ValueError as error:
        raise BadInput(f"--format: found trf, but {error}") from None
