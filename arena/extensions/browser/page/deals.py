"""Scores, luck and progress of one discipline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

from arena.extensions.browser.page.counting.deals import DealCorrelation, Numbers
from arena.extensions.browser.page.drawing import SERIES, Cloud, Curve, Curves
from arena.values.numbers import NOTHING, PlotScale, count, over, signed
from arena.values.titles import called
from arena.views.cells import Axis, Bins, Cell, JoinedCells, Label, Quantity, Strip, Text
from arena.views.tables import Column, PageBlock, PageTable, Sign

_BINS: Final = 40
_LISTED: Final = 60
"""Rows in the table of luck."""


def deal_blocks(
    numbers: Numbers, order: Sequence[str], correlation: float | None
) -> Iterator[PageBlock]:
    """Yield the blocks of scores, luck and progress.

    ``order``: bots as in the table. ``correlation``: of the games of a deal, as in the table.
    """
    yield from _scores(numbers, order)
    yield from _luck(numbers, correlation)
    yield from _progress(numbers, order)


def _scores(numbers: Numbers, order: Sequence[str]) -> Iterator[PageBlock]:
    found = {name: numbers.scores.get(name, Counter()) for name in order}
    values = sorted({score for counts in found.values() for score in counts})
    if not values:
        return
    width = _bin_width(values[-1] - values[0])
    scale = over([values[0] - width / 2, values[-1] + width / 2], least=4.0)
    unit = numbers.facts.score
    rows = [_score_row(name, counts, scale, width) for name, counts in found.items()]
    drawn, means, medians, least, most = ([*cells] for cells in zip(*rows, strict=True))
    columns = [
        Column("bot", "left", [*map(Label, found)]),
        Column(Axis(scale, unit), "left", drawn),
        Column("mean", "right", means),
        Column("median", "right", medians),
        Column("least", "right", least),
        Column("most", "right", most),
        Column("games", "right", [counts.total() for counts in found.values()]),
        Column(
            "without",
            "right",
            [numbers.forfeits[name] for name in found],
            note="games that ended by a fault and have no scores",
        ),
    ]
    better = "fewer" if numbers.facts.less_is_better else "more"
    yield PageBlock(
        key="scores",
        title=f"Distribution of {unit}",
        intro=(
            f"How often a bot ended a game with how many {unit}, as the rules count: {better} are "
            "better. The line is the mean."
        ),
        tables=[PageTable(f"Distribution of {unit}", columns, "strips tall")],
    )


def _bin_width(reach: int) -> int:
    """Return 1, or a round number with which at most _BINS bins suffice."""
    if reach < _BINS:
        return 1
    least = (reach + 1) / _BINS
    power = int(10.0 ** floor(log10(least)))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least)


def _score_row(
    name: str, counts: Counter[int], scale: PlotScale, width: int
) -> tuple[Cell, Cell, Cell, Cell, Cell]:
    """Return the drawing of a bot's scores, their mean and median, the least and the most."""
    games = counts.total()
    if not games:
        return Bins(scale, (), f"{called(name)}: no scores"), NOTHING, NOTHING, NOTHING, NOTHING
    mean = sum(score * n for score, n in counts.items()) / games
    middle, least, most = _median(counts), min(counts), max(counts)
    bins: Counter[int] = Counter()
    for score, n in counts.items():
        bins[floor(score / width)] += n
    # A bin of one score is centred on it; a bin of several scores begins with the first.
    shift = 0.5 if width == 1 else 0.0
    edges = [(k * width - shift, (k + 1) * width - shift, n) for k, n in sorted(bins.items())]
    title = f"{called(name)}: mean {mean:.1f}, median {middle:g}, from {least} to {most}"
    drawn = Bins(scale, edges, title, mean)
    return drawn, Quantity(mean, 1), Text(f"{middle:g}", middle), least, most


def _median(counts: Counter[int]) -> float:
    total, seen, low = counts.total(), 0, None
    for score, n in sorted(counts.items()):
        seen += n
        if low is None and 2 * seen >= total:
            low = score
        if 2 * seen > total:
            return (score + (score if low is None else low)) / 2
    return 0.0


class _Wording(NamedTuple):
    """Words for the values compared on a deal, and for the measure of progress."""

    intro: str
    across: str
    up: str
    progress: str
    is_share: bool = False
    """True if progress is a share of points."""


_AT_TABLES: Final = _Wording(
    "Every dot is a bot on a deal: by how many {} it did better than it usually does there, in the "
    "first game of the deal and in the others, after a change of seats. Dots along the falling "
    "diagonal mean that the cards decide, and that changing seats pays.",
    "first game",
    "other games",
    "share of points in percent",
    is_share=True,
)
_ALONE: Final = _Wording(
    "Every dot is a bot on a deal: how many {} better than usual the others did there, and it did "
    "itself. Dots along the rising diagonal mean that deals are hard or easy for all, and that "
    "comparing on the same deals pays.",
    "the others",
    "the bot",
    "mean {}",
)


def _wording(numbers: Numbers) -> _Wording:
    return _ALONE if numbers.seats == 1 else _AT_TABLES


def _luck(numbers: Numbers, correlation: float | None) -> Iterator[PageBlock]:
    known = [each for each in numbers.luck if each.found.value is not None]
    has_dots = any(dot.across or dot.up for dot in numbers.dots)
    if not has_dots and not known:
        return
    remarks = []
    if correlation is not None:
        remarks.append(f"correlation of two games of a deal, all bots together: {correlation:+.2f}")
    if len(known) > _LISTED:
        remarks.append(f"{len(known) - _LISTED} more lines are left out")
    yield PageBlock(
        key="luck",
        title="Luck of the deal",
        intro=_wording(numbers).intro.format(numbers.facts.score),
        figures=[_cloud(numbers)] if has_dots else [],
        tables=[_luck_table(known[:_LISTED], numbers.seats)] if known else [],
        remarks=remarks,
    )


def _cloud(numbers: Numbers) -> Cloud:
    reach = max((max(abs(dot.across), abs(dot.up)) for dot in numbers.dots), default=1.0)
    reach = max(reach, 0.5)
    marks = [
        (dot.across, dot.up, f"{called(dot.name)}: {dot.across:+.1f}, {dot.up:+.1f}")
        for dot in numbers.dots
    ]
    title = f"{count(len(marks), 'dot')}: better than usual in {numbers.facts.score}"
    words = _wording(numbers)
    return Cloud(PlotScale(-reach, reach), marks, title, words.across, words.up)


def _luck_table(rows: Sequence[DealCorrelation], seats: int) -> PageTable:
    scale = PlotScale(-1.0, 1.0)
    columns = [
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("against", "left", [JoinedCells([*map(Label, row.others)], ", ") for row in rows]),
        Column(Axis(scale, most=5), "left", [_luck_strip(row, scale) for row in rows]),
        Column(
            "correlation", "right", [Quantity(row.found.value, 2, is_signed=True) for row in rows]
        ),
        Column("95 %", "right", [Text(_reach(row), row.found.low) for row in rows]),
        Column("deals", "right", [row.blocks for row in rows]),
    ]
    games = "the two" if seats == 2 else "any two"
    return PageTable(f"Correlation of {games} games of a deal", columns)


def _reach(row: DealCorrelation) -> str:
    low, high = row.found.low, row.found.high
    return NOTHING if low is None or high is None else f"{low:+.2f} … {high:+.2f}"


def _luck_strip(row: DealCorrelation, scale: PlotScale) -> Strip:
    value, low, high = row.found.value, row.found.low, row.found.high
    others = ", ".join(map(called, row.others))
    title = f"{called(row.name)} against {others}: {signed(value, 2)}, {_reach(row)}"
    return Strip(scale, value, low, high, title, anchor=0.0)


def _progress(numbers: Numbers, order: Sequence[str]) -> Iterator[PageBlock]:
    pace = {name: numbers.pace.get(name, []) for name in order}
    if numbers.deals < 2 or not any(pace.values()):
        return
    words = _wording(numbers)
    unit = words.progress.format(numbers.facts.score)
    times = 100.0 if words.is_share else 1.0
    lines = [
        Curve(
            name,
            [(float(each.deals), times * each.value) for each in own],
            k if k < SERIES else None,
        )
        for k, (name, own) in enumerate(pace.items())
        if own
    ]
    settled = [value for line in lines for _, value in _settled(line.points)]
    up = PlotScale(0.0, 100.0) if words.is_share else over(settled)
    across = PlotScale(0.0, float(max(2, numbers.deals)))
    name = f"{unit} after each number of deals"
    signs = [
        Sign(
            "r-other" if line.kind is None else f"r-series{line.kind}",
            called(line.name),
            f"{line.points[-1][1]:.1f}",
        )
        for line in lines
    ]
    yield PageBlock(
        key="progress",
        title="Progress",
        intro=(
            f"{unit[0].upper()}{unit[1:]}, of all games up to a deal, over {numbers.deals} deals. "
            "Curves that still climb or fall at the end ask for more deals."
        ),
        figures=[Curves(across, up, [*reversed(lines)], name, "deals", signs=signs)],
    )


def _settled(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """Return ``points`` of a curve without the first tenth, in which they vary most."""
    return points[min(len(points) - 1, ceil(len(points) / 10)) :]
