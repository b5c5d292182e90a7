"""Everything that the page of a run shows, as plain values, without knowledge of folders."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

from arena.extensions.browser.page.counting.deals import Numbers
from arena.extensions.matches.statistics.report import MatchReport
from arena.values.numbers import short_duration
from arena.values.results import Evidence, Fault
from arena.views.cells import Linked
from arena.views.game.rows import GameRow
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from arena.views.tables import Column, PageBlock, PageTable

BINS: Final = 8
"""Number of bins per power of ten."""


class Times(NamedTuple):
    """Think times of one bot, in microseconds."""

    name: str
    moves: int
    p50: int
    p90: int
    p99: int
    longest: int
    bins: Sequence[tuple[float, float, int]]
    """Bins as (from, to, moves), of equal width in logarithms."""

    def words(self) -> str:
        """Return median, 99 % and longest."""
        half, most, longest = map(short_duration, (self.p50, self.p99, self.longest))
        return f"median {half}, 99 % within {most}, longest {longest}"


def times_of(name: str, moves: Sequence[int]) -> Times | None:
    """Return the quantiles and bins of ``moves``; None without moves.

    A quantile is the least value that holds its share.
    """
    if not moves:
        return None
    ordered = array("q", sorted(moves))

    def quantile(share: float) -> int:
        return ordered[max(0, ceil(share * len(ordered)) - 1)]

    counts: dict[int, int] = {}
    for value in ordered:
        place = floor(BINS * log10(max(1, value)))
        counts[place] = counts.get(place, 0) + 1
    bins = [(10 ** (k / BINS), 10 ** ((k + 1) / BINS), n) for k, n in sorted(counts.items())]
    return Times(
        name, len(ordered), quantile(0.5), quantile(0.9), quantile(0.99), ordered[-1], bins
    )


class PageSection(NamedTuple):
    """A section of the standings with the data behind it."""

    data: SectionData
    numbers: Numbers | None
    """Statistics; None for the section of all disciplines, and where they are not shown."""
    has_pairs: bool = True
    """True if readers may see which bots met."""

    @property
    def section(self) -> Section:
        """Table of the section."""
        return self.data.section


class FaultLine(NamedTuple):
    """A fault with all details."""

    name: str
    game_id: str
    fault: Fault
    evidence: Evidence
    """Evidence of the fault; empty texts where they are not known."""
    is_linked: bool
    """True if its game can be stepped through in the page."""


class MatchPage(NamedTuple):
    """A match that ends with a verdict: its report, and the course of the test."""

    report: MatchReport
    pace: Sequence[tuple[int, float]]
    """Numbers of blocks with the log-likelihood ratio after them, thinned if they are many."""


class LabelledFact(NamedTuple):
    """One line of the head or of the config."""

    label: str
    value: str
    note: str = ""


class Page(NamedTuple):
    """A page, or a section of one: all that is shown, as values."""

    name: str
    """Address of the page, or of the section."""
    title: str
    blocks: Sequence[PageBlock]
    facts: Sequence[LabelledFact] = ()
    notices: Sequence[str] = ()
    mark: str = ""
    """Small text after the title."""
    lede: str = ""
    """Sentence below the title."""
    parts: Sequence[tuple[str, str]] = ()
    """Parts of a table on several pages: pairs of text and address."""


def facts_table(caption: str, facts: Sequence[LabelledFact]) -> PageTable:
    """Return a table of labels with their values."""
    columns = [
        Column("", "left", [fact.label for fact in facts]),
        Column("", "left", [Linked(fact.value, "", fact.note) for fact in facts]),
    ]
    return PageTable(caption, columns, "facts", is_sorted=False)


class Listing(NamedTuple):
    """The list of games, and the counts of games left out."""

    rows: Sequence[GameRow]
    places: Sequence[int]
    """Places of their replays: 1 in the page, or the number of the file in the folder; 0: none."""
    stored: int
    """Number of games of the run that the reader may see."""
    documents: int
    """Number of games that can be stepped through."""
    folder: str
    """Folder of the games beside the page; empty: they are in the page."""
    is_anonymous: bool
    """True if games have neither names nor ids."""
    titles: Mapping[str, str] = {}
    """Titles of the disciplines, by name."""


class RunPage(NamedTuple):
    """The contents of the page of a run."""

    name: str
    rules: Sequence[str]
    """Names of the rules played, whose boards are in the page."""
    head: Sequence[LabelledFact]
    is_over: bool
    notices: Sequence[str]
    """Sentences that a reader should see first."""
    parts: Sequence[PageSection]
    match: MatchPage | None
    blocks: Sequence[PageBlock]
    """Blocks on the run as a whole, with faults, times, voids, machines, config and methods."""
    bots: Sequence[Page]
    """Sections of the bots."""
    links: Mapping[str, str]
    """Address of the section of each bot, by entrant."""
    listing: Listing
    histories: Sequence[PageBlock] = ()
    """Histories of bots over this and other runs, one for each table."""
