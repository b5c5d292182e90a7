"""What a full page says of the time, processor and memory that bots took: a table by bot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from arena.ratings.counting.costs import CostNumbers
from arena.text.numbers import NOTHING
from arena.text.tables import Column, Panel, Style

KEY: Final = "costs"
_MIB: Final = 1 << 20


def cost_panel(costs: Sequence[CostNumbers], style: Style) -> Panel:
    """The table of bots of which anything was measured."""
    title = "time per move, processor and memory"
    return Panel(KEY, title, list(_columns(costs, style)), list(_remarks(costs)), tuple(costs))


def _columns(costs: Sequence[CostNumbers], style: Style) -> Iterator[Column]:
    yield Column("bot", "left", [style.show(own.name) for own in costs])
    yield Column("moves", "right", [str(own.moves) for own in costs])
    yield Column("median ms", "right", [_time(own.median_us) for own in costs])
    yield Column("95 % ms", "right", [_time(own.p95_us) for own in costs])
    yield Column("longest ms", "right", [_time(own.longest_us) for own in costs])
    yield Column("cpu ms/game", "right", [_time(own.cpu_us) for own in costs])
    yield Column("MiB", "right", [_memory(own.memory_bytes) for own in costs])


def _remarks(costs: Sequence[CostNumbers]) -> Iterator[str]:
    yield "wall time of answers, as the referee waited for them; median and 95 % to a fifth"
    if any(own.cpu_games for own in costs):
        yield "cpu/game: of all processes of the bot, without its start, as far as measured"
        yield "MiB of memory: the most that one process held so far, with all that it started"
    else:
        yield "processor and memory were not measured"


def _time(microseconds: float | None) -> str:
    """In milliseconds, so that all of a column can be compared."""
    if microseconds is None:
        return NOTHING
    value = microseconds / 1000
    return f"{value:.{3 if value < 10 else 1 if value < 1000 else 0}f}"


def _memory(size: int | None) -> str:
    return NOTHING if size is None else f"{size / _MIB:.0f}"
