"""Panels of bots: ranks, groups, cycles, forfeits, seats."""

from __future__ import annotations

from typing import Final

from arena.ratings.full.cycles import Cycles, Triple
from arena.ratings.full.forfeits import Forfeits
from arena.ratings.full.links import Group, Lacks, Link
from arena.ratings.full.numbers import Full
from arena.ratings.full.ranks import DRAWS, RankRange
from arena.ratings.full.seat_scores import SeatScore
from arena.text.grid import NOTHING, Column, Show
from arena.text.numbers import count
from arena.text.panel import Panel
from arena.views.standings.full_words import Style, likelihood, p_value, percent, signed

_LISTED: Final = 20
"""Bots of a group that are named."""
_CIRCLE_NAME: Final = 12


def list_panels(full: Full, style: Style) -> list[Panel]:
    """Those with something to say."""
    show = style.show
    panels = [
        _ranks(full, show),
        *([_groups(full, show)] if full.groups else []),
        *([_cycles(full.cycles, style)] if full.cycles is not None else []),
        *([_forfeits(full, show)] if full.forfeits else []),
        *_seats(full.seats, show),
    ]
    return panels if len(full.names) > 1 else panels[1:]


def _ranks(full: Full, show: Show) -> Panel:
    rows = full.ranks
    if not rows:
        remarks = ["the results do not bound how far the differences of any group scatter"]
        return Panel("ranks", "ranks", (), remarks, ())
    columns = [
        Column("#", "right", [str(row.rank) for row in rows]),
        Column("bot", "left", [show(row.name) for row in rows]),
        Column("95 %", "right", [_range(row) for row in rows]),
        Column("best %", "right", [likelihood(row.best, 1) for row in rows]),
        Column("over next %", "right", [likelihood(row.over_next, 1) for row in rows]),
        Column("Holm %", "right", [_adjusted(row) for row in rows]),
    ]
    group = "" if len(rows) == len(full.names) else " among the bots that results connect"
    remarks = [
        f"95 %: interval of the rank{group}; best: chance to be the strongest",
        f"both from {DRAWS} draws of all ratings together, with a fixed seed",
        "over next: likelihood of being stronger than the next one (LOS)",
        "Holm: the same with all such neighbours considered",
    ]
    return Panel("ranks", "ranks", columns, remarks, rows)


def _range(row: RankRange) -> str:
    return str(row.low) if row.low == row.high else f"{row.low}-{row.high}"


def _adjusted(row: RankRange) -> str:
    if row.over_next_holm is None:
        return NOTHING
    return "50 or less" if row.over_next_holm <= 0.5 else likelihood(row.over_next_holm, 1)


def _groups(full: Full, show: Show) -> Panel:
    rows = full.groups
    columns = [
        Column("group", "left", [group.letter or NOTHING for group in rows]),
        Column("bots", "right", [str(len(group.names)) for group in rows]),
        Column("mark", "left", [show(group.bound.value) or NOTHING for group in rows]),
        Column("pairing", "left", [_pairing(group.link, show) for group in rows]),
        Column("has met in", "right", [_met(group.link) for group in rows]),
    ]
    remarks = ["strengths can be compared within a group; the prior decides between groups"]
    remarks += [_members(group, show) for group in rows]
    remarks += [_advice(group.link, show) for group in rows if group.link is not None]
    return Panel("groups", "groups that results do not connect", columns, remarks, rows)


def _members(group: Group, show: Show) -> str:
    shown = ", ".join(map(show, group.names[:_LISTED]))
    more = len(group.names) - _LISTED
    letter = f"group {group.letter}" if group.letter else "without a result"
    return f"{letter}: {shown}" + (f" and {count(more, 'other')}" if more > 0 else "")


def _pairing(link: Link | None, show: Show) -> str:
    return NOTHING if link is None else f"{show(link.name)} – {show(link.other)}"


def _met(link: Link | None) -> str:
    return NOTHING if link is None else count(link.blocks, "block")


def _advice(link: Link, show: Show) -> str:
    name, other = show(link.name), show(link.other)
    match link.lacks:
        case Lacks.GAMES:
            return f"{name} has no game with the group of {other}: play the two, until both score"
        case Lacks.LOSS:
            return f"{name} lost no point to the group of {other}: play on, until {other} scores"
        case Lacks.WIN:
            return f"{name} won no point off the group of {other}: play on, until {name} scores"
        case Lacks.POINTS:
            return f"no points connect {name} with {other}: play the two, until both score"


def _cycles(cycles: Cycles, style: Style) -> Panel:
    remarks = [
        f"one scale leaves {percent(cycles.share, 1)} % of the differences between pairs to "
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
        Column("circle", "left", [_circle(triple, style) for triple in cycles.triples]),
        Column("scores %", "left", [_steps(triple) for triple in cycles.triples]),
        Column("deviations", "right", [f"{t.deviations:.1f}" for t in cycles.triples]),
    ]
    return Panel("cycles", "cycles", columns if cycles.triples else (), remarks, cycles)


def _circle(triple: Triple, style: Style) -> str:
    return " > ".join(style.cut(name, _CIRCLE_NAME) for name in triple.names)


def _steps(triple: Triple) -> str:
    steps = zip(triple.scores, triple.superiority, strict=True)
    return ", ".join(f"{percent(score)} ({likelihood(los)})" for score, los in steps)


def _forfeits(full: Full, show: Show) -> Panel:
    rows = full.forfeits
    columns = [
        Column("bot", "left", [show(row.name) for row in rows]),
        Column("forfeits", "right", [str(row.forfeits) for row in rows]),
        Column("games", "right", [str(row.games) for row in rows]),
        Column("share %", "right", [_share(row) for row in rows]),
    ]
    remarks = []
    if any(row.matters for row in rows):
        columns += [
            Column("Elo without", "right", [show(_elo(row)) for row in rows]),
            Column("shift", "right", [signed(row.shift) for row in rows]),
            Column("matters", "left", ["yes" if row.matters else "no" for row in rows]),
        ]
        remarks += [
            "Elo without: from the blocks in which nobody was at fault",
            "it matters where the shift is more than a standard error, or where a bot "
            f"won ({show('>')}) or lost ({show('<')}) all of these",
        ]
    elif full.compared:
        remarks.append(
            "without the blocks with forfeits no rating differs by more than a standard error"
        )
    else:
        remarks.append("no block is without a forfeit")
    return Panel("forfeits", "games lost by a bot's own fault", columns, remarks, rows)


def _share(row: Forfeits) -> str:
    return percent(row.forfeits / row.games, 1) if row.games else NOTHING


def _elo(row: Forfeits) -> str:
    if row.without is not None:
        return f"{row.without:.0f}"
    return row.bound.value if row.matters else NOTHING


def _seats(seats: tuple[SeatScore, ...], show: Show) -> list[Panel]:
    """One table per discipline; the numbers of all go with the first."""
    panels: list[Panel] = []
    for discipline in dict.fromkeys(row.discipline for row in seats):
        rows = [row for row in seats if row.discipline == discipline]
        names = list(dict.fromkeys(row.name for row in rows))
        by_seat = [[row for row in rows if row.seat == k] for k in range(1 + rows[-1].seat)]
        columns = [Column("bot", "left", [show(name) for name in names])]
        for k, own in enumerate(by_seat):
            columns.append(Column(f"seat {k} %", "right", [percent(row.score, 1) for row in own]))
            columns.append(Column("games", "right", [str(row.games) for row in own]))
        several = len({row.discipline for row in seats}) > 1
        title = "score against the others by seat"
        panels.append(
            Panel(
                "seats",
                f"{title}: {show(discipline)}" if several else title,
                columns,
                (),
                None if panels else seats,
            )
        )
    return panels
