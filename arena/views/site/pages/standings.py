"""The tables of a site: ratings of all bots, and their changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from markupsafe import Markup

from arena.ratings.elo.rating import Bound, Rated
from arena.results import VoidCause
from arena.text.cells import Cell, Quantity, Text, key_of, text_of
from arena.text.numbers import NOTHING, count
from arena.text.tables import Panel
from arena.views.page.blocks.block import GridCell, GridTable, Head, PageBlock, PageCell, name_cell
from arena.views.page.blocks.bots import GameLine, line_table
from arena.views.page.blocks.standings import rounds_blocks
from arena.views.page.drawing import PlotScale, axis, interval, over
from arena.views.page.model import LabelledFact
from arena.views.site.html import Page, index_page, parts, relative, table_page
from arena.views.site.model import BotRow, Ranking, Site, SitePlayer
from arena.views.site.pages.rounds import round_table
from arena.views.standings.headline import PROVISIONAL, heading
from arena.views.standings.ratings_table import value_text
from arena.views.standings.standings import games_words, gone_words
from arena.views.standings.tables import leading

ROWS: Final = 250
"""Most rows of a table on one page."""
_LISTED: Final = 200
"""Most rows of bots that no longer play."""
_NEWEST: Final = 5
"""Number of rounds or days on the first page."""


def index_pages(site: Site, latest: Sequence[GameLine]) -> Iterator[Page]:
    """Yield the pages of the main table; ``latest``: games for the first one."""
    ranking = site.main
    rounds, gone = list(rounds_blocks(_panels(ranking))), list(rounds_blocks(_gone(ranking)))
    tables = [table for block in (*rounds, *gone) for table in block.tables]
    longest = max((len(table.rows) for table in tables), default=0)
    pages = parts(max(len(ranking.places), longest), ROWS, index_page)
    headline = ranking.section.headline
    head = heading(headline, site.manifest.title, is_over=site.is_over)
    for part, (_, address) in enumerate(pages, 1):
        blocks = list(_part(site, rounds, part, address))
        blocks += [board(site, ranking, part, address), *_part(site, gone, part, address)]
        if part == 1:
            blocks += [*_away(site, address), *_news(site, latest, address)]
        yield Page(
            name=address,
            title=head.title,
            blocks=blocks,
            facts=_facts(site),
            notices=_notices(site) if part == 1 else [],
            mark=head.mark,
            lede=head.evidence,
            parts=pages,
        )


def table_pages(site: Site, ranking: Ranking, slug: str) -> Iterator[Page]:
    """Yield the pages of the table of one of several disciplines."""
    pages = parts(len(ranking.places), ROWS, partial(table_page, slug))
    for part, (_, name) in enumerate(pages, 1):
        title = ranking.section.heading
        yield Page(name, title, [board(site, ranking, part, name)], parts=pages)


def board(site: Site, ranking: Ranking, part: int, page: str) -> PageBlock:
    """Return a part of a table, strongest first."""
    shown = ranking.places[ROWS * (part - 1) : ROWS * part]
    is_main = ranking is site.main
    base = site.base if is_main else None
    ends = [each for bot in ranking.places for each in _ends(bot.row)]
    scale = over(ends, least=100.0 if ranking.is_elo else 1.0)
    is_ladder = site.manifest.is_ladder and is_main
    has_authors = any(each.author for each in site.players.values())
    since = "" if base is None else f"since {site.steps.words(base.after)}"
    heads = [
        Head("#", "right"),
        Head("bot"),
        *([Head("author")] if has_authors else []),
        Head(ranking.unit.name, "right"),
        Head("95 %", "right"),
        Head("", is_sorted=False, kind="r-wide", plot=axis(scale, ranking.unit.name)),
        *([Head(since, "right")] if base is not None else []),
        *(Head(header, "right") for header in ranking.last),
        *([Head("state")] if is_ladder else []),
    ]
    rows: list[list[PageCell]] = []
    for bot in shown:
        rows.append(
            [
                "" if bot.row.rank is None else bot.row.rank,
                name_cell(bot.player.newest, href=relative(bot.player.page, page)),
                *([bot.player.author] if has_authors else []),
                Quantity(bot.row.value, ranking.unit.decimals),
                Text(interval_words(bot), key_of(bot.interval)),
                GridCell("", plot=_strip(scale, bot, ranking)),
                *([_trend(site, bot.player)] if base is not None else []),
                *bot.last,
                *([_state(site, bot)] if is_ladder else []),
            ]
        )
    remarks = ["± is half of a 95 % interval."]
    if ranking.is_elo:
        remarks[0] = (
            "± is half of a 95 % interval; ? marks a rating that is provisional: its interval is "
            f"wider than ±{PROVISIONAL:g}, or open."
        )
    if has_authors and is_ladder:
        remarks.append(
            "A place is that of an author. Anchors, and further bots of an author, have none."
        )
    best = "The strongest first." if ranking.is_elo else "The best mean first."
    title = "Standings" if ranking.section.rounds is None else "Ratings"
    return PageBlock(
        key="standings",
        title=title,
        intro=f"{best} Each bot has one row, that of its newest version.",
        tables=[GridTable(title, heads, rows, "s-board", 1)],
        remarks=[*remarks, *_remarks(site, ranking)] if part == 1 else remarks,
    )


def _state(site: Site, bot: BotRow) -> str:
    """Return the state of ``bot`` in one word, as in the table of the ladder."""
    if site.run.authors is not None and not bot.player.author:
        return "anchor"
    return "new" if bot.is_provisional else "plays"


def _ends(row: Rated) -> list[float]:
    found = (row.low, row.high) if row.bound is Bound.BOTH else (row.limit,)
    known = [each for each in (row.value, *found) if each is not None]
    return known if row.bound is Bound.BOTH or row.limit is None else known[1:] or known


def interval_words(bot: BotRow) -> str:
    """Return the interval of a rating in words, with a mark if it is wide."""
    if bot.row.value is None:
        return NOTHING
    is_marked = bot.is_provisional and bot.row.bound is not Bound.OPEN
    return text_of(bot.interval) + (" ?" if is_marked else "")


def _strip(scale: PlotScale, bot: BotRow, ranking: Ranking) -> Markup:
    row = bot.row
    value, low, high = row.value, row.low, row.high
    if row.bound is not Bound.BOTH and value is not None:
        value = value if row.limit is None else row.limit
        low = value if row.bound is Bound.ABOVE else None
        high = value if row.bound is Bound.BELOW else None
    name = bot.player.newest
    title = f"{name}: {value_text(row.value, ranking.unit)} {interval_words(bot)}"
    return interval(scale, value, low, high, title, is_open=row.bound is not Bound.BOTH)


def _trend(site: Site, player: SitePlayer) -> Cell:
    change = site.trend(player)
    return Quantity(change, site.main.unit.decimals, is_signed=True)


def _remarks(site: Site, ranking: Ranking) -> Iterator[str]:
    away = set(gone_words(site.run.schedule, site.manifest.entrants, site.verdict))
    entrants = {each.name: each.entrants for each in site.disciplines}
    if ranking.title in entrants:
        away |= set(gone_words(site.run.schedule, entrants[ranking.title], site.verdict))
    section = ranking.section
    yield from (text for text in section.notices if text not in away)
    if section.annulled:
        yield f"{count(section.annulled, 'planned game')} of withdrawn bots count for nobody"
    causes = [section.voids[cause.value] for cause in VoidCause if cause.value in section.voids]
    if times := sum(each.times for each in causes):
        yield f"{count(times, 'time')} a game failed through no bot's fault; it is played again"
    if not ranking.is_elo:
        fewer = "fewer" if ranking.unit.less_is_better else "more"
        yield f"everybody plays the same deals alone; {fewer} {ranking.unit.name} win"


def _facts(site: Site) -> list[LabelledFact]:
    manifest, main = site.manifest, site.main
    order, steps = site.order, site.steps
    found = [
        LabelledFact("begun", manifest.created[:10]),
        LabelledFact("bots", str(sum(each.plays for each in site.players.values()))),
        LabelledFact("games", games_words(manifest, main.section)),
    ]
    turn = manifest.turn
    if turn is not None:
        if turn.stages > 1:
            found.append(LabelledFact("stage", f"{turn.stage} of {turn.stages}"))
        of_all = "" if turn.of is None else f" of {turn.of}"
        found.append(LabelledFact("round", f"{turn.number}{of_all}"))
    elif order and site.shows_games and steps.are_rounds:
        found.append(LabelledFact("last round", steps.key(order[-1])))
    found.append(LabelledFact("commitment", manifest.commitment[:12] + "…", manifest.commitment))
    return found


def _notices(site: Site) -> list[str]:
    found = []
    if site.is_anonymous:
        found.append(
            "Bots play unknown: until the competition has ended it is not shown who met whom."
        )
    if site.held_back:
        are = "is" if site.held_back == 1 else "are"
        found.append(
            f"{count(site.held_back, 'game')} {are} not shown or counted here until all games with "
            "the same deal are played."
        )
    if site.expired:
        found.append(f"{site.expired[0].upper()}{site.expired[1:]}.")
    return found


def _panels(ranking: Ranking) -> Sequence[Panel]:
    """Return the panels except the pairings of the last round, which have their own page."""
    return [each for each in leading(ranking.section) if each.key != "meetings"]


def _gone(ranking: Ranking) -> Sequence[Panel]:
    gone = ranking.section.gone
    return () if gone is None else gone()


def _part(site: Site, blocks: Sequence[PageBlock], part: int, page: str) -> Iterator[PageBlock]:
    """Yield the blocks with their rows on one page; names of bots link to their pages."""
    pages = {name: site.page_of(name) for name in site.manifest.entrants}
    links = {name: relative(address, page) for name, address in pages.items() if address}
    for block in blocks:
        tables = [
            table._replace(rows=table.rows[ROWS * (part - 1) : ROWS * part]).with_links(links)
            for table in block.tables
        ]
        if part == 1 or any(table.rows for table in tables):
            figures = block.figures if part == 1 else ()
            yield block._replace(tables=tables, figures=figures)


def _away(site: Site, page: str) -> Iterator[PageBlock]:
    """Yield the block of bots without a place in the table, with the reasons."""
    away = [each for each in site.players.values() if not each.plays]
    rows: list[list[PageCell]] = [
        [
            name_cell(each.newest, href=relative(each.page, page)),
            each.state,
            each.reason or "plays no more; its games stand",
        ]
        for each in away[:_LISTED]
    ]
    if rows:
        heads = [Head("bot"), Head("state"), Head("reason", is_sorted=False)]
        left = len(away) - len(rows)
        yield PageBlock(
            key="away",
            title="Not in the table",
            tables=[GridTable("Not in the table", heads, rows)],
            remarks=[f"and {left} more"] if left else [],
        )


def _news(site: Site, latest: Sequence[GameLine], page: str) -> Iterator[PageBlock]:
    if site.order and site.shows_games:
        title = f"Latest {site.steps.noun}s"
        shown = list(reversed(site.order))[:_NEWEST]
        yield PageBlock("rounds", title, tables=[round_table(site, title, shown, page)])
    if latest:
        table = line_table("Latest games", latest, partial(relative, page=page))
        yield PageBlock("games", "Latest games", tables=[table])
