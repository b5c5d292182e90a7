"""Blocks on a run as a whole: faults, times, voids, config, methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from arena.ratings.counting.machines import MachineNumbers
from arena.results import FaultKind
from arena.text import clean
from arena.text.cells import Duration, Share, Text
from arena.text.numbers import NOTHING, count, short_duration
from arena.views.page.blocks.block import (
    GridCell,
    GridTable,
    Head,
    PageBlock,
    PageCell,
    Quote,
    name_cell,
)
from arena.views.page.blocks.standings import panel_block
from arena.views.page.drawing import PlotScale, axis, histogram, log_over
from arena.views.page.model import FaultLine, Faults, LabelledFact, RunPage, Times, VoidLine
from arena.views.standings.measured import machine_panel


def fault_block(faults: Faults) -> PageBlock:
    """Return the block of faults: counts by bot and kind."""
    kinds = [kind for kind in FaultKind if any(own[kind] for own in faults.counts.values())]
    if not kinds:
        return PageBlock("faults", "Faults", "No bot was at fault in any game.")
    clean_bots = sum(not own.total() for own in faults.counts.values())
    return PageBlock(
        key="faults",
        title="Faults",
        intro=(
            "A fault is a bot's own: it loses the game, or is placed last. Counted in all stored "
            "games. What happened is in the section of the bot."
        ),
        tables=[_fault_table(faults, kinds)],
        remarks=[f"without a fault: {count(clean_bots, 'bot')}"] if clean_bots else [],
    )


def _fault_table(faults: Faults, kinds: Sequence[FaultKind]) -> GridTable:
    heads = [
        Head("bot"),
        *(Head(kind.value, "right") for kind in kinds),
        Head("all", "right"),
        Head("games", "right"),
        Head("share", "right"),
    ]
    rows: list[list[PageCell]] = []
    for name, own in faults.counts.items():
        if not own.total():
            continue
        games = faults.games.get(name, 0)
        share = own.total() / games if games else 0.0
        rows.append(
            [
                name_cell(name),
                *(Text(str(own[kind]) if own[kind] else NOTHING, own[kind]) for kind in kinds),
                own.total(),
                games,
                Share(share, 1, unit=" %"),
            ]
        )
    return GridTable("Faults by bot and kind", heads, rows)


def quotes_of(lines: Sequence[FaultLine]) -> Iterator[Quote]:
    """Yield one quote for each bot and kind, in the order given."""
    for name, kind in dict.fromkeys((line.name, line.kind) for line in lines):
        own = [line for line in lines if (line.name, line.kind) == (name, kind)]
        yield Quote(
            label=f"{name}: {kind.value}",
            lead=[(_where(line), _link(line)) for line in own],
            texts=[text for line in own for text in _texts(line)],
        )


def _where(line: FaultLine) -> str:
    return f"{line.game_id}, ply {line.ply}: {line.detail}"


def _link(line: FaultLine) -> str:
    """Return the link to the position at the ply of a fault, in which it happened."""
    if not line.is_linked:
        return ""
    return "#" + urlencode({"game": line.game_id, "ply": line.ply})


def _texts(line: FaultLine) -> Iterator[tuple[str, str]]:
    game = line.game_id
    if line.line:
        yield f"{game}: it wrote", line.line
    if line.stderr:
        said = "\n".join(map(clean.plain, line.stderr.splitlines()))
        yield f"{game}: end of its standard error", said


def time_block(page: RunPage) -> PageBlock | None:
    """Return the block of times per move; None without any."""
    if not page.times:
        return None
    ends = [float(end) for own in page.times for end in (own.bins[0][0], own.bins[-1][1])]
    limit = page.limit_us
    scale = log_over([*ends, *([limit] if limit else [])])
    games = f"{page.times_games} of {count(page.listing.stored, 'game')}"
    if page.times_games == page.listing.stored:
        games = "all games"
    words = f"; the line at the right is the limit of {short_duration(limit)}" if limit else ""
    heads = [
        Head("bot"),
        Head("", is_sorted=False, kind="r-wide", plot=axis(scale, most=5, write=short_duration)),
        *(Head(text, "right") for text in ("moves", "p50", "p90", "p99", "longest")),
        *([Head("of the limit", "right", title="the longest move")] if limit else []),
    ]
    return PageBlock(
        key="times",
        title="Time per move",
        intro=(
            f"How long bots were waited for, from the records of {games}, on a logarithmic "
            f"axis{words}. p90 is the time within which 90 % of the moves were made."
        ),
        tables=[
            GridTable(
                "Time per move",
                heads,
                [_time_row(own, scale, limit) for own in page.times],
                "r-strips r-tall",
            )
        ],
    )


def _time_row(own: Times, scale: PlotScale, limit: float | None) -> list[PageCell]:
    quantiles = (own.p50, own.p90, own.p99, own.longest)
    title = (
        f"{own.name}: half of the moves within {short_duration(own.p50)}, 99 % within "
        f"{short_duration(own.p99)}, longest {short_duration(own.longest)}"
    )
    drawn = histogram(scale, own.bins, title, marks={"r-mean": own.p50, "r-limit": limit})
    cells: list[PageCell] = [
        name_cell(own.name),
        GridCell("", plot=drawn),
        Text(f"{own.moves:,}", own.moves),
        *map(Duration, quantiles),
    ]
    if limit:
        cells.append(Share(own.longest / limit, 1, unit=" %"))
    return cells


def void_block(voids: Sequence[VoidLine], total: int) -> PageBlock | None:
    """Return the block of voids, which lists ``voids`` of ``total``; None without any."""
    if not total:
        return None
    heads = [Head("game"), Head("through"), Head("reason")]
    rows: list[list[PageCell]] = [
        [
            name_cell(each.game_id),
            each.cause,
            each.reason,
        ]
        for each in voids
    ]
    left = total - len(voids)
    return PageBlock(
        key="voids",
        title="Voids",
        intro=(
            "A void is a failure of arena, the rules or the machine, not of a bot: "
            "it counts for nobody, and the game is played again. "
            f"It happened {count(total, 'time')}."
        ),
        tables=[GridTable("Voids", heads, rows)] if rows else [],
        remarks=[f"{left} more are in voids.jsonl"] if left and rows else [],
    )


def machine_block(machines: Sequence[MachineNumbers]) -> PageBlock | None:
    """Return the block of a run that several machines played; None for other runs."""
    if not machines:
        return None
    intro = "Which machine played how many games, how fast, and where bots ran out of time."
    return panel_block(machine_panel(machines))._replace(intro=intro)


def config_block(groups: Sequence[tuple[str, Sequence[LabelledFact]]]) -> PageBlock | None:
    """Return the block of settings and provenance; None where these are not shown."""
    if not groups:
        return None
    return PageBlock(
        key="config",
        title="Config and provenance",
        intro="What was fixed when the run began: the same config and seed give the same games.",
        tables=[fact_table(title, facts) for title, facts in groups],
    )


def fact_table(caption: str, facts: Sequence[LabelledFact]) -> GridTable:
    """Return a table of labels with their values."""
    heads = [Head("", is_sorted=False), Head("", is_sorted=False)]
    rows: list[list[PageCell]] = [
        [
            fact.label,
            GridCell(fact.value, title=fact.note),
        ]
        for fact in facts
    ]
    return GridTable(caption, heads, rows, "r-facts", 0)


def method_block(page: RunPage) -> PageBlock:
    """Return the block on how numbers are computed and how readers can check them."""
    return PageBlock(
        key="methods",
        title="Methods, and how to verify",
        remarks=[
            "A block is one deal with one set of bots in all seatings. Errors are those of blocks, "
            "because games on one deal are not independent; intervals are 95 %.",
            "Elo is a joint fit of all games with a weak prior, seats apart. A perfect score has a "
            "one-sided limit in place of an interval.",
            "A fault loses the game and counts like any other loss; a void counts for nobody and "
            "is played again.",
            "Games shown here were made from their records with the rules applied again; the page "
            "holds no rules.",
            "Nothing here was measured when the page was made: the same run gives the same page.",
        ],
        quotes=[Quote("Commands", [], [("in a shell", "\n".join(page.verify))])]
        if page.verify
        else [],
    )
