"""The tables of a site: ratings of all bots, and their changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import Final, TypeAlias

from arena.extensions.browser.page.bots import Shown, games_table
from arena.extensions.browser.page.counting.results import VersionedBot
from arena.extensions.browser.page.model import LabelledFact, Page
from arena.extensions.browser.page.standings import standings_block
from arena.extensions.browser.site.html import index_page, parts, table_page
from arena.extensions.browser.site.model import Site
from arena.extensions.browser.site.rounds import round_table
from arena.ratings.elo.rating import Bound
from arena.ratings.elo.standings import Standings
from arena.runs.store import Stored
from arena.values.numbers import count
from arena.values.results import VoidCause
from arena.views.cells import Label, Quantity, Text, key_of, text_of
from arena.views.standings.headline import PROVISIONAL, heading, is_row_provisional
from arena.views.standings.measured import added
from arena.views.standings.ratings_table import drawn_columns
from arena.views.standings.standings import SectionData, games_words, gone_words
from arena.views.standings.tables import Section, leading
from arena.views.tables import Column, PageBlock, PageTable

GameAddress: TypeAlias = Callable[[Stored], str]
"""Function from a game to the address of its page; empty without one."""
ROWS: Final = 250
"""Most rows of a table on one page."""
_LISTED: Final = 200
"""Most rows of bots that no longer play."""
_NEWEST: Final = 5
"""Number of rounds or days on the first page."""


def index_pages(site: Site, latest: Sequence[Stored], address: GameAddress) -> Iterator[Page]:
    """Yield the pages of the main table; ``latest``: games for the first one."""
    section = site.main
    rounds = [each for each in leading(section) if each.key != "meetings"]  # on their own page
    gone = [] if section.gone is None else [*section.gone()]
    main = board(site, site.parts[-1])
    longest = max(table.rows for block in (*rounds, main, *gone) for table in block.tables)
    pages = parts(longest, ROWS, index_page)
    head = heading(section.headline, site.manifest.title, is_over=site.is_over)
    for part, (_, name) in enumerate(pages, 1):
        cut = [_part(block, part) for block in (*rounds, main, *gone)]
        blocks = [each for each in cut if part == 1 or any(table.rows for table in each.tables)]
        if part == 1:
            blocks += [*_added(site, site.parts[-1]), *_away(site), *_news(site, latest, address)]
        yield Page(
            name=name,
            title=head.title,
            blocks=blocks,
            facts=_facts(site),
            notices=_notices(site) if part == 1 else [],
            mark=head.mark,
            lede=head.evidence,
            parts=pages,
        )


def table_pages(site: Site, part: SectionData, slug: str) -> Iterator[Page]:
    """Yield the pages of the table of one of several disciplines."""
    block = board(site, part)
    pages = parts(block.tables[0].rows, ROWS, partial(table_page, slug))
    for number, (_, name) in enumerate(pages, 1):
        blocks = [_part(block, number), *(_added(site, part) if number == 1 else ())]
        yield Page(name, part.section.heading, blocks, parts=pages)


def _added(site: Site, part: SectionData) -> Iterator[PageBlock]:
    """Yield the blocks of extensions, with at most ``ROWS`` rows each, unless names are hidden."""
    if site.shows_games:
        yield from (_part(block, 1) for block in added(part._replace(page="site")))


def _part(block: PageBlock, part: int) -> PageBlock:
    """Return the block with its rows on one page, and its drawings and remarks on the first."""
    tables = [table.part(ROWS * (part - 1), ROWS * part) for table in block.tables]
    if part == 1:
        return block._replace(tables=tables)
    return block._replace(tables=tables, figures=(), remarks=block.remarks[:1])


def board(site: Site, part: SectionData) -> PageBlock:
    """Return a table with a row for each bot that plays, strongest first."""
    standings = site.playing(part)
    is_main = part is site.parts[-1]
    columns = drawn_columns(standings)
    players = [site.of(row.name) for row in standings.rows]
    has_authors = any(each.author for each in site.players.values())
    remarks, provisional = ["± is half of a 95 % interval."], set[str]()
    if standings.unit.is_elo:
        remarks[0] = (
            "± is half of a 95 % interval; ? marks a rating that is provisional: its interval is "
            f"wider than ±{PROVISIONAL:g}, or open."
        )
        provisional = {row.name for row in standings.rows if is_row_provisional(standings, row)}
        columns = [_marked(column, standings, provisional) for column in columns]
    if has_authors:
        at = 1 + [column.title for column in columns].index("bot")
        columns.insert(at, Column("author", "left", [each.author for each in players]))
    if is_main and site.base is not None:
        since = f"since {site.steps.words(site.base.after)}"
        digits = standings.unit.decimals
        trends = [Quantity(site.trend(each), digits, is_signed=True) for each in players]
        columns.append(Column(since, "right", trends))
    if "state" in site.manifest.kind.columns and is_main:
        states = [_state(site, each, provisional) for each in players]
        columns.append(Column("state", "left", states))
        if has_authors:
            remarks.append(
                "A place is that of an author. Anchors, and further bots of an author, have none."
            )
    best = "The strongest" if standings.unit.is_elo else "The best mean"
    intro = f"{best} first. Each bot has one row, that of its newest version."
    remarks += _remarks(site, part.section)
    return standings_block(part.section, columns, remarks, intro)


def _marked(column: Column, standings: Standings, provisional: Set[str]) -> Column:
    """Return the column of intervals with a mark at those that are wide; others as they are."""
    if column.header != "95 %":
        return column
    return column._replace(
        cells=[
            Text(f"{text_of(cell)} ?", key_of(cell))
            if row.name in provisional and row.bound is not Bound.OPEN
            else cell
            for cell, row in zip(column.cells, standings.rows, strict=True)
        ]
    )


def _state(site: Site, player: VersionedBot, provisional: Set[str]) -> str:
    """Return the state of a bot in one word, as in the table of the ladder."""
    if site.run.authors is not None and not player.author:
        return "anchor"
    return "new" if player.newest in provisional else "plays"


def _remarks(site: Site, section: Section) -> Iterator[str]:
    away = set(gone_words(site.run.schedule, site.manifest.entrants, site.verdict))
    entrants = {each.name: each.entrants for each in site.disciplines}
    if section.title in entrants:
        away |= set(gone_words(site.run.schedule, entrants[section.title], site.verdict))
    yield from (text for text in section.remarks if text not in away)
    if section.annulled:
        yield f"{count(section.annulled, 'planned game')} of withdrawn bots count for nobody"
    causes = [section.voids[cause.value] for cause in VoidCause if cause.value in section.voids]
    if times := sum(each.times for each in causes):
        yield f"{count(times, 'time')} a game failed through no bot's fault; it is played again"
    standings = section.standings
    if not standings.unit.is_elo:
        fewer = "fewer" if standings.unit.less_is_better else "more"
        yield f"everybody plays the same deals alone; {fewer} {standings.unit.name} win"


def _facts(site: Site) -> list[LabelledFact]:
    manifest, main = site.manifest, site.main
    order, steps = site.order, site.steps
    found = [
        LabelledFact("begun", manifest.created[:10]),
        LabelledFact("bots", str(sum(each.plays for each in site.players.values()))),
        LabelledFact("games", games_words(manifest, main)),
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
    found = [f"Frozen: {notice}." for notice in site.run.notices]
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


def _away(site: Site) -> Iterator[PageBlock]:
    """Yield the block of bots without a place in the table, with the reasons."""
    away = [each for each in site.players.values() if not each.plays]
    shown = away[:_LISTED]
    if shown:
        columns = [
            Column("bot", "left", [Label(each.newest) for each in shown]),
            Column("state", "left", [each.state for each in shown]),
            Column(
                "reason",
                "left",
                [each.reason or "plays no more; its games stand" for each in shown],
            ),
        ]
        left = len(away) - len(shown)
        yield PageBlock(
            key="away",
            title="Not in the table",
            tables=[PageTable("Not in the table", columns)],
            remarks=[f"and {left} more"] if left else [],
        )


def _news(site: Site, latest: Sequence[Stored], address: GameAddress) -> Iterator[PageBlock]:
    if site.order and site.shows_games:
        title = f"Latest {site.steps.noun}s"
        shown = list(reversed(site.order))[:_NEWEST]
        yield PageBlock("rounds", title, [round_table(site, title, shown)])
    if latest:
        yield PageBlock(
            "games", "Latest games", [games_table("Latest games", latest, site, Shown(address))]
        )
