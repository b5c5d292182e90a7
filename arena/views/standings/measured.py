"""The full page of a table: blocks of extensions, and measured values of bots and machines.

At the end of ``arena run`` only the times are shown. Differences between machines are reported,
not compensated.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from arena import extensions
from arena.ratings.counting.usage import CostNumbers, CostTally, MachineNumbers
from arena.referee.records.format import Record
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.values.numbers import count, listed
from arena.values.results import VoidCause
from arena.views.cells import Cell, Duration, Label, Quantity, Share
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from arena.views.tables import Column, PageBlock, draw_text

KEY: Final = "costs"
_MIB: Final = 1 << 20
_SLOWEST: Final = 16
"""Most bots in the table of times at the end of a run."""
_OPENED: Final = 100
"""Most games whose records are read for the first moves."""


def full_section(part: SectionData) -> Section:
    """Return the section with the blocks of its full page, before those that it has."""
    return part.section._replace(panels=partial(_blocks, part))


def _blocks(part: SectionData) -> list[PageBlock]:
    section = part.section
    measured = measured_panels(section.costs, section.machines)
    own = () if section.panels is None else section.panels()
    return [*added(part), *measured, *own]


def added(part: SectionData) -> Iterator[PageBlock]:
    """Yield the blocks that extensions add below a table.

    The key of a block of another package begins with the name of its extension. A function that
    fails is a block with the reason.
    """
    own = {each.name for each in extensions.own().extensions}
    for name, blocks, problem in extensions.called("sections", part, check=_drawn):
        if problem:
            yield PageBlock.of(name, f"extension {name}", (), [problem])
        for block in blocks:
            yield block if name in own else block._replace(key=f"{name}.{block.key}")


def _drawn(block: PageBlock) -> None:
    """Draw a block, for the exceptions that a wrong one raises."""
    block.piece(None)
    for _ in block.rows():
        pass


def time_lines(run: StoredRun) -> list[str]:
    """Return a table of the times per move by bot, slowest first. Raises StoreError."""
    tally, games = CostTally(), []
    for game in run.games():
        tally.add(game.result.spec, game.stored.spent)
        if not run.is_expired(game.stored.record):
            games.append(game.stored)
    opened = games[:: -(-len(games) // _OPENED) or 1]
    first: Counter[str] = Counter()
    for stored in opened:
        with contextlib.suppress(StoreError):
            first |= first_moves(run.record(stored))
    sample = f" ({count(len(opened), 'game')})" if len(opened) < len(games) else ""
    return times_table(tally.answers(), first, sample)


def first_moves(record: Record) -> Counter[str]:
    """Return for each bot the time of its first move, in microseconds."""
    entrants, found = record.header.spec.entrants, dict[int, int]()
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None:
            found.setdefault(ply.seat, used)
    times: Counter[str] = Counter()
    for seat, used in found.items():
        times |= Counter({entrants[seat]: used})
    return times


def times_table(
    answers: Mapping[str, tuple[float, int]], first: Mapping[str, int], sample: str
) -> list[str]:
    """Return the lines of the table; ``sample`` follows the title of the first moves."""
    slowest = sorted(answers, key=lambda name: (-answers[name][1], name))
    shown = slowest[:_SLOWEST]
    columns = [
        Column("time per move", "left", [*map(Label, shown)]),
        Column("99 %", "right", [Duration(answers[name][0]) for name in shown]),
        Column("worst", "right", [Duration(answers[name][1]) for name in shown]),
        Column(
            f"worst first of a game{sample}",
            "right",
            [Duration(first.get(name) or None) for name in shown],
        ),
    ]
    more = [f"and {count(len(slowest) - len(shown), 'faster bot')}"] if slowest[_SLOWEST:] else []
    return [*draw_text(columns, None).splitlines(), *more] if shown else []


def cost_panel(costs: Sequence[CostNumbers]) -> PageBlock:
    """Return the table of the bots of which anything was measured."""
    title = "time per move, processor and memory"
    return PageBlock.of(KEY, title, list(_columns(costs)), list(_remarks(costs)), tuple(costs))


def _columns(costs: Sequence[CostNumbers]) -> Iterator[Column]:
    yield Column("bot", "left", [Label(own.name) for own in costs])
    yield Column("moves", "right", [own.moves for own in costs])
    yield Column("median ms", "right", [_time(own.median_us) for own in costs])
    yield Column("95 % ms", "right", [_time(own.p95_us) for own in costs])
    yield Column("longest ms", "right", [_time(own.longest_us) for own in costs])
    yield Column("cpu ms/game", "right", [_time(own.cpu_us) for own in costs])
    yield Column("MiB", "right", [Quantity(_mib(own.memory_bytes)) for own in costs])


def _remarks(costs: Sequence[CostNumbers]) -> Iterator[str]:
    yield "wall time of answers, as the referee waited; median and 95 % are accurate to a fifth"
    if any(own.cpu_games for own in costs):
        yield "cpu/game: of all processes of the bot, without its start, as far as measured"
        yield "MiB of memory: the most that one process held so far, with all that it started"
    else:
        yield "processor and memory were not measured"


def _time(microseconds: float | None) -> Quantity:
    """Return a time in milliseconds, so that all times of a column can be compared."""
    if microseconds is None:
        return Quantity(None)
    value = microseconds / 1000
    return Quantity(value, 3 if value < 10 else 1 if value < 1000 else 0)


def _mib(size: int | None) -> float | None:
    return None if size is None else size / _MIB


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
    VoidCause.MACHINE: "starved: voids because the machine gave a bot too little time",
    VoidCause.WORKER: "lost: voids with a worker process",
    VoidCause.ARENA: "failed: voids through arena",
    VoidCause.RULES: "broken: voids through the rules",
}


def machine_panel(machines: Sequence[MachineNumbers]) -> PageBlock:
    """Return the table of ``machines``: two or more, the slowest first."""
    rows = sorted(machines, key=lambda own: not own.significant)[:LISTED]
    columns = list(_machine_columns(rows, machines))
    return PageBlock.of("machines", "machines", columns, list(_machine_remarks(machines)), machines)


def measured_panels(
    costs: Sequence[CostNumbers], machines: Sequence[MachineNumbers]
) -> list[PageBlock]:
    """Return the panels that are not empty."""
    shown = [cost_panel(costs)] if costs else []
    return shown + ([machine_panel(machines)] if machines else [])


def _machine_columns(
    rows: Sequence[MachineNumbers], machines: Sequence[MachineNumbers]
) -> Iterator[Column]:
    yield Column("machine", "left", [_name(own) for own in rows])
    yield Column("games", "right", [own.games for own in rows])
    yield Column("ratio", "right", [Quantity(own.ratio, 2) for own in rows])
    yield Column("answer", "right", [Duration(own.answer_us) for own in rows])
    if any(own.timeouts for own in machines):
        yield Column("timeouts", "right", [_timeouts(own) for own in rows])
        yield Column("%", "right", [_share(own) for own in rows])
        yield Column("blocks", "right", [own.timeout_blocks for own in rows])
        yield Column("chance", "right", [Quantity(own.expected, 1) for own in rows])
    for cause, header in _VOIDS.items():
        if any(own.voids[cause] for own in machines):
            yield Column(header, "right", [own.voids[cause] for own in rows])
    yield Column("game", "right", [Duration(own.game_us) for own in rows])


def _machine_remarks(machines: Sequence[MachineNumbers]) -> Iterator[str]:
    if len(machines) > LISTED:
        yield f"{len(machines) - LISTED} more are not listed; all: --format csv or json"
    yield "unlike machines are shown, not corrected: every game counts as it was played"
    yield "ratio: time by answer against the other machines for the same bots, median over bots"
    yield "answer: wall time, if seats answer equally often; game: wall time; both medians"
    if any(own.timeouts for own in machines):
        yield "timeouts: games with one, and their share; blocks: those with one"
        yield "chance: how many of these would be here if machines made no difference"
        yield _verdict(machines)
    else:
        yield "no bot ran out of time"
    for cause, words in _VOID_WORDS.items():
        if any(own.voids[cause] for own in machines):
            yield words


def _verdict(machines: Sequence[MachineNumbers]) -> str:
    """Return a sentence on whether timeouts depend on the machine, with all machines considered."""
    level = "at the 5 % level (Holm)"
    marked = [_name(own) for own in machines if own.significant]
    if not marked:
        return f"on no machine more timeouts than chance explains {level}"
    more = len(marked) - NAMED
    names = [*marked[:NAMED], *([count(more, "other")] if more > 0 else [])]
    return f"mark {MARK}: more timeouts than chance explains {level}: {listed(names)}"


def _name(own: MachineNumbers) -> str:
    return own.name or OWN


def _timeouts(own: MachineNumbers) -> Cell:
    return Quantity(own.timeout_games, mark=MARK if own.significant else "")


def _share(own: MachineNumbers) -> Share:
    return Share(own.timeout_games / own.games if own.games else None, 1)
