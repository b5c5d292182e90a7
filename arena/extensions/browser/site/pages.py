"""Pages of bots in a site, with more than the sections of a report, and the page of the terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

from arena.extensions.browser.page.bots import VERSIONS, Shown, bot_pages
from arena.extensions.browser.page.counting.results import VersionedBot
from arena.extensions.browser.page.drawing import SERIES, Curve, Curves
from arena.extensions.browser.page.facts import config_facts
from arena.extensions.browser.page.model import LabelledFact, Page
from arena.extensions.browser.page.run import config_block
from arena.extensions.browser.site.html import ABOUT
from arena.extensions.browser.site.model import Site
from arena.runs.store import Stored
from arena.schedule.keys import Schedule, Seatings
from arena.schedule.kinds.registry import kind_of
from arena.values.numbers import count, over
from arena.values.titles import called
from arena.views.standings.headline import PROVISIONAL
from arena.views.standings.measured import cost_panel
from arena.views.tables import PageBlock, Sign

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
    signs = [
        Sign(f"r-series{line.kind}", called(line.name), f"{line.points[-1][1]:g}")
        for line in latest
    ]
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


_SEATINGS: Final = {Seatings.ROTATE: "all rotations of seats", Seatings.ALL: "all orders of seats"}


def _plan(schedule: Schedule) -> str:
    """Describe the schedule in words, without names of bots."""
    firsts = [each.first for each in schedule.stages] or [None]
    return "; then ".join(map(_part, schedule.parts, firsts))


def _part(part: Schedule, first: int | None) -> str:
    kind = kind_of(part)
    words = [kind.title]
    if first is not None:
        words[0] += f" of the best {first}"
    if part.rounds is not None:
        words.append(count(part.rounds, "round"))
    if part.max_pairings is not None:
        words.append(f"at most {count(part.max_pairings, 'pairing')}")
    words.append(f"{count(part.deals, 'deal')} in {_SEATINGS[part.seatings]}")
    return ", ".join([*words, *kind.details(part)])


def about_page(site: Site) -> Page:
    """Return the page of terms and explanations."""
    manifest = site.manifest
    groups = config_facts(manifest, is_public=True)
    shown = [
        (title, [fact for fact in facts if fact.label not in ("bots", "schedule")])
        for title, facts in groups
    ]
    for (_, facts), discipline in zip(shown[1:], manifest.disciplines, strict=True):
        facts.append(LabelledFact("schedule", _plan(discipline.schedule)))
    config = config_block(shown)
    own = LabelledFact("commitment", manifest.commitment, manifest.commitment)
    return Page(
        name=ABOUT,
        title="Rules",
        blocks=[
            *([] if config is None else [config._replace(title="What is played")]),
            PageBlock(
                key="methods",
                title="How to read it",
                remarks=[
                    "Elo is a joint fit of all games that count, whatever their order: 100 Elo "
                    "mean 64 % of the points. ± is half of a 95 % interval.",
                    "A rating is provisional as long as its interval reaches further than "
                    f"±{PROVISIONAL:g}.",
                    "A bot with other contents is another version, with a rating of its own. "
                    "The table has the newest version of each bot; older ones are on its page.",
                    "A fault loses the game. A game that failed through no bot's fault is played "
                    "again.",
                    "Games are shown as spectators saw them, when all games with the same deal are "
                    "played.",
                    "The commitment fixes the seed, the rules and the field before the first game.",
                ],
            ),
        ],
        facts=[own],
    )
