"""What bots took of time, processor and memory, counted. All of it is measured.

Times are kept as counts on a logarithmic scale, so quantiles are to a fifth; the longest is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

import msgspec

from arena.results import STEPS, GameSpec, Spent

_LAST_STEP: Final = 40 * STEPS
"""About twelve days: what is said to be longer is counted there."""


class CostNumbers(msgspec.Struct, frozen=True):
    """One bot in one discipline."""

    name: str
    moves: int
    """Answers that were timed."""
    median_us: float | None
    """Wall time of one, microseconds. None without any."""
    p95_us: float | None
    """The time within which 95 % were given."""
    longest_us: int | None
    cpu_us: float | None
    """Microseconds of the processor by game, all its processes together; None: not measured."""
    cpu_games: int
    """Games that is of."""
    memory_bytes: int | None
    """The most that one process of it held, with all that it started; None: not
    measured."""


class _Bot:
    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.longest = 0
        self.games = 0
        self.cpu_us = 0
        self.memory = 0


class CostTally:
    """Counts what games have cost, in any order."""

    def __init__(self) -> None:
        self._bots: defaultdict[tuple[str, str], _Bot] = defaultdict(_Bot)

    def add(self, spec: GameSpec, spent: Sequence[Spent]) -> None:
        """Count a game; ``spent`` by seat, empty if nothing is known of it."""
        for name, own in zip(spec.entrants, spent, strict=False):
            bot = self._bots[spec.discipline, name]
            for step, number in zip(own.times[::2], own.times[1::2], strict=False):
                bot.times[min(step, _LAST_STEP)] += number
            bot.longest = max(bot.longest, own.longest_us)
            bot.games += own.games
            bot.cpu_us += own.cpu_us
            bot.memory = max(bot.memory, own.memory)

    def numbers(self, discipline: str, names: Iterable[str]) -> tuple[CostNumbers, ...]:
        """Of these bots, those of which anything is known."""
        known = ((name, self._bots.get((discipline, name))) for name in names)
        return tuple(_numbers(name, bot) for name, bot in known if bot is not None)


def _numbers(name: str, bot: _Bot) -> CostNumbers:
    moves = bot.times.total()
    return CostNumbers(
        name=name,
        moves=moves,
        median_us=_quantile(bot.times, 0.5) if moves else None,
        p95_us=_quantile(bot.times, 0.95) if moves else None,
        longest_us=bot.longest if moves else None,
        cpu_us=round(bot.cpu_us / bot.games, 1) if bot.games else None,
        cpu_games=bot.games,
        memory_bytes=bot.memory or None,
    )


def _quantile(times: Counter[int], share: float) -> float:
    """The middle of the least step that holds the share."""
    left = ceil(share * times.total())
    for step, number in sorted(times.items()):
        left -= number
        if left <= 0:
            return round(float(2.0 ** ((step + 0.5) / STEPS)), 1)
    raise ValueError("no times")
