"""The rounds or days of a competition: a list of them, the pairings of each, and rows on games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from markupsafe import Markup

from arena.runs.store import Stored
from arena.schedule.kinds.registry import rounds_of
from arena.schedule.pairings import Pairing
from arena.schedule.rounds.state import Paired
from arena.text.numbers import NOTHING, trimmed
from arena.views.page.blocks.block import GridCell, GridTable, Head, PageBlock, PageCell, linked
from arena.views.page.blocks.bots import GameLine
from arena.views.page.drawing import escape
from arena.views.page.model import LabelledFact
from arena.views.site.gather import Encounter, StepSums
from arena.views.site.gather import Table as Met
from arena.views.site.html import Page, game_page, link, parts, relative, round_page, rounds_page
from arena.views.site.model import Site
from arena.views.site.steps import day_words, moment

ROWS: Final = 400
"""Most pairings on one page."""
_BYE: Final = "bye"
_RESTS: Final = "sits out"
LISTED: Final = 200
"""Most rounds or days on one page."""


class RoundMeeting(NamedTuple):
    """Bots that met, or a bot with a bye."""

    discipline: str
    """Discipline; empty if there is only one."""
    bots: tuple[tuple[str, str], ...]
    """Names with the addresses of their pages, the more successful first."""
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
        return (
            "points of games" if len(self.bots) > 1 or self.note in (_BYE, _RESTS) else "mean score"
        )


class RoundPage(NamedTuple):
    """One page with the pairings of a round or day, or with a part of them."""

    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, str], ...]
    meetings: tuple[RoundMeeting, ...]


def round_pages(site: Site, opened: Iterable[Stored]) -> Iterator[RoundPage]:
    """Yield the pages of every round or day that has games, in order, each cut into parts.

    ``opened``: the games that have pages.
    """
    pages: dict[tuple[int, Pairing], list[tuple[int, str, str]]] = {}
    for stored in opened:
        spec = stored.result.spec
        number = site.run.schedule.number(spec.game_id)
        if number is not None:
            table = site.steps.at(number), tuple(sorted(spec.entrants))
            game = number, spec.discipline, game_page(spec.game_id)
            pages.setdefault(table, []).append(game)
    for step in site.order:
        key = site.steps.key(step)
        own = site.gathered.by_step[step]
        paired = site.paired.get(step)
        met = _games(site, own) if paired is None else _matches(site, own, paired)
        meetings = [_watched(each, pages, step) for each in met]
        cut = tuple(parts(len(meetings), ROWS, partial(round_page, key)))
        for k, (_, name) in enumerate(cut):
            shown = tuple(meetings[ROWS * k : ROWS * (k + 1)])
            facts = tuple(_facts(site, own, paired))
            yield RoundPage(name, _title(site, step), facts, cut, shown)


def _watched(
    met: RoundMeeting,
    pages: Mapping[tuple[int, Pairing], Sequence[tuple[int, str, str]]],
    step: int,
) -> RoundMeeting:
    """Return a meeting with its games that can be stepped through, in the order of the schedule."""
    names = tuple(sorted(name for name, _ in met.bots))
    found = sorted(pages.get((step, names), ()))
    own = [page for _, discipline, page in found if met.discipline in ("", discipline)]
    return met._replace(watch=tuple(own))


def _title(site: Site, step: int) -> str:
    """Return ``Round 7: final``, ``Round 3``, or ``2026-03-01``."""
    title, called = site.steps.title(step), site.called.get(step)
    return title if called is None else f"{title}: {called}"


def _facts(site: Site, step: StepSums, paired: Paired | None) -> Iterator[tuple[str, str]]:
    stages = site.manifest.identity.disciplines[0].schedule.parts
    if paired is not None and len(stages) > 1:
        yield "stage", f"{paired.stage + 1} of {len(stages)}"
    yield "games", step.count.words()
    first, last = day_words(step.first), day_words(step.last)
    if first:
        yield "played", first if first == last else f"{first} to {last}"


def _games(site: Site, own: StepSums) -> Iterator[RoundMeeting]:
    """Yield the meetings of a step, ordered by name."""
    several = len(site.disciplines) > 1
    for table in sorted(own.tables):
        yield _games_meeting(site, table, own.tables[table], several=several)


def _matches(site: Site, own: StepSums, paired: Paired) -> Iterator[RoundMeeting]:
    """Yield the meetings of a round as they were paired.

    Points of single rounds mean nothing in a knockout, and a ladder has none.
    """
    kind = rounds_of(site.manifest.identity.disciplines[0].schedule.parts[paired.stage])
    games: Counter[Pairing] = Counter()
    for (_, names), met in own.tables.items():
        games[names] += met.games
    for names, table in zip(paired.pairings, paired.round.tables, strict=True):
        points, blocks = table.points, table.blocks
        order = sorted(range(len(names)), key=lambda k: (-points[k], -blocks[k], k))
        shown = paired.is_over and kind.has_points
        yield RoundMeeting(
            "",
            tuple((names[k], site.page_of(names[k])) for k in order),
            tuple(trimmed(float(points[k])) for k in order) if shown else (),
            tuple(trimmed(blocks[k] / 2) for k in order),
            games[names],
            "open" if not paired.is_over else "" if table.is_played else "forfeit",
        )
    for name in paired.byes:
        own_points = ("1",) if paired.is_over and kind.has_points else ()
        note = _RESTS if site.manifest.is_ladder else _BYE
        yield RoundMeeting("", ((name, site.page_of(name)),), own_points, (), 0, note)


def _games_meeting(site: Site, table: Met, met: Encounter, *, several: bool) -> RoundMeeting:
    discipline, names = table
    if len(names) == 1:
        games = [f"{met.points[0] / met.games:.2f}"]
    else:
        games = [trimmed(points / 2) for points in met.points]
    order = sorted(range(len(names)), key=lambda k: (-met.points[k], k))
    out = [name for name in names if name in site.annulled]
    note = f"{', '.join(dict.fromkeys(out))} withdrawn: counts for nobody" if out else ""
    return RoundMeeting(
        site.run.titles[discipline] if several else "",
        tuple((names[k], site.page_of(names[k])) for k in order),
        (),
        tuple(games[k] for k in order),
        met.games,
        note,
    )


def shown_page(found: RoundPage) -> Page:
    """Return the page of a round or day, with its table, ready to be written."""
    with_points = any(each.points for each in found.meetings)
    several = any(each.discipline for each in found.meetings)
    with_games = any(each.watch for each in found.meetings)
    heads = [
        *([Head("discipline")] if several else []),
        Head("bots", is_sorted=False),
        *([Head("points", is_sorted=False)] if with_points else []),
        Head(" or ".join(sorted({each.counts for each in found.meetings})), is_sorted=False),
        Head("games", "right"),
        *([Head("note", is_sorted=False)] if any(each.note for each in found.meetings) else []),
        *([Head("watch", is_sorted=False)] if with_games else []),
    ]
    rows: list[list[PageCell]] = []
    for each in found.meetings:
        bots: list[Markup] = [link(*bot, found.name) for bot in each.bots]
        cells: list[PageCell] = [
            *([each.discipline] if several else []),
            linked(bots, " v "),
            *([" : ".join(each.points) or NOTHING] if with_points else []),
            " : ".join(each.games) or NOTHING,
            each.played,
            *([each.note] if any(e.note for e in found.meetings) else []),
            *([linked(_games_links(each, found.name), ", ")] if with_games else []),
        ]
        rows.append(cells)
    row_head = 1 if several else 0
    table = GridTable(found.title, heads, rows, "s-meetings", row_head)
    return Page(
        name=found.name,
        title=found.title,
        blocks=[PageBlock("meetings", "Who met", tables=[table])],
        facts=[LabelledFact(*each) for each in found.facts],
        parts=found.parts,
    )


def _games_links(met: RoundMeeting, page: str) -> list[Markup]:
    """Return links to the games of a meeting, by number."""
    links = [link(f"game {k}", address, page) for k, address in enumerate(met.watch, 1)]
    return links or [escape(NOTHING)]


def list_pages(site: Site) -> Iterator[Page]:
    """Yield the pages that list all rounds or days, newest first."""
    order = list(reversed(site.order))
    title = f"{site.steps.noun.capitalize()}s"
    cut = parts(len(order), LISTED, rounds_page)
    for k, (_, name) in enumerate(cut):
        table = round_table(site, title, order[LISTED * k : LISTED * (k + 1)], name)
        yield Page(
            name, title, [PageBlock("rounds", "The newest first", tables=[table])], parts=cut
        )


def round_table(site: Site, caption: str, shown: Sequence[int], page: str) -> GridTable:
    """Return a table of the rounds or days ``shown``."""
    heads = [
        Head(site.steps.noun, is_sorted=False),
        *([Head("played", is_sorted=False)] if site.steps.are_rounds else []),
        Head("tables", "right", is_sorted=False),
        Head("games", "right", is_sorted=False),
        *([Head("leader after it", is_sorted=False)] if site.leaders else []),
    ]
    return GridTable(caption, heads, [_listed(site, step, page) for step in shown])


def _listed(site: Site, step: int, page: str) -> Sequence[PageCell]:
    own = site.gathered.by_step[step]
    address = relative(round_page(site.steps.key(step), 1), page)
    headline = site.leaders.get(step)
    names = () if headline is None else headline.names
    links = [link(name, site.page_of(name), page) for name in names] or [escape(NOTHING)]
    if headline is not None and headline.is_provisional:
        links[-1] += " ?"
    first, last = day_words(own.first), day_words(own.last)
    played = first if first == last else f"{first} to {last}"
    return [
        GridCell(_title(site, step), href=address),
        *([played or NOTHING] if site.steps.are_rounds else []),
        len(own.tables),
        own.count.words(),
        *([linked(links, ", ")] if site.leaders else []),
    ]


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
        discipline=site.run.titles[spec.discipline] if len(site.disciplines) > 1 else "",
        seats=tuple((name, site.page_of(name)) for name in spec.entrants),
        places=result.places,
        scores=result.scores,
        faults=tuple((fault.seat, fault.kind.value) for fault in result.faults),
        address=game_page(spec.game_id) if is_opened else "",
    )
