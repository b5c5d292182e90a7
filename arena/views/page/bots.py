"""The section of each bot in a report: place, rating, opponents, faults, games and times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from arena.ratings.elo.rating import ELO_UNIT, Rated, ValueUnit
from arena.ratings.full.crosstable import PairResult, pairs_of
from arena.results import Seat, margins_of
from arena.text.cells import Text, key_of, text_of
from arena.text.numbers import NOTHING, count, percent, short_duration
from arena.text.slugs import slugs
from arena.views.game.rows import GameRow
from arena.views.page.blocks import bots as bot_blocks
from arena.views.page.blocks.block import GridCell, PageBlock
from arena.views.page.blocks.run import quotes_of
from arena.views.page.blocks.standings import met_cell
from arena.views.page.model import PageSection, RunPage, Times
from arena.views.standings.ratings_table import interval_cell, value_text

_EXTREMES: Final = 3
"""Number of best and of worst results of a bot."""
_LATEST: Final = 5
_ROWS: Final = 5000
"""Most rows of opponents in all sections together, but at least ``_LEAST`` for each bot."""
_LEAST: Final = 5


class BotSection(NamedTuple):
    """The section of a bot, ready to be shown."""

    name: str
    anchor: str
    """Value of its ``id``."""
    summary: str
    """Place, rating, score and faults, for the list of all sections."""
    intro: Sequence[str]
    """Sentences on its games and times."""
    games: str
    """Link to its games; empty without any."""
    blocks: Sequence[PageBlock]


class _Play(NamedTuple):
    """A game of one bot."""

    row: GameRow
    place: int
    """Place of its replay, as in ``Listing``."""
    margin: int
    """Margin over the best other seat, more is better; alone the score. 0 if a fault decided."""


def links_of(page: RunPage) -> dict[str, str]:
    """Return the link to the section of each bot, by its name."""
    return {name: f"#bot-{slug}" for name, slug in slugs(page.faults.counts).items()}


def bot_sections(page: RunPage, links: Mapping[str, str]) -> Iterator[BotSection]:
    """Yield the section of each bot in the order of the table, then of those without a row.

    ``links``: those of ``links_of``.
    """
    main = page.parts[-1]
    rows = {row.name: row for row in main.section.standings.rows}
    places, cells, plays = bot_blocks.rounds_places(main.section), _cells(main), _plays(page)
    has_games = bool(page.listing.rows) and not page.listing.is_anonymous
    times = {own.name: own for own in page.times}
    gone = {each.name: each.reason for each in main.section.withdrawn}
    most = max(_LEAST, _ROWS // max(1, len(links)))
    for name in dict.fromkeys([*(name for name in rows if name in links), *links]):
        faults = page.faults.counts[name]
        summary = [*_summary(main, name, places)]
        summary += [count(faults.total(), "fault")] if faults.total() else []
        unit = main.section.standings.unit
        intro = [*_counts(rows.get(name), unit), *_time_words(times.get(name))]
        if name in gone:
            intro.insert(0, f"Withdrawn: {gone[name]}.")
        blocks = []
        if len(page.parts) > 1:
            others = page.parts[:-1]
            blocks.append(
                bot_blocks.discipline_block(
                    [(each.section.heading, *_standing(each, name)) for each in others]
                )
            )
        if own := cells.get(name):
            blocks.append(_opponents(own, links, list(rows), most, is_linked=has_games))
        if kinds := [(kind.value, total) for kind, total in faults.items() if total]:
            lines = [line for line in page.faults.lines if line.name == name]
            blocks.append(bot_blocks.own_fault_block(kinds, quotes=[*quotes_of(lines)]))
        blocks += _games(page, plays.get(name, []), links)
        yield BotSection(
            name=name,
            anchor=links[name].removeprefix("#"),
            summary=" · ".join(summary),
            intro=intro,
            games="#games&" + urlencode({"bot": name}) if has_games else "",
            blocks=blocks,
        )


def _standing(part: PageSection, name: str) -> tuple[str, str, str]:
    """Return place, rating and interval of a bot in a table; empty texts if it has no row."""
    standings = part.section.standings
    placed = sum(row.rank is not None for row in standings.rows)
    row = next((row for row in standings.rows if row.name == name), None)
    if row is None:
        return "", "", ""
    place = NOTHING if row.rank is None else f"{row.rank} of {placed}"
    told = interval_cell(row, standings.unit, is_fixed=standings.is_fixed(name))
    return place, value_text(row.value, standings.unit), text_of(told)


def _summary(part: PageSection, name: str, places: Mapping[str, tuple[int, str]]) -> Iterator[str]:
    """Yield place, rating and score of a bot; ``places``: see ``rounds_places``."""
    standings = part.section.standings
    place, rating, interval = _standing(part, name)
    if name in places:
        rank, points = places[name]
        yield f"place {rank}" + (f", {points} points" if points else "")
    elif place and not places:
        yield f"place {place}"
    if rating:
        unit = standings.unit.name
        yield f"{rating} {unit}" if interval == NOTHING else f"{rating} {interval} {unit}"


def _counts(row: Rated | None, unit: ValueUnit) -> Iterator[str]:
    if row is not None and unit != ELO_UNIT:
        yield f"{count(row.games, 'game')}."
    elif row is not None:
        results = f"{row.wins} won, {row.draws} drawn, {row.losses} lost"
        yield f"{count(row.games, 'game')}: {results}; score {percent(row.score)}."


def _time_words(own: Times | None) -> Iterator[str]:
    if own is not None:
        half, most, longest = map(short_duration, (own.p50, own.p99, own.longest))
        yield f"Time per move: median {half}, 99 % within {most}, longest {longest}."


def _cells(part: PageSection) -> dict[str, list[PairResult]]:
    """Return the results of each bot against each other one; empty if they are not shown."""
    found: dict[str, list[PairResult]] = {}
    if part.ratings is not None and part.has_pairs:
        for cell in pairs_of(part.ratings.arrays):
            found.setdefault(cell.name, []).append(cell)
            found.setdefault(cell.other, []).append(cell.mirrored())
    return found


def _opponents(
    cells: Sequence[PairResult],
    links: Mapping[str, str],
    order: Sequence[str],
    most: int,
    *,
    is_linked: bool,
) -> PageBlock:
    """Return at most ``most`` opponents, those with equal games in the order of the table."""
    places = {name: place for place, name in enumerate(order)}
    found = sorted(cells, key=lambda cell: (-cell.games, places.get(cell.other, len(order))))
    shown = [
        bot_blocks.Opponent(
            cell.other,
            links.get(cell.other, ""),
            cell.wins + cell.draws + cell.losses,
            cell.score,
            _with_unit(met_cell(cell, is_linked=is_linked)),
        )
        for cell in found[:most]
    ]
    return bot_blocks.opponent_block(shown, len(found), str)


def _with_unit(cell: GridCell) -> GridCell:
    return cell._replace(cell=Text(f"{text_of(cell.cell)} %", key_of(cell.cell)))


def _plays(page: RunPage) -> dict[str, list[_Play]]:
    """Return the listed games of each bot, in the order of the list."""
    found: dict[str, list[_Play]] = {}
    kinds = (part.numbers.kind for part in page.parts if part.numbers is not None)
    less = {kind.name: kind.less_is_better for kind in kinds}
    for row, place in zip(page.listing.rows, page.listing.places, strict=True):
        for seat, name in enumerate(row.names):
            margin = _margin(row, seat, less_is_better=less.get(row.discipline, False))
            found.setdefault(name, []).append(_Play(row, place, margin))
    return found


def _margin(row: GameRow, seat: Seat, *, less_is_better: bool) -> int:
    if row.scores is None or row.faults:
        return 0
    return margins_of(row.scores, less_is_better=less_is_better)[seat]


def _games(page: RunPage, plays: Sequence[_Play], links: Mapping[str, str]) -> Iterator[PageBlock]:
    titles = page.listing.titles if len(page.parts) > 1 else {}

    def lines(chosen: Sequence[_Play]) -> list[bot_blocks.GameLine]:
        return [_line(each, links, titles) for each in chosen]

    by_margin = sorted(plays, key=lambda each: -each.margin)
    best = [each for each in by_margin if each.margin > 0][:_EXTREMES]
    worst = [each for each in reversed(by_margin) if each.margin < 0][:_EXTREMES]
    return bot_blocks.game_blocks(lines(best), lines(worst), lines(plays[: -_LATEST - 1 : -1]), str)


def _line(play: _Play, links: Mapping[str, str], titles: Mapping[str, str]) -> bot_blocks.GameLine:
    row = play.row
    return bot_blocks.GameLine(
        when="",
        discipline=titles.get(row.discipline, ""),
        seats=tuple((name, links.get(name, "")) for name in row.names),
        places=row.places,
        scores=row.scores,
        faults=tuple((fault.seat, fault.kind.value) for fault in row.faults),
        address="#" + urlencode({"game": row.game_id}) if play.place else "",
    )
