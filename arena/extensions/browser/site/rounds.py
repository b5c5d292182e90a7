"""The rounds or days of a competition: a list of them, the pairings of each, and rows on games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.extensions.browser.page.counting.games import Encounter, StepSums
from arena.extensions.browser.page.counting.games import Table as Met
from arena.extensions.browser.page.counting.steps import day_words
from arena.extensions.browser.page.model import LabelledFact, Page
from arena.extensions.browser.site.html import game_page, parts, round_page, rounds_page
from arena.extensions.browser.site.model import Site
from arena.runs.store import Stored
from arena.schedule.pairings import Pairing
from arena.values.numbers import NOTHING, trimmed
from arena.values.titles import called
from arena.views.cells import Cell, JoinedCells, Label, Linked
from arena.views.standings.run_view import PairedRound
from arena.views.tables import Column, PageBlock, PageTable

ROWS: Final = 400
"""Most pairings on one page."""
LISTED: Final = 200
"""Most rounds or days on one page."""


class RoundMeeting(NamedTuple):
    """Bots that met, or a bot with a bye."""

    discipline: str
    """Discipline; empty if there is only one."""
    bots: tuple[str, ...]
    """Names, the more successful first."""
    points: tuple[str, ...]
    """Points of the match; empty where only games count."""
    games: tuple[str, ...]
    """Points of games, 1 for a win; for a bot that plays alone its mean score."""
    played: int
    note: str
    watch: tuple[str, ...] = ()
    """Addresses of its games that can be stepped through."""

    @property
    def counts(self) -> str:
        """Unit of ``games``: points of games, or the mean score."""
        return "mean score" if len(self.bots) == len(self.games) == 1 else "points of games"


def round_pages(site: Site, opened: Iterable[Stored]) -> Iterator[Page]:
    """Yield the pages of every round or day that has games, in order, each cut into parts.

    ``opened``: the games that have pages.
    """
    pages: dict[tuple[int, Pairing], list[tuple[int, str, str]]] = {}
    for stored in opened:
        spec = stored.result.spec
        number = site.run.schedule.number(spec.game_id)
        if number is not None:
            met = site.steps.at(number), tuple(sorted(spec.entrants))
            game = number, spec.discipline, game_page(spec.game_id)
            pages.setdefault(met, []).append(game)
    for step in site.order:
        key = site.steps.key(step)
        own = site.gathered.by_step[step]
        paired = site.paired.get(step)
        found = _games(site, own) if paired is None else _matches(own, paired)
        meetings = [_watched(each, pages, step) for each in found]
        cut = tuple(parts(len(meetings), ROWS, partial(round_page, key)))
        for k, (_, name) in enumerate(cut):
            title = _title(site, step)
            table = _table(title, meetings[ROWS * k : ROWS * (k + 1)])
            block = PageBlock("meetings", "Who met", [table])
            yield Page(name, title, [block], [*_facts(site, own, paired)], parts=cut)


def _watched(
    met: RoundMeeting,
    pages: Mapping[tuple[int, Pairing], Sequence[tuple[int, str, str]]],
    step: int,
) -> RoundMeeting:
    """Return a meeting with its games that can be stepped through, in the order of the schedule."""
    names = tuple(sorted(met.bots))
    found = sorted(pages.get((step, names), ()))
    own = [page for _, discipline, page in found if met.discipline in ("", discipline)]
    return met._replace(watch=tuple(own))


def _title(site: Site, step: int) -> str:
    """Return ``Round 7: final``, ``Round 3``, or ``2026-03-01``."""
    title, paired = site.steps.title(step), site.paired.get(step)
    return f"{title}: {paired.title}" if paired is not None and paired.title else title


def _facts(site: Site, step: StepSums, paired: PairedRound | None) -> Iterator[LabelledFact]:
    stages = site.manifest.identity.disciplines[0].schedule.parts
    if paired is not None and len(stages) > 1:
        yield LabelledFact("stage", f"{paired.stage + 1} of {len(stages)}")
    yield LabelledFact("games", step.count.words())
    if played := _span(step):
        yield LabelledFact("played", played)


def _span(step: StepSums) -> str:
    """Return the first and last day of a step; empty if unknown."""
    first, last = day_words(step.first), day_words(step.last)
    return first if first == last else f"{first} to {last}"


def _games(site: Site, own: StepSums) -> Iterator[RoundMeeting]:
    """Yield the meetings of a step, ordered by name."""
    several = len(site.disciplines) > 1
    for table in sorted(own.tables):
        yield _games_meeting(site, table, own.tables[table], several=several)


def _matches(own: StepSums, paired: PairedRound) -> Iterator[RoundMeeting]:
    """Yield the meetings of a round as they were paired."""
    games: Counter[Pairing] = Counter()
    for (_, names), met in own.tables.items():
        games[names] += met.games
    for each in paired.meetings:
        points, blocks = (tuple(map(trimmed, own)) for own in (each.points, each.games))
        played = games[tuple(sorted(each.bots))] if each.games else 0
        note = ", ".join(filter(None, (each.title, each.note)))
        yield RoundMeeting("", each.bots, points, blocks, played, note)


def _games_meeting(site: Site, table: Met, met: Encounter, *, several: bool) -> RoundMeeting:
    discipline, names = table
    if len(names) == 1:
        games = [f"{met.points[0] / met.games:.2f}"]
    else:
        games = [trimmed(points / 2) for points in met.points]
    order = sorted(range(len(names)), key=lambda k: (-met.points[k], k))
    out = [name for name in names if name in site.annulled]
    note = (
        f"{', '.join(map(called, dict.fromkeys(out)))} withdrawn: counts for nobody" if out else ""
    )
    return RoundMeeting(
        site.run.titles[discipline] if several else "",
        tuple(names[k] for k in order),
        (),
        tuple(games[k] for k in order),
        met.games,
        note,
    )


def _table(title: str, meetings: Sequence[RoundMeeting]) -> PageTable:
    bots = [JoinedCells([*map(Label, each.bots)], " v ") for each in meetings]
    columns = [Column("bots", "left", bots)]
    if any(each.discipline for each in meetings):
        columns.append(Column("discipline", "left", [each.discipline for each in meetings]))
    if any(each.points for each in meetings):
        columns.append(Column("points", "left", [_sums(each.points) for each in meetings]))
    unit = " or ".join(sorted({each.counts for each in meetings}))
    columns.append(Column(unit, "left", [_sums(each.games) for each in meetings]))
    columns.append(Column("games", "right", [each.played for each in meetings]))
    if any(each.note for each in meetings):
        columns.append(Column("note", "left", [each.note for each in meetings]))
    if any(each.watch for each in meetings):
        columns.append(Column("watch", "left", [_games_links(each) for each in meetings]))
    return PageTable(title, columns, "meetings", is_sorted=False)


def _sums(points: Sequence[str]) -> str:
    return " : ".join(points) or NOTHING


def _games_links(met: RoundMeeting) -> Cell:
    """Return links to the games of a meeting, by number."""
    links = [Linked(f"game {k}", address) for k, address in enumerate(met.watch, 1)]
    return JoinedCells(links, ", ") if links else NOTHING


def list_pages(site: Site) -> Iterator[Page]:
    """Yield the pages that list all rounds or days, newest first."""
    order = list(reversed(site.order))
    title = f"{site.steps.noun.capitalize()}s"
    cut = parts(len(order), LISTED, rounds_page)
    for k, (_, name) in enumerate(cut):
        table = round_table(site, title, order[LISTED * k : LISTED * (k + 1)])
        yield Page(name, title, [PageBlock("rounds", "The newest first", [table])], parts=cut)


def round_table(site: Site, caption: str, shown: Sequence[int]) -> PageTable:
    """Return a table of the rounds or days ``shown``."""
    steps = [site.gathered.by_step[step] for step in shown]
    titles = [Linked(_title(site, step), round_page(site.steps.key(step), 1)) for step in shown]
    columns = [Column(site.steps.noun, "left", titles)]
    if site.steps.are_rounds:
        columns.append(Column("played", "left", [_span(each) or NOTHING for each in steps]))
    columns.append(Column("tables", "right", [len(each.tables) for each in steps]))
    columns.append(Column("games", "right", [each.count.words() for each in steps]))
    if site.leaders:
        columns.append(Column("leader after it", "left", [_leader(site, step) for step in shown]))
    return PageTable(caption, columns, is_sorted=False)


def _leader(site: Site, step: int) -> Cell:
    headline = site.leaders.get(step)
    if headline is None or not headline.names:
        return NOTHING
    names = JoinedCells([*map(Label, headline.names)], ", ")
    return JoinedCells([names, " ?"]) if headline.is_provisional else names
