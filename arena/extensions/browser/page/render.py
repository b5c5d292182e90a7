"""The page as HTML: its blocks, the list of games, and the games themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

import arena
from arena.extensions.browser.page.deals import deal_blocks
from arena.extensions.browser.page.files import GENERATOR
from arena.extensions.browser.page.html import PAGE, Addresses, packed, rendered
from arena.extensions.browser.page.model import Listing, PageSection, RunPage
from arena.extensions.browser.page.run import match_blocks
from arena.extensions.browser.page.standings import standings_blocks
from arena.extensions.browser.viewer import viewer
from arena.extensions.matches.show.words import claim, evidence
from arena.extensions.matches.statistics.report import Verdict
from arena.values import clean
from arena.values.titles import called
from arena.views.game.rows import NO_LEAD
from arena.views.standings.headline import Heading, heading
from arena.views.standings.tables import overall_first
from arena.views.tables import PageBlock

_SCRIPTS: Final = (
    *("report-sort.js", "report-store.js", "report-rows.js", "report-games.js"),
    "report.js",
)
_LONG: Final = 15
"""Most rows of a block of ``_DETAILS`` that is open."""
_DETAILS: Final = ("seats", "scores", "luck")
_WITHOUT_PAIRS: Final = ("standings",)
"""Blocks that do not show which bots met."""
_NO_KEY: Final = re.compile(r"[^a-z0-9._-]+")


class Chapter(NamedTuple):
    """The blocks of one discipline, or of all."""

    key: str
    title: str
    blocks: Sequence[PageBlock]


def html(page: RunPage, documents: Mapping[int, str]) -> str:
    """Return the page as the text of an HTML file.

    ``documents``: texts of ``packed`` by number of the game; games stored in the folder
    ``page.listing.folder`` beside the page are left out.
    """
    scripts = viewer.scripts_of(page.rules)
    scripts.append("\n".join(viewer.asset(name, PAGE) for name in _SCRIPTS))
    styles = [viewer.style_of(page.rules), viewer.asset("report.css", PAGE)]
    policy = viewer.policy(scripts, also=viewer.FILES if page.listing.folder else "")
    return rendered(
        "page.html.jinja",
        Addresses(names=page.links),
        generator=GENERATOR,
        page=page,
        version=arena.__version__,
        policy=policy,
        heading=_heading(page),
        styles=Markup("\n".join(styles)),
        scripts=[Markup(script) for script in scripts],
        head=page.head,
        notices=page.notices,
        chapters=list(_chapters(page)),
        blocks=page.blocks,
        bots=page.bots,
        has_list=bool(page.listing.rows) and not page.listing.is_anonymous,
        listing=packed(listing_data(page.listing)),
        documents=sorted(documents.items()),
    )


def _heading(page: RunPage) -> Heading:
    """Return the head of the page, which answers who won or what the verdict is."""
    mark = "" if page.is_over else "so far"
    if page.match is not None:
        report = page.match.report
        title = claim(report, str)
        if report.verdict is Verdict.INCONCLUSIVE:
            title = f"N{title[1:]}"
        return Heading(title, mark, f"{evidence(report, str)}.")
    headline = page.parts[-1].section.headline
    return heading(headline, page.name, is_over=page.is_over)


def _chapters(page: RunPage) -> Iterator[Chapter]:
    if page.match is not None:
        yield Chapter("match", "verdict", list(match_blocks(page.match)))
    if page.histories:
        yield Chapter("history", "history", list(overall_first(page.histories)))
    for part in overall_first(page.parts):
        key = _key(part.section.title)
        blocks = list(_part_blocks(part, page.listing))
        yield Chapter(f"of-{key}", part.section.heading, blocks)


def _key(title: str) -> str:
    """Return a key for a title, which differs for any two disciplines."""
    return _NO_KEY.sub("-", title.casefold()) or "it"


def _part_blocks(part: PageSection, listing: Listing) -> Iterator[PageBlock]:
    blocks = list(standings_blocks(part.data, is_linked=bool(listing.rows)))
    if not part.has_pairs:
        blocks = [block for block in blocks if block.key in _WITHOUT_PAIRS]
    if part.numbers is not None:
        standings = part.section.standings
        order = [row.name for row in standings.rows]
        blocks += deal_blocks(part.numbers, order, standings.luck_correlation)
    yield from sorted(map(_folded, blocks), key=lambda block: block.is_folded)


def _folded(block: PageBlock) -> PageBlock:
    """Return the block, which the reader has to open if it holds details in many rows."""
    is_long = any(table.rows > _LONG for table in block.tables)
    return block._replace(is_folded=block.is_folded or (is_long and block.key in _DETAILS))


def listing_data(listing: Listing) -> dict[str, Any]:
    """Return the list of games as plain values: names and disciplines once, then a row per game."""
    names: dict[str, int] = {}
    disciplines: dict[str, int] = {}
    deals: dict[tuple[str, str], int] = {}
    rows = []
    for row, place in zip(listing.rows, listing.places, strict=True):
        lead = row.lead or NO_LEAD
        title = clean.plain(listing.titles.get(row.discipline, row.discipline))
        rows.append(
            [
                row.number,
                row.game_id,
                disciplines.setdefault(title, len(disciplines)),
                [
                    names.setdefault(name, len(names))
                    for name in map(clean.plain, map(called, row.names))
                ],
                row.places,
                row.scores,
                row.plies,
                [[fault.seat, fault.kind.value, fault.ply] for fault in row.faults],
                place,
                row.margin,
                row.slowest_us,
                lead.decided,
                lead.swing,
                deals.setdefault((row.discipline, row.deal), len(deals)),
            ]
        )
    return {"names": list(names), "disciplines": list(disciplines), "rows": rows}
