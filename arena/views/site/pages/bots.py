"""The page of a bot: its versions, ratings over time, opponents, faults and games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from arena.ratings.counting.costs import CostNumbers
from arena.ratings.elo.rating import difference
from arena.results import FaultKind
from arena.runs.store import Stored
from arena.text.cells import Text
from arena.text.numbers import NOTHING, GameCount, count
from arena.views.page.blocks import bots as blocks
from arena.views.page.blocks.block import (
    Figure,
    GridTable,
    Head,
    PageBlock,
    PageCell,
    Sign,
    name_cell,
)
from arena.views.page.blocks.standings import panel_block
from arena.views.page.drawing import SERIES, Curve, curves, over
from arena.views.page.model import LabelledFact
from arena.views.site.gather import BotSums
from arena.views.site.html import Page, relative
from arena.views.site.model import Site, SitePlayer, row_of
from arena.views.site.pages.rounds import game_lines
from arena.views.site.pages.standings import interval_words
from arena.views.standings.measured import cost_panel
from arena.views.standings.ratings_table import difference_text, value_text

OPPONENTS: Final = 50
"""Number of opponents listed, those with most games first."""
VERSIONS: Final = 100
"""Number of versions listed, the newest ones."""


Points: TypeAlias = tuple[tuple[float, float], ...]
"""Rounds or days, with the ratings after them."""


class VersionLine(NamedTuple):
    """Line on a version of a bot."""

    name: str
    since: str
    """Day on which it entered."""
    rating: str
    reach: str
    change: str
    """Change against the version before, with its interval."""
    games: GameCount
    faults: int


class BotPage(NamedTuple):
    """Contents of the page of a bot."""

    player: SitePlayer
    facts: tuple[tuple[str, str], ...]
    unit: str
    versions: tuple[VersionLine, ...]
    noun: str
    """Word for a step: round or day."""
    curves: tuple[tuple[int, Points], ...]
    """Numbers of versions, with their ratings over time."""
    tables: tuple[tuple[str, str, str, str], ...]
    """Title, place, rating and interval in each of several disciplines."""
    opponents: tuple[blocks.Opponent, ...]
    met: int
    """Number of opponents."""
    faults: tuple[tuple[str, int], ...]
    costs: tuple[tuple[str, tuple[CostNumbers, ...]], ...]
    """Costs by discipline."""
    best: tuple[blocks.GameLine, ...]
    worst: tuple[blocks.GameLine, ...]
    latest: tuple[blocks.GameLine, ...]


def bot_pages(site: Site, opened: Callable[[Stored], bool], *, costs: bool) -> Iterator[BotPage]:
    """Yield the page of every bot.

    ``opened``: whether a game has a page. ``costs``: show the time and memory that bots took.
    """
    opponents = site.gathered.opponents() if site.shows_games else {}
    since = {name: when[:10] for name, _, when in site.manifest.entries()}
    ranks = {bot.player.name: bot.row.rank for bot in site.main.places if bot.row.rank}
    for player in site.players.values():
        own = [site.gathered.bots[name] for name in player.versions if name in site.gathered.bots]
        met, number = _met(site, player, opponents)
        faults = {
            kind: total for kind in FaultKind if (total := sum(bot.faults[kind] for bot in own))
        }
        newest = site.gathered.bots.get(player.newest)
        shown = newest if site.shows_games else None
        yield BotPage(
            player=player,
            facts=tuple(_facts(site, player, ranks.get(player.name), _games(own))),
            unit=site.main.unit.name,
            versions=tuple(_versions(site, player, since))[-VERSIONS:],
            noun=site.steps.noun,
            curves=tuple(_curves(site, player))[-VERSIONS:],
            tables=tuple(_tables(site, player)) if site.has_several else (),
            opponents=tuple(met),
            met=number,
            faults=tuple((kind.value, total) for kind, total in faults.items()),
            costs=tuple(_costs(site, player)) if costs else (),
            best=game_lines(site, [g for *_, g in reversed(shown.best)] if shown else [], opened),
            worst=game_lines(site, [g for *_, g in reversed(shown.worst)] if shown else [], opened),
            latest=game_lines(
                site, [kept.stored for kept in reversed(shown.latest)] if shown else [], opened
            ),
        )


def _facts(
    site: Site, player: SitePlayer, rank: int | None, games: GameCount
) -> Iterator[tuple[str, str]]:
    if player.author:
        yield "author", player.author
    if not player.plays:
        yield "state", f"{player.state}: {player.reason}" if player.reason else player.state
    if site.main.section.rounds is not None:
        if player.newest in site.places:
            place, points = site.places[player.newest]
            yield "place", str(place)
            if points:
                yield "points", points
    elif rank is not None:
        yield "place", f"{rank} of {sum(bot.row.rank is not None for bot in site.main.places)}"
    values = site.marks[-1].values if site.marks else {}
    if player.newest in values:
        value, half = values[player.newest]
        unit = site.main.unit
        number = value_text(value, unit)
        noun = "Elo" if site.main.is_elo else "mean"
        yield noun, number if half is None else f"{number} ±{half:.{unit.decimals}f}"
    yield "games", games.words()


def _games(own: Sequence[BotSums]) -> GameCount:
    """Return the numbers of games of all versions of a bot."""
    counts = [bot.count for bot in own]
    return GameCount(sum(each.counting for each in counts), sum(each.stored for each in counts))


def _versions(site: Site, player: SitePlayer, since: Mapping[str, str]) -> Iterator[VersionLine]:
    ranking = site.main
    part = site.parts[-1]
    before = None
    for name in player.versions:
        row = ranking.rows.get(name)
        bot = site.gathered.bots.get(name)
        rating, words, change = NOTHING, NOTHING, NOTHING
        if row is not None:
            rating = value_text(row.value, ranking.unit)
            words = interval_words(row_of(ranking.section.standings, row, player))
            if before is not None and part.ratings is not None:
                found = difference(part.ratings, name, before)
                change = difference_text(found.elo, found.low, found.high)
            before = name
        elif name in site.verdict.withdrawn:
            words = "withdrawn"
        yield VersionLine(
            name,
            since.get(name, ""),
            rating,
            words,
            change,
            GameCount() if bot is None else bot.count,
            0 if bot is None else bot.faults.total(),
        )


def _curves(site: Site, player: SitePlayer) -> Iterator[tuple[int, Points]]:
    """Yield (number of the version from 0, ratings after each step) for each period of a version.

    Each period begins where the one before ended; a version that returns has several.
    """
    if len(site.marks) < 2:
        return
    start = 0 if site.steps.are_rounds else site.order[0]
    digits = 0 if site.main.is_elo else 1
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


def _tables(site: Site, player: SitePlayer) -> Iterator[tuple[str, str, str, str]]:
    for ranking in site.others:
        bot = next((each for each in ranking.places if each.player.name == player.name), None)
        if bot is not None and bot.row.value is not None:
            number = value_text(bot.row.value, ranking.unit)
            of = sum(each.row.rank is not None for each in ranking.places)
            place = NOTHING if bot.row.rank is None else f"{bot.row.rank} of {of}"
            yield ranking.section.heading, place, number, interval_words(bot)


def _met(
    site: Site, player: SitePlayer, opponents: Mapping[str, Mapping[str, tuple[int, int, int]]]
) -> tuple[list[blocks.Opponent], int]:
    """Return the opponents of all versions, most games first, and the number of all of them."""
    sums: dict[str, list[int]] = {}
    for name in player.versions:
        for other, numbers in opponents.get(name, {}).items():
            if other not in player.versions:
                own = sums.setdefault(other, [0, 0, 0])
                for k, number in enumerate(numbers):
                    own[k] += number
    order = sorted(sums, key=lambda other: (-sums[other][0], other))
    shown = []
    for other in order[:OPPONENTS]:
        games, rated, points = sums[other]
        score = points / (2 * rated) if rated else None
        shown.append(blocks.Opponent(other, site.page_of(other), games, score))
    return shown, len(order)


def _costs(site: Site, player: SitePlayer) -> Iterator[tuple[str, tuple[CostNumbers, ...]]]:
    if site.counted.costs is None:
        return
    for each in site.disciplines:
        found = site.counted.costs.numbers(each.name, player.versions)
        if found:
            yield site.run.titles[each.name], found


def shown_page(bot: BotPage) -> Page:
    """Return the page of a bot, with its blocks and tables, ready to be written."""
    name = bot.player.page
    return Page(
        name=name,
        title=bot.player.name,
        blocks=list(_blocks(bot, name)),
        facts=[LabelledFact(*each) for each in bot.facts],
    )


def _blocks(bot: BotPage, page: str) -> Iterator[PageBlock]:
    yield _version_block(bot)
    if any(len(points) > 1 for _, points in bot.curves):
        yield _history_block(bot)
    if bot.tables:
        yield blocks.discipline_block(bot.tables)
    up = partial(relative, page=page)
    if bot.opponents:
        yield blocks.opponent_block(bot.opponents, bot.met, up)
    yield blocks.own_fault_block(
        bot.faults, "What happened in each the author finds in the pack of the bot."
    )
    for discipline, costs in bot.costs:
        block = panel_block(cost_panel(costs))
        several = len(bot.costs) > 1
        yield block._replace(title=f"{block.title}: {discipline}") if several else block
    yield from blocks.game_blocks(bot.best, bot.worst, bot.latest, up)


def _version_block(bot: BotPage) -> PageBlock:
    several = len(bot.versions) > 1
    heads = [
        Head("version"),
        Head("since"),
        Head(bot.unit, "right"),
        Head("95 %", "right"),
        *([Head("against the one before", "right")] if several else []),
        Head("games", "right"),
        Head("faults", "right"),
    ]
    rows: list[list[PageCell]] = [
        [
            name_cell(each.name),
            each.since or NOTHING,
            each.rating,
            each.reach,
            *([each.change] if several else []),
            Text(each.games.words(), each.games.counting),
            each.faults,
        ]
        for each in reversed(bot.versions)
    ]
    older = len(bot.player.versions) - len(bot.versions)
    return PageBlock(
        key="versions",
        title="Versions" if several else "Rating",
        intro="The newest first. All are rated together, so their numbers can be compared."
        if several
        else "",
        tables=[GridTable("Versions", heads, rows)],
        remarks=[f"and {count(older, 'older version')}"] if older else [],
    )


def _history_block(bot: BotPage) -> PageBlock:
    values = [value for _, points in bot.curves for _, value in points]
    times = [time for _, points in bot.curves for time, _ in points]
    lines = [
        Curve(bot.player.versions[number], points, number % SERIES)
        for number, points in bot.curves
        if len(points) > 1
    ]
    unit = bot.unit
    title = f"{unit} after each {bot.noun}"
    drawing = curves(over(times), over(values, least=50.0), lines, title, below=f"{bot.noun}s")
    latest = {line.name: line for line in lines}.values()
    signs = [Sign(f"r-series{line.kind}", line.name, f"{line.points[-1][1]:g}") for line in latest]
    return PageBlock(
        key="history",
        title="Over time",
        intro=f"{unit} after each {bot.noun}, as all games up to there have it."
        + ("" if bot.noun == "round" else " Days are counted from the first one."),
        figures=[Figure(drawing, signs if len(signs) > 1 else ())],
    )
