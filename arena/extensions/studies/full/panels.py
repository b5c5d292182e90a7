"""Tables below the table of a full page: pairs, bots, groups, cycles, forfeits, seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from wcwidth import wcswidth

from arena.extensions.studies.full.cycles import Cycles, Triple
from arena.extensions.studies.full.davidson import Davidson
from arena.extensions.studies.full.numbers import Forfeits, Full, SeatScore, full
from arena.extensions.studies.full.ranks import DRAWS, ComparableGroup, Lacks, Link, RankRange
from arena.ratings.counting.scored import SoloTally
from arena.ratings.elo.crosstable import PairResult
from arena.ratings.elo.rating import Difference, ScorePair
from arena.ratings.elo.scores import score_pairs
from arena.ratings.elo.standings import Standings
from arena.values.numbers import (
    NOTHING,
    count,
    likelihood_cell,
    p_value,
    percent_cell,
    reach,
    signed,
)
from arena.values.titles import called
from arena.views.cells import (
    NAME_COLUMNS,
    Cell,
    HalfWidth,
    Interval,
    Label,
    Quantity,
    Share,
    Stack,
    Text,
    text_of,
)
from arena.views.standings.standings import SectionData
from arena.views.tables import Column, PageBlock

MATRIX: Final = 10
"""Most bots of a matrix; more bots are listed by pair."""
LISTED: Final = 200
"""Most pairs of a list; of more pairs, those nearest in the table are listed."""
PAGE: Final = 80
"""Terminal columns that a matrix of MATRIX bots fits, with names cut if necessary."""
MARK: Final = "*"
"""Mark of a pair that is significant with all pairs considered."""
_PAIR_NAME: Final = 12
_SHORTEST: Final = 4
_LISTED_NAMES: Final = 20
"""Most bots of a group that are named."""
_FEW: Final = 3
"""Most bots for which a list shows the whole cell of each pair."""


def statistics(part: SectionData) -> list[PageBlock]:
    """Return the panels of a table that are not empty; a site has none of them."""
    section = part.section
    if part.page == "site":
        return []
    if part.ratings is None:
        return score_panels(part.tally.solo[section.title], section.standings)
    return rated_panels(full(section.standings, part.ratings, part.clean), section.titles)


def rated_panels(numbers: Full, titles: Mapping[str, str]) -> list[PageBlock]:
    """Return the panels of a rated section that are not empty.

    ``titles``: those of the disciplines, by name.
    """
    return [*pair_panels(numbers), *list_panels(numbers, titles)]


def pair_panels(numbers: Full) -> list[PageBlock]:
    """Return the panels on pairs, for a table of two or more bots."""
    if len(numbers.names) < 2:
        return []
    panels = [_crosstable(numbers), _differences(numbers)]
    if _is_matrix(numbers.names):
        panels.append(_superiority(numbers))
    return panels


T = TypeVar("T")


def _is_matrix(names: Sequence[str]) -> bool:
    """Return whether pairs are shown as a matrix, not as a list."""
    return _FEW < len(names) <= MATRIX


def _pair_table(
    names: Sequence[str],
    found: Mapping[tuple[str, str], T],
    cell: Callable[[T], Cell],
    columns: Callable[[list[T]], list[Column]],
) -> tuple[list[Column], list[str]]:
    """Return the columns of a table of pairs, and a remark on pairs that a list leaves out.

    ``found``: numbers of a pair by both names. ``cell``: cell of a matrix. ``columns``: columns of
    a list behind the names.
    """
    if _is_matrix(names):
        cells = {pair: cell(each) for pair, each in found.items()}
        return matrix(names, lambda name, other: cells.get((name, other), NOTHING)), []
    near, reached = nearest_pairs(names)
    pairs = [pair for pair in near if pair in found]
    own = columns([found[pair] for pair in pairs])
    return [*pair_columns(pairs), *own], list_remark(names, reached)


def _crosstable(numbers: Full) -> PageBlock:
    as_matrix = _is_matrix(numbers.names)
    columns, remarks = _pair_table(numbers.names, numbers.cells, _cell, _cell_columns)
    title = "head to head: score of the row against the column in percent"
    return PageBlock.of(
        key="crosstable",
        title=title if as_matrix else "head to head: score and LOS in percent",
        columns=columns if numbers.cells else (),
        remarks=[*_cell_remarks(numbers), *remarks]
        if numbers.cells
        else ["nobody has met anybody"],
        data=tuple(numbers.cells.values()),
    )


def _cell(cell: PairResult) -> Cell:
    return Stack([Share(cell.score, mark=_mark(cell)), *_score_ends(cell)])


def _cell_columns(cells: list[PairResult]) -> list[Column]:
    return [
        Column("%", "right", [Share(cell.score, 1, mark=_mark(cell)) for cell in cells]),
        Column("W-D-L", "right", [Text(f"{c.wins}-{c.draws}-{c.losses}", c.wins) for c in cells]),
        Column("LOS", "right", [_likelihood(cell.superiority) for cell in cells]),
        Column("Elo", "right", [_elo(cell) for cell in cells]),
        Column("95 %", "right", [_interval(cell) for cell in cells]),
        Column("blocks", "right", [cell.blocks for cell in cells]),
    ]


def _cell_remarks(numbers: Full) -> list[str]:
    cells, as_matrix = numbers.cells.values(), _is_matrix(numbers.names)
    interval = "≥ … ≤" if as_matrix else "behind Elo"
    remarks = [f"{interval} is the 95 % interval; {count(len(cells) // 2, 'pair')} met"]
    marked = sum(cell.significant for cell in cells) // 2
    remarks.append(_significance(marked, len(cells) // 2, "50 %", "score differs"))
    if not as_matrix and any(cell.elo is None for cell in cells):
        remarks.append("Elo > or <: the 97.5 % limit of a perfect or zero score, block by block")
    return remarks


def _significance(marked: int, pairs: int, even: str, differs: str) -> str:
    """Return a remark on how many pairs differ from even, with all pairs considered."""
    level = "at the 5 % level, Holm over all pairs"
    if not marked:
        return f"no {differs} from {even} {level}"
    of = "the only pair" if pairs == 1 else f"{marked} of {pairs} pairs"
    return f"mark {MARK}: differs from {even} {level}: {of}"


def _mark(pair: PairResult | ScorePair) -> str:
    return MARK if pair.significant else ""


def _likelihood(share: float | None, digits: int = 1) -> Share:
    return Share(share, digits, is_certain=False)


def _score_ends(cell: PairResult) -> list[str]:
    """Return the ends of the interval in percent; of a perfect or zero score only its limit."""
    if cell.score_low is None or cell.score_high is None:
        return []
    ends = ("≥", round(100 * cell.score_low)), ("≤", round(100 * cell.score_high))
    return [f"{sign}{end}" for sign, end in ends if 0 < end < 100]


def _elo(cell: PairResult) -> Quantity:
    if cell.elo is not None:
        return Quantity(cell.elo, is_signed=True)
    is_above = cell.low is not None
    return Quantity(
        cell.low if is_above else cell.high, is_signed=True, mark=">" if is_above else "<"
    )


def _interval(cell: PairResult) -> Cell:
    if cell.elo is None or (cell.low is None and cell.high is None):
        return NOTHING
    low, high = signed(cell.low), signed(cell.high)
    if cell.high is None:
        return Text(f"above {low}", cell.low)
    return Text(f"{low} … {high}" if cell.low is not None else f"below {high}", cell.low)


def _differences(numbers: Full) -> PageBlock:
    as_matrix = _is_matrix(numbers.names)
    found = numbers.differences
    columns, left_out = _pair_table(numbers.names, found, _difference, _difference_columns)
    remarks = ["from all games together; ± is the 95 % interval", *left_out]
    known = [each for each in found.values() if each.error is not None]
    if as_matrix and any(" " in reach(each.elo, each.low, each.high) for each in known):
        remarks.append("where its sides differ ± is half of it; both ends: --format csv or json")
    if numbers.groups:
        remarks.append(
            f"{NOTHING}: in different groups; what results do not connect they do not compare"
        )
    if any(map(_is_open, found.values())):
        remarks.append("mark ?: no interval: too few blocks in the group, or all went alike")
    title = "fitted Elo differences"
    return PageBlock.of(
        key="differences",
        title=f"{title}: row less column" if as_matrix else f"{title}, LOS in percent",
        columns=columns,
        remarks=remarks,
        data=tuple(found.values()),
    )


def _difference(each: Difference) -> Cell:
    error = [] if each.error is None else [HalfWidth(each.error)]
    return Stack([_fitted(each), *error])


def _difference_columns(found: list[Difference]) -> list[Column]:
    return [
        Column("Elo", "right", [_fitted(each) for each in found]),
        Column("95 %", "right", [Interval(each.elo, each.low, each.high) for each in found]),
        Column("LOS", "right", [_likelihood(each.superiority) for each in found]),
    ]


def _is_open(each: Difference) -> bool:
    """Return whether there is a difference without an interval."""
    return each.elo is not None and each.error is None


def _fitted(each: Difference) -> Cell:
    return Text(signed(each.elo) + "?" * _is_open(each), each.elo)


def _superiority(numbers: Full) -> PageBlock:
    def shown(name: str, other: str) -> Cell:
        return _likelihood(numbers.differences[name, other].superiority, 0)

    return PageBlock.of(
        key="superiority",
        title="likelihood that the row is stronger than the column in percent (LOS)",
        columns=matrix(numbers.names, shown),
        remarks=["of each pair on its own; see ranks for what all together say"],
        data=None,
    )


def list_panels(numbers: Full, titles: Mapping[str, str]) -> list[PageBlock]:
    """Return the panels other than pairs that are not empty."""
    panels = [
        _ranks(numbers),
        *([_groups(numbers)] if numbers.groups else []),
        *([_cycles(numbers.cycles)] if numbers.cycles is not None else []),
        *([_davidson(numbers.davidson)] if numbers.davidson is not None else []),
        *([_forfeits(numbers)] if numbers.forfeits else []),
        *_seats(numbers.seats, titles),
    ]
    return panels if len(numbers.names) > 1 else panels[1:]


def _ranks(numbers: Full) -> PageBlock:
    rows = numbers.ranks
    if not rows:
        remarks = ["the results do not bound how far the differences of any group scatter"]
        return PageBlock.of("ranks", "ranks", (), remarks, ())
    several = len({row.group for row in rows}) > 1
    group = [Column("group", "left", [row.group for row in rows])] if several else []
    columns = [
        *group,
        Column("#", "right", [row.rank for row in rows]),
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("95 %", "right", [Text(_range(row), row.low) for row in rows]),
        Column("best %", "right", [_likelihood(row.best) for row in rows]),
        Column("over next %", "right", [_likelihood(row.over_next) for row in rows]),
        Column("Holm %", "right", [_adjusted(row) for row in rows]),
    ]
    among = "" if len(rows) == numbers.places else " among the bots that results connect"
    remarks = [
        f"95 %: interval of the rank{among}; best: chance to be the strongest",
        f"both from {DRAWS} draws of all ratings together, with a fixed seed",
        "over next: likelihood of being stronger than the next one (LOS)",
        "Holm: the same with all such neighbours considered",
    ]
    return PageBlock.of("ranks", "ranks", columns, remarks, rows)


def _range(row: RankRange) -> str:
    return str(row.low) if row.low == row.high else f"{row.low}-{row.high}"


def _adjusted(row: RankRange) -> Cell:
    if row.over_next_holm is not None and row.over_next_holm <= 0.5:
        return Text("50 or less", row.over_next_holm)
    return _likelihood(row.over_next_holm)


def _groups(numbers: Full) -> PageBlock:
    rows = numbers.groups
    columns = [
        Column("group", "left", [group.letter or NOTHING for group in rows]),
        Column("bots", "right", [len(group.names) for group in rows]),
        Column("mark", "left", [group.bound.value or NOTHING for group in rows]),
        Column("pairing", "left", [_pairing(group.link) for group in rows]),
        Column("has met in", "right", [_met(group.link) for group in rows]),
    ]
    remarks = ["strengths can be compared within a group; the prior decides between groups"]
    remarks += [_members(group) for group in rows]
    remarks += [_advice(group.link) for group in rows if group.link is not None]
    return PageBlock.of("groups", "groups that results do not connect", columns, remarks, rows)


def _members(group: ComparableGroup) -> str:
    shown = ", ".join(map(called, group.names[:_LISTED_NAMES]))
    more = len(group.names) - _LISTED_NAMES
    letter = f"group {group.letter}" if group.letter else "without a result"
    return f"{letter}: {shown}" + (f" and {count(more, 'other')}" if more > 0 else "")


def _pairing(link: Link | None) -> str:
    return NOTHING if link is None else f"{called(link.name)} – {called(link.other)}"


def _met(link: Link | None) -> Cell:
    return NOTHING if link is None else Text(count(link.blocks, "block"), link.blocks)


def _advice(link: Link) -> str:
    name, other = called(link.name), called(link.other)
    match link.lacks:
        case Lacks.GAMES:
            return f"{name} has no game with the group of {other}: play the two, until both score"
        case Lacks.LOSS:
            return f"{name} lost no point to the group of {other}: play on, until {other} scores"
        case Lacks.WIN:
            return f"{name} won no point off the group of {other}: play on, until {name} scores"
        case Lacks.POINTS:
            return f"no points connect {name} with {other}: play the two, until both score"


def _cycles(cycles: Cycles) -> PageBlock:
    remarks = [
        f"one scale leaves {percent_cell(cycles.share, 1)} % of the differences between pairs to "
        "circles and chance",
        f"Q = {cycles.q:.1f}, {count(cycles.freedom, 'degree')} of freedom, {p_value(cycles.p)}; "
        f"{count(cycles.pairs, 'pair')} of {cycles.bots} bots",
    ]
    if cycles.depends_on_schedule:
        remarks += [
            "no single scale describes these results: Elo depends on the schedule",
            "compare ratings only if everybody played everybody equally often",
        ]
    else:
        remarks.append("nothing here speaks against one scale of strength")
    if cycles.triples:
        remarks.append(
            "each beat the next, and the last one the first; in brackets LOS of each step"
        )
    columns = [
        Column("circle", "left", [_circle(triple) for triple in cycles.triples]),
        Column("scores %", "left", [_steps(triple) for triple in cycles.triples]),
        Column("deviations", "right", [Quantity(t.deviations, 1) for t in cycles.triples]),
    ]
    return PageBlock.of("cycles", "cycles", columns if cycles.triples else (), remarks, cycles)


def _circle(triple: Triple) -> str:
    return " > ".join(map(called, triple.names))


def _steps(triple: Triple) -> str:
    steps = zip(triple.scores, triple.superiority, strict=True)
    return ", ".join(f"{percent_cell(score)} ({likelihood_cell(los)})" for score, los in steps)


def _davidson(model: Davidson) -> PageBlock:
    rows = model.rows
    columns = [
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("Elo", "right", [Quantity(row.elo) for row in rows]),
        Column("as score", "right", [Quantity(row.as_score, mark=row.bound) for row in rows]),
        Column("Davidson", "right", [Quantity(row.davidson, mark=row.bound) for row in rows]),
        Column("95 %", "right", [Interval(row.davidson, row.low, row.high) for row in rows]),
    ]
    remarks = [
        "the table counts a draw as half a win; Davidson (1970) has a parameter nu for draws"
    ]
    if not model.nu:
        columns = []
        remarks.append(
            "nobody drew: nu is 0, and both models are the same"
            if model.nu is not None
            else "all games were drawn: nu has no bound, and all are equal in both models"
        )
    else:
        ordered = sorted(rows, key=lambda row: -(row.davidson or 0.0))
        order = "the same order of bots" if ordered == [*rows] else "another order of bots"
        remarks += [
            f"nu = {model.nu:.3g}: equals draw {percent_cell(model.even_draws)} % of their games; "
            f"of all, {percent_cell(model.draws)} % were drawn",
            f"Davidson: odds of a win to a loss, as Elo: a wider scale; {order}",
            "as score: the score Davidson's model expects against the zero of the scale,",
            "as Elo of the table; where the two differ much, the model matters",
        ]
    return PageBlock.of("davidson", "draws by another model", columns, remarks, model)


def _forfeits(numbers: Full) -> PageBlock:
    rows = numbers.forfeits
    columns = [
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("forfeits", "right", [row.forfeits for row in rows]),
        Column("games", "right", [row.games for row in rows]),
        Column("share %", "right", [_share(row) for row in rows]),
    ]
    remarks = []
    if any(row.matters for row in rows):
        columns += [
            Column("Elo without", "right", [_elo_without(row) for row in rows]),
            Column("shift", "right", [Quantity(row.shift, is_signed=True) for row in rows]),
            Column("matters", "left", ["yes" if row.matters else "no" for row in rows]),
        ]
        remarks += [
            "Elo without: from the blocks in which nobody was at fault",
            "it matters where the shift is more than a standard error, or where a bot "
            "won (>) or lost (<) all of these",
        ]
    elif numbers.compared:
        remarks.append(
            "without the blocks with forfeits no rating differs by more than a standard error"
        )
    else:
        remarks.append("no block is without a forfeit")
    return PageBlock.of("forfeits", "games lost by a bot's own fault", columns, remarks, rows)


def _share(row: Forfeits) -> Share:
    return Share(row.forfeits / row.games if row.games else None, 1)


def _elo_without(row: Forfeits) -> Cell:
    if row.without is not None or not row.matters:
        return Quantity(row.without)
    return Text(row.bound.value, None)


def _seats(seats: tuple[SeatScore, ...], titles: Mapping[str, str]) -> list[PageBlock]:
    """Return one table per discipline; the first one holds the data of all."""
    panels: list[PageBlock] = []
    for discipline in dict.fromkeys(row.discipline for row in seats):
        rows = [row for row in seats if row.discipline == discipline]
        names = list(dict.fromkeys(row.name for row in rows))
        by_seat = [[row for row in rows if row.seat == k] for k in range(1 + rows[-1].seat)]
        columns = [Column("bot", "left", [*map(Label, names)])]
        for k, own in enumerate(by_seat):
            columns.append(Column(f"seat {k} %", "right", [Share(row.score, 1) for row in own]))
            columns.append(Column("games", "right", [row.games for row in own]))
        several = len({row.discipline for row in seats}) > 1
        title = "score against the others by seat"
        panels.append(
            PageBlock.of(
                "seats",
                f"{title}: {titles.get(discipline, discipline)}" if several else title,
                columns,
                (),
                None if panels else seats,
            )
        )
    return panels


def score_panels(tally: SoloTally, standings: Standings) -> list[PageBlock]:
    """Return the panels of a table of mean scores.

    ``standings``: those computed from ``tally``.
    """
    names = tuple(row.name for row in standings.rows)
    found = score_pairs(tally, names)
    if len(names) < 2:
        return []
    pairs = {(own.name, own.other): own for pair in found for own in (pair, pair.mirrored())}
    of_blocks = standings.of_blocks

    def cell(pair: ScorePair) -> Cell:
        parts: list[Cell] = [Quantity(pair.difference, 1, is_signed=True, mark=_mark(pair))]
        parts += [] if pair.error is None else [HalfWidth(pair.error, 1)]
        return Stack(parts if of_blocks else [*parts, _counts(pair)])

    columns, left_out = _pair_table(
        names, pairs, cell, partial(_score_columns, of_blocks=of_blocks)
    )
    as_matrix = _is_matrix(names)
    title = f"paired differences in {standings.unit.name} on common deals"
    if of_blocks:
        title = f"differences of the mean {standings.unit.name}"
    below = "; below it deals better/equal/worse" * (as_matrix and not of_blocks)
    marked = sum(pair.significant for pair in found)
    remarks = [
        f"± is the 95 % interval{below}",
        _significance(marked, len(found), "0", "difference"),
        *left_out,
    ]
    rank = {name: k for k, name in enumerate(names)}
    data = sorted(pairs.values(), key=lambda pair: (rank[pair.name], rank[pair.other]))
    return [
        PageBlock.of(
            key="pairs",
            title=f"{title}: row less column" if as_matrix else title,
            columns=columns if pairs else (),
            remarks=remarks if pairs else ["no deal was played by two"],
            data=tuple(data),
        )
    ]


def _score_columns(own: list[ScorePair], *, of_blocks: bool) -> list[Column]:
    difference = [Quantity(pair.difference, 2, is_signed=True, mark=_mark(pair)) for pair in own]
    return [
        Column("difference", "right", difference),
        Column("95 %", "right", [HalfWidth(pair.error, 2) for pair in own]),
        *([] if of_blocks else [Column("better/=/worse", "right", [*map(_counts, own)])]),
        Column("LOS %", "right", [_likelihood(pair.superiority) for pair in own]),
        Column("deals", "right", [pair.deals for pair in own]),
    ]


def _counts(pair: ScorePair) -> Text:
    return Text(f"{pair.better}/{pair.equal}/{pair.worse}", pair.better)


def matrix(names: Sequence[str], cell: Callable[[str, str], Cell]) -> list[Column]:
    """Return a table of rows against columns, which are headed by the number of their bot."""
    cells = [[cell(name, other) if name != other else "" for name in names] for other in names]
    widths = [
        max(len(str(k + 1)), *(wcswidth(text_of(part)) for own in column for part in _parts(own)))
        for k, column in enumerate(cells)
    ]
    left = PAGE - len(f"{len(names)}  ") - 1 - sum(2 + width for width in widths)
    room = max(_SHORTEST, min(NAME_COLUMNS, left - 2))
    return [
        Column("#", "right", [k + 1 for k in range(len(names))]),
        Column("bot", "left", [Label(name, room) for name in names]),
        *(Column(str(k + 1), "right", column) for k, column in enumerate(cells)),
    ]


def _parts(cell: Cell) -> Sequence[Cell]:
    return cell.parts if isinstance(cell, Stack) else (cell,)


def nearest_pairs(names: Sequence[str]) -> tuple[list[tuple[str, str]], int]:
    """Return the pairs to list, in the order of the table, and the most places between a pair.

    All pairs are listed if they are at most LISTED, else the pairs within the largest distance that
    fits; neighbours are always listed.
    """
    size = len(names)
    reach = size - 1
    while reach > 1 and reach * size - reach * (reach + 1) // 2 > LISTED:
        reach -= 1
    pairs = [
        (names[i], names[j]) for i in range(size) for j in range(i + 1, min(size, i + reach + 1))
    ]
    return pairs, reach


def pair_columns(pairs: Sequence[tuple[str, str]]) -> list[Column]:
    """Return the columns of names for a list by pair."""
    return [
        Column("bot", "left", [Label(name, _PAIR_NAME) for name, _ in pairs]),
        Column("against", "left", [Label(other, _PAIR_NAME) for _, other in pairs]),
    ]


def list_remark(names: Sequence[str], reach: int) -> list[str]:
    """Return the remark on the pairs that a list leaves out."""
    if reach >= len(names) - 1:
        return []
    near = "neighbours in the table" if reach == 1 else f"at most {reach} places apart in the table"
    return [f"only pairs that are {near}; all pairs: --format csv or json"]
