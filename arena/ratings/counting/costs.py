"""Counts of the time, processor time and memory that bots used; all of these are measured.

Times are kept as counts on a logarithmic scale, so quantiles are accurate to a fifth. The longest
time is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

import msgspec

from arena.results import STEPS, GameSpec, SeatUsage

_LAST_STEP: Final = 40 * STEPS
"""Last step of the time scale, about twelve days; longer times are counted here."""


class CostNumbers(msgspec.Struct, frozen=True):
    """Costs of one bot in one discipline."""

    name: str
    moves: int
    """Number of answers that were timed."""
    median_us: float | None
    """Median wall time of an answer, in microseconds; None without answers."""
    p95_us: float | None
    """Wall time within which 95 % of the answers were given, in microseconds."""
    longest_us: int | None
    cpu_us: float | None
    """Processor time per game of all processes of the bot, in microseconds; None if not
    measured."""
    cpu_games: int
    """Number of games that ``cpu_us`` is averaged over."""
    memory_bytes: int | None
    """Peak memory in bytes of a process of the bot with its children; None if not measured."""


class _BotCosts:
    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.longest = 0
        self.games = 0
        self.cpu_us = 0
        self.memory = 0


class CostTally:
    """Counts of what games cost, independent of their order."""

    def __init__(self) -> None:
        self._bots: defaultdict[tuple[str, str], _BotCosts] = defaultdict(_BotCosts)

    def add(self, spec: GameSpec, spent: Sequence[SeatUsage]) -> None:
        """Count a game; ``spent`` is ordered by seat and empty if nothing is known."""
        for name, own in zip(spec.entrants, spent, strict=False):
            bot = self._bots[spec.discipline, name]
            for step, number in zip(own.times[::2], own.times[1::2], strict=False):
                bot.times[min(step, _LAST_STEP)] += number
            bot.longest = max(bot.longest, own.longest_us)
            bot.games += own.games
            bot.cpu_us += own.cpu_us
            bot.memory = max(bot.memory, own.memory)

    def numbers(self, discipline: str, names: Iterable[str]) -> tuple[CostNumbers, ...]:
        """Return the costs of the bots ``names``, without those of which nothing is known."""
        known = ((name, self._bots.get((discipline, name))) for name in names)
        return tuple(_numbers(name, bot) for name, bot in known if bot is not None)

    def answers(self) -> dict[str, tuple[float, int]]:
        """Return for each bot the 99 % quantile and the longest of all its answers, in µs."""
        times: defaultdict[str, Counter[int]] = defaultdict(Counter)
        longest: Counter[str] = Counter()
        for (_, name), bot in self._bots.items():
            times[name] += bot.times
            longest[name] = max(longest[name], bot.longest)
        return {
            name: (min(_quantile(own, 0.99), longest[name]), longest[name])
            for name, own in times.items()
            if own
        }


def _numbers(name: str, bot: _BotCosts) -> CostNumbers:
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
    """Return the middle of the least step at which the ``share`` of all times is reached."""
    left = ceil(share * times.total())
    for step, number in sorted(times.items()):
        left -= number
        if left <= 0:
            return round(float(2.0 ** ((step + 0.5) / STEPS)), 1)
    raise ValueError("no times")
