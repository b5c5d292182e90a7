"""Table of the machines of a run on several machines, for a full page.

Differences between machines are reported, not compensated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from arena.ratings.counting.machines import MachineNumbers
from arena.results import VoidCause
from arena.text.numbers import NOTHING, count, fixed, listed, percent_cell, short_duration
from arena.text.tables import Column, Panel, Style

KEY: Final = "machines"
TITLE: Final = "machines"
OWN: Final = "the run's own"
"""Name shown for the machine that holds the run, whose name in the run is empty."""
LISTED: Final = 100
"""Most machines in the table: those with a mark come first, then the slowest."""
NAMED: Final = 10
"""Most machines that a sentence names."""
MARK: Final = "*"
_VOIDS: Final = {
    VoidCause.MACHINE: "starved",
    VoidCause.WORKER: "lost",
    VoidCause.ARENA: "failed",
    VoidCause.RULES: "broken",
}
_VOID_WORDS: Final = {
    VoidCause.MACHINE: "starved: voids through the machine, which did not let a bot have its time",
    VoidCause.WORKER: "lost: voids with a worker process",
    VoidCause.ARENA: "failed: voids through arena",
    VoidCause.RULES: "broken: voids through the rules",
}


def machine_panel(machines: Sequence[MachineNumbers], style: Style) -> Panel:
    """Return the table of ``machines``: two or more, the slowest first."""
    rows = sorted(machines, key=lambda own: not own.significant)[:LISTED]
    return Panel(
        KEY, TITLE, list(_columns(rows, machines, style)), list(_remarks(machines, style)), machines
    )


def _columns(
    rows: Sequence[MachineNumbers], machines: Sequence[MachineNumbers], style: Style
) -> Iterator[Column]:
    yield Column("machine", "left", [_name(own, style) for own in rows])
    yield Column("games", "right", [str(own.games) for own in rows])
    yield Column("ratio", "right", [fixed(own.ratio, 2) for own in rows])
    yield Column("answer", "right", [_time(own.answer_us) for own in rows])
    if any(own.timeouts for own in machines):
        yield Column("timeouts", "right", [_timeouts(own, style) for own in rows])
        yield Column("%", "right", [_share(own) for own in rows])
        yield Column("blocks", "right", [str(own.timeout_blocks) for own in rows])
        yield Column("chance", "right", [fixed(own.expected, 1) for own in rows])
    for cause, header in _VOIDS.items():
        if any(own.voids[cause] for own in machines):
            yield Column(header, "right", [str(own.voids[cause]) for own in rows])
    yield Column("game", "right", [_time(own.game_us) for own in rows])


def _remarks(machines: Sequence[MachineNumbers], style: Style) -> Iterator[str]:
    if len(machines) > LISTED:
        yield f"{len(machines) - LISTED} more are not listed; all: --format csv or json"
    yield "unlike machines are shown, not corrected: every game counts as it was played"
    yield "ratio: time by answer against the other machines for the same bots, median over bots"
    yield "answer: wall time, if seats answer equally often; game: wall time; both medians"
    if any(own.timeouts for own in machines):
        yield "timeouts: games with one, and their share; blocks: with one"
        yield "chance: how many of these would be here if machines made no difference"
        yield _verdict(machines, style)
    else:
        yield "no bot ran out of time"
    for cause, words in _VOID_WORDS.items():
        if any(own.voids[cause] for own in machines):
            yield words


def _verdict(machines: Sequence[MachineNumbers], style: Style) -> str:
    """Return a sentence on whether timeouts depend on the machine, with all machines considered."""
    level = "at the 5 % level (Holm)"
    marked = [_name(own, style) for own in machines if own.significant]
    if not marked:
        return f"on no machine more timeouts than chance explains {level}"
    more = len(marked) - NAMED
    names = [*marked[:NAMED], *([count(more, "other")] if more > 0 else [])]
    return f"mark {style.show(MARK)}: more timeouts than chance explains {level}: {listed(names)}"


def _name(own: MachineNumbers, style: Style) -> str:
    return style.show(own.name or OWN)


def _time(microseconds: float | None) -> str:
    return NOTHING if microseconds is None else short_duration(microseconds)


def _timeouts(own: MachineNumbers, style: Style) -> str:
    return (style.show(MARK) if own.significant else "") + str(own.timeout_games)


def _share(own: MachineNumbers) -> str:
    return percent_cell(own.timeout_games / own.games, 1) if own.games else NOTHING
