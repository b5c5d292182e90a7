"""Pages of bots in a site: what they have beside the sections of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

from arena.runs.store import Stored
from arena.text.numbers import over
from arena.text.tables import PageBlock, Sign
from arena.views.page.bots import VERSIONS, Shown, bot_pages
from arena.views.page.counting.results import VersionedBot
from arena.views.page.drawing import SERIES, Curve, Curves
from arena.views.page.model import Page
from arena.views.site.model import Site
from arena.views.standings.measured import cost_panel

Points: TypeAlias = tuple[tuple[float, float], ...]
"""Rounds or days, with the ratings after them."""
_FAULTS: Final = "What happened in each the author finds in the pack of the bot."


def site_bots(site: Site, address: Callable[[Stored], str], *, costs: bool) -> Iterator[Page]:
    """Yield the page of every bot.

    ``address``: function from a game to the address of its page. ``costs``: show the time and
    memory that bots took.
    """
    more = partial(_more, site, costs=costs)
    return bot_pages(site, Shown(address, blocks=more, faults=_FAULTS))


def _more(site: Site, player: VersionedBot, *, costs: bool) -> Iterator[PageBlock]:
    """Yield the ratings over time, and what the bot took."""
    own = list(_curves(site, player))[-VERSIONS:]
    if any(len(points) > 1 for _, points in own):
        yield _history_block(site, player, own)
    if not costs or site.counted.costs is None:
        return
    for each in site.disciplines:
        if found := site.counted.costs.numbers(each.name, player.versions):
            block = cost_panel(found)
            if len(site.disciplines) > 1:
                block = block._replace(title=f"{block.title}: {site.run.titles[each.name]}")
            yield block


def _curves(site: Site, player: VersionedBot) -> Iterator[tuple[int, Points]]:
    """Yield (number of the version from 0, ratings after each step) for each period of a version.

    Each period begins where the one before ended; a version that returns has several.
    """
    if len(site.marks) < 2:
        return
    start = 0 if site.steps.are_rounds else site.order[0]
    digits = 1 if not site.main.standings.unit.is_elo else 0
    points: list[tuple[float, float]] = []
    before = -1
    for mark in site.marks:
        there = site.field.there(mark.after)
        for number, name in enumerate(player.versions):
            if name not in there or name not in mark.values:
                continue
            if number != before:
                if points:
                    yield before, tuple(points)
                points = points[-1:]
            before = number
            points.append((float(mark.after - start), round(mark.values[name][0], digits)))
    if points:
        yield before, tuple(points)


def _history_block(site: Site, player: VersionedBot, own: list[tuple[int, Points]]) -> PageBlock:
    values = [value for _, points in own for _, value in points]
    times = [time for _, points in own for time, _ in points]
    lines = [
        Curve(player.versions[number], points, number % SERIES)
        for number, points in own
        if len(points) > 1
    ]
    unit, noun = site.main.standings.unit.name, site.steps.noun
    latest = {line.name: line for line in lines}.values()
    signs = [Sign(f"r-series{line.kind}", line.name, f"{line.points[-1][1]:g}") for line in latest]
    drawing = Curves(
        over(times),
        over(values, least=50.0),
        lines,
        f"{unit} after each {noun}",
        f"{noun}s",
        signs=signs if len(signs) > 1 else (),
    )
    return PageBlock(
        key="history",
        title="Over time",
        intro=f"{unit} after each {noun}, as all games up to there have it."
        + ("" if noun == "round" else " Days are counted from the first one."),
        figures=[drawing],
    )
