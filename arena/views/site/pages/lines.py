"""Rows on games, with a link if the game can be stepped through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.runs.store import Stored
from arena.views.page.blocks.bots import GameLine
from arena.views.site.addresses import game_page
from arena.views.site.model import Site
from arena.views.site.steps import moment


def game_lines(
    site: Site, games: Sequence[Stored], opened: Callable[[Stored], bool]
) -> tuple[GameLine, ...]:
    """Return the rows of games; ``opened``: whether a game has a page."""
    return tuple(_line(site, stored, is_opened=opened(stored)) for stored in games)


def _line(site: Site, stored: Stored, *, is_opened: bool) -> GameLine:
    result = stored.result
    spec = result.spec
    return GameLine(
        when=moment(stored.played_at)[:16].replace("T", " "),
        discipline=spec.discipline if len(site.disciplines) > 1 else "",
        seats=tuple((name, site.page_of(name)) for name in spec.entrants),
        places=result.places,
        scores=result.scores,
        faults=tuple((fault.seat, fault.kind.value) for fault in result.faults),
        address=game_page(spec.game_id) if is_opened else "",
    )
