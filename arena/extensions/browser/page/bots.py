"""The page of a bot, in a report and in a site: facts, opponents, faults and notable games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from arena.extensions.browser.page.counting.results import Results, VersionedBot
from arena.extensions.browser.page.counting.steps import moment
from arena.extensions.browser.page.model import LabelledFact, Page
from arena.extensions.browser.page.standings import met_cell
from arena.ratings.elo.crosstable import PairResult
from arena.ratings.elo.rating import Rated, difference
from arena.ratings.elo.standings import Standings
from arena.runs.store import Stored
from arena.values.numbers import NOTHING, GameCount, count, percent, score_line
from arena.values.results import FaultKind
from arena.values.titles import called
from arena.views.cells import (
    Cell,
    JoinedCells,
    Label,
    Linked,
    Quantity,
    Share,
    Text,
    is_empty,
    text_of,
)
from arena.views.standings.ratings_table import difference_text, interval_cell
from arena.views.tables import Column, PageBlock, PageTable, Quote

VERSIONS: Final = 100
"""Number of versions listed, the newest ones."""


class Shown(NamedTuple):
    """Content of the pages of bots beside their results."""

    address: Callable[[Stored], str]
    """Function that returns the address of a game; empty for a game that cannot be opened."""
    opponents: int = 50
    """Most opponents listed, those with most games first."""
    pairs: Mapping[tuple[str, str], PairResult] = {}
    """Results of entrants against each other that are shown in more detail."""
    has_list: bool = False
    """True if the page has a list of games."""
    quotes: Mapping[str, Sequence[Quote]] = {}
    """Output of bots when they were at fault, by entrant."""
    facts: Callable[[VersionedBot], Sequence[LabelledFact]] = lambda player: ()
    blocks: Callable[[VersionedBot], Iterable[PageBlock]] = lambda player: ()
    """Functions that return further facts and blocks."""
    faults: str = ""
    """Sentence above the faults."""
    has_times: bool = True
    """True if the tables of games say when they were played."""


def bot_pages(results: Results, shown: Shown) -> Iterator[Page]:
    """Yield the page of every bot, those in the table first."""
    order = [row.name for row in results.main.standings.rows]
    ranks = {name: rank for rank, name in enumerate(order)}
    players = sorted(results.players.values(), key=lambda p: ranks.get(p.newest, len(order)))
    since = {name: when[:10] for name, _, when in results.manifest.entries()}
    opponents = results.gathered.opponents() if results.shows_games else {}
    for player in players:
        faults = _faults(results, player)
        found = [*_facts(results, player, since[player.newest], sum(faults.values()))]
        yield Page(
            name=player.page,
            title=called(player.name),
            facts=[*found, *shown.facts(player)],
            blocks=[*_blocks(results, player, shown, opponents, since, faults)],
        )


def _blocks(
    results: Results,
    player: VersionedBot,
    shown: Shown,
    opponents: Mapping[str, Mapping[str, tuple[int, int, int]]],
    since: Mapping[str, str],
    faults: Mapping[FaultKind, int],
) -> Iterator[PageBlock]:
    """Yield the blocks of a bot below its head.

    ``opponents``: see ``counting.games``. ``since``: when each version entered.
    """
    if len(player.versions) > 1:
        yield _versions(results, player, since)
    if len(results.parts) > 1:
        yield _disciplines(results, player)
    if met := _met(player, opponents):
        yield _opponents(player, met, shown)
    if faults:
        quotes = [each for name in player.versions for each in shown.quotes.get(name, ())]
        yield _fault_block(faults, shown.faults, quotes)
    yield from shown.blocks(player)
    own = results.gathered.bots.get(player.newest)
    if own is not None and results.shows_games:
        for key, title, games in (
            ("best", "Best results", [game for *_, game in reversed(own.best)]),
            ("worst", "Worst results", [game for *_, game in reversed(own.worst)]),
            ("latest", "Latest games", [*reversed(own.latest)]),
        ):
            if games:
                yield PageBlock(key, title, [games_table(title, games, results, shown)])


def _faults(results: Results, player: VersionedBot) -> dict[FaultKind, int]:
    bots = results.gathered.bots
    total = Counter[FaultKind]()
    for name in player.versions:
        if name in bots:
            total += bots[name].faults
    return {kind: total[kind] for kind in FaultKind if total[kind]}


def _facts(
    results: Results, player: VersionedBot, since: str, faults: int
) -> Iterator[LabelledFact]:
    """Yield author, state, place, rating, games and faults, as far as there are any."""
    if player.author:
        yield LabelledFact("author", player.author)
    if not player.plays:
        state = f"{player.state}: {player.reason}" if player.reason else player.state
        yield LabelledFact("state", state)
    row = results.rows[-1].get(player.newest)
    standings = results.main.standings
    if player.newest in results.places:
        place, points = results.places[player.newest]
        yield LabelledFact("place", str(place))
        if points:
            yield LabelledFact("points", points)
    elif results.main.rounds is None and player.plays:
        placed = _place(standings, player.newest)
        yield from [LabelledFact("place", placed)] if placed != NOTHING else []
    value, interval = _rated(standings, row)
    if not is_empty(value):
        words = " ".join(text_of(each) for each in (value, interval) if not is_empty(each))
        yield LabelledFact(standings.unit.name, words)
    yield LabelledFact("games", _games(results, player.versions).words())
    if row is not None and row.games and standings.unit.is_elo:
        results_of = f"{row.wins} won, {row.draws} drawn, {row.losses} lost"
        yield LabelledFact("results", f"{results_of}; score {percent(row.score)}")
    if faults:
        yield LabelledFact("faults", str(faults))
    if since and results.manifest.changes:
        yield LabelledFact("since", since)


def _place(standings: Standings, name: str) -> str:
    """Return ``2 of 5``, or NOTHING without a place."""
    ranks = {row.name: row.rank for row in standings.rows if row.rank is not None}
    return f"{ranks[name]} of {len(ranks)}" if name in ranks else NOTHING


def _rated(standings: Standings, row: Rated | None) -> tuple[Cell, Cell]:
    """Return the rating or mean score of a row with its interval."""
    if row is None:
        return NOTHING, NOTHING
    is_fixed = standings.is_fixed(row.name)
    value = Quantity(row.value, standings.unit.decimals)
    return value, interval_cell(row, standings.unit, is_fixed=is_fixed)


def _games(results: Results, names: Sequence[str]) -> GameCount:
    """Return the numbers of games of all versions of a bot."""
    bots = results.gathered.bots
    counts = [bots[name].count for name in names if name in bots]
    return GameCount(sum(each.counting for each in counts), sum(each.stored for each in counts))


def _versions(results: Results, player: VersionedBot, since: Mapping[str, str]) -> PageBlock:
    names = player.versions[-VERSIONS:][::-1]
    rows, standings = results.rows[-1], results.main.standings
    rated = [_rated(standings, rows.get(name)) for name in names]
    bots = results.gathered.bots
    games = [_games(results, [name]) for name in names]
    columns = [
        Column("version", "left", [*map(Label, names)]),
        Column("since", "left", [since.get(name, "") or NOTHING for name in names]),
        Column(standings.unit.name, "right", [value for value, _ in rated]),
        Column("95 %", "right", [interval for _, interval in rated]),
        Column("against the one before", "right", _changes(results, player, names)),
        Column("games", "right", [Text(each.words(), each.counting) for each in games]),
        Column(
            "faults",
            "right",
            [bots[name].faults.total() if name in bots else 0 for name in names],
        ),
    ]
    older = len(player.versions) - len(names)
    return PageBlock(
        key="versions",
        title="Versions",
        intro="The newest first. All are rated together, so their numbers can be compared.",
        tables=[PageTable("Versions", columns)],
        remarks=[f"and {count(older, 'older version')}"] if older else [],
    )


def _changes(results: Results, player: VersionedBot, names: Sequence[str]) -> list[Cell]:
    """Return the difference of each version to the one before that is rated."""
    ratings = results.parts[-1].ratings
    before, found = None, dict[str, Cell]()
    for name in player.versions:
        if name not in results.rows[-1]:
            continue
        if before is not None and ratings is not None:
            own = difference(ratings, name, before)
            found[name] = Text(difference_text(own.elo, own.low, own.high), own.elo)
        before = name
    return [found.get(name, NOTHING) for name in names]


def _disciplines(results: Results, player: VersionedBot) -> PageBlock:
    parts = list(zip(results.parts[:-1], results.rows[:-1], strict=True))
    rated = [_rated(part.section.standings, rows.get(player.newest)) for part, rows in parts]
    places = [_place(part.section.standings, player.newest) for part, _ in parts]
    columns = [
        Column("discipline", "left", [part.section.heading for part, _ in parts]),
        Column("place", "right", places),
        Column("rating", "right", [value for value, _ in rated]),
        Column("95 %", "left", [interval for _, interval in rated]),
    ]
    return PageBlock("tables", "Disciplines", [PageTable("Disciplines", columns)])


def _met(
    player: VersionedBot, opponents: Mapping[str, Mapping[str, tuple[int, int, int]]]
) -> dict[str, list[int]]:
    """Return games, games that compare the two, and points by opponent, of all versions."""
    sums: dict[str, list[int]] = {}
    for name in player.versions:
        for other, numbers in opponents.get(name, {}).items():
            if other not in player.versions:
                own = sums.setdefault(other, [0, 0, 0])
                own[:] = [one + more for one, more in zip(own, numbers, strict=True)]
    return sums


def _opponents(player: VersionedBot, met: Mapping[str, Sequence[int]], shown: Shown) -> PageBlock:
    names = sorted(met, key=lambda other: (-met[other][0], other))[: shown.opponents]

    def score(other: str) -> Cell:
        _, rated, points = met[other]
        if (pair := shown.pairs.get((player.newest, other))) and len(player.versions) == 1:
            return met_cell(pair, is_linked=shown.has_list, unit=" %")
        return Share(points / (2 * rated) if rated else None, 1, unit=" %")

    columns = [
        Column("against", "left", [*map(Label, names)]),
        Column("games", "right", [met[other][0] for other in names]),
        Column("score", "right", [score(other) for other in names], kind="heat"),
    ]
    left = len(met) - len(names)
    return PageBlock(
        key="opponents",
        title="Opponents",
        intro="Those with most games first; the score is the share of points taken off them.",
        tables=[PageTable("Opponents", columns)],
        remarks=[f"and {left} more"] if left else [],
    )


def _fault_block(faults: Mapping[FaultKind, int], intro: str, quotes: Sequence[Quote]) -> PageBlock:
    columns = [
        Column("fault", "left", [kind.value for kind in faults]),
        Column("games", "right", [*faults.values()]),
    ]
    return PageBlock("faults", "Faults", [PageTable("Faults", columns)], intro=intro, quotes=quotes)


def games_table(caption: str, games: Sequence[Stored], results: Results, shown: Shown) -> PageTable:
    """Return games as a table without columns that are empty."""
    found = [shown.address(stored) for stored in games]
    watch: list[Cell] = [Linked("watch", each) if each else NOTHING for each in found]
    faults = [_fault_words(stored) for stored in games]
    times = [moment(stored.played_at)[:16].replace("T", " ") for stored in games]
    disciplines = [results.run.titles[stored.result.spec.discipline] for stored in games]
    columns = [
        *([Column("game", "left", watch)] if any(found) else []),
        Column("bots, the winner first", "left", [*map(_players, games)]),
        Column("score", "left", [*map(_scores, games)]),
        *([Column("faults", "left", faults, kind="fault")] if any(faults) else []),
        *([Column("discipline", "left", disciplines)] if len(results.disciplines) > 1 else []),
        *([Column("played (UTC)", "left", times)] if any(times) and shown.has_times else []),
    ]
    return PageTable(caption, columns, "games", is_sorted=False)


def _scores(stored: Stored) -> str:
    scores = stored.result.scores
    order = _order(stored)
    return NOTHING if scores is None else score_line([scores[seat] for seat in order])


def _fault_words(stored: Stored) -> str:
    names = stored.result.spec.entrants
    faults = (f"{called(names[fault.seat])}: {fault.kind.value}" for fault in stored.result.faults)
    return ", ".join(faults)


def _order(stored: Stored) -> list[int]:
    """Return the seats, the winner first."""
    places = stored.result.places
    return sorted(range(len(places)), key=lambda seat: (places[seat], seat))


def _players(stored: Stored) -> JoinedCells:
    order, places, parts = _order(stored), stored.result.places, list[Cell]()
    names = stored.result.spec.entrants
    for k, seat in enumerate(order):
        if k:
            above = places[order[k - 1]] < places[seat]
            parts.append(" beat " if above and k == 1 else ", " if above else " = ")
        parts.append(Label(names[seat]))
    return JoinedCells(parts)
