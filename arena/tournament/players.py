"""From entrants to players: what a worker needs to start their bots."""

from __future__ import annotations

from collections.abc import Iterable

from arena.hosting.isolation import Launch
from arena.hosting.yard import Yard
from arena.tournament.entrants import Entrant
from arena.tournament.jobs import Player


def players(entrants: Iterable[Entrant], yard: Yard) -> tuple[Player, ...]:
    """The players of a run, their folders copied to the yard."""
    return tuple(
        Player(each.name, Launch(each.command, each.folder, each.env), each.options)
        for each in entrants
    )
