"""Tables of games: one row each, with a link if the game can be stepped through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from arena.runs.store import Stored
from arena.text import clean
from arena.text.numbers import NOTHING, score_line
from arena.views.page.drawing.grids import GridCell, GridTable, Head
from arena.views.site.addresses import game_page
from arena.views.site.html import link, linked
from arena.views.site.model import Site
from arena.views.site.steps import moment


class GameLine(NamedTuple):
    """Row on a game in a table of games."""

    when: str
    """Time in UTC, to the minute; empty: not known."""
    discipline: str
    """Discipline; empty if there is only one."""
    seats: tuple[tuple[str, str], ...]
    """Names of bots with the addresses of their pages, by seat."""
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    faults: tuple[tuple[int, str], ...]
    """Pairs of seat and kind of fault."""
    address: str
    """Address of its page; empty without one."""


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


def line_table(caption: str, lines: Sequence[GameLine], page: str) -> GridTable:
    """Return the rows ``lines`` as a table of the page with the address ``page``."""
    several = any(line.discipline for line in lines)
    faulty = any(line.faults for line in lines)
    heads = [
        Head("game", is_sorted=False),
        Head("bots, the winner first", is_sorted=False),
        Head("score", is_sorted=False),
        *([Head("faults", is_sorted=False)] if faulty else []),
        *([Head("discipline", is_sorted=False)] if several else []),
        Head("played (UTC)", is_sorted=False),
    ]
    rows = [_row(line, page, several=several, faulty=faulty) for line in lines]
    return GridTable(caption, heads, rows, "s-games")


def _row(line: GameLine, page: str, *, several: bool, faulty: bool) -> list[GridCell]:
    order = sorted(range(len(line.seats)), key=lambda seat: (line.places[seat], seat))
    scores = () if line.scores is None else [line.scores[seat] for seat in order]
    faults = [f"{clean.plain(line.seats[seat][0])}: {kind}" for seat, kind in line.faults]
    return [
        linked([_watch(line, page)]),
        linked(_players(line, order, page)),
        GridCell(score_line(scores) or NOTHING),
        *([GridCell(", ".join(faults), kind="r-fault")] if faulty else []),
        *([GridCell(clean.plain(line.discipline))] if several else []),
        GridCell(line.when or NOTHING),
    ]


def _watch(line: GameLine, page: str) -> Markup:
    return link("watch", line.address, page) if line.address else escape(NOTHING)


def _players(line: GameLine, order: Sequence[int], page: str) -> list[Markup]:
    found = []
    for k, seat in enumerate(order):
        if k:
            above = line.places[order[k - 1]] < line.places[seat]
            found.append(escape(" beat " if above and k == 1 else ", " if above else " = "))
        found.append(link(*line.seats[seat], page))
    return found
