"""Blocks of a page for one bot: opponents, faults, places in disciplines, and notable games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from arena.text.cells import Cell, Share
from arena.text.numbers import NOTHING, score_line
from arena.views.page.blocks.block import (
    GridCell,
    GridTable,
    Head,
    PageBlock,
    PageCell,
    Quote,
    link,
    linked,
    name_cell,
)
from arena.views.page.drawing import escape
from arena.views.standings.rounds.bracket import KnockoutData
from arena.views.standings.rounds.panels import RoundsData
from arena.views.standings.tables import Section, leading

Address: TypeAlias = Callable[[str], str]
"""Function from the address of a target to a link from the page that is made."""


class Opponent(NamedTuple):
    """Another entrant that the bot met."""

    name: str
    page: str
    """Address of its page or section; empty: none."""
    games: int
    score: float | None
    """Share of the points, 0 to 1; None if no game compares the two."""
    cell: GridCell | None = None
    """Cell of the score, if it is more than the number."""


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


def rounds_places(section: Section) -> dict[str, tuple[int, str]]:
    """Return place and points by entrant, in the last stage of a tournament by rounds.

    Only entrants that have a place already; a knockout has no points.
    """
    data = next((panel.data for panel in leading(section)), None)
    if isinstance(data, RoundsData):
        return {each.name: (each.place, f"{each.points:g}") for each in data.places}
    if isinstance(data, KnockoutData):
        return {each.name: (each.place, "") for each in data.places}
    return {}


def opponent_block(opponents: Sequence[Opponent], met: int, up: Address) -> PageBlock:
    """Return the block of ``opponents``, out of ``met``; ``up``: see ``Address``."""
    heads = [Head("against"), Head("games", "right"), Head("score", "right")]
    rows: list[list[PageCell]] = [
        [
            name_cell(each.name, href=each.page and up(each.page)),
            each.games,
            each.cell or Share(each.score, 1, unit=" %"),
        ]
        for each in opponents
    ]
    left = met - len(opponents)
    return PageBlock(
        key="opponents",
        title="Opponents",
        intro="Those with most games first; the score is the share of points taken off them.",
        tables=[GridTable("Opponents", heads, rows)],
        remarks=[f"and {left} more"] if left else [],
    )


def discipline_block(places: Sequence[tuple[str, str, str, str]]) -> PageBlock:
    """Return the block of title, place, rating and interval in each discipline."""
    heads = [Head("discipline"), Head("place", "right"), Head("rating", "right"), Head("95 %")]
    rows = places
    return PageBlock("tables", "Disciplines", tables=[GridTable("Disciplines", heads, rows)])


def own_fault_block(
    faults: Sequence[tuple[str, int]], intro: str = "", quotes: Sequence[Quote] = ()
) -> PageBlock:
    """Return the block of a bot's faults: kinds with their numbers; ``quotes``: the evidence."""
    if not faults:
        return PageBlock("faults", "Faults", intro="None.")
    heads = [Head("fault"), Head("games", "right")]
    rows = faults
    table = GridTable("Faults", heads, rows)
    return PageBlock("faults", "Faults", intro, tables=[table], quotes=quotes)


def game_blocks(
    best: Sequence[GameLine], worst: Sequence[GameLine], latest: Sequence[GameLine], up: Address
) -> Iterator[PageBlock]:
    """Yield the blocks of notable games that exist; ``up``: see ``Address``."""
    for key, title, lines in (
        ("best", "Best results", best),
        ("worst", "Worst results", worst),
        ("latest", "Latest games", latest),
    ):
        if lines:
            yield PageBlock(key, title, tables=[line_table(title, lines, up)])


def line_table(caption: str, lines: Sequence[GameLine], up: Address) -> GridTable:
    """Return ``lines`` as a table without columns that are empty; ``up``: see ``Address``."""
    columns: list[tuple[str, bool, Callable[[GameLine], PageCell]]] = [
        ("game", any(line.address for line in lines), lambda line: _watch(line, up)),
        ("bots, the winner first", True, lambda line: linked(_players(line, up))),
        ("score", True, _scores),
        ("faults", any(line.faults for line in lines), _faults),
        (
            "discipline",
            any(line.discipline for line in lines),
            lambda line: line.discipline,
        ),
        (
            "played (UTC)",
            any(line.when for line in lines),
            lambda line: line.when or NOTHING,
        ),
    ]
    shown = [(Head(text, is_sorted=False), cell) for text, is_shown, cell in columns if is_shown]
    rows = [[cell(line) for _, cell in shown] for line in lines]
    return GridTable(caption, [head for head, _ in shown], rows, "s-games")


def _watch(line: GameLine, up: Address) -> GridCell:
    return linked([link("watch", up(line.address)) if line.address else escape(NOTHING)])


def _scores(line: GameLine) -> Cell:
    scores = () if line.scores is None else [line.scores[seat] for seat in _order(line)]
    return score_line(scores) or NOTHING


def _faults(line: GameLine) -> GridCell:
    faults = [f"{line.seats[seat][0]}: {kind}" for seat, kind in line.faults]
    return GridCell(", ".join(faults), kind="r-fault")


def _order(line: GameLine) -> list[int]:
    """Return the seats, the winner first."""
    return sorted(range(len(line.seats)), key=lambda seat: (line.places[seat], seat))


def _players(line: GameLine, up: Address) -> list[Markup]:
    order, found = _order(line), []
    for k, seat in enumerate(order):
        if k:
            above = line.places[order[k - 1]] < line.places[seat]
            found.append(escape(" beat " if above and k == 1 else ", " if above else " = "))
        name, address = line.seats[seat]
        found.append(link(name, address and up(address)))
    return found
